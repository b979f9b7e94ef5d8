#pragma once
// Judges a robot's motion: figures in addition to the report card of a run.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "panto/evaluation/following.hpp"
#include "panto/evaluation/robot_figures.hpp"
#include "panto/retarget/body_gaps.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/robot/map.hpp"

namespace panto {

struct RobotVerdict {
  FollowingFigures following;
  RobotFigures figures;
  std::int64_t ambiguous_starts = 0;  ///< `SegmentTracker::ambiguous_starts`
};

/// Returns what is judged of a robot. `pairs`: what is followed; `person`: whose feet; `segments`: those that
/// are measured.
[[nodiscard]] RobotParts robot_parts(const Model& model, const std::vector<TrackedPair>& pairs,
                                     const robot::Skeleton& skeleton, const PersonFeet& person,
                                     const std::vector<std::string>& segments);

/// Returns what figures of these parts leave out, a sentence each.
[[nodiscard]] std::vector<std::string> not_judged(const Model& model, const robot::Skeleton& skeleton,
                                                  const RobotParts& parts);

/// Tells how deep a robot is in obstacles.
class ObstacleDepth {
 public:
  /// The model must outlive it.
  ObstacleDepth(const Model& model, std::vector<Obstacle> obstacles);
  [[nodiscard]] InObstacle deepest(const State& state);

 private:
  BodyGaps gaps_;
  Kinematics kinematics_;
};

/// Collects figures of a robot that follows a person.
class RobotJudge {
 public:
  /// `pairs`: what is followed; `segments`: names of its samples. The model must outlive it.
  RobotJudge(const Model& model, const robot::Map& map, const std::vector<robot::MapReason>& reasons,
             const std::vector<TrackedPair>& pairs, const std::vector<std::string>& segments,
             const robot::Skeleton& skeleton, const PersonFeet& person, const RobotFiguresOptions& options,
             std::vector<Obstacle> obstacles = {});

  /// Adds a frame. `sample`: what the robot should do; `state`: what it does; `touches`: how its hands, right
  /// and left, should touch the body; `frame`: index in `person`; `pelvis`: the person's, if measured [m].
  void add(const SegmentSample& sample, StepStatus status, const State& state,
           const std::array<robot::HandTouch, 2>& touches, int frame,
           const std::optional<Eigen::Vector3d>& pelvis);

  /// Returns the verdict without the figures that only the tracker knows.
  [[nodiscard]] RobotVerdict verdict() const { return {following_.report(), figures_.report()}; }
  /// Returns what is not judged, and why.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  struct LimbTarget {
    std::size_t entry;      // of the sample
    Eigen::Vector3d along;  // in its segment's frame
  };
  // Adds the limbs that can point anywhere to `parts`.
  static std::vector<LimbTarget> limbs_of(const robot::Map& map, const std::vector<robot::MapReason>& reasons,
                                          const std::vector<std::string>& segments,
                                          const robot::Skeleton& skeleton, RobotParts& parts);

  const PersonFeet* person_;
  std::optional<ObstacleDepth> obstacles_;
  std::vector<std::string> notes_;
  FollowingBuilder following_;
  double scale_;                       // of places, from the person to the robot
  Eigen::Matrix3d R_pelvis_;           // frame of the base's link in the person's pelvis
  std::optional<std::size_t> pelvis_;  // entry of the sample
  RobotParts parts_;
  std::vector<LimbTarget> limbs_;
  RobotFiguresBuilder figures_;
  std::vector<std::size_t> feet_;                          // by judged foot: index in person_->contacts.feet
  std::array<int, robot::kBodyPartCount> line_of_part_{};  // index of the figures' line; -1: none
  std::array<int, 2> wrist_of_side_{};                     // index of the figures' wrist
  std::vector<std::size_t> hands_;                         // sample entries: right and left; or empty
};

}  // namespace panto
