#pragma once
// Addresses of live streams: "udp://127.0.0.1:7000", "mvn://".

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/live/robot.hpp"

namespace panto::live {

/// Returns whether `text` begins like an address, "word://", and so is not a path.
[[nodiscard]] bool is_address(const std::string& text) noexcept;

/// Parses udp://HOST:PORT; an IPv6 address needs brackets: udp://[::1]:7000. Does not look the host up.
/// @throws ConfigError naming what is wrong: scheme, host or port.
[[nodiscard]] UdpAddress parse_udp_address(const std::string& text);

/// Where a robot listens, and what both ends know.
struct LinkAddress {
  UdpAddress at;
  std::string key_file;  ///< empty: no key
};

/// Parses udp://HOST:PORT or udp://HOST:PORT?key=FILE. Does not look the host up or open the file.
/// @throws ConfigError naming what is wrong: scheme, host, port or what follows them.
[[nodiscard]] LinkAddress parse_link_address(const std::string& text);

inline constexpr const char* kThisComputer = "127.0.0.1";
inline constexpr const char* kAllNetworks = "0.0.0.0";

/// A kind of stream, and where its receivers usually listen.
struct StreamScheme {
  std::string name;
  std::uint16_t port = 0;
  std::string host = kThisComputer;
  int characters = 1;  ///< most at one port
};

struct StreamAddress {
  std::string scheme;
  UdpAddress at;
  std::optional<int> character;  ///< the one to follow, by the sender's number
};

/// Parses SCHEME://HOST:PORT with a scheme of `known`, and ?character=N behind it where
/// several may be sent. Without a host or port: the scheme's. Does not look the host up.
/// @throws ConfigError naming what is wrong and the schemes.
[[nodiscard]] StreamAddress parse_stream_address(const std::string& text,
                                                 const std::vector<StreamScheme>& known);

/// Returns the schemes of protocols that can be sent; `sensors`: with those of raw sensors.
[[nodiscard]] std::vector<StreamScheme> stream_schemes(bool sensors);
/// Returns the schemes of all protocols. A page is served to all networks, the others to this computer.
[[nodiscard]] std::vector<StreamScheme> listening_schemes();
/// Returns the character that a recorded run followed, if the address where it listened named one.
[[nodiscard]] std::optional<int> recorded_character(const std::string& address);

}  // namespace panto::live
