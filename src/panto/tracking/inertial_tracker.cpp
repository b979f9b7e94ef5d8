#include "panto/tracking/inertial_tracker.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/evaluation/joint_deviations.hpp"
#include "panto/inertial/ball.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kLongestLag = 0.1;      // [s]
constexpr double kFirstInterval = 0.01;  // [s] between the start state of a motion and its first sample
constexpr double kForgetting = 0.5;      // [rad/s] or [m/s] growth of the pose uncertainty during a silence,
constexpr double kMostForgotten = 2.0;   // [s] for at most this time
constexpr std::array<double, 2> kUnknownMotion{
    2.0, 10.0};  // rates and accelerations after it (standard deviations)
constexpr std::array<double, 2> kInMotion{3.0, 30.0};  // the same for a start in motion
constexpr double kTurning = 0.3;                       // [rad/s] and
constexpr double kShaking = 0.5;    // [m/s^2] deviation from gravity, above which a sensor is not at rest
constexpr double kFastest = 100.0;  // [rad/s] or [m/s] of an unknown: beyond it, a filter has lost the motion
constexpr double kKnownPose = 0.5;  // [rad] a start less certain than this is far from linear
constexpr double kLeastRange = 0.05;  // [rad], [m]
constexpr double kComesToRest = 0.1;  // [s] in which a joint stops of which no sensor tells any more
constexpr double kDamping = 1e-3;     // damps the rates of a triple in gimbal lock

// unknowns that only b of two paths contains; empty unless b contains all of a
std::vector<int> rest_of_path(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> rest;
  std::size_t common = 0;
  for (const int unknown : b) {
    const bool shared = std::find(a.begin(), a.end(), unknown) != a.end();
    common += shared ? 1U : 0U;
    if (!shared) rest.push_back(unknown);
  }
  return common == a.size() ? rest : std::vector<int>();
}

// Which unknowns share a rotation that is measured only as a whole: two sensors determine three angles.
std::vector<unsigned char> underdetermined_joints(const ImuModel& imus) {
  const auto n = at(imus.layout().unknowns());
  const int base = imus.layout().model().nv() - imus.layout().model().dof();
  std::vector<unsigned char> shares(n, 1), slides(n, 0);
  for (const ChainLayout::Step& step : imus.layout().steps()) slides[at(step.unknown)] = step.slides ? 1 : 0;
  const int count = static_cast<int>(imus.imus().size());
  std::vector<std::vector<int>> stretches;
  for (int i = 0; i < count; ++i) {
    // from the nearest sensor before it, or from the root
    std::vector<int> stretch = imus.imu_path(i);
    for (int j = 0; j < count; ++j) {
      const std::vector<int> rest = rest_of_path(imus.imu_path(j), imus.imu_path(i));
      if (!rest.empty() && rest.size() < stretch.size()) stretch = rest;
    }
    for (const int unknown : imus.imu_path(i)) shares[at(unknown)] = 0;
    stretches.push_back(std::move(stretch));
  }
  for (std::vector<int>& stretch : stretches) {
    std::erase_if(stretch, [&](int unknown) { return unknown < base || slides[at(unknown)] != 0; });
    if (stretch.size() <= 3) continue;
    for (const int unknown : stretch) shares[at(unknown)] = 1;
  }
  for (std::size_t u = 0; u < n; ++u)
    if (static_cast<int>(u) < base || slides[u] != 0) shares[u] = 0;
  return shares;
}

std::vector<ChainProcess> processes(const ImuModel& imus, const InertialSetup& setup) {
  const ChainLayout& layout = imus.layout();
  const std::vector<unsigned char> shares = underdetermined_joints(imus);
  std::vector<ChainProcess> result(at(layout.unknowns()));
  const int base = layout.model().nv() - layout.model().dof();  // unknowns of a floating base
  for (const ChainLayout::Step& step : layout.steps()) {
    const bool travels = step.slides && step.unknown < base && !setup.filter.contact.points.empty();
    ChainProcess& process = result[at(step.unknown)];
    if (step.slides) {
      process = travels ? setup.travelling : setup.shifting;
    } else {
      process = shares[at(step.unknown)] != 0 ? setup.sharing : setup.turning;
    }
  }
  return result;
}

