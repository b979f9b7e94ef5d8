// panto calibrate: how raw sensors sit on their segments, from poses that are held and from motion.

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
#include "apps/panto/tracking.hpp"
#include "panto/api/models.hpp"
#include "panto/api/moved_parts.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/inertial/calibration.hpp"
#include "panto/inertial/still_parts.hpp"
#include "panto/inertial/swing_calibration.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/so3.hpp"
#include "panto/tracking/sensed_body.hpp"

namespace panto::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr std::size_t kListed = 8;            // names in a sentence
constexpr double kPosture = 5.0 / kDegrees;   // [rad] by which poses are not held as they are described
constexpr double kUnknown = 60.0 / kDegrees;  // the same about up where poses leave the heading open

struct CalibrateOptions {
  std::string input, sensors, model = "human66", output, trusted;
  std::vector<std::string> poses;
  std::string walk;
  MovedWords moved;
  std::optional<double> height;
  bool json = false;
};

// A recording, who wears its sensors, and what was done.
struct Session {
  Model model;
  SensorSetup file;
  std::vector<ImuSample> samples;  // sensors in the order of the mounts
  std::vector<HeldPose> held;
  std::vector<StillPart> parts;  // by pose
  std::vector<std::string> notes;
  bool faced = true;  // it is known which way
};

