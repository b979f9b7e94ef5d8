#pragma once
// A motion read into memory, and how far apart two poses of a model are: for tests that track.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/targets/attachments.hpp"

namespace panto::test {

/// All samples of a source, with the truth behind them where there is one.
struct RecordedMotion {
  std::vector<SegmentSample> samples;
  std::vector<State> truth;
};

/// A synthetic motion as a suit of 23 sensors would see it.
inline RecordedMotion synthetic_motion(const std::string& name, const Model& model, double duration,
                                       double rate_hz, const std::optional<NoiseOptions>& noise = {}) {
  SyntheticSource source(make_synthesis(name, model), {duration, rate_hz, noise, {}});
  RecordedMotion motion;
  for (SegmentSample sample; source.read(sample) == ReadStatus::Sample;) {
    motion.samples.push_back(sample);
    motion.truth.push_back(source.truth());
  }
  return motion;
}

/// Largest angle [rad] between the links that follow `rows` in two poses, and the link where it is.
struct Apart {
  double angle = 0.0;
  int link = -1;
};

class LinkComparison {
 public:
  LinkComparison(const Model& model, const std::vector<Target>& rows) : a_(model), b_(model), rows_(rows) {}

  Apart operator()(const State& a, const State& b) {
    a_.update(a);
    b_.update(b);
    Apart apart;
    for (const Target& row : rows_) {
      const double angle = so3::distance(a_.R_WL(row.link), b_.R_WL(row.link));
      if (angle > apart.angle) apart = {angle, row.link};
    }
    return apart;
  }

 private:
  Kinematics a_, b_;
  std::vector<Target> rows_;
};

}  // namespace panto::test
