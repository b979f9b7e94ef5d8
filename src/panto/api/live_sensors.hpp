#pragma once
// Tracks raw inertial sensors one sample at a time, for live input. (not installed)

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "panto/inertial/sensor_setup.hpp"
#include "panto/model/human.hpp"
#include "panto/model/model.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Tracks one sample at a time, with the bits of `track` on the same samples, except that `track` masks dead
/// and frozen sensors, which it finds in the whole recording. Owns all that it needs; use one object per
/// thread and person.
class LiveSensors final : public Tracker<ImuSample> {
 public:
  /// `names`: of the samples' sensors, in their order. `subject`: size of a human, for `SensorSetup::soles`.
  /// @throws ConfigError for a setup that needs the whole recording (`SensorSetup::steadied`), a sensor that
  /// the samples lack, a setup that contradicts itself; ModelError for a link or joint that the model lacks.
  LiveSensors(const Model& model, SensorSetup sensors, const std::vector<std::string>& names,
              const SubjectDimensions& subject = scaled_subject(1.75));
  ~LiveSensors() override;

  /// Returns the state to begin with.
  [[nodiscard]] State start_state() const;
  [[nodiscard]] const Model& model() const noexcept;
  /// Advances `state` to a sample. On failure it stays unchanged.
  [[nodiscard]] StepStatus step(const ImuSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override;
  /// Returns the standard deviation of every joint after the last step, State::s order [rad] or [m].
  [[nodiscard]] const Eigen::VectorXd& deviation() const noexcept;
  /// Forgets the past; the next sample counts as the first.
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto
