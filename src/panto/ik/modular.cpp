#include "panto/ik/modular.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNoTurn = 1e-6;                    // of x^2 + z^2: the direction lies along a hinge
constexpr double kOutside = 1e-6;                   // [rad] beyond a limit: the other branch is looked at
constexpr Regularisation kOfRates{2.0, 0.01, 0.1};  // of the paper's law  (theory, section 2.4)

const ModularOptions& checked_modular(const ModularOptions& options, const Model& model) {
  const auto check = [](double value, const char* name, const char* range, bool right) {
    if (!right || !std::isfinite(value))
      throw ConfigError(std::string("option '") + name + "' is " + std::to_string(value) + ", must be " +
                        range);
  };
  if (options.epsilon) check(*options.epsilon, "modular.epsilon", ">= 0", *options.epsilon >= 0.0);
  check(options.inner, "modular.inner", ">= 0", options.inner >= 0.0);
  const double outer = regularisation_of(options).outer;
  check(outer, "modular.outer", "> modular.inner", outer > options.inner);
  check(options.gain, "modular.gain", ">= 0 [1/s]", options.gain >= 0.0);
  if (options.ranges &&
      !(options.ranges->lower.size() == model.dof() && options.ranges->upper.size() == model.dof() &&
        (options.ranges->lower.array() <= options.ranges->upper.array()).all()))
    throw ConfigError("option 'modular.ranges' must have a lower and an upper limit for each of " +
                      counted(model.dof(), "joint") + ", lower <= upper");
  return options;
}

const DynamicalOptions& checked_rows(const Model& model, const std::vector<Target>& rows,
                                     const DynamicalOptions& motion) {
  (void)VelocityProblem(model, rows, checked(motion).damping, false);  // throws where a row is out of range
  return motion;
}

// Of a speed: what it takes to stop from it by the law, as a share of its square [s^2/rad].
double half_slowness(const LimitOptions& limits) {
  if (limits.law == LimitLaw::Tanh) return kInfinity;
  return limits.law == LimitLaw::Braking ? 0.5 / limits.max_deceleration : 0.0;
}

double across2(const Vector3d& u) noexcept { return u.x() * u.x() + u.y() * u.y(); }

}  // namespace

Regularisation regularisation_of(const ModularOptions& options) noexcept {
  const Regularisation usual = options.law == ModularLaw::Rates ? kOfRates : Regularisation{};
  return {options.epsilon.value_or(usual.epsilon), options.inner, options.outer.value_or(usual.outer)};
}

ModularSolver::ModularSolver(const Model& model, const std::vector<Target>& rows,
                             const DynamicalOptions& motion, const ModularOptions& options)
    : model_(&model),
      motion_(checked_rows(model, rows, motion)),
      options_(checked_modular(options, model)),
      regularisation_(regularisation_of(options)),
      base_(model, rows),
      modules_(find_modules(model, rows, options.modules)),
      kinematics_(model),
      limits_(model, motion.limits),
      previous_(rows),
      bounded_(motion.limits.law != LimitLaw::None),
      guided_(bounded_ || options.ranges.has_value()),
      half_slowness_(half_slowness(motion.limits)),
      lower_(Eigen::VectorXd::Constant(model.dof(), -kInfinity)),
      upper_(Eigen::VectorXd::Constant(model.dof(), kInfinity)),
      R_(at(model.tree().size()), Matrix3d::Identity()),
      p_(R_.size(), Vector3d::Zero()),
      w_(p_),
      v_(p_),
      next_(panto::rest_state(model)) {
  const Eigen::VectorXd& lower = options_.ranges ? options_.ranges->lower : model.lower();
  const Eigen::VectorXd& upper = options_.ranges ? options_.ranges->upper : model.upper();
  for (const Module& module : modules_) {
    ModuleLimits limits{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    for (std::size_t k = 0; k < 3; ++k) {
      if (module.dof[k] < 0) continue;
      const double shift = k == 1 ? module.mu : 0.0;
      limits.lower[k] = lower[module.dof[k]] + shift;
      limits.upper[k] = upper[module.dof[k]] + shift;
    }
    module_limits_.push_back(limits);
  }
  report_.versine.assign(rows.size(), 0.0);
  report_.origin_error = report_.versine;
  plan_report(rows);
}

// ---- one module ----

Vector3d ModularSolver::angles_of(const Module& module, const State& state) const noexcept {
  Vector3d q = Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    if (module.dof[at(k)] >= 0) q[k] = state.s[module.dof[at(k)]];
  }
  q[1] += module.mu;
  return q;
}

