#pragma once
// Reads the datagrams of MVN's network stream, "MXTP" (docs/formats/mvn_stream.md). Pure, big endian.
//
//   header 24 bytes | items: segments, joints or trackers, as many as the header says
//
// All values are as MVN means them, in SI: metres, radians, seconds; in MVN's world axes, z up unless MVN is
// switched to y up.

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "panto/stream/byte_io.hpp"

namespace panto::stream {

inline constexpr std::size_t kMxtpHeaderBytes = 24;
using MxtpReader = ByteReader<std::endian::big>;
using MxtpWriter = ByteWriter<std::endian::big>;

/// The two digits after "MXTP", read as hexadecimal ones. There are others, which are not used.
enum class MxtpType : std::uint8_t {
  EulerPose = 0x01,
  Pose = 0x02,
  Markers = 0x03,
  UnityPose = 0x05,
  About = 0x12,
  Scale = 0x13,
  JointAngles = 0x20,
  Linear = 0x21,
  Angular = 0x22,
  Trackers = 0x23,
  CentreOfMass = 0x24,
  TimeCode = 0x25,
};

struct MxtpHeader {
  MxtpType type = MxtpType::Pose;
  std::uint32_t counter = 0;    ///< of samples of the suit; senders skip values when they send fewer
  int fragment = 0;             ///< index of this part of the sample, 0 .. 127
  bool last = true;             ///< no part follows
  int items = 0;                ///< in this datagram
  std::uint32_t time_code = 0;  ///< since the start of the recording or stream [ms]
  int character = 0;
  int segments = 0, props = 0, finger_segments = 0;  ///< of the character; 0 from old versions
};

/// Returns the bytes of one item of a type whose items all have one size; 0 for the others.
[[nodiscard]] std::size_t mxtp_item_bytes(MxtpType type) noexcept;

/// Reads the header of a datagram. Returns nothing if it is not of this protocol or damaged: shorter than a
/// header, no "MXTP" and two digits, a payload size that is neither 0 (old versions) nor that of the
/// datagram, no item or more than it has bytes for.
[[nodiscard]] std::optional<MxtpHeader> read_header(std::span<const std::byte> datagram) noexcept;

/// Returns true for the JSON texts that MVN sends to the same port.
[[nodiscard]] bool is_mvn_text(std::span<const std::byte> datagram) noexcept;

/// Type 02: pose of a segment.
struct MxtpPose {
  int segment = 0;  ///< MVN's id, 1 .. 23 for the body
  Eigen::Vector3d p_WS;
  Eigen::Vector4d q_WS;  ///< w x y z, as sent: of any length
};

/// Type 21: linear motion of a segment's origin.
struct MxtpLinear {
  int segment = 0;
  Eigen::Vector3d p_WS, v_WS, a_WS;
};

/// Type 22: angular motion of a segment. MVN sends degrees; these are rad/s and rad/s^2, world axes.
struct MxtpAngular {
  int segment = 0;
  Eigen::Vector4d q_WS;  ///< w x y z, as sent
  Eigen::Vector3d w_WS, alpha_WS;
};

// Readers of item i of a datagram. 0 <= i < items of its header, which `read_header` accepted and which is of
// the reader's type.
[[nodiscard]] MxtpPose read_pose(std::span<const std::byte> datagram, int i) noexcept;
[[nodiscard]] MxtpLinear read_linear(std::span<const std::byte> datagram, int i) noexcept;
[[nodiscard]] MxtpAngular read_angular(std::span<const std::byte> datagram, int i) noexcept;

/// Type 13: origin of a segment in the T-pose, all orientations identity.
struct MxtpScaleSegment {
  std::string_view name;
  Eigen::Vector3d p_W;
};

/// Type 13: a point on a segment.
struct MxtpScalePoint {
  int segment = 0;  ///< id
  int point = 0;    ///< number on the segment
  std::string_view name;
  std::uint32_t flags = 0;
  Eigen::Vector3d p_S;  ///< in the segment's T-pose frame
};

/// Reads a datagram of type 13 and hands over its segments, then its points; names are views into it. Returns
/// false when the datagram ends too early or goes on too long; what was handed over before is not to be used.
template <std::invocable<const MxtpScaleSegment&> OnSegment, std::invocable<const MxtpScalePoint&> OnPoint>
[[nodiscard]] bool read_scale(std::span<const std::byte> datagram, OnSegment&& on_segment,
                              OnPoint&& on_point) {
  MxtpReader reader(datagram.subspan(kMxtpHeaderBytes));
  for (auto count = reader.word<std::uint32_t>(); count > 0 && reader.ok(); --count) {
    MxtpScaleSegment segment;
    segment.name = reader.letters(reader.word<std::uint32_t>());
    segment.p_W = reader.reals32<3>();
    if (reader.ok()) on_segment(std::as_const(segment));
  }
  for (auto count = reader.word<std::uint32_t>(); count > 0 && reader.ok(); --count) {
    MxtpScalePoint point;
    point.segment = reader.word<std::uint16_t>();
    point.point = reader.word<std::uint16_t>();
    point.name = reader.letters(reader.word<std::uint32_t>());
    point.flags = reader.word<std::uint32_t>();
    point.p_S = reader.reals32<3>();
    if (reader.ok()) on_point(std::as_const(point));
  }
  return reader.ok() && reader.left() == 0;
}

}  // namespace panto::stream
