// Checks the body in a recording: lengths, sides, constant joints, the floor.

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "panto/base/index.hpp"
#include "panto/evaluation/recording_watches.hpp"
#include "panto/math/median.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;

// a limb from the origin of one segment to that of the next
struct Limb {
  std::string_view name;
  int from, to;
};
constexpr std::array<Limb, 10> kLimbs{{{"right thigh", RightUpperLeg, RightLowerLeg},
                                       {"left thigh", LeftUpperLeg, LeftLowerLeg},
                                       {"right shank", RightLowerLeg, RightFoot},
                                       {"left shank", LeftLowerLeg, LeftFoot},
                                       {"right foot", RightFoot, RightToe},
                                       {"left foot", LeftFoot, LeftToe},
                                       {"right upper arm", RightUpperArm, RightForeArm},
                                       {"left upper arm", LeftUpperArm, LeftForeArm},
                                       {"right forearm", RightForeArm, RightHand},
                                       {"left forearm", LeftForeArm, LeftHand}}};
// limbs that turn in every human motion; head and hands often do not
constexpr std::array<int, 10> kMoving{RightUpperArm, RightForeArm, LeftUpperArm, LeftForeArm,  RightUpperLeg,
                                      RightLowerLeg, RightFoot,    LeftUpperLeg, LeftLowerLeg, LeftFoot};
constexpr double kStill = 1e-4;                    // [rad]
constexpr std::int64_t kEnoughFrames = 30;         // frames needed to call a joint constant
constexpr double kStretch = 0.05;                  // share of the length ...
constexpr double kStretchLength = 0.02;            // ... and [m]
constexpr double kSamePlace = 1e-3;                // [m]
constexpr double kWildStretch = 0.25;              // share above which poses are affected
constexpr double kBentKnee = 0.03;                 // [m] of the knee before the line from hip to ankle
constexpr double kClearSide = 0.3;                 // cosine
constexpr double kMostFrames = 0.6;                // share
constexpr double kLegsAndTrunk = 0.806;            // thigh + shank + trunk per height, of our average human
constexpr double kSmallest = 0.9, kTallest = 2.4;  // [m]
constexpr double kFloorShare = 0.05;               // percentile
constexpr double kFloorLow = -0.15, kFloorHigh = 0.25;  // [m] of the lowest origin of the feet
constexpr double kDrift = 0.10, kDriftTime = 4.0;       // [m], [s]

// names of wrong unit factors
struct WrongUnit {
  double factor;
  const char* name;
};
constexpr std::array<WrongUnit, 6> kWrongUnits{{{0.001, "its lengths fit millimetres"},
                                                {0.01, "its lengths fit centimetres"},
                                                {0.0254, "its lengths fit inches"},
                                                {0.3048, "its lengths fit feet"},
                                                {2.54, "inches may have been read as centimetres"},
                                                {100.0, "metres may have been read as centimetres"}}};

std::optional<double> either(const std::array<std::optional<double>, 2>& sides) {
  return sides[0] ? sides[0] : sides[1];
}

bool placed(const SegmentMotion* segment) {
  return segment != nullptr && segment->has_position && segment->p_WS.allFinite();
}

}  // namespace

ShapeWatch::ShapeWatch(const WatchedSegments& segments)
    : segments_(&segments), lengths_(kLimbs.size()), apart_(kLimbs.size() / 2) {}

void ShapeWatch::add(const WatchedFrame& frame) {
  add_lengths(frame);
  add_side(frame);
  add_joints(frame);
}

void ShapeWatch::add_lengths(const WatchedFrame& frame) {
  for (std::size_t i = 0; i < kLimbs.size(); ++i) {
    const SegmentMotion* from = segments_->find(frame.now, kLimbs[i].from);
    const SegmentMotion* to = segments_->find(frame.now, kLimbs[i].to);
    if (placed(from) && placed(to)) lengths_[i].add((to->p_WS - from->p_WS).norm());
  }
  for (std::size_t i = 0; i < apart_.size(); ++i) {
    const SegmentMotion* right = segments_->find(frame.now, kLimbs[2 * i].from);
    const SegmentMotion* left = segments_->find(frame.now, kLimbs[2 * i + 1].from);
    if (placed(right) && placed(left)) apart_[i].add((left->p_WS - right->p_WS).norm());
  }
  const SegmentMotion* right = segments_->find(frame.now, RightUpperLeg);
  const SegmentMotion* left = segments_->find(frame.now, LeftUpperLeg);
  const SegmentMotion* neck = segments_->find(frame.now, Neck);
  if (placed(right) && placed(left) && placed(neck))
    trunk_.add((neck->p_WS - 0.5 * (right->p_WS + left->p_WS)).norm());
}

