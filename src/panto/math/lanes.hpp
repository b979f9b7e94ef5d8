#pragma once
// The same arithmetic on many joints, bodies or targets at once. Numbers of eight neighbours lie side by side
// (a `Chunk`), so that a loop over the eight lanes of a chunk has constant bounds and offsets and compiles to
// whatever vectors the machine has. The functions are written for one lane, as on paper.

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <vector>

// A function with this mark is compiled for plain x86-64, for AVX2 and for AVX-512, and the machine chooses
// when the program is loaded. All three do the same operations in the same order (no contraction, no
// reassociation), hence give the same bits.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(PANTO_ONE_WIDTH)
#define PANTO_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define PANTO_WIDE
#endif

namespace panto {

inline constexpr std::size_t kLanes = 8;

/// N numbers of each of eight lanes.
template <int N>
struct alignas(64) Chunk {
  double v[N][kLanes];
};

/// N numbers for each of `size()` lanes, a multiple of eight.
template <int N>
class LaneArray {
 public:
  LaneArray() = default;
  explicit LaneArray(std::size_t lanes, double value = 0.0) : chunks_((lanes + kLanes - 1) / kLanes) {
    fill(value);
  }

  void fill(double value) noexcept {
    for (std::size_t i = 0; i < flat_size(); ++i) data()[i] = value;
  }
  [[nodiscard]] std::size_t size() const noexcept { return chunks_.size() * kLanes; }
  [[nodiscard]] std::size_t chunk_count() const noexcept { return chunks_.size(); }
  [[nodiscard]] Chunk<N>& chunk(std::size_t c) noexcept { return chunks_[c]; }
  [[nodiscard]] const Chunk<N>& chunk(std::size_t c) const noexcept { return chunks_[c]; }
  [[nodiscard]] double& operator()(int k, std::size_t lane) noexcept { return data()[index(k, lane)]; }
  [[nodiscard]] double operator()(int k, std::size_t lane) const noexcept { return data()[index(k, lane)]; }

  /// All numbers in memory order; number k of a lane is at `index(k, lane)`.
  [[nodiscard]] double* data() noexcept { return chunks_.empty() ? nullptr : &chunks_.front().v[0][0]; }
  [[nodiscard]] const double* data() const noexcept {
    return chunks_.empty() ? nullptr : &chunks_.front().v[0][0];
  }
  [[nodiscard]] std::size_t flat_size() const noexcept { return chunks_.size() * kLanes * N; }
  [[nodiscard]] static constexpr std::size_t index(int k, std::size_t lane) noexcept {
    return (lane / kLanes * N + static_cast<std::size_t>(k)) * kLanes + lane % kLanes;
  }
  /// The lane of a place in memory order.
  [[nodiscard]] static constexpr std::size_t lane(std::size_t flat) noexcept {
    return flat / (N * kLanes) * kLanes + flat % kLanes;
  }

