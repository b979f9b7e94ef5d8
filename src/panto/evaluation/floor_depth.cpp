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
  double depth = -kOver;
  const Capsule* lowest = nullptr;
  for (const Capsule& part : parts_) {
    const double under = ground_ + part.radius - std::min(height(part.from), height(part.to));
    if (!(under > depth)) continue;
    depth = under;
    lowest = &part;
  }
  ++frames_;
  if (depth > kUnder) ++under_;
  deepest_.keep(1e3 * std::max(0.0, depth), t, depth > 0.0 ? lowest->name : "");
  if (lowest != nullptr) return over_since_.reset();
  if (!over_since_) over_since_ = t;
  longest_.keep(to_seconds(t - *over_since_), *over_since_);
}

FloorFigures FloorDepth::report() const {
  FloorFigures figures;
  if (frames_ == 0 || parts_.empty()) return figures;
  figures.body_under_10mm_share = static_cast<double>(under_) / static_cast<double>(frames_);
  figures.body_under_max_mm = deepest_.value;
  figures.body_under_max_at_s = deepest_.at_s;
  figures.body_under_max_part = deepest_.name;
  figures.body_floating_longest_s = longest_.value.value_or(0.0);
  figures.body_floating_longest_at_s = longest_.at_s;
  return figures;
}

}  // namespace panto
