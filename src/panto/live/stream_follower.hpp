#pragma once
// A stream of references as a motion that joints can follow at any tick: bounded in position, speed and
// acceleration whatever arrives, brought to rest when nothing does. Pure; local time comes in as data.

#include <Eigen/Core>
#include <cstdint>

#include "panto/live/robot.hpp"
#include "panto/model/state.hpp"

namespace panto::live {

/// Steps of 1 ms. Speeds are at most the model's speed limit and change by at most max_acceleration times the
/// step. Joints that start inside their limits stay there. The base is taken as the reference says, and
/// slowed down along a straight line when there is none.
class StreamFollower {
 public:
  static constexpr Time kTick = 1'000'000;  ///< [ns]

  /// Starts at rest in `start` at local time `now` [ns]. The model must outlive it. @throws ConfigError when
  /// an option is out of range or `start` is not a state of the model.
  StreamFollower(const Model& model, const State& start, Time now, const FollowerOptions& options = {});

  /// A reference came at `now`: until then the motion is what it was. One that is not valid stops it, one
  /// that does not fit the model is left out.
  void follow(const State& reference, bool valid, Time now) noexcept;
  /// The stream is over: stop.
  void stop() noexcept;

  /// The motion at `now`, whole ticks of it. After more than 0.1 s without a call it goes on from where it
  /// was, as if no more than that had passed. Its stamp is that of the newest reference plus the time since
  /// it came.
  const State& step(Time now) noexcept;

  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] FollowMode mode() const noexcept { return mode_; }
  /// False when the state only repeats a pose that is held.
  [[nodiscard]] bool valid() const noexcept {
    return mode_ == FollowMode::Following || mode_ == FollowMode::Stopping;
  }

 private:
  void tick(double age) noexcept;
  void step_joints(double age) noexcept;
  void step_base() noexcept;
  [[nodiscard]] bool at_rest() const noexcept;

  const Model* model_;
  FollowerOptions options_;
  Eigen::VectorXd speed_;
  State state_, reference_;
  FollowMode mode_ = FollowMode::Waiting;
  Time arrived_ = 0;  // of the newest reference
  Time now_ = 0;      // of the last tick
};

}  // namespace panto::live
