#include "panto/math/gather.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "panto/math/four_lanes.hpp"
#include "panto/math/lanes.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

PANTO_WIDE void gather_two(const double* const (&rows)[4], double (&lanes)[2][kLanes], std::size_t first) {
  FourLanes<2> four;
  gather(rows, four);
  store(four, lanes, first);
}

PANTO_WIDE void gather_three(const double* const (&rows)[4], double (&lanes)[3][kLanes], std::size_t first) {
  FourLanes<3> four;
  gather(rows, four);
  store(four, lanes, first);
}

PANTO_WIDE void gather_nine(const double* const (&rows)[4], double (&lanes)[9][kLanes], std::size_t first) {
  FourLanes<9> four;
  gather(rows, four);
  store(four, lanes, first);
}

// Random rows at odd places of a larger array, some of them the same row; nothing but the four lanes from
// `first` may change.
template <std::size_t N, typename GatherThem>
void expect_transposed(GatherThem gather_them) {
  test::Random random(N);
  for (int run = 0; run < 1000; ++run) {
    std::vector<double> numbers(64 + N);
    for (double& number : numbers) number = test::uniform(random, -1.0, 1.0);
    const double* rows[4];
    for (const double*& row : rows) row = numbers.data() + test::pick(random, 64);
    double lanes[N][kLanes];
    for (auto& number : lanes) {
      for (double& lane : number) lane = 7.0;
    }
    const std::size_t first = test::chance(random, 0.5) ? 4 : 0;
    gather_them(rows, lanes, first);
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t l = 0; l < kLanes; ++l) {
        const bool taken = l >= first && l < first + 4;
        ASSERT_EQ(lanes[k][l], taken ? rows[l - first][k] : 7.0) << "number " << k << ", lane " << l;
      }
    }
  }
}

TEST(Gather, GivesEveryRowItsLaneWhateverTheNumberOfNumbers) {
  expect_transposed<2>(gather_two);
  expect_transposed<3>(gather_three);
  expect_transposed<9>(gather_nine);
}

TEST(Gather, ReadsNothingBeyondItsRows) {
  // rows that end where their memory ends: the address sanitizer sees a number too far
  std::array<std::vector<double>, 4> ends;
  const double* rows[4];
  for (std::size_t l = 0; l < 4; ++l) {
    ends[l].assign(9, static_cast<double>(l));
    rows[l] = ends[l].data();
  }
  double lanes[9][kLanes] = {};
  gather_nine(rows, lanes, 4);
  for (const auto& number : lanes) {
    for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(number[4 + l], static_cast<double>(l));
  }
}

// From one chunk to six, so that sources lie in one, in a pair and in several pairs of chunks.
template <int N>
void expect_taken() {
  test::Random random(static_cast<unsigned>(N));
  for (std::size_t chunks = 1; chunks <= 6; ++chunks) {
    const std::size_t lanes = chunks * kLanes;
    LaneArray<N> from(lanes), to(lanes, -7.0);
    for (std::size_t i = 0; i < from.flat_size(); ++i) from[i] = test::uniform(random, -1.0, 1.0);
    for (int run = 0; run < 50; ++run) {
      std::vector<int> source(lanes);
      for (int& lane : source)
        lane = static_cast<int>(test::uniform(random, 0.0, 1.0) * static_cast<double>(lanes));
      if (run == 0) source.assign(lanes, static_cast<int>(lanes) - 1);
      if (run % 2 == 1) {  // out of two chunks each, as in trees whose bodies stand behind those they hang on
        const auto some_chunk = [&] { return test::pick(random, static_cast<int>(chunks)); };
        for (std::size_t c = 0; c < chunks; ++c) {
          const std::array<int, 2> chunk{some_chunk(), some_chunk()};
          for (std::size_t l = 0; l < kLanes; ++l)
            source[c * kLanes + l] =
                chunk[static_cast<std::size_t>(test::pick(random, 2))] * static_cast<int>(kLanes) +
                test::pick(random, static_cast<int>(kLanes));
        }
      }
      take_lanes(LaneSources(source), from, to);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        for (int k = 0; k < N; ++k)
          ASSERT_EQ(to(k, lane), from(k, static_cast<std::size_t>(source[lane])))
              << chunks << " chunks, lane " << lane;
      }
    }
  }
}

TEST(FourLanes, AnyLanesAreTakenFromAnyChunks) {
  expect_taken<3>();
  expect_taken<9>();
}

TEST(FourLanes, ProductsOfLanesAreThoseOfMatrices) {
  test::Random random(3);
  LaneArray<9> A(2 * kLanes), B(2 * kLanes);
  for (std::size_t i = 0; i < A.flat_size(); ++i) A[i] = test::uniform(random, -1.0, 1.0);
  for (std::size_t i = 0; i < B.flat_size(); ++i) B[i] = test::uniform(random, -1.0, 1.0);
  const LaneArray<9> before = A;
  multiply_lanes(A, B);
  for (std::size_t lane = 0; lane < A.size(); ++lane) {
    const Eigen::Matrix3d product = to_eigen(mat3(before, lane)) * to_eigen(mat3(B, lane));
    EXPECT_LT((to_eigen(mat3(A, lane)) - product).norm(), 1e-15) << "lane " << lane;
  }
}

}  // namespace
}  // namespace panto