// The law without drift.
bool ModularSolver::follow(const Module& module, const Reading& reading, Vector3d& q) noexcept {
  if (module.kind == ModuleKind::Spherical) {
    if (!reading.orientation) return false;
    q = guided_ ? follow_orientation(reading.R, q, limits_of(module), regularisation_)
                : follow_orientation(reading.R, q, regularisation_);
    return true;
  }
  if (!reading.direction) return false;
  const Vector3d& u = reading.u;
  if (module.kind == ModuleKind::Hinge) {
    if (u.x() * u.x() + u.z() * u.z() < kNoTurn) return false;
    q[1] = euler::unwrap(tilt_of(u, SinCos{0.0, 1.0}, module.d), q[1]);
    return true;
  }
  const bool by_axis = reading.tilt_axis && !module.direction_first;
  const double told = by_axis ? 0.0 : confidence(across2(u), regularisation_);
  if (told > 0.0)
    q[0] = guided_ ? follow_pan(u, {q[0], q[1]}, module.d, limits_of(module), regularisation_)
                   : follow_pan(u, q[0], regularisation_);
  if (reading.tilt_axis && told < 1.0)
    q[0] += (1.0 - told) * (follow_axis(reading.axis, q[0], regularisation_) - q[0]);
  const double near = q[1];
  q[1] = euler::unwrap(tilt_of(u, turn_by(q[0]), module.d), near);
  if (guided_) (void)turn_inside(q[1], limits_of(module).lower[1], limits_of(module).upper[1], near);
  return true;
}

// Sine and cosine of a pan, which one module asks for more than once.
const SinCos& ModularSolver::turn_by(double pan) noexcept {
  if (pan != pan_) pan_turn_ = sincos(pan_ = pan);
  return pan_turn_;
}

// The same from nowhere: branches by the limits.
bool ModularSolver::choose(const Module& module, const Reading& reading, Vector3d& q) const noexcept {
  const ModuleLimits& limits = limits_of(module);
  if (module.kind == ModuleKind::Spherical) {
    if (reading.orientation) q = choose_spherical(reading.R, q, limits);
    return reading.orientation;
  }
  if (!reading.direction) return false;
  const Vector3d& u = reading.u;
  const bool unsure = across2(u) < (reading.tilt_axis ? regularisation_.outer : regularisation_.inner);
  if (module.kind == ModuleKind::PanTilt && !unsure && (module.direction_first || !reading.tilt_axis)) {
    const PanTilt chosen = choose_pan_tilt(u, module.d, {q[0], q[1]}, limits);
    q.head<2>() << chosen.pan, chosen.tilt;
    return true;
  }
  Vector3d found = q;
  if (reading.tilt_axis) found[0] = follow_axis(reading.axis, q[0], {0.0, 0.0, 1.0});
  found[1] = tilt_of(u, found[0], module.d);
  for (int k = 0; k < 2; ++k) (void)turn_inside(found[k], limits.lower[at(k)], limits.upper[at(k)], q[k]);
  q = found;
  return true;
}

// Where a branch has run into a limit and the other one has not.
void ModularSolver::keep_inside(const Module& module, const Reading& reading, Vector3d& q) const noexcept {
  const ModuleLimits& limits = limits_of(module);
  const auto beyond = [&](const Vector3d& angles) {
    double most = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double angle = angles[static_cast<Eigen::Index>(k)];
      if (module.dof[k] >= 0) most = std::max({most, limits.lower[k] - angle, angle - limits.upper[k]});
    }
    return most;
  };
  if (!(beyond(q) > kOutside)) return;
  const bool ball = module.kind == ModuleKind::Spherical;
  const double s =
      ball ? reading.R(2, 1) * reading.R(2, 1) + reading.R(2, 2) * reading.R(2, 2) : across2(reading.u);
  if (module.kind != ModuleKind::Hinge && s < regularisation_.outer) return;
  Vector3d other = q;
  if (choose(module, reading, other) && !(beyond(other) > 0.0)) q = other;
}

