#include "panto/inertial/chain_covariance.hpp"

#include <algorithm>
#include <cstring>

#include "panto/math/widths.hpp"

namespace panto {

using Eigen::Index;

namespace {

constexpr Index kMargin = 8;  // rows before and after a column whose neighbours are read

// calls `work` with a vector type and a row, for all rows
template <class V, class Work>
PANTO_INLINE void for_vectors(Index rows, const Work& work) noexcept {
  constexpr auto lanes = static_cast<Index>(sizeof(V) / sizeof(double));
  Index i = 0;
  for (; i + lanes <= rows; i += lanes) work.template operator()<V>(i);
  for (; i < rows; ++i) work.template operator()<double>(i);
}

template <class V>
PANTO_INLINE void load(V& v, const double* from) noexcept {
  std::memcpy(&v, from, sizeof(V));
}

template <class V>
PANTO_INLINE void store(const V& v, double* to) noexcept {
  std::memcpy(to, &v, sizeof(V));
}

// three columns of P times F'
template <class V>
PANTO_INLINE void mix_columns_by(const double* P, Index stride, const double* F, Index rows, double* out,
                                 Index out_stride) noexcept {
  for_vectors<V>(rows, [&]<class W>(Index i) PANTO_INLINE_LAMBDA {
    W a, b, c;
    load(a, P + i);
    load(b, P + stride + i);
    load(c, P + 2 * stride + i);
    for (Index k = 0; k < 3; ++k) store(W(a * F[k] + b * F[k + 3] + c * F[k + 6]), out + k * out_stride + i);
  });
}

// multiplies columns from the left by a matrix of five diagonals
template <class V>
PANTO_INLINE void mix_rows_by(const double* bands, Index bands_stride, const double* in, Index in_stride,
                              Index columns, Index rows, double* out, Index out_stride) noexcept {
  for_vectors<V>(rows, [&]<class W>(Index i) PANTO_INLINE_LAMBDA {
    W band[5];
    for (Index d = 0; d < 5; ++d) load(band[d], bands + d * bands_stride + i);
    for (Index k = 0; k < columns; ++k) {
      const double* from = in + k * in_stride + i - 2;
      W x, sum;
      load(x, from);
      sum = band[0] * x;
      for (Index d = 1; d < 5; ++d) {
        load(x, from + d);
        sum += band[d] * x;
      }
      store(sum, out + k * out_stride + i);
    }
  });
}

// nine columns of P times J'
template <class V>
PANTO_INLINE void turn_columns_by(const double* J, double* const* columns, Index rows) noexcept {
  for_vectors<V>(rows, [&]<class W>(Index i) PANTO_INLINE_LAMBDA {
    W x[9];
    for (Index l = 0; l < 9; ++l) load(x[l], columns[l] + i);
#pragma GCC unroll 9
    for (Index k = 0; k < 9; ++k) {
      W sum = x[0] * J[k];
#pragma GCC unroll 9
      for (Index l = 1; l < 9; ++l)
        if (l / 3 <= k / 3) sum += x[l] * J[9 * l + k];  // J's blocks below the diagonal are zero
      store(sum, columns[k] + i);
    }
  });
}

// nine rows of every column times J, whose columns have 16 rows here
template <class V>
PANTO_INLINE void turn_rows_by(const double* J, const int* index, Index columns, double* P,
                               Index stride) noexcept {
  constexpr Index lanes = static_cast<Index>(sizeof(V) / sizeof(double)), parts = (9 + lanes - 1) / lanes;
  for (Index j = 0; j < columns; ++j) {
    double* column = P + j * stride;
    V sum[parts] = {};
#pragma GCC unroll 9
    for (Index l = 0; l < 9; ++l) {
      const double x = column[index[l]];
#pragma GCC unroll 5
      for (Index p = 0; p < parts; ++p) {
        V slope;
        load(slope, J + 16 * l + p * lanes);
        sum[p] += slope * x;
      }
    }
    double turned[16];
#pragma GCC unroll 5
    for (Index p = 0; p < parts; ++p) store(sum[p], turned + p * lanes);
    for (Index k = 0; k < 9; ++k) column[index[k]] = turned[k];
  }
}

namespace wide {

PANTO_FOR_WIDTHS(mix_columns,
                 (const double* P, Index stride, const double* F, Index rows, double* out, Index out_stride),
                 (P, stride, F, rows, out, out_stride))
PANTO_FOR_WIDTHS(mix_rows,
                 (const double* bands, Index bands_stride, const double* in, Index in_stride, Index columns,
                  Index rows, double* out, Index out_stride),
                 (bands, bands_stride, in, in_stride, columns, rows, out, out_stride))
PANTO_FOR_WIDTHS(turn_columns, (const double* J, double* const* columns, Index rows), (J, columns, rows))
PANTO_FOR_WIDTHS(turn_rows, (const double* J, const int* index, Index columns, double* P, Index stride),
                 (J, index, columns, P, stride))

}  // namespace wide
}  // namespace

TripleTransition::TripleTransition(Index size, Index triples)
    : size_(size),
      triples_(triples),
      F_(static_cast<std::size_t>(triples), Eigen::Matrix3d::Identity()),
      bands_(size, 5),
      moved_(size + 2 * kMargin, 3) {
  std::fill_n(bands_.column(2), size, 1.0);
}

void TripleTransition::set(Index triple, const Eigen::Matrix3d& F) noexcept {
  F_[static_cast<std::size_t>(triple)] = F;
  for (Index k = 0; k < 3; ++k)
    for (Index l = 0; l < 3; ++l) bands_(3 * triple + k, 2 + l - k) = F(k, l);
}

void TripleTransition::move(const Eigen::MatrixXd& P, PaddedMatrix& result) noexcept {
  // only rows of triples depend on their neighbours
  const Index stride = P.outerStride(), mixed = std::min((3 * triples_ + 7) / 8 * 8, size_);
  double* moved = moved_.data() + kMargin;
  for (Index j = 0; j < size_;) {
    const double* from = P.data() + j * stride;
    const bool triple = j < 3 * triples_;
    const Index columns = triple ? 3 : 1;
    if (triple) {
      wide::mix_columns(from, stride, F_[static_cast<std::size_t>(j / 3)].data(), size_, moved,
                        moved_.stride());
    }
    // unchanged parts are read in place if the rows before and after them belong to P too
    const bool inside = !triple && j > 0 && mixed + 2 <= size_;
    if (!triple && !inside) std::copy(from, from + size_, moved);
    const double* source = inside ? from : moved;
    wide::mix_rows(bands_.data(), bands_.stride(), source, moved_.stride(), columns, mixed, result.column(j),
                   result.stride());
    for (Index k = 0; k < columns; ++k, source += moved_.stride())
      std::copy(source + mixed, source + size_, result.column(j + k) + mixed);
    j += columns;
  }
}

void turn_nine(const Eigen::Matrix<double, 9, 9>& J, const NineIndices& index,
               Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> P) noexcept {
  alignas(64) double padded[9 * 16] = {};
  double* columns[9];
  for (Index k = 0; k < 9; ++k) {
    std::copy(J.col(k).data(), J.col(k).data() + 9, padded + 16 * k);
    columns[k] = P.col(index[static_cast<std::size_t>(k)]).data();
  }
  wide::turn_columns(J.data(), columns, P.rows());
  wide::turn_rows(padded, index.data(), P.cols(), P.data(), P.outerStride());
}

}  // namespace panto
