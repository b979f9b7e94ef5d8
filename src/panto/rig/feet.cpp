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
constexpr double kToesBelow = 21.0 * kDegree;  // ball of the foot below the ankle, seen from a flat sole
constexpr double kTilted = 20.0 * kDegree;     // of a sole in stance, by a family's frame
// a foot that stands on its toes, beside one that stands flat
constexpr double kAlike = 0.1;   // share by which lengths of alike feet differ
constexpr double kRaised = 0.2;  // ankle higher in stance, of the foot's length; twice a thick heel
constexpr double kSteeper = 10.0 * kDegree;   // toes steeper below the ankle
constexpr double kSteadyUp = 12.0 * kDegree;  // spread of directions that are no stance

// What the leg of a foot does in one frame, by cosines with the world's up and shares of its length.
struct Leg {
  double trunk = 1.0, shank = 1.0, rise = 1.0;  // rise: of the hip above the ankle

  [[nodiscard]] bool stands() const { return trunk > 0.85 && shank > 0.77 && rise > 0.75; }
  [[nodiscard]] bool carries() const { return shank > 0.6 && rise > 0.4; }
};

Leg leg_of(const Clip& clip, int k, int foot) {
  Leg leg;
  const Vector3d trunk = clip.trunk(k);
  if (trunk.norm() > 0.0) leg.trunk = trunk.normalized().z();
  if (!clip.has(foot - 1) || !clip.has(foot - 2)) return leg;
  const Vector3d shank = clip.p_WS(k, foot - 1) - clip.p_WS(k, foot),
                 thigh = clip.p_WS(k, foot - 2) - clip.p_WS(k, foot - 1);
  leg.shank = shank.normalized().z();
  leg.rise = (shank.z() + thigh.z()) / (shank.norm() + thigh.norm());
  return leg;
}

// The frames in which a foot may be in stance: all where the body never lies; else those in which it stands,
// or, if it hardly does, those in which the leg carries it. Empty: none.
std::vector<unsigned char> bearing_frames(const Clip& clip, int foot) {
  const int count = clip.frame_count();
  std::vector<Leg> legs;
  for (int k = 0; k < count; ++k) legs.push_back(leg_of(clip, k, foot));
  std::vector<unsigned char> frames(at(count), 1);
  const auto lies = std::count_if(legs.begin(), legs.end(), [](const Leg& leg) { return leg.trunk < 0.5; });
  if (lies <= count / 50) return frames;
  const auto choose = [&](bool (Leg::*fits)() const) {
    std::transform(legs.begin(), legs.end(), frames.begin(),
                   [&](const Leg& leg) -> unsigned char { return (leg.*fits)() ? 1 : 0; });
    return std::count(frames.begin(), frames.end(), 1);
  };
  if (choose(&Leg::stands) >= std::max(3, count / 20) || choose(&Leg::carries) > 0) return frames;
  return {};
}

// Height of the twentieth part of these frames in which a foot's ankle is lowest [m].
double low_level(const Clip& clip, int foot, const std::vector<unsigned char>& bearing) {
  std::vector<double> heights;
  heights.reserve(bearing.size());
  for (int k = 0; k < std::ssize(bearing); ++k) {
    if (bearing[at(k)] != 0) heights.push_back(clip.p_WS(k, foot).z());
  }
  if (heights.empty()) return kInfinity;
  const auto low = heights.begin() + std::ssize(heights) / 20;
  std::nth_element(heights.begin(), low, heights.end());
  return *low;
}

