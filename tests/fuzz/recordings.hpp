#pragma once
// What every reader of recordings promises of what it gives.

#include <cmath>
#include <limits>

#include "panto/io/imu_formats.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/state.hpp"
#include "panto/motion/motion.hpp"
#include "panto/recording/recording.hpp"
#include "panto/sample/keypoint_sample.hpp"
#include "tests/fuzz/target.hpp"

namespace panto::fuzz {

inline constexpr int kMostSamples = 2000;  ///< that are read of one recording

/// Checks a sample of segments.
inline void check_sample(const SegmentSample& sample, std::size_t names) {
  promise(sample.segments.size() == names, "a sample has an entry a name");
  for (const SegmentMotion& S : sample.segments) {
    // a joint at 1e300 is read as it stands and gives NaN, which the judgement names by frame
    promise(!S.has_orientation || !S.R_WS.allFinite() || so3::is_rotation(S.R_WS, 1e-6),
            "an orientation is a rotation");
    promise(!S.has_position || S.p_WS.allFinite(), "a place is finite");
    promise(!S.has_angular_velocity || S.w_WS.allFinite(), "a rate is finite");
    promise(!S.has_linear_velocity || S.v_WS.allFinite(), "a velocity is finite");
  }
}

/// Reads a recording to its end.
inline void check_recording(Recording& recording) {
  const RecordingInfo& info = recording.info();
  promise(std::isfinite(info.rate_hz) && info.rate_hz >= 0.0, "the rate is a number");
  SegmentSample sample;
  Time last = std::numeric_limits<Time>::min();
  for (int count = 0; count < kMostSamples; ++count) {
    const ReadStatus status = recording.read(sample);
    promise((status == ReadStatus::Malformed) == !recording.problem().empty(), "a problem has words");
    if (status != ReadStatus::Sample) return;
    promise(sample.t > last, "stamps increase");
    last = sample.t;
    check_sample(sample, recording.names().size());
    const GivenContacts contacts = recording.contacts();
    for (const auto& marks : {contacts.heel, contacts.ball}) {
      for (const signed char mark : marks) promise(mark >= -1 && mark <= 1, "a contact is known or not");
    }
  }
}

inline void check_clip(const KeypointClip& clip) {
  const std::size_t cells = clip.times.size() * clip.names.size();
  promise(clip.positions.size() == 3 * cells, "a place a point and frame");
  promise(clip.orientations.empty() || clip.orientations.size() == 4 * cells, "an orientation a point");
  promise(std::isfinite(clip.rate_hz) && clip.rate_hz >= 0.0, "the rate is a number");
  for (std::size_t k = 1; k < clip.times.size(); ++k)
    promise(clip.times[k] > clip.times[k - 1], "stamps increase");
  for (const double value : clip.positions) promise(!std::isinf(value), "no place is infinite");
  for (const double value : clip.orientations) promise(!std::isinf(value), "no orientation is infinite");
}

inline void check_clip(const ImuClip& clip) {
  promise(!clip.sensors.empty(), "a recording has sensors");
  promise(clip.readings.size() == clip.times.size() * clip.sensors.size(), "a reading a sensor and sample");
  promise(clip.readings.size() <= io::kMostImuReadings, "readings are bounded");
  promise(std::isfinite(clip.rate_hz) && clip.rate_hz >= 0.0, "the rate is a number");
  for (std::size_t k = 1; k < clip.times.size(); ++k)
    promise(clip.times[k] > clip.times[k - 1], "stamps increase");
  for (const ImuReading& reading : clip.readings) {
    promise(!reading.has_gyro || reading.gyro.allFinite(), "a rate is finite");
    promise(!reading.has_acc || reading.acc.allFinite(), "a force is finite");
    promise(!reading.has_mag || reading.mag.allFinite(), "a field is finite");
    promise(!reading.has_orientation || std::abs(reading.wxyz_GI.norm() - 1.0) < 0.011,
            "an orientation is a quaternion of unit length");
  }
}

inline void check_motion(const Motion& motion, const Model& model) {
  promise(std::isfinite(motion.rate_hz) && motion.rate_hz >= 0.0, "the rate is a number");
  Time last = std::numeric_limits<Time>::min();
  for (const State& state : motion.states) {
    promise(is_valid(state, model), "every State is one of the model");
    promise(state.t > last, "stamps increase");
    last = state.t;
  }
  for (const LinkContacts& foot : motion.contacts)
    promise(foot.heel.size() == motion.states.size() && foot.ball.size() == motion.states.size(),
            "contacts go by frame");
}

}  // namespace panto::fuzz
