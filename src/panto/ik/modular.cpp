#include "panto/ik/modular_inline.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kAxisTime = 0.25;  // [s] time constant of an axis for a pan that the direction leaves open
constexpr Regularisation kOfRates{2.0, 0.01, 0.1};  // for the paper's law  (theory, section 2.4)

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
  (void)VelocityProblem(model, rows, checked(motion).damping, false);  // throws if a row is out of range
  return motion;
}

// The stopping distance from a speed by the law, as a share of its square [s^2/rad].
double half_slowness(const LimitOptions& limits) {
  if (limits.law == LimitLaw::Tanh) return kInfinity;
  return limits.law == LimitLaw::Braking ? 0.5 / limits.max_deceleration : 0.0;
}

double shift_of(const Module& module, std::size_t k) noexcept { return k == 1 ? module.mu : 0.0; }

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
      half_slowness_(half_slowness(motion.limits)),
      lower_(Eigen::VectorXd::Constant(model.dof(), -kInfinity)),
      upper_(Eigen::VectorXd::Constant(model.dof(), kInfinity)),
      N_(at(model.tree().size()), four_wide(Matrix3d(Matrix3d::Identity()))),
      w_(N_.size(), four_wide(Vector3d(Vector3d::Zero()))),
      p_(N_.size(), Vector3d::Zero()),
      v_(p_),
      next_(panto::rest_state(model)) {
  plan_slots();
  plan_places();
  report_.versine.assign(rows.size(), 0.0);
  report_.origin_error = report_.versine;
  plan_report(rows);
}

// ---- one module ----

