#include "panto/retarget/solve_recording.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/retarget/clear_robot.hpp"
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

SmoothingReport smooth(const Model& model, SmoothingOptions smoothing, const SolveOptions& options,
                       SolvedRecording& solved) {
  smoothing.speed_limit = options.method.dynamical.limits.speed_limit;
  smoothing.cuts = parts_without_gaps(solved.clip);
  SmoothedMotion smoothed = smooth_motion(solved.clip.motion, model, smoothing);
  solved.clip.motion.states = std::move(smoothed.motion.states);
  return std::move(smoothed.report);
}

void smooth(const Model& model, const SolveOptions& options, SolvedRecording& solved) {
  const SmoothingReport report = smooth(model, *options.smooth, options, solved);
  solved.notes.push_back("smoothed: joints moved by " + digits(report.joint_change_rms_rad * kToDegrees, 3) +
                         " deg RMS, " + digits(report.joint_change_max_rad * kToDegrees, 3) +
                         " deg max; base by " + digits(1e3 * report.base_change_rms_m, 3) + " mm RMS");
}

// Where the legs and limbs that moved since are too fast for what was asked, smooths once more, there alone.
void keep_smooth(const Model& model, const SolveOptions& options, SolvedRecording& solved) {
  SmoothingOptions bounds = *options.smooth;
  bounds.cutoff_hz = kInfinity;
  bounds.together = true;
  const SmoothingReport report = smooth(model, bounds, options, solved);
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

PlantMotionReport plant(RobotRecording& recording, const Model& model, const PersonFeet& feet,
                        const SolveOptions& options, const Observer& observer, SolvedRecording& solved) {
  PlantMotionOptions planting;
  planting.progress = passing(observer, solved);
  if (options.posing)
    planting.calm = 0.0;  // a character has no limits of speed
  else
    planting.speed_limit = options.method.dynamical.limits.speed_limit;
  PlantMotionReport report =
      plant_motion(model, recording.skeleton(), feet, base_wishes(recording, feet.contacts.ground), planting,
                   solved.clip.cuts(), solved.clip.motion);
  return report;
}

// Returns the largest distance of a foot in stance from its anchor [m].
double farthest_from_anchors(const Model& model, const Motion& motion) {
  Kinematics kinematics(model);
  double farthest = 0.0;
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    kinematics.update(motion.states[k]);
    for (const LinkContacts& foot : motion.contacts)
      if (const std::optional<int> link = model.find_link(foot.link);
          link && k < foot.anchor.size() && foot.anchor[k])
        farthest = std::max(farthest, (kinematics.p_WL(*link) - foot.anchor[k]->p_WL).norm());
  }
  return farthest;
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

// Velocities are not set.
void clear(const RobotRecording& recording, const Model& model, const std::vector<LinkContacts>& still,
           const SolveOptions& options, const Observer& observer, SolvedRecording& solved) {
  ClearMotionOptions clearing = *options.clear;
  clearing.speed_limit = options.method.dynamical.limits.speed_limit;
  clearing.progress = passing(observer, solved);
  for (std::string& note : clear_robot(model, recording.skeleton(), still, std::move(clearing),
                                       solved.clip.cuts(), solved.clip.motion))
    solved.notes.push_back(std::move(note));
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
  if (options.smooth) smooth(model, options, solved);
  PlantMotionReport planted{0.0, solved.clip.motion.contacts};
  if (stands && options.feet == FeetMode::Plant)
    planted = plant(recording, model, feet, options, part_of(observer, work.planting), solved);
  if (stands && !options.smooth) lift(recording, model, feet, solved);
  if (recording.carried()) carry_clip(recording, solved.clip);
  if (options.clear)
    clear(recording, model, planted.still, options, part_of(observer, work.clearing), solved);
  if (options.smooth) {
    keep_smooth(model, options, solved);
    if (stands) lift(recording, model, feet, solved);
    planted.feet_missed_m = farthest_from_anchors(model, solved.clip.motion);
  }
  if (std::string note = let_go_note(planted); !note.empty()) solved.notes.push_back(std::move(note));
  if (stands && options.feet != FeetMode::Soft)  // contacts of feet that follow are the person's
    drop_raised_contacts(model, recording.skeleton(), solved.clip.motion);
  // the solver's are those of the step before a frame
  derive_velocities(solved.clip.motion, solved.clip.cuts());
  return solved;
}

}  // namespace panto