// Rates at the angles q; false: nothing to go by.
bool ModularSolver::rates(const Module& module, const Reading& reading, const Vector3d& q, double gain,
                          Vector3d& rate) noexcept {
  rate.setZero();
  if (module.kind == ModuleKind::Spherical) {
    if (!reading.orientation) return false;
    rate = spherical_rates(reading.R, reading.R_rate, q, gain, regularisation_);
    return true;
  }
  if (!reading.direction) return false;
  const Vector3d& u = reading.u;
  const PanTilt now{q[0], q[1]};
  if (module.kind == ModuleKind::PanTilt) {
    const bool by_axis = reading.tilt_axis && !module.direction_first;
    const double told = by_axis ? 0.0 : confidence(across2(u), regularisation_);
    if (!by_axis) rate[0] = pan_rate(u, reading.u_rate, now, module.d, gain, regularisation_);
    if (reading.tilt_axis && told < 1.0)
      rate[0] +=
          (1.0 - told) * axis_pan_rate(reading.axis, reading.axis_rate, now.pan, gain, regularisation_);
  }
  rate[1] = gain > 0.0 ? tilt_rate(u, reading.u_rate, now, rate[0], module.d, gain)
                       : tilt_rate(u, reading.u_rate, turn_by(now.pan), rate[0]);
  return true;
}

// True where a joint may surely go that way: inside its speed, and able to stop before its limit by any law
// but the tanh.
bool ModularSolver::surely_free(int i, double now, double way, double dt) const noexcept {
  const double left = way > 0.0 ? model_->upper()[i] - now : now - model_->lower()[i];
  const double size = std::abs(way), speed = size / dt;
  const double brake = speed * speed * half_slowness_;
  return speed <= limits_.speed()[at(i)] && size + brake <= left;
}

// Joints to the angles q, as far as the bounds let them.
void ModularSolver::move(const Module& module, const Vector3d& q, double dt, const State& state) noexcept {
  for (int k = 0; k < 3; ++k) {
    const int i = module.dof[at(k)];
    if (i < 0) continue;
    const double wanted = k == 1 ? q[k] - module.mu : q[k], now = state.s[i], way = wanted - now;
    next_.s[i] = wanted;
    if (!bounded_ || surely_free(i, now, way, dt)) continue;
    if (!bounds_known_) limits_.velocity_bounds(state.s, dt, lower_, upper_);
    bounds_known_ = true;
    const double held = now + std::clamp(way, dt * lower_[i], dt * upper_[i]);
    const bool cut = way < dt * lower_[i] || way > dt * upper_[i];
    const double reached =
        std::clamp(cut ? held : wanted, std::min(model_->lower()[i], now), std::max(model_->upper()[i], now));
    report_.clamped += cut && std::abs(reached - held) > 1e-12 ? 1 : 0;
    report_.active_bounds += reached != wanted ? 1 : 0;
    next_.s[i] = reached;
  }
}

// A module that nothing tells.
void ModularSolver::rest(const Module& module, double dt, const State& state) noexcept {
  const double share = 1.0 - exp_decay(-motion_.damping.rest_rate * dt);
  Vector3d q = angles_of(module, state);
  for (int k = 0; k < 3; ++k) {
    const int i = module.dof[at(k)];
    if (i >= 0) q[k] += share * (model_->rest()[i] - state.s[i]);
  }
  move(module, q, dt, state);
}

// Rates that a State may say: inside the speed limits, not further out at a limit.
void ModularSolver::publish(const Module& module, const Vector3d& rate, State& state) const noexcept {
  for (int k = 0; k < 3; ++k) {
    const int i = module.dof[at(k)];
    if (i < 0) continue;
    state.sdot[i] = rate[k];
    if (!bounded_) continue;
    const double speed = limits_.speed()[at(i)];
    state.sdot[i] = std::clamp(rate[k], state.s[i] <= model_->lower()[i] ? 0.0 : -speed,
                               state.s[i] >= model_->upper()[i] ? 0.0 : speed);
  }
}

