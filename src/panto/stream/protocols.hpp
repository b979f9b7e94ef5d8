#pragma once
// The protocols of live streams by the scheme of their address, "mvn".

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/sample/imu_sample.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::stream {

struct Protocol {
  std::string scheme;
  std::uint16_t port = 0;   ///< at which receivers usually listen
  bool sensors = false;     ///< raw inertial sensors, not a person's segments
  bool served = false;      ///< senders open a page of ours; nothing can be sent by it
  int characters = 1;       ///< that senders tell apart: numbers from 0 to this - 1
  std::string description;  ///< for people
};

/// Returns all protocols.
[[nodiscard]] const std::vector<Protocol>& protocols();

/// Returns whether a protocol sends raw inertial sensors.
[[nodiscard]] bool sends_sensors(const std::string& scheme);

/// Return the decoder of a protocol of that kind: of `character` alone where that is given and the protocol
/// has several, else of the first that comes.
[[nodiscard]] std::unique_ptr<SampleStream<SegmentSample>> person_stream(const std::string& scheme,
                                                                         std::optional<int> character = {});
[[nodiscard]] std::unique_ptr<SampleStream<ImuSample>> sensor_stream(const std::string& scheme);

/// What an encoder must know of the samples.
struct Sent {
  std::vector<std::string> names;  ///< of the items
  double rate_hz = 60.0;
  SubjectDimensions person = scaled_subject(1.75);
  int character = 0;          ///< where the protocol has several
  std::uint64_t session = 1;  ///< random, where the protocol has sessions
};

/// Return the encoder of a protocol of that kind. @throws ConfigError for names that it cannot send.
[[nodiscard]] std::unique_ptr<SampleEncoder<SegmentSample>> person_encoder(const std::string& scheme,
                                                                           const Sent& sent);
[[nodiscard]] std::unique_ptr<SampleEncoder<ImuSample>> sensor_encoder(const std::string& scheme,
                                                                       const Sent& sent);

}  // namespace panto::stream
