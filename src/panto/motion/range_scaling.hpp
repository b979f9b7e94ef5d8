#pragma once
// A joint that leaves its limits is not clipped: each swing beyond a limit is scaled as a whole, from the
// turning point before it to the one behind it, so that its shape stays. For whole gestures, offline. [Tee et
// al., Robust Modular Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid Robot], Eqs.
// (33)-(42), with their corrections (docs/algorithms/range_scaling.md).

#include <span>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

struct ScaledRange {
  std::vector<double> q;       ///< [rad] or [m]
  std::vector<double> factor;  ///< dq_m/dq at every frame, 0 .. 1: what velocities are to be multiplied by
  std::vector<ScaledSwing> swings;
};

/// The samples `q` of one joint at increasing stamps `t`, brought into [lower, upper].
///   every value in [lower, upper]; |q_m,k+1 - q_m,k| <= |q_k+1 - q_k| and of the same sign or zero; frames
///   outside the swings unchanged to the bit; larger values of a swing stay larger; no jump where swings meet
/// whatever the samples. A swing with one end outside (the clip begins or ends there) takes the factor of its
/// other side. A clip that is outside throughout is moved to the limit, and scaled only if that does not fit.
/// Without samples the result is empty. O(n) times the width of the low-pass.
/// @throws ConfigError for options out of range, limits that are NaN or crossed, stamps that do not increase,
/// as many stamps as samples not being there, or a sample that is not finite, with its frame.
[[nodiscard]] ScaledRange scale_range(std::span<const Time> t, std::span<const double> q, double lower,
                                      double upper, const RangeScalingOptions& options = {});

struct RangeScaledMotion {
  Motion motion;  ///< same stamps, same base; velocities are multiplied by the factors
  RangeScalingReport report;
};

/// Every joint by `scale_range` within its limits of the model. A mimic goes as its source does, within the
/// limits of both. The sum of a coupled row that is then violated is scaled as a joint is, its joints moved
/// by their coefficients, which is the nearest change; rows and boxes in turn. Together these joints never
/// take longer steps than before. What then is left in a corner between rows is pulled towards the model's
/// rest pose, s = rest + g (s - rest), g as large as the rows allow, constant for a whole stretch and blended
/// before and behind it: so all limits and rows hold in every case. `joints`: which ones, by name; empty:
/// all. A coupled row is looked at only where all its joints are among them.
/// @throws ConfigError as above, with the joint; and for rows that cannot be kept: an equality that is not a
/// mimic and does not hold, rows that are to be pulled while the rest pose violates one; ModelError for
/// states that do not fit the model or are not finite, and for names that are not joints.
[[nodiscard]] RangeScaledMotion scale_range(const Motion& motion, const Model& model,
                                            const RangeScalingOptions& options = {},
                                            const std::vector<std::string>& joints = {});

}  // namespace panto
