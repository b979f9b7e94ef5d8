#include "panto/bridge/following.hpp"

#include "panto/io/open_imu.hpp"

namespace panto::bridge {
namespace {

RetargetOptions retargeting_of(const FollowingOptions& options) {
  RetargetOptions retargeting;
  retargeting.feet = options.feet;
  retargeting.collisions = options.collisions;
  retargeting.live.look_ahead = options.look_ahead;
  return retargeting;
}

}  // namespace

std::vector<std::string> Following::person_names(const stream::SampleStream<SegmentSample>& decoder) const {
  return robot || !model ? decoder.names() : human_segment_names();
}

std::vector<std::string> Following::person_names(const stream::SampleStream<ImuSample>& /*decoder*/) const {
  return human_segment_names();
}

void check_following(const FollowingOptions& options) {
  std::vector<std::string> notes;
  if (!options.robot.empty())
    (void)io::open_robot(options.robot, scaled_subject(1.75), options.package_dirs);
  else if (!options.model.empty())
    (void)io::open_model(options.model, scaled_subject(1.75), notes);
}

Following open_following(const FollowingOptions& options, const std::optional<SubjectDimensions>& told) {
  Following following;
  if (options.height)
    following.person = scaled_subject(*options.height);
  else if (told)
    following.person = *told;
  else
    following.average = options.sensors.empty() && options.any();
  if (!options.robot.empty()) {
    io::RobotFile file = io::open_robot(options.robot, following.person, options.package_dirs);
    file.base = options.base;
    following.urdf = file.urdf;
    following.robot = robot_of(file);
    following.notes = file.notes;
    following.model = following.robot->model;
    if (options.view)
      following.meshes = io::page_meshes(file.shapes.get(), *following.model, following.notes);
  } else if (!options.model.empty()) {
    following.model = io::open_model(options.model, following.person, following.notes);
  }
  return following;
}

LiveFollower<SegmentSample> follower_of(const FollowingOptions& options, const Following& following,
                                        const stream::SampleStream<SegmentSample>& decoder) {
  const std::vector<std::string>& names = decoder.names();
  if (following.robot) return live_robot(*following.robot, names, following.person, retargeting_of(options));
  return following.model ? live_human(*following.model, names) : live_passage(names);
}

LiveFollower<ImuSample> follower_of(const FollowingOptions& options, const Following& following,
                                    const stream::SampleStream<ImuSample>& decoder) {
  const SensorSetup sensors = options.mounts.empty() ? io::read_sensors(options.sensors)
                                                     : io::read_sensors(options.mounts, "the recording");
  const std::vector<std::string>& names = decoder.names();
  if (!following.robot) return live_sensors(*following.model, sensors, names, following.person);
  std::vector<std::string> notes;
  const Model human = io::open_model(options.worn_by, following.person, notes);
  return live_sensed_robot(human, sensors, names, following.person, *following.robot,
                           retargeting_of(options));
}

}  // namespace panto::bridge
