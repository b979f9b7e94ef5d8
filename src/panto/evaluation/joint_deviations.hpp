#pragma once
// Summarises a tracker's uncertainty of the joints of a run from its own standard deviations.

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Of a joint of which nothing is known: an angle that is anywhere on the circle [rad].
inline constexpr double kUnknownAngle = 1.8137993642342178;  // pi / sqrt(3)

/// Collects a run frame by frame.
class JointDeviations {
 public:
  /// The model must outlive it. Frames earlier than `settle` [ns] after the first count only if there are no
  /// others. @throws ConfigError for negative settle.
  JointDeviations(const Model& model, Time settle);

  /// Adds standard deviations at `t`, State::s order [rad] or [m]; not finite: unknown. Ignores a vector of
  /// another size. `held`: joints that do not count in this frame; empty: none.
  void add(Time t, const Eigen::VectorXd& deviation, const std::vector<unsigned char>& held = {});

  /// Returns the summary. `measured`: by joint whether a sensor measures it; empty: all. A filter's values
  /// for other joints only repeat its assumptions.
  [[nodiscard]] KnownJoints known(const std::vector<unsigned char>& measured = {}) const;

 private:
  struct Sums {
    Eigen::VectorXd squares;
    std::vector<std::int64_t> count;
    bool any = false;
  };

  const Model* model_;
  Time settle_;
  std::optional<Time> first_;
  Sums settling_, settled_;
};

}  // namespace panto
