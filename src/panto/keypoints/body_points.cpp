#include "panto/keypoints/body_points.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/keypoints/limb_twist.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::keypoints {
namespace {

using enum Landmark::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kSampled = 300;          // frames used to judge a clip
constexpr double kOftenEnough = 0.05;  // share of frames in which a point must be seen to count as known
constexpr double kFarthestHeadJoint = 0.11;  // share of the body height, from the base of the neck; a head
                                             // joint is at .052 on average, the crown at .155
constexpr int kHingeRounds = 5;  // iterations over hinges and joints; each leaves about 1/4 of the error

// Half the breadth of an adult's joint as a share of the body height (elbow 7, knee 10, ankle 7 cm at 1.75
// m), and half a 14 mm marker on a 2 mm plate: the distance from a lateral marker to the joint centre.
// Legs alone do not tell the height well: where the front spines of the pelvis are known, the knee is .42 of
// their distance (9.9 of 23.5 cm). We found no published value: .42 is what fits one adult of known size, and
// another adult's knee may be 1 cm off.
constexpr double kHalfElbow = 0.020, kHalfKnee = 0.0285, kHalfAnkle = 0.020, kMarkerRadius = 0.009;
constexpr double kKneeOfPelvis = 0.211;

constexpr double kShortestWand = 0.02;  // [m] thigh markers nearer to the thigh's line show no direction
constexpr double kBends = 0.26;         // sine of 15 deg: a clip of straighter legs has planes of noise
constexpr double kTurnedFar = 0.5;      // cosine of 60 deg: hips turn by 45 at most
constexpr double kLeastBend = 2.5;      // sum of squared sines of the knee: ten frames at 30 deg

// The shoulder joint lies below the acromion by 17 % of the distance between both acromia [Rab, Petuskey,
// Bagley, Gait and Posture 15 (2002) 113-119].
constexpr double kShoulderDrop = 0.17;

double off(double half, double height) { return half * height + kMarkerRadius; }

// inwards from a lateral marker: along the y axis of a right leg, against that of a left leg
double inwards(int side) { return side == 0 ? 1.0 : -1.0; }

}  // namespace

BodyPointFinder::BodyPointFinder(const KeypointClip& clip, const rig::Hints& hints) : clip_(&clip) {
  const int step = std::max(1, clip.frames() / kSampled);
  for (int k = 0; k < clip.frames(); k += step) sampled_.push_back(k);
  for (auto& hinge : hinges_) hinge.assign(at(clip.frames()), no_point());
  find_names();
  find_up(hints);
  find_unit(hints);
  find_clusters();
  for (const int side : {0, 1}) find_functional_joints(side);
  place_pelvis();
  for (int round = 0; round < kHingeRounds; ++round) find_hinges();
  set_height(estimated_height());
  tell_head_from_crown();
  count_points();
}

bool BodyPointFinder::named(int landmark) const noexcept { return point_of_[at(landmark)] >= 0; }

void BodyPointFinder::find_names() {
  names_ = read_landmark_names(clip_->names);
  point_of_.fill(-1);
  const auto is_seen = [&](int j) {
    return std::any_of(sampled_.begin(), sampled_.end(),
                       [&](int k) { return clip_->position(k, j).allFinite(); });
  };
  bool any = false;
  for (int j = 0; j < clip_->points() && !any; ++j) any = is_seen(j);
  if (!any)
    throw FormatError(clip_->name + ": none of the " + counted(clip_->points(), "point") +
                      " is visible in any frame: all positions are missing, NaN, zero or of confidence 0");
  for (int j = 0; j < clip_->points(); ++j) {
    int& landmark = names_.landmark[at(j)];
    if (landmark < 0) continue;
    const auto seen = std::count_if(sampled_.begin(), sampled_.end(),
                                    [&](int k) { return clip_->position(k, j).allFinite(); });
    const bool often = static_cast<double>(seen) >= kOftenEnough * static_cast<double>(sampled_.size());
    if (often && seen > 0) point_of_[at(landmark)] = j;
  }
}

// "head" is the joint on the neck in some sets and the crown in others; the distance decides. Our landmark is
// the joint, however long the neck.
void BodyPointFinder::tell_head_from_crown() {
  if (!named(HeadJoint) || named(HeadTop) || names_.family == "human segments") return;
  BodyPoints points;
  std::vector<double> distance;
  for (const int frame : sampled_) {
    this->points(frame, points);
    distance.push_back((points[HeadJoint] - points[NeckBase]).norm());
  }
  if (!(median(std::move(distance)) > kFarthestHeadJoint * height_)) return;
  const int j = std::exchange(point_of_[HeadJoint], -1);
  names_.landmark[at(j)] = HeadTop;
  point_of_[HeadTop] = j;
}