// Without a file: sensors that are called as links of the model sit there.
SensorSetup mounts_by_name(const std::vector<std::string>& sensors, const Model& model,
                           const std::string& input) {
  SensorSetup file;
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
std::vector<ImuSample> mounted_samples(ImuRecording& recording, const std::vector<ImuMount>& mounts) {
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
  SensorSetup file = options.sensors.empty() ? mounts_by_name(recording->names(), model, options.input)
                                             : io::read_sensors(options.sensors);
  (void)check_imu_recording(*recording, file.setup.mounts, options.input, notes);
  std::vector<ImuSample> samples = mounted_samples(*recording, file.setup.mounts);
  Session session{std::move(model), std::move(file), std::move(samples), {}, {}, std::move(notes), true};
  for (const ImuMount& mount : session.file.setup.mounts) (void)session.model.link_index(mount.link);
  for (const std::string& pose : options.poses)
    session.held.push_back({calibration_pose(session.model, pose), {}});
  if (!options.poses.empty()) session.parts = parts_of(session.samples, options.poses.size(), options.input);
  for (std::size_t i = 0; i < session.held.size(); ++i) {
    const StillPart& part = session.parts[i];
    session.held[i].readings =
        still_readings(std::span(session.samples).subspan(part.first, part.last - part.first + 1),
                       session.file.setup.mounts.size());
  }
  return session;
}

// Trackers that fuse, and say no rates?
bool oriented(const Session& session) {
  return !session.held.empty() &&
         std::any_of(session.held.front().readings.begin(), session.held.front().readings.end(),
                     [](const StillReading& reading) { return reading.has_orientation; });
}

// Which way the person faced among fused orientations: as the sensor that is trusted sits, or as the file
// says.
void take_world(const CalibrateOptions& options, Session& session) {
  InertialSetup& setup = session.file.setup;
  if (options.trusted.empty()) {
    session.faced = !setup.surroundings.R_WG.isIdentity(1e-12);
    return;
  }
  if (!setup.surroundings.R_WG.isIdentity(1e-12))
    throw ConfigError("--trusted finds which way the person faced, but '" + options.sensors +
                      "' says it under [world]");
  setup.surroundings.R_WG =
      world_from_pose(session.model, setup.mounts, session.held.front(), options.trusted);
}

// The field where the file says none: as the sensor that is trusted felt it in the first pose.
void take_field(const CalibrateOptions& options, Session& session) {
  if (oriented(session)) return take_world(options, session);
  if (options.trusted.empty()) return;
  if (session.file.has_field)
    throw ConfigError("--trusted finds the field, but '" + options.sensors + "' gives one under [world]");
  session.file.setup.surroundings.field_W =
      field_from_pose(session.model, session.file.setup.mounts, session.held.front(), options.trusted);
  session.file.has_field = true;
  session.file.setup.filter.magnetic = MagneticUse::Heading;
}

// Hinges and centres are found by rates.
void check_motion(const CalibrateOptions& options, const Session& session) {
  if (!options.moved.any()) return;
  const bool rates = std::any_of(session.samples.begin(), session.samples.end(), [](const ImuSample& sample) {
    return std::any_of(sample.imus.begin(), sample.imus.end(),
                       [](const ImuReading& reading) { return reading.has_gyro; });
  });
  if (!rates || oriented(session))
    throw ConfigError("--hinge and --motion are for sensors that say rates; those of '" + options.input +
                      "' say orientations, and sit as a --pose tells");
}

// One pose and no field: then a walk can tell headings.
void check_walk(const CalibrateOptions& options, const Session& session) {
  if (options.walk.empty()) return;
  if (options.poses.size() > 1)
    throw ConfigError("--walk tells headings with one --pose; several poses tell what gravity shows of them");
  if (oriented(session))
    throw ConfigError("--walk is for sensors that say rates; these say orientations, headings among them");
  if (session.file.has_field)
    throw ConfigError("--walk is for sensors without a field; here the magnetometers tell the headings");
}

// What was found, by poses, by motion, or by both.
struct Found {
  std::vector<CalibratedSensor> sensors;  // mounts, biases and verdicts as they are told and written
  std::vector<std::optional<MovedSensor>> moved;
  MotionCalibration motion;
};

std::vector<CalibratedSensor> solve_poses(const CalibrateOptions& options, const Session& session) {
  const std::vector<ImuMount>& mounts = session.file.setup.mounts;
  if (oriented(session)) {
    std::vector<CalibratedSensor> sensors =
        calibrate_oriented(session.model, mounts, session.held, session.file.setup.surroundings.R_WG);
    for (CalibratedSensor& sensor : sensors) {
      if (session.faced || !sensor.good) continue;
      sensor.good = false;
      sensor.advice =
          "which way the person faced is not known, and taken as the x axis of the orientations: --trusted "
          "names a sensor whose mounting is right about the vertical";
    }
    return sensors;
  }
  if (!options.walk.empty())
    return calibrate_walk(session.model, mounts, session.held.front(),
                          part_of("--walk", options.walk, session.samples, options.input));
  if (session.held.size() > 1) return calibrate_poses(session.model, mounts, session.held);
  Surroundings around = session.file.setup.surroundings;
  if (!session.file.has_field) around.field_W.setZero();
  return calibrate_pose(session.model, mounts, session.held.front(), around);
}

// Motion goes on from what poses found, which is as uncertain as people hold them.
void add_motion(const CalibrateOptions& options, Session& session, Found& found) {
  const std::vector<CalibratedSensor> posed = found.sensors;
  SensorSetup file = session.file;
  std::vector<Eigen::Vector3d> biases;
  std::vector<KnownDirection> known;
  for (std::size_t k = 0; k < posed.size(); ++k) {
    ImuMount& mount = file.setup.mounts[k] = posed[k].mount;
    mount.turn_sigma = posed[k].good ? kPosture : kUnknown;
    biases.push_back(posed[k].gyro_bias);
    if (posed[k].good) continue;
    // its heading is open, up is not
    const Eigen::Vector3d& up_I = session.held.front().readings[k].acc;
    known.push_back({static_cast<int>(k), mount.R_LI * up_I, up_I, kPosture});
  }
  found.motion = calibrate_moved(options.moved, options.input, session.model, file, session.samples,
                                 std::move(known), biases, session.notes);
  found.sensors.clear();
  for (std::size_t k = 0; k < found.motion.sensors.size(); ++k) {
    const MovedSensor& moved = found.motion.sensors[k];
    const bool by_pose = moved.directions == 0 && !posed.empty();
    CalibratedSensor sensor{moved.mount, biases[k], moved.residual, moved.good, moved.advice};
    if (by_pose)
      sensor.residual = posed[k].residual, sensor.good = posed[k].good, sensor.advice = posed[k].advice;
    found.sensors.push_back(std::move(sensor));
    found.moved.emplace_back(moved);
  }
}

Found solve(const CalibrateOptions& options, Session& session) {
  Found found;
  if (!session.held.empty()) found.sensors = solve_poses(options, session);
  if (options.moved.any()) add_motion(options, session, found);
  found.moved.resize(found.sensors.size());
  return found;
}

// sensor, link, residual, turn against the nominal mount, what to do
std::string line_of(const CalibratedSensor& sensor, const ImuMount& nominal) {
  const double turned = so3::distance(nominal.R_LI, sensor.mount.R_LI) * kDegrees;
  return fmt::format("{:<16} {:<16} {:>8.1f} {:>8.1f} {:>9.2f}  {}", sensor.mount.name, sensor.mount.link,
                     sensor.residual * kDegrees, turned, sensor.gyro_bias.norm() * kDegrees,
                     sensor.good ? "good" : "REPEAT: " + sensor.advice);
}

// the same with what motion adds: how certain, how far its place moved
std::string moved_line_of(const CalibratedSensor& sensor, const ImuMount& nominal) {
  const double turned = so3::distance(nominal.R_LI, sensor.mount.R_LI) * kDegrees;
  const auto figure = [](const std::optional<double>& value, double unit) {
    return value ? decimals(*value * unit, 1) : std::string("-");
  };
  return fmt::format(
      "{:<16} {:<16} {:>8.1f} {:>8.1f} {:>8} {:>8.1f} {:>8} {:>9.2f}  {}", sensor.mount.name,
      sensor.mount.link, sensor.residual * kDegrees, turned, figure(sensor.mount.turn_sigma, kDegrees),
      100.0 * (sensor.mount.p_LI - nominal.p_LI).norm(), figure(sensor.mount.position_sigma, 100.0),
      sensor.gyro_bias.norm() * kDegrees, sensor.good ? "good" : "REPEAT: " + sensor.advice);
}

Json sensor_json(const CalibratedSensor& sensor, const ImuMount& nominal,
                 const std::optional<MovedSensor>& moved) {
  const auto list = [](const Eigen::Vector3d& v) { return Json{v.x(), v.y(), v.z()}; };
  Json one{{"name", sensor.mount.name},
           {"link", sensor.mount.link},
           {"good", sensor.good},
           {"residual_deg", sensor.residual * kDegrees},
           {"turned_deg", so3::distance(nominal.R_LI, sensor.mount.R_LI) * kDegrees},
           {"gyro_bias_rad_s", list(sensor.gyro_bias)},
           {"advice", sensor.advice}};
  if (!moved) return one;
  const auto figure = [](const std::optional<double>& value, double unit) {
    return value ? Json(*value * unit) : Json(nullptr);
  };
  one["directions"] = moved->directions;
  one["centres"] = moved->centres;
  one["sigma_deg"] = figure(sensor.mount.turn_sigma, kDegrees);
  one["position_m"] = list(sensor.mount.p_LI);
  one["position_sigma_m"] = figure(sensor.mount.position_sigma, 1.0);
  one["moved_m"] = (sensor.mount.p_LI - nominal.p_LI).norm();
  return one;
}

std::string json_of(const Session& session, const CalibrateOptions& options, const Found& found) {
  Json poses = Json::array(), list = Json::array();
  for (std::size_t i = 0; i < options.poses.size(); ++i) {
    const Time begin = session.samples.front().t;
    poses.push_back({{"pose", options.poses[i]},
                     {"from_s", to_seconds(session.samples[session.parts[i].first].t - begin)},
                     {"to_s", to_seconds(session.samples[session.parts[i].last].t - begin)}});
  }
  for (std::size_t k = 0; k < found.sensors.size(); ++k)
    list.push_back(sensor_json(found.sensors[k], session.file.setup.mounts[k], found.moved[k]));
  Json json{
      {"recording", options.input}, {"model", session.model.name()}, {"poses", poses}, {"sensors", list}};
  if (options.moved.any()) {
    json["joints"] = joints_json(found.motion);
    json["lengths"] = lengths_json(found.motion);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print(const Session& session, const CalibrateOptions& options, const Found& found) {
  for (std::size_t i = 0; i < options.poses.size(); ++i)
    std::printf("%s: held from %s\n", options.poses[i].c_str(),
                span_of(session.samples, session.parts[i]).c_str());
  if (options.moved.any()) {
    std::printf("%s%s\n", options.poses.empty() ? "" : "\n", printable(joints_text(found.motion)).c_str());
    std::printf("%-16s %-16s %8s %8s %8s %8s %8s %9s\n%-16s %-16s %8s %8s %8s %8s %8s %9s\n", "sensor",
                "link", "residual", "turned", "sigma", "moved", "sigma", "bias", "", "", "deg", "deg", "deg",
                "cm", "cm", "deg/s");
  } else {
    std::printf("\n%-16s %-16s %8s %8s %9s\n%-16s %-16s %8s %8s %9s\n", "sensor", "link", "residual",
                "turned", "bias", "", "", "deg", "deg", "deg/s");
  }
  for (std::size_t k = 0; k < found.sensors.size(); ++k) {
    const ImuMount& nominal = session.file.setup.mounts[k];
    const std::string line =
        options.moved.any() ? moved_line_of(found.sensors[k], nominal) : line_of(found.sensors[k], nominal);
    std::printf("%s\n", printable(line).c_str());
  }
  if (!found.motion.lengths.empty()) std::printf("\n%s", printable(lengths_text(found.motion)).c_str());
}

// what the calibration came from, for the head of its file
std::string sources_of(const CalibrateOptions& options) {
  std::vector<std::string> sources = options.poses;
  for (const std::string& word : options.moved.hinges) sources.push_back("hinge " + word);
  for (const std::string& word : options.moved.motions) sources.push_back("motion " + word);
  return listed(sources, 40);
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
      session.file, "calibrated by panto from " + sources_of(options) + " in " + options.input,
      remarks));  // a failure is kept for close()
  file.close();
}

void check_options(const CalibrateOptions& options) {
  if (options.poses.empty() && !options.moved.any())
    throw ConfigError(
        "nothing says what was done: --pose POSE for a pose that was held, --hinge JOINT=FROM..TO for a "
        "hinge that moved alone, --motion FROM..TO for motion of any kind");
  if (options.poses.empty() && !options.walk.empty())
    throw ConfigError("--walk goes on from a pose that is held; --pose is missing");
  if (options.poses.empty() && !options.trusted.empty())
    throw ConfigError("--trusted is a sensor in a pose that is held; --pose is missing");
  if (options.output.empty()) return;
  check_outputs({options.output}, {options.input, options.sensors, options.model});
  if (io::extension_of(options.output) != ".toml")
    throw ConfigError("output '" + options.output +
                      "': a file of sensors is written; its name must end in .toml");
}

int calibrate(const CalibrateOptions& options) {
  check_options(options);
  Session session = open(options);
  take_field(options, session);
  check_walk(options, session);
  check_motion(options, session);
  const Found found = solve(options, session);
  say(session.notes);
  const bool good = std::all_of(found.sensors.begin(), found.sensors.end(),
                                [](const CalibratedSensor& s) { return s.good; }) &&
                    std::all_of(found.motion.joints.begin(), found.motion.joints.end(),
                                [](const JointFinding& joint) { return joint.good; });
  if (options.json) {
    std::printf("%s\n", json_of(session, options, found).c_str());
  } else {
    print(session, options, found);
  }
  if (!options.output.empty()) {
    write(options, std::move(session), found.sensors);
    if (!options.json) std::printf("\nwrote %s\n", printable(options.output).c_str());
  }
  return good ? kGood : kCheckFailed;
}

void add_motion_options(CLI::App& sub, MovedWords& moved) {
  sub.add_option(
         "--hinge", moved.hinges,
         "A hinge that was bent while the others between the same two sensors were held as [start] of "
         "--sensors says, and when, in seconds; its axis turns the sensors. May be repeated")
      ->take_all()
      ->expected(1)
      ->option_text("JOINT[=FROM..TO]");
  sub.add_option(
         "--motion", moved.motions,
         "When everything was moved, in seconds, or all: centres of joints place the sensors and show the "
         "segments' lengths; axes of joints that are one hinge turn them. May be repeated")
      ->take_all()
      ->expected(1)
      ->option_text("FROM..TO|all");
}

}  // namespace

