#include "panto/live/address.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "panto/base/error.hpp"
#include "panto/stream/protocols.hpp"

namespace panto::live {
namespace {

constexpr const char* kUdp = "udp";
constexpr std::string_view kScheme = "udp://";
constexpr std::size_t kLongestHost = 253;  // longest name in DNS

[[noreturn]] void refuse(const std::string& text, const std::string& why, const std::string& scheme) {
  throw ConfigError("address '" + text.substr(0, 120) + "': " + why + "; expected " + scheme +
                    "://HOST:PORT, for example " + scheme + "://127.0.0.1:7000");
}

std::string in_quotes(std::string_view part) { return "'" + std::string(part.substr(0, 80)) + "'"; }

std::uint16_t parse_port(const std::string& text, std::string_view digits, const std::string& scheme) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty()) refuse(text, "the port is missing", scheme);
  if (error != std::errc{} || end != digits.data() + digits.size() || port < 1 || port > 65535) {
    refuse(text, "the port " + in_quotes(digits) + " is not a number from 1 to 65535", scheme);
  }
  return static_cast<std::uint16_t>(port);
}

bool host_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
         c == '_';
}

// `usual`: host and port may be missing; null: both must be there
UdpAddress parse_host_and_port(const std::string& text, std::string_view rest, const StreamScheme* usual) {
  const std::string scheme = usual != nullptr ? usual->name : kUdp;
  const bool bracketed = !rest.empty() && rest.front() == '[';
  const std::size_t close = rest.find(']');
  if (bracketed && close == std::string_view::npos)
    refuse(text, "the bracket around the host is not closed", scheme);
  const std::size_t end = bracketed ? close + 1 : std::min(rest.find(':'), rest.size());
  std::string_view host = bracketed ? rest.substr(1, close - 1) : rest.substr(0, end);
  const std::string_view tail = rest.substr(end);
  if (!bracketed && tail.find(':', 1) != std::string_view::npos)
    refuse(text, "an IPv6 address needs brackets, [::1]", scheme);
  if (host.empty() && usual != nullptr) host = usual->host;
  if (host.empty()) refuse(text, "the host is missing", scheme);
  const bool letters = std::all_of(host.begin(), host.end(), [bracketed](char c) {
    return host_letter(c) || (bracketed && (c == ':' || c == '%'));
  });
  if (!letters || host.size() > kLongestHost) refuse(text, in_quotes(host) + " is not a valid host", scheme);
  if (tail.empty() && usual != nullptr) return {std::string(host), usual->port};
  if (tail.empty()) refuse(text, "the port is missing", scheme);
  if (tail.front() != ':') refuse(text, in_quotes(tail) + " follows the host instead of :PORT", scheme);
  return {std::string(host), parse_port(text, tail.substr(1), scheme)};
}

// The number behind ?character=; `query`: from the mark on, or empty.
std::optional<int> parse_character(const std::string& text, std::string_view query,
                                   const StreamScheme& scheme) {
  if (query.empty()) return std::nullopt;
  constexpr std::string_view kCharacter = "?character=";
  if (scheme.characters < 2) refuse(text, in_quotes(query) + " follows the port", scheme.name);
  if (!query.starts_with(kCharacter))
    refuse(text, in_quotes(query) + " follows the port instead of ?character=N", scheme.name);
  const std::string_view digits = query.substr(kCharacter.size());
  int character = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), character);
  if (error != std::errc{} || end != digits.data() + digits.size() || character < 0 ||
      character >= scheme.characters)
    refuse(text,
           "the character " + in_quotes(digits) + " is not a number from 0 to " +
               std::to_string(scheme.characters - 1),
           scheme.name);
  return character;
}

}  // namespace

bool is_address(const std::string& text) noexcept {
  const std::size_t colon = text.find("://");
  return colon != std::string::npos && colon > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return host_letter(c) || c == '+'; });
}

UdpAddress parse_udp_address(const std::string& text) {
  if (!is_address(text)) refuse(text, "the scheme is missing", kUdp);
  if (text.rfind(kScheme, 0) != 0) {
    refuse(text, in_quotes(text.substr(0, text.find("://"))) + " is not a known scheme", kUdp);
  }
  return parse_host_and_port(text, std::string_view(text).substr(kScheme.size()), nullptr);
}

LinkAddress parse_link_address(const std::string& text) {
  const std::size_t mark = std::min(text.find('?'), text.size());
  LinkAddress address{parse_udp_address(text.substr(0, mark)), {}};
  if (mark == text.size()) return address;
  constexpr std::string_view kKey = "?key=";
  const std::string_view more = std::string_view(text).substr(mark);
  if (!more.starts_with(kKey) || more.size() == kKey.size())
    refuse(text, in_quotes(more) + " follows the port instead of ?key=FILE", kUdp);
  address.key_file = more.substr(kKey.size());
  return address;
}

StreamAddress parse_stream_address(const std::string& text, const std::vector<StreamScheme>& known) {
  std::vector<std::string> names;
  for (const StreamScheme& scheme : known) {
    names.push_back(scheme.name + "://");
    const std::string begin = names.back();
    if (text.rfind(begin, 0) != 0) continue;
    const std::string_view rest = std::string_view(text).substr(begin.size());
    const std::size_t mark = std::min(rest.find('?'), rest.size());
    return {scheme.name, parse_host_and_port(text, rest.substr(0, mark), &scheme),
            parse_character(text, rest.substr(mark), scheme)};
  }
  const std::string scheme = is_address(text) ? text.substr(0, text.find("://") + 3) : text.substr(0, 120);
  throw ConfigError(unknown_name("scheme", scheme, "an address", names));
}

std::vector<StreamScheme> stream_schemes(bool sensors) {
  std::vector<StreamScheme> schemes;
  for (const stream::Protocol& protocol : stream::protocols())
    if (!protocol.served && (sensors || !protocol.sensors))
      schemes.push_back({.name = protocol.scheme, .port = protocol.port, .characters = protocol.characters});
  return schemes;
}

std::vector<StreamScheme> listening_schemes() {
  std::vector<StreamScheme> schemes;
  for (const stream::Protocol& protocol : stream::protocols()) {
    schemes.push_back({.name = protocol.scheme, .port = protocol.port, .characters = protocol.characters});
    if (protocol.served) schemes.back().host = kAllNetworks;
  }
  return schemes;
}

std::optional<int> recorded_character(const std::string& address) {
  if (address.find('?') == std::string::npos) return std::nullopt;
  return parse_stream_address(address, listening_schemes()).character;
}

}  // namespace panto::live
