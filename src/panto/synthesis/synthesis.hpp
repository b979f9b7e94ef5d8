#pragma once
// Synthetic motions: joints, base and their derivatives as exact functions of time.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/model/state_acceleration.hpp"
#include "panto/motion/motion.hpp"
#include "panto/synthesis/curve.hpp"

namespace panto {

/// The base link as a function of time: R_WB = R_z(yaw) R_y(pitch) R_x(roll).
struct BaseCurves {
  std::array<Curve, 3> position;  ///< p_WB [m]
  Curve roll, pitch, yaw;         ///< [rad]
};

/// One motion of one model. Velocities are derivatives of the formulas, not differences. The model must
/// outlive it.
class Synthesis {
 public:
  /// `joints` in State::s order. `period` [s]: joints and posture repeat (the base may have moved); 0: never.
  /// @throws ConfigError when the number of curves is not the model's dof.
  Synthesis(std::string name, const Model& model, std::vector<Curve> joints, BaseCurves base, double period);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] double period() const noexcept { return period_; }
  [[nodiscard]] const std::vector<Curve>& joints() const noexcept { return joints_; }
  [[nodiscard]] const BaseCurves& base() const noexcept { return base_; }

  [[nodiscard]] State state(Time t) const;
  /// The same into a State of matching size, without allocation.
  void evaluate(Time t, State& state) const noexcept;
  [[nodiscard]] StateAcceleration acceleration(Time t) const;

 private:
  std::string name_;
  const Model* model_;
  std::vector<Curve> joints_;
  BaseCurves base_;
  double period_;
};

/// A motion that `make_synthesis` knows.
struct SynthesisName {
  std::string_view name;
  std::string_view description;  ///< one line, for people
};

/// Returns tpose, npose, walk, fast_walk, run, reach; gestures: wave, conduct, forearm_roll, overflex,
/// singular, gesture; for the arm tee7: singular_arm, singular_hold; for any model: random.
[[nodiscard]] const std::vector<SynthesisName>& synthesis_names();

/// Creates a motion by name. All but `random` and those of tee7 need a human model (human66, human48,
/// human-gazebo's URDFs). Skips joints that the model lacks; scales and shifts curves into the limits. `seed`
/// matters to `gesture` and `random` only. The person stands on the plane z = 0 and faces x.
/// @throws ConfigError for an unknown name (listing the valid ones) or an unsuitable model.
[[nodiscard]] Synthesis make_synthesis(std::string_view name, const Model& model, std::uint64_t seed = 1);

/// Returns the number of frames of a motion of `duration` seconds at `rate_hz`: t = i / rate, i <
/// round(duration rate), at least one.
/// @throws ConfigError unless both are positive and there are at most 1e8 frames.
[[nodiscard]] std::int64_t frame_count(double duration, double rate_hz);

/// Samples the motion: `frame_count(duration, rate_hz)` states.
[[nodiscard]] Motion synthesise(const Synthesis& synthesis, double duration, double rate_hz);

}  // namespace panto
