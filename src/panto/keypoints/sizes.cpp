// Sizes of the person in a keypoint clip: medians and least squares over its frames.

#include <array>
#include <cmath>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/keypoints/keypoints.hpp"
#include "panto/keypoints/point_geometry.hpp"
#include "panto/math/decompositions.hpp"

namespace panto::keypoints {
namespace {

using enum HumanSegment::Index;
using enum Landmark::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kBallShare = 0.706;  // of the way from ankle to the tip of the toes in `scaled_subject`
constexpr double kUsualShare = 1e-3;  // weight of average proportions per frame

}  // namespace

void KeypointBody::measure_subject() {
  if (own_segments_) return measure_segments();
  if (has(HipsMiddle) && has(NeckBase)) measure_trunk();
  for (const int side : {0, 1}) {
    measure_arm(side);
    measure_leg(side);
  }
  // both sides have the same sizes
  for (int i = RightShoulder; i <= RightToe; ++i) {
    if (i > RightHand && i < HumanSegment::RightUpperLeg) continue;
    const int left = i >= RightUpperLeg ? i - RightUpperLeg + LeftUpperLeg : i - RightShoulder + LeftShoulder;
    const Vector3d origin = 0.5 * (subject_.origin[at(i)] + mirrored(subject_.origin[at(left)]));
    subject_.origin[at(i)] = origin;
    subject_.origin[at(left)] = mirrored(origin);
    const Vector3d end = 0.5 * (subject_.end[at(i)] + mirrored(subject_.end[at(left)]));
    subject_.end[at(i)] = end;
    subject_.end[at(left)] = mirrored(end);
  }
}

// Points at the origins of our segments give the position of each joint on its parent segment.
void KeypointBody::measure_segments() {
  const auto measure = [&] {
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      if (kHumanSegmentParent[at(i)] < 0 || !has(origin_of(i))) continue;
      int below = kHumanSegmentParent[at(i)];
      while (below >= 0 && !has(origin_of(below))) below = kHumanSegmentParent[at(below)];
      if (below >= 0) measure_offsets(below, i);
    }
  };
  measure();
  // and once more with the spine orientations that result from these offsets
  follows_spine_ = has(HipsMiddle);
  measure();
}

// Finds the offsets of a joint and of the joints below it without points, down to the next joint with points:
// least squares over the clip, with average proportions for what the motion does not determine.
void KeypointBody::measure_offsets(int from, int to) {
  std::vector<int> chain;
  for (int i = to; i != from; i = kHumanSegmentParent[at(i)]) chain.push_back(i);
  const Eigen::Index size = 3 * static_cast<Eigen::Index>(chain.size());
  double usual_length = 0.0;
  for (const int i : chain) usual_length += subject_.origin[at(i)].norm();
  const double length = median(over_clip([&](int, const BodyPoints& points, const Frames&) -> double {
    return (points[at(origin_of(to))] - points[at(origin_of(from))]).norm();
  }));

  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(size);
  int used = 0;
  std::vector<Vector3d> local;
  (void)over_clip([&](int, const BodyPoints& points, const Frames& R) {
    Eigen::MatrixXd M(3, size);
    for (std::size_t c = 0; c < chain.size(); ++c)
      M.middleCols<3>(3 * static_cast<Eigen::Index>(c)) = R[at(kHumanSegmentParent[at(chain[c])])];
    const Vector3d d = points[at(origin_of(to))] - points[at(origin_of(from))];
    if (!M.allFinite() || !d.allFinite()) return false;
    N += M.transpose() * M;
    r += M.transpose() * d;
    local.emplace_back(M.leftCols<3>().transpose() * d);
    ++used;
    return true;
  });
  if (used == 0) return;
  // one offset: the median is robust against a few wrong frames
  if (chain.size() == 1) {
    subject_.origin[at(to)] = median(local);
    return;
  }
  for (std::size_t c = 0; c < chain.size(); ++c) {
    const auto row = 3 * static_cast<Eigen::Index>(c);
    r.segment<3>(row) += kUsualShare * used * (length / usual_length) * subject_.origin[at(chain[c])];
  }
  N.diagonal().array() += kUsualShare * used;
  const Eigen::VectorXd x = solve_symmetric(N, r);
  if (!x.allFinite()) return;
  for (std::size_t c = 0; c < chain.size(); ++c)
    subject_.origin[at(chain[c])] = x.segment<3>(3 * static_cast<Eigen::Index>(c));
}