// Weights of the stance frames of a foot: under a leg that carries the body, ankle low and slow; only low if
// it is never slow. Empty: the leg never carries the body.
std::vector<double> standing_frames(const Clip& clip, int foot) {
  const int count = clip.frame_count(), joint = clip.joint(foot);
  const std::vector<unsigned char> bearing = bearing_frames(clip, foot);
  if (bearing.empty()) return {};
  const double floor = low_level(clip, foot, bearing) + kLow;
  std::vector<double> standing(at(count), 0.0), lying(at(count), 0.0);
  int found = 0;
  for (int k = 0; k < count; ++k) {
    if (bearing[at(k)] == 0 || clip.p_WS(k, foot).z() > floor) continue;
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

// The world's up in a foot's joint during stance. `standing`: weights of the frames, changed to those that
// agree.
Direction stance_up(const Clip& clip, int foot, std::vector<double>& standing) {
  std::vector<Vector3d> ups;
  ups.reserve(at(clip.frame_count()));
  for (int k = 0; k < clip.frame_count(); ++k)
    ups.emplace_back(clip.R_WJ(k, clip.joint(foot)).transpose() * Vector3d::UnitZ());
  return agreed(ups, standing);
}

}  // namespace

// A foot that never stands flat, only on its toes: the other foot's ankle comes lower, and its toes are less
// steep below it. Returns by how much, where the two feet are alike; 0: not so [rad].
double Alignment::raised_heel(int segment) const {
  const int other = is_right(segment) ? HumanSegment::LeftFoot : HumanSegment::RightFoot;
  if (!clip_->has(other)) return 0.0;
  const auto end = clip_->far_end(segment), others = clip_->far_end(other);
  if (!end || !others || std::abs(end->norm() / others->norm() - 1.0) > kAlike) return 0.0;
  const double own_level = low_level(*clip_, segment, bearing_frames(*clip_, segment)),
               others_level = low_level(*clip_, other, bearing_frames(*clip_, other));
  if (!std::isfinite(own_level) || !(own_level - others_level >= kRaised * end->norm())) return 0.0;
  const auto steepness = [&](int foot, const Vector3d& toes) {
    std::vector<double> standing = standing_frames(*clip_, foot);
    if (standing.empty()) return kInfinity;
    const Direction up = stance_up(*clip_, foot, standing);
    return up.spread > kSteadyUp ? kInfinity : angle_between(toes, up.mean);
  };
  const double more = steepness(segment, *end) - steepness(other, *others);
  return std::isfinite(more) && more > kSteeper ? more : 0.0;
}

// The family's frame, unless toes or the sole in stance contradict it.
bool Alignment::align_foot_by_family(int segment) {
  const FamilyFrame* own = find_frame(family_, segment);
  const auto end = clip_->far_end(segment);
  if (own == nullptr || !end) return false;
  const Matrix3d R_JS = rotation_of(*own);
  const auto off_by = [&](const std::string& why, double off) {
    return veto(segment, why + " by " + degrees_text(off));
  };
  const double below = own->raised_deg != 0.0 ? own->raised_deg * kDegree : kToesBelow;
  const Vector3d toes = R_JS * Vector3d(sincos(below).cos, 0.0, -sincos(below).sin);
  if (const double off = angle_between(*end, toes); off > kTilted) return off_by("the toes are off", off);
  std::vector<double> standing = standing_[is_right(segment) ? 0 : 1];
  if (!standing.empty()) {
    const double off = angle_between(stance_up(*clip_, segment, standing).mean, R_JS.col(2));
    if (off > kTilted) return off_by("the sole would tilt in stance", off);
  }
  set(segment, R_JS, 0.95, std::string(family_->source));
  return true;
}

// No stance and no rest pose: the foot turns about the shank's hinge, its ball below the ankle as in any
// foot.
bool Alignment::align_foot_by_shank(int segment) {
  const auto end = clip_->far_end(segment);
  const int shank = segment - 1, joint = clip_->joint(segment);
  if (!end || !clip_->has(shank) || !offsets_[at(shank)].valid) return false;
  Vector3d left = Vector3d::Zero();
  for (int k = 0; k < clip_->frame_count(); ++k)
    left += clip_->R_WJ(k, joint).transpose() * R_WS(k, shank).col(1);
  const Vector3d toes = (*end - end->dot(left) / left.squaredNorm() * left).normalized();
  const Matrix3d level = frame_from(Vector3d::UnitX(), toes, Vector3d::UnitY(), left);
  set(segment, level * so3::exp(Vector3d(0.0, -kToesBelow, 0.0)), 0.4,
      "no stance and no rest pose: level as seen from the toes and the knee's hinge");
  return true;
}

// The up of the segment before it, in the foot's joint, in the mean over the clip.
Vector3d Alignment::mean_up(int segment) const {
  const int parent = measured_parent(segment), joint = clip_->joint(segment);
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < clip_->frame_count(); ++k)
    sum += clip_->R_WJ(k, joint).transpose() *
           (parent >= 0 ? Vector3d(R_WS(k, parent).col(2)) : Vector3d::UnitZ());
  return sum.norm() > 0.0 ? sum.normalized() : Vector3d::UnitZ();
}

void Alignment::align_foot(int segment) {
  std::vector<double>& standing = standing_[is_right(segment) ? 0 : 1];
  if (!clip_->has(segment) || offsets_[at(segment)].valid) return;
  if (exact_) return align_exactly(segment);
  const int joint = clip_->joint(segment);
  standing = standing_frames(*clip_, segment);
  if (align_foot_by_family(segment)) return;
  const bool stands = !standing.empty();
  if (!stands && rest_.kind == RestPose::Other && align_foot_by_shank(segment)) return;
  Direction up = stands ? stance_up(*clip_, segment, standing) : Direction{mean_up(segment), kInfinity};
  double confidence = 0.9;
  std::string reason = "flat in stance";
  const Matrix3d R_JB = clip_->R_WJ(kRest, joint).transpose() * rest_.R_WB;
  if (rest_.kind != RestPose::Other && up.spread > kSteadyUp) {
    up.mean = R_JB.col(2);
    confidence = 0.7;
    reason = stands ? "flat in the rest pose" : "no stance; flat in the rest pose";
  }
  raised_[is_right(segment) ? 0 : 1] = raised_heel(segment);
  const auto end = clip_->far_end(segment);
  if (const double raised = raised_[is_right(segment) ? 0 : 1]; end && raised > 0.0) {
    up.mean = so3::exp(raised * up.mean.cross(*end).normalized()) * up.mean;
    confidence = 0.7;
    reason = "stands on its toes; as flat as the other foot";
  }
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

// Aligned with the foot in stance; level where the foot stands on its toes.
void Alignment::align_toe(int toe) {
  if (!clip_->has(toe) || offsets_[at(toe)].valid) return;
  if (exact_) return align_exactly(toe);
  const int foot = toe - 1, joint = clip_->joint(toe);
  if (!clip_->has(foot)) return;
  const std::size_t side = is_right(toe) ? 0 : 1;
  const std::vector<double>& standing = standing_[side];
  Matrix3d sum = Matrix3d::Zero();
  double total = 0.0;
  for (int k = 0; k < clip_->frame_count(); ++k) {
    const double weight = standing.empty() ? 1.0 : standing[at(k)];
    Matrix3d R_WF = R_WS(k, foot);
    if (raised_[side] > 0.0)
      R_WF = frame_from(Vector3d::UnitZ(), Vector3d::UnitZ(), Vector3d::UnitX(), R_WF.col(0));
    sum += weight * clip_->R_WJ(k, joint).transpose() * R_WF;
    total += weight;
  }
  set(toe, nearest_rotation(sum / total), 0.8, "aligned with the foot in stance");
}

}  // namespace panto::rig
