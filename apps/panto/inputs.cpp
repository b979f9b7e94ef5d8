#include "apps/panto/inputs.hpp"

#include <optional>
#include <utility>

#include "apps/panto/job.hpp"
#include "apps/panto/track_sensors.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/base/error.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/recording/grounded.hpp"
#include "panto/recording/imu_recording.hpp"

namespace panto::app {
namespace {

OpenedRecording open_sensed(const TrackingOptions& options, io::Input& input, const Observer& observer) {
  if (options.sensors.empty())
    throw ConfigError("'" + options.input +
                      "' holds raw sensors: add --sensors FILE, which gives their links (track, retarget)");
  OpenedSensors opened =
      open_sensors({options.input, options.sensors, options.person, options.height, options.mass}, &input);
  SensedRecording sensed =
      sensed_person(std::move(opened.clip), opened.model, opened.sensors, opened.subject, observer);
  return {std::move(sensed.recording), std::move(sensed.figures)};
}

}  // namespace

OpenedRecording open_recording(const TrackingOptions& options, std::vector<std::string>& notes,
                               const Observer& observer, io::Input* opened) {
  io::MappedHints mapped =
      io::read_mapped_hints(options.rig, options.height.value_or(0.0), options.one, options.take);
  mapped.hints.clean = options.clean;
  mapped.body = options.body;
  mapped.hints.ground = options.ground;
  // a table of sensor orientations can still be converted unchanged
  const bool asked = !options.sensors.empty();
  std::optional<io::Input> own;
  io::Input& input = opened != nullptr ? *opened : own.emplace(options.input, io::Folder::Allowed);
  if (!asked && io::is_robot_motion(input)) {
    if (!options.body.empty()) refuse_given({"--body"}, options.input, "holds a robot's motion");
    if (options.clean != PointCleaning::Light)
      refuse_given({"--clean"}, options.input, "holds a robot's motion");
    io::check_choices(input, mapped);
    if (!options.rig.empty()) notes.push_back(io::unused_map(mapped, "a robot's motion"));
    auto person = open_person(input, {}, io::parse_motion_hints(options.from), notes);
    return {options.ground ? grounded(std::move(person)) : std::move(person), nullptr};
  }
  if (!options.from.empty())
    throw ConfigError("--from applies to robots' motions only; '" + options.input + "' holds none");
  const io::ImuFormat raw = io::recognise_imu(input, asked ? io::Mountings::Given : io::Mountings::Unknown);
  if (raw != io::ImuFormat::None && (asked || raw != io::ImuFormat::Sto))
    return open_sensed(options, input, observer);
  if (const std::string advice = io::unread_sensors(input.head()); asked)
    throw ConfigError("--sensors applies to raw sensors only; '" + options.input + "' " +
                      (advice.empty() ? "holds none (panto inspect shows its content)" : advice));
  return {io::open_mapped_recording(input, mapped, notes), nullptr};
}

io::ShapedModel model_for(const TrackingOptions& options, const RecordingInfo& info,
                          std::vector<std::string>& notes) {
  if (options.height || options.mass) io::check_scalable(options.model);
  return io::open_shaped_model(options.model, subject_of(info, options.height, options.mass, notes), notes,
                               options.base);
}

SuitMotion playable_person(const TrackingOptions& options, std::optional<double> rate_hz) {
  const Job job;
  std::vector<std::string> notes;
  OpenedRecording opened = open_recording(options, notes, job.observer);
  SuitMotion suit = suit_motion(std::move(opened.recording), rate_hz, options.height, job.observer);
  notes.insert(notes.end(), suit.notes.begin(), suit.notes.end());
  say(notes);
  return suit;
}

PlayableSensors playable_sensors(const std::string& path) {
  const auto recording = std::make_shared<ImuRecording>(io::open_imu(path));
  const ImuClip& clip = recording->clip();
  say(clip.notes);
  return {clip.sensors,
          clip.rate_hz,
          {[recording](ImuSample& sample) { return recording->read(sample) == ReadStatus::Sample; },
           [recording] { recording->rewind(); }}};
}

}  // namespace panto::app