// ---- points of one frame ----------------------------------------------------------------------------------

void BodyPointFinder::points(int frame, BodyPoints& points) const {
  measured_points(frame, points);
  complete_trunk(frame, points);
  for (const int side : {0, 1}) {
    complete_leg(frame, side, points);
    complete_arm(frame, side, points);
  }
}

void BodyPointFinder::measured_points(int frame, BodyPoints& points) const {
  for (int landmark = 0; landmark < kLandmarkCount; ++landmark) {
    const int j = point_of_[at(landmark)];
    points[at(landmark)] = j < 0 ? no_point() : Vector3d(unit_ * (R_WF_ * clip_->position(frame, j)));
  }
}

void BodyPointFinder::complete_trunk(int frame, BodyPoints& points) const {
  const auto middle = [&](Landmark::Index landmark) -> Vector3d {
    return 0.5 * (points[at(sided(landmark, 0))] + points[at(sided(landmark, 1))]);
  };
  RigidPose pose;
  const auto both = [&](Landmark::Index landmark) {
    return named(sided(landmark, 0)) && named(sided(landmark, 1));
  };
  if (pelvis_markers_ && !both(HipJoint)) {
    const bool there = fit(PelvisCluster, frame, pose);
    for (const int side : {0, 1}) {
      if (named(sided(HipJoint, side))) continue;
      points[at(sided(HipJoint, side))] =
          there ? Vector3d(pose.R * hip_in_pelvis_[at(side)] + pose.p) : no_point();
    }
  }
  const bool hips = both(HipJoint) || pelvis_markers_;
  // the root of other sets lies above the hips; our hips' middle is at our pelvis
  const bool own = named(HipsMiddle) && names_.family == "human segments";
  if (hips && !own) points[HipsMiddle] = middle(HipJoint);

  if (!both(ShoulderJoint) && both(AcromionMarker)) {
    const Vector3d top = middle(AcromionMarker);
    const double breadth =
        (points[at(sided(AcromionMarker, 0))] - points[at(sided(AcromionMarker, 1))]).norm();
    const Vector3d down = (points[HipsMiddle] - top).normalized();
    for (const int side : {0, 1}) {
      if (named(sided(ShoulderJoint, side))) continue;
      points[at(sided(ShoulderJoint, side))] =
          points[at(sided(AcromionMarker, side))] + kShoulderDrop * breadth * down;
    }
  }
  if (!named(NeckBase)) {
    // the disc below C7 lies between its marker and the jugular notch; without these markers, between the
    // shoulders
    const bool ring = named(C7Marker) && named(JugularMarker);
    points[NeckBase] =
        ring ? Vector3d(0.5 * (points[C7Marker] + points[JugularMarker])) : middle(ShoulderJoint);
  }
}

void BodyPointFinder::complete_leg(int frame, int side, BodyPoints& points) const {
  const Vector3d& hinge = hinges_[at(side)][at(frame)];
  const auto point = [&](Landmark::Index landmark) -> Vector3d& { return points[at(sided(landmark, side))]; };
  const auto known = [&](Landmark::Index landmark) { return named(sided(landmark, side)); };
  const double knee_half = pelvis_breadth_ > 0.0 ? kKneeOfPelvis * pelvis_breadth_ / height_ : kHalfKnee;
  const auto from_outside = [&](Landmark::Index outer, double half) -> Vector3d {
    // before the hinges are known, use the marker itself
    const bool ready = hinge.allFinite();
    return ready ? Vector3d(point(outer) + inwards(side) * off(half, height_) * hinge) : point(outer);
  };
  const auto complete = [&](Landmark::Index joint, Landmark::Index outer, Landmark::Index inner, double half,
                            const FunctionalJoint& functional, int cluster) {
    if (known(joint)) return;
    if (known(outer) && known(inner)) {
      point(joint) = 0.5 * (point(outer) + point(inner));
    } else if (known(outer)) {
      point(joint) = from_outside(outer, half);
    } else if (functional.used) {
      point(joint) = functional_point(functional, cluster + side, frame);
    }
  };
  complete(KneeJoint, KneeOuterMarker, KneeInnerMarker, knee_half, knee_[at(side)], ThighCluster);
  complete(AnkleJoint, AnkleOuterMarker, AnkleInnerMarker, kHalfAnkle, ankle_[at(side)], ShankCluster);
}

