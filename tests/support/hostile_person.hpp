#pragma once
// A person whom no body can follow, for limits that must hold whatever comes.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/sample/segment_sample.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

// Segments that turn at random, jump, vanish, and are no numbers now and then.
class HostilePerson {
 public:
  explicit HostilePerson(std::uint64_t seed) : random_(seed) {
    sample_.segments.resize(human_segment_names().size());
    for (SegmentMotion& segment : sample_.segments) segment.R_WS.setIdentity();
  }
  const SegmentSample& next() {
    sample_.t += chance(random_, 0.01) ? 700'000'000 : 10'000'000;
    for (SegmentMotion& segment : sample_.segments) {
      segment.has_orientation = !chance(random_, 0.02);
      segment.has_position = !chance(random_, 0.02);
      segment.R_WS = so3::exp(random_vector(random_, 0.15)) * segment.R_WS;
      if (chance(random_, 0.002)) segment.R_WS = random_rotation(random_);
      segment.p_WS += random_vector(random_, 0.01);
      if (chance(random_, 0.002)) segment.p_WS = random_vector(random_, 2.0);
    }
    shown_ = sample_;
    if (chance(random_, 0.005))
      shown_.segments[at(pick(random_, static_cast<int>(shown_.segments.size())))].R_WS(0, 0) = std::nan("");
    return shown_;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Random random_;
  SegmentSample sample_, shown_;
};

}  // namespace panto::test
