#include "panto/bridge/token.hpp"

#include <random>
#include <span>

#include "panto/live/sha256.hpp"

namespace panto::bridge {

std::string new_token() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string token;
  while (token.size() < 32) token.push_back(kDigits[random() % kDigits.size()]);
  return token;
}

bool same_secret(std::string_view one, std::string_view other) noexcept {
  return live::same_bytes(std::as_bytes(std::span(one)), std::as_bytes(std::span(other)));
}

}  // namespace panto::bridge
