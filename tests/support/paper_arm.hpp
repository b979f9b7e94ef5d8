#pragma once
// The arm that Tee et al. simulate, what is measured of it, and its errors under any solver: through three
// singular poses, Eq. (30), and held where all three are singular at once, Eq. (31).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/random_numbers.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto::test {

inline constexpr double kArmRate = 80.0;     // [Hz] of the paper's motion capture
inline constexpr double kPointNoise = 1e-3;  // [m] of elbow and wrist, each component
inline constexpr double kTurnNoise = 1e-3;   // [rad] of the hand, about each axis: the same in vec R

/// What the paper measures: elbow, wrist and the hand's orientation, 15 numbers.
inline std::vector<Target> paper_rows(const Model& model, double gain = 5.0) {
  Target elbow, hand;
  elbow.link = model.link_index("forearm");
  elbow.orientation_weight = 0.0;
  hand.link = model.link_index("hand");
  elbow.position_weight = hand.position_weight = 1.0;
  for (Target* row : {&elbow, &hand}) row->orientation_gain = row->position_gain = gain;
  return {elbow, hand};
}

/// The paper's law.
inline SolverOptions rates(double gain, double epsilon) {
  SolverOptions options;
  options.modular.law = ModularLaw::Rates;
  options.modular.gain = gain;
  options.modular.epsilon = epsilon;
  return options;
}

inline SolverOptions drift_free(double epsilon) {
  SolverOptions options;
  options.modular.epsilon = epsilon;
  return options;
}

/// Eq. (29), corrected, as weights of the damped Jacobian: J' Lambda^-1 J + I. Lambda_p for the six rows of
/// positions, Lambda_r for the nine of vec R, whose Jacobian is that of the angular velocity twice over.
inline void damp_as_printed(std::vector<Target>& rows, double lambda_p, double lambda_r,
                            SolverOptions& options) {
  for (Target& row : rows) {
    row.position_weight = 1.0 / lambda_p;
    if (row.orientation_weight > 0.0) row.orientation_weight = 2.0 / lambda_r;
  }
  options.damped_jacobian.damping = JacobianDamping::Constant;
  options.damped_jacobian.lambda = 1.0;
}

/// Poses and velocities of the links that rows are of; which of them are measured is not set.
inline void look_at(const Kinematics& kinematics, std::vector<Target>& rows) {
  for (Target& row : rows) {
    row.R_WF = kinematics.R_WL(row.link);
    row.p_WF = kinematics.p_WL(row.link);
    row.w_WF = kinematics.w_WL(row.link);
    row.v_WF = kinematics.v_WL(row.link);
  }
}

/// The arm, its truth and what is measured of it.
class Arm {
 public:
  Arm(const char* motion, std::uint64_t seed = 0)
      : synthesis_(make_synthesis(motion, model_)), kinematics_(model_), engine_(seed), noisy_(seed > 0) {}

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const State& truth() const { return truth_; }

  void observe(Time t, Targets& targets) {
    truth_ = synthesis_.state(t);
    kinematics_.update_with_velocities(truth_);
    targets.t = t;
    look_at(kinematics_, targets.rows);
    for (Target& row : targets.rows) {
      row.has_position = true;
      row.has_orientation = row.orientation_weight > 0.0;
      row.has_linear_velocity = !noisy_;
      row.has_angular_velocity = row.has_orientation && !noisy_;
      if (!noisy_) continue;
      row.p_WF += kPointNoise * draw();
      row.R_WF = so3::exp(kTurnNoise * draw()) * row.R_WF;
    }
  }

 private:
  Eigen::Vector3d draw() {
    const double x = normal(engine_), y = normal(engine_);
    return {x, y, normal(engine_)};
  }

  Model model_ = io::shipped_robot("tee7");
  Synthesis synthesis_;
  Kinematics kinematics_;
  State truth_;
  std::mt19937_64 engine_;
  bool noisy_;
};

/// A step of a solver that follows the arm, and what is true there.
using ArmStep = std::function<void(StepStatus status, const State& state, const State& truth)>;

/// From the true state on, every step at `rate_hz`.
inline void follow(Arm& arm, SolverKind kind, SolverOptions options, std::vector<Target> rows, double seconds,
                   const ArmStep& seen, double rate_hz = kArmRate) {
  Targets targets{0, std::move(rows)};
  options.dynamical.max_interval = 1.0;
  const auto solver = make_solver(kind, arm.model(), targets.rows, options);
  arm.observe(0, targets);
  solver->prime(targets);
  State state = arm.truth();
  for (int k = 1; k <= static_cast<int>(seconds * rate_hz); ++k) {
    arm.observe(frame_time(k, rate_hz), targets);
    const StepStatus status = solver->step(targets, state);
    seen(status, state, arm.truth());
  }
}

/// s of shoulder, elbow and wrist: how far each is from its singular pose, 0 there.
inline Eigen::Vector3d arm_s(const Eigen::VectorXd& q) {
  const Eigen::Array3d rho(std::cos(q[1]), std::sin(q[3]), std::cos(q[5]));
  return rho.square();
}

}  // namespace panto::test
