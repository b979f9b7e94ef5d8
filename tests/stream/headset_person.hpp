#pragma once
// A person as a headset would track them, put together by forward kinematics of segments.

#include <Eigen/Geometry>
#include <array>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/stream/webxr_frame.hpp"

namespace panto::test {

/// Turns of segments against their parents, and the pelvis' place, in the world's axes.
struct HeadsetPerson {
  SubjectDimensions size = scaled_subject(1.75);
  std::array<Eigen::Matrix3d, kHumanSegmentCount> local;
  Eigen::Vector3d pelvis{0.0, 0.0, 0.986};
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R;
  std::array<Eigen::Vector3d, kHumanSegmentCount> p;

  HeadsetPerson() {
    local.fill(Eigen::Matrix3d::Identity());
    move();
  }

  void move() {
    R[0] = local[0];
    p[0] = pelvis;
    for (std::size_t i = 1; i < kHumanSegmentCount; ++i) {
      const std::size_t up = at(kHumanSegmentParent[i]);
      R[i] = R[up] * local[i];
      p[i] = p[up] + R[up] * size.origin[i];
    }
  }

  /// The joints of the body, with axes turned by `axes`, which devices choose as they like; and the viewer.
  [[nodiscard]] stream::WebxrFrame body(const Eigen::Matrix3d& axes = Eigen::Matrix3d::Identity()) const {
    using Place = stream::WebxrPlace;
    using enum HumanSegment::Index;
    stream::WebxrFrame frame = head();
    const auto put = [&](int which, int segment, const Eigen::Vector3d& place = Eigen::Vector3d::Zero()) {
      frame.has.set(at(which));
      frame.pose[at(which)] = {R[at(segment)] * axes, p[at(segment)] + R[at(segment)] * place};
    };
    put(Place::Hips, Pelvis);
    put(Place::SpineMiddle, Pelvis, {0.0, 0.0, 0.15});
    put(Place::SpineUpper, T8);
    put(Place::Neck, Neck);
    put(Place::Head, Head);
    for (const int side : {0, 1}) {
      const int arm = side == 1 ? LeftShoulder : RightShoulder,
                leg = side == 1 ? LeftUpperLeg : RightUpperLeg;
      const double out = side == 1 ? 1.0 : -1.0;
      put(stream::webxr_arm(Place::LeftCollar, side), arm);
      put(stream::webxr_arm(Place::LeftArmUpper, side), arm + 1);
      put(stream::webxr_arm(Place::LeftArmLower, side), arm + 2);
      put(stream::webxr_hand(Place::LeftWrist, side), arm + 3);
      put(stream::webxr_hand(Place::LeftMiddle, side), arm + 3, {0.0, 0.09 * out, 0.0});
      put(stream::webxr_hand(Place::LeftIndex, side), arm + 3, {0.02, 0.085 * out, 0.0});
      put(stream::webxr_hand(Place::LeftLittle, side), arm + 3, {-0.04, 0.08 * out, 0.0});
      put(stream::webxr_leg(Place::LeftUpperLeg, side), leg);
      put(stream::webxr_leg(Place::LeftLowerLeg, side), leg + 1);
      put(stream::webxr_leg(Place::LeftAnkle, side), leg + 2);
      put(stream::webxr_leg(Place::LeftSubtalar, side), leg + 2, {-0.02, 0.0, -0.045});
      put(stream::webxr_leg(Place::LeftBall, side), leg + 3);
    }
    return frame;
  }

  /// The viewer alone: eyes 0.936 of the height above the floor and 0.05 ahead of the head's joint, when the
  /// person stands.
  [[nodiscard]] stream::WebxrFrame head() const {
    using enum HumanSegment::Index;
    stream::WebxrFrame frame;
    frame.session = 1;
    frame.has.set(stream::WebxrPlace::Viewer);
    // the viewer's x is the head's right, y its up, z its back
    const Eigen::Matrix3d own = (Eigen::Matrix3d() << 0, 0, -1, -1, 0, 0, 0, 1, 0).finished();
    const Eigen::Vector3d eyes(0.05 * size.height, 0.0, 0.936 * size.height - 1.5695 * size.height / 1.75);
    frame.pose[stream::WebxrPlace::Viewer] = {R[Head] * own, p[Head] + R[Head] * eyes};
    return frame;
  }
};

}  // namespace panto::test
