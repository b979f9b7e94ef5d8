#pragma once
// Numbers as bytes of a text.

#include <array>
#include <concepts>
#include <string>

namespace panto {

/// Appends a number, least significant byte first on every machine.
template <std::unsigned_integral Word>
void append_word(Word word, std::string& bytes) {
  std::array<char, sizeof(Word)> all;
  for (std::size_t i = 0; i < sizeof(Word); ++i) all[i] = static_cast<char>(word >> (8 * i) & 0xffU);
  bytes.append(all.data(), all.size());
}

}  // namespace panto
