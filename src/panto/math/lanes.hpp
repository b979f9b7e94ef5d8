#pragma once
// The same arithmetic on many joints, bodies or targets at once. Numbers of eight neighbours lie side by side
// (a `Chunk`), so a loop over the eight lanes of a chunk has constant bounds and offsets and compiles to the
// machine's vectors. Functions are written for one lane, as on paper.

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <vector>

// A function with this mark is compiled for plain x86-64, for AVX2 and for AVX-512, and the loader picks one
// when the program starts. All three do the same operations in the same order (no contraction, no
// reassociation), hence give the same bits.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(PANTO_ONE_WIDTH)
#define PANTO_SEVERAL_WIDTHS
#define PANTO_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
// The same for loops over four lanes. AVX-512 is left out: it would read together what was stored separately,
// and stall.
#define PANTO_FOUR_WIDE __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define PANTO_WIDE
#define PANTO_FOUR_WIDE
#endif

// Marks a part of such a function that must be inlined into each of its versions.
#define PANTO_INLINE [[gnu::always_inline]] inline
// The same, written after the parameters of a lambda.
#define PANTO_INLINE_LAMBDA __attribute__((always_inline))

namespace panto {

inline constexpr std::size_t kLanes = 8;

/// N numbers of each of eight lanes, or of W.
template <int N, std::size_t W = kLanes>
struct alignas(8 * W) Chunk {
  double v[N][W];
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
  [[nodiscard]] double& operator[](std::size_t flat) noexcept { return data()[flat]; }
  [[nodiscard]] double operator[](std::size_t flat) const noexcept { return data()[flat]; }
  [[nodiscard]] std::size_t flat_size() const noexcept { return chunks_.size() * kLanes * N; }
  [[nodiscard]] static constexpr std::size_t index(int k, std::size_t lane) noexcept {
    return (lane / kLanes * N + static_cast<std::size_t>(k)) * kLanes + lane % kLanes;
  }
  /// Returns the lane at a place in memory order.
  [[nodiscard]] static constexpr std::size_t lane(std::size_t flat) noexcept {
    return flat / (N * kLanes) * kLanes + flat % kLanes;
  }

