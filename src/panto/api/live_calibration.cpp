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

// What became of each sensor, in one sentence.
std::string summary(const CalibrateResult& result, const std::string& poses) {
  std::vector<std::string> doubts;
  for (const CalibratedSensor& sensor : result.found)
    if (!sensor.good) doubts.push_back(sensor.mount.name + ": " + sensor.advice);
  const std::string all = counted(static_cast<std::int64_t>(result.found.size()), "sensor");
  std::string line = "calibrated by " + poses + ": " + all;
  if (!doubts.empty())
    line += ", of which " + std::to_string(doubts.size()) + " may be off; " + listed(doubts, kListed);
  return line;
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
  try {
    for (const std::string& pose : asked) (void)calibration_pose(human_, pose);
  } catch (const Error& error) {
    return end(std::string("no calibration: ") + error.what());
  }
  poses_ = std::move(asked);
  next_ = 0;
  moved_ = true;
  since_.reset();
  recent_.clear();
  held_.clear();
  news_.push_back("calibration: get into the " + described(poses_.front()) + " within " + digits(kReady, 2) +
                  " s, then hold still for " + digits(kHeld, 2) + " s");
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
  const bool still = !parts.empty() && parts.back().last + 1 == recent_.size();
  moved_ = moved_ || !still;
  const double held = still ? to_seconds(recent_.back().t - recent_[parts.back().first].t) : 0.0;
  if (moved_ && waited() >= kReady + kHeld && held >= kHeld) {
    held_.insert(held_.end(), recent_.begin() + static_cast<std::ptrdiff_t>(parts.back().first),
                 recent_.end());
    if (++next_ == poses_.size()) return solve();
    news_.push_back(poses_[next_ - 1] + " held; now the " + described(poses_[next_]));
    since_ = sample.t;
    moved_ = false;
    return {};
  }
  if (waited() > kReady + kPatience)
    end("calibration ended, mounts stay as they were: " +
        (moved_ ? "not all sensors were still for " + digits(kHeld, 2) + " s; " + restless()
                : "nobody left the " + poses_[next_ - 1]));
  return {};
}

// Returns which sensors were not still, or silent.
std::string LiveCalibration::restless() const {
  const std::vector<StillReading> readings = still_readings(recent_, place_.size());
  const StillOptions least;
  std::vector<std::string> moving;
  for (std::size_t k = 0; k < readings.size(); ++k) {
    if (readings[k].readings == 0)
      moving.push_back(mounts_[k] + " is silent");
    else if (readings[k].turning > least.turning || readings[k].shaking > least.shaking ||
             readings[k].wandering > least.wandering)
      moving.push_back(mounts_[k] + " moved");
  }
  return moving.empty() ? "they were only for a shorter time" : listed(moving, kListed);
}

// The sensor that says where the person faces: that of the trunk, where the setup does not say it.
std::string LiveCalibration::trusted(const std::vector<ImuSample>& held) const {
  const bool oriented = reads(held, &ImuReading::has_orientation) && !reads(held, &ImuReading::has_gyro);
  const bool told = oriented ? !nominal_.setup.surroundings.R_WG.isIdentity(1e-12) : nominal_.has_field;
  if (told || !(oriented || reads(held, &ImuReading::has_mag))) return {};
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
    CalibrateResult result =
        calibrate(imu_clip("the stream", rate, mounts_, held_), human_, nominal_, options);
    for (const std::string& note : result.notes) news_.push_back("calibration: " + note);
    if (!options.trusted.empty())
      news_.push_back("calibration: the person faces where '" + options.trusted +
                      "' does, as the sensors file mounts it");
    Found found{std::move(result.sensors), calibration_pose(human_, poses_.back())};
    end(summary(result, poses));
    return found;
  } catch (const Error& error) {
    end(std::string("calibration ended, mounts stay as they were: ") + error.what());
    return {};
  }
}

}  // namespace panto
