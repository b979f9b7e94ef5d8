#pragma once
// Where the base is, from one instant's targets alone: what methods share that solve part by part.

#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// Places the base of one model. The model must outlive it.
class BasePlacement {
 public:
  BasePlacement(const Model& model, const std::vector<Target>& rows);

  /// The first row with an orientation on that body, if it has one in this sample; else nullptr.
  [[nodiscard]] const Target* row_of(const Targets& targets, int body) const noexcept;
  /// Index of that row, whatever the sample; -1: none.
  [[nodiscard]] int row_index(int body) const noexcept;

  /// A floating base takes its own orientation; where that is missing the one that the nearest body with a
  /// target asks for, with the joints in between as they are. May update `kinematics`.
  void orient(const Targets& targets, Kinematics& kinematics, State& state) const noexcept;
  /// A floating base goes where positions on itself say. False: it floats and there are none.
  [[nodiscard]] bool move(const Targets& targets, State& state) const noexcept;
  /// Then the mean of all other positions says it. `kinematics` are up to date and stay so.
  void move_by_others(const Targets& targets, Kinematics& kinematics, State& state) const noexcept;

 private:
  const Model* model_;
  std::vector<int> row_of_body_;  // the first with an orientation; -1: none
};

}  // namespace panto
