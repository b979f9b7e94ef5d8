// Constants of a keypoint clip: rotations from point frames to segment frames; sizes.cpp finds the
// person's sizes.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/keypoints/keypoints.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::keypoints {
namespace {

using enum HumanSegment::Index;
using enum Landmark::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kMostTrunk = 25.0 * kDegree;  // largest constant tilt of pelvis or chest markers
constexpr double kMostHead = 70.0 * kDegree;   // from the nose up to the eyes
constexpr double kFootPitch = 24.4 * kDegree;  // from the ankle down to the ball in `scaled_subject`
constexpr double kFloor = 0.03;                // [m] a foot in stance is this close to its lowest height
constexpr double kStill = 0.15;                // [m/s] and rises no faster
constexpr double kMostSpread = 0.2;            // median deviation of a bone's length; noise exceeds .25
constexpr double kMostUneven = 1.6;  // length ratio between both sides; noise of a single frame reaches 2
constexpr double kOwnHips = 0.005;   // [m] our pelvis is between its hips; that of other skeletons is above

// rotation about y that brings z onto `up`, projected onto the x-z plane; NaN results in no rotation
Matrix3d pitch_towards(const std::vector<Vector3d>& up, double most) {
  std::vector<double> angles;
  angles.reserve(up.size());
  for (const Vector3d& v : up) angles.push_back(atan2(v.x(), v.z()) + 0.0 * v.sum());
  const double angle = median(std::move(angles));
  if (!std::isfinite(angle)) return Matrix3d::Identity();
  return so3::about_axis(1, std::clamp(angle, -most, most));
}

}  // namespace

KeypointBody::KeypointBody(KeypointClip clip, const rig::Hints& hints)
    : clip_(std::move(clip)), points_(clip_, hints), subject_(scaled_subject(points_.height())) {
  foot_turn_.fill(Matrix3d::Identity());
  for (const int side : {0, 1}) collar_in_chest_[at(side)].setConstant(no_point()[0]);
  check_limbs();
  find_given();
  find_spine();
  calibrate();
  measure_subject();
  find_measured();
  describe();
}

// The bones of one person have constant lengths and equal ones on both sides; noise and wrongly named points
// do not.
void KeypointBody::check_limbs() const {
  std::vector<double> spreads, ratios;
  for (const bool lower : {false, true}) {
    for (const std::size_t pair : {std::size_t{0}, std::size_t{2}}) {
      std::array<double, 2> length{};
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const Limb& limb = kLimbs[pair + side];
        const int from = sided(lower ? limb.middle : limb.root, limb.side);
        const int to = sided(lower ? limb.end : limb.middle, limb.side);
        std::vector<double> lengths;
        BodyPoints points;
        for (const int frame : points_.sampled()) {
          points_.points(frame, points);
          lengths.push_back((points[at(to)] - points[at(from)]).norm());
        }
        length[side] = median(lengths);
        for (double& l : lengths) l = std::abs(l / length[side] - 1.0);
        spreads.push_back(median(lengths));
      }
      ratios.push_back(std::max(length[0], length[1]) / std::min(length[0], length[1]));
    }
  }
  const double spread = median(spreads), ratio = median(ratios);
  if (spread > kMostSpread)
    throw FormatError(clip_.name + ": the lengths of arms and legs vary by " + decimals(100.0 * spread, 0) +
                      " % between frames (median); check that all points belong to one person");
  if (ratio > kMostUneven)
    throw FormatError(clip_.name + ": arms and legs are " + decimals(ratio, 1) +
                      " times as long on one side as on the other (median); check the names");
}

// Finds the spine joints that give pelvis and chest their directions: the nearest at a different place
// (skeletons begin and end the spine at the hips and the neck).
void KeypointBody::find_spine() {
  const auto distance = [&](Landmark::Index a, Landmark::Index b) {
    return median(over_clip([&](int, const BodyPoints& points, const Frames&) -> double {
      return (points[at(a)] - points[at(b)]).norm();
    }));
  };
  const auto first_off = [&](Landmark::Index end, std::initializer_list<Landmark::Index> order,
                             Landmark::Index otherwise) {
    for (const Landmark::Index landmark : order) {
      if (has(landmark) && distance(end, landmark) > kSamePlace * points_.height()) return landmark;
    }
    return otherwise;
  };
  low_spine_ = first_off(HipsMiddle, {SpineLow, SpineMiddle, SpineHigh, SpineTop}, NeckBase);
  high_spine_ = first_off(NeckBase, {SpineTop, SpineHigh, SpineMiddle, SpineLow}, HipsMiddle);

  own_segments_ = family() == "human segments";
  const double off_hips = median(over_clip([](int, const BodyPoints& points, const Frames&) -> double {
    return (points[HipsMiddle] - 0.5 * (points[at(sided(HipJoint, 0))] + points[at(sided(HipJoint, 1))]))
        .norm();
  }));
  own_body_ = own_segments_ && !(off_hips > kOwnHips);
  high_hips_ = own_segments_ && off_hips > kSamePlace * points_.height();
}

