#pragma once
// The segments of a human model as a sample, by forward kinematics.

#include <array>

#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Reads the 23 segments of a human from States of its model.
class HumanPose {
 public:
  /// The model must outlive it. @throws ConfigError for a model without the link of a segment.
  explicit HumanPose(const Model& model);

  /// Writes poses and velocities of all segments, in the order of `human_segment_names()`, and the state's
  /// stamp. Does not allocate into a sample of 23 segments.
  void read(const State& state, SegmentSample& sample);

 private:
  Kinematics kinematics_;
  std::array<int, kHumanSegmentCount> links_{};
};

}  // namespace panto
