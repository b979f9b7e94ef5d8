#pragma once
// Raw inertial sensors onto a model: the chain filter as a tracker. docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/ik/alignment.hpp"
#include "panto/inertial/chain_ekf.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Where the motion begins. @throws ModelError for a joint to start at that the model has not, or of the
/// other kind.
[[nodiscard]] State start_of(const Model& model, const InertialSetup& setup);

/// Where the sensors of `mounts` are among those of a source. @throws ConfigError for one that is not there,
/// with the nearest, and where nothing is mounted.
[[nodiscard]] std::vector<int> sensor_positions(const std::vector<ImuMount>& mounts,
                                                const std::vector<std::string>& sensors);

/// Tracks raw sensors with a `ChainEkf`. The model must outlive it; one object per thread and person.
class InertialTracker final : public Tracker<ImuSample> {
 public:
  /// `sensors`: the names of the source (`Source::names()`), in its order; those that are not mounted are not
  /// used.
  /// @throws ConfigError: a mounted sensor that the source has not, and whatever `ImuModel` and `ChainEkf`
  /// refuse; ModelError for a joint to start at that the model has not, or of the other kind.
  InertialTracker(const Model& model, const InertialSetup& setup, const std::vector<std::string>& sensors);

  /// Where the setup says that the motion begins.
  [[nodiscard]] const State& start_state() const noexcept { return start_; }

  /// The first sample, and the first after a longer silence than `longest_gap`, begin at `state` as it is
  /// given, at rest and as uncertain as the options say (after a silence, or where the sensors are not at
  /// rest: more so). Sensors that say orientations and no rates put it where they say. A sample in which no
  /// mounted sensor measured gives `NoTarget`. Triples of joints are read on the Euler branch nearest to
  /// `state`.
  [[nodiscard]] StepStatus step(const ImuSample& sample, State& state) noexcept override;

  /// `aligned`: it was begun; `clock_gap`: after a silence.
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Standard deviation of every joint after the last step, State::s order [rad] or [m]. (dof)
  [[nodiscard]] const Eigen::VectorXd& deviation() const noexcept { return deviation_; }
  /// What the last step found, by mount.
  [[nodiscard]] const std::vector<ImuHealth>& health() const noexcept {
    return (report_.aligned ? beginner_ : filter_).health();
  }
  /// Readings of the last sample, by mount.
  [[nodiscard]] const std::vector<ImuReading>& readings() const noexcept { return gathered_.imus; }
  [[nodiscard]] const std::vector<ImuMount>& mounts() const noexcept { return filter_.model().imus(); }
  /// By how much answers are predicted on [s].
  [[nodiscard]] double lag() const noexcept { return lag_; }
  /// All that the filter knows: biases, covariance, accelerations.
  [[nodiscard]] const ChainState& chain() const noexcept { return chain_; }
  [[nodiscard]] const ChainEkf& filter() const noexcept { return filter_; }

  /// What it takes to go on from here another time, with the same bits.
  struct Checkpoint {
    ChainState chain;
    State state;
    bool started = false;
  };
  /// `state`: as the last step left it.
  [[nodiscard]] Checkpoint checkpoint(const State& state) const { return {chain_, state, started_}; }
  /// @throws ConfigError for a checkpoint of another tracker.
  void resume(const Checkpoint& checkpoint);
  /// The same for who does it at every sample: no allocation, into and from a checkpoint of this tracker.
  void save(const State& state, Checkpoint& checkpoint) const noexcept;
  void restore(const Checkpoint& checkpoint) noexcept;
  /// Whether it has tracked anything.
  [[nodiscard]] bool started() const noexcept { return started_; }

  /// Pose and rates of any state of the filter, as `step` gives them; and every joint's standard deviation.
  /// Triples are read on the Euler branch nearest to `state`. (dof)
  void read(const ChainState& chain, State& state, Eigen::VectorXd& deviation) const noexcept;

 private:
  [[nodiscard]] bool gather(const ImuSample& sample) noexcept;
  [[nodiscard]] bool at_rest() const noexcept;
  void begin(Time t, const State& state, bool silence) noexcept;
  [[nodiscard]] const State& first_pose(const State& state) noexcept;
  void read_deviations(const ChainLayout::Ball& ball, const Eigen::MatrixXd& all, const State& state,
                       Eigen::VectorXd& deviation) const noexcept;

  const Model* model_;
  ChainLayout layout_;
  ChainEkf filter_, beginner_;
  double longest_gap_, lag_;
  std::size_t sensors_;
  std::vector<int> source_;             // by mount: position in the sample
  std::vector<unsigned char> in_ball_;  // by unknown
  State start_;
  StateAcceleration at_rest_;
  bool oriented_;    // orientations that trackers have fused count
  Targets said_;     // where these are, by mount
  Aligner aligner_;  // to them
  State first_;      // how a motion begins
  ImuSample gathered_;
  ChainState unknown_, chain_, before_;  // as uncertain as at the start; now; before the step
  bool started_ = false;
  Eigen::VectorXd deviation_;
  StepReport report_;
};

}  // namespace panto
