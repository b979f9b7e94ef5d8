#include "panto/pipeline/inertial_tracker.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/inertial/ball.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kFirstInterval = 0.01;  // [s] between the state that a motion begins at and its first sample
constexpr double kForgetting = 0.5;      // [rad/s] or [m/s] by which a pose becomes uncertain in a silence,
constexpr double kMostForgotten = 2.0;   // [s] for which it does
constexpr std::array<double, 2> kUnknownMotion{
    2.0, 10.0};                    // rates and accelerations after it (standard deviations)
constexpr double kDamping = 1e-3;  // of the rates of a triple in its gimbal lock

std::vector<ChainProcess> processes(const ChainLayout& layout, const InertialSetup& setup) {
  std::vector<ChainProcess> result(at(layout.unknowns()));
  for (const ChainLayout::Step& step : layout.steps())
    result[at(step.unknown)] = step.slides ? setup.shifting : setup.turning;
  return result;
}

// where little is known, one sample is linearised until it settles
ChainEkfOptions patient(ChainEkfOptions options) {
  options.surprise = 1e-9;
  options.iterations = 10;
  return options;
}

std::vector<int> positions(const std::vector<ImuMount>& mounts, const std::vector<std::string>& sensors) {
  std::vector<int> result;
  for (const ImuMount& mount : mounts) {
    const auto found = std::find(sensors.begin(), sensors.end(), mount.name);
    if (found == sensors.end())
      throw ConfigError(unknown_name("sensor", mount.name, "the recording", sensors));
    result.push_back(static_cast<int>(found - sensors.begin()));
  }
  if (result.empty()) throw ConfigError("no sensor is mounted on the model");
  return result;
}

State start_of(const Model& model, const InertialSetup& setup) {
  State state = rest_state(model);
  state.R_WB = setup.R_WB;
  const auto set = [&](const std::vector<std::pair<std::string, double>>& joints, JointType type,
                       const char* unit) {
    for (const auto& [joint, value] : joints) {
      const int index = model.joint_index(joint);
      if (model.joint(index).type != type)
        throw ModelError("the start of joint '" + joint + "' is in " + unit + ", but it is " +
                         to_string(model.joint(index).type));
      state.s[index] = value;
    }
  };
  set(setup.start_hinges, JointType::Revolute, "degrees");
  set(setup.start_slides, JointType::Prismatic, "metres");
  return state;
}

}  // namespace

InertialTracker::InertialTracker(const Model& model, const InertialSetup& setup,
                                 const std::vector<std::string>& sensors)
    : model_(&model),
      layout_(model),
      filter_(ImuModel(layout_, setup.mounts, {}, setup.surroundings), processes(layout_, setup),
              setup.filter),
      beginner_(filter_.model(), processes(layout_, setup), patient(setup.filter)),
      longest_gap_(setup.longest_gap),
      sensors_(sensors.size()),
      source_(positions(setup.mounts, sensors)),
      start_(start_of(model, setup)) {
  if (!(longest_gap_ > 0.0)) throw ConfigError("inertial tracker: `longest_gap` must be > 0");
  at_rest_.sddot = Eigen::VectorXd::Zero(model.dof());
  gathered_.imus.resize(source_.size());
  unknown_ = filter_.start(start_);
  if (!setup.gyro_bias.empty() && setup.gyro_bias.size() != setup.mounts.size())
    throw ConfigError("inertial tracker: " + std::to_string(setup.gyro_bias.size()) + " biases for " +
                      std::to_string(setup.mounts.size()) + " sensors");
  for (std::size_t k = 0; k < setup.gyro_bias.size(); ++k)
    unknown_.bias.segment<3>(3 * static_cast<Eigen::Index>(k)) = setup.gyro_bias[k];
  chain_ = before_ = unknown_;
  deviation_ = Eigen::VectorXd::Zero(model.dof());
  in_ball_.assign(at(layout_.unknowns()), 0);
  for (const ChainLayout::Ball& ball : layout_.balls()) {
    for (const int unknown : ball.unknown) in_ball_[at(unknown)] = 1;
  }
}

