#include "apps/panto/inputs.hpp"

#include <algorithm>

#include "panto/api/models.hpp"
#include "panto/api/robot_shapes.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/base/error.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/rig_file.hpp"
#include "panto/io/sensors_file.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::app {
namespace {

// the line of the map that names a joint which the recording lacks; the map as a whole where none does
std::string place_in_map(const TrackingOptions& options, const RecordingHints& known) {
  if (io::recognise(options.input) != io::RecordingKind::Bvh) return options.rig;
  const io::BvhClip clip = io::read_bvh_file(options.input);
  for (std::size_t i = 0; i < known.rig.joint.size(); ++i) {
    for (const std::string& joint : {known.rig.joint[i], known.rig.next[i]}) {
      if (joint.empty() || clip.find_joint(joint)) continue;
      const int line = io::line_of_joint(options.rig, joint);
      return line > 0 ? options.rig + ":" + std::to_string(line) : options.rig;
    }
  }
  return options.rig;
}

OpenedRecording open_sensed(const TrackingOptions& options, std::vector<std::string>& notes,
                            const Observer& observer) {
  if (options.sensors.empty())
    throw ConfigError("'" + options.input +
                      "' holds raw sensors: --sensors FILE must say where they sit (panto track, "
                      "retarget and imitate take it)");
  if (!options.height) notes.emplace_back("an average body of 1.75 m is used (--height says otherwise)");
  const SubjectDimensions subject =
      scaled_subject(options.height.value_or(1.75), options.mass.value_or(70.0));
  ImuClip clip = io::open_imu(options.input);
  SensedRecording sensed = sensed_person(std::move(clip), resolve_model(options.person, subject, notes),
                                         io::read_sensors(options.sensors), subject, observer);
  return {std::move(sensed.recording), std::move(sensed.figures)};
}

}  // namespace

RecordingHints read_known(const TrackingOptions& options, std::vector<std::string>& notes) {
  RecordingHints known;
  if (!options.rig.empty()) known = io::read_rig_map(options.rig, notes);
  known.height = options.height.value_or(0.0);
  return known;
}

OpenedRecording open_recording(const TrackingOptions& options, std::vector<std::string>& notes,
                               const Observer& observer) {
  const RecordingHints known = read_known(options, notes);
  // a table of sensors' orientations can still be converted as it is
  const bool asked = !options.sensors.empty();
  const io::ImuFormat raw = io::recognise_imu(options.input, asked);
  if (raw != io::ImuFormat::None && (asked || raw != io::ImuFormat::Sto))
    return open_sensed(options, notes, observer);
  if (asked)
    throw ConfigError("--sensors is for raw sensors; '" + options.input +
                      "' holds none (panto inspect says what it holds)");
  OpenedRecording opened;
  try {
    opened.recording = io::open_recording(options.input, known);
  } catch (const ConfigError& error) {
    if (!options.rig.empty()) throw ModelError(place_in_map(options, known) + ": " + error.what());
    throw;
  }
  if (!options.rig.empty() && !opened.recording->info().rig)
    notes.push_back("the rig map '" + options.rig + "' is not used: " + opened.recording->info().format +
                    " is no skeleton of joints");
  return opened;
}

Model model_for(const TrackingOptions& options, const RecordingInfo& info, std::vector<std::string>& notes) {
  if (has_own_size(options.model) && (options.height || options.mass))
    throw ConfigError("--height and --mass scale human66 and human48; the sizes of '" + options.model +
                      "' are its own");
  return resolve_model(options.model, subject_of(info, options.height, options.mass, notes), notes);
}

NamedRobot load_robot(const std::string& name, const SubjectDimensions& subject,
                      std::vector<std::string>& notes) {
  const bool mapped = is_robot_map_file(name);
  std::optional<robot::Map> map;
  std::optional<Model> model;
  if (mapped) {
    const io::RobotMapFile file = io::read_robot_map(name);
    model.emplace(model_behind_map(file, name, subject, notes));
    map = file.map;
  } else {
    model.emplace(resolve_model(name, subject, notes));
  }
  NamedRobot named{make_robot(*model, map, {}, name), urdf_behind(name)};
  if (!named.urdf.empty()) take_soles(named.urdf, *model, named.robot.map, named.robot.notes);
  notes.insert(notes.end(), named.robot.notes.begin(), named.robot.notes.end());
  return named;
}

}  // namespace panto::app
