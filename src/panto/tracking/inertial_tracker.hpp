#pragma once
// Tracks raw inertial sensors with the chain filter. docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/ik/alignment.hpp"
#include "panto/inertial/chain_ekf.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/stages.hpp"
#include "panto/tracking/carried_base.hpp"
#include "panto/tracking/silent_sensors.hpp"

namespace panto {

/// Returns the start state. @throws ModelError for a start joint that the model lacks or whose type does not
/// fit.
[[nodiscard]] State start_of(const Model& model, const InertialSetup& setup);

/// Returns the positions of the sensors of `mounts` among those of a source. @throws ConfigError for a
/// missing sensor, with the nearest name, and if nothing is mounted.
[[nodiscard]] std::vector<int> sensor_positions(const std::vector<ImuMount>& mounts,
                                                const std::vector<std::string>& sensors);

/// Tracks raw sensors with a `ChainEkf`. The model must outlive it; use one object per thread and person.
class InertialTracker final : public Tracker<ImuSample> {
 public:
  /// `sensors`: the names of the source (`Source::names()`), in its order; unmounted ones are ignored.
  /// @throws ConfigError for a mounted sensor that the source lacks, and as `ImuModel` and `ChainEkf` do;
  /// ModelError for a start joint that the model lacks or whose type does not fit.
  InertialTracker(const Model& model, const InertialSetup& setup, const std::vector<std::string>& sensors);

  /// Returns the start state of the setup.
  [[nodiscard]] const State& start_state() const noexcept { return start_; }

  /// Tracks one sample. The first sample, and the first after a silence longer than `longest_gap`, begin at
  /// the given `state`, at rest and as uncertain as the options say (more so after a silence or if the
  /// sensors are not at rest). Sensors with orientations but no rates move the start pose to their
  /// orientations. A sample without readings of mounted sensors returns `NoTarget`. Triples of joints are
  /// read on the Euler branch nearest to `state`. A floating base never jumps: it is published as
  /// `carried_on` does, and finds the filter's answer again where the two differ, soon in its velocity and
  /// slowly in a place that nothing measures.
  [[nodiscard]] StepStatus step(const ImuSample& sample, State& state) noexcept override;

  /// Returns the report of the last step. `aligned`: the step began a motion; `clock_gap`: after a silence.
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Returns the standard deviation of every joint after the last step, State::s order [rad] or [m]. (dof)
  [[nodiscard]] const Eigen::VectorXd& deviation() const noexcept { return deviation_; }
  /// Returns the joints, State::s order, that no sensor tells of at the last step, though one did or will:
  /// they come to rest where they are, with a deviation within their range. (dof)
  [[nodiscard]] const std::vector<unsigned char>& held() const noexcept { return held_; }
  /// Returns the sensor health of the last step, by mount.
  [[nodiscard]] const std::vector<ImuHealth>& health() const noexcept {
    return (report_.aligned ? beginner_ : filter_).health();
  }
  /// Returns the readings of the last sample, by mount.
  [[nodiscard]] const std::vector<ImuReading>& readings() const noexcept { return gathered_.imus; }
  [[nodiscard]] const std::vector<ImuMount>& mounts() const noexcept { return filter_.model().imus(); }
  /// Returns the prediction time of the results [s].
  [[nodiscard]] double lag() const noexcept { return lag_; }
  /// Returns the filter's state: biases, covariance, accelerations.
  [[nodiscard]] const ChainState& chain() const noexcept { return chain_; }
  [[nodiscard]] const ChainEkf& filter() const noexcept { return filter_; }

  /// Everything needed to continue from here later, with the same bits.
  struct Checkpoint {
    ChainState chain;
    State state;
    bool started = false;
    BaseOffset base;
    std::vector<Time> seen;
  };
  /// Returns a checkpoint. `state`: as the last step left it.
  [[nodiscard]] Checkpoint checkpoint(const State& state) const {
    return {chain_, state, started_, base_, silent_.seen()};
  }
  /// Continues from a checkpoint. @throws ConfigError for a checkpoint of another tracker.
  void resume(const Checkpoint& checkpoint);
  /// Allocation-free variants for use at every sample, with a checkpoint of this tracker.
  void save(const State& state, Checkpoint& checkpoint) const noexcept;
  void restore(const Checkpoint& checkpoint) noexcept;
  /// Returns true once a sample was tracked.
  [[nodiscard]] bool started() const noexcept { return started_; }

  /// Reads pose and rates from any filter state, as `step` does, and every joint's standard deviation.
  /// Triples are read on the Euler branch nearest to `state`. (dof)
  void read(const ChainState& chain, State& state, Eigen::VectorXd& deviation) const noexcept;

 private:
  [[nodiscard]] bool gather(const ImuSample& sample) noexcept;
  [[nodiscard]] bool at_rest() const noexcept;
  [[nodiscard]] bool runs_away(StepStatus status) const noexcept;
  void begin(Time t, const State& state, bool silence) noexcept;
  [[nodiscard]] const State& first_pose(const State& state) noexcept;
  [[nodiscard]] BaseAnswer base_answer() const noexcept;
  void hold(double T) noexcept;
  void find_held_joints() noexcept;
  void publish(const BaseAnswer& was, double T, State& state) noexcept;
  void read_deviations(const ChainLayout::Ball& ball, const Eigen::MatrixXd& all, const State& state,
                       Eigen::VectorXd& deviation) const noexcept;

  const Model* model_;
  ChainLayout layout_;
  ChainEkf filter_, beginner_;
  double longest_gap_, lag_;
  std::size_t sensors_;
  std::vector<int> source_;             // by mount: index in the sample
  std::vector<unsigned char> in_ball_;  // by unknown
  State start_;
  StateAcceleration at_rest_;
  bool oriented_;    // fused orientations are used
  Targets said_;     // fused orientations, by mount
  Aligner aligner_;  // aligns the model to them
  State first_;      // start of a motion
  ImuSample gathered_;
  ChainState unknown_, chain_, before_;  // start uncertainty; current state; state before the step
  bool started_ = false;
  MeasuredPlace measured_;
  BaseOffset base_;
  SilentSensors silent_;
  std::vector<unsigned char> held_;  // by joint
  Eigen::VectorXd range_;            // largest deviation of a held unknown
  Eigen::VectorXd deviation_;
  StepReport report_;
};

}  // namespace panto
