#include "panto/api/calibrate.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/inertial/motion_calibration.hpp"
#include "panto/inertial/still_parts.hpp"
#include "panto/inertial/swing_calibration.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/tracking/imu_preparation.hpp"
#include "panto/tracking/inertial_tracker.hpp"

namespace panto {
namespace {

using Samples = std::span<const ImuSample>;

constexpr std::size_t kListed = 8;               // names in a sentence
constexpr double kPosture = 5.0 / kToDegrees;    // [rad] by which people miss the described pose
constexpr double kUnknown = 60.0 / kToDegrees;   // the same about the vertical, poses leave the heading open
constexpr double kInclined = 20.0 / kToDegrees;  // [rad] between two postures: more than people sway in one
constexpr double kAsLong = 0.5;  // of the shortest pose's part: a pose may have been held so long

// The samples of the mounted sensors only, in the order of their mounts.
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
  return decimals(to_seconds(samples[part.first].t - begin), 1) + " to " +
         decimals(to_seconds(samples[part.last].t - begin), 1) + " s";
}

// Still parts, each in order of time: the longest, one per pose, and the others.
struct HeldParts {
  std::vector<StillPart> poses, others;
};

HeldParts parts_of(const std::vector<ImuSample>& samples, std::size_t poses, const std::string& clip) {
  std::vector<StillPart> parts = still_parts(samples);
  if (parts.size() < poses) {
    std::vector<std::string> spans(parts.size());
    std::transform(parts.begin(), parts.end(), spans.begin(),
                   [&](const StillPart& part) { return span_of(samples, part); });
    throw FormatError(clip + ": " + counted(static_cast<std::int64_t>(poses), "pose") + " given, but " +
                      (parts.empty()
                           ? "there is no second in which all sensors are still"
                           : "all sensors are still for a second only in " + listed(spans, kListed)) +
                      "; hold each pose for 3 s without moving");
  }
  const auto length = [&](const StillPart& part) { return samples[part.last].t - samples[part.first].t; };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const StillPart& a, const StillPart& b) { return length(a) > length(b); });
  const auto shortest = static_cast<double>(length(parts[poses - 1]));
  const auto rest = parts.begin() + static_cast<std::ptrdiff_t>(poses);
  HeldParts held{{parts.begin(), rest}, {}};
  std::copy_if(rest, parts.end(), std::back_inserter(held.others), [&](const StillPart& part) {
    return static_cast<double>(length(part)) >= kAsLong * shortest;
  });
  for (std::vector<StillPart>* some : {&held.poses, &held.others})
    std::sort(some->begin(), some->end(),
              [](const StillPart& a, const StillPart& b) { return a.first < b.first; });
  return held;
}

// Is a sensor inclined otherwise?
bool differ(const std::vector<StillReading>& a, const std::vector<StillReading>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto up_I = [](const StillReading& reading) -> Eigen::Vector3d {
      return reading.has_gravity ? reading.acc : Eigen::Vector3d(reading.R_GI.row(2).transpose());
    };
    const bool measured = a[k].readings > 0 && b[k].readings > 0;
    if (measured && angle_between(up_I(a[k]), up_I(b[k])) > kInclined) return true;
  }
  return false;
}

// `what` and `clip` name the span and the recording in messages.
Samples part_of(Samples samples, const TimeSpan& span, const std::string& what, const std::string& clip) {
  const double length = samples.empty() ? 0.0 : to_seconds(samples.back().t - samples.front().t);
  const std::string place = what + " from " + digits(span.from, 6) + " to " + digits(span.to, 6) + " s";
  if (!(span.from >= 0.0 && span.from < span.to))
    throw ConfigError(place + ": must begin at 0 s or later, and end after its beginning");
  if (samples.empty() || (span.from > 0.0 && span.from >= length))
    throw ConfigError(place + ": outside the recording; '" + clip + "' lasts from 0 to " +
                      decimals(length, 1) + " s");
  const auto at_second = [&](double second) {
    return std::partition_point(samples.begin(), samples.end(), [&](const ImuSample& sample) {
      return to_seconds(sample.t - samples.front().t) < second;
    });
  };
  return {at_second(span.from), at_second(span.to)};
}

