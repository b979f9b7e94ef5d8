#include "panto/evaluation/floor_depth.hpp"

#include <algorithm>
#include <utility>

namespace panto {

FloorDepth::FloorDepth(std::vector<Capsule> parts, double ground)
    : parts_(std::move(parts)), ground_(ground) {}

void FloorDepth::add(Time t, const Kinematics& kinematics) {
  const auto height = [&](const LinkPoint& point) {
    return kinematics.p_WL(point.link).z() + kinematics.R_WL(point.link).row(2).dot(point.p_L);
  };
  double depth = 0.0;
  const Capsule* lowest = nullptr;
  for (const Capsule& part : parts_) {
    const double under = ground_ + part.radius - std::min(height(part.from), height(part.to));
    if (!(under > depth)) continue;
    depth = under;
    lowest = &part;
  }
  ++frames_;
  if (depth > kUnder) ++under_;
  deepest_.keep(1e3 * depth, t, lowest != nullptr ? lowest->name : "");
}

FloorFigures FloorDepth::report() const {
  FloorFigures figures;
  if (frames_ == 0 || parts_.empty()) return figures;
  figures.body_under_10mm_share = static_cast<double>(under_) / static_cast<double>(frames_);
  figures.body_under_max_mm = deepest_.value;
  figures.body_under_max_at_s = deepest_.at_s;
  figures.body_under_max_part = deepest_.name;
  return figures;
}

}  // namespace panto
