#pragma once
// Segments of a person from what a headset tracks: the joints of a body, or head and hands alone
// (docs/formats/webxr_stream.md).

#include <Eigen/Core>
#include <array>
#include <bitset>
#include <optional>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/stream/person_pose.hpp"
#include "panto/stream/webxr_frame.hpp"

namespace panto::stream {

/// From the 83 joints. Uses their places alone: devices do not agree on the axes of a body's joints.
class WebxrJoints {
 public:
  /// Returns whether a frame has the joints that are needed.
  [[nodiscard]] static bool has(const WebxrFrame& frame) noexcept;
  /// Computes the segments of a frame that has them. `dt`: since the last one [s]. The first frame of a
  /// person who stands upright says which turns of trunk and feet are neutral.
  void pose(const WebxrFrame& frame, double dt, PersonPose& person) noexcept;
  /// Returns whether the last frame was the first one of an upright person.
  [[nodiscard]] bool became_neutral() const noexcept { return became_neutral_; }
  void forget_hinges() noexcept;
  /// Returns the dimensions that a frame shows, unset where they are no person's.
  [[nodiscard]] static std::optional<SubjectDimensions> person(const WebxrFrame& frame);

 private:
  struct Raw;
  static std::array<Eigen::Matrix3d, 2> usual_foot_turns();
  void become_neutral(const WebxrFrame& frame, const Raw& raw) noexcept;

  std::array<LimbHinge, 2> elbow_, knee_;  // right, left
  bool neutral_ = false, became_neutral_ = false;
  Eigen::Matrix3d pelvis_turn_ = Eigen::Matrix3d::Identity(), chest_turn_ = Eigen::Matrix3d::Identity(),
                  neck_turn_ = Eigen::Matrix3d::Identity();
  std::array<Eigen::Matrix3d, 2> foot_turn_ = usual_foot_turns();
};

/// From the viewer and what there is of hands and controllers. The trunk is upright and turns slowly after
/// the head; the feet stand below the hips; elbows hang.
class WebxrReach {
 public:
  [[nodiscard]] static bool has(const WebxrFrame& frame) noexcept {
    return frame.has.test(WebxrPlace::Viewer);
  }
  /// Computes the segments of a frame that has the viewer. `dt`: since the last one [s]. An arm whose hand is
  /// not seen is not set.
  void pose(const WebxrFrame& frame, const SubjectDimensions& person, double dt, PersonPose& pose) noexcept;
  void forget_heading() noexcept { known_ = false; }
  /// Returns the dimensions of a person who stands with the eyes at this height [m]; unset below 1.1 m and
  /// above 2.2 m.
  [[nodiscard]] static std::optional<SubjectDimensions> person(double eyes);

 private:
  void arm(const WebxrFrame& frame, const SubjectDimensions& person, int side,
           PersonPose& pose) const noexcept;
  void leg(const SubjectDimensions& person, int side, PersonPose& pose) const noexcept;

  double heading_ = 0.0;  // of the trunk [rad]
  bool known_ = false;
};

}  // namespace panto::stream
