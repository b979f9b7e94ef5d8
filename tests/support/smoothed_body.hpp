#pragma once
// A body with sensors whose calibration is exact: how well it is followed with and without what comes later,
// and what that costs. Synthetic.

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"
#include "tests/support/right_arm.hpp"

namespace panto::test {

/// A suit of 17 sensors on a human, each turned and placed anyhow on its segment.
inline std::vector<ImuMount> suit_mounts(std::uint64_t seed) {
  std::vector<ImuMount> mounts;
  Random random(seed);
  for (const char* link :
       {"Pelvis", "T8", "Head", "RightShoulder", "RightUpperArm", "RightForeArm", "RightHand", "LeftShoulder",
        "LeftUpperArm", "LeftForeArm", "LeftHand", "RightUpperLeg", "RightLowerLeg", "RightFoot",
        "LeftUpperLeg", "LeftLowerLeg", "LeftFoot"}) {
    mounts.push_back({link, link, random_rotation(random), random_vector(random, 0.05)});
  }
  return mounts;
}

enum class Followed : unsigned char { Filtered, Smoothed, WithDeviations };

inline std::vector<std::string> names_of_mounts(const std::vector<ImuMount>& mounts) {
  std::vector<std::string> names;
  for (const ImuMount& mount : mounts) names.push_back(mount.name);
  return names;
}

/// Root mean squares from one second after the start to the end [deg].
struct BodyErrors {
  double joints = 0.0;  ///< of all joint angles
  double links = 0.0;   ///< of the orientations of the links that carry sensors
};

inline BodyErrors body_errors(Tracker<ImuSample>& tracker, const std::vector<ImuMount>& mounts,
                              const std::vector<ImuSample>& samples, const Synthesis& truth, State state) {
  Kinematics ours(truth.model()), theirs(truth.model());
  BodyErrors sums;
  int count = 0;
  for (const ImuSample& sample : samples) {
    if (!advanced(tracker.step(sample, state)) || to_seconds(sample.t) < 1.0) continue;
    const State now = truth.state(sample.t);
    sums.joints += (state.s - now.s).squaredNorm() / static_cast<double>(state.s.size());
    ours.update(state);
    theirs.update(now);
    for (const ImuMount& mount : mounts) {
      const int link = truth.model().link_index(mount.link);
      sums.links +=
          std::pow(so3::distance(ours.R_WL(link), theirs.R_WL(link)), 2) / static_cast<double>(mounts.size());
    }
    ++count;
  }
  return {std::sqrt(sums.joints / count) / kDegree, std::sqrt(sums.links / count) / kDegree};
}

/// A start that is off by as much as the filter is told.
inline InertialSetup start_of(const Synthesis& truth, const std::vector<ImuMount>& mounts,
                              const ChainEkfOptions& options, std::uint64_t seed) {
  InertialSetup setup;
  setup.mounts = mounts;
  setup.filter = options;
  Random random(seed + 1000);
  const State first = truth.state(0);
  const double off = options.start[0];
  setup.R_WB = first.R_WB;
  if (truth.model().floating_base())
    setup.R_WB = first.R_WB * so3::exp({off * normal(random), off * normal(random), off * normal(random)});
  for (int i = 0; i < truth.model().dof(); ++i)
    setup.start_hinges.emplace_back(truth.model().joint_names()[at(i)], first.s[i] + off * normal(random));
  return setup;
}

/// Errors and time.
struct FollowedBody {
  BodyErrors filtered, smoothed;
  double filter_ms = 0.0, smoother_ms = 0.0;  ///< by sample; the smoother's holds both of its passes
  SmoothingCounts counts;
  int samples = 0, columns = 0;
};

/// `suit_options`, told that nothing lies between sensors and segments.
inline ChainEkfOptions exact_options() {
  ChainEkfOptions o = suit_options();
  o.mounting = o.wobble = 0.0;
  return o;
}

/// Follows a motion with sensors of a good suit at `mounts`. The filter always runs; the smoother as asked.
inline FollowedBody follow_body(const Synthesis& truth, const std::vector<ImuMount>& mounts,
                                std::uint64_t seed, double duration, const ChainEkfOptions& options,
                                Followed how) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  const Model& model = truth.model();
  const ImuSignals signals = imu_signals(model, motion_law(truth), mounts, suit_signals(seed, duration));
  const InertialSetup setup = start_of(truth, mounts, options, seed);
  FollowedBody result;
  result.samples = static_cast<int>(signals.samples.size());

  InertialTracker tracker(model, setup, names_of_mounts(mounts));
  result.columns = static_cast<int>(tracker.chain().P.rows());
  Clock::time_point start = Clock::now();
  result.filtered = body_errors(tracker, mounts, signals.samples, truth, tracker.start_state());
  result.filter_ms = since(start) / result.samples;
  if (how == Followed::Filtered) return result;

  InertialTracker again(model, setup, names_of_mounts(mounts));
  start = Clock::now();
  SmoothedInertialTracker smoother(
      again, {signals.samples.size(), [&](std::size_t i, ImuSample& sample) { sample = signals.samples[i]; }},
      {.deviations = how == Followed::WithDeviations});
  result.smoother_ms = since(start) / result.samples;
  result.smoothed = body_errors(smoother, mounts, signals.samples, truth, again.start_state());
  result.counts = smoother.counts();
  return result;
}

}  // namespace panto::test
