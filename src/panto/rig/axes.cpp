#include "panto/rig/axes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::rig {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// shares of the body height (formats, section 6.6): thigh and shank; the same with the trunk from hips to
// shoulders
constexpr double kLegShare = 0.525;
constexpr double kLegAndTrunkShare = 0.815;
constexpr double kAssumedHeight = 1.75;  // [m] body height assumed if the file has no usual unit

constexpr double kLikely = 0.5;  // least confidence of a unit that is not metric

constexpr double kCmuUnit = 0.0254 / 0.45;  // [m]

struct UsualUnit {
  double unit;  // [m]
  const char* name;
  double confidence;  // that a file has this unit, given that it results in an adult's height
  bool metric;        // a child or a giant is believed; else an adult in an unknown unit is likelier
};
constexpr std::array<UsualUnit, 6> kUnits{
    {{1.0, "metres", 0.97, true},
     {0.01, "centimetres", 0.97, true},
     {0.001, "millimetres", 0.9, true},
     {0.0254, "inches", 0.85, false},
     {kCmuUnit, "inches / 0.45, the unit of the CMU collection", 0.85, false},
     {0.3048, "feet", 0.7, false}}};

// 1 for most adults' heights, under 0.5 where a child, a giant or another unit is as likely
double adult(double height) {
  if (height < 1.0 || height > 2.3) return 0.0;
  if (height < 1.45 || height > 2.02) return 0.4;
  if (height < 1.55) return 0.6 + 0.4 * (height - 1.45) / 0.10;
  return height <= 1.95 ? 1.0 : 0.6 + 0.4 * (2.02 - height) / 0.07;
}

// the body's own axes in one frame, if side 0 were the left one
struct OwnAxes {
  Vector3d up, forward_hips, forward_shoulders;
};

OwnAxes own_axes(const Tree& tree, const Body& body, int f) {
  OwnAxes own;
  own.up = (mid_point(tree, body.arm, f) - mid_point(tree, body.leg, f)).normalized();
  const auto forward = [&](const std::array<Limb, 2>& limbs) -> Vector3d {
    return (tree.p(limbs[0].root, f) - tree.p(limbs[1].root, f)).cross(own.up).normalized();
  };
  own.forward_hips = forward(body.leg);
  own.forward_shoulders = forward(body.arm);
  return own;
}

// distance of the middle joint from the line between the limb's ends, over the limb's length
Vector3d bend(const Tree& tree, const Limb& limb, int f) {
  const Vector3d& root = tree.p(limb.root, f);
  const Vector3d& middle = tree.p(limb.middle, f);
  const Vector3d& end = tree.p(limb.end, f);
  const Vector3d line = (end - root).normalized();
  const Vector3d off = middle - root - line * line.dot(middle - root);
  const double length = (middle - root).norm() + (end - middle).norm();
  return length > 0.0 ? Vector3d(off / length) : Vector3d::Zero();
}

// One piece of evidence: its mean, and the log odds it gives for side 0 being left.
struct Cue {
  const char* what;
  double value = 0.0;
  double odds = 0.0;
  bool seen = false;
};

double clamped(double x) { return std::clamp(x, -1.0, 1.0); }

// forward direction of the shank: rotated with thigh and shank by the smallest rotations from hanging
// straight down
Vector3d shank_forward(const Tree& tree, const Limb& leg, const OwnAxes& own, int f) {
  const Vector3d thigh = (tree.p(leg.middle, f) - tree.p(leg.root, f)).normalized();
  const Vector3d shank = (tree.p(leg.end, f) - tree.p(leg.middle, f)).normalized();
  return least_turn(thigh, shank) * (least_turn(-own.up, thigh) * own.forward_hips);
}

Cue feet_point(const Tree& tree, const Body& body) {
  Cue cue{"feet"};
  int count = 0;
  for (int f = 0; f < tree.frame_count(); ++f) {
    const OwnAxes own = own_axes(tree, body, f);
    for (const Limb& leg : body.leg) {
      if (leg.ahead < 0) continue;
      const Vector3d foot = (tree.p(leg.ahead, f) - tree.p(leg.end, f)).normalized();
      cue.value += foot.dot(shank_forward(tree, leg, own, f));
      ++count;
    }
  }
  cue.seen = count > 0;
  cue.value /= std::max(1, count);
  cue.odds = cue.seen ? 8.0 * clamped(cue.value / 0.6) : 0.0;
  return cue;
}

Cue limbs_bend(const Tree& tree, const Body& body, bool legs) {
  Cue cue{legs ? "knees" : "elbows"};
  for (int f = 0; f < tree.frame_count(); ++f) {
    const OwnAxes own = own_axes(tree, body, f);
    for (const Limb& limb : legs ? body.leg : body.arm) {
      cue.value += 0.5 * bend(tree, limb, f).dot(legs ? own.forward_hips : own.forward_shoulders);
    }
  }
  cue.value /= tree.frame_count();
  cue.seen = std::abs(cue.value) > 0.005;
  // knees point forward, elbows backward; elbows are less reliable
  cue.odds = (legs ? 5.0 : -2.5) * clamped(cue.value / 0.05);
  return cue;
}

