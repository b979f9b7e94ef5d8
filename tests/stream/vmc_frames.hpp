#pragma once
// VMC messages and frames as senders make them, for the tests of the decoder.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "panto/stream/vmc.hpp"
#include "tests/stream/damage.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

using namespace panto::stream;
using Eigen::Vector3d;
using Eigen::Vector4d;

inline constexpr Time kMs = 1'000'000;

// a person whose segments lie as the dimensions say; L3 turns with L5, because no bone is L3
inline SegmentSample random_sample(Random& random, Time t, const SubjectDimensions& person) {
  SegmentSample sample;
  sample.t = t;
  sample.segments.resize(kHumanSegmentCount);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    SegmentMotion& own = sample.segments[at(i)];
    const int up = kHumanSegmentParent[at(i)];
    own.has_orientation = own.has_position = true;
    own.R_WS = random_rotation(random);
    if (i == HumanSegment::L3) own.R_WS = sample.segments[HumanSegment::L5].R_WS;
    own.p_WS = random_vector(random, 2.0);
    if (up >= 0)
      own.p_WS = sample.segments[at(up)].p_WS + sample.segments[at(up)].R_WS * person.origin[at(i)];
  }
  return sample;
}

inline Bytes real_message(std::string_view address, double value) {
  return osc_message(address, std::vector<OscArgument>{OscArgument::of(static_cast<float>(value))});
}
inline Bytes time_message(double seconds) { return real_message("/VMC/Ext/T", seconds); }
inline Bytes status_message(std::int32_t loaded) {
  return osc_message("/VMC/Ext/OK", std::vector<OscArgument>{OscArgument::of(loaded)});
}
inline Bytes bone_message(std::string_view bone, const Vector3d& p = {0.0, 0.1, 0.0},
                          const Vector4d& xyzw = {0.0, 0.0, 0.0, 1.0}) {
  std::vector<OscArgument> arguments{OscArgument::of(bone)};
  for (const double value : p) arguments.push_back(OscArgument::of(static_cast<float>(value)));
  for (const double value : xyzw) arguments.push_back(OscArgument::of(static_cast<float>(value)));
  return osc_message("/VMC/Ext/Bone/Pos", arguments);
}
inline Bytes root_message() {
  std::vector<OscArgument> arguments{OscArgument::of(std::string_view("root"))};
  for (const float value : {0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F})
    arguments.push_back(OscArgument::of(value));
  return osc_message("/VMC/Ext/Root/Pos", arguments);
}
inline Bytes bundle_of(const std::vector<Bytes>& messages) {
  Bytes bundle = osc_bundle();
  for (const Bytes& message : messages) osc_append(bundle, message);
  return bundle;
}
// SlimeVR's order
inline Bytes small_frame(double seconds, const std::vector<std::string>& bones = {"Hips", "Spine", "Head"}) {
  std::vector<Bytes> messages{time_message(seconds), status_message(1)};
  for (const std::string& bone : bones) messages.push_back(bone_message(bone));
  return bundle_of(messages);
}
// a decoder that knows the three bones and has given the sample of 0.01 s
inline void start(VmcBody& body) {
  ASSERT_EQ(body.take(small_frame(0.00), 0), Brought::Part) << "the names are not sure yet";
  ASSERT_EQ(body.take(small_frame(0.01), 10 * kMs), Brought::Sample);
  ASSERT_EQ(body.sample().t, 0);
}
inline std::size_t item(const VmcBody& body, std::string_view name) {
  return static_cast<std::size_t>(std::find(body.names().begin(), body.names().end(), name) -
                                  body.names().begin());
}
inline bool has_note(const VmcBody& body, std::string_view words) {
  const auto notes = body.notes();
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace panto::test
