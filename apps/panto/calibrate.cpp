// panto calibrate: how raw sensors sit on their segments, from poses that a person holds.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/resolve.hpp"
#include "apps/panto/sensed_body.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/inertial/calibration.hpp"
#include "panto/inertial/still_parts.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/so3.hpp"

namespace panto::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr std::size_t kListed = 8;  // names in a sentence

struct CalibrateOptions {
  std::string input, sensors, model = "human66", output, trusted;
  std::vector<std::string> poses;
  std::optional<double> height;
  bool json = false;
};

// A recording, who wears its sensors, and what was done.
struct Session {
  Model model;
  io::SensorsFile file;
  std::vector<ImuSample> samples;  // sensors in the order of the mounts
  std::vector<HeldPose> held;
  std::vector<StillPart> parts;  // by pose
  std::vector<std::string> notes;
};

// Without a file: sensors that are called as links of the model sit there.
io::SensorsFile mounts_by_name(const std::vector<std::string>& sensors, const Model& model,
                               const std::string& input) {
  io::SensorsFile file;
  file.setup.filter.magnetic = MagneticUse::Off;
  const std::vector<std::string>& links = model.link_names();
  for (const std::string& name : sensors) {
    if (std::find(links.begin(), links.end(), name) == links.end()) continue;
    ImuMount mount;
    mount.name = mount.link = name;
    file.setup.mounts.push_back(mount);
  }
  if (file.setup.mounts.empty())
    throw ConfigError(input + ": none of its sensors (" + listed(sensors, kListed) +
                      ") is called as a link of " + model.name() + " (" + listed(links, kListed) +
                      "); --sensors says where each sits");
  return file;
}

// The samples with the mounted sensors alone, in the order of their mounts.
std::vector<ImuSample> mounted_samples(io::ImuRecording& recording, const std::vector<ImuMount>& mounts) {
  const std::vector<int> place = sensor_positions(mounts, recording.names());
  std::vector<ImuSample> samples;
  for (ImuSample sample; recording.read(sample) == ReadStatus::Sample;) {
    ImuSample& one = samples.emplace_back();
    one.t = sample.t;
    for (const int k : place) one.imus.push_back(sample.imus[at(k)]);
  }
  return samples;
}

std::string span_of(const std::vector<ImuSample>& samples, const StillPart& part) {
  const Time begin = samples.front().t;
  return fmt::format("{:.1f} to {:.1f} s", to_seconds(samples[part.first].t - begin),
                     to_seconds(samples[part.last].t - begin));
}

// As many still parts as there are poses, the longest, in order of time.
std::vector<StillPart> parts_of(const std::vector<ImuSample>& samples, std::size_t poses,
                                const std::string& input) {
  std::vector<StillPart> parts = still_parts(samples);
  if (parts.size() < poses) {
    std::vector<std::string> spans(parts.size());
    std::transform(parts.begin(), parts.end(), spans.begin(),
                   [&](const StillPart& part) { return span_of(samples, part); });
    throw FormatError(input + ": " + counted(static_cast<std::int64_t>(poses), "pose") +
                      (poses == 1 ? " is" : " are") +
                      " named, but all sensors are still together for a second only " +
                      (parts.empty() ? "never" : "in " + listed(spans, kListed)) +
                      "; hold each pose for 3 s without moving");
  }
  const auto length = [&](const StillPart& part) { return samples[part.last].t - samples[part.first].t; };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const StillPart& a, const StillPart& b) { return length(a) > length(b); });
  parts.resize(poses);
  std::sort(parts.begin(), parts.end(),
            [](const StillPart& a, const StillPart& b) { return a.first < b.first; });
  return parts;
}

