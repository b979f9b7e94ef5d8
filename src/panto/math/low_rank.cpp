#include "panto/math/low_rank.hpp"

#include <algorithm>
#include <cstring>

#include "panto/math/widths.hpp"

namespace panto {
namespace {

using Index = Eigen::Index;

// Columns of the dense factor: consecutive or selected.
struct InOrder {
  const double* first;
  Index stride;
  PANTO_INLINE const double* operator()(Index k) const noexcept { return first + k * stride; }
};
struct Chosen {
  const double* first;
  Index stride;
  const int* columns;
  PANTO_INLINE const double* operator()(Index k) const noexcept { return first + columns[k] * stride; }
};

// Factor of column c at k: data[k * next_k + c].
struct Factors {
  const double* data;
  Index next_k;
};

// A tile of N columns by M row vectors that stays in registers while the loop runs over W.
template <class V, std::size_t M, std::size_t N>
struct Tile {
  template <std::size_t Columns>
  using With = Tile<V, M, Columns>;
  static constexpr Index kRows = static_cast<Index>(M * sizeof(V) / sizeof(double));
  V sum[M][N];

  PANTO_INLINE void clear() noexcept {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < N; ++c)
#pragma GCC unroll 3
      for (std::size_t m = 0; m < M; ++m) sum[m][c] = V{};
  }
  PANTO_INLINE void load(const double* Y, Index stride) noexcept {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < N; ++c)
#pragma GCC unroll 3
      for (std::size_t m = 0; m < M; ++m)
        std::memcpy(&sum[m][c], Y + static_cast<Index>(c) * stride + static_cast<Index>(m) * kRows / M,
                    sizeof(V));
  }
  PANTO_INLINE void store(double* Y, Index stride) const noexcept {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < N; ++c)
#pragma GCC unroll 3
      for (std::size_t m = 0; m < M; ++m)
        std::memcpy(Y + static_cast<Index>(c) * stride + static_cast<Index>(m) * kRows / M, &sum[m][c],
                    sizeof(V));
  }
  // Sign: 1 adds, -1 subtracts W(:, k) times the factors of k < length
  template <int Sign, class Columns>
  PANTO_INLINE void pass(const Columns& W, Index row, Index length, const Factors& f) noexcept {
    for (Index k = 0; k < length; ++k) {
      const double* from = W(k) + row;
      const double* factor = f.data + k * f.next_k;
      V w[M];
#pragma GCC unroll 3
      for (std::size_t m = 0; m < M; ++m)
        std::memcpy(&w[m], from + static_cast<Index>(m) * kRows / M, sizeof(V));
#pragma GCC unroll 8
      for (std::size_t c = 0; c < N; ++c)
#pragma GCC unroll 3
        for (std::size_t m = 0; m < M; ++m) {
          if constexpr (Sign > 0) {
            sum[m][c] += w[m] * factor[c];
          } else {
            sum[m][c] -= w[m] * factor[c];
          }
        }
    }
  }
  // sum <- sum L'^-1 with the N x N block at L
  PANTO_INLINE void divide(const double* L, Index stride) noexcept {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < N; ++c) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < c; ++k)
#pragma GCC unroll 3
        for (std::size_t m = 0; m < M; ++m)
          sum[m][c] -= sum[m][k] * L[static_cast<Index>(k) * stride + static_cast<Index>(c)];
      const double inverse = 1.0 / L[static_cast<Index>(c) * (stride + 1)];
#pragma GCC unroll 3
      for (std::size_t m = 0; m < M; ++m) sum[m][c] *= inverse;
    }
  }
};

// Row vectors in a tile: as many as fit into the registers.
template <class V>
inline constexpr std::size_t kTall = sizeof(V) == sizeof(Eight) ? 3 : 2;