// orientations that the file gives, by the segment that moves with the point
void KeypointBody::find_given() {
  given_.fill(-1);
  if (clip_.orientations.empty()) return;
  static constexpr std::array<std::pair<Landmark::Index, int>, 8> central{{{HipsMiddle, Pelvis},
                                                                           {SpineLow, L5},
                                                                           {SpineMiddle, L3},
                                                                           {SpineHigh, T12},
                                                                           {SpineTop, T8},
                                                                           {NeckBase, Neck},
                                                                           {HeadJoint, Head},
                                                                           {HeadTop, Head}}};
  static constexpr std::array<std::pair<Landmark::Index, int>, 9> right{{{CollarJoint, RightShoulder},
                                                                         {ShoulderJoint, RightUpperArm},
                                                                         {ElbowJoint, RightForeArm},
                                                                         {WristJoint, RightHand},
                                                                         {HandPoint, RightHand},
                                                                         {HipJoint, RightUpperLeg},
                                                                         {KneeJoint, RightLowerLeg},
                                                                         {AnkleJoint, RightFoot},
                                                                         {BallPoint, RightToe}}};
  const auto give = [&](int segment, int point) {
    const bool any = std::any_of(points_.sampled().begin(), points_.sampled().end(),
                                 [&](int k) { return clip_.orientation(k, point).allFinite(); });
    if (any && given_[at(segment)] < 0) given_[at(segment)] = point;
  };
  for (int j = 0; j < clip_.points(); ++j) {
    const int landmark = points_.names().landmark[at(j)];
    for (const auto& [meaning, segment] : central) {
      if (landmark == meaning) give(segment, j);
    }
    for (const auto& [meaning, segment] : right) {
      if (landmark == sided(meaning, 0)) give(segment, j);
      const int left = segment >= RightUpperLeg ? segment - RightUpperLeg + LeftUpperLeg
                                                : segment - RightShoulder + LeftShoulder;
      if (landmark == sided(meaning, 1)) give(left, j);
    }
  }
}

// ---- constant rotations -----------------------------------------------------------------------------------

void KeypointBody::calibrate() {
  // bodies with our own segments already have our frames
  if (!own_body_) calibrate_trunk();
  // the shoulder girdle rotates about a point beside the neck, at shoulder height
  const double beside = 0.0171 * points_.height();
  Vector3d shoulder[2];
  for (const int side : {0, 1}) {
    shoulder[side] = median(over_clip([&](int, const BodyPoints& points, const Frames& R) -> Vector3d {
      return R[T8].transpose() * (points[at(sided(ShoulderJoint, side))] - points[NeckBase]);
    }));
  }
  const Vector3d both = 0.5 * (shoulder[0] + mirrored(shoulder[1]));
  collar_in_chest_ = {Vector3d(both.x(), -beside, both.z()), Vector3d(both.x(), beside, both.z())};
  if (!own_body_) calibrate_head();
  for (const int side : {0, 1}) {
    calibrate_foot(side);
    calibrate_wrist(side);
  }
}

// Some sets name "medial" and "lateral" with the palms forward, others for the working hand. In the median,
// no forearm turns by more than a right angle from the middle of its range.
void KeypointBody::calibrate_wrist(int side) {
  if (!has(sided(WristRadialMarker, side)) || !has(sided(WristUlnarMarker, side))) return;
  const int arm = side == 0 ? RightUpperArm : LeftUpperArm, forearm = arm + 1;
  const Vector3d hinge = median(over_clip([=](int, const BodyPoints&, const Frames& R) -> Vector3d {
    return R[at(forearm)].transpose() * R[at(arm)].col(2);
  }));
  if (!(hinge.z() < 0.0)) return;
  thumb_side_[at(side)] = -1.0;
  notes_.push_back(std::string("the markers of the ") + (side == 0 ? "right" : "left") +
                   " wrist are swapped: as named, they turn the forearm out of its range");
}

