#include "panto/bridge/dds_address.hpp"

#ifdef PANTO_DDS
#include <dds/dds.h>
#endif

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "panto/base/error.hpp"

namespace panto::bridge {
namespace {

constexpr std::uint32_t kLastDomain = 232;  // the ports of the next one are above 65535

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_ipv4(const std::string& host) {
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

// Returns all IPv4 addresses of this computer.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {"127.0.0.1"};
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text, sizeof text);
    addresses.emplace_back(text);
  }
  freeifaddrs(all);
  return addresses;
}

// Returns elements for them: what is sent there does not leave this computer.
std::string own_peers() {
  std::string peers;
  for (const std::string& address : own_addresses()) {
    peers += "<Peer address=\"";
    peers += address;
    peers += "\"/>";
  }
  return peers;
}

}  // namespace

std::uint32_t dds_domain(const live::UdpAddress& at, const std::string& scheme, const char* variable) {
  const std::string told = at.port != 0          ? std::to_string(at.port)
                           : variable != nullptr ? environment(variable)
                                                 : std::string();
  std::uint32_t domain = 0;
  if (told.empty()) return domain;
  const auto [end, error] = std::from_chars(told.data(), told.data() + told.size(), domain);
  if (error == std::errc{} && end == told.data() + told.size() && domain <= kLastDomain) return domain;
  std::string place = scheme;  // g++ 12 warns of overlapping copies in longer sums
  place += "://HOST:DOMAIN";
  if (at.port == 0) place = variable;
  place += ": the domain '";
  place += told;
  place += "' is not a number from 0 to 232";
  throw ConfigError(place);
}

std::string dds_configuration(const live::UdpAddress& at, const std::string& scheme) {
  const bool here = at.host == "localhost" || at.host.rfind("127.", 0) == 0, anywhere = at.host == "0.0.0.0";
  if (!here && !is_ipv4(at.host)) {
    std::string place = scheme;
    place += "://";
    place += at.host;
    throw ConfigError(place +
                      ": the host must be 127.0.0.1 (this computer alone), 0.0.0.0 (its network) or the IPv4 "
                      "address of one of its networks");
  }
  // Participants have the ports of an index: programs of this computer are found without multicast, as
  // rmw_cyclonedds does it since Iron. Peers are named by all addresses: nodes on another interface ignore
  // the loopback's, and Cyclone 0.10 sends nothing there from another interface. Nodes that come later
  // announce themselves by multicast alone, which does not reach this side: so it announces itself every
  // second.
  std::string text = "<CycloneDDS><Domain>";
  // Unitree's programs choose the loopback by name, and newer Cyclones call by multicast there.
  if (here && scheme != "ros2")
    text += "<General><Interfaces><NetworkInterface name=\"lo\" multicast=\"true\"/></Interfaces></General>";
  else if (here)
    text += "<General><AllowMulticast>false</AllowMulticast></General>";
  else if (!anywhere)
    text += "<General><Interfaces><NetworkInterface address=\"" + at.host + "\"/></Interfaces></General>";
  text +=
      "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
      "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>";
  if (here) text += "<Peers>" + own_peers() + "</Peers><SPDPInterval>1s</SPDPInterval>";
  text += "</Discovery></Domain></CycloneDDS>,";
  return text + environment("CYCLONEDDS_URI");
}

#ifdef PANTO_DDS
std::int32_t dds_made(std::int32_t entity, const std::string& what, const char* whom) {
  if (entity < 0) throw Error("cannot open " + what + " for " + whom + ": " + dds_strretcode(entity));
  return entity;
}
#endif

bool is_own_address(const std::string& host) {
  if (host == "localhost" || host == "0.0.0.0" || host.rfind("127.", 0) == 0) return true;
  const std::vector<std::string> own = own_addresses();
  return std::find(own.begin(), own.end(), host) != own.end();
}

}  // namespace panto::bridge