// Calls `work` with a tile type and its first row, for all rows from `first` on: M vectors at a time, then
// one, then single numbers.
template <class V, std::size_t M, std::size_t N, class Work>
PANTO_INLINE void for_rows(Index first, Index rows, const Work& work) noexcept {
  Index i = first;
  for (; i + Tile<V, M, N>::kRows <= rows; i += Tile<V, M, N>::kRows)
    work.template operator()<Tile<V, M, N>>(i);
  for (; i + Tile<V, 1, N>::kRows <= rows; i += Tile<V, 1, N>::kRows)
    work.template operator()<Tile<V, 1, N>>(i);
  for (; i < rows; ++i) work.template operator()<Tile<double, 1, N>>(i);
}

// Calls `work` with a number of columns and the first of them: six at a time, then three, then one.
template <class Work>
PANTO_INLINE void for_columns(Index count, const Work& work) noexcept {
  Index c = 0;
  for (; c + 6 <= count; c += 6) work.template operator()<6>(c);
  for (; c + 3 <= count; c += 3) work.template operator()<3>(c);
  for (; c < count; ++c) work.template operator()<1>(c);
}

template <class V>
PANTO_INLINE void sum_columns_by(const Panel& A, Index rows, const ColumnSum* sums, std::size_t count,
                                 const WritablePanel& out) noexcept {
  for_rows<V, 2, 6>(0, rows, [&]<class Rows>(Index i) PANTO_INLINE_LAMBDA {
    for (const ColumnSum* sum = sums; sum != sums + count; ++sum) {
      for_columns(sum->count, [&]<std::size_t N>(Index c) PANTO_INLINE_LAMBDA {
        typename Rows::template With<N> tile;
        double* Y = out.data + (sum->first + c) * out.stride + i;
        if (sum->more) {
          tile.load(Y, out.stride);
        } else {
          tile.clear();
        }
        tile.template pass<1>(Chosen{A.data, A.stride, sum->columns}, i, sum->length,
                              {sum->slopes + c, sum->next});
        tile.store(Y, out.stride);
      });
    }
  });
}

template <class V>
PANTO_INLINE void subtract_product_by(const Panel& W, const Panel& C, Index n, Index r, Index m,
                                      const WritablePanel& Y) noexcept {
  for_columns(m, [&]<std::size_t N>(Index c) PANTO_INLINE_LAMBDA {
    for_rows<V, kTall<V>, N>(0, n, [&]<class Rows>(Index i) PANTO_INLINE_LAMBDA {
      Rows tile;
      tile.load(Y.data + c * Y.stride + i, Y.stride);
      tile.template pass<-1>(InOrder{W.data, W.stride}, i, r, {C.data + c, C.stride});
      tile.store(Y.data + c * Y.stride + i, Y.stride);
    });
  });
}

template <class V>
PANTO_INLINE void downdate_lower_by(const Panel& W, Index n, Index r, Index columns,
                                    const WritablePanel& P) noexcept {
  for_columns(columns, [&]<std::size_t N>(Index c) PANTO_INLINE_LAMBDA {
    for_rows<V, kTall<V>, N>(c / 8 * 8, n, [&]<class Rows>(Index i) PANTO_INLINE_LAMBDA {
      Rows tile;
      tile.load(P.data + c * P.stride + i, P.stride);
      tile.template pass<-1>(InOrder{W.data, W.stride}, i, r, {W.data + c, W.stride});
      tile.store(P.data + c * P.stride + i, P.stride);
    });
  });
}

template <class V>
PANTO_INLINE void divide_by_transposed_by(const Panel& L, Index n, Index m, const WritablePanel& Y) noexcept {
  for_rows<V, kTall<V>, 6>(0, n, [&]<class Rows>(Index i) PANTO_INLINE_LAMBDA {
    for_columns(m, [&]<std::size_t N>(Index c) PANTO_INLINE_LAMBDA {
      typename Rows::template With<N> tile;
      tile.load(Y.data + c * Y.stride + i, Y.stride);
      tile.template pass<-1>(InOrder{Y.data, Y.stride}, i, c, {L.data + c, L.stride});
      tile.divide(L.data + c * (L.stride + 1), L.stride);
      tile.store(Y.data + c * Y.stride + i, Y.stride);
    });
  });
}

