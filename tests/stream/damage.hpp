#pragma once
// Damaged datagrams for decoders: every truncation, random corruptions, random bytes. Each lies in a block of
// its own size, so that the address sanitizer sees a read beyond it.

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tests/support/test_data.hpp"

namespace panto::test {

using Bytes = std::vector<std::byte>;

/// A few bits flipped, bytes overwritten, a piece removed, doubled or moved.
inline Bytes damaged(const Bytes& whole, std::mt19937_64& random) {
  Bytes out = whole;
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  for (std::size_t damages = 1 + below(3); damages > 0 && !out.empty(); --damages) {
    const std::size_t place = below(out.size()), length = std::min(out.size() - place, 1 + below(16));
    const auto from = out.begin() + static_cast<std::ptrdiff_t>(place);
    const auto to = from + static_cast<std::ptrdiff_t>(length);
    switch (below(5)) {
      case 0:
        for (std::size_t flips = 1 + below(8); flips > 0; --flips) {
          out[below(out.size())] ^= static_cast<std::byte>(1U << below(8));
        }
        break;
      case 1:
        std::for_each(from, to, [&](std::byte& byte) { byte = static_cast<std::byte>(random() & 0xffU); });
        break;
      case 2:  // values that are none, sizes without end
        std::fill(from, to, static_cast<std::byte>(below(2) == 0 ? 0xff : 0x00));
        break;
      case 3:
        out.erase(from, to);
        break;
      default: {
        const Bytes piece(from, to);
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(below(out.size() + 1)), piece.begin(),
                   piece.end());
      }
    }
  }
  out.shrink_to_fit();
  return out;
}

inline Bytes random_bytes(std::mt19937_64& random, std::size_t most) {
  Bytes out(random() % (most + 1));
  std::generate(out.begin(), out.end(), [&] { return static_cast<std::byte>(random() & 0xffU); });
  return out;
}

/// Gives `take` every truncation of each datagram, `runs` random corruptions and `runs` / 4 random ones.
template <typename Take>
void try_damage(const std::vector<Bytes>& datagrams, int runs, Take&& take) {
  for (const Bytes& whole : datagrams) {
    for (std::size_t length = 0; length <= whole.size(); ++length) {
      take(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    }
  }
  std::mt19937_64 random(5);
  for (int run = 0; run < runs; ++run) {
    take(damaged(datagrams[random() % datagrams.size()], random));
    if (run % 4 == 0) take(random_bytes(random, 120));
  }
}

}  // namespace panto::test
