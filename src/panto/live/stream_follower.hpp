#pragma once
// Turns a stream of references into a motion that joints can follow at any tick: bounded in position, speed
// and acceleration whatever arrives, brought to rest when nothing does. Pure: local time is an argument.

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "panto/live/robot.hpp"
#include "panto/model/state.hpp"

namespace panto::live {

/// Returns t + by, or the last stamp there is. A sender may have begun anywhere.
[[nodiscard]] constexpr Time later_by(Time t, Time by) noexcept {
  constexpr Time kLast = std::numeric_limits<Time>::max();
  return by > 0 && t > kLast - by ? kLast : t + std::max<Time>(by, 0);
}

/// Follows references in steps of 1 ms. Speeds stay within the model's speed limit and change by at most
/// max_acceleration times the step. Joints that start inside their limits stay inside. The base copies the
/// reference, and slows down along a straight line when there is none.
class StreamFollower {
 public:
  static constexpr Time kTick = 1'000'000;  ///< [ns]

  /// Starts at rest in `start` at local time `now` [ns]. The model must outlive it. @throws ConfigError when
  /// an option is out of range or `start` is not a state of the model.
  StreamFollower(const Model& model, const State& start, Time now, const FollowerOptions& options = {});

  /// Follows a reference received at `now`; until then the motion continues as before. An invalid reference
  /// stops the motion; one that does not fit the model is ignored.
  void follow(const State& reference, bool valid, Time now) noexcept;
  /// Stops the motion: the stream has ended.
  void stop() noexcept;

  /// Returns the motion at `now`, in whole ticks. After more than 0.1 s without a call it continues as if 0.1
  /// s had passed. Its stamp is that of the newest reference plus the time since the reference arrived.
  const State& step(Time now) noexcept;

  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] FollowMode mode() const noexcept { return mode_; }
  /// Returns false when the state only repeats a held pose.
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
