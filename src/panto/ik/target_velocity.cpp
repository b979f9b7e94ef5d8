#include "panto/ik/target_velocity.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

bool is_finite(const Target& row) noexcept {
  // NaN or infinity anywhere makes the sum not finite
  double sum = 0.0;
  if (row.has_orientation) sum += row.R_WF.sum();
  if (row.has_position) sum += row.p_WF.sum();
  if (row.has_angular_velocity) sum += row.w_WF.sum();
  if (row.has_linear_velocity) sum += row.v_WF.sum();
  return std::isfinite(sum);
}

}  // namespace

const DynamicalOptions& checked(const DynamicalOptions& options) {
  const auto check = [](double value, const char* name, const char* range, bool right) {
    if (!right || !std::isfinite(value))
      throw ConfigError(std::string("option '") + name + "' is " + std::to_string(value) + ", must be " +
                        range);
  };
  check(options.max_interval, "max_interval", "> 0 [s]", options.max_interval > 0.0);
  check(options.max_extrapolation, "max_extrapolation", ">= 0 [s]", options.max_extrapolation >= 0.0);
  check(options.stuck_after, "stuck_after", ">= 0 [s]", options.stuck_after >= 0.0);
  const DampingOptions& damping = options.damping;
  check(damping.undetermined, "damping.undetermined", "> 0", damping.undetermined > 0.0);
  check(damping.determined, "damping.determined", ">= 0", damping.determined >= 0.0);
  check(damping.singular, "damping.singular", ">= 0", damping.singular >= 0.0);
  check(damping.rest_rate, "damping.rest_rate", ">= 0 [1/s]", damping.rest_rate >= 0.0);
  check(damping.regular_above, "damping.regular_above", "> damping.singular_below",
        damping.regular_above > damping.singular_below);
  check(damping.residual, "damping.residual", ">= 0", damping.residual >= 0.0);
  check(damping.still_speed, "damping.still_speed", "> 0 [rad/s]", damping.still_speed > 0.0);
  if (damping.uniform) check(*damping.uniform, "damping.uniform", "> 0", *damping.uniform > 0.0);
  return options;
}

Eigen::Vector3d orientation_residual(const Eigen::Matrix3d& R_target, const Eigen::Matrix3d& R,
                                     bool recover) noexcept {
  // half the sum of R's columns crossed with the target's
  Eigen::Vector3d r = Eigen::Vector3d::Zero();
  for (int k = 0; k < 3; ++k) r += 0.5 * R.col(k).cross(R_target.col(k));
  const double cosine = 0.5 * (R_target.cwiseProduct(R).sum() - 1.0);
  if (!recover || cosine > kCos150) return r;
  const Eigen::Vector3d v = so3::log(R_target * R.transpose());
  return 0.5 * v / v.norm();  // sin(150 deg) along the axis
}

StepStatus check_step(const Targets& targets, std::size_t rows, const State& state,
                      const Model& model) noexcept {
  if (targets.rows.size() != rows || state.s.size() != model.dof() || state.sdot.size() != model.dof())
    return StepStatus::SizeMismatch;
  if (targets.t <= state.t) return StepStatus::TimeNotAdvancing;
  bool any = false;
  for (const Target& row : targets.rows) {
    if (!is_finite(row)) return StepStatus::TargetNotFinite;
    any = any || row.has_orientation || row.has_position;
  }
  return any ? StepStatus::Solved : StepStatus::NoTarget;
}

double effective_gain(double gain, double dt, GainLaw law) noexcept {
  return law == GainLaw::Fixed ? gain : (1.0 - exp_decay(-gain * dt)) / dt;
}

Eigen::Vector3d mean_angular_velocity(const Target& now, const Target* before, double dt,
                                      const DynamicalOptions& options) noexcept {
  const bool both = before != nullptr && before->has_orientation;
  if (now.has_angular_velocity && options.velocity == VelocitySource::Measured) {
    if (options.pairing == Pairing::Printed) return now.w_WF;
    if (!both) return std::min(1.0, options.max_extrapolation / dt) * now.w_WF;
    if (before->has_angular_velocity && dt <= options.max_extrapolation)
      return 0.5 * (before->w_WF + now.w_WF);
  }
  return both ? Eigen::Vector3d(so3::log(now.R_WF * before->R_WF.transpose()) / dt) : Eigen::Vector3d::Zero();
}

Eigen::Vector3d mean_linear_velocity(const Target& now, const Target* before, double dt,
                                     const DynamicalOptions& options) noexcept {
  const bool both = before != nullptr && before->has_position;
  if (now.has_linear_velocity && options.velocity == VelocitySource::Measured) {
    if (options.pairing == Pairing::Printed) return now.v_WF;
    if (!both) return std::min(1.0, options.max_extrapolation / dt) * now.v_WF;
    if (before->has_linear_velocity && dt <= options.max_extrapolation)
      return 0.5 * (before->v_WF + now.v_WF);
  }
  return both ? Eigen::Vector3d((now.p_WF - before->p_WF) / dt) : Eigen::Vector3d::Zero();
}

Eigen::Vector3d corrected_angular_velocity(const Target& now, const Target* before,
                                           const Eigen::Matrix3d& R_WF, double dt,
                                           const DynamicalOptions& options) noexcept {
  const Eigen::Vector3d w = mean_angular_velocity(now, before, dt, options);
  Eigen::Vector3d r;
  if (options.pairing == Pairing::Printed) {
    r = orientation_residual(now.R_WF, R_WF, false);
  } else if (before != nullptr && before->has_orientation) {
    r = orientation_residual(before->R_WF, R_WF);
  } else {
    r = orientation_residual(now.R_WF, so3::exp(dt * w) * R_WF);
  }
  return w + effective_gain(now.orientation_gain, dt, options.gain_law) * r;
}

Eigen::Vector3d corrected_linear_velocity(const Target& now, const Target* before,
                                          const Eigen::Vector3d& p_WF, double dt,
                                          const DynamicalOptions& options) noexcept {
  const Eigen::Vector3d v = mean_linear_velocity(now, before, dt, options);
  Eigen::Vector3d r;
  if (options.pairing == Pairing::Printed) {
    r = now.p_WF - p_WF;
  } else if (before != nullptr && before->has_position) {
    r = before->p_WF - p_WF;
  } else {
    r = now.p_WF - (p_WF + dt * v);
  }
  return v + effective_gain(now.position_gain, dt, options.gain_law) * r;
}

void PreviousTargets::prime(const Targets& targets) noexcept {
  if (targets.rows.size() != targets_.rows.size()) return;
  targets_.t = targets.t;
  std::copy(targets.rows.begin(), targets.rows.end(), targets_.rows.begin());
  known_ = true;
}

void report_residuals(const Targets& targets, const Kinematics& kinematics, StepReport& report) noexcept {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    const double versine = 0.5 * (3.0 - row.R_WF.cwiseProduct(kinematics.R_WL(row.link)).sum());
    report.versine[j] = row.has_orientation ? std::max(0.0, versine) : unknown;
    report.origin_error[j] = row.has_position ? (row.p_WF - kinematics.p_WL(row.link)).norm() : unknown;
  }
}

}  // namespace panto
