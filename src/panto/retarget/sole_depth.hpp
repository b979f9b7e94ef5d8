#pragma once
// Measures how deep a robot's feet penetrate the floor.

#include <string>
#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/motion/base_lift.hpp"
#include "panto/retarget/foot_plan.hpp"

namespace panto {

/// Penetration depth of a robot's lowest sole below the floor z = 0, frame by frame.
class SoleDepth {
 public:
  /// `sides`: the feet. The model must outlive it.
  SoleDepth(const Model& model, const robot::Skeleton& skeleton, const std::vector<int>& sides);

  /// Adds the robot's next state; `cut`: it does not continue the previous one.
  void add(const State& state, bool cut);
  [[nodiscard]] bool any() const noexcept { return !feet_.empty(); }
  [[nodiscard]] std::vector<double> lift() const { return base_lift(t_, depth_, {}, cuts_); }

 private:
  std::vector<FootCorners> feet_;
  Kinematics kinematics_;
  std::vector<Time> t_;
  std::vector<double> depth_;
  std::vector<int> cuts_;
};

/// Returns a note of the largest of `lift`; empty: nothing is raised.
[[nodiscard]] std::string raised_note(const std::vector<double>& lift);

}  // namespace panto
