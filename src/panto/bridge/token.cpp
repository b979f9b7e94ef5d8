#include "panto/bridge/token.hpp"

#include <random>

namespace panto::bridge {

std::string new_token() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string token;
  while (token.size() < 32) token.push_back(kDigits[random() % kDigits.size()]);
  return token;
}

bool same_secret(std::string_view one, std::string_view other) noexcept {
  unsigned difference = one.size() == other.size() ? 0u : 1u;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference |=
        static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(i < other.size() ? other[i] : '\0');
  return difference == 0u;
}

}  // namespace panto::bridge
