#include "panto/synthesis/synthesis.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

/// Roll, pitch and yaw at one instant, and their axes in the world.
struct BaseAttitude {
  CurvePoint roll, pitch, yaw;
  Eigen::Matrix3d R_yaw;
  Vector3d pitch_axis, roll_axis;

  BaseAttitude(const BaseCurves& base, double t)
      : roll(base.roll.at(t)),
        pitch(base.pitch.at(t)),
        yaw(base.yaw.at(t)),
        R_yaw(so3::about_axis(2, yaw.value)),
        pitch_axis(R_yaw.col(1)),
        roll_axis((R_yaw * so3::about_axis(1, pitch.value)).col(0)) {}

  [[nodiscard]] Eigen::Matrix3d rotation() const {
    return R_yaw * so3::about_axis(1, pitch.value) * so3::about_axis(0, roll.value);
  }
  [[nodiscard]] Vector3d velocity() const {
    return yaw.rate * Vector3d::UnitZ() + pitch.rate * pitch_axis + roll.rate * roll_axis;
  }
  /// Their time derivatives; each axis turns with the rotations outside it.
  [[nodiscard]] Vector3d acceleration() const {
    const Vector3d w_yaw = yaw.rate * Vector3d::UnitZ();
    const Vector3d w_pitch = w_yaw + pitch.rate * pitch_axis;
    return yaw.acceleration * Vector3d::UnitZ() + pitch.acceleration * pitch_axis +
           roll.acceleration * roll_axis + pitch.rate * w_yaw.cross(pitch_axis) +
           roll.rate * w_pitch.cross(roll_axis);
  }
};

}  // namespace

Synthesis::Synthesis(std::string name, const Model& model, std::vector<Curve> joints, BaseCurves base,
                     double period)
    : name_(std::move(name)),
      model_(&model),
      joints_(std::move(joints)),
      base_(std::move(base)),
      period_(period) {
  if (joints_.size() != static_cast<std::size_t>(model.dof())) {
    throw ConfigError("motion '" + name_ + "': " + std::to_string(joints_.size()) + " curves for the " +
                      counted(model.dof(), "joint") + " of model '" + model.name() + "'");
  }
}

State Synthesis::state(Time t) const {
  State state;
  state.s.resize(model_->dof());
  state.sdot.resize(model_->dof());
  evaluate(t, state);
  return state;
}

void Synthesis::evaluate(Time t, State& state) const noexcept {
  const double seconds = to_seconds(t);
  state.t = t;
  for (int k = 0; k < 3; ++k) {
    const CurvePoint p = base_.position[static_cast<std::size_t>(k)].at(seconds);
    state.p_WB[k] = p.value;
    state.v_WB[k] = p.rate;
  }
  const BaseAttitude attitude(base_, seconds);
  state.R_WB = attitude.rotation();
  state.w_WB = attitude.velocity();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const CurvePoint joint = joints_[i].at(seconds);
    state.s[static_cast<Eigen::Index>(i)] = joint.value;
    state.sdot[static_cast<Eigen::Index>(i)] = joint.rate;
  }
}

StateAcceleration Synthesis::acceleration(Time t) const {
  const double seconds = to_seconds(t);
  StateAcceleration result;
  for (int k = 0; k < 3; ++k) {
    result.a_WB[k] = base_.position[static_cast<std::size_t>(k)].at(seconds).acceleration;
  }
  result.alpha_WB = BaseAttitude(base_, seconds).acceleration();
  result.sddot.resize(model_->dof());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    result.sddot[static_cast<Eigen::Index>(i)] = joints_[i].at(seconds).acceleration;
  }
  return result;
}

std::int64_t frame_count(double duration, double rate_hz) {
  const double frames = duration * rate_hz;
  if (!(duration > 0.0 && rate_hz > 0.0 && frames <= 1e8)) {
    throw ConfigError(
        "a synthetic motion needs a duration [s] and a rate [Hz] above zero and at most 1e8 frames; got " +
        std::to_string(duration) + " s at " + std::to_string(rate_hz) + " Hz");
  }
  return std::max<std::int64_t>(1, std::llround(frames));
}

Motion synthesise(const Synthesis& synthesis, double duration, double rate_hz) {
  const std::int64_t frames = frame_count(duration, rate_hz);
  Motion motion;
  motion.model_name = synthesis.model().name();
  motion.joint_names = synthesis.model().joint_names();
  motion.rate_hz = rate_hz;
  motion.states.reserve(static_cast<std::size_t>(frames));
  for (std::int64_t i = 0; i < frames; ++i) motion.states.push_back(synthesis.state(frame_time(i, rate_hz)));
  return motion;
}

}  // namespace panto