Session open(const CalibrateOptions& options) {
  const auto recording = io::open_imu_recording(options.input);
  std::vector<std::string> notes = recording->clip().notes;
  if (has_own_size(options.model) && options.height)
    throw ConfigError("--height scales human66 and human48; the sizes of '" + options.model +
                      "' are its own");
  Model model = resolve_model(options.model, scaled_subject(options.height.value_or(1.75)), notes);
  io::SensorsFile file = options.sensors.empty() ? mounts_by_name(recording->names(), model, options.input)
                                                 : io::read_sensors(options.sensors);
  (void)check_imu_recording(*recording, file.setup.mounts, options.input, notes);
  std::vector<ImuSample> samples = mounted_samples(*recording, file.setup.mounts);
  Session session{std::move(model), std::move(file), std::move(samples), {}, {}, std::move(notes)};
  for (const ImuMount& mount : session.file.setup.mounts) (void)session.model.link_index(mount.link);
  for (const std::string& pose : options.poses)
    session.held.push_back({calibration_pose(session.model, pose), {}});
  session.parts = parts_of(session.samples, options.poses.size(), options.input);
  for (std::size_t i = 0; i < session.held.size(); ++i) {
    const StillPart& part = session.parts[i];
    session.held[i].readings =
        still_readings(std::span(session.samples).subspan(part.first, part.last - part.first + 1),
                       session.file.setup.mounts.size());
  }
  return session;
}

// The field where the file says none: as the sensor that is trusted felt it in the first pose.
void take_field(const CalibrateOptions& options, Session& session) {
  if (options.trusted.empty()) return;
  if (session.file.has_field)
    throw ConfigError("--trusted finds the field, but '" + options.sensors + "' gives one under [world]");
  session.file.setup.surroundings.field_W =
      field_from_pose(session.model, session.file.setup.mounts, session.held.front(), options.trusted);
  session.file.has_field = true;
  session.file.setup.filter.magnetic = MagneticUse::Heading;
}

std::vector<CalibratedSensor> solve(const Session& session) {
  const std::vector<ImuMount>& mounts = session.file.setup.mounts;
  if (session.held.size() > 1) return calibrate_poses(session.model, mounts, session.held);
  Surroundings around = session.file.setup.surroundings;
  if (!session.file.has_field) around.field_W.setZero();
  return calibrate_pose(session.model, mounts, session.held.front(), around);
}

// sensor, link, residual, turn against the nominal mount, what to do
std::string line_of(const CalibratedSensor& sensor, const ImuMount& nominal) {
  const double turned = so3::distance(nominal.R_LI, sensor.mount.R_LI) * kDegrees;
  return fmt::format("{:<16} {:<16} {:>8.1f} {:>8.1f} {:>9.2f}  {}", sensor.mount.name, sensor.mount.link,
                     sensor.residual * kDegrees, turned, sensor.gyro_bias.norm() * kDegrees,
                     sensor.good ? "good" : "REPEAT: " + sensor.advice);
}

