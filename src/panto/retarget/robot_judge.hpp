#pragma once
// Whether what a robot does is good: figures beside the report card of a run.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "panto/evaluation/following.hpp"
#include "panto/evaluation/robot_figures.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/robot/map.hpp"

namespace panto {

struct RobotVerdict {
  FollowingFigures following;
  RobotFigures figures;
  std::int64_t ambiguous_starts = 0;  ///< `SegmentTracker::ambiguous_starts`
};

/// Collects a run of a robot that follows a person.
class RobotJudge {
 public:
  /// `pairs`: what is followed, `segments`: names of its samples. The model must outlive it.
  RobotJudge(const Model& model, const robot::Map& map, const std::vector<robot::MapReason>& reasons,
             const std::vector<TrackedPair>& pairs, const std::vector<std::string>& segments,
             const robot::Skeleton& skeleton, const PersonFeet& person, const RobotFiguresOptions& options);

  /// A frame: what the robot should have done, what it did; `touches`: how its hands, right and left, should
  /// touch the body; `frame`: its place in `person`.
  void add(const SegmentSample& sample, StepStatus status, const State& state,
           const std::array<robot::HandTouch, 2>& touches, int frame);

  /// Without what only the tracker knows.
  [[nodiscard]] RobotVerdict verdict() const { return {following_.report(), figures_.report()}; }
  /// What is not watched, and why.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  const PersonFeet* person_;
  std::vector<std::string> notes_;
  FollowingBuilder following_;
  RobotFiguresBuilder figures_;
  std::vector<std::size_t> feet_;  // of the judged feet: position in person_->contacts.feet
  std::array<int, robot::kBodyPartCount> line_of_part_{};  // among the figures' lines; -1: not there
  std::array<int, 2> wrist_of_side_{};                     // among the figures' wrists
  std::vector<std::size_t> hands_;                         // entries of the samples: right and left; or none
};

}  // namespace panto
