#pragma once
// Measures how deep any part of a body is under the floor, and how long all of it floats.

#include <string>
#include <vector>

#include "panto/evaluation/capsules.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/peak.hpp"

namespace panto {

/// Collects a motion frame by frame.
class FloorDepth {
 public:
  static constexpr double kUnder = 0.01;  ///< [m] deeper is seen
  static constexpr double kOver = 0.05;   ///< [m] from here on nothing touches the floor

  /// `parts` of the body by name; a part whose ends are one point is a ball.
  explicit FloorDepth(std::vector<Capsule> parts, double ground = 0.0);

  /// Adds a frame; `kinematics` must be up to date.
  void add(Time t, const Kinematics& kinematics);
  /// Marks a cut: no time over the floor crosses this point.
  void interrupt() noexcept { over_since_.reset(); }
  [[nodiscard]] std::int64_t frames() const noexcept { return frames_; }
  [[nodiscard]] FloorFigures report() const;

 private:
  std::vector<Capsule> parts_;
  double ground_;
  std::int64_t frames_ = 0, under_ = 0;
  std::optional<Time> over_since_;
  Peak deepest_, longest_;
};

}  // namespace panto
