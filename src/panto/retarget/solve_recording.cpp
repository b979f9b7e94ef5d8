#include "panto/retarget/solve_recording.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/retarget/plant_motion.hpp"
#include "panto/retarget/sole_depth.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "panto/tracking/substepping_tracker.hpp"
#include "panto/tracking/two_way_notes.hpp"

namespace panto {
namespace {

// [s] longest step with feet in stance: the error of one step, which is of second order in its length, then
// causes a slide below 5 mm/s on real walks
constexpr double kPlantedStep = 0.01;

double longest_step(const RobotRecording& recording) {
  return recording.plants_feet() ? kPlantedStep : kInfinity;
}

// The passes and how long they take beside each other, about, on a G1.
struct Work {
  WorkPart solving{0, 4, 0}, planting{4, 3, 0}, clearing{0, 6, 0};
  Work(bool plants, bool clears) {
    clearing.first = solving.count + (plants ? planting.count : 0);
    solving.of = planting.of = clearing.of = clearing.first + (clears ? clearing.count : 0);
  }
};

// Solves forwards and backwards; returns false if the recording is too long.
bool solve_two_way(RobotRecording& recording, const Model& model, const SolveOptions& options,
                   const Observer& observer, SolvedRecording& solved) {
  TwoWayOptions two_way;
  two_way.longest_step = longest_step(recording);
  const TwoWayTracker tracker(model, recording.info().attachments, options.solver, options.method,
                              recording.names(), recording, two_way, observer, options.own);
  recording.rewind();
  if (tracker.frames().empty()) return false;
  solved.clip = solved_clip(tracker, model);
  solved.clip.motion.rate_hz = recording.info().rate_hz;
  solved.ambiguous_starts = tracker.ambiguous_starts();
  solved.rerouted_at = tracker.rerouted_at();
  solved.stuck = tracker.stuck();
  solved.notes = two_way_notes(tracker, model);
  return true;
}

void solve_forwards(RobotRecording& recording, const Model& model, const SolveOptions& options,
                    const Observer& observer, SolvedRecording& solved) {
  SegmentTracker tracker(model, recording.info().attachments, options.solver, options.method,
                         recording.names(), options.own);
  SubsteppingTracker divided(tracker, recording.names().size(), longest_step(recording),
                             options.method.dynamical.max_interval);
  solved.clip = solve_clip(divided, recording, model, observer);
  solved.ambiguous_starts = tracker.ambiguous_starts();
  recording.rewind();
}

// Tells the observer of the frames of a pass.
std::function<void(std::int64_t)> passing(const Observer& observer, const SolvedRecording& solved) {
  if (!observer.progress) return {};
  return [&observer, of = std::ssize(solved.clip.motion.states)](std::int64_t done) {
    report_progress(observer, done, of);
  };
}

// Where parts begin that are smoothed each by itself: at cuts, and where frames are missing.
std::vector<int> parts_without_gaps(const SolvedClip& clip) {
  std::vector<int> starts = clip.cuts();
  const std::vector<State>& states = clip.motion.states;
  std::vector<Time> since;
  for (std::size_t k = 1; k < states.size(); ++k) since.push_back(states[k].t - states[k - 1].t);
  if (since.empty()) return starts;
  std::vector<Time> sorted = since;
  std::nth_element(sorted.begin(), sorted.begin() + std::ssize(sorted) / 2, sorted.end());
  const Time usual = sorted[sorted.size() / 2];
  for (std::size_t k = 0; k < since.size(); ++k)
    if (2 * since[k] > 3 * usual) starts.push_back(static_cast<int>(k) + 1);
  return starts;
}

void smooth(const Model& model, const SolveOptions& options, SolvedRecording& solved) {
  SmoothingOptions smoothing = *options.smooth;
  smoothing.speed_limit = options.method.dynamical.limits.speed_limit;
  smoothing.cuts = parts_without_gaps(solved.clip);
  SmoothedMotion smoothed = smooth_motion(solved.clip.motion, model, smoothing);
  solved.clip.motion.states = std::move(smoothed.motion.states);
  const SmoothingReport& report = smoothed.report;
  solved.notes.push_back("smoothed: joints moved by " + digits(report.joint_change_rms_rad * kToDegrees, 3) +
                         " deg RMS, " + digits(report.joint_change_max_rad * kToDegrees, 3) +
                         " deg max; base by " + digits(1e3 * report.base_change_rms_m, 3) + " mm RMS");
  for (const std::string& note : report.notes) solved.notes.push_back(note);
}

// If the legs cannot do what the person's do, the robot's feet would sink below the floor.
void lift(const RobotRecording& recording, const Model& model, const PersonFeet& feet,
          SolvedRecording& solved) {
  SoleDepth depth(model, recording.skeleton(), feet.sides);
  if (!depth.any()) return;
  for (std::size_t k = 0; k < solved.clip.motion.states.size(); ++k)
    depth.add(solved.clip.motion.states[k], solved.clip.gap[k]);
  const std::vector<double> lift = depth.lift();
  std::string note = raised_note(lift);
  if (note.empty()) return;
  solved.notes.push_back(std::move(note));
  lift_base(lift, solved.clip);
}

// Returns in which frames feet stay where they are.
std::vector<LinkContacts> plant(RobotRecording& recording, const Model& model, const PersonFeet& feet,
                                const SolveOptions& options, const Observer& observer,
                                SolvedRecording& solved) {
  PlantMotionOptions planting;
  planting.progress = passing(observer, solved);
  if (options.posing)
    planting.calm = 0.0;  // a character has no limits of speed
  else
    planting.speed_limit = options.method.dynamical.limits.speed_limit;
  PlantMotionReport report =
      plant_motion(model, recording.skeleton(), feet, base_wishes(recording, feet.contacts.ground), planting,
                   solved.clip.cuts(), solved.clip.motion);
  if (std::string note = let_go_note(report); !note.empty()) solved.notes.push_back(std::move(note));
  return std::move(report.still);
}

// Puts the robot where its base is, which the solver has left at the origin. Velocities are not set.
void carry_clip(RobotRecording& recording, SolvedClip& clip) {
  SegmentSample sample;
  std::size_t k = 0;
  for (ReadStatus read{}; (read = recording.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed || k >= clip.state_of.size()) break;
    if (read != ReadStatus::Sample) continue;
    const int frame = clip.state_of[k++];
    if (frame >= 0) carry(recording.skeleton().base(), clip.motion.states[at(frame)]);
  }
  recording.rewind();
  recording.show_world();
}

// Moves parts of the body out of each other, but no leg whose foot is `still`. Velocities are not set.
void clear(const RobotRecording& recording, const Model& model, const std::vector<LinkContacts>& still,
           const SolveOptions& options, const Observer& observer, SolvedRecording& solved) {
  const ClearBody body{link_body(model, model.rest()), giving_joints(model, recording.skeleton()),
                       arms_of(recording.skeleton()), corners_of_feet(model, recording.skeleton(), {0, 1})};
  if (body.body.capsules.empty()) {
    solved.notes.emplace_back(
        "limbs are not moved apart, because the robot's model has no shapes of its links; overlaps are "
        "judged "
        "by assumed shapes");
    return;
  }
  ClearMotionOptions clearing = *options.clear;
  clearing.speed_limit = options.method.dynamical.limits.speed_limit;
  clearing.progress = passing(observer, solved);
  if (!still.empty()) {
    Obstacle& floor = clearing.obstacles.emplace_back();
    floor.name = "floor";
    floor.given = true;
  }
  const ClearMotionReport report =
      clear_motion(model, body, still, clearing, solved.clip.cuts(), solved.clip.motion);
  if (report.before > 0) solved.notes.push_back(clear_note(report));
}

}  // namespace

SolvedRecording solve_recording(RobotRecording& recording, const Model& model, const PersonFeet& feet,
                                const SolveOptions& options, const Observer& observer) {
  SolvedRecording solved;
  const bool stands = options.feet != FeetMode::Off && model.floating_base();
  const Work work(stands && options.feet == FeetMode::Plant, options.clear.has_value());
  const Observer solving = part_of(observer, work.solving);
  if (options.posing) {
    solved.clip = solve_clip(*options.posing, recording, model, solving);
    recording.rewind();
  } else if (!options.two_way || !solve_two_way(recording, model, options, solving, solved)) {
    solve_forwards(recording, model, options, solving, solved);
  }
  if (model.floating_base())
    solved.clip.motion.contacts =
        person_contacts(model, recording.skeleton(), feet, recording.plan(), solved.clip.motion);
  std::vector<LinkContacts> still = solved.clip.motion.contacts;
  if (stands && options.feet == FeetMode::Plant)
    still = plant(recording, model, feet, options, part_of(observer, work.planting), solved);
  if (options.smooth) smooth(model, options, solved);
  if (stands) lift(recording, model, feet, solved);
  if (recording.carried()) carry_clip(recording, solved.clip);
  if (options.clear) clear(recording, model, still, options, part_of(observer, work.clearing), solved);
  // the solver's are those of the step before a frame
  derive_velocities(solved.clip.motion, solved.clip.cuts());
  return solved;
}

}  // namespace panto
