#include "panto/math/four_lanes.hpp"

#include "panto/base/index.hpp"

namespace panto {
namespace {

template <int N>
PANTO_INLINE void take_all(const std::vector<int>& source, const LaneArray<N>& from,
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

}  // namespace

PANTO_FOUR_WIDE void take_lanes(const std::vector<int>& source, const LaneArray<3>& from,
                                LaneArray<3>& to) noexcept {
  take_all(source, from, to);
}

PANTO_FOUR_WIDE void take_lanes(const std::vector<int>& source, const LaneArray<9>& from,
                                LaneArray<9>& to) noexcept {
  take_all(source, from, to);
}

}  // namespace panto
