#include "panto/api/live_calibration.hpp"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/inertial/calibration.hpp"
#include "panto/inertial/still_parts.hpp"
#include "panto/recording/imu_recording.hpp"
#include "panto/tracking/inertial_tracker.hpp"

namespace panto {
namespace {

constexpr const char* kStop = "stop";
constexpr double kLookEvery = 0.1;       // [s]
constexpr double kKept = 2.5;            // [s] of samples: a little more than a pose is held
constexpr std::size_t kMostKept = 5000;  // samples, however fast they come
constexpr std::size_t kListed = 4;       // sensors in a sentence

// Words about a pose, for whom it is asked of.
std::string described(const std::string& pose) {
  const std::string how = pose == "tpose"   ? "arms out"
                          : pose == "chair" ? "seated, arms hanging"
                                            : "standing, arms hanging";
  return pose + " (" + how + ")";
}

bool reads(const std::vector<ImuSample>& samples, bool ImuReading::*what) {
  return std::ranges::any_of(samples, [&](const ImuSample& sample) {
    return std::ranges::any_of(sample.imus, [&](const ImuReading& reading) { return reading.*what; });
  });
}

// What became of each sensor, in one sentence: those with the same advice together.
std::string summary(const CalibrateResult& result, const std::string& poses) {
  std::vector<std::pair<std::string, std::vector<std::string>>> doubts;
  std::int64_t doubtful = 0;
  for (const CalibratedSensor& sensor : result.found) {
    if (sensor.good) continue;
    ++doubtful;
    auto same = std::ranges::find(doubts, sensor.advice, [](const auto& one) { return one.first; });
    if (same == doubts.end()) same = doubts.insert(same, {sensor.advice, {}});
    same->second.push_back(sensor.mount.name);
  }
  std::string line = "calibrated by " + poses + ": " + counted(std::ssize(result.found), "sensor");
  if (doubtful > 0) line += ", of which " + std::to_string(doubtful) + " may be off";
  for (const auto& [advice, names] : doubts) line += "; " + listed(names, kListed) + ": " + advice;
  return line;
}

// Returns the lowest of a human's feet above the origin of its base [m].
double lowest_foot(const Model& human, const State& state) {
  Kinematics kinematics(human);
  kinematics.update(state);
  double z = kInfinity;
  for (const char* foot : {"RightFoot", "LeftFoot"})
    if (const std::optional<int> link = human.find_link(foot)) z = std::min(z, kinematics.p_WL(*link).z());
  return std::isfinite(z) ? z - state.p_WB.z() : 0.0;
}

}  // namespace

LiveCalibration::LiveCalibration(Model human, SensorSetup nominal, const std::vector<std::string>& names)
    : human_(std::move(human)),
      nominal_(std::move(nominal)),
      place_(sensor_positions(nominal_.setup.mounts, names)) {
  for (const ImuMount& mount : nominal_.setup.mounts) mounts_.push_back(mount.name);
}

void LiveCalibration::begin(const std::string& poses) {
  std::vector<std::string> asked;
  std::istringstream words(poses);
  for (std::string word; words >> word;) asked.push_back(word);
  if (asked.empty()) asked.emplace_back("npose");
  if (asked.front() == kStop) {
    if (waits()) end("calibration stopped, mounts stay as they were");
    return;
  }
  try {
    for (const std::string& pose : asked) (void)calibration_pose(human_, pose);
  } catch (const Error& error) {
    return say(std::string("no calibration: ") + error.what());
  }
  poses_ = std::move(asked);
  next_ = 0;
  moved_ = true;
  since_.reset();
  recent_.clear();
  held_.clear();
  news_.push_back("calibration: get into the " + described(poses_.front()) + ", facing ahead, within " +
                  digits(kReady, 2) + " s, then hold still for " + digits(kHeld, 2) + " s");
}

std::vector<std::string> LiveCalibration::news() { return std::exchange(news_, {}); }

void LiveCalibration::end(const std::string& line) {
  news_.push_back(line);
  poses_.clear();
  recent_.clear();
  held_.clear();
}

double LiveCalibration::waited() const noexcept { return to_seconds(recent_.back().t - *since_); }

void LiveCalibration::keep(const ImuSample& sample) {
  ImuSample one{sample.t, {}};
  for (const int k : place_) one.imus.push_back(sample.imus[at(k)]);
  if (!recent_.empty() && one.t <= recent_.back().t) recent_.clear();  // another clock
  if (recent_.empty() && since_ && one.t < *since_) since_.reset();
  recent_.push_back(std::move(one));
  if (!since_) since_ = recent_.back().t;
  const auto old = std::ranges::find_if(
      recent_, [&](const ImuSample& kept) { return to_seconds(recent_.back().t - kept.t) <= kKept; });
  const std::size_t many = recent_.size() > kMostKept ? recent_.size() - kMostKept : 0;
  recent_.erase(recent_.begin(), std::max(old, recent_.begin() + static_cast<std::ptrdiff_t>(many)));
}

std::optional<LiveCalibration::Found> LiveCalibration::add(const ImuSample& sample) {
  if (!waits()) return {};
  keep(sample);
  if (to_seconds(sample.t - looked_) < kLookEvery && sample.t >= looked_) return {};
  looked_ = sample.t;
  const std::vector<StillPart> parts = still_parts(recent_);
  const bool still = silent().empty() && !parts.empty() && parts.back().last + 1 == recent_.size();
  moved_ = moved_ || !still;
  const double held = still ? to_seconds(recent_.back().t - recent_[parts.back().first].t) : 0.0;
  if (moved_ && waited() >= kReady + kHeld && held >= kHeld) {
    keep_held(parts.back().first);
    if (++next_ == poses_.size()) return solve();
    news_.push_back(poses_[next_ - 1] + " held; now the " + described(poses_[next_]));
    since_ = sample.t;
    moved_ = false;
    return {};
  }
  if (waited() > kReady + kPatience)
    end("calibration ended, mounts stay as they were: " +
        (moved_ ? "not all sensors were still for " + digits(kHeld, 2) + " s; " + restless()
                : "the person did not leave the " + poses_[next_ - 1]));
  return {};
}

// Keeps the end of the recent samples behind those of earlier poses, without the time between.
void LiveCalibration::keep_held(std::size_t first) {
  const Time step = recent_.back().t - recent_[recent_.size() - 2].t;
  const Time shift = held_.empty() ? 0 : held_.back().t + step - recent_[first].t;
  for (std::size_t k = first; k < recent_.size(); ++k) {
    held_.push_back(recent_[k]);
    held_.back().t += shift;
  }
}

// Returns the sensors that told nothing of late.
std::vector<std::string> LiveCalibration::silent() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < mounts_.size(); ++k)
    if (std::ranges::none_of(recent_, [&](const ImuSample& one) { return one.imus[k].tells_motion(); }))
      names.push_back(mounts_[k]);
  return names;
}