Cue person_travels(const Tree& tree, const Body& body) {
  Cue cue{"travel"};
  double ahead = 0.0, distance = 0.0;
  for (int f = 1; f < tree.frame_count(); ++f) {
    const Vector3d step = mid_point(tree, body.leg, f) - mid_point(tree, body.leg, f - 1);
    ahead += step.dot(own_axes(tree, body, f).forward_hips);
    distance += step.norm();
  }
  const double duration = tree.time(tree.frame_count() - 1) - tree.time(0);
  // faster than 0.4 leg lengths per second
  cue.seen = distance > 0.4 * duration * leg_length(tree, body) && duration > 0.0;
  cue.value = cue.seen ? ahead / distance : 0.0;
  cue.odds = 2.0 * clamped(cue.value / 0.7);
  return cue;
}

// eyes, jaws and noses lie in front of the head joint
Cue face_looks(const Tree& tree, const Body& body) {
  Cue cue{"face"};
  int count = 0;
  for (int point = 0; point < tree.point_count(); ++point) {
    if (point == body.head || tree.is_tip(point) || !tree.is_below(tree.owner(point), body.head)) continue;
    for (int f = 0; f < tree.frame_count(); ++f) {
      cue.value += (tree.p(point, f) - tree.p(body.head, f)).dot(own_axes(tree, body, f).forward_shoulders);
    }
    ++count;
  }
  const double size = count * tree.frame_count() * leg_length(tree, body);
  cue.seen = size > 0.0;
  cue.value = cue.seen ? cue.value / size : 0.0;
  cue.odds = cue.seen ? clamped(cue.value / 0.05) : 0.0;
  return cue;
}

std::string describe(const Cue& cue) {
  return std::string(cue.what) + (cue.odds < 0.0 ? " " : " +") + decimals(cue.odds, 1);
}

}  // namespace

std::string to_string(FileAxis axis) {
  return std::string(axis.negative ? "-" : "") + static_cast<char>('x' + axis.axis);
}

FileAxis parse_file_axis(const std::string& text) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool negative : {false, true}) {
      if (to_string(FileAxis{axis, negative}) == text) return {axis, negative};
    }
  }
  throw ConfigError("unknown up axis '" + text + "': choose x, y, z, -x, -y or -z");
}

FileAxis nearest_axis(const Vector3d& direction) noexcept {
  int axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  return {axis, direction[axis] < 0.0};
}

Matrix3d world_from_file(FileAxis up) noexcept {
  Matrix3d R = Matrix3d::Zero();
  for (int row = 0; row < 3; ++row) R(row, (row + up.axis + 1) % 3) = 1.0;
  if (up.negative) R.bottomRows<2>() *= -1.0;
  return R;
}

double stature(const Tree& tree, const Body& body) {
  double trunk = 0.0;
  for (int f = 0; f < tree.frame_count(); ++f) {
    trunk += (mid_point(tree, body.arm, f) - mid_point(tree, body.leg, f)).norm() / tree.frame_count();
  }
  const double leg = leg_length(tree, body);
  return std::max(leg / kLegShare, (leg + trunk) / kLegAndTrunkShare);
}

UnitReading read_unit(double stature, bool cmu_names) {
  UnitReading best;
  for (const UsualUnit& usual : kUnits) {
    const double height = stature * usual.unit;
    const bool of_cmu = usual.unit == kCmuUnit;
    const double confidence = (of_cmu && !cmu_names ? 0.5 : 1.0) * usual.confidence * adult(height);
    if (!usual.metric && confidence < kLikely) continue;
    if (confidence > best.confidence) best = {usual.unit, usual.name, height, confidence};
  }
  if (best.confidence > 0.0) return best;
  return {kAssumedHeight / stature, "", kAssumedHeight, 0.2};
}

SideReading read_sides(const Tree& tree, const Body& body) {
  const std::array<Cue, 5> cues{feet_point(tree, body), limbs_bend(tree, body, true),
                                limbs_bend(tree, body, false), person_travels(tree, body),
                                face_looks(tree, body)};
  double odds = 0.0;
  for (const Cue& cue : cues) odds += cue.odds;
  SideReading sides;
  sides.left = odds >= 0.0 ? 0 : 1;
  sides.confidence = tanh(0.5 * std::abs(odds));
  for (Cue cue : cues) {
    if (!cue.seen) continue;
    if (sides.left == 1) cue.odds = -cue.odds;
    sides.reason += (sides.reason.empty() ? "" : ", ") + describe(cue);
  }
  sides.reason =
      sides.reason.empty() ? "feet, knees, elbows and travel give no evidence" : sides.reason + " (log odds)";
  sides.forward.setZero();
  for (int f = 0; f < tree.frame_count(); ++f) {
    sides.forward += own_axes(tree, body, f).forward_hips * (sides.left == 0 ? 1.0 : -1.0);
  }
  return sides;
}

}  // namespace panto::rig
