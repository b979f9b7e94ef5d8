#pragma once
// Turns a moving person to face forward from a chosen instant on, and puts them at the origin.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/model/state.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Turns poses about the vertical and shifts them along the floor. `ask` chooses turn and shift anew, so that
/// in the next pose the pelvis is above the origin and faces along x: for sensors that drift and headsets
/// that were re-centred. Before the first `ask` everything passes unchanged, to the bit. No allocation after
/// construction.
class Realignment {
 public:
  /// For samples of these segments.
  explicit Realignment(const std::vector<std::string>& segments);
  /// For States.
  Realignment() = default;

  /// Returns whether samples tell where the person is: they have a pelvis.
  [[nodiscard]] bool able() const noexcept { return pelvis_ >= 0; }
  /// The next sample whose pelvis has an orientation, or the next State, is the pose that counts.
  void ask() noexcept { asked_ = true; }
  /// Returns the sample, turned and shifted. That of a new choice is a `cut`. Valid until the next call.
  [[nodiscard]] const SegmentSample& apply(const SegmentSample& sample) noexcept;
  /// Turns and shifts the base. Returns true for that of a new choice.
  bool apply(State& state) noexcept;

 private:
  void choose(const Eigen::Vector3d& position, const Eigen::Matrix3d& orientation) noexcept;

  int pelvis_ = -1;
  bool asked_ = false, moves_ = false;
  Eigen::Matrix3d turn_ = Eigen::Matrix3d::Identity();
  Eigen::Vector3d shift_ = Eigen::Vector3d::Zero();  // after the turn [m]
  SegmentSample moved_;
};

}  // namespace panto
