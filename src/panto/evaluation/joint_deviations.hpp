#pragma once
// How surely a tracker knew the joints of a run, from the standard deviations that it says itself.

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
  /// The model must outlive it. Frames earlier than `settle` [ns] after the first do not count, unless there
  /// are no others. @throws ConfigError for negative settle.
  JointDeviations(const Model& model, Time settle);

  /// Standard deviations at `t`, State::s order [rad] or [m]; what is not finite is not known. A vector of
  /// another size is not looked at.
  void add(Time t, const Eigen::VectorXd& deviation);

  /// `measured`: by joint whether a sensor tells of it; empty: of all. What else a filter says of joints is
  /// what it was told to assume.
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
