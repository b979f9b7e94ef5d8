#pragma once
// Measures how well a robot follows in the directions in which its joints can turn, and whether limbs
// collapse.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// A link whose orientation is evaluated in some directions.
struct FollowedLink {
  TrackedPair pair;
  /// By axis of the segment: how well the joints between this link and the one before it turn it about that
  /// axis, 0 .. 1 (robot::MapReason::follows).
  Eigen::Vector3d follows = Eigen::Vector3d::Ones();
};

/// Collects a motion frame by frame.
class FollowingBuilder {
 public:
  /// From this value of `follows` on an axis counts as one that the link can turn about.
  static constexpr double kFollows = 0.5;

  /// The model must outlive this object; statistics leave out frames before `settle` [ns], collapses do not.
  FollowingBuilder(const Model& model, std::vector<FollowedLink> links, Time settle);

  /// Adds a solved frame: the robot's targets and its state. Ignores an invalid state.
  void add(const SegmentSample& sample, const State& state);

  [[nodiscard]] FollowingFigures report() const;

 private:
  struct Collapse {
    std::optional<Time> since;
    double longest = 0.0;  // [s]
  };

  const Model* model_;
  std::vector<FollowedLink> links_;
  Time settle_;
  Kinematics kinematics_;
  SampleStatistics settling_, settled_;  // [deg]
  std::vector<double> worst_;            // by link [deg], settled
  std::vector<Collapse> collapse_;
  std::optional<Time> first_;
};

}  // namespace panto