ChainEkf filter_of(const ChainLayout& layout, const InertialSetup& setup) {
  ImuModel imus(layout, setup.mounts, setup.points, setup.surroundings);
  const std::vector<ChainProcess> moves = processes(imus, setup);
  return ChainEkf(std::move(imus), moves, setup.filter);
}

// orientation targets of the sensors, row by row in the order of the mounts
std::vector<Target> rows_of(const Model& model, const std::vector<ImuMount>& mounts) {
  std::vector<Target> rows;
  for (const ImuMount& mount : mounts) rows.emplace_back().link = model.link_index(mount.link);
  return rows;
}

// by unknown: deviation of an angle or a shift that is anywhere in its range
Eigen::VectorXd ranges(const ChainLayout& layout) {
  const Model& model = layout.model();
  Eigen::VectorXd result = Eigen::VectorXd::Constant(layout.unknowns(), kInfinity);
  const int first = model.nv() - model.dof();
  for (int i = 0; i < model.dof(); ++i) {
    const Joint& joint = model.joint(i);
    const double anywhere = joint.type == JointType::Revolute ? kUnknownAngle : kInfinity;
    result[first + i] = std::clamp((joint.upper - joint.lower) / std::sqrt(12.0), kLeastRange, anywhere);
  }
  return result;
}

// if little is known, one sample is linearised until it converges
ChainEkfOptions patient(ChainEkfOptions options) {
  options.surprise = 1e-9;
  options.bend = 0.0;
  options.iterations = 10;
  options.carries = options.start[0] < kKnownPose;
  return options;
}

}  // namespace

State start_of(const Model& model, const InertialSetup& setup) {
  State state = rest_state(model);
  state.R_WB = setup.R_WB;
  if (model.floating_base()) state.p_WB = setup.p_WB.value_or(Eigen::Vector3d::Zero());
  const auto set = [&](const std::vector<std::pair<std::string, double>>& joints, JointType type,
                       const char* unit) {
    for (const auto& [joint, value] : joints) {
      const int index = model.joint_index(joint);
      if (model.joint(index).type != type)
        throw ModelError("the start of joint '" + joint + "' is given in " + unit + ", but the joint is " +
                         to_string(model.joint(index).type));
      state.s[index] = value;
    }
  };
  set(setup.start_hinges, JointType::Revolute, "degrees");
  set(setup.start_slides, JointType::Prismatic, "metres");
  return state;
}

std::vector<int> sensor_positions(const std::vector<ImuMount>& mounts,
                                  const std::vector<std::string>& sensors) {
  std::vector<int> result;
  for (const ImuMount& mount : mounts) {
    const auto found = std::find(sensors.begin(), sensors.end(), mount.name);
    if (found == sensors.end())
      throw ConfigError("the mounts name a sensor that was not recorded: " +
                        unknown_name("sensor", mount.name, "the recording", sensors));
    result.push_back(static_cast<int>(found - sensors.begin()));
  }
  if (result.empty()) throw ConfigError("the setup mounts no sensor on the model");
  return result;
}