namespace wide {

PANTO_FOR_WIDTHS(sum_columns,
                 (const Panel& A, Index rows, const ColumnSum* sums, std::size_t count,
                  const WritablePanel& out),
                 (A, rows, sums, count, out))
PANTO_FOR_WIDTHS(subtract_product,
                 (const Panel& W, const Panel& C, Index n, Index r, Index m, const WritablePanel& Y),
                 (W, C, n, r, m, Y))
PANTO_FOR_WIDTHS(downdate_lower, (const Panel& W, Index n, Index r, Index columns, const WritablePanel& P),
                 (W, n, r, columns, P))
PANTO_FOR_WIDTHS(divide_by_transposed, (const Panel& L, Index n, Index m, const WritablePanel& Y),
                 (L, n, m, Y))

// sums x y in eight lanes
PANTO_WIDE double dot(const double* x, const double* y, Index n) noexcept {
  double lanes[kLanes] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8)
    for (Index l = 0; l < 8; ++l) lanes[l] += x[i + l] * y[i + l];
  for (Index l = 0; i + l < n; ++l) lanes[l] += x[i + l] * y[i + l];
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// transposes four columns of eight rows at a time in registers
PANTO_FOUR_WIDE void transpose(const Panel& A, Index n, Index m, const WritablePanel& B) noexcept {
  Index j = 0;
  for (; j + 4 <= m; j += 4) {
    const double* from = A.data + j * A.stride;
    Index i = 0;
    for (; i + 8 <= n; i += 8) {
      const double* const columns[4] = {from + i, from + A.stride + i, from + 2 * A.stride + i,
                                        from + 3 * A.stride + i};
      FourLanes<8> four;
      gather(columns, four);
#pragma GCC unroll 8
      for (Index k = 0; k < 8; ++k) std::memcpy(B.data + (i + k) * B.stride + j, &four.v[k], sizeof(Four));
    }
    for (; i < n; ++i)
      for (Index k = 0; k < 4; ++k) B.data[i * B.stride + j + k] = from[k * A.stride + i];
  }
  for (; j < m; ++j)
    for (Index i = 0; i < n; ++i) B.data[i * B.stride + j] = A.data[j * A.stride + i];
}

}  // namespace wide
}  // namespace

void sum_columns(const Panel& A, Index rows, const ColumnSum* sums, std::size_t count,
                 const WritablePanel& out) noexcept {
  wide::sum_columns(A, rows, sums, count, out);
}

void subtract_product(const Panel& W, const Panel& C, Index n, Index r, Index m,
                      const WritablePanel& Y) noexcept {
  wide::subtract_product(W, C, n, r, m, Y);
}

void downdate_lower(const Panel& W, Index n, Index r, Index columns, const WritablePanel& P) noexcept {
  wide::downdate_lower(W, n, r, columns, P);
}

void divide_by_transposed(const Panel& L, Index n, Index m, const WritablePanel& Y) noexcept {
  wide::divide_by_transposed(L, n, m, Y);
}

void solve_transposed(const Panel& L, Index m, double* y) noexcept {
  for (Index k = m - 1; k >= 0; --k) {
    const double* below = L.data + k * (L.stride + 1);
    y[k] = (y[k] - wide::dot(below + 1, y + k + 1, m - 1 - k)) / below[0];
  }
}

void transpose(const Panel& A, Index n, Index m, const WritablePanel& B) noexcept {
  wide::transpose(A, n, m, B);
}

// blocks of eight columns: the lower part is copied, and transposed right of the diagonal
void mirror_lower(const Panel& A, Index n, const WritablePanel& B) noexcept {
  for (Index j = 0; j < n; j += 8) {
    const Index width = std::min<Index>(8, n - j), below = j + width;
    for (Index c = j; c < below; ++c) {
      std::copy(A.data + c * A.stride + c, A.data + c * A.stride + n, B.data + c * B.stride + c);
      for (Index i = c + 1; i < below; ++i) B.data[i * B.stride + c] = A.data[c * A.stride + i];
    }
    wide::transpose({A.data + j * A.stride + below, A.stride}, n - below, width,
                    {B.data + below * B.stride + j, B.stride});
  }
}

}  // namespace panto