// toes and knees point forward, seen along the body from feet to head, however it lies; left must be on the
// left of that
void ShapeWatch::add_side(const WatchedFrame& frame) {
  const auto find = [&](int human) { return segments_->find(frame.now, human); };
  Vector3d forward = Vector3d::Zero(), up = Vector3d::UnitZ();
  const SegmentMotion *neck = find(Neck), *foot = find(RightFoot), *other_foot = find(LeftFoot);
  if (placed(neck) && placed(foot) && placed(other_foot)) {
    const Vector3d body = neck->p_WS - 0.5 * (foot->p_WS + other_foot->p_WS);
    if (body.norm() > kBentKnee) up = body.normalized();
  }
  for (const int leg : {int{RightUpperLeg}, int{LeftUpperLeg}}) {
    const SegmentMotion *hip = find(leg), *knee = find(leg + 1), *ankle = find(leg + 2), *toe = find(leg + 3);
    if (placed(ankle) && placed(toe)) forward += toe->p_WS - ankle->p_WS;
    if (placed(hip) && placed(knee) && placed(ankle)) {
      const Vector3d line = ankle->p_WS - hip->p_WS;
      if (!(line.norm() > 0.0)) continue;
      const Vector3d thigh = knee->p_WS - hip->p_WS;
      const Vector3d bend = thigh - line * (thigh.dot(line) / line.squaredNorm());
      if (bend.norm() > kBentKnee) forward += bend;
    }
  }
  const SegmentMotion *right = find(RightUpperLeg), *left = find(LeftUpperLeg);
  if (!placed(right) || !placed(left)) return;
  const Vector3d side = left->p_WS - right->p_WS;
  forward -= forward.dot(up) * up;
  const double size = forward.norm() * side.norm();
  if (!(forward.norm() > kBentKnee) || !(size > 0.0)) return;
  const double cosine = up.cross(forward).dot(side) / size;
  if (cosine > kClearSide) ++as_named_;
  if (cosine < -kClearSide) exchanged_.add(-cosine, frame.index, frame.now.t);
}

void ShapeWatch::add_joints(const WatchedFrame& frame) {
  for (const int child : kMoving) {
    const SegmentMotion* S = segments_->find(frame.now, child);
    if (S == nullptr || !S->has_orientation) continue;
    // the nearest measured segment before it
    const SegmentMotion* P = nullptr;
    for (int i = kHumanSegmentParent[at(child)]; i >= 0 && (P == nullptr || !P->has_orientation);
         i = kHumanSegmentParent[at(i)])
      P = segments_->find(frame.now, i);
    if (P == nullptr || !P->has_orientation) continue;
    const Eigen::Matrix3d R_PS = P->R_WS.transpose() * S->R_WS;
    Joint& joint = joints_[at(child)];
    if (!joint.seen) joint.R_PS_first = R_PS;
    joint.seen = true;
    joint.range = std::max(joint.range, so3::distance(joint.R_PS_first, R_PS));
    ++joint.frames;
  }
}

LimbLengths ShapeWatch::limbs() const {
  const auto median = [&](std::size_t limb) {
    return std::array{lengths_[limb].percentile(0.5), lengths_[limb + 1].percentile(0.5)};
  };
  return {median(0), median(2), median(4), median(6), median(8), trunk_.percentile(0.5)};
}

void ShapeWatch::report_lengths(std::vector<Finding>& findings) const {
  for (std::size_t i = 0; i < kLimbs.size(); ++i) {
    const auto low = lengths_[i].percentile(0.05), middle = lengths_[i].percentile(0.5),
               high = lengths_[i].percentile(0.95);
    if (!middle || !(*high - *low > std::max(kStretchLength, kStretch * *middle))) continue;
    Finding finding;
    finding.kind = FindingKind::Stretch;
    if (*high - *low > kWildStretch * *middle) finding.severity = Severity::Warning;
    finding.segment = std::string(kHumanSegmentNames[at(kLimbs[i].from)]);
    finding.count = static_cast<std::int64_t>(lengths_[i].count());
    finding.largest = *high - *low;
    finding.text = "the " + std::string(kLimbs[i].name) + " changes its length: " + digits(*low, 3) + " to " +
                   digits(*high, 3) + " m in 90 % of the frames";
    findings.push_back(std::move(finding));
  }
}

