#pragma once
// Transposes rows into lanes: from one structure per body to one lane per body.

#include <cstddef>
#include <cstring>

namespace panto {

/// Four numbers in one vector register. Use only for variables: passing or returning it by value ties a
/// function's ABI to the compiled width.
using Four = double __attribute__((vector_size(32)));

/// N numbers of four lanes.
template <std::size_t N>
struct FourLanes {
  Four v[N];
};

/// Returns 1 or 0, as lanes store facts.
[[nodiscard]] constexpr double bit_of(bool fact) noexcept { return fact ? 1.0 : 0.0; }

/// Turns numbers k < N of four rows into number k of four lanes: `lanes.v[k][l] = rows[l][k]`. Rows need no
/// alignment. Call it in a PANTO_WIDE function: shuffles turn two numbers of four rows at once instead of
/// eight loads and eight stores.
template <std::size_t N>
[[gnu::always_inline]] inline void gather(const double* const (&rows)[4], FourLanes<N>& lanes) noexcept {
  using Two = double __attribute__((vector_size(16)));
  const double *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
#pragma GCC unroll 16
  for (std::size_t k = 0; k + 1 < N; k += 2) {
    Two of_a, of_b, of_c, of_d;
    std::memcpy(&of_a, a + k, sizeof(Two));
    std::memcpy(&of_b, b + k, sizeof(Two));
    std::memcpy(&of_c, c + k, sizeof(Two));
    std::memcpy(&of_d, d + k, sizeof(Two));
    const Four ac = __builtin_shufflevector(of_a, of_c, 0, 1, 2, 3);
    const Four bd = __builtin_shufflevector(of_b, of_d, 0, 1, 2, 3);
    lanes.v[k] = __builtin_shufflevector(ac, bd, 0, 4, 2, 6);
    lanes.v[k + 1] = __builtin_shufflevector(ac, bd, 1, 5, 3, 7);
  }
  if constexpr (N % 2 != 0) {
    const Two ab = {a[N - 1], b[N - 1]}, cd = {c[N - 1], d[N - 1]};
    lanes.v[N - 1] = __builtin_shufflevector(ab, cd, 0, 1, 2, 3);
  }
}

/// The same for four lanes of an array, at `lanes[k][0]` to `lanes[k][3]`, with W numbers from k to k + 1.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline void store(const FourLanes<N>& four, double (&lanes)[N][W],
                                         std::size_t first) noexcept {
#pragma GCC unroll 16
  for (std::size_t k = 0; k < N; ++k) std::memcpy(&lanes[k][first], &four.v[k], sizeof(four.v[k]));
}

/// The same for eight lanes: one store per number where the machine is wide enough, so a read of all eight
/// does not stall.
template <std::size_t N>
[[gnu::always_inline]] inline void store(const FourLanes<N>& first, const FourLanes<N>& last,
                                         double (&lanes)[N][8]) noexcept {
  using Eight = double __attribute__((vector_size(64)));
#pragma GCC unroll 16
  for (std::size_t k = 0; k < N; ++k) {
    const Eight both = __builtin_shufflevector(first.v[k], last.v[k], 0, 1, 2, 3, 4, 5, 6, 7);
    std::memcpy(&lanes[k][0], &both, sizeof both);
  }
}

}  // namespace panto