// The last body where the angles put it, and how it moves at these rates. A turn about a coordinate axis only
// mixes two columns, and leaves the axis of the next joint as the third.
void ModularSolver::place(const Module& module, const Matrix3d& A, const Vector3d& q,
                          const Vector3d& rate) noexcept {
  const std::size_t parent = at(module.parent), last = at(module.last);
  const SinCos tilt = sincos(q[1]);
  Vector3d w = w_[parent];
  Matrix3d N = A;
  if (module.kind != ModuleKind::Hinge) {
    const SinCos& pan = turn_by(q[0]);
    w += rate[0] * N.col(2);
    N = rotated_about<2>(N, pan.sin, pan.cos);
  }
  w += rate[1] * N.col(1);
  N = rotated_about<1>(N, tilt.sin, tilt.cos);
  if (module.kind == ModuleKind::Spherical) {
    const SinCos roll = sincos(q[2]);
    w += rate[2] * N.col(0);
    N = rotated_about<0>(N, roll.sin, roll.cos);
  }
  R_[last].noalias() = N * module.Q;
  w_[last] = w;
  const Vector3d to = R_[parent] * module.centre_P, back = R_[last] * module.centre_B;
  p_[last] = p_[parent] + to - back;
  v_[last] = v_[parent] + w_[parent].cross(to) - w.cross(back);
}

// ---- all modules ----

void ModularSolver::begin_at(const State& state) noexcept {
  R_[0] = state.R_WB;
  p_[0] = state.p_WB;
  w_[0] = state.w_WB;
  v_[0] = state.v_WB;
}

// The law without drift: angles first, then the rates of the instant, where they are measured.
void ModularSolver::step_angles(const Moment& moment, const State& state) noexcept {
  begin_at(next_);
  for (const Module& module : modules_) {
    const Matrix3d A = R_[at(module.parent)] * module.P;
    const Reading reading = read(module, moment, A);
    const Vector3d before = angles_of(module, state);
    Vector3d q = before, rate;
    const bool told = follow(module, reading, q);
    if (told) {
      if (guided_) keep_inside(module, reading, q);
      move(module, q, moment.dt, state);
    } else if (!module.told()) {
      rest(module, moment.dt, state);
    }
    q = angles_of(module, next_);
    if (!reading.rated || !rates(module, reading, q, 0.0, rate)) rate = (q - before) / moment.dt;
    publish(module, rate, next_);
    place(module, A, q, angle_rates(module, next_));
  }
}

// The paper's law: rates at the interval's beginning, integrated.
void ModularSolver::step_rates(const Moment& moment, const State& state) noexcept {
  begin_at(state);
  w_[0] = so3::log(next_.R_WB * state.R_WB.transpose()) / moment.dt;
  v_[0] = (next_.p_WB - state.p_WB) / moment.dt;
  const double gain = effective_gain(options_.gain, moment.dt, motion_.gain_law);
  for (const Module& module : modules_) {
    const Matrix3d A = R_[at(module.parent)] * module.P;
    const Vector3d q = angles_of(module, state);
    Vector3d rate;
    if (rates(module, read(module, moment, A), q, gain, rate)) {
      move(module, q + moment.dt * rate, moment.dt, state);
    } else if (!module.told()) {
      rest(module, moment.dt, state);
    }
    place(module, A, q, (angles_of(module, next_) - q) / moment.dt);
  }
  set_rates({moment.targets, moment.since, moment.dt, false}, &state, next_);
}

// Rates of a pose: measured ones, else its difference from `before`, else zero. Places all bodies.
void ModularSolver::set_rates(const Moment& moment, const State* before, State& state) noexcept {
  begin_at(state);
  for (const Module& module : modules_) {
    const Matrix3d A = R_[at(module.parent)] * module.P;
    const Reading reading = read(module, moment, A);
    const Vector3d q = angles_of(module, state);
    Vector3d rate;
    if (!reading.rated || !rates(module, reading, q, 0.0, rate)) {
      rate.setZero();
      if (before != nullptr) rate = (q - angles_of(module, *before)) / moment.dt;
    }
    publish(module, rate, state);
    place(module, A, q, angle_rates(module, state));
  }
}

Vector3d ModularSolver::angle_rates(const Module& module, const State& state) const noexcept {
  Vector3d rate = Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    if (module.dof[at(k)] >= 0) rate[k] = state.sdot[module.dof[at(k)]];
  }
  return rate;
}

