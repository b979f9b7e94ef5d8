#pragma once
// A run whose base is raised where the robot's feet would sink into the floor.

#include <utility>
#include <vector>

#include "panto/retarget/robot_recording.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/base_lift.hpp"
#include "panto/tracking/tracker.hpp"

namespace panto {

/// Depth of a robot's lowest sole under the floor z = 0, frame by frame.
class SoleDepth {
 public:
  /// `sides`: the feet. The model must outlive it.
  SoleDepth(const Model& model, const robot::Skeleton& skeleton, const std::vector<int>& sides);

  /// The robot's next state; `cut`: it does not continue the one before.
  void add(const State& state, bool cut);
  [[nodiscard]] bool any() const noexcept { return !feet_.empty(); }
  [[nodiscard]] std::vector<double> lift() const { return base_lift(t_, depth_, {}, cuts_); }

 private:
  struct Foot {
    int link;
    FootSole sole;
  };
  std::vector<Foot> feet_;
  Kinematics kinematics_;
  std::vector<Time> t_;
  std::vector<double> depth_;
  std::vector<int> cuts_;
};

/// Answers what a tracker answers, raised.
class LiftedTracker final : public Tracker<SegmentSample> {
 public:
  /// `lift` [m]: of every state that the tracker will answer with; `start`: where it begins. The state that
  /// it is given is only written, since the tracker goes on from its own. The tracker must outlive it.
  LiftedTracker(Tracker<SegmentSample>& tracker, State start, std::vector<double> lift)
      : tracker_(&tracker), plain_(std::move(start)), lift_(std::move(lift)) {}

  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return tracker_->last_report(); }

 private:
  Tracker<SegmentSample>* tracker_;
  State plain_;  // the tracker's own
  std::vector<double> lift_;
  std::size_t next_ = 0;
  double lifted_ = 0.0;
};

}  // namespace panto
