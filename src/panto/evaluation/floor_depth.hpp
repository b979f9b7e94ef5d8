#pragma once
// Measures how deep any part of a body is under the floor.

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

  /// `parts` of the body by name; a part whose ends are one point is a ball.
  explicit FloorDepth(std::vector<Capsule> parts, double ground = 0.0);

  /// Adds a frame; `kinematics` must be up to date.
  void add(Time t, const Kinematics& kinematics);
  [[nodiscard]] std::int64_t frames() const noexcept { return frames_; }
  [[nodiscard]] FloorFigures report() const;

 private:
  std::vector<Capsule> parts_;
  double ground_;
  std::int64_t frames_ = 0, under_ = 0;
  Peak deepest_;
};

}  // namespace panto
