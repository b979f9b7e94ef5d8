#pragma once
// From measurements to the wanted velocities of links: shared by all velocity-level methods.
//
//   v* = v + K r:  v the feed-forward, r the pose residual, K the gain

#include <Eigen/Core>
#include <vector>

#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// Returns the options. @throws ConfigError naming the first that is out of range, its value and its range.
const DynamicalOptions& checked(const DynamicalOptions& options);

/// Returns what is wrong with `targets` for a solver of `rows` rows, or with `state`; Solved if nothing is.
[[nodiscard]] StepStatus check_step(const Targets& targets, std::size_t rows, const State& state,
                                    const Model& model) noexcept;

/// Cosine of 150 degrees, the angle beyond which residuals keep their length.
inline constexpr double kCos150 = -0.86602540378443864676;

/// Returns r_o = vee(sk(R_target R^T)), world axes: u sin(theta). Beyond 150 degrees its length stays sin(150
/// deg), so that theta = 180 degrees is no equilibrium. Departure: Eq. (5) takes the residual in the link's
/// axes and adds it to a velocity in world axes; that does not converge.
[[nodiscard]] Eigen::Vector3d orientation_residual(const Eigen::Matrix3d& R_target, const Eigen::Matrix3d& R,
                                                   bool recover = true) noexcept;

/// Returns the effective gain over `dt` [s]: K, or (1 - e^(-K dt))/dt.
[[nodiscard]] double effective_gain(double gain, double dt, GainLaw law) noexcept;

/// Returns the feed-forward of the interval of `dt` that ends at `now` and began at `before` (nullptr: its
/// start is unknown). The mean of the rates measured at both ends if the interval is short, else from both
/// poses; without a pose before, the known rate applies to `max_extrapolation` of the interval; else zero.
/// [rad/s], [m/s], world axes.
[[nodiscard]] Eigen::Vector3d mean_angular_velocity(const Target& now, const Target* before, double dt,
                                                    const DynamicalOptions& options) noexcept;
[[nodiscard]] Eigen::Vector3d mean_linear_velocity(const Target& now, const Target* before, double dt,
                                                   const DynamicalOptions& options) noexcept;

/// Returns v* of one row whose link is at R_WF, p_WF at the interval's start. Residual and feed-forward
/// belong to the same interval (`Pairing`); a row without a previous sample is compared with the link moved
/// by the feed-forward. [rad/s], [m/s], world axes.
[[nodiscard]] Eigen::Vector3d corrected_angular_velocity(const Target& now, const Target* before,
                                                         const Eigen::Matrix3d& R_WF, double dt,
                                                         const DynamicalOptions& options) noexcept;
[[nodiscard]] Eigen::Vector3d corrected_linear_velocity(const Target& now, const Target* before,
                                                        const Eigen::Vector3d& p_WF, double dt,
                                                        const DynamicalOptions& options) noexcept;

/// The previous sample, which a solver must remember in addition to the State.
class PreviousTargets {
 public:
  explicit PreviousTargets(const std::vector<Target>& rows) { targets_.rows = rows; }

  /// Remembers a sample; does nothing if the number of rows differs.
  void prime(const Targets& targets) noexcept;
  /// Returns row j of the previous sample if it is of the instant `t`, else nullptr.
  [[nodiscard]] const Target* row(std::size_t j, Time t) const noexcept {
    return known_ && targets_.t == t ? &targets_.rows[j] : nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept { return targets_.rows.size(); }

 private:
  Targets targets_;
  bool known_ = false;
};

/// Fills `versine` and `origin_error` of the report with the residuals between `targets` and the model.
void report_residuals(const Targets& targets, const Kinematics& kinematics, StepReport& report) noexcept;

}  // namespace panto
