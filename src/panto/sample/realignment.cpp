#include "panto/sample/realignment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kSteep = 0.95;  // a forward axis that rises by more of its length does not tell the heading

}  // namespace

Realignment::Realignment(const std::vector<std::string>& segments) {
  moved_.segments.resize(segments.size());
  const auto found = std::find(segments.begin(), segments.end(), "Pelvis");
  if (found != segments.end()) pelvis_ = static_cast<int>(found - segments.begin());
}

void Realignment::choose(const Eigen::Vector3d& position, const Eigen::Matrix3d& orientation) noexcept {
  const Eigen::Vector3d x = orientation.col(0), z = orientation.col(2);
  // of a person who lies the head or the feet tell it
  const Eigen::Vector3d ahead = std::abs(x.z()) < kSteep ? x : Eigen::Vector3d(x.z() < 0.0 ? z : -z);
  turn_ = so3::about_axis(2, -atan2(ahead.y(), ahead.x()));
  const Eigen::Vector3d turned = turn_ * position;
  shift_ = {-turned.x(), -turned.y(), 0.0};
  moves_ = true;
}

const SegmentSample& Realignment::apply(const SegmentSample& sample) noexcept {
  const bool fits = able() && sample.segments.size() == moved_.segments.size();
  bool chosen = false;
  if (asked_ && fits) {
    const SegmentMotion& pelvis = sample.segments[static_cast<std::size_t>(pelvis_)];
    // broken numbers tell nothing; whoever follows refuses them
    chosen = pelvis.has_orientation && pelvis.R_WS.allFinite() && pelvis.p_WS.allFinite();
    if (chosen) choose(pelvis.has_position ? pelvis.p_WS : Eigen::Vector3d::Zero(), pelvis.R_WS);
    asked_ = !chosen;
  }
  if (!moves_) return sample;
  moved_ = sample;
  moved_.cut = sample.cut || chosen;
  for (SegmentMotion& segment : moved_.segments) {
    segment.R_WS = turn_ * segment.R_WS;
    segment.p_WS = turn_ * segment.p_WS + shift_;
    segment.w_WS = turn_ * segment.w_WS;
    segment.v_WS = turn_ * segment.v_WS;
  }
  return moved_;
}

bool Realignment::apply(State& state) noexcept {
  const bool chosen = std::exchange(asked_, false);
  if (chosen) choose(state.p_WB, state.R_WB);
  if (!moves_) return false;
  state.R_WB = turn_ * state.R_WB;
  state.p_WB = turn_ * state.p_WB + shift_;
  state.v_WB = turn_ * state.v_WB;
  state.w_WB = turn_ * state.w_WB;
  return chosen;
}

}  // namespace panto
