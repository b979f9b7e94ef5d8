#include "panto/evaluation/limb_directions.hpp"

#include <array>
#include <string_view>

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"

namespace panto {
namespace {

constexpr std::array<std::string_view, 3> kArm{"UpperArm", "ForeArm", "Hand"};

// +y of a left arm's segments, -y of a right one's, zero of all others
Eigen::Vector3d direction_of(std::string_view segment) {
  for (const std::string_view part : kArm) {
    if (segment == "Left" + std::string(part)) return Eigen::Vector3d::UnitY();
    if (segment == "Right" + std::string(part)) return -Eigen::Vector3d::UnitY();
  }
  return Eigen::Vector3d::Zero();
}

}  // namespace

LimbDirections::LimbDirections(const Model& model, const std::vector<TrackedPair>& pairs,
                               const std::vector<std::string>& segments)
    : model_(&model), kinematics_(model) {
  check_pairs(model, pairs);
  for (const TrackedPair& pair : pairs) {
    if (!pair.orientation || at(pair.segment) >= segments.size()) continue;
    const std::string& segment = segments[at(pair.segment)];
    const Eigen::Vector3d along = direction_of(segment);
    if (!along.isZero(0.0)) limbs_.push_back({segment, pair, along, SampleStatistics()});
  }
}

void LimbDirections::add(const SegmentSample& sample, const State& state) {
  if (!is_valid(state, *model_)) return;
  kinematics_.update(state);
  for (Limb& limb : limbs_) {
    if (at(limb.pair.segment) >= sample.segments.size()) continue;
    const SegmentMotion& target = sample.segments[at(limb.pair.segment)];
    if (!target.has_orientation) continue;
    const Eigen::Vector3d has = kinematics_.R_WL(limb.pair.link) * (limb.pair.R_SF.transpose() * limb.along);
    limb.angle.add(angle_between(target.R_WS * limb.along, has) * kToDegrees);
  }
}

std::vector<LimbDirection> LimbDirections::report() const {
  std::vector<LimbDirection> directions;
  for (const Limb& limb : limbs_)
    directions.push_back(
        {limb.segment, limb.angle.percentile(0.5), limb.angle.percentile(0.95), limb.angle.max()});
  return directions;
}

}  // namespace panto
