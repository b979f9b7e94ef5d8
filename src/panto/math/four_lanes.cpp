#include "panto/math/four_lanes.hpp"

#include <utility>

#include "panto/base/index.hpp"

namespace panto {

LaneSources::LaneSources(std::vector<int> lane) : lane_(std::move(lane)), eights_(lane_.size() / kLanes) {
  for (std::size_t c = 0; c < eights_.size(); ++c) {
    Eight& eight = eights_[c];
    const auto chunk_of = [&](std::size_t l) { return at(lane_[c * kLanes + l]) / kLanes; };
    eight.first = eight.second = chunk_of(0);
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::size_t chunk = chunk_of(l);
      if (eight.second == eight.first) eight.second = chunk;
      eight.out_of_two = eight.out_of_two && (chunk == eight.first || chunk == eight.second);
      const std::size_t place = at(lane_[c * kLanes + l]) % kLanes + (chunk == eight.first ? 0 : kLanes);
      eight.place[l] = static_cast<std::int64_t>(place);
    }
  }
}

namespace {

// The lanes of chunk c of `to`.
template <int N>
PANTO_INLINE void take_four_by_four(const LaneSources& source, const LaneArray<N>& from, std::size_t c,
                                    LaneArray<N>& to) noexcept {
  const double* first = from.data();
  for (std::size_t half = 0; half < kLanes; half += 4) {
    const auto place = [&](std::size_t l) {
      return first + LaneArray<N>::index(0, source[c * kLanes + half + l]);
    };
    const FourPlaces places{place(0), place(1), place(2), place(3)};
    Pack<N> four;
    take(places, kLanes, four);
    Chunk<N>& out = to.chunk(c);
    for (std::size_t k = 0; k < N; ++k) std::memcpy(&out.v[k][half], four.v[k], sizeof four.v[k]);
  }
}

template <int N>
PANTO_INLINE void take_all_by_four(const LaneSources& source, const LaneArray<N>& from,
                                   LaneArray<N>& to) noexcept {
  for (std::size_t c = 0; c < source.chunk_count(); ++c) take_four_by_four(source, from, c, to);
}

#ifdef PANTO_SEVERAL_WIDTHS
using Eight = double __attribute__((vector_size(64)));
using EightPlaces = std::int64_t __attribute__((vector_size(64)));

// Rare; kept out of the hot path.
template <int N>
[[gnu::noinline]] void take_out_of_several(const LaneSources& source, const LaneArray<N>& from, std::size_t c,
                                           LaneArray<N>& to) noexcept {
  take_four_by_four(source, from, c, to);
}

// Used where one machine instruction can pick eight lanes out of two chunks.
template <int N>
PANTO_INLINE void take_by_eight(const LaneSources& source, const LaneArray<N>& from,
                                LaneArray<N>& to) noexcept {
  for (std::size_t c = 0; c < source.chunk_count(); ++c) {
    const LaneSources::Eight& eight = source.eight(c);
    if (!eight.out_of_two) {
      take_out_of_several(source, from, c, to);
      continue;
    }
    EightPlaces place;
    std::memcpy(&place, eight.place.data(), sizeof place);
    const Chunk<N>&low = from.chunk(eight.first), &high = from.chunk(eight.second);
    Chunk<N>& out = to.chunk(c);
#pragma GCC unroll 9
    for (std::size_t k = 0; k < N; ++k) {
      Eight a, b;
      std::memcpy(&a, low.v[k], sizeof a);
      std::memcpy(&b, high.v[k], sizeof b);
      const Eight picked = __builtin_shuffle(a, b, place);
      std::memcpy(out.v[k], &picked, sizeof picked);
    }
  }
}

// One function in three widths; target_clones would compile the same picking code for all of them.
#define PANTO_PICK(N)                                                                                      \
  __attribute__((target("default"))) void pick(const LaneSources& source, const LaneArray<N>& from,        \
                                               LaneArray<N>& to) noexcept {                                \
    take_all_by_four(source, from, to);                                                                    \
  }                                                                                                        \
  __attribute__((target("arch=x86-64-v3"))) void pick(const LaneSources& source, const LaneArray<N>& from, \
                                                      LaneArray<N>& to) noexcept {                         \
    take_all_by_four(source, from, to);                                                                    \
  }                                                                                                        \
  __attribute__((target("arch=x86-64-v4"))) void pick(const LaneSources& source, const LaneArray<N>& from, \
                                                      LaneArray<N>& to) noexcept {                         \
    take_by_eight(source, from, to);                                                                       \
  }
PANTO_PICK(3)
PANTO_PICK(9)
#undef PANTO_PICK
#else
template <int N>
void pick(const LaneSources& source, const LaneArray<N>& from, LaneArray<N>& to) noexcept {
  take_all_by_four(source, from, to);
}
#endif

}  // namespace

void take_lanes(const LaneSources& source, const LaneArray<3>& from, LaneArray<3>& to) noexcept {
  pick(source, from, to);
}

void take_lanes(const LaneSources& source, const LaneArray<9>& from, LaneArray<9>& to) noexcept {
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
