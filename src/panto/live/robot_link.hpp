#pragma once
// The datagrams between Panto and a robot, byte by byte (docs/formats/robot_link.md). Pure: no socket, no
// clock, no memory of its own. Little endian.
//
//   header 32 bytes | hello: rate, robot, names of its joints   | Panto -> robot, first and every second
//                   | reference: base, joints, velocities       | Panto -> robot
//                   | measured: the same                        | robot -> Panto
//                   | bye                                       | Panto -> robot

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

inline constexpr std::size_t kLinkMaxBytes = 1472;  ///< what an Ethernet frame carries over IPv4 and UDP
inline constexpr std::size_t kLinkHeaderBytes = 32;
inline constexpr int kLinkVersion = 1;
inline constexpr int kLinkMaxJoints = 83;  ///< of a reference in one datagram
inline constexpr std::size_t kLinkMaxName = 255;

enum class PacketType : std::uint8_t { Hello = 1, Reference = 2, Measured = 3, Bye = 4 };

struct PacketHeader {
  PacketType type = PacketType::Hello;
  std::uint64_t session = 0;  ///< drawn at random by Panto; the robot answers with the same
  std::uint32_t seq = 0;      ///< counts all packets of one direction, wraps around
  Time t = 0;                 ///< stamp of the State; of the newest one for hello and bye [ns]
};

/// Why a datagram was not understood. The order is that of the checks.
enum class PacketFault : std::uint8_t {
  None,
  Length,     ///< shorter than its header, longer than allowed, or not as long as it says
  Magic,      ///< not ours
  Version,    ///< ours, of another version
  Checksum,   ///< damaged
  Type,       ///< unknown type
  Content,    ///< counts, names or flags that do not fit
  NotFinite,  ///< NaN, infinity, or a quaternion that is not of unit length
};
inline constexpr int kPacketFaultCount = 8;

[[nodiscard]] const char* to_string(PacketFault fault) noexcept;

/// What a robot must know before the first reference.
struct LinkHello {
  std::string robot;                ///< the model's name
  std::vector<std::string> joints;  ///< in the order of `s`
  double rate_hz = 0.0;             ///< references per second
};

/// One datagram of a hello: names `first` ... of `total`. Views into the datagram.
struct HelloPart {
  std::string_view robot;
  double rate_hz = 0.0;
  int total = 0;
  int first = 0;
  int count = 0;
  std::array<std::string_view, at(kLinkMaxJoints)> names;
};

/// A reference or measured state, joints in the order of the session's names.
struct LinkMotion {
  bool valid = false;  ///< the sender vouches for it
  int joints = 0;
  Eigen::Vector3d p_WB, v_WB, w_WB;                    ///< as in State
  Eigen::Matrix3d R_WB;                                ///< orthonormal
  std::array<double, at(kLinkMaxJoints)> s{}, sdot{};  ///< the first `joints` of them
};

using Datagram = std::array<std::byte, kLinkMaxBytes>;
/// What a datagram is received into: one that is longer than allowed shows.
using ReceivedDatagram = std::array<std::byte, kLinkMaxBytes + 1>;

/// @throws ConfigError naming what the link cannot carry: no or more than 83 joints, a name that is empty or
/// longer than 255 bytes, a rate that is not finite or not > 0.
void check_hello(const LinkHello& hello);

/// Header of a datagram that is whole; `None`, or why not.
[[nodiscard]] PacketFault read_header(std::span<const std::byte> datagram, PacketHeader& header) noexcept;

/// Body of a hello. The header must have been read.
[[nodiscard]] PacketFault read_hello(std::span<const std::byte> datagram, HelloPart& part) noexcept;

/// Body of a reference or measured state. Quaternions within 1e-3 of unit length are normalised.
[[nodiscard]] PacketFault read_motion(std::span<const std::byte> datagram, LinkMotion& motion) noexcept;

/// Writes the datagram of names from `first` on, as many as fit, and moves `first` behind them. @returns its
/// bytes. `hello` must have passed `check_hello`.
[[nodiscard]] std::size_t write_hello(const PacketHeader& header, const LinkHello& hello, int& first,
                                      Datagram& datagram) noexcept;

/// A reference or measured state, by `header.type`. At most kLinkMaxJoints joints. @returns its bytes.
[[nodiscard]] std::size_t write_motion(const PacketHeader& header, const State& state, bool valid,
                                       Datagram& datagram) noexcept;

[[nodiscard]] std::size_t write_bye(const PacketHeader& header, Datagram& datagram) noexcept;

}  // namespace panto::live
