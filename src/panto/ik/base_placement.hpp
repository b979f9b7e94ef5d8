#pragma once
// Finds the base pose from one instant's targets alone; shared by methods that solve part by part.

#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// Places the base of one model. The model must outlive it.
class BasePlacement {
 public:
  BasePlacement(const Model& model, const std::vector<Target>& rows);

  /// Returns the first row with an orientation on that body in this sample; else nullptr.
  [[nodiscard]] const Target* row_of(const Targets& targets, int body) const noexcept;
  /// Returns the index of that row, whether measured or not; -1: none.
  [[nodiscard]] int row_index(int body) const noexcept;

  /// Sets the orientation of a floating base to its own target; if that is missing, to the one that follows
  /// from the nearest body with a target, with the joints in between as they are. May update `kinematics`.
  void orient(const Targets& targets, Kinematics& kinematics, State& state) const noexcept;
  /// Moves a floating base to the position targets on itself. Returns false if it floats and has none.
  [[nodiscard]] bool move(const Targets& targets, State& state) const noexcept;
  /// Else moves it to the mean of all other positions. `kinematics` must be up to date and stay so.
  void move_by_others(const Targets& targets, Kinematics& kinematics, State& state) const noexcept;

 private:
  const Model* model_;
  std::vector<int> row_of_body_;  // the first row with an orientation; -1: none
};

}  // namespace panto
