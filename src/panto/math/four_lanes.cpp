#include "panto/math/four_lanes.hpp"

#include <cstdint>

#include "panto/base/index.hpp"

namespace panto {
namespace {

template <int N>
PANTO_INLINE void take_four_by_four(const std::vector<int>& source, const LaneArray<N>& from,
                                    LaneArray<N>& to) noexcept {
  const double* first = from.data();
  for (std::size_t lane = 0; lane + 4 <= source.size(); lane += 4) {
    const auto place = [&](std::size_t l) { return first + LaneArray<N>::index(0, at(source[lane + l])); };
    const FourPlaces places{place(0), place(1), place(2), place(3)};
    Pack<N> four;
    take(places, kLanes, four);
    Chunk<N>& out = to.chunk(lane / kLanes);
    for (std::size_t k = 0; k < N; ++k) std::memcpy(&out.v[k][lane % kLanes], four.v[k], sizeof four.v[k]);
  }
}

#ifdef PANTO_SEVERAL_WIDTHS
using Eight = double __attribute__((vector_size(64)));
using EightPlaces = std::int64_t __attribute__((vector_size(64)));
using EightInts = int __attribute__((vector_size(32)));

// Where eight lanes at a time can be picked out of two chunks by one instruction of the machine's.
template <int N>
[[gnu::always_inline]] inline void take_eight_by_eight(const std::vector<int>& source,
                                                       const LaneArray<N>& from, LaneArray<N>& to) noexcept {
  const std::size_t chunks = to.chunk_count();
  for (std::size_t c = 0; c < chunks; ++c) {
    EightInts lanes;
    std::memcpy(&lanes, source.data() + c * kLanes, sizeof lanes);
    const EightPlaces place = __builtin_convertvector(lanes, EightPlaces);
    for (std::size_t pair = 0; pair < chunks; pair += 2) {
      const Chunk<N>&low = from.chunk(pair), &high = from.chunk(pair + 1 < chunks ? pair + 1 : pair);
      const EightPlaces here = (place >> 4) == static_cast<std::int64_t>(pair / 2);
#pragma GCC unroll 9
      for (std::size_t k = 0; k < N; ++k) {
        Eight a, b;
        std::memcpy(&a, low.v[k], sizeof a);
        std::memcpy(&b, high.v[k], sizeof b);
        Eight picked = __builtin_shuffle(a, b, place);
        if (pair > 0) {
          Eight before;
          std::memcpy(&before, to.chunk(c).v[k], sizeof before);
          picked = here ? picked : before;
        }
        std::memcpy(to.chunk(c).v[k], &picked, sizeof picked);
      }
    }
  }
}

// The three widths of one function: target_clones would compile the picking for all of them.
#define PANTO_PICK(N)                                                                                        \
  __attribute__((target("default"))) void pick(const std::vector<int>& source, const LaneArray<N>& from,     \
                                               LaneArray<N>& to) noexcept {                                  \
    take_four_by_four(source, from, to);                                                                     \
  }                                                                                                          \
  __attribute__((target("arch=x86-64-v3"))) void pick(const std::vector<int>& source,                        \
                                                      const LaneArray<N>& from, LaneArray<N>& to) noexcept { \
    take_four_by_four(source, from, to);                                                                     \
  }                                                                                                          \
  __attribute__((target("arch=x86-64-v4"))) void pick(const std::vector<int>& source,                        \
                                                      const LaneArray<N>& from, LaneArray<N>& to) noexcept { \
    take_eight_by_eight(source, from, to);                                                                   \
  }
PANTO_PICK(3)
PANTO_PICK(9)
#undef PANTO_PICK
#else
template <int N>
void pick(const std::vector<int>& source, const LaneArray<N>& from, LaneArray<N>& to) noexcept {
  take_four_by_four(source, from, to);
}
#endif

}  // namespace

void take_lanes(const std::vector<int>& source, const LaneArray<3>& from, LaneArray<3>& to) noexcept {
  pick(source, from, to);
}

void take_lanes(const std::vector<int>& source, const LaneArray<9>& from, LaneArray<9>& to) noexcept {
  pick(source, from, to);
}

PANTO_WIDE void multiply_lanes(LaneArray<9>& A, const LaneArray<9>& B) noexcept {
  for (std::size_t c = 0; c < A.chunk_count(); ++c) {
    Chunk<9>& left = A.chunk(c);
    const Chunk<9>& right = B.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) store(mat3(left, l) * mat3(right, l), left, l);
  }
}

}  // namespace panto
