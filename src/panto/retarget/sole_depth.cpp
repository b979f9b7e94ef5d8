#include "panto/retarget/sole_depth.hpp"

#include <algorithm>

#include "panto/base/text.hpp"

namespace panto {

SoleDepth::SoleDepth(const Model& model, const robot::Skeleton& skeleton, const std::vector<int>& sides)
    : feet_(corners_of_feet(model, skeleton, sides)), kinematics_(model) {}

void SoleDepth::add(const State& state, bool cut) {
  kinematics_.update(state);
  double lowest = kInfinity;
  for (const FootCorners& foot : feet_) {
    for (const Eigen::Vector3d& point : foot.corners)
      lowest = std::min(lowest, (kinematics_.p_WL(foot.link) + kinematics_.R_WL(foot.link) * point).z());
  }
  if (cut) cuts_.push_back(static_cast<int>(t_.size()));
  t_.push_back(state.t);
  depth_.push_back(-lowest);
}

std::string raised_note(const std::vector<double>& lift) {
  const double most = lift.empty() ? 0.0 : *std::max_element(lift.begin(), lift.end());
  if (!(most > 0.0)) return "";
  return "base raised by up to " + tenths_above(1e3 * most) + " mm to keep the feet above the floor";
}

}  // namespace panto