std::string json_of(const Session& session, const CalibrateOptions& options,
                    const std::vector<CalibratedSensor>& sensors) {
  Json poses = Json::array(), list = Json::array();
  for (std::size_t i = 0; i < options.poses.size(); ++i) {
    const Time begin = session.samples.front().t;
    poses.push_back({{"pose", options.poses[i]},
                     {"from_s", to_seconds(session.samples[session.parts[i].first].t - begin)},
                     {"to_s", to_seconds(session.samples[session.parts[i].last].t - begin)}});
  }
  for (std::size_t k = 0; k < sensors.size(); ++k) {
    const CalibratedSensor& sensor = sensors[k];
    const ImuMount& nominal = session.file.setup.mounts[k];
    list.push_back({{"name", sensor.mount.name},
                    {"link", sensor.mount.link},
                    {"good", sensor.good},
                    {"residual_deg", sensor.residual * kDegrees},
                    {"turned_deg", so3::distance(nominal.R_LI, sensor.mount.R_LI) * kDegrees},
                    {"gyro_bias_rad_s", {sensor.gyro_bias.x(), sensor.gyro_bias.y(), sensor.gyro_bias.z()}},
                    {"advice", sensor.advice}});
  }
  Json json{
      {"recording", options.input}, {"model", session.model.name()}, {"poses", poses}, {"sensors", list}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write(const CalibrateOptions& options, Session session, const std::vector<CalibratedSensor>& sensors) {
  InertialSetup& setup = session.file.setup;
  setup.gyro_bias.clear();
  std::vector<std::string> remarks;
  for (std::size_t k = 0; k < sensors.size(); ++k) {
    setup.mounts[k] = sensors[k].mount;
    setup.gyro_bias.push_back(sensors[k].gyro_bias);
    remarks.push_back(sensors[k].good ? "" : sensors[k].advice);
  }
  io::PartFile file(options.output);
  (void)file.write(io::sensors_text(
      session.file, "calibrated by panto from " + listed(options.poses, kListed) + " in " + options.input,
      remarks));  // a failure is kept for close()
  file.close();
}

int calibrate(const CalibrateOptions& options) {
  if (!options.output.empty()) {
    check_outputs({options.output}, {options.input, options.sensors, options.model});
    if (io::extension_of(options.output) != ".toml")
      throw ConfigError("output '" + options.output +
                        "': a file of sensors is written; its name must end in .toml");
  }
  Session session = open(options);
  take_field(options, session);
  const std::vector<CalibratedSensor> sensors = solve(session);
  say(session.notes);
  const bool good =
      std::all_of(sensors.begin(), sensors.end(), [](const CalibratedSensor& s) { return s.good; });
  if (options.json) {
    std::printf("%s\n", json_of(session, options, sensors).c_str());
  } else {
    for (std::size_t i = 0; i < options.poses.size(); ++i)
      std::printf("%s: held from %s\n", options.poses[i].c_str(),
                  span_of(session.samples, session.parts[i]).c_str());
    std::printf("\n%-16s %-16s %8s %8s %9s\n%-16s %-16s %8s %8s %9s\n", "sensor", "link", "residual",
                "turned", "bias", "", "", "deg", "deg", "deg/s");
    for (std::size_t k = 0; k < sensors.size(); ++k)
      std::printf("%s\n", printable(line_of(sensors[k], session.file.setup.mounts[k])).c_str());
  }
  if (!options.output.empty()) {
    write(options, std::move(session), sensors);
    if (!options.json) std::printf("\nwrote %s\n", printable(options.output).c_str());
  }
  return good ? kGood : kCheckFailed;
}

}  // namespace

void add_calibrate(CLI::App& app, Run& run) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* sub =
      app.add_subcommand("calibrate", "How raw sensors sit on a person, from poses that were held.");
  sub->add_option("recording,-i,--in", options->input, "Raw sensors: .csv, .npz, an Xsens or APDM export")
      ->required()
      ->option_text("FILE");
  sub->add_option(
         "--pose", options->poses,
         "npose (arms hanging), tpose (arms out) or chair (seated, arms hanging); may be repeated, in the "
         "order in which they were held. They are found where all sensors are still")
      ->required()
      ->take_all()
      ->expected(1)
      ->option_text("POSE");
  add_file(
      *sub, "--sensors", options->sensors, "FILE",
      "Where each sensor sits, about: a .toml. Without, sensors sit on the links that they are called by");
  sub->add_option("--model", options->model, "human66 (default) or human48")->option_text("NAME");
  add_number(*sub, "--height", options->height, 0.3, 3.0, "m", "Body height in metres (default 1.75)");
  sub->add_option("--trusted", options->trusted,
                  "A sensor whose mounting is right about the vertical: it tells the field's heading")
      ->option_text("SENSOR");
  add_file(*sub, "-o,--out", options->output, "FILE.toml",
           "Write the sensors, to give to `panto track --sensors`");
  sub->add_flag("--json", options->json, "One JSON object on stdout instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto calibrate poses.csv --pose npose --pose tpose -o subject.toml\n"
      "  panto calibrate poses.csv --pose npose --pose tpose --sensors nominal.toml");
  sub->callback([options, &run] { run = [options] { return calibrate(*options); }; });
}

}  // namespace panto::app