// Limits for the choice of branches, and all joints in a row, three slots per module.
void ModularSolver::plan_slots() {
  const Eigen::VectorXd& lower = options_.ranges ? options_.ranges->lower : model_->lower();
  const Eigen::VectorXd& upper = options_.ranges ? options_.ranges->upper : model_->upper();
  const bool guided = bounded_ || options_.ranges.has_value();  // by limits, between branches
  const std::size_t count = 3 * modules_.size();
  for (auto* zeros : {&slots_.from, &slots_.sin, &slots_.room, &slots_.to, &slots_.to_sin, &slots_.rate})
    zeros->assign(count, 0.0);
  for (auto* ones : {&slots_.cos, &slots_.to_cos}) ones->assign(count, 1.0);
  slots_.low.assign(count, -kInfinity);
  slots_.high.assign(count, kInfinity);
  slots_.fast.assign(count, kInfinity);
  for (const Module& module : modules_) {
    ModuleLimits limits{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    for (auto [k, end] = span_of(module); k < end; ++k) {
      const int i = module.dof[k];
      const std::size_t slot = slot_of(module) + k;
      const double shift = shift_of(module, k);
      joints_.push_back({i, slot, shift});
      if (guided) {
        slots_.low[slot] = limits.lower[k] = lower[i] + shift;
        slots_.high[slot] = limits.upper[k] = upper[i] + shift;
      }
      if (!bounded_) continue;
      slots_.low[slot] = std::max(slots_.low[slot], model_->lower()[i] + shift);
      slots_.high[slot] = std::min(slots_.high[slot], model_->upper()[i] + shift);
      slots_.fast[slot] = limits_.speed()[at(i)];
    }
    module_limits_.push_back(limits);
  }
}

// Takes the angles of a State: sines and cosines of all of them at once.
void ModularSolver::take_turns(const State& state) noexcept {
  for (const Joint& joint : joints_) slots_.from[joint.slot] = state.s[joint.dof] + joint.shift;
  sincos(slots_.from.data(), slots_.from.size(), slots_.sin.data(), slots_.cos.data());
}

// Writes the angles that were found to the next State.
void ModularSolver::give_angles() noexcept {
  for (const Joint& joint : joints_) {
    next_.s[joint.dof] = slots_.to[joint.slot] - joint.shift;
    next_.sdot[joint.dof] = slots_.rate[joint.slot];
  }
}

Vector3d ModularSolver::values_of(const Module& module, const State& state) const noexcept {
  Vector3d q = Vector3d::Zero();
  for (auto [k, end] = span_of(module); k < end; ++k)
    q[static_cast<Eigen::Index>(k)] = state.s[module.dof[k]] + shift_of(module, k);
  return q;
}

// The same without a previous pose: chooses branches by the limits.
bool ModularSolver::choose(const Module& module, const Reading& reading, Vector3d& q) const noexcept {
  const ModuleLimits& limits = limits_of(module);
  if (module.kind == ModuleKind::Spherical) {
    if (reading.orientation) q = choose_spherical(reading.R, q, limits);
    return reading.orientation;
  }
  if (!reading.direction) return false;
  const Vector3d& u = reading.u;
  const bool unsure =
      module_laws::across2(u) < (reading.tilt_axis ? regularisation_.outer : regularisation_.inner);
  if (module.kind == ModuleKind::PanTilt && !unsure && (module.direction_first || !reading.tilt_axis)) {
    const PanTilt chosen = choose_pan_tilt(u, module.d, {q[0], q[1]}, limits);
    q.head<2>() << chosen.pan, chosen.tilt;
    return true;
  }
  Angle pan = angle(q[0]);
  if (reading.tilt_axis) pan = follow_axis(reading.axis, pan, {0.0, 0.0, 1.0});
  Vector3d found(pan.value, tilt_near(u, pan.turn, module.d, angle(q[1])).value, q[2]);
  for (int k = 0; k < 2; ++k) (void)turn_inside(found[k], limits.lower[at(k)], limits.upper[at(k)], q[k]);
  q = found;
  return true;
}

// Changes the branch if one has run into a limit and the other has not.
void ModularSolver::keep_inside(const Module& module, const Reading& reading, Angles& q) const noexcept {
  const ModuleLimits& limits = limits_of(module);
  const auto outside = [&](std::size_t k, double value, double by) {
    return limits.lower[k] - value > by || value - limits.upper[k] > by;
  };
  bool any = false;
  for (auto [k, end] = span_of(module); k < end; ++k)
    any = any || outside(k, q[k].value, module_laws::kOutside);
  if (!any) return;
  const bool ball = module.kind == ModuleKind::Spherical;
  const double s = ball ? reading.R(2, 1) * reading.R(2, 1) + reading.R(2, 2) * reading.R(2, 2)
                        : module_laws::across2(reading.u);
  if (module.kind != ModuleKind::Hinge && s < regularisation_.outer) return;
  Vector3d other(q[0].value, q[1].value, q[2].value);
  if (!choose(module, reading, other)) return;
  for (auto [k, end] = span_of(module); k < end; ++k)
    if (outside(k, other[static_cast<Eigen::Index>(k)], 0.0)) return;
  for (auto [k, end] = span_of(module); k < end; ++k) q[k] = angle(other[static_cast<Eigen::Index>(k)]);
}

// Moves joints towards the angles q, as far as the bounds allow; q becomes the angles reached.
void ModularSolver::move(const Module& module, Angles& q, double dt, const State& state) noexcept {
  for (auto [k, end] = span_of(module); k < end; ++k) {
    const int i = module.dof[k];
    const double shift = shift_of(module, k), wanted = q[k].value - shift;
    next_.s[i] = bounded_ ? held(i, wanted, dt, state) : wanted;
    if (next_.s[i] != wanted) q[k] = angle(next_.s[i] + shift);
  }
}

// Moves a joint towards `wanted`, as far as the bounds allow.
double ModularSolver::held(int i, double wanted, double dt, const State& state) noexcept {
  if (!bounds_known_) limits_.velocity_bounds(state.s, dt, lower_, upper_);
  bounds_known_ = true;
  const double now = state.s[i], way = wanted - now;
  const double held = now + std::clamp(way, dt * lower_[i], dt * upper_[i]);
  const bool cut = way < dt * lower_[i] || way > dt * upper_[i];
  const double reached =
      std::clamp(cut ? held : wanted, std::min(model_->lower()[i], now), std::max(model_->upper()[i], now));
  report_.clamped += cut && std::abs(reached - held) > 1e-12 ? 1 : 0;
  report_.active_bounds += reached != wanted ? 1 : 0;
  return reached;
}

// Moves a module without any target towards rest.
void ModularSolver::rest(const Module& module, Angles& q, double dt, const State& state) noexcept {
  const double share = 1.0 - exp_decay(-motion_.damping.rest_rate * dt);
  for (auto [k, end] = span_of(module); k < end; ++k) {
    const int i = module.dof[k];
    q[k] = angle(q[k].value + share * (model_->rest()[i] - state.s[i]));
  }
  move(module, q, dt, state);
}

// Makes rates valid for a State: inside the speed limits, not outwards at a limit.
void ModularSolver::publish(const Module& module, Vector3d& rate, State& state) const noexcept {
  for (auto [k, end] = span_of(module); k < end; ++k) {
    const int i = module.dof[k];
    double& r = rate[static_cast<Eigen::Index>(k)];
    if (bounded_) {
      const double speed = limits_.speed()[at(i)];
      r = std::clamp(r, state.s[i] <= model_->lower()[i] ? 0.0 : -speed,
                     state.s[i] >= model_->upper()[i] ? 0.0 : speed);
    }
    state.sdot[i] = r;
  }
}

// ---- all modules ----

// The paper's law: rates at the interval's beginning, integrated.
void ModularSolver::step_rates(const Moment& moment, const State& state) noexcept {
  begin_at(state);
  w_[0] = four_wide(Vector3d(so3::log(next_.R_WB * state.R_WB.transpose()) / moment.dt));
  v_[0] = (next_.p_WB - state.p_WB) / moment.dt;
  const double gain = effective_gain(options_.gain, moment.dt, motion_.gain_law);
  take_turns(state);
  for (const Module& module : modules_) {
    const FourWide A = frame_before(module);
    const Angles q = turns_of<Angle>(module);
    Angles to = q;
    Vector3d rate;
    if (rates(module, read(module, moment, A), q, gain, rate)) {
      for (std::size_t k = 0; k < 3; ++k) to[k].value += moment.dt * rate[static_cast<Eigen::Index>(k)];
      move(module, to, moment.dt, state);
    } else if (!module.told()) {
      rest(module, to, moment.dt, state);
    }
    place(module, A, q, (values_of(module, next_) - values_of(module, state)) / moment.dt);
  }
  set_rates({moment.targets, moment.since, moment.dt, false}, &state, next_);
}

// Sets the rates of a pose: measured ones, else its difference from `before`, else zero. Places all bodies.
void ModularSolver::set_rates(const Moment& moment, const State* before, State& state) noexcept {
  begin_at(state);
  take_turns(state);
  for (const Module& module : modules_) {
    const FourWide A = frame_before(module);
    const Reading reading = read(module, moment, A);
    const Angles q = turns_of<Angle>(module);
    Vector3d rate;
    if (!reading.rated || !rates(module, reading, q, 0.0, rate)) {
      rate.setZero();
      if (before != nullptr) rate = (values_of(module, state) - values_of(module, *before)) / moment.dt;
    }
    publish(module, rate, state);
    place(module, A, q, rate);
  }
}

// Sets the base's velocities: measured ones, else its difference from `before`, else zero.
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
  slow_share_ = 1.0 - exp_decay(-dt / kAxisTime);
  next_.t = targets.t;
  next_.R_WB = state.R_WB;
  next_.p_WB = state.p_WB;
  next_.s = state.s;

  // pose of the base
  base_.orient(targets, kinematics_, next_);
  const bool placed = base_.move(targets, next_);
  set_base_rates(targets, dt, &state, next_);

  // module by module, from the base outwards
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
  next_.t = state.t < targets.t ? state.t : targets.t - 1;  // the stamp has no effect
  if (check_step(targets, previous_.size(), next_, *model_) != StepStatus::Solved) return false;
  next_.t = targets.t;
  next_.v_WB.setZero();
  next_.w_WB.setZero();
  next_.sdot.setZero();
  base_.orient(targets, kinematics_, next_);
  const bool placed = base_.move(targets, next_);
  begin_at(next_);
  for (const Module& module : modules_) {
    const FourWide A = frame_before(module);
    Vector3d q = values_of(module, next_);
    (void)choose(module, read(module, {&targets, targets.t, 1.0, false}, A), q);
    Angles found;
    for (auto [k, end] = span_of(module); k < end; ++k) {
      const int i = module.dof[k];
      const double value = q[static_cast<Eigen::Index>(k)] - shift_of(module, k);
      next_.s[i] = bounded_ ? std::clamp(value, model_->lower()[i], model_->upper()[i]) : value;
      found[k] = angle(next_.s[i] + shift_of(module, k));
    }
    place(module, A, found, Vector3d::Zero());
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