void BodyPointFinder::complete_arm(int frame, int side, BodyPoints& points) const {
  const Vector3d& hinge = hinges_[at(2 + side)][at(frame)];
  const auto point = [&](Landmark::Index landmark) -> Vector3d& { return points[at(sided(landmark, side))]; };
  const auto known = [&](Landmark::Index landmark) { return named(sided(landmark, side)); };
  if (!known(ElbowJoint) && known(ElbowOuterMarker)) {
    point(ElbowJoint) = point(ElbowOuterMarker);
    if (known(ElbowInnerMarker)) {
      point(ElbowJoint) = 0.5 * (point(ElbowOuterMarker) + point(ElbowInnerMarker));
    } else if (hinge.allFinite()) {
      // in the T-pose with palms down, the lateral epicondyle is on top
      point(ElbowJoint) -= off(kHalfElbow, height_) * hinge;
    }
  }
  if (!known(WristJoint)) {
    const bool both = known(WristRadialMarker) && known(WristUlnarMarker);
    if (both) {
      point(WristJoint) = 0.5 * (point(WristRadialMarker) + point(WristUlnarMarker));
    } else {
      point(WristJoint) = point(known(WristRadialMarker) ? WristRadialMarker : WristUlnarMarker);
    }
  }
  if (!known(HandPoint) && known(IndexPoint) && known(LittlePoint))
    point(HandPoint) = 0.5 * (point(IndexPoint) + point(LittlePoint));
}

bool BodyPointFinder::pelvis(int frame, RigidPose& pose) const {
  RigidPose cluster;
  if (!pelvis_markers_ || !fit(PelvisCluster, frame, cluster)) return false;
  pose.R = cluster.R * pelvis_in_cluster_.R;
  pose.p = cluster.R * pelvis_in_cluster_.p + cluster.p;
  return true;
}

