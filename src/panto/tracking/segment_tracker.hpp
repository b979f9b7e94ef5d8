#pragma once
// Segments onto a model: attachments, alignment and a solver in one object.

#include <cstdint>
#include <memory>
#include <vector>

#include "panto/ik/alignment.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/model/human_segments.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/targets/attachments.hpp"
#include "panto/tracking/tracker.hpp"

namespace panto {

/// Tracks segments with any of the methods. The model must outlive it; one object per thread and per
/// person.
class SegmentTracker final : public Tracker<SegmentSample> {
 public:
  /// With the dynamical method. `segments`: the names of the source (`Source::names()`), in its order; the 23
  /// of MVN if not said.
  /// @throws ConfigError or ModelError with the reason.
  SegmentTracker(const Model& model, const AttachmentMap& map, const DynamicalOptions& options,
                 const std::vector<std::string>& segments = human_segment_names());
  /// The same with another method. The first frame is aligned by `options.dynamical`, unless the method finds
  /// poses by itself (`Solver::find_pose`). `own`: targets and rows of the user, which this method must take
  /// (`takes_own_targets`). Its `update` is called at the beginning of every `step`; one that throws ends the
  /// program, one that changes counts gives `SizeMismatch`.
  SegmentTracker(const Model& model, const AttachmentMap& map, SolverKind kind, const SolverOptions& options,
                 const std::vector<std::string>& segments = human_segment_names(),
                 const OwnTargetsOption& own = {});

  /// What the user asks for besides: values may be edited between steps (`OwnTargets`), names and counts not.
  [[nodiscard]] OwnTargets& own() noexcept { return targets_.own; }
  /// Writes the weights of `targets.own.followed` into its rows, which are this tracker's.
  void weigh(Targets& targets) const noexcept;

  /// The model at rest: where to begin.
  [[nodiscard]] State rest_state() const { return panto::rest_state(*model_); }

  /// The first sample, one that comes later than `max_interval` after the last, and one that is marked as a
  /// `cut` are met by alignment: the pose is found anew, velocities are those that the sample has rates for.
  /// (With `align` off: the first is only remembered, a late one holds the pose. With `limited_return` a pose
  /// found after a gap or at a cut is approached no faster than the limits allow; `StepReport::returning`
  /// says so.) A sample without any valid quantity gives `NoTarget`, unless it is a step and an own target is
  /// on.
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;

  /// To go on from a copied State as if nothing had happened: the sample of that State's instant.
  /// Returns what is wrong with the sample, `Solved` if nothing is.
  [[nodiscard]] StepStatus resume(const SegmentSample& sample, const State& state) noexcept;

  /// Forgets the past: the next sample is a first one.
  void reset() noexcept;

  [[nodiscard]] const StepReport& last_report() const noexcept override {
    return begun_ || returning_ ? report_ : solver_->last_report();
  }
  /// Of all alignments so far those that were ambiguous (`StepReport::ambiguous`).
  [[nodiscard]] std::int64_t ambiguous_starts() const noexcept { return ambiguous_starts_; }

  /// The last sample in the model's terms.
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
  void approach(double dt, State& state) noexcept;
  [[nodiscard]] StepStatus watch(StepStatus status, double dt) noexcept;

  const Model* model_;
  DynamicalOptions options_;
  Attachments attachments_;
  Targets targets_;
  OwnTargets declared_;
  OwnTargetsUpdate update_;                 // of own targets; empty: the caller sets them
  std::vector<std::size_t> followed_rows_;  // by `OwnTargets::followed`
  std::unique_ptr<Solver> solver_;
  Aligner aligner_;
  Kinematics kinematics_;
  StepReport report_;  // of what was no step of the solver
  bool begun_ = true;  // that was the last thing
  Eigen::Matrix3d drifting_ =
      Eigen::Matrix3d::Identity();  // paper mode: the base attitude before it is made orthonormal
  Time drifting_at_ = 0;
  bool drifts_ = false;  // paper mode: the solver lets it
  bool started_ = false;
  State goal_;  // found after a gap, while the State is on its way there
  bool returning_ = false;
  std::vector<double> speed_;  // of the joints on that way
  double stuck_for_ = 0.0;     // [s] with a residual beyond 170 degrees
  std::int64_t ambiguous_starts_ = 0;
};

}  // namespace panto