// Biases from all parts in which every sensor is still.
std::vector<Eigen::Vector3d> still_biases(Samples samples, const SensorSetup& file,
                                          std::vector<std::string>& notes) {
  const std::size_t imus = file.setup.mounts.size();
  std::vector<Eigen::Vector3d> sums(imus, Eigen::Vector3d::Zero());
  std::vector<int> counts(imus, 0);
  for (const StillPart& part : still_parts(samples)) {
    const std::vector<StillReading> still =
        still_readings(samples.subspan(part.first, part.last - part.first + 1), imus);
    for (std::size_t k = 0; k < imus; ++k) {
      sums[k] += still[k].readings * still[k].gyro;
      counts[k] += still[k].readings;
    }
  }
  std::vector<std::string> without;
  for (std::size_t k = 0; k < imus; ++k) {
    if (counts[k] > 0) sums[k] /= counts[k];
    if (counts[k] == 0 && k < file.setup.gyro_bias.size()) sums[k] = file.setup.gyro_bias[k];
    if (counts[k] == 0) without.push_back(file.setup.mounts[k].name);
  }
  if (!without.empty())
    notes.push_back(
        "found no second in which all sensors are still; gyroscope biases are those of the sensors file, "
        "or zero: " +
        listed(without, 20));
  return sums;
}

// A clip, the body that wears its sensors, and what the person did.
class Session {
 public:
  Session(const ImuClip& clip, const Model& model, const SensorSetup& nominal,
          const CalibrateOptions& options)
      : clip_(clip), model_(model), options_(options), file_(nominal) {
    check_clip(clip);
    result_.notes = clip.notes;
    ImuRecording recording(clip);
    (void)check_imu_recording(recording, file_.setup.mounts, result_.notes);
    samples_ = mounted_samples(recording, file_.setup.mounts);
    for (const ImuMount& mount : file_.setup.mounts) (void)model.link_index(mount.link);
    find_poses();
  }