InertialTracker::InertialTracker(const Model& model, const InertialSetup& setup,
                                 const std::vector<std::string>& sensors)
    : model_(&model),
      layout_(model),
      filter_(filter_of(layout_, setup)),
      beginner_(filter_.model(), processes(filter_.model(), setup), patient(setup.filter)),
      longest_gap_(setup.longest_gap),
      lag_(setup.lag),
      sensors_(sensors.size()),
      source_(sensor_positions(setup.mounts, sensors)),
      start_(start_of(model, setup)),
      oriented_(setup.filter.orientation_use == OrientationUse::Full),
      said_{0, rows_of(model, setup.mounts)},
      aligner_(model, said_.rows, {}),
      first_(start_),
      silent_(filter_.model()),
      held_(at(model.dof()), 0),
      range_(ranges(layout_)) {
  if (!(longest_gap_ > 0.0)) throw ConfigError("inertial tracker: `longest_gap` must be > 0");
  if (!(lag_ >= 0.0 && lag_ <= kLongestLag)) throw ConfigError("inertial tracker: `lag` must be 0 to 0.1 s");
  at_rest_.sddot = Eigen::VectorXd::Zero(model.dof());
  gathered_.imus.resize(source_.size());
  unknown_ = filter_.start(start_);
  if (!setup.gyro_bias.empty() && setup.gyro_bias.size() != setup.mounts.size())
    throw ConfigError("inertial tracker: " + std::to_string(setup.gyro_bias.size()) +
                      " gyroscope biases for " + std::to_string(setup.mounts.size()) + " sensors");
  for (std::size_t k = 0; k < setup.gyro_bias.size(); ++k)
    unknown_.bias.segment<3>(3 * static_cast<Eigen::Index>(k)) = setup.gyro_bias[k];
  chain_ = before_ = unknown_;
  measured_.level = setup.filter.contact.points.empty();
  deviation_ = Eigen::VectorXd::Zero(model.dof());
  in_ball_.assign(at(layout_.unknowns()), 0);
  for (const ChainLayout::Ball& ball : layout_.balls()) {
    for (const int unknown : ball.unknown) in_ball_[at(unknown)] = 1;
  }
}

// returns false if no sensor measured anything
bool InertialTracker::gather(const ImuSample& sample) noexcept {
  bool any = false;
  gathered_.t = sample.t;
  for (std::size_t k = 0; k < source_.size(); ++k) {
    const ImuReading& reading = gathered_.imus[k] = sample.imus[at(source_[k])];
    any = any || reading.tells_motion();
  }
  return any;
}

// A walking person must not be taken for an inclined person at rest.
bool InertialTracker::at_rest() const noexcept {
  const double g = filter_.model().surroundings().gravity_W.norm();
  return std::none_of(gathered_.imus.begin(), gathered_.imus.end(), [g](const ImuReading& reading) {
    return (reading.has_gyro && reading.gyro.norm() > kTurning) ||
           (reading.has_acc && std::abs(reading.acc.norm() - g) > kShaking);
  });
}

// The model pose nearest to the fused orientations; the state itself without them.
const State& InertialTracker::first_pose(const State& state) noexcept {
  bool any = false;
  said_.t = gathered_.t;
  const ImuModel& imus = filter_.model();
  for (std::size_t k = 0; k < said_.rows.size(); ++k) {
    const ImuReading& reading = gathered_.imus[k];
    Target& row = said_.rows[k];
    row.has_orientation = oriented_ && reading.has_orientation && !reading.has_gyro &&
                          reading.wxyz_GI.allFinite() && reading.wxyz_GI.squaredNorm() > 0.0;
    if (!row.has_orientation) continue;
    row.R_WF = imus.surroundings().R_WG * so3::from_quaternion_wxyz(reading.wxyz_GI) *
               imus.imus()[k].R_LI.transpose();
    any = true;
  }
  first_ = state;
  if (any) aligner_.align(said_, first_);
  return first_;
}

