#pragma once
// Addresses of live streams: "udp://127.0.0.1:7000".

#include <cstdint>
#include <string>

#include "panto/live/robot.hpp"

namespace panto::live {

/// Returns whether `text` begins like an address, "word://", and so is not a path.
[[nodiscard]] bool is_address(const std::string& text) noexcept;

/// Parses udp://HOST:PORT; an IPv6 address needs brackets: udp://[::1]:7000. Does not look the host up.
/// @throws ConfigError naming what is wrong: scheme, host or port.
[[nodiscard]] UdpAddress parse_udp_address(const std::string& text);

}  // namespace panto::live
