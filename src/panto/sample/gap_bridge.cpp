#include "panto/sample/gap_bridge.hpp"

#include <algorithm>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr Time kLongest = 100'000'000;  // [ns]
constexpr Time kRounding = 1000;        // [ns] of stamps

}  // namespace

GapBridge::GapBridge(std::size_t segments) : known_(segments) { filled_.segments.resize(segments); }

void GapBridge::reset() noexcept { std::fill(known_.begin(), known_.end(), Known{}); }

// A missing orientation goes on turning; a missing rate is that of the last turn.
void GapBridge::fill_turn(Known& known, SegmentMotion& now, Time t) noexcept {
  SegmentMotion& last = known.last;
  const double since = to_seconds(t - known.R_at);
  const bool fresh = last.has_orientation && t - known.R_at <= kLongest + kRounding && since > 0.0;
  const bool rated = last.has_angular_velocity && t - known.w_at <= kLongest + kRounding;
  if (now.has_orientation) {
    if (!now.R_WS.allFinite() || !now.w_WS.allFinite() || t <= known.R_at) return;
    const Eigen::Vector3d w = fresh ? Eigen::Vector3d(so3::log(now.R_WS * last.R_WS.transpose()) / since)
                                    : Eigen::Vector3d(Eigen::Vector3d::Zero());
    if (!now.has_angular_velocity && rated && fresh) {
      now.w_WS = w;
      now.has_angular_velocity = true;
    } else if (now.has_angular_velocity) {
      last.has_angular_velocity = true;
      known.w_at = t;
    }
    last.w_WS = now.has_angular_velocity ? now.w_WS : w;
    last.R_WS = now.R_WS;
    last.has_orientation = true;
    known.R_at = t;
    return;
  }
  if (!fresh) return;
  now.R_WS = so3::exp(since * last.w_WS) * last.R_WS;
  now.has_orientation = true;
  if (now.has_angular_velocity || !rated) return;
  now.w_WS = last.w_WS;
  now.has_angular_velocity = true;
}

void GapBridge::fill_place(Known& known, SegmentMotion& now, Time t) noexcept {
  SegmentMotion& last = known.last;
  const double since = to_seconds(t - known.p_at);
  const bool fresh = last.has_position && t - known.p_at <= kLongest + kRounding && since > 0.0;
  const bool rated = last.has_linear_velocity && t - known.v_at <= kLongest + kRounding;
  if (now.has_position) {
    if (!now.p_WS.allFinite() || !now.v_WS.allFinite() || t <= known.p_at) return;
    const Eigen::Vector3d v =
        fresh ? Eigen::Vector3d((now.p_WS - last.p_WS) / since) : Eigen::Vector3d(Eigen::Vector3d::Zero());
    if (!now.has_linear_velocity && rated && fresh) {
      now.v_WS = v;
      now.has_linear_velocity = true;
    } else if (now.has_linear_velocity) {
      last.has_linear_velocity = true;
      known.v_at = t;
    }
    last.v_WS = now.has_linear_velocity ? now.v_WS : v;
    last.p_WS = now.p_WS;
    last.has_position = true;
    known.p_at = t;
    return;
  }
  if (!fresh) return;
  now.p_WS = last.p_WS + since * last.v_WS;
  now.has_position = true;
  if (now.has_linear_velocity || !rated) return;
  now.v_WS = last.v_WS;
  now.has_linear_velocity = true;
}

const SegmentSample& GapBridge::fill(const SegmentSample& sample) noexcept {
  if (sample.cut) reset();
  filled_.t = sample.t;
  filled_.cut = sample.cut;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    SegmentMotion& now = filled_.segments[i] = sample.segments[i];
    fill_turn(known_[i], now, sample.t);
    fill_place(known_[i], now, sample.t);
  }
  return filled_;
}

}  // namespace panto