// Begins a motion at the state, at rest unless the sensors measure otherwise. After a silence, keeps biases
// and mountings but not the certainty of the pose.
void InertialTracker::begin(Time t, const State& state, bool silence) noexcept {
  const double forgotten = !silence ? 0.0 : kForgetting * std::min(to_seconds(t - chain_.t), kMostForgotten);
  const Eigen::Index n = 3 * Eigen::Index{layout_.unknowns()}, constants = unknown_.P.rows() - n;
  chain_.P = unknown_.P;
  const bool rests = at_rest();
  for (Eigen::Index i = 0; i < n && (silence || !rests); i += 3) {
    const std::array<double, 2>& unknown = rests ? kUnknownMotion : kInMotion;
    chain_.P(i, i) += forgotten * forgotten;
    for (int order = 1; order < 3; ++order) {
      double& variance = chain_.P(i + order, i + order);
      variance = std::max(variance, unknown[at(order - 1)] * unknown[at(order - 1)]);
    }
  }
  if (silence) {
    chain_.P.bottomRightCorner(constants, constants) = before_.P.bottomRightCorner(constants, constants);
  } else {
    chain_.bias = unknown_.bias;
    chain_.shape = unknown_.shape;
    chain_.mounting = unknown_.mounting;
  }
  chain_.good_field = unknown_.good_field;
  chain_.heading_age = unknown_.heading_age;
  chain_.standing = unknown_.standing;
  chain_.memory = unknown_.memory;
  layout_.motion(first_pose(state), at_rest_, chain_.motion);
  chain_.motion.qdot.setZero();
  chain_.motion.qddot.setZero();
  chain_.t = t - from_seconds(kFirstInterval);
  for (ImuMemory& memory : chain_.memory) {
    memory.seen = memory.changed = chain_.t;
    memory.oriented = false;
  }
}

// True where a turn that a gyroscope measures is far from the filter's, which no person or machine moves
// like.
bool InertialTracker::runs_away(StepStatus status) const noexcept {
  return advanced(status) && !(chain_.motion.qdot.cwiseAbs().maxCoeff() < kFastest);
}

StepStatus InertialTracker::step(const ImuSample& sample, State& state) noexcept {
  if (sample.imus.size() != sensors_ || state.s.size() != model_->dof() || state.sdot.size() != model_->dof())
    return StepStatus::SizeMismatch;
  if (started_ && sample.t <= chain_.t) return StepStatus::TimeNotAdvancing;
  if (!gather(sample)) return StepStatus::NoTarget;
  const bool silence = started_ && to_seconds(sample.t - chain_.t) > longest_gap_;
  bool begins = !started_ || silence;
  if (begins) {
    before_ = chain_;
    begin(sample.t, state, silence);
  }
  const BaseAnswer was = base_answer();
  const double T = to_seconds(sample.t - chain_.t);
  StepStatus status = (begins ? beginner_ : filter_).step(gathered_, chain_);
  const bool lost = !begins && (status == StepStatus::NumericalFailure || runs_away(status));
  if (lost) {
    // begins again at the last pose, without what was learnt
    begins = true;
    before_ = chain_;
    begin(sample.t, state, false);
    status = beginner_.step(gathered_, chain_);
  }
  if (!advanced(status)) {
    if (begins) chain_ = before_;  // the filter's own state stays unchanged
    return status;
  }
  report_.aligned = begins;
  report_.clock_gap = silence || lost;
  if (begins) silent_.begin(chain_.t);
  silent_.add(sample.t, gathered_.imus);
  if (silent_.any()) hold(T);
  find_held_joints();
  read(chain_, state, deviation_);
  if (begins) base_ = {};
  if (started_) publish(was, T, state);
  started_ = true;
  return status;
}

// Unknowns that no sensor tells of come to rest, as uncertain as their range at most.
void InertialTracker::hold(double T) noexcept {
  const double slows = exp(-T / kComesToRest);
  const std::vector<unsigned char>& held = silent_.held();
  for (int u = 0; u < layout_.unknowns(); ++u) {
    if (held[at(u)] == 0) continue;
    chain_.motion.qdot[u] *= slows;
    chain_.motion.qddot[u] *= slows;
    const std::array<double, 3> most{range_[u], kUnknownMotion[0], kUnknownMotion[1]};
    for (int order = 0; order < 3; ++order) {
      const Eigen::Index i = 3 * Eigen::Index{u} + order;
      const double sigma = std::sqrt(chain_.P(i, i));
      if (!(sigma > most[at(order)])) continue;
      chain_.P.row(i) *= most[at(order)] / sigma;
      chain_.P.col(i) *= most[at(order)] / sigma;
    }
  }
}

