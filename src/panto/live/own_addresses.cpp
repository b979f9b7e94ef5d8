#include "panto/live/own_addresses.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace panto::live {
namespace {

bool is_virtual(std::string_view card) {
  for (const std::string_view begin : {"docker", "br-", "veth", "virbr", "vmnet", "tun", "tap"})
    if (card.starts_with(begin)) return true;
  return false;
}

}  // namespace

std::vector<std::string> own_addresses() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  std::vector<std::string> real, unreal;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) == nullptr) continue;
    (is_virtual(one->ifa_name) ? unreal : real).emplace_back(text.data());
  }
  freeifaddrs(all);
  real.insert(real.end(), unreal.begin(), unreal.end());
  return real;
}

}  // namespace panto::live
