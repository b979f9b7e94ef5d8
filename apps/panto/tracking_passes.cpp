// What a run does before it begins: steps that are divided, motions that are made once to be smoothed or
// lifted.

#include <algorithm>
#include <numbers>

#include "panto/api/models.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/live/address.hpp"

namespace panto::app {
namespace {

// [s] feet that stand on one place are stepped no further at once: what one step of the method leaves, to
// second order in its length, is then less than 5 mm/s of slide on real walks
constexpr double kPlantedStep = 0.01;

}  // namespace

void Tracking::divide(double most_interval) {
  divided_.emplace(*tracker_, file_->names().size(), kPlantedStep, most_interval);
}

Tracker<SegmentSample>& Tracking::tracker() noexcept {
  if (hindsight_) return *hindsight_;
  if (divided_) return *divided_;
  return *tracker_;
}

// Who answers the run itself.
Tracker<SegmentSample>& Tracking::answering() noexcept {
  if (scaled_) return *scaled_;
  if (lifted_) return *lifted_;
  if (smoothed_) return *smoothed_;
  return tracker();
}

// How the solver's step went: the one just measured, or the one of the pass that the run is answered from.
StepRecord Tracking::solved(const StepRecord& measured) const {
  StepRecord record = measured;
  if (scaled_) record = scaled_->record();
  if (smoothed_) record = smoothed_->record();
  if (hindsight_) record.duration_ns.reset();  // forwards and backwards: no frame has a step of its own
  record.status = measured.status;
  return record;
}

// The same for statistics: a step that several frames of a slower motion show took its time once.
StepRecord Tracking::once(StepRecord record) const {
  if (scaled_ && scaled_->repeats()) record.duration_ns = record.allocations = std::nullopt;
  return record;
}

// What cannot be written is found before a motion is made once and once more.
void Tracking::probe_outputs() const {
  for (const std::string& path : options_.outputs)
    if (!live::is_address(path))
      (void)io::create_state_file(path, *model_, {file_->info().rate_hz, options_.angles});
}

// A motion that is scaled as a whole is solved without limits and coupled rows; limits only choose between
// branches.
void Tracking::make_tracker(SolverOptions solver) {
  const auto make = [&](const Model& model) {
    tracker_.emplace(model, file_->info().attachments, options_.solver, solver, file_->names());
  };
  make(*model_);  // refuses what the method cannot follow, limits and rows or not
  if (!options_.scale) return;
  free_model_.emplace(without_limits(*model_));
  options_.scale->time.speed_limit = solver.dynamical.limits.speed_limit;
  solver.dynamical.limits.speed_limit = kInfinity;
  solver.modular.ranges = JointRanges{model_->lower(), model_->upper()};
  make(*free_model_);
}

// The same with the method that follows any robot, where the one that was not asked for by name does not.
void Tracking::make_some_tracker(const SolverOptions& solver) {
  try {
    make_tracker(solver);
    options_.any_solver = false;
  } catch (const ModelError& error) {
    const std::string reason = error.what();
    if (reason.rfind("solver 'modular'", 0) != 0) throw;
    if (!options_.any_solver || options_.module_law != ModularLaw::DriftFree)
      throw ModelError(reason + "; --solver dynamical can");
    notes_.push_back("warning: " + reason + "; it is followed with --solver dynamical");
    options_.solver = SolverKind::Dynamical;
    make_tracker(solver);
  }
  check_effects(options_);  // what has a part in the one may have none in the other
}

// The whole motion is made once; it or its gestures are then scaled and answered from.
void Tracking::scale() {
  free_ = std::make_shared<const FreeClip>(*tracker_, *first_pass_, *model_);
  if (free_->samples.empty()) throw FormatError(options_.input + ": none of its frames can be followed");
  if (!options_.turns) scale_part(0, static_cast<int>(free_->samples.size()) - 1);
}

void Tracking::scale_part(int first, int last) {
  scaled_ = std::make_unique<ScaledClip>(free_, *model_, *options_.scale, first, last);
  for (std::string warning : {slow_warning(*scaled_, *model_), still_warning(*scaled_, *model_)})
    if (!warning.empty()) notes_.push_back(std::move(warning));
}

void Tracking::take_part(const RecordingPart& part, std::vector<std::string> outputs, std::string report) {
  if (!notes_of_all_) notes_of_all_ = notes_.size();
  notes_.resize(*notes_of_all_);  // what the part before had to say is not of this one
  part_ = ", " + part.name;
  about_part_ = part.about;
  scale_part(part.first, part.last);
  make_judge();
  options_.outputs = std::move(outputs);
  options_.report = std::move(report);
  check_outputs(output_paths(),
                {options_.input, options_.sensors, options_.model, options_.robot, options_.rig});
  outputs_.clear();
  files_.clear();
  links_.clear();
  page_.reset();
  frames_.reset();
  open_outputs();
  say(notes_, *notes_of_all_);
}

// The whole motion is made once, smoothed, and then answered from.
void Tracking::smooth(double speed_limit) {
  SmoothingOptions smoothing;
  smoothing.cutoff_hz = options_.smooth->cutoff_hz;
  smoothing.max_acceleration = options_.smooth->max_acceleration;
  smoothing.max_jerk = options_.smooth->max_jerk;
  smoothing.speed_limit = speed_limit;
  smoothed_ = std::make_unique<SmoothedTracker>(tracker(), *model_, *first_pass_, smoothing);
  const SmoothingReport& report = smoothed_->smoothing();
  notes_.push_back("smoothed: joints moved by " +
                   digits(report.joint_change_rms_rad * 180.0 / std::numbers::pi, 3) + " deg (RMS), " +
                   digits(report.joint_change_max_rad * 180.0 / std::numbers::pi, 3) +
                   " deg at most; the base by " + digits(1e3 * report.base_change_rms_m, 3) + " mm (RMS)");
  for (const std::string& note : report.notes) notes_.push_back(note);
}

// Where the motion, followed forwards, stands much worse than it could, what comes later tells how to get
// there.
void Tracking::look_back(const SolverOptions& solver, std::unique_ptr<RobotRecording> recording) {
  TwoWayOptions options;
  if (divided_) options.longest_step = kPlantedStep;
  auto hindsight = std::make_unique<TwoWayTracker>(*model_, file_->info().attachments, options_.solver,
                                                   solver, file_->names(), *recording, options);
  if (!hindsight->differs()) return;
  std::string moments;
  for (const Time t : hindsight->led()) moments += (moments.empty() ? "" : ", ") + digits(to_seconds(t), 4);
  notes_.push_back("followed forwards alone the robot gets stuck on the wrong side of its limits; at " +
                   moments + " s the motion is led through a better pose");
  hindsight_ = std::move(hindsight);
}

// Legs that cannot do what a person's do would put the robot's feet under the floor: the whole motion is made
// once to see by how much, and the base is raised by that.
void Tracking::lift(const SolverOptions& solver) {
  SoleDepth depth(*model_, robot_file_->skeleton(), person_feet_.sides);
  if (!depth.any()) return;
  if (smoothed_) {
    const std::vector<int>& cuts = smoothed_->cuts();
    int frame = 0;
    for (const State& state : smoothed_->motion().states)
      depth.add(state, std::find(cuts.begin(), cuts.end(), frame++) != cuts.end());
  } else if (hindsight_) {
    for (const TwoWayTracker::Frame& frame : hindsight_->frames())
      if (advanced(frame.status)) depth.add(frame.state, frame.clock_gap);
  } else {
    SegmentTracker tracker(*model_, file_->info().attachments, options_.solver, solver, file_->names());
    SubsteppingTracker divided(tracker, file_->names().size(), divided_ ? kPlantedStep : kInfinity,
                               solver.dynamical.max_interval);
    SegmentSample sample;
    State state = tracker.rest_state();
    for (ReadStatus read{}; (read = first_pass_->read(sample)) != ReadStatus::EndOfMotion;) {
      if (read == ReadStatus::Malformed) break;
      if (read != ReadStatus::Sample || !advanced(divided.step(sample, state))) continue;
      depth.add(state, sample.cut || tracker.last_report().clock_gap);
    }
  }
  std::vector<double> lift = depth.lift();
  const double most = lift.empty() ? 0.0 : *std::max_element(lift.begin(), lift.end());
  if (!(most > 0.0)) return;
  notes_.push_back("the base is raised by up to " + digits(1e3 * most, 3) +
                   " mm, so that feet that cannot follow do not sink into the floor");
  Tracker<SegmentSample>& own = smoothed_ ? static_cast<Tracker<SegmentSample>&>(*smoothed_) : tracker();
  lifted_ = std::make_unique<LiftedTracker>(own, tracker_->rest_state(), std::move(lift));
}

}  // namespace panto::app