// false: nobody measured anything
bool InertialTracker::gather(const ImuSample& sample) noexcept {
  bool any = false;
  gathered_.t = sample.t;
  for (std::size_t k = 0; k < source_.size(); ++k) {
    const ImuReading& reading = gathered_.imus[k] = sample.imus[at(source_[k])];
    any = any || reading.has_gyro || reading.has_acc;
  }
  return any;
}

// Motion from the state, at rest; after a silence biases and mountings are kept, poses are not believed.
void InertialTracker::begin(Time t, const State& state, bool silence) noexcept {
  const double forgotten = kForgetting * std::min(to_seconds(t - chain_.t), kMostForgotten);
  const Eigen::Index n = 3 * Eigen::Index{layout_.unknowns()}, constants = unknown_.P.rows() - n;
  chain_.P = unknown_.P;
  if (silence) {
    for (Eigen::Index i = 0; i < n; i += 3) {
      chain_.P(i, i) += forgotten * forgotten;
      for (int order = 1; order < 3; ++order)
        chain_.P(i + order, i + order) = kUnknownMotion[at(order - 1)] * kUnknownMotion[at(order - 1)];
    }
    chain_.P.bottomRightCorner(constants, constants) = before_.P.bottomRightCorner(constants, constants);
  } else {
    chain_.bias = unknown_.bias;
    chain_.mounting = unknown_.mounting;
  }
  chain_.good_field = unknown_.good_field;
  chain_.heading_age = unknown_.heading_age;
  chain_.standing = unknown_.standing;
  chain_.memory = unknown_.memory;
  layout_.motion(state, at_rest_, chain_.motion);
  chain_.motion.qdot.setZero();
  chain_.motion.qddot.setZero();
  chain_.t = t - from_seconds(kFirstInterval);
  for (ImuMemory& memory : chain_.memory) memory.seen = memory.changed = chain_.t;
}

StepStatus InertialTracker::step(const ImuSample& sample, State& state) noexcept {
  if (sample.imus.size() != sensors_ || state.s.size() != model_->dof() || state.sdot.size() != model_->dof())
    return StepStatus::SizeMismatch;
  if (started_ && sample.t <= chain_.t) return StepStatus::TimeNotAdvancing;
  if (!gather(sample)) return StepStatus::NoTarget;
  const bool silence = started_ && to_seconds(sample.t - chain_.t) > longest_gap_;
  before_ = chain_;
  const bool begins = !started_ || silence;
  if (begins) begin(sample.t, state, silence);
  const StepStatus status = (begins ? beginner_ : filter_).step(gathered_, chain_);
  if (!advanced(status)) {
    chain_ = before_;
    return status;
  }
  report_.aligned = begins;
  report_.clock_gap = silence;
  started_ = true;
  read(chain_, state, deviation_);
  return status;
}

void InertialTracker::resume(const Checkpoint& checkpoint) {
  if (!filter_.fits(checkpoint.chain))
    throw ConfigError("inertial tracker: the checkpoint is of another tracker");
  chain_ = checkpoint.chain;
  started_ = checkpoint.started;
}

void InertialTracker::read(const ChainState& chain, State& state, Eigen::VectorXd& deviation) const noexcept {
  filter_.read(chain, state);
  const Eigen::Index first = model_->nv() - model_->dof();
  for (const ChainLayout::Step& step : layout_.steps()) {
    const Eigen::Index u = step.unknown, joint = u - first;
    if (joint >= 0 && in_ball_[at(step.unknown)] == 0)
      deviation[joint] = std::sqrt(std::max(chain.P(3 * u, 3 * u), 0.0));
  }
  for (const ChainLayout::Ball& ball : layout_.balls()) {
    if (ball.group >= 0) read_deviations(ball, chain.P, state, deviation);
  }
}

// Those of a triple's angles from those of its rotation about the axes behind it.
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