  [[nodiscard]] CalibrateResult solve() {
    take_field();
    note_trusted();
    check_walk();
    check_motion();
    result_.nominal = file_.setup.mounts;
    if (!held_.empty()) result_.found = solve_poses();
    if (moved()) add_motion();
    result_.good = std::all_of(result_.found.begin(), result_.found.end(),
                               [](const CalibratedSensor& sensor) { return sensor.good; }) &&
                   std::all_of(result_.motion.joints.begin(), result_.motion.joints.end(),
                               [](const JointFinding& joint) { return joint.good; });
    result_.sensors = file_;
    result_.sensors.setup.gyro_bias.clear();
    for (std::size_t k = 0; k < result_.found.size(); ++k) {
      ImuMount& mount = result_.sensors.setup.mounts[k] = result_.found[k].mount;
      if (!result_.found[k].good) mount.turn_sigma = std::max(mount.turn_sigma.value_or(0.0), kUnknown);
      result_.sensors.setup.gyro_bias.push_back(result_.found[k].gyro_bias);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool moved() const { return !options_.hinges.empty() || !options_.motions.empty(); }
  void find_poses();
  [[nodiscard]] bool oriented() const;
  void take_world();
  void take_field();
  void note_trusted();
  void check_walk() const;
  void check_motion() const;
  [[nodiscard]] std::vector<CalibratedSensor> solve_poses() const;
  [[nodiscard]] std::vector<CalibratedSensor> solve_oriented() const;
  void add_motion();
  [[nodiscard]] MotionCalibration solve_motion(const SensorSetup& file, std::vector<KnownDirection> known,
                                               std::vector<Eigen::Vector3d>& biases);

  const ImuClip& clip_;
  const Model& model_;
  const CalibrateOptions& options_;
  SensorSetup file_;
  std::vector<ImuSample> samples_;  // sensors in the order of the mounts
  std::vector<HeldPose> held_;
  bool faced_ = true;  // the facing direction is known
  CalibrateResult result_;
};

void Session::find_poses() {
  for (const std::string& pose : options_.poses) held_.push_back({calibration_pose(model_, pose), {}});
  if (held_.empty()) return;
  const HeldParts parts = parts_of(samples_, held_.size(), clip_.name);
  const auto readings = [&](const StillPart& part) {
    return still_readings(Samples(samples_).subspan(part.first, part.last - part.first + 1),
                          file_.setup.mounts.size());
  };
  const auto span = [&](const StillPart& part) {
    const Time begin = samples_.front().t;
    return TimeSpan{to_seconds(samples_[part.first].t - begin), to_seconds(samples_[part.last].t - begin)};
  };
  for (std::size_t i = 0; i < held_.size(); ++i) {
    held_[i].readings = readings(parts.poses[i]);
    result_.poses.push_back({options_.poses[i], span(parts.poses[i])});
  }
  for (const StillPart& part : parts.others) {
    const std::vector<StillReading> own = readings(part);
    if (std::all_of(held_.begin(), held_.end(),
                    [&](const HeldPose& pose) { return differ(pose.readings, own); }))
      result_.other_held.push_back(span(part));
  }
}

// Do the sensors give fused orientations instead of rates?
bool Session::oriented() const {
  return !held_.empty() && std::any_of(held_.front().readings.begin(), held_.front().readings.end(),
                                       [](const StillReading& reading) { return reading.has_orientation; });
}

// Finds the facing direction among fused orientations: from the trusted sensor's mounting, or from the setup.
void Session::take_world() {
  Surroundings& around = file_.setup.surroundings;
  if (options_.trusted.empty()) {
    faced_ = !around.R_WG.isIdentity(1e-12);
    return;
  }
  if (!around.R_WG.isIdentity(1e-12))
    throw ConfigError(
        "the trusted sensor gives the direction that the person faced, and so does [world] in '" +
        file_.name + "'; remove one");
  around.R_WG = world_from_pose(model_, file_.setup.mounts, held_.front(), options_.trusted);
}

// Takes the field, where the setup has none, from the trusted sensor in the first pose.
void Session::take_field() {
  if (oriented()) return take_world();
  if (options_.trusted.empty()) return;
  if (file_.has_field)
    throw ConfigError("the trusted sensor gives the magnetic field, and so does [world] in '" + file_.name +
                      "'; remove one");
  file_.setup.surroundings.field_W =
      field_from_pose(model_, file_.setup.mounts, held_.front(), options_.trusted);
  file_.has_field = true;
  file_.setup.filter.magnetic = MagneticUse::Heading;
}

// Without a given mount, a sensor has its link's axes.
void Session::note_trusted() {
  for (const ImuMount& mount : file_.setup.mounts) {
    if (mount.name == options_.trusted && mount.R_LI.isIdentity(0.0))
      result_.notes.push_back("trusted sensor '" + mount.name + "': its axes are taken as those of " +
                              mount.link + "; if it is worn otherwise, give its mounting in a sensors file");
  }
}

// Hinges and joint centres need angular rates.
void Session::check_motion() const {
  if (!moved()) return;
  const bool rates = std::any_of(samples_.begin(), samples_.end(), [](const ImuSample& sample) {
    return std::any_of(sample.imus.begin(), sample.imus.end(),
                       [](const ImuReading& reading) { return reading.has_gyro; });
  });
  if (!rates || oriented())
    throw ConfigError("calibration from hinges and motions needs angular rates, but the sensors of '" +
                      clip_.name + "' give orientations; calibrate them from held poses");
}

// A walk gives headings where there is one pose and no field.
void Session::check_walk() const {
  if (!options_.walk) return;
  if (options_.poses.size() > 1)
    throw ConfigError(
        "a walk helps a single held pose only; several poses give the headings by gravity: leave out the "
        "walk");
  if (oriented())
    throw ConfigError(
        "a walk needs angular rates, but these sensors give orientations, headings included: leave out the "
        "walk");
  if (file_.has_field)
    throw ConfigError(
        "a walk is for sensors without a magnetic field; here magnetometers give the headings: leave out the "
        "walk");
}

std::vector<CalibratedSensor> Session::solve_oriented() const {
  std::vector<CalibratedSensor> sensors =
      calibrate_oriented(model_, file_.setup.mounts, held_, file_.setup.surroundings.R_WG);
  for (CalibratedSensor& sensor : sensors) {
    if (faced_ || !sensor.good) continue;
    sensor.good = false;
    sensor.advice =
        "facing direction unknown, taken as the x axis of the orientations; name a trusted sensor, turned "
        "about the vertical as the sensors file says";
  }
  return sensors;
}

std::vector<CalibratedSensor> Session::solve_poses() const {
  if (oriented()) return solve_oriented();
  const std::vector<ImuMount>& mounts = file_.setup.mounts;
  if (options_.walk)
    return calibrate_walk(model_, mounts, held_.front(),
                          part_of(samples_, *options_.walk, "the walk", clip_.name));
  if (held_.size() > 1) return calibrate_poses(model_, mounts, held_);
  Surroundings around = file_.setup.surroundings;
  if (!file_.has_field) around.field_W.setZero();
  return calibrate_pose(model_, mounts, held_.front(), around);
}

MotionCalibration Session::solve_motion(const SensorSetup& file, std::vector<KnownDirection> known,
                                        std::vector<Eigen::Vector3d>& biases) {
  if (samples_.size() < 2)
    throw FormatError(clip_.name + ": one sample shows no motion; two or more are needed");
  if (biases.empty()) biases = still_biases(samples_, file, result_.notes);
  MovedSession session;
  session.mounts = file.setup.mounts;
  session.gyro_bias = biases;
  session.known = std::move(known);
  session.held = start_of(model_, file.setup);
  session.gravity_W = file.setup.surroundings.gravity_W;
  for (const auto& [joint, span] : options_.hinges) {
    if (!model_.find_joint(joint))
      throw ConfigError("hinge: " +
                        unknown_name("joint", joint, "model '" + model_.name() + "'", model_.joint_names()));
    session.hinges.push_back({joint, part_of(samples_, span, "hinge '" + joint + "'", clip_.name)});
  }
  for (const TimeSpan& span : options_.motions)
    session.free.push_back(part_of(samples_, span, "a motion", clip_.name));
  MotionCalibrationOptions options;
  if (file.setup.filter.mounting > 0.0) options.mounting = file.setup.filter.mounting;
  return calibrate_motion(model_, session, options);
}

// Starts from the result of the poses, which is as uncertain as people hold them.
void Session::add_motion() {
  const std::vector<CalibratedSensor> posed = std::move(result_.found);
  SensorSetup file = file_;
  std::vector<Eigen::Vector3d> biases;
  std::vector<KnownDirection> known;
  for (std::size_t k = 0; k < posed.size(); ++k) {
    ImuMount& mount = file.setup.mounts[k] = posed[k].mount;
    mount.turn_sigma = posed[k].good ? kPosture : kUnknown;
    biases.push_back(posed[k].gyro_bias);
    if (posed[k].good) continue;
    // its heading is unknown, its up direction is not
    const Eigen::Vector3d& up_I = held_.front().readings[k].acc;
    known.push_back({static_cast<int>(k), mount.R_LI * up_I, up_I, kPosture});
  }
  result_.motion = solve_motion(file, std::move(known), biases);
  result_.found.clear();
  for (std::size_t k = 0; k < result_.motion.sensors.size(); ++k) {
    const MovedSensor& moved = result_.motion.sensors[k];
    CalibratedSensor sensor{moved.mount, biases[k], moved.residual, moved.good, moved.advice};
    if (moved.directions == 0 && !posed.empty())
      sensor.residual = posed[k].residual, sensor.good = posed[k].good, sensor.advice = posed[k].advice;
    result_.found.push_back(std::move(sensor));
  }
}

void check_options(const CalibrateOptions& options) {
  if (options.poses.empty() && options.hinges.empty() && options.motions.empty())
    throw ConfigError(
        "nothing to calibrate from: give a held pose (`pose`), a moved hinge (`hinge`) or free motion "
        "(`motion`)");
  if (options.poses.empty() && options.walk) throw ConfigError("a walk needs a held pose, but none is given");
  if (options.poses.empty() && !options.trusted.empty())
    throw ConfigError("a trusted sensor needs a held pose, but none is given");
}

}  // namespace

SensorSetup mounts_by_name(const ImuClip& clip, const Model& model) {
  SensorSetup file;
  file.setup.filter.magnetic = MagneticUse::Off;
  const std::vector<std::string>& links = model.link_names();
  for (const std::string& name : clip.sensors) {
    if (std::find(links.begin(), links.end(), name) == links.end()) continue;
    ImuMount mount;
    mount.name = mount.link = name;
    file.setup.mounts.push_back(mount);
  }
  if (file.setup.mounts.empty())
    throw ConfigError(clip.name + ": no sensor name (" + listed(clip.sensors, kListed) +
                      ") matches a link of " + model.name() + " (" + listed(links, kListed) +
                      "); give the link of each sensor in a sensors file (.toml)");
  return file;
}

CalibrateResult calibrate(const ImuClip& clip, const Model& model, const SensorSetup& nominal,
                          const CalibrateOptions& options, const Observer& observer) {
  check_options(options);
  CalibrateResult result = Session(clip, model, nominal, options).solve();
  for (const std::string& note : result.notes) tell(observer, note);
  return result;
}

}  // namespace panto
