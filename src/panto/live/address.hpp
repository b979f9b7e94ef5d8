#pragma once
// Addresses of live streams: "udp://127.0.0.1:7000".

#include <cstdint>
#include <string>

#include "panto/live/robot.hpp"

namespace panto::live {

/// True for what begins like an address, "word://": not a path.
[[nodiscard]] bool is_address(const std::string& text) noexcept;

/// udp://HOST:PORT, an IPv6 address in brackets: udp://[::1]:7000. Does not ask whether the host exists.
/// @throws ConfigError that says what is wrong with it: scheme, host or port.
[[nodiscard]] UdpAddress parse_udp_address(const std::string& text);

}  // namespace panto::live
