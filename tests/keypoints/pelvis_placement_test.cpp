#include "panto/keypoints/pelvis_placement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;

// an average pelvis: both front spines, the sacrum; hips; thighs of 45 cm, the right one flexed
struct Pelvis {
  std::vector<Vector3d> shape{{0.0, -0.13, 0.0}, {0.0, 0.13, 0.0}, {-0.2, 0.0, 0.01}};
  std::array<Thigh, 2> thighs;
  RigidPose pose;
  std::vector<Vector3d> markers;

  Pelvis() {
    pose = {so3::exp(Vector3d(0.05, -0.1, 0.3)), Vector3d(1.0, 2.0, 1.0)};
    for (const int side : {0, 1}) {
      const double y = side == 0 ? -0.085 : 0.085;
      Thigh& thigh = thighs[static_cast<std::size_t>(side)];
      thigh.hip = Vector3d(-0.09, y, -0.1);
      const Vector3d along = side == 0 ? Vector3d(0.5, 0.05, -0.85) : Vector3d(-0.2, 0.0, -1.0);
      thigh.length = 0.45;
      thigh.knee = pose.R * (thigh.hip + thigh.length * along.normalized()) + pose.p;
    }
    for (const Vector3d& v : shape) markers.emplace_back(pose.R * v + pose.p);
  }
};

TEST(PelvisPlacement, LeavesAPelvisWhereMarkersAndThighsAgree) {
  const Pelvis pelvis;
  const RigidPose start{pelvis.pose.R * so3::exp(Vector3d(0.02, 0.0, 0.0)),
                        pelvis.pose.p + Vector3d(0.0, 0.0, 0.01)};
  const RigidPose placed = place_pelvis(pelvis.shape, pelvis.markers, pelvis.thighs, start);
  EXPECT_LT(so3::distance(placed.R, pelvis.pose.R), 1e-9);
  EXPECT_LT((placed.p - pelvis.pose.p).norm(), 1e-9);
}

// skin rises over the hip that flexes and sinks over the other: thighs of constant length see it
TEST(PelvisPlacement, UndoesAFifthOfTheListThatSlidingSkinPretends) {
  Pelvis pelvis;
  const Vector3d slide = pelvis.pose.R * Vector3d(0.0, 0.0, 0.008);
  pelvis.markers[0] += slide;
  pelvis.markers[1] -= slide;
  const RigidPose skin = place_pelvis(pelvis.shape, pelvis.markers, {}, pelvis.pose);
  const RigidPose placed = place_pelvis(pelvis.shape, pelvis.markers, pelvis.thighs, skin);
  const double before = so3::distance(skin.R, pelvis.pose.R), after = so3::distance(placed.R, pelvis.pose.R);
  EXPECT_NEAR(before, 3.5 * kDegree, 0.1 * kDegree) << "8 mm on 13 cm";
  EXPECT_LT(after, 0.8 * before);
}

TEST(PelvisPlacement, WithoutKneesIsTheFitOfTheMarkers) {
  Pelvis pelvis;
  for (Thigh& thigh : pelvis.thighs) thigh.knee = no_point();
  const RigidPose start{pelvis.pose.R * so3::exp(Vector3d(0.0, 0.03, 0.0)), pelvis.pose.p};
  const RigidPose placed = place_pelvis(pelvis.shape, pelvis.markers, pelvis.thighs, start);
  EXPECT_LT(so3::distance(placed.R, pelvis.pose.R), 1e-9);
}

}  // namespace
}  // namespace panto::keypoints
