#pragma once
// Reads and writes the datagrams between Panto and a robot (docs/formats/robot_link.md). Pure: no socket, no
// clock, no memory of its own. Little endian.
//
//   header 32 bytes | hello: rate, proof, names of its joints   | Panto -> robot, first and every second
//                   | welcome: the proof that a hello must carry | robot -> Panto, to the hello of a new
//                   session | reference: base, joints, velocities       | Panto -> robot | measured: the same
//                   | robot -> Panto | bye                                       | Panto -> robot

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/model/state.hpp"

namespace panto::live {

inline constexpr std::size_t kLinkMaxBytes = 1472;  ///< payload of one Ethernet frame over IPv4 and UDP
inline constexpr std::size_t kLinkSealBytes = 16;   ///< of them, at the end, where the ends share a key
inline constexpr std::size_t kLinkMaxContent = kLinkMaxBytes - kLinkSealBytes;
inline constexpr std::size_t kLinkHeaderBytes = 32;
inline constexpr std::size_t kLinkTypeAt = 5, kLinkChecksumAt = 28;  ///< in the header
inline constexpr int kLinkVersion = 2;
inline constexpr int kLinkMaxJoints = 82;  ///< of a reference in one datagram
inline constexpr std::size_t kLinkMaxName = 255;

enum class PacketType : std::uint8_t { Hello = 1, Reference = 2, Measured = 3, Bye = 4, Welcome = 5 };

/// What a robot gives in its welcome and requires in the hello of a new session. It shows that the sender
/// receives at the address that it sends from.
using LinkProof = std::array<std::byte, 16>;

struct PacketHeader {
  PacketType type = PacketType::Hello;
  std::uint64_t session = 0;  ///< random, chosen by Panto; the robot answers with the same
  std::uint32_t seq = 0;      ///< counts all packets of one direction, wraps around
  Time t = 0;                 ///< stamp of the State [ns]; in hello and bye that of the newest State
};

/// Why a datagram was refused, in the order of the checks.
enum class PacketFault : std::uint8_t {
  None,
  Length,     ///< shorter than its header, longer than allowed, or not of its stated length
  Magic,      ///< not of this protocol
  Version,    ///< another version of this protocol
  Checksum,   ///< damaged
  Type,       ///< unknown type
  Content,    ///< inconsistent counts, names or flags
  NotFinite,  ///< NaN, infinity, beyond 1e6, or a quaternion that is not of unit length
};
inline constexpr int kPacketFaultCount = 8;

[[nodiscard]] const char* to_string(PacketFault fault) noexcept;

/// What a robot must know before the first reference.
struct LinkHello {
  std::string robot;                ///< the model's name
  std::vector<std::string> joints;  ///< in the order of `s`
  double rate_hz = 0.0;             ///< references per second
  LinkProof proof{};                ///< of the robot's welcome; zeros before it
};

/// One datagram of a hello: `count` names from `first` on, of `total`. Views into the datagram.
struct HelloPart {
  std::string_view robot;
  double rate_hz = 0.0;
  int total = 0;
  int first = 0;
  int count = 0;
  LinkProof proof{};
  std::array<std::string_view, at(kLinkMaxJoints)> names;
};

/// A reference or measured state, joints in the order of the session's names.
struct LinkMotion {
  bool valid = false;  ///< the sender marked it as valid
  int joints = 0;
  Eigen::Vector3d p_WB, v_WB, w_WB;                    ///< as in State
  Eigen::Matrix3d R_WB;                                ///< orthonormal
  std::array<double, at(kLinkMaxJoints)> s{}, sdot{};  ///< the first `joints` of them
};

using Datagram = std::array<std::byte, kLinkMaxBytes>;
/// Buffer for a received datagram, one byte larger so that a datagram that is too long shows.
using ReceivedDatagram = std::array<std::byte, kLinkMaxBytes + 1>;

/// Checks that the link can carry `hello`. @throws ConfigError naming what it cannot: no or more than 82
/// joints, a name that is empty or longer than 255 bytes, a rate that is not finite or not > 0.
void check_hello(const LinkHello& hello);

/// Reads the header of a complete datagram. Returns `None`, or why it is refused.
[[nodiscard]] PacketFault read_header(std::span<const std::byte> datagram, PacketHeader& header) noexcept;

/// Reads the body of a hello. Call `read_header` first.
[[nodiscard]] PacketFault read_hello(std::span<const std::byte> datagram, HelloPart& part) noexcept;

/// Reads the body of a reference or measured state. Normalises quaternions within 1e-3 of unit length.
[[nodiscard]] PacketFault read_motion(std::span<const std::byte> datagram, LinkMotion& motion) noexcept;

/// Writes a datagram with as many names from `first` on as fit, and advances `first` past them. Returns its
/// size [bytes]. `hello` must have passed `check_hello`.
[[nodiscard]] std::size_t write_hello(const PacketHeader& header, const LinkHello& hello, int& first,
                                      Datagram& datagram) noexcept;

/// Writes a reference or measured state, by `header.type`, of at most kLinkMaxJoints joints. Returns its size
/// [bytes].
[[nodiscard]] std::size_t write_motion(const PacketHeader& header, const State& state, bool valid,
                                       Datagram& datagram) noexcept;

/// Reads the body of a welcome. Call `read_header` first.
[[nodiscard]] PacketFault read_welcome(std::span<const std::byte> datagram, LinkProof& proof) noexcept;

/// Writes a welcome. Returns its size [bytes].
[[nodiscard]] std::size_t write_welcome(const PacketHeader& header, const LinkProof& proof,
                                        Datagram& datagram) noexcept;

/// Writes length and checksum of a whole datagram into its header.
void complete(std::span<std::byte> datagram) noexcept;

/// Writes a bye. Returns its size [bytes].
[[nodiscard]] std::size_t write_bye(const PacketHeader& header, Datagram& datagram) noexcept;

}  // namespace panto::live
