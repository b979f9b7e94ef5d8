#pragma once
// Keeps the parts of a robot's body out of each other, one State after the other
// (docs/algorithms/clearance.md#live).

#include <vector>

#include "panto/retarget/clear_motion.hpp"

namespace panto {

struct LiveClearerOptions {
  double margin = 0.0;     ///< [m], >= 0
  double approach = 0.03;  ///< [s], > 0: a distance shrinks towards the margin by 1/e in this time at most
  double back = 0.1;       ///< [s], > 0: a change that is not needed any more goes back in about this time
  double speed_limit = kInfinity;
  std::vector<Obstacle> obstacles = {};
};

/// Changes joints of arms so that distances shrink no faster than allowed. Causal: what comes is unknown. No
/// allocation after construction.
class LiveClearer {
 public:
  /// The model must outlive it. @throws ConfigError for options out of range, ModelError as `ClearFrame`.
  LiveClearer(const Model& model, const ClearBody& body, const LiveClearerOptions& options);

  /// Returns whether the model has shapes, and joints that give way.
  [[nodiscard]] bool able() const noexcept { return frame_.able(); }
  /// Moves joints of `state`, within their limits. `before`: what was published `dt` [s] earlier; null: the
  /// State does not continue anything. `follows`: the State begins at `before`, as that of a solver in a
  /// loop; else it comes from elsewhere, and the change of the last call goes on. A State that is clear,
  /// after a change that is back, keeps its bits.
  void clear(const State* before, double dt, bool follows, State& state) noexcept;
  void reset() noexcept;

  /// Returns the pairs that the last call kept apart; by key.
  [[nodiscard]] const std::vector<unsigned char>& holding() const noexcept { return holding_; }

 private:
  using Index = Eigen::Index;

  bool add_rows(double share) noexcept;
  void set_bounds(const State* before, double dt) noexcept;
  void keep_speed(const State& before, double dt) noexcept;

  const Model* model_;
  LiveClearerOptions options_;
  ClearFrame frame_;
  Eigen::VectorXd off_, rate_, old_, x_, base_, lower_, upper_;  // by joint that gives way
  std::vector<double> distance_, now_;                           // by key
  std::vector<unsigned char> holding_;
};

}  // namespace panto
