#pragma once
// Tracks segments with a model: attachments, alignment and a solver in one object.

#include <cstdint>
#include <memory>
#include <vector>

#include "panto/ik/alignment.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/sample/stages.hpp"
#include "panto/targets/attachments.hpp"

namespace panto {

/// Tracks segments with any of the methods. The model must outlive it; use one object per thread and person.
class SegmentTracker final : public Tracker<SegmentSample> {
 public:
  /// Uses the dynamical method. `segments`: the names of the source (`Source::names()`), in its order;
  /// default: the 23 of MVN. @throws ConfigError or ModelError with the reason.
  SegmentTracker(const Model& model, const AttachmentMap& map, const DynamicalOptions& options,
                 const std::vector<std::string>& segments = human_segment_names());
  /// The same with another method. `options.dynamical` aligns the first frame, unless the method finds poses
  /// itself (`Solver::find_pose`). `own`: targets and rows of the user, which this method must accept
  /// (`takes_own_targets`). Calls its `update` at the beginning of every `step`; an exception in it ends the
  /// program, a change of counts returns `SizeMismatch`.
  SegmentTracker(const Model& model, const AttachmentMap& map, SolverKind kind, const SolverOptions& options,
                 const std::vector<std::string>& segments = human_segment_names(),
                 const OwnTargetsOption& own = {});

  /// Returns the user's targets and rows. Values may be edited between steps (`OwnTargets`), names and counts
  /// may not.
  [[nodiscard]] OwnTargets& own() noexcept { return targets_.own; }
  /// Writes the weights of `targets.own.followed` into its rows, which are this tracker's.
  void weigh(Targets& targets) const noexcept;

  /// Returns the model at rest, as a start state.
  [[nodiscard]] State rest_state() const { return panto::rest_state(*model_); }

  /// Tracks one sample. The first sample, one later than `max_interval` after the last, and one marked as a
  /// `cut` are aligned: the pose is found from the sample alone, with velocities where the sample has rates.
  /// With `align` off, the first sample is only remembered and a late one holds the pose. With
  /// `limited_return`, a pose found after a gap or at a cut is approached within the limits
  /// (`StepReport::returning`). A sample without any valid quantity returns `NoTarget`, unless it is a step
  /// and an own target is on.
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;

  /// Prepares to continue from a copied State without a gap. `sample`: the one of that State's instant.
  /// Returns what is wrong with the sample, or `Solved`.
  [[nodiscard]] StepStatus resume(const SegmentSample& sample, const State& state) noexcept;

  /// Forgets the past: the next sample is treated as the first.
  void reset() noexcept;

  [[nodiscard]] const StepReport& last_report() const noexcept override {
    return begun_ || returning_ ? report_ : solver_->last_report();
  }
  /// Returns the number of ambiguous alignments so far (`StepReport::ambiguous`).
  [[nodiscard]] std::int64_t ambiguous_starts() const noexcept { return ambiguous_starts_; }

  /// Returns the last sample as targets of the model.
  [[nodiscard]] const Targets& targets() noexcept {
    attachments_.complete(targets_);
    return targets_;
  }
  [[nodiscard]] const Attachments& attachments() const noexcept { return attachments_; }
  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] const Solver& solver() const noexcept { return *solver_; }

 private:
  [[nodiscard]] StepStatus ask(const SegmentSample& sample, const State& state) noexcept;
  [[nodiscard]] StepStatus begin(State& state, bool gap) noexcept;
  [[nodiscard]] StepStatus advance(double dt, bool gap, State& state) noexcept;
  [[nodiscard]] StepStatus step_drifting(State& state) noexcept;
  // of the base, in one step
  struct Carried {
    Eigen::Vector3d way = Eigen::Vector3d::Zero(), turn = Eigen::Vector3d::Zero();
  };
  void approach(double dt, const Carried& carried, State& state) noexcept;
  [[nodiscard]] StepStatus watch(StepStatus status, double dt) noexcept;

  const Model* model_;
  DynamicalOptions options_;
  Attachments attachments_;
  Targets targets_;
  OwnTargets declared_;
  OwnTargetsUpdate update_;                 // of own targets; empty: the caller updates them
  std::vector<std::size_t> followed_rows_;  // by `OwnTargets::followed`
  std::unique_ptr<Solver> solver_;
  Aligner aligner_;
  Kinematics kinematics_;
  StepReport report_;  // of calls that were no solver step
  bool begun_ = true;  // the last call was no solver step
  Eigen::Matrix3d drifting_ =
      Eigen::Matrix3d::Identity();  // paper mode: the base attitude before orthonormalisation
  Time drifting_at_ = 0;
  bool drifts_ = false;  // paper mode: the solver allows drift
  bool started_ = false;
  State goal_;  // found after a gap, while the State is on its way there
  bool returning_ = false;
  double interval_ = 0.0;      // before the newest sample [s]
  std::vector<double> speed_;  // joint speeds on that way
  double stuck_for_ = 0.0;     // [s] with a residual beyond 170 degrees
  std::int64_t ambiguous_starts_ = 0;
};

}  // namespace panto