void BodyPointFinder::count_points() {
  std::array<int, kLandmarkCount> seen{};
  BodyPoints points;
  for (const int frame : sampled_) {
    this->points(frame, points);
    for (std::size_t i = 0; i < points.size(); ++i) seen[i] += points[i].allFinite() ? 1 : 0;
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    has_[i] = seen[i] > 0 && seen[i] >= kOftenEnough * static_cast<double>(sampled_.size());
}

// ---- hinges -----------------------------------------------------------------------------------------------

// the axis of a knee or elbow that markers show without any bending; else NaN
Vector3d BodyPointFinder::measured_hinge(int frame, const Limb& limb, const BodyPoints& points) const {
  const auto point = [&](Landmark::Index landmark) { return points[at(sided(landmark, limb.side))]; };
  const auto known = [&](Landmark::Index landmark) { return named(sided(landmark, limb.side)); };
  if (!limb.leg) {
    const bool both = known(ElbowOuterMarker) && known(ElbowInnerMarker);
    return both ? Vector3d(point(ElbowOuterMarker) - point(ElbowInnerMarker)) : no_point();
  }
  if (known(KneeOuterMarker) && known(KneeInnerMarker))
    return inwards(limb.side) * (point(KneeInnerMarker) - point(KneeOuterMarker));
  RigidPose pose;
  const FunctionalJoint& knee = knee_[at(limb.side)];
  if (knee.used) {
    Vector3d axis = Vector3d::Zero();
    if (fit(ThighCluster + limb.side, frame, pose)) axis += pose.R * knee.axis;
    if (fit(ShankCluster + limb.side, frame, pose)) axis += pose.R * knee.axis_below;
    return axis.squaredNorm() > 0.0 ? axis : no_point();
  }
  const std::optional<double>& turn = wand_turn_[at(limb.side)];
  const Vector3d bone =
      (points[at(sided(limb.middle, limb.side))] - points[at(sided(limb.root, limb.side))]).normalized();
  const Vector3d across = wand(frame, limb.side, points);
  if (!turn || !bone.allFinite() || !across.allFinite()) return no_point();
  return so3::exp(*turn * bone) * across;
}

// Where the thigh's markers lie, seen from its bone, or NaN. Only outer knee markers leave its twist open.
Vector3d BodyPointFinder::wand(int frame, int side, const BodyPoints& points) const {
  const std::vector<int>& markers = clusters_[at(ThighCluster + side)].markers;
  const Vector3d &hip = points[at(sided(HipJoint, side))], &knee = points[at(sided(KneeJoint, side))];
  if (markers.empty() || !named(sided(KneeOuterMarker, side))) return no_point();
  Vector3d mean = Vector3d::Zero();
  for (const int j : markers) mean += unit_ * (R_WF_ * clip_->position(frame, j));
  const Vector3d from_knee = mean / static_cast<double>(markers.size()) - knee;
  const Vector3d bone = (knee - hip).normalized();
  const Vector3d across = from_knee - bone * bone.dot(from_knee);
  return across.norm() > kShortestWand ? across : no_point();
}

// A thigh marker shows how the thigh twists, straight or bent, but hardly ever lies exactly in the plane of
// the knee's axis (15 deg off is common). Its constant turn from that axis is the one that agrees best with
// the planes in which the leg bends over the clip; where it hardly bends, or they contradict the line of the
// hips, as no thigh stays turned, with that line.
struct BodyPointFinder::WandTurn {
  struct Turn {
    double sine = 0.0, cosine = 0.0;
    void add(const Vector3d& bone, const Vector3d& across, const Vector3d& axis) {
      sine += bone.dot(across.cross(axis));
      cosine += across.dot(axis);
    }
  };
  Turn planes, hips;
  double bend = 0.0;

  void add(const Vector3d& bone, const Vector3d& wand, const Vector3d& lower, const Vector3d& to_left) {
    const Vector3d across = wand.normalized(), plane = bone.cross(lower.normalized());
    if (!across.allFinite() || !plane.allFinite()) return;
    if (to_left.allFinite()) hips.add(bone, across, to_left.normalized());
    const double bent = plane.norm();
    planes.add(bone, across, bent * plane);
    if (bent > kBends) bend += bent * bent;
  }
  [[nodiscard]] double turn() const {
    const double agree = planes.sine * hips.sine + planes.cosine * hips.cosine;
    const double most = hypot(planes.sine, planes.cosine) * hypot(hips.sine, hips.cosine);
    const Turn& best = bend > kLeastBend && agree >= kTurnedFar * most ? planes : hips;
    return atan2(best.sine, best.cosine);
  }
};

void BodyPointFinder::find_hinges() {
  std::array<std::vector<LimbFrame>, kLimbCount> limbs;
  std::array<WandTurn, 2> wands;
  BodyPoints points;
  for (int frame = 0; frame < clip_->frames(); ++frame) {
    this->points(frame, points);
    const Vector3d hips = points[at(sided(HipJoint, 1))] - points[at(sided(HipJoint, 0))];
    const Vector3d shoulders = points[at(sided(ShoulderJoint, 1))] - points[at(sided(ShoulderJoint, 0))];
    const Vector3d trunk = points[NeckBase] - points[HipsMiddle];
    const Matrix3d R_WT = frame_along(2, trunk, 1, shoulders);
    for (std::size_t i = 0; i < kLimbs.size(); ++i) {
      const Limb& limb = kLimbs[i];
      const Vector3d upper =
          points[at(sided(limb.middle, limb.side))] - points[at(sided(limb.root, limb.side))];
      const Vector3d lower =
          points[at(sided(limb.end, limb.side))] - points[at(sided(limb.middle, limb.side))];
      LimbFrame& now = limbs[i].emplace_back();
      now.bone = upper.normalized();
      if (limb.leg) wands[at(limb.side)].add(now.bone, wand(frame, limb.side, points), lower, hips);
      now.hinge = measured_hinge(frame, limb, points);
      if (now.hinge.allFinite()) {
        now.weight = 1.0;
      } else {
        // knees fold backward, elbows forward: about y, or about z up on both sides, in the T-pose
        const double sign = !limb.leg && limb.side == 1 ? -1.0 : 1.0;
        const Vector3d normal = sign * now.bone.cross(lower.normalized());
        now.hinge = normal;
        now.weight = normal.allFinite() ? normal.squaredNorm() : 0.0;
        now.either_sign = limb.leg;
      }
      // straight legs follow the pelvis; straight arms follow the chest as they would when raised to the
      // T-pose
      const Vector3d arm_T = (limb.side == 0 ? -1.0 : 1.0) * R_WT.col(1);
      now.reference = limb.leg ? hips : Vector3d(least_turn(arm_T, now.bone) * R_WT.col(2));
    }
  }
  for (const std::size_t side : {0U, 1U}) wand_turn_[side] = wands[side].turn();
  for (std::size_t i = 0; i < limbs.size(); ++i) hinges_[i] = limb_hinges(limbs[i], clip_->times);
}

}  // namespace panto::keypoints