// In the median, the trunk is straight on the pelvis and the chest is in line with it: removes the constant
// tilt of markers and of other skeletons' spines.
void KeypointBody::calibrate_trunk() {
  if (!has(HipsMiddle)) return;
  const auto trunk_in = [&](int segment) {
    return over_clip([segment](int, const BodyPoints& points, const Frames& R) -> Vector3d {
      return R[at(segment)].transpose() * (points[NeckBase] - points[HipsMiddle]);
    });
  };
  const auto pelvis = trunk_in(Pelvis), chest = trunk_in(T8);
  if (!points_.neutral_pelvis()) pelvis_turn_ = pitch_towards(pelvis, kMostTrunk);
  chest_turn_ = pitch_towards(chest, kMostTrunk);
}

// In the median, the head looks straight ahead: level if the trunk is upright, else along the chest.
void KeypointBody::calibrate_head() {
  const Vector3d trunk =
      median(over_clip([](int, const BodyPoints&, const Frames& R) -> Vector3d { return R[T8].col(2); }));
  const bool upright = trunk.z() > 0.85;
  head_turn_ = pitch_towards(over_clip([upright](int, const BodyPoints&, const Frames& R) -> Vector3d {
                               return R[Head].transpose() *
                                      (upright ? Vector3d(Vector3d::UnitZ()) : Vector3d(R[T8].col(2)));
                             }),
                             kMostHead);
  neck_turn_ = pitch_towards(over_clip([](int, const BodyPoints&, const Frames& R) -> Vector3d {
                               return R[Neck].transpose() * R[T8].col(2);
                             }),
                             kMostHead);
}

// Feet in stance are level: the constant rotation is that of the sole while heel and toes are down and still.
void KeypointBody::calibrate_foot(int side) {
  const int frames_count = clip_.frames();
  const bool heel = has(sided(HeelPoint, side));
  const int rear = heel ? sided(HeelPoint, side) : sided(AnkleJoint, side);
  std::vector<double> rear_height(at(frames_count)), toe_height(at(frames_count));
  std::vector<Vector3d> up(at(frames_count));
  BodyPoints points;
  for (int k = 0; k < frames_count; ++k) {
    points_.points(k, points);
    rear_height[at(k)] = points[at(rear)].z();
    toe_height[at(k)] = toes(side, points).z();
    up[at(k)] = raw_foot(side, points).row(2).transpose();
  }
  const auto lowest = [](std::vector<double> heights) {
    std::erase_if(heights, [](double h) { return !std::isfinite(h); });
    if (heights.empty()) return no_point()[0];
    std::sort(heights.begin(), heights.end());
    return heights[heights.size() / 20];
  };
  const double rear_floor = lowest(rear_height), toe_floor = lowest(toe_height);
  std::vector<Vector3d> standing;
  for (int k = 0; k < frames_count; ++k) {
    const int before = std::max(0, k - 1), after = std::min(frames_count - 1, k + 1);
    const double dt = to_seconds(clip_.times[at(after)] - clip_.times[at(before)]);
    const auto still = [&](const std::vector<double>& h) {
      return dt <= 0.0 || std::abs(h[at(after)] - h[at(before)]) < kStill * dt;
    };
    const bool down = rear_height[at(k)] < rear_floor + kFloor && toe_height[at(k)] < toe_floor + kFloor;
    if (down && still(rear_height) && still(toe_height)) standing.push_back(up[at(k)]);
  }
  // without stance frames, use the average foot: flat from heel to toes, or down from the ankle to the ball
  const Vector3d usual = heel ? Vector3d::UnitZ() : Vector3d(so3::about_axis(1, -kFootPitch).col(2));
  Vector3d sole = median(standing);
  if (!heel) sole.y() = 0.0;  // an inclined shank does not tilt the sole
  if (!(sole.normalized().dot(usual) > sincos(30.0 * kDegree).cos)) {
    sole = usual;
    if (has(sided(AnkleJoint, side)))
      notes_.push_back(std::string("the ") + (side == 0 ? "right" : "left") +
                       " foot is never flat on the floor: the average foot's sole is used");
  }
  foot_turn_[at(side)] = frame_along(2, sole, 0, Vector3d::UnitX());
}

// ---- notes ------------------------------------------------------------------------------------------------

