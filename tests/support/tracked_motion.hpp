#pragma once
// A recording tracked on human66, for tests that judge the outcome.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto::test {

inline constexpr double kDegree = std::numbers::pi / 180.0;

/// A recording tracked on human66: links and joints of every frame.
struct Tracked {
  Model model;
  std::vector<SegmentSample> samples;
  std::vector<State> states;
  std::vector<std::array<Eigen::Matrix3d, kHumanSegmentCount>> R;
  std::vector<std::array<Eigen::Vector3d, kHumanSegmentCount>> p;

  [[nodiscard]] double joint(std::size_t k, const char* name) const {
    return states[k].s[model.joint_index(name)];
  }
};

inline Tracked track(Recording& file) {
  Tracked result{human66(*file.info().subject), {}, {}, {}, {}};
  DynamicalOptions options;
  options.velocity = VelocitySource::Differenced;
  SegmentTracker tracker(result.model, file.info().attachments, options, file.names());
  State state = tracker.rest_state();
  Kinematics kinematics(result.model);
  for (SegmentSample sample; file.read(sample) == ReadStatus::Sample;) {
    EXPECT_TRUE(usable(tracker.step(sample, state)));
    kinematics.update(state);
    result.samples.push_back(sample);
    result.states.push_back(state);
    auto& R = result.R.emplace_back();
    auto& p = result.p.emplace_back();
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const int link = result.model.link_index(kHumanSegmentNames[at(i)]);
      R[at(i)] = kinematics.R_WL(link);
      p[at(i)] = kinematics.p_WL(link);
    }
  }
  EXPECT_EQ(file.problem(), "");
  return result;
}

inline double between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b)) / kDegree;
}

inline double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

}  // namespace panto::test
