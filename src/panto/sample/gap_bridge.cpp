#include "panto/sample/gap_bridge.hpp"

#include <algorithm>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr Time kLongest = 100'000'000;  // [ns]
constexpr Time kRounding = 1000;        // [ns] of stamps
constexpr double kFastest = 12.0,
                 kFastestTurn = 35.0;         // of people's segments, half of them at once [m/s], [rad/s]
constexpr double kShift = 0.05, kTurn = 0.3;  // beyond these [m], [rad]
constexpr double kLargest = 1e9;

// from one pose to another, and a pose after such a way
Vector3d way(const Matrix3d& from, const Matrix3d& to) noexcept { return so3::log(to * from.transpose()); }
Vector3d way(const Vector3d& from, const Vector3d& to) noexcept { return to - from; }
Matrix3d moved(const Matrix3d& from, const Vector3d& by) noexcept { return so3::exp(by) * from; }
Vector3d moved(const Vector3d& from, const Vector3d& by) noexcept { return from + by; }

bool is_number(const Vector3d& v) noexcept { return v.squaredNorm() <= kLargest * kLargest; }
bool is_measured(const SegmentMotion& s) noexcept {
  return (!s.has_orientation || so3::is_rotation(s.R_WS)) && (!s.has_position || is_number(s.p_WS)) &&
         (!s.has_angular_velocity || is_number(s.w_WS)) && (!s.has_linear_velocity || is_number(s.v_WS));
}

}  // namespace

GapBridge::GapBridge(std::size_t segments) : known_(segments) { filled_.segments.resize(segments); }

void GapBridge::reset() noexcept { std::fill(known_.begin(), known_.end(), Known{}); }

template <typename Pose>
void GapBridge::continue_part(Measured<Pose>& last, Part<Pose> now, Time t) noexcept {
  const double since = to_seconds(t - last.pose_at);
  const bool fresh = t - last.pose_at <= kLongest + kRounding && since > 0.0;
  const bool rated = t - last.rate_at <= kLongest + kRounding;  // rates are usual
  if (!now.has_pose) {
    if (!fresh) return;
    now.pose = moved(last.pose, since * last.rate);
    now.has_pose = true;
    if (now.has_rate || !rated) return;
    now.rate = last.rate;
    now.has_rate = true;
    return;
  }
  if (t <= last.pose_at) return;
  if (now.has_rate) {
    last.rate = now.rate;
    last.rate_at = t;
  } else {
    last.rate = fresh ? Vector3d(way(last.pose, now.pose) / since) : Vector3d(Vector3d::Zero());
    if (rated && fresh) {
      now.rate = last.rate;
      now.has_rate = true;
    }
  }
  last.pose = now.pose;
  last.pose_at = t;
}

bool GapBridge::jumps(const SegmentSample& sample) const noexcept {
  std::size_t known = 0, far = 0;
  const auto judge = [&](const auto& last, const auto& pose, double fastest, double slack) {
    const double since = to_seconds(sample.t - last.pose_at);
    if (since <= 0.0 || sample.t - last.pose_at > kLongest + kRounding) return;
    ++known;
    far += way(last.pose, pose).norm() > fastest * since + slack ? 1 : 0;
  };
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const SegmentMotion& now = sample.segments[i];
    if (now.has_position)
      judge(known_[i].place, now.p_WS, kFastest, kShift);
    else if (now.has_orientation)
      judge(known_[i].turn, now.R_WS, kFastestTurn, kTurn);
  }
  return known > 0 && 2 * far >= known;
}

const SegmentSample* GapBridge::fill(const SegmentSample& sample) noexcept {
  if (!std::all_of(sample.segments.begin(), sample.segments.end(), is_measured)) return nullptr;
  filled_.t = sample.t;
  filled_.cut = sample.cut || jumps(sample);
  if (filled_.cut) reset();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    SegmentMotion& now = filled_.segments[i] = sample.segments[i];
    continue_part<Matrix3d>(known_[i].turn,
                            {now.R_WS, now.w_WS, now.has_orientation, now.has_angular_velocity}, sample.t);
    continue_part<Vector3d>(known_[i].place, {now.p_WS, now.v_WS, now.has_position, now.has_linear_velocity},
                            sample.t);
  }
  return &filled_;
}

}  // namespace panto