void KeypointBody::find_measured() {
  std::array<int, kHumanSegmentCount> seen{};
  for (const Frames& R : over_clip([](int, const BodyPoints&, const Frames& frames) { return frames; })) {
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += R[i].allFinite() ? 1 : 0;
  }
  int count = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    measured_[i] = seen[i] > 0 && 20 * seen[i] >= static_cast<int>(points_.sampled().size());
    count += measured_[i] ? 1 : 0;
  }
  const bool limb = measured_[RightUpperArm] || measured_[LeftUpperArm] || measured_[RightUpperLeg] ||
                    measured_[LeftUpperLeg];
  if (count == 0 || !limb) {
    throw FormatError(
        clip_.name + ": no human limb has all its points; known by name are " +
        std::to_string(std::count_if(points_.names().landmark.begin(), points_.names().landmark.end(),
                                     [](int landmark) { return landmark >= 0; })) +
        " of " + std::to_string(clip_.points()) + ". " + missing_joints());
  }
}

// "The right leg lacks the hip; ...", of limbs with some of their joints
std::string KeypointBody::missing_joints() const {
  std::string text;
  for (const Limb& limb : kLimbs) {
    std::string lacking;
    int known = 0;
    for (const Landmark::Index joint : {limb.root, limb.middle, limb.end}) {
      if (has(sided(joint, limb.side))) {
        ++known;
      } else {
        lacking += (lacking.empty() ? "" : " and ") + landmark_name(joint).substr(6);  // without "right "
      }
    }
    if (known == 0 || lacking.empty()) continue;
    text += (text.empty() ? "The " : "; the ") + std::string(limb.side == 0 ? "right " : "left ") +
            (limb.leg ? "leg" : "arm") + " lacks " + lacking;
  }
  if (text.empty()) return "An arm needs shoulder, elbow and wrist, a leg hip, knee and ankle";
  return text + ". For the hips give both joint centres, or both ASIS with the sacrum or both PSIS";
}

// The parts of the body that no segment of the clip measures, in words; both sides as one.
std::string KeypointBody::missing_parts() const {
  struct Part {
    std::string_view one, both;
    int right, left, last;  // segments: of the right, of the left, and how many more; left -1 for the middle
  };
  static constexpr std::array<Part, 10> parts{{{"pelvis", "", Pelvis, -1, 0},
                                               {"trunk", "", L5, -1, 3},
                                               {"neck and head", "", Neck, -1, 1},
                                               {"shoulder", "shoulders", RightShoulder, LeftShoulder, 0},
                                               {"arm", "arms", RightUpperArm, LeftUpperArm, 1},
                                               {"hand", "hands", RightHand, LeftHand, 0},
                                               {"thigh", "thighs", RightUpperLeg, LeftUpperLeg, 0},
                                               {"shank", "shanks", RightLowerLeg, LeftLowerLeg, 0},
                                               {"foot", "feet", RightFoot, LeftFoot, 0},
                                               {"toes", "toes", RightToe, LeftToe, 0}}};
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  const auto lost = [&](int first, int more) {
    bool any = false;
    for (int i = first; i <= first + more; ++i) any = any || !measured_[at(i)];
    return any;
  };
  for (const Part& part : parts) {
    const bool right = lost(part.right, part.last), left = part.left >= 0 && lost(part.left, part.last);
    if (part.left < 0) {
      if (right) add(std::string(part.one));
    } else if (right && left) {
      add("both " + std::string(part.both));
    } else if (right || left) {
      add((right ? "right " : "left ") + std::string(part.one));
    }
  }
  return text;
}

void KeypointBody::describe() {
  std::string left_out;
  int mapped = 0;
  for (int j = 0; j < clip_.points(); ++j) {
    if (points_.names().landmark[at(j)] >= 0) {
      ++mapped;
    } else {
      left_out += (left_out.empty() ? "" : ", ") + clip_.names[at(j)];
    }
  }
  notes_.insert(notes_.begin(), points_.notes().begin(), points_.notes().end());
  notes_.insert(notes_.begin(), "keypoints (" + family() + "): " + std::to_string(mapped) + " of " +
                                    std::to_string(clip_.points()) + " points are known by name" +
                                    (left_out.empty() ? "" : "; ignored: " + left_out));
  if (!has(HipsMiddle))
    notes_.emplace_back(
        given_[Pelvis] < 0 && given_[T8] < 0
            ? "no hip points: the trunk is assumed upright"
            : "no hip points: trunk segments without an orientation in the file are assumed upright");
  if (has(HipsMiddle) && !has(NeckBase) && !points_.has_pelvis() && given_[Pelvis] < 0)
    notes_.emplace_back("no points above the hips: the pelvis is assumed upright");
  if (const std::string missing = missing_parts(); !missing.empty())
    notes_.push_back("not measured: " + missing + "; they are left free");
}

}  // namespace panto::keypoints