// The base's velocities: measured on itself, else its difference from `before`, else zero.
void ModularSolver::set_base_rates(const Targets& targets, double dt, const State* before,
                                   State& state) const noexcept {
  state.v_WB.setZero();
  state.w_WB.setZero();
  if (!model_->floating_base()) return;
  const bool measured = motion_.velocity == VelocitySource::Measured;
  const Target* turn = base_.row_of(targets, 0);
  if (measured && turn != nullptr && turn->has_angular_velocity) {
    state.w_WB = turn->w_WF;
  } else if (before != nullptr) {
    state.w_WB = so3::log(state.R_WB * before->R_WB.transpose()) / dt;
  }
  if (before != nullptr) state.v_WB = (state.p_WB - before->p_WB) / dt;
  for (const Target& row : targets.rows) {
    const LinkFrame& frame = model_->frame(row.link);
    if (!measured || frame.body != 0 || !row.has_position || !row.has_linear_velocity ||
        !(row.position_weight > 0.0))
      continue;
    state.v_WB = row.v_WF - state.w_WB.cross(state.R_WB * frame.p_BL);
    break;
  }
}

StepStatus ModularSolver::step(const Targets& targets, State& state) noexcept {
  if (const StepStatus status = check_step(targets, previous_.size(), state, *model_);
      status != StepStatus::Solved)
    return status;
  const double dt = to_seconds(targets.t - state.t);
  report_.active_bounds = report_.clamped = report_.fallback_level = 0;
  report_.solves = 1;
  report_.aligned = report_.clock_gap = false;
  bounds_known_ = false;
  next_ = state;
  next_.t = targets.t;

  // where the base is
  base_.orient(targets, kinematics_, next_);
  const bool placed = base_.move(targets, next_);
  set_base_rates(targets, dt, &state, next_);

  // module by module, from there outwards
  if (options_.law == ModularLaw::Rates) {
    step_rates({&targets, state.t, dt, true}, state);
  } else {
    step_angles({&targets, state.t, dt, false}, state);
  }
  if (!is_valid(next_, *model_)) {
    report_.fallback_level = 4;
    return StepStatus::NumericalFailure;
  }
  if (placed && places_known_) {
    report_here(targets);
  } else {
    kinematics_.update(next_);
    if (!placed) {
      base_.move_by_others(targets, kinematics_, next_);
      next_.v_WB = (next_.p_WB - state.p_WB) / dt;
    }
    report_residuals(targets, kinematics_, report_);
  }
  state = next_;
  prime(targets);
  return report_.active_bounds > 0 ? StepStatus::Saturated : StepStatus::Solved;
}

bool ModularSolver::find_pose(const Targets& targets, State& state) noexcept {
  next_ = state;
  next_.t = state.t < targets.t ? state.t : targets.t - 1;  // the stamp has no say
  if (check_step(targets, previous_.size(), next_, *model_) != StepStatus::Solved) return false;
  next_.t = targets.t;
  next_.v_WB.setZero();
  next_.w_WB.setZero();
  next_.sdot.setZero();
  base_.orient(targets, kinematics_, next_);
  const bool placed = base_.move(targets, next_);
  begin_at(next_);
  for (const Module& module : modules_) {
    const Matrix3d A = R_[at(module.parent)] * module.P;
    Vector3d q = angles_of(module, next_);
    (void)choose(module, read(module, {&targets, targets.t, 1.0, false}, A), q);
    for (int k = 0; k < 3; ++k) {
      const int i = module.dof[at(k)];
      if (i < 0) continue;
      const double angle = k == 1 ? q[k] - module.mu : q[k];
      next_.s[i] = bounded_ ? std::clamp(angle, model_->lower()[i], model_->upper()[i]) : angle;
    }
    place(module, A, angles_of(module, next_), Vector3d::Zero());
  }
  if (!is_valid(next_, *model_)) return false;
  if (!placed) {
    kinematics_.update(next_);
    base_.move_by_others(targets, kinematics_, next_);
  }
  state = next_;
  return true;
}

void ModularSolver::set_velocities(const Targets& targets, State& state) noexcept {
  if (targets.rows.size() != previous_.size() || state.s.size() != model_->dof() ||
      state.sdot.size() != model_->dof())
    return;
  set_base_rates(targets, 1.0, nullptr, state);
  set_rates({&targets, state.t, 1.0, false}, nullptr, state);
}

}  // namespace panto
