#pragma once
// What a live stream becomes, sample by sample.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// What outputs of a live stream get: the model's State, and the person. Either may be empty.
struct LiveFrame {
  State state;
  SegmentSample person;
  bool valid = true;  ///< false: hold what you have
  Time arrival = 0;   ///< of the sample's last datagram, local [ns]; 0: see `flushed`

  /// Returns true for a frame that waited in the look-ahead until the run ended, perhaps behind a lost
  /// stream: files keep it, robots do not follow it.
  [[nodiscard]] bool flushed() const noexcept { return arrival == 0; }
};

/// What became of a sample.
struct LiveStep {
  bool used = false;       ///< the sample could be used
  bool ready = false;      ///< the frame is to be written
  bool returning = false;  ///< the motion is led back within its limits
};

/// What follows a live stream, as plain functions. They own what they need; one thread at a time.
template <typename Sample>
struct LiveFollower {
  /// Takes a sample; on `ready` the frame is complete, but for its arrival.
  std::function<LiveStep(const Sample&, LiveFrame&)> step;
  /// Completes the frames that still wait at the end, one a call; false: there is none.
  std::function<bool(LiveFrame&)> drain;
  LiveFrame sized;  ///< a frame of the right sizes, to begin with
  /// Lets the next sample's pose be above the origin, facing along x (`Realignment`); empty: nothing to turn.
  std::function<void()> align = {};
  /// Finds the mounts of raw sensors anew from the poses that are held next (`LiveCalibration::begin`), and
  /// goes on with them; empty: there are none.
  std::function<void(const std::string& poses)> calibrate = {};
  /// Returns what to tell people about that since the last call; empty: never anything.
  std::function<std::vector<std::string>()> news = {};
  /// Returns whether poses are waited for.
  std::function<bool()> waits = {};
  /// Returns mounts that were found since the last call; null: none.
  std::function<std::shared_ptr<const SensorSetup>()> found = {};
};

}  // namespace panto
