#pragma once
// Gathers four lanes from one chunk or four places, and scatters them, in registers. Numbers stored one by
// one and read back as one vector would have to wait for the stores.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "panto/math/gather.hpp"
#include "panto/math/lanes.hpp"

namespace panto {

/// N numbers of each of four lanes.
template <int N>
using Pack = Chunk<N, 4>;
/// Addresses of the first number of each of four lanes.
using FourPlaces = std::array<const double*, 4>;

/// Four lanes of a chunk, starting at lane `first`.
template <int N>
PANTO_INLINE void take(const Chunk<N>& chunk, std::size_t first, Pack<N>& out) noexcept {
  for (int k = 0; k < N; ++k) {
    for (std::size_t l = 0; l < 4; ++l) out.v[k][l] = chunk.v[k][first + l];
  }
}

/// Reads numbers that lie `stride` apart in each of four places.
template <int N>
PANTO_INLINE void take(const FourPlaces& from, std::size_t stride, Pack<N>& to) noexcept {
  for (std::size_t k = 0; k < N; ++k) {
    const Four v{from[0][k * stride], from[1][k * stride], from[2][k * stride], from[3][k * stride]};
    std::memcpy(to.v[k], &v, sizeof v);
  }
}

/// Adds the lanes of four packs.
template <int N>
PANTO_INLINE void add(const FourPlaces& from, Pack<N>& to) noexcept {
  for (std::size_t k = 0; k < N; ++k) {
    const Four v{from[0][k * 4], from[1][k * 4], from[2][k * 4], from[3][k * 4]};
    Four sum;
    std::memcpy(&sum, to.v[k], sizeof sum);
    sum += v;
    std::memcpy(to.v[k], &sum, sizeof sum);
  }
}

/// Writes into the lanes from `first` on, only where `member` is not 0.
PANTO_INLINE void put(const Pack<3>& from, const Pack<1>& member, Chunk<3>& to, std::size_t first) noexcept {
  Four own, value, old;
  std::memcpy(&own, member.v[0], sizeof own);
  for (std::size_t k = 0; k < 3; ++k) {
    std::memcpy(&value, from.v[k], sizeof value);
    std::memcpy(&old, to.v[k] + first, sizeof old);
    const Four mixed = own != 0.0 ? value : old;
    std::memcpy(to.v[k] + first, &mixed, sizeof mixed);
  }
}

/// For each lane of an array, the source lane in another array; prepared for eight at once.
class LaneSources {
 public:
  LaneSources() = default;
  /// Source of every lane; the size of the arrays, a multiple of eight.
  explicit LaneSources(std::vector<int> lane);

  /// Eight lanes out of two chunks, or out of more.
  struct Eight {
    std::array<std::int64_t, kLanes> place{};  // 0 to 7: a lane of the first chunk, 8 to 15: of the second
    std::size_t first = 0, second = 0;
    bool out_of_two = true;
  };

  [[nodiscard]] std::size_t chunk_count() const noexcept { return eights_.size(); }
  [[nodiscard]] const Eight& eight(std::size_t chunk) const noexcept { return eights_[chunk]; }
  [[nodiscard]] std::size_t operator[](std::size_t lane) const noexcept {
    return static_cast<std::size_t>(lane_[lane]);
  }

 private:
  std::vector<int> lane_;
  std::vector<Eight> eights_;
};

/// Copies lane `source[l]` of `from` to lane l of `to`; both have as many lanes as `source`.
void take_lanes(const LaneSources& source, const LaneArray<3>& from, LaneArray<3>& to) noexcept;
void take_lanes(const LaneSources& source, const LaneArray<9>& from, LaneArray<9>& to) noexcept;

/// Computes A = A B in every lane.
void multiply_lanes(LaneArray<9>& A, const LaneArray<9>& B) noexcept;

/// Reads numbers that lie `stride` apart.
[[nodiscard]] PANTO_INLINE Vec3 vec3_at(const double* x, std::size_t stride) noexcept {
  return {x[0], x[stride], x[2 * stride]};
}
[[nodiscard]] PANTO_INLINE Sym3 sym3_at(const double* x, std::size_t stride) noexcept {
  return {x[0], x[stride], x[2 * stride], x[3 * stride], x[4 * stride], x[5 * stride]};
}
[[nodiscard]] PANTO_INLINE Mat3 mat3_at(const double* x, std::size_t stride) noexcept {
  return {vec3_at(x, stride), vec3_at(x + 3 * stride, stride), vec3_at(x + 6 * stride, stride)};
}

}  // namespace panto
