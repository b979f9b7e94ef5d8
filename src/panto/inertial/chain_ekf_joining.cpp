// Places joints that join while the inertial filter runs, by the first samples of the sensors after them.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/inertial/chain_ekf.hpp"
#include "panto/math/elementary.hpp"

namespace panto {

using Eigen::Vector3d;

namespace {

constexpr std::size_t kMostPoses = 9;  // followed hypotheses
constexpr double kJerk = 100.0;        // [rad/s^3] change of angular accelerations from sample to sample

bool tells_pose(const ImuReading& reading) {
  return reading.has_gyro && reading.has_acc && reading.gyro.allFinite() && reading.acc.allFinite();
}

// a sensor's first sample, with the angular acceleration from the second
FeltMotion felt(std::span<const ImuSample> first, std::size_t imu, double T) {
  FeltMotion result{first[0].imus[imu]};
  const bool good = result.reading.mag.allFinite();
  result.reading.has_mag = result.reading.has_mag && good;
  if (T > 0.0 && tells_pose(first[1].imus[imu]))
    result.alpha_I = (first[1].imus[imu].gyro - result.reading.gyro) / T;
  return result;
}

// returns the unknowns of a path that are in the list and removes them from it
std::vector<int> taken(const std::vector<int>& path, std::vector<int>& from) {
  std::vector<int> result;
  for (const int unknown : path) {
    if (std::erase(from, unknown) > 0) result.push_back(unknown);
  }
  return result;
}

}  // namespace

// For a single reading, persistent errors of its sensor count too. A field counts at once if its norm matches
// the reference's: its dip is unknown before the pose is.
PoseSearchOptions ChainEkf::search_options(const ImuReading& reading, double T) const {
  const ChainEkfOptions& o = options_;
  const Surroundings& around = model_.surroundings();
  PoseSearchOptions result;
  result.gyro = hypot(o.gyro, o.bias, o.changing * reading.gyro.norm());
  result.acc = hypot(o.acc, o.mounting * around.gravity_W.norm());
  if (T > 0.0) result.alpha = hypot(std::sqrt(2.0) * o.gyro / T, kJerk * T);
  const bool good = std::abs(reading.mag.norm() / around.field_W.norm() - 1.0) < o.field_norm;
  result.mag.reset();
  if (o.magnetic != MagneticUse::Off && good) result.mag = hypot(o.mag, o.heading);
  result.prior = o.joining;
  result.limit = o.limit;
  return result;
}

// Sensor by sensor from the root outward, each with the unknowns that no sensor before it determined.
std::vector<LikelyPose> ChainEkf::likely_poses(const ChainMotion& motion, std::vector<int> unknowns,
                                               std::span<const ImuSample> first) const {
  const double T = first.size() > 1 ? to_seconds(first[1].t - first[0].t) : 0.0;
  std::vector<int> order(model_.imus().size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return model_.imu_path(a).size() < model_.imu_path(b).size(); });
  std::vector<LikelyPose> result{{motion, 0.0}};
  for (const int imu : order) {
    const ImuReading& reading = first[0].imus[at(imu)];
    if (!tells_pose(reading)) continue;
    const std::vector<int> told = taken(model_.imu_path(imu), unknowns);
    if (told.empty()) continue;
    PoseSearch search(model_, search_options(reading, T));
    std::vector<LikelyPose> longer;
    for (const LikelyPose& pose : result) {
      for (LikelyPose& next : search.poses(pose.motion, imu, told, felt(first, at(imu), T))) {
        next.cost += pose.cost;
        longer.push_back(std::move(next));
      }
    }
    std::stable_sort(longer.begin(), longer.end(),
                     [](const LikelyPose& a, const LikelyPose& b) { return a.cost < b.cost; });
    longer.resize(std::min(longer.size(), kMostPoses), result.front());
    result = std::move(longer);
  }
  return result;
}

ChainState ChainEkf::take_over(const ChainEkf& other, const ChainState& state,
                               std::span<const ImuSample> first) const {
  const ChainState joined = take_over(other, state);
  if (first.empty()) return joined;
  for (const ImuSample& sample : first) {
    if (sample.imus.size() != health_.size())
      throw ConfigError("inertial filter: `take_over`: a sample has " + std::to_string(sample.imus.size()) +
                        " sensors, expected " + std::to_string(health_.size()));
  }
  const std::vector<int> source = shared_columns(other);
  std::vector<int> unknowns;
  for (int u = 0; u < model_.layout().unknowns(); ++u) {
    if (source[3 * at(u)] < 0) unknowns.push_back(u);
  }
  ChainEkf trial = *this;
  ChainState result = joined;
  double least = kInfinity;
  for (const LikelyPose& pose : likely_poses(joined.motion, unknowns, first)) {
    ChainState candidate = joined;  // the filter finds the rates
    candidate.motion.q = pose.motion.q;
    candidate.motion.reference = pose.motion.reference;
    double surprise = pose.cost;
    for (const ImuSample& sample : first) {
      if (trial.step(sample, candidate) != StepStatus::Solved) continue;
      for (const ImuHealth& health : trial.health_) surprise += health.nis_gyro + health.nis_acc;
    }
    if (!(surprise < least)) continue;
    least = surprise;
    result = std::move(candidate);
  }
  return result;
}

}  // namespace panto
