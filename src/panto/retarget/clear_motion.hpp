#pragma once
// Moves the parts of a robot's body out of each other, over a whole clip (docs/algorithms/clearance.md).

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/capsules.hpp"
#include "panto/model/model.hpp"
#include "panto/motion/motion.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

struct ClearMotionOptions {
  double margin = 0.0;             ///< [m] smallest distance; 0: parts may touch
  double time = 0.05;              ///< [s], > 0: larger: a calmer correction, which begins earlier
  int rounds = 8;                  ///< > 0: at most so many corrections
  double speed_limit = kInfinity;  ///< of all joints, beside the model's own [rad/s]
};

/// An overlap that remains.
struct RemainingOverlap {
  std::string first, second;  ///< names of the capsules
  double depth = 0.0;         ///< [m]
  Time t = 0;
};

struct ClearMotionReport {
  std::int64_t frames = 0;                  ///< with an overlap before
  std::int64_t left = 0;                    ///< with one afterwards
  double change_rad = 0.0;                  ///< largest change of a joint [rad]
  std::optional<RemainingOverlap> deepest;  ///< of those that remain
};

/// Returns what a change of each joint costs, in State::s order: the more of the body a joint moves, the more
/// it costs. Infinite: the joint keeps its position, as those in coupled rows do.
[[nodiscard]] Eigen::VectorXd giving_costs(const Model& model, const robot::Skeleton& skeleton);

/// Changes joints so that the pairs of `body` do not overlap. Every frame gets the smallest change, weighted by
/// `costs`, and changes are smooth over time. Frames far from overlaps keep their bits. Positions keep their
/// limits. Velocities are not set. `cuts`: frames that do not continue the one before. @throws ConfigError for
/// options out of range, ModelError for costs or capsules that do not fit.
ClearMotionReport clear_motion(const Model& model, const CapsuleBody& body, const Eigen::VectorXd& costs,
                               const ClearMotionOptions& options, const std::vector<int>& cuts,
                               Motion& motion);

}  // namespace panto
