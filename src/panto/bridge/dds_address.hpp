#pragma once
// Addresses of DDS, SCHEME://HOST:DOMAIN, as Cyclone DDS takes them.

#include <cstdint>
#include <string>

#include "panto/live/robot.hpp"

namespace panto::bridge {

/// Returns the domain of an address; without one that of the environment's `variable`, if it has a name and
/// is set, else 0. @throws ConfigError when it is not a number from 0 to 232.
[[nodiscard]] std::uint32_t dds_domain(const live::UdpAddress& at, const std::string& scheme,
                                       const char* variable = nullptr);

/// Returns Cyclone's configuration for a host: 127.0.0.1 or localhost, programs of this computer; 0.0.0.0,
/// the network; the IPv4 address of one of this computer's networks. What CYCLONEDDS_URI says is added to it.
/// @throws ConfigError for another host.
[[nodiscard]] std::string dds_configuration(const live::UdpAddress& at, const std::string& scheme);

#ifdef PANTO_DDS
/// Returns what DDS opened, `what` for `whom`. @throws Error if it is a failure.
[[nodiscard]] std::int32_t dds_made(std::int32_t entity, const std::string& what, const char* whom);
#endif

/// Returns whether a host is this computer: loopback, 0.0.0.0, or the IPv4 address of one of its networks.
[[nodiscard]] bool is_own_address(const std::string& host);

}  // namespace panto::bridge