void add_calibrate(CLI::App& app, Run& run) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* sub = app.add_subcommand(
      "calibrate", "How raw sensors sit on a body, from poses that were held and from motion.");
  sub->add_option("recording,-i,--in", options->input,
                  "Sensors, raw or fused: .csv, .npz, .sto, .mvnx, an Xsens or APDM export")
      ->required()
      ->option_text("FILE");
  sub->add_option(
         "--pose", options->poses,
         "npose (arms hanging), tpose (arms out) or chair (seated, arms hanging); may be repeated, in the "
         "order in which they were held. They are found where all sensors are still")
      ->take_all()
      ->expected(1)
      ->option_text("POSE");
  add_motion_options(*sub, options->moved);
  add_file(
      *sub, "--sensors", options->sensors, "FILE",
      "Where each sensor sits, about: a .toml. Without, sensors sit on the links that they are called by");
  sub->add_option("--model", options->model,
                  "human66 (default), human48; for motion any robot or chain: a .urdf or a .toml")
      ->option_text("NAME");
  add_number(*sub, "--height", options->height, 0.3, 3.0, "m", "Body height in metres (default 1.75)");
  sub->add_option(
         "--trusted", options->trusted,
         "A sensor whose mounting is right about the vertical: it tells the field's heading, or which way "
         "the person faced")
      ->option_text("SENSOR");
  sub->add_option("--walk", options->walk,
                  "A part of the recording [s since its beginning] in which the person walks straight ahead: "
                  "limbs then swing about the body's left-right axis, which tells the headings of their "
                  "sensors without magnetometers")
      ->option_text("FROM..TO");
  add_file(*sub, "-o,--out", options->output, "FILE.toml",
           "Write the sensors, to give to `panto track --sensors`");
  sub->add_flag("--json", options->json, "One JSON object on stdout instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto calibrate poses.csv --pose npose --pose tpose -o subject.toml\n"
      "  panto calibrate poses.csv --pose npose --pose tpose --sensors nominal.toml\n"
      "  panto calibrate leg.csv --sensors leg.toml --hinge jLeftKnee_roty=2..14\n"
      "  panto calibrate leg.csv --sensors leg.toml --hinge jLeftKnee_roty --motion all");
  sub->callback([options, &run] { run = [options] { return calibrate(*options); }; });
}

}  // namespace panto::app