void ShapeWatch::report_size(std::vector<Finding>& findings) const {
  for (std::size_t i = 0; i < apart_.size(); ++i) {
    const auto apart = apart_[i].percentile(0.5);
    if (!apart || *apart > kSamePlace) continue;
    Finding finding;
    finding.kind = FindingKind::Proportions;
    finding.severity = Severity::Error;
    finding.segment = std::string(kHumanSegmentNames[at(kLimbs[2 * i].from)]);
    finding.text = finding.segment + " and " + std::string(kHumanSegmentNames[at(kLimbs[2 * i + 1].from)]) +
                   " are at the same place; one joint may be used for both";
    findings.push_back(std::move(finding));
  }
  const LimbLengths body = limbs();
  const auto thigh = either(body.thigh), shank = either(body.shank), upper_arm = either(body.upper_arm),
             forearm = either(body.forearm);
  if (thigh && shank && upper_arm && forearm && *thigh + *shank < *upper_arm + *forearm) {
    Finding finding;
    finding.kind = FindingKind::Proportions;
    finding.severity = Severity::Error;
    finding.largest = (*upper_arm + *forearm) / (*thigh + *shank);
    finding.text = "the arms, " + digits(*upper_arm + *forearm, 3) + " m, are longer than the legs, " +
                   digits(*thigh + *shank, 3) + " m; they may be swapped";
    findings.push_back(std::move(finding));
  }
  if (!thigh || !shank || !body.trunk) return;
  const double height = (*thigh + *shank + *body.trunk) / kLegsAndTrunk;
  if (height > kSmallest && height < kTallest) return;
  Finding finding;
  finding.kind = FindingKind::Unit;
  finding.severity = Severity::Error;
  finding.largest = height;
  finding.text = "the person is " + digits(height, 3) + " m tall by legs and trunk";
  for (const WrongUnit& unit : kWrongUnits) {
    if (height * unit.factor > 1.4 && height * unit.factor < 2.1)
      finding.text += std::string(": ") + unit.name;
  }
  findings.push_back(std::move(finding));
}

void ShapeWatch::report(std::vector<Finding>& findings, bool motionless) const {
  const std::int64_t judged = as_named_ + exchanged_.count;
  const double share = judged > 0 ? static_cast<double>(exchanged_.count) / static_cast<double>(judged) : 0.0;
  if (share > kMostFrames) {
    findings.push_back(exchanged_.finding(
        FindingKind::LeftRightSwap, Severity::Error, "",
        "the left leg is on the right side in " + digits(100.0 * share, 3) +
            " % of the frames, by feet and knees: left and right are swapped, or the recording is mirrored"));
  }
  report_lengths(findings);
  report_size(findings);
  if (motionless) return;
  Finding constant;
  constant.kind = FindingKind::Constant;
  int joints = 0;
  for (const int child : kMoving) {
    const Joint& joint = joints_[at(child)];
    if (joint.frames < kEnoughFrames || joint.range > kStill) continue;
    constant.segment += (joints++ == 0 ? "" : ", ") + std::string(kHumanSegmentNames[at(child)]);
    constant.count = std::max(constant.count, joint.frames);
    constant.largest = std::max(constant.largest, joint.range);
  }
  if (joints == 0) return;
  constant.text = constant.segment + (joints == 1 ? " never turns against the segment before it"
                                                  : " never turn against the segments before them");
  findings.push_back(std::move(constant));
}

void FloorWatch::add(const WatchedFrame& frame) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const int i : {int{RightFoot}, int{RightToe}, int{LeftFoot}, int{LeftToe}}) {
    const SegmentMotion* S = segments_->find(frame.now, i);
    if (placed(S)) lowest = std::min(lowest, S->p_WS.z());
  }
  if (std::isfinite(lowest)) {
    lowest_.push_back(lowest);
    stamps_.push_back(frame.now.t);
  }
  const SegmentMotion* pelvis = segments_->find(frame.now, Pelvis);
  if (!placed(pelvis)) return;
  const Eigen::Vector2d p = pelvis->p_WS.head<2>();
  smallest_ = has_box_ ? Eigen::Vector2d(smallest_.cwiseMin(p)) : p;
  largest_ = has_box_ ? Eigen::Vector2d(largest_.cwiseMax(p)) : p;
  has_box_ = true;
}

std::optional<double> FloorWatch::floor() const {
  if (lowest_.empty()) return std::nullopt;
  return quantile(lowest_, kFloorShare);
}

std::optional<double> FloorWatch::travel() const {
  if (!has_box_) return std::nullopt;
  return (largest_ - smallest_).norm();
}

void FloorWatch::report(std::vector<Finding>& findings) const {
  const auto level = floor();
  if (!level) return;
  Finding finding;
  finding.count = static_cast<std::int64_t>(lowest_.size());
  if (*level < kFloorLow || *level > kFloorHigh) {
    finding.kind = FindingKind::Floor;
    finding.largest = *level;
    finding.text = "the feet are at z = " + digits(*level, 2) + " m, not on the floor at 0";
    findings.push_back(finding);
  }
  if (to_seconds(stamps_.back()) - to_seconds(stamps_.front()) < kDriftTime || lowest_.size() < 8) return;
  const auto quarter = static_cast<std::ptrdiff_t>(lowest_.size() / 4);
  const double first = quantile({lowest_.begin(), lowest_.begin() + quarter}, kFloorShare);
  const double last = quantile({lowest_.end() - quarter, lowest_.end()}, kFloorShare);
  if (std::abs(last - first) > kDrift) {
    finding.kind = FindingKind::Drift;
    finding.largest = last - first;
    finding.text = "the lowest level of the feet changes from " + digits(first, 2) + " to " +
                   digits(last, 2) + " m between the first and the last quarter: drift, or stairs";
    findings.push_back(std::move(finding));
  }
}

}  // namespace panto
