#include "panto/math/low_rank.hpp"

#include <cstring>

#include "panto/math/gather.hpp"
#include "panto/math/lanes.hpp"

namespace panto {
namespace {

// What a function takes apart from its numbers. Entry (k, c) of the coefficients: C[k * next_k + c * next_c].
struct Shape {
  std::size_t first, rows;  // of Y and W that are gone through
  std::size_t rank;
  std::size_t next_W, next_Y;  // from column to column
  std::size_t next_k, next_c;
};

// M columns of Y at once, eight rows at a time: they stay in registers while all of W passes by
template <std::size_t M>
PANTO_INLINE void subtract(const Shape& s, const double* W, const double* C, double* Y) noexcept {
  std::size_t i = s.first;
  for (; i + 8 <= s.rows; i += 8) {
    Four upper[M], lower[M];
#pragma GCC unroll 4
    for (std::size_t c = 0; c < M; ++c) {
      std::memcpy(&upper[c], Y + c * s.next_Y + i, sizeof(Four));
      std::memcpy(&lower[c], Y + c * s.next_Y + i + 4, sizeof(Four));
    }
    for (std::size_t k = 0; k < s.rank; ++k) {
      Four first, second;
      std::memcpy(&first, W + k * s.next_W + i, sizeof(Four));
      std::memcpy(&second, W + k * s.next_W + i + 4, sizeof(Four));
#pragma GCC unroll 4
      for (std::size_t c = 0; c < M; ++c) {
        const double factor = C[k * s.next_k + c * s.next_c];
        upper[c] -= first * factor;
        lower[c] -= second * factor;
      }
    }
#pragma GCC unroll 4
    for (std::size_t c = 0; c < M; ++c) {
      std::memcpy(Y + c * s.next_Y + i, &upper[c], sizeof(Four));
      std::memcpy(Y + c * s.next_Y + i + 4, &lower[c], sizeof(Four));
    }
  }
  for (; i < s.rows; ++i) {
    for (std::size_t c = 0; c < M; ++c) {
      double sum = Y[c * s.next_Y + i];
      for (std::size_t k = 0; k < s.rank; ++k) sum -= W[k * s.next_W + i] * C[k * s.next_k + c * s.next_c];
      Y[c * s.next_Y + i] = sum;
    }
  }
}

PANTO_FOUR_WIDE void subtract_one(const Shape& s, const double* W, const double* C, double* Y) noexcept {
  subtract<1>(s, W, C, Y);
}

PANTO_FOUR_WIDE void subtract_three(const Shape& s, const double* W, const double* C, double* Y) noexcept {
  subtract<3>(s, W, C, Y);
}

std::size_t size(Eigen::Index n) noexcept { return static_cast<std::size_t>(n); }

// three columns at a time, and what is left one by one; `below`: from the diagonal downwards only
void subtract_columns(Shape s, Eigen::Index columns, bool below, const double* W, const double* C,
                      double* Y) noexcept {
  std::size_t j = 0;
  for (; j + 3 <= size(columns); j += 3) {
    if (below) s.first = j;
    subtract_three(s, W, C + j * s.next_c, Y + j * s.next_Y);
  }
  for (; j < size(columns); ++j) {
    if (below) s.first = j;
    subtract_one(s, W, C + j * s.next_c, Y + j * s.next_Y);
  }
}

}  // namespace

void subtract_product(const Eigen::Ref<const Eigen::MatrixXd>& W, const Eigen::Ref<const Eigen::MatrixXd>& C,
                      Eigen::Ref<Eigen::MatrixXd> Y) noexcept {
  const Shape shape{0, size(Y.rows()),       size(W.cols()), size(W.outerStride()), size(Y.outerStride()),
                    1, size(C.outerStride())};
  subtract_columns(shape, Y.cols(), false, W.data(), C.data(), Y.data());
}

void downdate_lower(const Eigen::Ref<const Eigen::MatrixXd>& W, Eigen::Index columns,
                    Eigen::Ref<Eigen::MatrixXd> P) noexcept {
  const Shape shape{
      0, size(P.rows()), size(W.cols()), size(W.outerStride()), size(P.outerStride()), size(W.outerStride()),
      1};
  subtract_columns(shape, columns, true, W.data(), W.data(), P.data());
}

}  // namespace panto