 private:
  std::vector<Chunk<N>> chunks_;
};

/// Returns the sum over all lanes, added in pairs.
[[nodiscard]] PANTO_INLINE double sum_of(const double (&x)[kLanes]) noexcept {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/// Three numbers as a vector, in registers.
struct Vec3 {
  double x, y, z;
};

/// Three columns.
struct Mat3 {
  Vec3 x, y, z;
};

/// A symmetric matrix.
struct Sym3 {
  double xx, xy, xz, yy, yz, zz;
};

[[nodiscard]] PANTO_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[nodiscard]] PANTO_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[nodiscard]] PANTO_INLINE Vec3 operator*(double s, const Vec3& a) noexcept {
  return {s * a.x, s * a.y, s * a.z};
}
/// Returns the element-wise product.
[[nodiscard]] PANTO_INLINE Vec3 times(const Vec3& a, const Vec3& b) noexcept {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
[[nodiscard]] PANTO_INLINE double dot(const Vec3& a, const Vec3& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] PANTO_INLINE Vec3 cross(const Vec3& a, const Vec3& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] PANTO_INLINE Vec3 operator*(const Mat3& M, const Vec3& a) noexcept {
  return {M.x.x * a.x + M.y.x * a.y + M.z.x * a.z, M.x.y * a.x + M.y.y * a.y + M.z.y * a.z,
          M.x.z * a.x + M.y.z * a.y + M.z.z * a.z};
}
[[nodiscard]] PANTO_INLINE Mat3 operator*(const Mat3& A, const Mat3& B) noexcept {
  return {A * B.x, A * B.y, A * B.z};
}
[[nodiscard]] PANTO_INLINE Mat3 operator+(const Mat3& A, const Mat3& B) noexcept {
  return {A.x + B.x, A.y + B.y, A.z + B.z};
}
[[nodiscard]] PANTO_INLINE Mat3 operator-(const Mat3& A, const Mat3& B) noexcept {
  return {A.x - B.x, A.y - B.y, A.z - B.z};
}
/// Returns A'b or A'B.
[[nodiscard]] PANTO_INLINE Vec3 transposed_times(const Mat3& A, const Vec3& b) noexcept {
  return {dot(A.x, b), dot(A.y, b), dot(A.z, b)};
}
[[nodiscard]] PANTO_INLINE Mat3 transposed_times(const Mat3& A, const Mat3& B) noexcept {
  return {transposed_times(A, B.x), transposed_times(A, B.y), transposed_times(A, B.z)};
}
[[nodiscard]] PANTO_INLINE Mat3 transposed(const Mat3& A) noexcept {
  return {{A.x.x, A.y.x, A.z.x}, {A.x.y, A.y.y, A.z.y}, {A.x.z, A.y.z, A.z.z}};
}
/// Returns A B'.
[[nodiscard]] PANTO_INLINE Mat3 times_transposed(const Mat3& A, const Mat3& B) noexcept {
  return {B.x.x * A.x + B.y.x * A.y + B.z.x * A.z, B.x.y * A.x + B.y.y * A.y + B.z.y * A.z,
          B.x.z * A.x + B.y.z * A.y + B.z.z * A.z};
}
/// Scales columns: A diag(d).
[[nodiscard]] PANTO_INLINE Mat3 scale_columns(const Vec3& d, const Mat3& A) noexcept {
  return {d.x * A.x, d.y * A.y, d.z * A.z};
}
/// Returns r x every column: hat(r) A.
[[nodiscard]] PANTO_INLINE Mat3 cross(const Vec3& r, const Mat3& A) noexcept {
  return {cross(r, A.x), cross(r, A.y), cross(r, A.z)};
}
[[nodiscard]] PANTO_INLINE Sym3 diagonal(double d) noexcept { return {d, 0.0, 0.0, d, 0.0, d}; }

[[nodiscard]] PANTO_INLINE Mat3 full(const Sym3& A) noexcept {
  return {{A.xx, A.xy, A.xz}, {A.xy, A.yy, A.yz}, {A.xz, A.yz, A.zz}};
}
/// Takes the upper half of a matrix that is symmetric up to rounding.
[[nodiscard]] PANTO_INLINE Sym3 upper(const Mat3& A) noexcept {
  return {A.x.x, A.y.x, A.z.x, A.y.y, A.z.y, A.z.z};
}
[[nodiscard]] PANTO_INLINE Sym3 operator+(const Sym3& A, const Sym3& B) noexcept {
  return {A.xx + B.xx, A.xy + B.xy, A.xz + B.xz, A.yy + B.yy, A.yz + B.yz, A.zz + B.zz};
}
[[nodiscard]] PANTO_INLINE Sym3 operator-(const Sym3& A, const Sym3& B) noexcept {
  return {A.xx - B.xx, A.xy - B.xy, A.xz - B.xz, A.yy - B.yy, A.yz - B.yz, A.zz - B.zz};
}
[[nodiscard]] PANTO_INLINE Sym3 operator*(double s, const Sym3& A) noexcept {
  return {s * A.xx, s * A.xy, s * A.xz, s * A.yy, s * A.yz, s * A.zz};
}
[[nodiscard]] PANTO_INLINE Vec3 operator*(const Sym3& A, const Vec3& b) noexcept {
  return {A.xx * b.x + A.xy * b.y + A.xz * b.z, A.xy * b.x + A.yy * b.y + A.yz * b.z,
          A.xz * b.x + A.yz * b.y + A.zz * b.z};
}
[[nodiscard]] PANTO_INLINE Mat3 operator*(const Sym3& A, const Mat3& B) noexcept {
  return {A * B.x, A * B.y, A * B.z};
}

/// Reads and writes lane l of a chunk.
template <std::size_t W>
[[nodiscard]] PANTO_INLINE Vec3 vec3(const Chunk<3, W>& c, std::size_t l) noexcept {
  return {c.v[0][l], c.v[1][l], c.v[2][l]};
}
template <std::size_t W>
[[nodiscard]] PANTO_INLINE Sym3 sym3(const Chunk<6, W>& c, std::size_t l) noexcept {
  return {c.v[0][l], c.v[1][l], c.v[2][l], c.v[3][l], c.v[4][l], c.v[5][l]};
}
template <std::size_t W>
[[nodiscard]] PANTO_INLINE Mat3 mat3(const Chunk<9, W>& c, std::size_t l) noexcept {
  return {{c.v[0][l], c.v[1][l], c.v[2][l]},
          {c.v[3][l], c.v[4][l], c.v[5][l]},
          {c.v[6][l], c.v[7][l], c.v[8][l]}};
}
template <std::size_t W>
PANTO_INLINE void store(const Vec3& a, Chunk<3, W>& c, std::size_t l) noexcept {
  c.v[0][l] = a.x;
  c.v[1][l] = a.y;
  c.v[2][l] = a.z;
}
template <std::size_t W>
PANTO_INLINE void store(const Sym3& A, Chunk<6, W>& c, std::size_t l) noexcept {
  c.v[0][l] = A.xx;
  c.v[1][l] = A.xy;
  c.v[2][l] = A.xz;
  c.v[3][l] = A.yy;
  c.v[4][l] = A.yz;
  c.v[5][l] = A.zz;
}
template <std::size_t W>
PANTO_INLINE void store(const Mat3& A, Chunk<9, W>& c, std::size_t l) noexcept {
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

/// Reads and writes any lane of an array.
[[nodiscard]] PANTO_INLINE Vec3 vec3(const LaneArray<3>& a, std::size_t lane) noexcept {
  return vec3(a.chunk(lane / kLanes), lane % kLanes);
}
[[nodiscard]] PANTO_INLINE Sym3 sym3(const LaneArray<6>& a, std::size_t lane) noexcept {
  return sym3(a.chunk(lane / kLanes), lane % kLanes);
}
[[nodiscard]] PANTO_INLINE Mat3 mat3(const LaneArray<9>& a, std::size_t lane) noexcept {
  return mat3(a.chunk(lane / kLanes), lane % kLanes);
}
PANTO_INLINE void store(const Vec3& v, LaneArray<3>& a, std::size_t lane) noexcept {
  store(v, a.chunk(lane / kLanes), lane % kLanes);
}
PANTO_INLINE void store(const Sym3& M, LaneArray<6>& a, std::size_t lane) noexcept {
  store(M, a.chunk(lane / kLanes), lane % kLanes);
}
PANTO_INLINE void store(const Mat3& M, LaneArray<9>& a, std::size_t lane) noexcept {
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
