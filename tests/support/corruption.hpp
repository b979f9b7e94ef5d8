#pragma once
// Every truncation and random corruptions of a byte string, for parsers of untrusted files. `parse` gets each
// damaged text; it returns normally (something was recovered) or throws panto::FormatError, and whatever else
// it throws fails the test. Crashes are the sanitizers' to find.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/error.hpp"
#include "tests/support/test_data.hpp"

namespace panto::test {

/// True when every case is run, not a sample of them: PANTO_TEST_SCALE >= 10.
inline bool thorough() { return scale() >= 10.0; }

/// How often a damaged text was still readable, and how often it was refused.
struct CorruptionCount {
  long long recovered = 0;
  long long refused = 0;
  long long broken = 0;  ///< neither: a test failure, already reported
  CorruptionCount& operator+=(const CorruptionCount& other) {
    recovered += other.recovered;
    refused += other.refused;
    broken += other.broken;
    return *this;
  }
};

using ParseText = std::function<void(std::string_view)>;

/// Runs `parse` once; `what` tells people which case it was. The text is copied into a block of exactly its
/// own size, so that the address sanitizer sees a read one byte beyond.
inline void try_damaged(std::string_view text, const ParseText& parse, const std::string& what,
                        CorruptionCount& count) {
  const std::unique_ptr<char[]> exact(new char[text.size() + (text.empty() ? 1 : 0)]);
  std::copy(text.begin(), text.end(), exact.get());
  try {
    parse(std::string_view(exact.get(), text.size()));
    ++count.recovered;
  } catch (const FormatError& error) {
    ++count.refused;
    if (*error.what() == '\0') {
      ++count.broken;
      ADD_FAILURE() << what << ": an error without a text";
    }
  } catch (const std::exception& error) {
    // a few examples are enough
    if (++count.broken <= 5) ADD_FAILURE() << what << ": not a FormatError: " << error.what();
  }
}

/// Every prefix of `text` while it is shorter than `header_bytes`, and every 97th after that; all of them
/// when thorough.
inline CorruptionCount try_truncations(std::string_view text, std::size_t header_bytes,
                                       const ParseText& parse) {
  CorruptionCount count;
  for (std::size_t length = 0; length <= text.size();
       length += length < header_bytes || thorough() ? 1U : 97U) {
    try_damaged(text.substr(0, length), parse, "cut to " + std::to_string(length) + " bytes", count);
  }
  return count;
}

/// One random damage: bits flipped, bytes overwritten, a piece removed, doubled or moved, a number or a mark
/// made extreme.
// size: a list of kinds of damage
inline std::string corrupted(std::string_view text, std::mt19937_64& random) {
  static constexpr std::string_view nasty[] = {"-1",
                                               "0",
                                               "1e9",
                                               "1000000000",
                                               "99999999999999999999",
                                               "nan",
                                               "-inf",
                                               "1e999",
                                               "1e308",
                                               "1,5",
                                               "{",
                                               "}",
                                               "<",
                                               ">",
                                               "\"",
                                               "&#0;",
                                               "\r",
                                               "\n",
                                               "\t",
                                               "",
                                               "\xef\xbb\xbf",
                                               "\xff\xfe",
                                               "-"};
  std::string out(text);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  for (std::size_t damages = 1 + below(4); damages > 0 && !out.empty(); --damages) {
    const std::size_t at = below(out.size()), length = std::min(out.size() - at, 1 + below(64));
    switch (below(6)) {
      case 0:
        for (std::size_t flips = 1 + below(64); flips > 0; --flips) {
          char& byte = out[below(out.size())];
          byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << below(8)));
        }
        break;
      case 1:
        for (std::size_t i = at; i < at + length; ++i) out[i] = static_cast<char>(below(256));
        break;
      case 2:
        out.erase(at, length);
        break;
      case 3:
        out.insert(at, out.substr(at, length));
        break;
      case 4: {
        const std::string piece = out.substr(at, length);
        out.erase(at, length);
        out.insert(below(out.size() + 1), piece);
        break;
      }
      default: {
        // put something extreme in the place of a word
        const std::size_t begin = out.find_first_not_of(" \t\r\n", at);
        if (begin == std::string::npos) break;
        const std::size_t end = std::min(out.find_first_of(" \t\r\n", begin), out.size());
        out.replace(begin, end - begin, nasty[below(std::size(nasty))]);
      }
    }
  }
  return out;
}

/// 1e3 random corruptions of `text`, 1e5 when thorough. `share` < 1 divides that among several texts.
inline CorruptionCount try_corruptions(std::string_view text, std::uint64_t seed, const ParseText& parse,
                                       double share = 1.0) {
  std::mt19937_64 random(seed);
  CorruptionCount count;
  const auto runs = static_cast<long long>((thorough() ? 1e5 : 1e3) * share);
  for (long long run = 0; run < runs; ++run) {
    try_damaged(corrupted(text, random), parse,
                "corruption " + std::to_string(run) + " of seed " + std::to_string(seed), count);
  }
  return count;
}

/// Puts one of `values` into an attribute of an XML text, drawn by `random`, `rounds` times; returns how
/// often `accepts` is true of the damaged text.
template <typename Accepts>
int try_values(const std::string& text, const std::vector<std::string>& values, std::mt19937_64& random,
               int rounds, Accepts&& accepts) {
  std::vector<std::size_t> quotes;
  for (std::size_t at = text.find("=\""); at != std::string::npos; at = text.find("=\"", at + 1))
    quotes.push_back(at);
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t open = quotes[random() % quotes.size()] + 2, close = text.find('"', open);
    if (close == std::string::npos) continue;
    std::string damaged = text.substr(0, open);
    (damaged += values[random() % values.size()]) += text.substr(close);
    if (accepts(damaged)) ++accepted;
  }
  return accepted;
}

}  // namespace panto::test