 private:
  std::vector<Chunk<N>> chunks_;
};

/// Three numbers as a vector, in registers.
struct Vec3 {
  double x, y, z;
};

/// Three columns.
struct Mat3 {
  Vec3 x, y, z;
};

[[nodiscard]] inline Vec3 operator+(const Vec3& a, const Vec3& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[nodiscard]] inline Vec3 operator-(const Vec3& a, const Vec3& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[nodiscard]] inline Vec3 operator*(double s, const Vec3& a) noexcept { return {s * a.x, s * a.y, s * a.z}; }
[[nodiscard]] inline double dot(const Vec3& a, const Vec3& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] inline Vec3 cross(const Vec3& a, const Vec3& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] inline Vec3 operator*(const Mat3& M, const Vec3& a) noexcept {
  return {M.x.x * a.x + M.y.x * a.y + M.z.x * a.z, M.x.y * a.x + M.y.y * a.y + M.z.y * a.z,
          M.x.z * a.x + M.y.z * a.y + M.z.z * a.z};
}
[[nodiscard]] inline Mat3 operator*(const Mat3& A, const Mat3& B) noexcept {
  return {A * B.x, A * B.y, A * B.z};
}
[[nodiscard]] inline Mat3 operator+(const Mat3& A, const Mat3& B) noexcept {
  return {A.x + B.x, A.y + B.y, A.z + B.z};
}
[[nodiscard]] inline Mat3 operator-(const Mat3& A, const Mat3& B) noexcept {
  return {A.x - B.x, A.y - B.y, A.z - B.z};
}
/// A'b and A'B.
[[nodiscard]] inline Vec3 transposed_times(const Mat3& A, const Vec3& b) noexcept {
  return {dot(A.x, b), dot(A.y, b), dot(A.z, b)};
}
[[nodiscard]] inline Mat3 transposed_times(const Mat3& A, const Mat3& B) noexcept {
  return {transposed_times(A, B.x), transposed_times(A, B.y), transposed_times(A, B.z)};
}
[[nodiscard]] inline Mat3 transposed(const Mat3& A) noexcept {
  return {{A.x.x, A.y.x, A.z.x}, {A.x.y, A.y.y, A.z.y}, {A.x.z, A.y.z, A.z.z}};
}
/// r x every column: hat(r) A.
[[nodiscard]] inline Mat3 cross(const Vec3& r, const Mat3& A) noexcept {
  return {cross(r, A.x), cross(r, A.y), cross(r, A.z)};
}
/// a b'.
[[nodiscard]] inline Mat3 outer(const Vec3& a, const Vec3& b) noexcept { return {b.x * a, b.y * a, b.z * a}; }
[[nodiscard]] inline Mat3 diagonal(double d) noexcept {
  return {{d, 0.0, 0.0}, {0.0, d, 0.0}, {0.0, 0.0, d}};
}

/// Lane l of a chunk, and back.
[[nodiscard]] inline Vec3 vec3(const Chunk<3>& c, std::size_t l) noexcept {
  return {c.v[0][l], c.v[1][l], c.v[2][l]};
}
[[nodiscard]] inline Mat3 mat3(const Chunk<9>& c, std::size_t l) noexcept {
  return {{c.v[0][l], c.v[1][l], c.v[2][l]},
          {c.v[3][l], c.v[4][l], c.v[5][l]},
          {c.v[6][l], c.v[7][l], c.v[8][l]}};
}
inline void store(const Vec3& a, Chunk<3>& c, std::size_t l) noexcept {
  c.v[0][l] = a.x;
  c.v[1][l] = a.y;
  c.v[2][l] = a.z;
}
inline void store(const Mat3& A, Chunk<9>& c, std::size_t l) noexcept {
  c.v[0][l] = A.x.x;
  c.v[1][l] = A.x.y;
  c.v[2][l] = A.x.z;
  c.v[3][l] = A.y.x;
  c.v[4][l] = A.y.y;
  c.v[5][l] = A.y.z;
  c.v[6][l] = A.z.x;
  c.v[7][l] = A.z.y;
  c.v[8][l] = A.z.z;
}

/// Any lane of an array, and back.
[[nodiscard]] inline Vec3 vec3(const LaneArray<3>& a, std::size_t lane) noexcept {
  return vec3(a.chunk(lane / kLanes), lane % kLanes);
}
[[nodiscard]] inline Mat3 mat3(const LaneArray<9>& a, std::size_t lane) noexcept {
  return mat3(a.chunk(lane / kLanes), lane % kLanes);
}
inline void store(const Vec3& v, LaneArray<3>& a, std::size_t lane) noexcept {
  store(v, a.chunk(lane / kLanes), lane % kLanes);
}
inline void store(const Mat3& M, LaneArray<9>& a, std::size_t lane) noexcept {
  store(M, a.chunk(lane / kLanes), lane % kLanes);
}

[[nodiscard]] inline Eigen::Vector3d to_eigen(const Vec3& v) noexcept { return {v.x, v.y, v.z}; }
[[nodiscard]] inline Vec3 to_vec3(const Eigen::Vector3d& v) noexcept { return {v.x(), v.y(), v.z()}; }
[[nodiscard]] inline Eigen::Matrix3d to_eigen(const Mat3& M) noexcept {
  Eigen::Matrix3d R;
  R << to_eigen(M.x), to_eigen(M.y), to_eigen(M.z);
  return R;
}
[[nodiscard]] inline Mat3 to_mat3(const Eigen::Matrix3d& M) noexcept {
  return {to_vec3(M.col(0)), to_vec3(M.col(1)), to_vec3(M.col(2))};
}

}  // namespace panto
