// Constants of a body point finder: up axis, unit of length, and the joints in the frames of marker clusters.

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/keypoints/body_points.hpp"
#include "panto/keypoints/pelvis_placement.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"

namespace panto::keypoints {
namespace {

using enum Landmark::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kUpright = 0.8;  // share of the vector from feet to head that must lie along one axis

// Lengths as shares of the body's height: the averages of `scaled_subject` (human.cpp).
struct Length {
  Landmark::Index from, to;
  double share;
};
// Markers show anatomical centres, whose legs are shorter [Winter, Biomechanics and Motor Control, 4th ed.,
// fig. 4.1].
constexpr double kMarkerThigh = 0.245, kMarkerShank = 0.246;
constexpr std::array kLimbLengths{Length{HipJoint, KneeJoint, 0.275}, Length{KneeJoint, AnkleJoint, 0.250},
                                  Length{ShoulderJoint, ElbowJoint, 0.168},
                                  Length{ElbowJoint, WristJoint, 0.138}};
// Prior for the ankle as shares of the distance from the heel marker to the tip of the toes, and its weight
// per frame against the motion: (2 mm / 2 cm) squared.
constexpr double kAnkleForward = 0.3, kAnkleUp = 0.13, kAnklePrior = 0.01;
// Hip joints and neutral pelvis of OpenSim's gait2392 among the markers of gait2392_Scale_MarkerSet.xml: from
// the middle of the ASIS, as shares of pelvis depth and breadth; the sacral marker is 10 mm above the ASIS.
constexpr double kGaitForward = -0.473, kGaitOutward = 0.326, kGaitUp = -0.395;
constexpr double kGaitTilt = 3.18 * kDegree;
constexpr double kTrunkShare = 0.251;  // middle of the hips to the line of the shoulders
constexpr double kMarkerShare = 0.24;  // ASIS to acromion, in people with these markers

}  // namespace

Matrix3d world_axes(const KeypointClip& clip, rig::FileAxis up) noexcept {
  return clip.x_forward && up.axis == 1 && !up.negative ? from_y_up() : rig::world_from_file(up);
}

void BodyPointFinder::find_up(const rig::Hints& hints) {
  if (const std::string& up = hints.up.empty() ? clip_->up : hints.up; !up.empty()) {
    R_WF_ = world_axes(*clip_, rig::parse_file_axis(up));
    return;
  }

  // from the lowest to the highest points with a known height in a standing person
  static constexpr std::array<Landmark::Index, 12> upper{
      HeadTop,        Nose,     EarPoint,      HeadFrontMarker, HeadJoint, ShoulderJoint,
      AcromionMarker, NeckBase, JugularMarker, C7Marker,        EyePoint,  SpineTop};
  static constexpr std::array<Landmark::Index, 4> feet{AnkleJoint, AnkleOuterMarker, HeelPoint, BallPoint};
  static constexpr std::array<Landmark::Index, 4> knees{KneeJoint, KneeOuterMarker, ThighMarker, ShankMarker};
  static constexpr std::array<Landmark::Index, 5> hips{HipJoint, HipsMiddle, AsisMarker, PsisMarker,
                                                       SacrumMarker};
  using Group = std::span<const Landmark::Index>;
  static constexpr std::array<std::pair<Group, Group>, 5> pairs{
      {{feet, upper}, {knees, upper}, {hips, upper}, {feet, hips}, {knees, hips}}};
  const auto mean = [&](int frame, std::span<const Landmark::Index> landmarks) -> Vector3d {
    Vector3d sum = Vector3d::Zero();
    int count = 0;
    for (const Landmark::Index landmark : landmarks) {
      for (const int side : {0, 1}) {
        if (landmark < Landmark::FirstSided && side == 1) continue;
        const int j = point_of_[at(on_side(landmark, side))];
        if (j < 0 || !clip_->position(frame, j).allFinite()) continue;
        sum += clip_->position(frame, j);
        ++count;
      }
    }
    return count > 0 ? Vector3d(sum / count) : no_point();
  };
  for (const auto& [low, high] : pairs) {
    Vector3d sum = Vector3d::Zero();
    int seen = 0;
    for (const int frame : sampled_) {
      const Vector3d upwards = (mean(frame, high) - mean(frame, low)).normalized();
      if (!upwards.allFinite()) continue;
      sum += upwards;
      ++seen;
    }
    if (!(sum.norm() > 0.0)) continue;
    const rig::FileAxis up = rig::nearest_axis(sum);
    const double share = std::abs(sum[up.axis]) / seen;
    R_WF_ = world_axes(*clip_, up);
    notes_.push_back("up is " + to_string(up) +
                     (high.data() == hips.data() ? ": the hips lie above the feet, "
                                                 : ": the upper body lies above the lower body, ") +
                     decimals(100.0 * share, 0) + " % along this axis");
    if (share < kUpright) notes_.back() += "; if the person is lying, another axis may be up";
    return;
  }
  throw FormatError(clip_->name + ": the names of its " + counted(clip_->points(), "point") +
                    " show no upper and lower body; needed are head, neck, shoulders or hips, "
                    "and feet or knees");
}

// body height in metres, from known lengths in the current unit; 0 if none is known
double BodyPointFinder::estimated_height() const {
  double length = 0.0, share = 0.0;
  BodyPoints points;
  const auto add = [&](double share_of_height, auto&& measure) {
    std::vector<double> lengths;
    for (const int frame : sampled_) {
      this->points(frame, points);
      lengths.push_back(measure());
    }
    const double typical = median(std::move(lengths));
    if (!std::isfinite(typical)) return;
    length += typical;
    share += share_of_height;
  };
  const auto middle = [&](Landmark::Index landmark) -> Vector3d {
    return 0.5 * (points[at(sided(landmark, 0))] + points[at(sided(landmark, 1))]);
  };
  const bool skin = named(sided(AsisMarker, 0)) && named(sided(AsisMarker, 1));
  for (const Length& part : kLimbLengths) {
    double usual = part.share;
    if (skin && part.from == HipJoint) usual = kMarkerThigh;
    if (skin && part.from == KneeJoint) usual = kMarkerShank;
    for (const int side : {0, 1})
      add(usual,
          [&] { return (points[at(sided(part.to, side))] - points[at(sided(part.from, side))]).norm(); });
  }
  add(kTrunkShare, [&] { return (middle(ShoulderJoint) - points[HipsMiddle]).norm(); });
  // markers only: no joints are known yet
  if (!(share > 0.0)) add(kMarkerShare, [&] { return (middle(AcromionMarker) - middle(AsisMarker)).norm(); });
  return share > 0.0 ? length / share : 0.0;
}

void BodyPointFinder::find_unit(const rig::Hints& hints) {
  unit_ = 1.0;
  const double units = estimated_height();
  if (hints.unit > 0.0) {
    unit_ = hints.unit;
  } else if (clip_->unit > 0.0) {
    unit_ = clip_->unit;
  } else if (!(units > 0.0)) {
    throw FormatError(clip_->name + ": unit of length unknown, as no limb has both ends; give the unit");
  } else {
    unit_ = 0.0;
    for (const double candidate : {1.0, 0.01, 0.001}) {
      if (units * candidate > 0.9 && units * candidate < 2.4) unit_ = candidate;
    }
    if (unit_ == 0.0) {
      unit_ = 1.75 / units;
      notes_.push_back("a body height of " + decimals(units, 3) +
                       " is implausible in m, cm and mm: scaled to 1.75 m");
    } else {
      notes_.push_back(std::string("unit of length: ") +
                       (unit_ == 1.0    ? "m"
                        : unit_ == 0.01 ? "cm"
                                        : "mm") +
                       ", for a body height of " + decimals(units * unit_, 2) + " m");
    }
  }
  set_height(units * unit_);
}

void BodyPointFinder::set_height(double height) {
  // the body height cannot be measured
  if (height == 0.0) height = 1.75;
  if (!(height >= 0.3 && height <= 3.0)) {
    throw FormatError(clip_->name + ": the limbs belong to a person of " + decimals(height, 3) +
                      " m; check the unit of length");
  }
  height_ = height;
}

// ---- clusters ---------------------------------------------------------------------------------------------

bool BodyPointFinder::fit(int cluster, int frame, RigidPose& pose) const {
  if (cluster == PelvisCluster && !placed_.empty()) {
    pose = placed_[at(frame)];
    return pose.R.allFinite();
  }
  const Cluster& group = clusters_[at(cluster)];
  if (!group.shape.usable()) return false;
  std::array<Vector3d, 16> markers;
  const std::size_t count = group.markers.size();
  for (std::size_t i = 0; i < count; ++i)
    markers[i] = unit_ * (R_WF_ * clip_->position(frame, group.markers[i]));
  return group.shape.fit(std::span(markers.data(), count), pose);
}

std::vector<RigidPose> BodyPointFinder::poses(int cluster) const {
  std::vector<RigidPose> result(sampled_.size());
  for (std::size_t i = 0; i < sampled_.size(); ++i) {
    if (!fit(cluster, sampled_[i], result[i])) result[i].R.setConstant(no_point()[0]);
  }
  return result;
}

void BodyPointFinder::find_clusters() {
  const auto add = [&](int cluster, std::initializer_list<int> landmarks) {
    Cluster& group = clusters_[at(cluster)];
    for (int j = 0; j < clip_->points(); ++j) {
      const int landmark = names_.landmark[at(j)];
      const bool belongs =
          landmark >= 0 && std::find(landmarks.begin(), landmarks.end(), landmark) != landmarks.end();
      if (belongs && group.markers.size() < 16) group.markers.push_back(j);
    }
    std::vector<Vector3d> frames;
    for (const int frame : sampled_) {
      for (const int j : group.markers) frames.emplace_back(unit_ * (R_WF_ * clip_->position(frame, j)));
    }
    group.shape = RigidCluster(frames, static_cast<int>(group.markers.size()));
  };
  add(PelvisCluster,
      {sided(AsisMarker, 0), sided(AsisMarker, 1), sided(PsisMarker, 0), sided(PsisMarker, 1), SacrumMarker});
  for (const int side : {0, 1}) {
    add(ThighCluster + side, {sided(ThighMarker, side)});
    add(ShankCluster + side, {sided(ShankMarker, side)});
    add(FootCluster + side, {sided(FootMarker, side), sided(HeelPoint, side), sided(ToeTipPoint, side)});
  }

  const Cluster& pelvis = clusters_[PelvisCluster];
  const auto local = [&](int landmark) -> Vector3d {
    const auto found = std::find(pelvis.markers.begin(), pelvis.markers.end(), point_of_[at(landmark)]);
    if (found == pelvis.markers.end()) return no_point();
    return pelvis.shape.shape()[static_cast<std::size_t>(found - pelvis.markers.begin())];
  };
  if (!pelvis.shape.usable()) return;
  const Vector3d right = local(sided(AsisMarker, 0)), left = local(sided(AsisMarker, 1));
  Vector3d back = 0.5 * (local(sided(PsisMarker, 0)) + local(sided(PsisMarker, 1)));
  if (!back.allFinite()) back = local(SacrumMarker);
  const Vector3d front = 0.5 * (right + left);
  pelvis_in_cluster_ = {frame_along(1, left - right, 0, front - back), front};
  pelvis_markers_ = pelvis_in_cluster_.R.allFinite();
  if (pelvis_markers_) find_hips((left - right).norm(), (front - back).norm());
}

void BodyPointFinder::find_hips(double breadth, double depth) {
  pelvis_breadth_ = breadth;
  const auto place = [&](const Vector3d& right) {
    hip_in_pelvis_ = {pelvis_in_cluster_.R * right + pelvis_in_cluster_.p,
                      pelvis_in_cluster_.R * mirrored(right) + pelvis_in_cluster_.p};
    return " " + decimals(-2e3 * right.y(), 0) + " mm apart";
  };
  if (names_.gait2392) {
    notes_.push_back("hip joints placed from the markers as in OpenSim's gait2392:" +
                     place({kGaitForward * depth, -kGaitOutward * breadth, kGaitUp * breadth}));
    pelvis_in_cluster_.R *= so3::about_axis(1, -kGaitTilt);
    return;
  }
  // Hip joint centres [Harrington et al., J. Biomech. 40 (2007) 595-602]: from the middle of the ASIS, in
  // metres, from pelvis width (between the ASIS) and depth (to the PSIS).
  notes_.push_back("hip joints from the pelvis markers (Harrington 2007):" +
                   place({-0.24 * depth - 0.0099, -0.33 * breadth - 0.0073, -0.30 * breadth - 0.0109}));
}

// A joint that two clusters share is halfway between where each of them sees it.
Vector3d BodyPointFinder::functional_point(const FunctionalJoint& joint, int upper, int frame) const {
  RigidPose pose;
  Vector3d sum = Vector3d::Zero();
  int count = 0;
  const auto add = [&](int cluster, const Vector3d& centre) {
    if (!centre.allFinite() || !fit(cluster, frame, pose)) return;
    sum += pose.R * centre + pose.p;
    ++count;
  };
  add(upper, joint.centre);
  add(upper + 2, joint.below);
  return count > 0 ? Vector3d(sum / count) : no_point();
}

// Where thighs and shanks have clusters, the skin over the pelvis is the weakest witness of how the pelvis
// lists: it rises with each hip that flexes.
void BodyPointFinder::place_pelvis() {
  if (!neutral_pelvis() || !knee_[0].used || !knee_[1].used) return;
  const Cluster& pelvis = clusters_[PelvisCluster];
  const auto thighs = [&](int frame) {
    std::array<Thigh, 2> result;
    for (const int side : {0, 1})
      result[at(side)] = {hip_in_pelvis_[at(side)],
                          functional_point(knee_[at(side)], ThighCluster + side, frame), 0.0};
    return result;
  };
  std::array<std::vector<double>, 2> lengths;
  RigidPose pose;
  for (const int frame : sampled_) {
    if (!fit(PelvisCluster, frame, pose)) continue;
    for (std::size_t side = 0; const Thigh& thigh : thighs(frame))
      lengths[side++].push_back((pose.R * thigh.hip + pose.p - thigh.knee).norm());
  }
  const std::array<double, 2> length{median(std::move(lengths[0])), median(std::move(lengths[1]))};
  std::vector<RigidPose> placed(at(clip_->frames()));
  for (int frame = 0; frame < clip_->frames(); ++frame) {
    if (!fit(PelvisCluster, frame, pose)) pose.R.setConstant(no_point()[0]);
    std::array<Thigh, 2> legs = thighs(frame);
    for (std::size_t side = 0; side < 2; ++side) legs[side].length = length[side];
    std::vector<Vector3d> markers;
    for (const int j : pelvis.markers) markers.emplace_back(unit_ * (R_WF_ * clip_->position(frame, j)));
    placed[at(frame)] =
        pose.R.allFinite() ? keypoints::place_pelvis(pelvis.shape.shape(), markers, legs, pose) : pose;
  }
  placed_ = std::move(placed);
  notes_.emplace_back("the pelvis follows its markers and the lengths of the thighs");
}

// Knees and ankles without markers: the axis about which the clusters above and below rotate against each
// other.
void BodyPointFinder::find_functional_joints(int side) {
  const auto known = [&](Landmark::Index landmark) { return named(sided(landmark, side)); };
  double residual = 0.0;
  // the ankle first: the knee is found on the way to it
  if (!known(AnkleJoint) && !known(AnkleOuterMarker)) residual = find_functional_ankle(side);
  if (!known(KneeJoint) && !known(KneeOuterMarker)) residual = std::max(residual, find_functional_knee(side));
  const bool knee = knee_[at(side)].used, ankle = ankle_[at(side)].used;
  if (!knee && !ankle) return;
  notes_.push_back(std::string(side == 0 ? "right " : "left ") +
                   (knee && ankle ? "knee and ankle"
                    : knee        ? "knee"
                                  : "ankle") +
                   " from the motion of the marker clusters (Ehrig 2007): residual " +
                   decimals(1e3 * residual, 0) + " mm");
}

// A walking ankle rotates too little compared with soft tissue motion: its average position over the line
// from heel to toes gets about the same weight. Returns the residual [m].
double BodyPointFinder::find_functional_ankle(int side) {
  const std::vector<RigidPose> shank = poses(ShankCluster + side), foot = poses(FootCluster + side);
  BodyPoints points;
  std::vector<Vector3d> usual;
  for (std::size_t i = 0; i < foot.size(); ++i) {
    this->points(sampled_[i], points);
    const Vector3d heel = points[at(sided(HeelPoint, side))], toe = points[at(sided(ToeTipPoint, side))];
    const Vector3d forward = toe - heel;
    const Matrix3d R = frame_along(0, forward, 2, points[at(sided(HipJoint, side))] - heel);
    const Vector3d place = heel + kAnkleForward * forward + kAnkleUp * forward.norm() * R.col(2);
    usual.emplace_back(foot[i].R.transpose() * (place - foot[i].p));
  }
  const FunctionalAxis found = functional_centre(shank, foot, median(usual), kAnklePrior);
  if (!found.valid) return 0.0;
  ankle_[at(side)] = {true, found.point_a, found.point_b, no_point(), no_point()};
  return found.residual;
}

// Along its axis, the knee is placed nearest to the line from hip to ankle. Returns the residual [m].
double BodyPointFinder::find_functional_knee(int side) {
  const std::vector<RigidPose> thigh = poses(ThighCluster + side);
  const FunctionalAxis found = functional_axis(thigh, poses(ShankCluster + side));
  if (!found.valid) return 0.0;
  BodyPoints points;
  std::vector<double> shift;
  double left = 0.0;
  for (std::size_t i = 0; i < thigh.size(); ++i) {
    this->points(sampled_[i], points);
    const Vector3d hip = points[at(sided(HipJoint, side))], ankle = points[at(sided(AnkleJoint, side))];
    const Vector3d middle = thigh[i].R.transpose() * (0.5 * (hip + ankle) - thigh[i].p);
    shift.push_back((middle - found.point_a).dot(found.axis_a));
    const Vector3d across = points[at(sided(HipJoint, 1))] - points[at(sided(HipJoint, 0))];
    const double along = (thigh[i].R * found.axis_a).dot(across);
    if (std::isfinite(along)) left += along;
  }
  const double typical = median(std::move(shift));
  const double along = std::isfinite(typical) ? typical : 0.0;
  const double sign = left < 0.0 ? -1.0 : 1.0;
  knee_[at(side)] = {true, found.point_a + along * found.axis_a, found.point_b + along * found.axis_b,
                     sign * found.axis_a, sign * found.axis_b};
  return found.residual;
}

}  // namespace panto::keypoints
