#include "panto/stream/protocols.hpp"

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/stream/bvh_broadcast.hpp"
#include "panto/stream/imu_datagram.hpp"
#include "panto/stream/mxtp_body.hpp"
#include "panto/stream/mxtp_encoder.hpp"
#include "panto/stream/slimevr.hpp"
#include "panto/stream/vmc.hpp"
#include "panto/stream/webxr.hpp"

namespace panto::stream {
namespace {

constexpr int kMxtpCharacters = 256;        // one byte
constexpr int kBroadcastCharacters = 1000;  // four bytes; programs send a few

[[noreturn]] void refuse(const std::string& scheme) {
  throw ConfigError("no protocol '" + scheme + "' of that kind");
}

}  // namespace

const std::vector<Protocol>& protocols() {
  static const std::vector<Protocol> all = {
      {"mvn", 9763, false, false, kMxtpCharacters, "Xsens MVN's network streamer"},
      {"vmc", 39539, false, false, 1, "the VMC protocol: SlimeVR, VirtualMotionCapture, VSeeFace, Warudo"},
      {"bvh+udp", 7001, false, false, kBroadcastCharacters,
       "the BVH broadcast of Noitom's Axis Neuron and Axis Studio"},
      {"imu", 9764, true, false, 1, "raw inertial sensors, Panto's own datagrams"},
      {"slimevr", 6969, true, false, 1, "trackers of SlimeVR, without its server"},
      {"webxr", 8012, false, true, 1, "a headset's browser, by a page that Panto serves"},
  };
  return all;
}

bool sends_sensors(const std::string& scheme) {
  const std::vector<Protocol>& all = protocols();
  return std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.scheme == scheme && p.sensors; });
}

std::unique_ptr<SampleStream<SegmentSample>> person_stream(const std::string& scheme,
                                                           std::optional<int> character) {
  if (scheme == "mvn") return std::make_unique<MxtpBody>(character);
  if (scheme == "vmc") return std::make_unique<VmcBody>();
  if (scheme == "bvh+udp") return std::make_unique<BvhBroadcast>(character);
  if (scheme == "webxr") return std::make_unique<WebxrBody>();
  refuse(scheme);
}

std::unique_ptr<SampleStream<ImuSample>> sensor_stream(const std::string& scheme) {
  if (scheme == "imu") return std::make_unique<ImuStream>();
  if (scheme == "slimevr") return std::make_unique<SlimeTrackers>();
  refuse(scheme);
}

std::unique_ptr<SampleEncoder<SegmentSample>> person_encoder(const std::string& scheme, const Sent& sent) {
  if (scheme == "mvn")
    return std::make_unique<MxtpEncoder>(sent.names, MxtpEncoderOptions{.rate_hz = sent.rate_hz,
                                                                        .linear = true,
                                                                        .angular = true,
                                                                        .character = sent.character,
                                                                        .person = sent.person});
  if (scheme == "vmc") return std::make_unique<VmcEncoder>(sent.names, sent.person);
  if (scheme == "bvh+udp")
    return std::make_unique<BvhBroadcastEncoder>(sent.names, sent.person, BroadcastForm::Binary,
                                                 static_cast<std::uint32_t>(sent.character));
  refuse(scheme);
}

std::unique_ptr<SampleEncoder<ImuSample>> sensor_encoder(const std::string& scheme, const Sent& sent) {
  if (scheme == "imu") return std::make_unique<ImuEncoder>(sent.names, sent.session);
  if (scheme == "slimevr") return std::make_unique<SlimeEncoder>(static_cast<int>(sent.names.size()));
  refuse(scheme);
}

}  // namespace panto::stream
