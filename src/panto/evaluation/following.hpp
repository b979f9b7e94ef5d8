#pragma once
// How well a robot follows in the directions in which its joints can turn, and whether it collapses.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// A link whose orientation is judged in some directions.
struct FollowedLink {
  TrackedPair pair;
  /// By axis of the segment: how well the joints between this link and the one before it turn it about that
  /// axis, 0 .. 1 (robot::MapReason::follows).
  Eigen::Vector3d follows = Eigen::Vector3d::Ones();
};

/// Collects a motion frame by frame.
class FollowingBuilder {
 public:
  /// Follows at least so well: counts as an axis that the link can turn about.
  static constexpr double kFollows = 0.5;

  /// The model must outlive it; frames before `settle` [ns] are no statistics, but collapses count.
  FollowingBuilder(const Model& model, std::vector<FollowedLink> links, Time settle);

  /// A frame that was answered: what the robot should have done, and did. A state that is not valid is left
  /// out.
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
