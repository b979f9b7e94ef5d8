#pragma once
// Puts a recording on the floor z = 0: height and slope from many low standing frames, and what floats, frame
// by frame.

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/recording/recording.hpp"

namespace panto {

/// What the soles of one frame show, world axes [m]. NaN: not measured.
struct SoleFrame {
  Time t = 0;
  Eigen::Vector3d lowest = Eigen::Vector3d::Zero();  ///< lowest corner of both soles
  double root = 0.0;                                 ///< height of the pelvis
};

/// The floor under a person.
struct FloorFit {
  bool found = false;                             ///< enough frames show a sole at rest
  double height = 0.0;                            ///< at x = y = 0 [m]
  Eigen::Vector3d up = Eigen::Vector3d::UnitZ();  ///< unit, perpendicular to the floor
  double floats = 0.0;                            ///< median height of the floating soles above it [m]
  double floating_share = 0.0;  ///< share of frames in which both soles are over 8 cm above it, not in flight
  std::vector<double> drop;     ///< by frame: how far the body comes down [m]; empty: it does not float
};

/// Finds the floor: the plane through the soles that are low and slow, without outliers. The floor slopes
/// only if the person goes over it for over a metre. A body floats where both soles are off the floor and it
/// does not fall freely.
[[nodiscard]] FloorFit find_floor(const std::vector<SoleFrame>& frames);

/// Reads a recording once and rewinds it. Empty if it shows no feet.
[[nodiscard]] std::vector<SoleFrame> read_soles(Recording& recording);

/// Returns a sentence about soles that are over 10 cm off z = 0, or float, or about a slope over 1 degree;
/// else empty.
[[nodiscard]] std::string floor_note(const FloorFit& floor);

/// Returns the `floor_note` of a recording with the remedy; empty: nothing is wrong. Reads and rewinds
/// skeletons and points, which are in memory; others would be read from the file again, and get no note.
[[nodiscard]] std::string off_floor_note(Recording& recording);

/// Returns the recording, put on the floor. Adds a note of what was done to its notes. A recording without
/// feet or person stays as it is.
[[nodiscard]] std::unique_ptr<Recording> grounded(std::unique_ptr<Recording> recording);

}  // namespace panto
