#pragma once
// Scales joints into their limits instead of clipping them: each swing beyond a limit is scaled as a whole,
// from the turning point before it to the one after it, which keeps its shape. For whole gestures, offline.
// [Tee et al., Robust Modular Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid Robot], Eqs.
// (33)-(42), with their corrections (docs/algorithms/range_scaling.md).

#include <span>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

struct ScaledRange {
  std::vector<double> q;       ///< [rad] or [m]
  std::vector<double> factor;  ///< dq_m/dq at every frame, 0 .. 1: multiply velocities by it
  std::vector<ScaledSwing> swings;
};

/// Scales the samples `q` of one joint at increasing stamps `t` into [lower, upper]. For all samples:
///   every value in [lower, upper]; |q_m,k+1 - q_m,k| <= |q_k+1 - q_k| and of the same sign or zero; frames
///   outside the swings unchanged to the bit; larger values of a swing stay larger; no jump where swings
///   meet.
/// A swing with one end outside (the clip begins or ends there) takes the factor of its other side. A clip
/// that is outside throughout is shifted to the limit, and scaled only if it still does not fit. Without
/// samples the result is empty. O(n) times the width of the low-pass.
/// @throws ConfigError for options out of range, limits that are NaN or crossed, stamps that do not increase,
/// different numbers of stamps and samples, or a sample that is not finite or beyond 1e9, with its frame.
[[nodiscard]] ScaledRange scale_range(std::span<const Time> t, std::span<const double> q, double lower,
                                      double upper, const RangeScalingOptions& options = {});

struct RangeScaledMotion {
  Motion motion;  ///< same stamps and base; velocities are multiplied by the factors
  RangeScalingReport report;
};

/// Scales every joint into its model limits by `scale_range`. A mimic follows its source, within the limits
/// of both. The sum of a coupled row that is still violated is scaled like a joint; its joints move by their
/// coefficients, which is the nearest change. Rows and boxes alternate. The steps of these joints together
/// never grow. Violations left in a corner between rows are pulled towards the model's rest pose, s = rest +
/// g (s - rest), with the largest g that the rows allow, constant over a stretch and blended before and after
/// it. So all limits and rows hold in every case. `joints`: selected joints by name; empty: all. A coupled
/// row counts only when all its joints are selected. @throws ConfigError as above, with the joint, and for
/// rows that cannot be met: an equality that is not a mimic and does not hold, or a rest pose that violates a
/// row that needs pulling; ModelError for states that do not fit the model or are not finite, and for names
/// that are not joints.
[[nodiscard]] RangeScaledMotion scale_range(const Motion& motion, const Model& model,
                                            const RangeScalingOptions& options = {},
                                            const std::vector<std::string>& joints = {});

}  // namespace panto