void InertialTracker::find_held_joints() noexcept {
  const int first = model_->nv() - model_->dof();
  for (int i = 0; i < model_->dof(); ++i) held_[at(i)] = silent_.held()[at(first + i)];
}

BaseAnswer InertialTracker::base_answer() const noexcept {
  if (!model_->floating_base()) return {Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
  const ChainMotion& motion = chain_.motion;
  return {motion.p_W + motion.q.head<3>(), motion.qdot.head<3>(), motion.qddot.head<3>()};
}

// The base of the filter's answer, without its jumps.
void InertialTracker::publish(const BaseAnswer& was, double T, State& state) noexcept {
  if (!model_->floating_base()) return;
  base_ = carried_on(base_, was, base_answer(), T, measured_);
  state.p_WB += base_.p;
  state.v_WB += base_.v;
}

void InertialTracker::resume(const Checkpoint& checkpoint) {
  if (!filter_.fits(checkpoint.chain))
    throw ConfigError("inertial tracker: the checkpoint belongs to another tracker");
  restore(checkpoint);
}

void InertialTracker::save(const State& state, Checkpoint& checkpoint) const noexcept {
  checkpoint.chain = chain_;
  checkpoint.state = state;
  checkpoint.started = started_;
  checkpoint.base = base_;
  checkpoint.seen = silent_.seen();
}

void InertialTracker::restore(const Checkpoint& checkpoint) noexcept {
  chain_ = checkpoint.chain;
  started_ = checkpoint.started;
  base_ = checkpoint.base;
  silent_.resume(chain_.t, checkpoint.seen);
}

void InertialTracker::read(const ChainState& chain, State& state, Eigen::VectorXd& deviation) const noexcept {
  filter_.read(chain, state, lag_);
  const Eigen::Index first = model_->nv() - model_->dof();
  for (const ChainLayout::Step& step : layout_.steps()) {
    const Eigen::Index u = step.unknown, joint = u - first;
    if (joint >= 0 && in_ball_[at(step.unknown)] == 0)
      deviation[joint] = std::sqrt(std::max(chain.P(3 * u, 3 * u), 0.0));
  }
  for (const ChainLayout::Ball& ball : layout_.balls()) {
    if (ball.group >= 0) read_deviations(ball, chain.P, state, deviation);
  }
  for (int i = 0; i < model_->dof(); ++i) {
    if (held_[at(i)] != 0) deviation[i] = std::min(deviation[i], range_[first + i]);
  }
}

// Deviations of a triple's angles from those of its rotation about the axes after it.
void InertialTracker::read_deviations(const ChainLayout::Ball& ball, const Eigen::MatrixXd& all,
                                      const State& state, Eigen::VectorXd& deviation) const noexcept {
  const Eigen::Index first = model_->nv() - model_->dof();
  const double mu = model_->tree().groups[at(ball.group)].mu;
  Vector3d angles;
  Matrix3d P;
  for (int i = 0; i < 3; ++i) {
    const Eigen::Index u = ball.unknown[at(i)];
    angles[i] = state.s[u - first] + (i == 1 ? mu : 0.0);
    for (int j = 0; j < 3; ++j) P(i, j) = all(3 * u, 3 * Eigen::Index{ball.unknown[at(j)]});
  }
  const Matrix3d E = ball::rates(angles);
  const Matrix3d inverse =
      (E.transpose() * E + kDamping * kDamping * Matrix3d::Identity()).inverse() * E.transpose();
  const Vector3d variance = (inverse * P * inverse.transpose()).diagonal();
  for (int i = 0; i < 3; ++i) deviation[ball.unknown[at(i)] - first] = std::sqrt(std::max(variance[i], 0.0));
}

}  // namespace panto