// Returns which sensors were not still, or silent.
std::string LiveCalibration::restless() const {
  if (const std::vector<std::string> names = silent(); !names.empty())
    return "silent: " + listed(names, kListed);
  const std::vector<StillReading> readings = still_readings(recent_, place_.size());
  const StillOptions least;
  std::vector<std::string> moving;
  for (std::size_t k = 0; k < readings.size(); ++k)
    if (readings[k].turning > least.turning || readings[k].shaking > least.shaking ||
        readings[k].wandering > least.wandering)
      moving.push_back(mounts_[k]);
  return moving.empty() ? "they were only for a shorter time" : "moving: " + listed(moving, kListed);
}

// The sensor that says where the person faces: that of the trunk. A person who holds a pose may face
// anywhere, not only where the file's field says.
std::string LiveCalibration::trusted(const std::vector<ImuSample>& held) const {
  const bool oriented = reads(held, &ImuReading::has_orientation) && !reads(held, &ImuReading::has_gyro);
  if (!oriented && (poses_.size() > 1 || !reads(held, &ImuReading::has_mag))) return {};
  for (const char* link : {"Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head"})
    for (const ImuMount& mount : nominal_.setup.mounts)
      if (mount.link == link) return mount.name;
  return {};
}

std::optional<LiveCalibration::Found> LiveCalibration::solve() {
  std::string poses = poses_.front();
  for (std::size_t k = 1; k < poses_.size(); ++k) poses += ", " + poses_[k];
  try {
    const double rate = static_cast<double>(held_.size() - 1) / to_seconds(held_.back().t - held_.front().t);
    CalibrateOptions options;
    options.poses = poses_;
    options.trusted = trusted(held_);
    SensorSetup nominal = nominal_;
    if (!options.trusted.empty()) {
      nominal.has_field = false;
      nominal.setup.surroundings.R_WG.setIdentity();
    }
    CalibrateResult result =
        calibrate(imu_clip("the stream", rate, mounts_, held_), human_, nominal, options);
    for (const std::string& note : result.notes) news_.push_back("calibration: " + note);
    if (!options.trusted.empty())
      news_.push_back("calibration: the person faces where '" + options.trusted +
                      "' does, as the sensors file mounts it");
    Found found{std::move(result.sensors), calibration_pose(human_, poses_.back()), 0.0};
    found.lower = lowest_foot(human_, start_of(human_, nominal_.setup)) - lowest_foot(human_, found.pose);
    end(summary(result, poses));
    return found;
  } catch (const Error& error) {
    end(std::string("calibration ended, mounts stay as they were: ") + error.what());
    return {};
  }
}

}  // namespace panto
