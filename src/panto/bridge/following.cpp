#include "panto/bridge/following.hpp"

#include "panto/io/open_imu.hpp"

namespace panto::bridge {
namespace {

RetargetOptions options_of(const FollowingWishes& wishes) {
  RetargetOptions options;
  options.feet = wishes.feet;
  options.collisions = wishes.collisions;
  options.live.look_ahead = wishes.look_ahead;
  return options;
}

}  // namespace

std::vector<std::string> Following::person_names(const stream::SampleStream<SegmentSample>& decoder) const {
  return robot || !model ? decoder.names() : human_segment_names();
}

std::vector<std::string> Following::person_names(const stream::SampleStream<ImuSample>& /*decoder*/) const {
  return human_segment_names();
}

void check_following(const FollowingWishes& wishes) {
  std::vector<std::string> notes;
  if (!wishes.robot.empty())
    (void)io::open_robot(wishes.robot, scaled_subject(1.75), wishes.package_dirs);
  else if (!wishes.model.empty())
    (void)io::open_model(wishes.model, scaled_subject(1.75), notes);
}

Following open_following(const FollowingWishes& wishes, const std::optional<SubjectDimensions>& told) {
  Following following;
  if (wishes.height)
    following.person = scaled_subject(*wishes.height);
  else if (told)
    following.person = *told;
  else
    following.average = wishes.sensors.empty() && wishes.any();
  if (!wishes.robot.empty()) {
    io::RobotFile file = io::open_robot(wishes.robot, following.person, wishes.package_dirs);
    file.base = wishes.base;
    following.urdf = file.urdf;
    following.robot = robot_of(file);
    following.notes = file.notes;
    following.model = following.robot->model;
    if (wishes.view) following.meshes = io::page_meshes(file.shapes.get(), *following.model, following.notes);
  } else if (!wishes.model.empty()) {
    following.model = io::open_model(wishes.model, following.person, following.notes);
  }
  return following;
}

LiveFollower<SegmentSample> follower_of(const FollowingWishes& wishes, const Following& following,
                                        const stream::SampleStream<SegmentSample>& decoder) {
  const std::vector<std::string>& names = decoder.names();
  if (following.robot) return live_robot(*following.robot, names, following.person, options_of(wishes));
  return following.model ? live_human(*following.model, names) : live_passage(names);
}

LiveFollower<ImuSample> follower_of(const FollowingWishes& wishes, const Following& following,
                                    const stream::SampleStream<ImuSample>& decoder) {
  const SensorSetup sensors = io::read_sensors(wishes.sensors);
  const std::vector<std::string>& names = decoder.names();
  if (!following.robot) return live_sensors(*following.model, sensors, names, following.person);
  std::vector<std::string> notes;
  const Model human = io::open_model(wishes.worn_by, following.person, notes);
  return live_sensed_robot(human, sensors, names, following.person, *following.robot, options_of(wishes));
}

}  // namespace panto::bridge
