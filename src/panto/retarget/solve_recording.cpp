#include "panto/retarget/solve_recording.hpp"

#include <algorithm>
#include <numbers>

#include "panto/base/text.hpp"
#include "panto/retarget/sole_depth.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "panto/tracking/substepping_tracker.hpp"

namespace panto {
namespace {

// [s] feet in stance are stepped no further at once: what one step of the method leaves, to second order in
// its length, is then less than 5 mm/s of slide on real walks
constexpr double kPlantedStep = 0.01;

double longest_step(const RobotRecording& recording) {
  return recording.plants_feet() ? kPlantedStep : kInfinity;
}

std::string two_way_note(const std::vector<Time>& led) {
  std::string moments;
  for (const Time t : led) moments += (moments.empty() ? "" : ", ") + digits(to_seconds(t), 4);
  return "followed forwards alone the robot gets stuck on the wrong side of its limits; at " + moments +
         " s the motion is led through a better pose";
}

// Forwards and backwards where the recording is short enough; nothing where it is not.
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
  solved.led = tracker.led();
  if (tracker.differs()) solved.notes.push_back(two_way_note(solved.led));
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

void smooth(const Model& model, const SolveOptions& options, SolvedRecording& solved) {
  SmoothingOptions smoothing = *options.smooth;
  smoothing.speed_limit = options.method.dynamical.limits.speed_limit;
  smoothing.cuts = solved.clip.cuts();
  SmoothedMotion smoothed = smooth_motion(solved.clip.motion, model, smoothing);
  solved.clip.motion.states = std::move(smoothed.motion.states);
  const SmoothingReport& report = smoothed.report;
  constexpr double degrees = 180.0 / std::numbers::pi;
  solved.notes.push_back("smoothed: joints moved by " + digits(report.joint_change_rms_rad * degrees, 3) +
                         " deg (RMS), " + digits(report.joint_change_max_rad * degrees, 3) +
                         " deg at most; the base by " + digits(1e3 * report.base_change_rms_m, 3) +
                         " mm (RMS)");
  for (const std::string& note : report.notes) solved.notes.push_back(note);
}

// Legs that cannot do what a person's do would put the robot's feet under the floor.
void lift(const RobotRecording& recording, const Model& model, const PersonFeet& feet,
          SolvedRecording& solved) {
  SoleDepth depth(model, recording.skeleton(), feet.sides);
  if (!depth.any()) return;
  for (std::size_t k = 0; k < solved.clip.motion.states.size(); ++k)
    depth.add(solved.clip.motion.states[k], solved.clip.gap[k]);
  const std::vector<double> lift = depth.lift();
  const double most = lift.empty() ? 0.0 : *std::max_element(lift.begin(), lift.end());
  if (!(most > 0.0)) return;
  solved.notes.push_back("the base is raised by up to " + digits(1e3 * most, 3) +
                         " mm, so that feet that cannot follow do not sink into the floor");
  lift_base(lift, solved.clip);
}

}  // namespace

SolvedRecording solve_recording(RobotRecording& recording, const Model& model, const PersonFeet& feet,
                                const SolveOptions& options, const Observer& observer) {
  SolvedRecording solved;
  if (!options.two_way || !solve_two_way(recording, model, options, observer, solved))
    solve_forwards(recording, model, options, observer, solved);
  if (options.smooth) smooth(model, options, solved);
  if (options.feet != FeetMode::Off && model.floating_base()) lift(recording, model, feet, solved);
  return solved;
}

}  // namespace panto