// Least squares over the clip: one scale for a spine of average proportions and the position of the neck in
// the chest's plane of symmetry, so that the base of the neck matches its measured position.
void KeypointBody::measure_trunk() {
  constexpr std::array<int, 4> chain{L5, L3, T12, T8};
  const auto rows = over_clip([&](int, const BodyPoints& points, const Frames& R) {
    Eigen::Matrix<double, 3, 4> row;
    row.col(0).setZero();
    for (const int segment : chain)
      row.col(0) += R[at(kHumanSegmentParent[at(segment)])].col(2) * subject_.origin[at(segment)].z();
    row.col(1) = R[T8].col(0);
    row.col(2) = R[T8].col(2);
    row.col(3) = points[NeckBase] - points[HipsMiddle];
    return row;
  });
  Matrix3d N = Matrix3d::Zero();
  Vector3d r = Vector3d::Zero();
  int used = 0;
  for (const auto& row : rows) {
    if (!row.allFinite()) continue;
    N += row.leftCols<3>().transpose() * row.leftCols<3>();
    r += row.leftCols<3>().transpose() * row.col(3);
    ++used;
  }
  if (used == 0) return;
  // a straight trunk does not separate spine and neck: then both have average proportions
  const double neck = subject_.origin[Neck].z();
  const double length = subject_.origin[L5].z() + subject_.origin[L3].z() + 2.0 * subject_.origin[T12].z();
  const double measured = median(over_clip([](int, const BodyPoints& points, const Frames&) -> double {
    return (points[NeckBase] - points[HipsMiddle]).norm();
  }));
  const double scale = measured / (length + neck);
  const Vector3d usual(scale, 0.0, scale * neck);
  const Vector3d ridge = Vector3d(length * length, 1.0, 1.0) * (1e-3 * used);
  N.diagonal() += ridge;
  r += ridge.cwiseProduct(usual);
  Vector3d x = solve_symmetric(N, r);
  if (!(x[0] > 0.3 * scale && x[0] < 2.0 * scale && x.allFinite())) x = usual;
  for (const int segment : chain) subject_.origin[at(segment)] *= x[0];
  subject_.origin[Neck] = Vector3d(x[1], 0.0, x[2]);

  if (has(HeadJoint)) {
    const Vector3d head = median(over_clip([](int, const BodyPoints& points, const Frames& R) -> Vector3d {
      return R[Neck].transpose() * (points[HeadJoint] - points[NeckBase]);
    }));
    if (head.allFinite()) subject_.origin[Head] = Vector3d(head.x(), 0.0, head.z());
  }
  if (has(HeadTop)) {
    const Vector3d top = median(over_clip([&](int, const BodyPoints& points, const Frames& R) -> Vector3d {
      return R[Head].transpose() * (points[HeadTop] - points[NeckBase] - R[Neck] * subject_.origin[Head]);
    }));
    if (top.allFinite() && top.norm() < 0.3 * points_.height())
      subject_.end[Head] = Vector3d(top.x(), 0.0, top.z());
  }
}

void KeypointBody::measure_arm(int side) {
  const int shoulder = side == 0 ? RightShoulder : LeftShoulder;
  const double sign = side == 0 ? -1.0 : 1.0;
  const bool collars = has(sided(CollarJoint, side));
  const auto point = [side](const BodyPoints& points, Landmark::Index landmark) -> const Vector3d& {
    return points[at(sided(landmark, side))];
  };
  const Vector3d collar =
      !collars ? collar_in_chest_[at(side)]
               : median(over_clip([&](int, const BodyPoints& points, const Frames& R) -> Vector3d {
                   return R[T8].transpose() * (point(points, CollarJoint) - points[NeckBase]);
                 }));
  if (collar.allFinite()) subject_.origin[at(shoulder)] = subject_.origin[Neck] + collar;
  const auto set_length = [&](int segment, double length) {
    if (std::isfinite(length)) subject_.origin[at(segment)] = Vector3d(0.0, sign * length, 0.0);
  };
  set_length(shoulder + 1, median(over_clip([&](int, const BodyPoints& points, const Frames& R) -> double {
               const Vector3d root = collars
                                         ? point(points, CollarJoint)
                                         : Vector3d(points[NeckBase] + R[T8] * collar_in_chest_[at(side)]);
               return (point(points, ShoulderJoint) - root).norm();
             })));
  set_length(shoulder + 2, median(over_clip([&](int, const BodyPoints& points, const Frames&) -> double {
               return (point(points, ElbowJoint) - point(points, ShoulderJoint)).norm();
             })));
  set_length(shoulder + 3, median(over_clip([&](int, const BodyPoints& points, const Frames&) -> double {
               return (point(points, WristJoint) - point(points, ElbowJoint)).norm();
             })));
}

void KeypointBody::measure_leg(int side) {
  const int thigh = side == 0 ? RightUpperLeg : LeftUpperLeg;
  const auto point = [side](const BodyPoints& points, Landmark::Index landmark) -> const Vector3d& {
    return points[at(sided(landmark, side))];
  };
  const auto set = [&](int segment, const Vector3d& origin) {
    if (origin.allFinite()) subject_.origin[at(segment)] = origin;
  };
  set(thigh, median(over_clip([&](int, const BodyPoints& points, const Frames& R) -> Vector3d {
        return R[Pelvis].transpose() * (point(points, HipJoint) - points[HipsMiddle]);
      })));
  set(thigh + 1,
      Vector3d(0.0, 0.0, -median(over_clip([&](int, const BodyPoints& points, const Frames&) -> double {
                 return (point(points, KneeJoint) - point(points, HipJoint)).norm();
               }))));
  set(thigh + 2,
      Vector3d(0.0, 0.0, -median(over_clip([&](int, const BodyPoints& points, const Frames&) -> double {
                 return (point(points, AnkleJoint) - point(points, KneeJoint)).norm();
               }))));
  const Vector3d toe = median(over_clip([&](int, const BodyPoints& points, const Frames& R) -> Vector3d {
    return R[at(thigh + 2)].transpose() * (toes(side, points) - point(points, AnkleJoint));
  }));
  if (!toe.allFinite()) return;
  const bool both_toes = has(sided(SmallToePoint, side)) && has(sided(BigToePoint, side));
  const bool ball = has(sided(BallPoint, side)) || (both_toes && has(sided(ToeTipPoint, side)));
  const double share = ball ? 1.0 : kBallShare;
  subject_.origin[at(thigh + 3)] = Vector3d(share * toe.x(), share * toe.y(), toe.z());
  if (!ball) subject_.end[at(thigh + 3)] = Vector3d((1.0 - share) * toe.x(), (1.0 - share) * toe.y(), 0.0);
}

}  // namespace panto::keypoints
