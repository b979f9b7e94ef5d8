// Alignment of feet and toes: in stance they are flat and point forward.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/rig/alignment.hpp"

namespace panto::rig {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSlow = 0.25;   // [m/s] speed limit of an ankle in stance
constexpr double kSteady = 0.5;  // [rad/s] rotation limit of a foot in stance
constexpr double kLow = 0.02;    // [m] above the lowest ankles of the clip
constexpr double kAgreement = 5.0 * kDegree;

// Weights of the stance frames of a foot: ankle low and slow; only low if it is never slow.
std::vector<double> standing_frames(const Clip& clip, int foot) {
  const int count = clip.frame_count(), joint = clip.joint(foot);
  std::vector<double> heights;
  heights.reserve(at(count));
  for (int k = 0; k < count; ++k) heights.push_back(clip.p_WS(k, foot).z());
  std::vector<double> sorted = heights;
  const auto low = sorted.begin() + count / 20;
  std::nth_element(sorted.begin(), low, sorted.end());
  const double floor = *low + kLow;
  std::vector<double> standing(at(count), 0.0), lying(at(count), 0.0);
  int found = 0;
  for (int k = 0; k < count; ++k) {
    if (heights[at(k)] > floor) continue;
    lying[at(k)] = 1.0;
    bool slow = true;
    for (const int other : {k - 1, k + 1}) {
      if (other < 0 || other >= count) continue;
      const double dt = std::abs(clip.time(other) - clip.time(k));
      slow = slow && (clip.p_WS(other, foot) - clip.p_WS(k, foot)).norm() <= kSlow * dt &&
             so3::distance(clip.R_WJ(other, joint), clip.R_WJ(k, joint)) <= kSteady * dt;
    }
    if (!slow) continue;
    standing[at(k)] = 1.0;
    ++found;
  }
  return found >= std::max(3, count / 50) ? standing : lying;
}

struct Direction {
  Vector3d mean;
  double spread = 0.0;  // [rad] rms
};

// Robust mean direction: directions more than a few degrees off get less and less weight.
Direction agreed(const std::vector<Vector3d>& directions, std::vector<double>& weights) {
  Direction result{Vector3d::Zero()};
  for (std::size_t k = 0; k < directions.size(); ++k) result.mean += weights[k] * directions[k];
  result.mean.normalize();
  const std::vector<double> first = weights;
  for (int round = 0; round < 20; ++round) {
    Vector3d sum = Vector3d::Zero();
    double square = 0.0, total = 0.0;
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const double off = angle_between(directions[k], result.mean);
      weights[k] = first[k] / (1.0 + off * off / (kAgreement * kAgreement));
      sum += weights[k] * directions[k];
      square += weights[k] * off * off;
      total += weights[k];
    }
    result.mean = sum.normalized();
    result.spread = std::sqrt(square / total);
  }
  return result;
}

}  // namespace

void Alignment::align_foot(int segment) {
  std::vector<double>& standing = standing_[is_right(segment) ? 0 : 1];
  if (!clip_->has(segment) || offsets_[at(segment)].valid) return;
  if (exact_) return align_exactly(segment);
  const int joint = clip_->joint(segment);
  standing = standing_frames(*clip_, segment);
  std::vector<Vector3d> ups;
  ups.reserve(at(clip_->frame_count()));
  for (int k = 0; k < clip_->frame_count(); ++k)
    ups.emplace_back(clip_->R_WJ(k, joint).transpose() * Vector3d::UnitZ());
  Direction up = agreed(ups, standing);
  double confidence = 0.9;
  std::string reason = "flat in stance";
  const Matrix3d R_JB = clip_->R_WJ(kRest, joint).transpose() * rest_.R_WB;
  if (rest_.kind != RestPose::Other && up.spread > 12.0 * kDegree) {
    up.mean = R_JB.col(2);
    confidence = 0.7;
    reason = "flat in the rest pose";
  }
  const auto end = clip_->far_end(segment);
  if (end && std::abs(end->normalized().dot(up.mean)) < sincos(15.0 * kDegree).cos) {
    set(segment, frame_from(Vector3d::UnitZ(), up.mean, Vector3d::UnitX(), *end), confidence,
        reason + ", forward from ankle to toes");
  } else if (rest_.kind != RestPose::Other) {
    set(segment, frame_from(Vector3d::UnitZ(), up.mean, Vector3d::UnitX(), R_JB.col(0)), 0.6,
        reason + ", forward from the rest pose");
  } else {
    // no toes: forward is the mean forward direction of the shank
    const int parent = measured_parent(segment);
    Vector3d ahead = Vector3d::Zero();
    for (int k = 0; k < clip_->frame_count(); ++k)
      ahead += clip_->R_WJ(k, joint).transpose() *
               (parent >= 0 ? R_WS(k, parent) : clip_->heading(k, Vector3d::UnitZ())).col(0);
    set(segment, frame_from(Vector3d::UnitZ(), up.mean, Vector3d::UnitX(), ahead), 0.4,
        reason + ", forward as the parent segment");
  }
}

// Aligned with the foot in stance.
void Alignment::align_toe(int toe) {
  if (!clip_->has(toe) || offsets_[at(toe)].valid) return;
  if (exact_) return align_exactly(toe);
  const int foot = toe - 1, joint = clip_->joint(toe);
  if (!clip_->has(foot)) return;
  const std::vector<double>& standing = standing_[is_right(toe) ? 0 : 1];
  Matrix3d sum = Matrix3d::Zero();
  double total = 0.0;
  for (int k = 0; k < clip_->frame_count(); ++k) {
    const double weight = standing.empty() ? 1.0 : standing[at(k)];
    sum += weight * clip_->R_WJ(k, joint).transpose() * R_WS(k, foot);
    total += weight;
  }
  set(toe, nearest_rotation(sum / total), 0.8, "aligned with the foot in stance");
}

}  // namespace panto::rig
