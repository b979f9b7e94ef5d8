#include "apps/panto/robot_task.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/io/open_model.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/recording/trackable.hpp"

namespace panto::app {

RobotTask::RobotTask(const TrackingOptions& options) : options_(options), robot(open()) {
  notes_.insert(notes_.end(), robot.robot.notes.begin(), robot.robot.notes.end());
  if (!options_.any_solver || method_for(robot.robot, retargeting()) != options_.solver) return;
  TrackingOptions chosen = options_;
  chosen.any_solver = false;
  check_effects(chosen);  // refuses options without effect, now that the method is known
}

NamedRobot RobotTask::open() {
  check_output_names(options_);
  check_effects(options_);
  (void)solver_options(options_);  // refuses contradictions first
  OpenedRecording opened = open_recording(options_, notes_, job_.observer);
  recording = std::move(opened.recording);
  sensed = std::move(opened.sensed);
  check_trackable(*recording);
  subject_ = subject_of(recording->info(), options_.height, options_.mass, notes_);
  if (!options_.character.empty())
    return {robot_of(*io::open_character(options_.character, recording->info(), options_.character_rig)), {}};
  io::RobotFile file = io::open_robot(options_.robot, subject_, options_.package_dirs);
  file.base = options_.base;
  NamedRobot named{robot_of(file), std::move(file.shapes)};
  if (file.urdf.empty() && file.model_name.empty()) named.robot.notes.clear();  // shipped maps are known
  notes_.insert(notes_.end(), file.notes.begin(), file.notes.end());
  const auto& joints = named.robot.model.spec().joints;
  const bool limited = std::none_of(joints.begin(), joints.end(), [](const Joint& joint) {
    return joint.type != JointType::Fixed && std::isinf(joint.velocity);
  });
  if (options_.speed_limit && limited)
    notes_.push_back("--speed-limit has no effect: every joint of '" + named.robot.model.name() +
                     "' has its own speed limit");
  return named;
}

RetargetOptions RobotTask::retargeting() const {
  RetargetOptions retargeting;
  retargeting.solver = options_.solver;
  retargeting.method = solver_options(options_);
  retargeting.any_method = options_.any_solver && options_.module_law == ModularLaw::DriftFree;
  retargeting.feet = options_.feet;
  retargeting.collisions = options_.collisions;
  retargeting.relative = options_.relative;
  retargeting.raise_touch_gain = !options_.gain;
  retargeting.smooth = options_.smooth;
  retargeting.scale = options_.scale;
  retargeting.two_way = options_.align;
  retargeting.settle = options_.settle;
  retargeting.keep_motion = false;
  retargeting.subject = subject_;
  return retargeting;
}

bridge::ClipRun RobotTask::output_run() const {
  const std::vector<TrackedPair> pairs = followed_pairs(*recording, robot.robot, retargeting());
  bridge::ClipRun run{robot.robot.model, recording->info(),    PersonReader(*recording).names(), pairs,
                      robot.shapes,      robot.robot.character};
  if (options_.leads.any())
    run.finish = [this](Motion motion) {
      std::vector<std::string> notes;
      Motion led = with_leads(robot.robot, std::move(motion), 0.0, options_.leads, notes);
      say(notes);
      return led;
    };
  return run;
}

}  // namespace panto::app
