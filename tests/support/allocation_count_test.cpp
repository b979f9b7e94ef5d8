// The guard is tested with the very mistakes it must catch.

#include "apps/support/allocation_count.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using panto::AllocationCount;

/// Keeps the optimiser from removing an allocation that nobody reads.
void keep(const void* pointer) { asm volatile("" : : "g"(pointer) : "memory"); }

class AllocationCounting : public testing::Test {
 protected:
  void SetUp() override {
    if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  }
};

TEST_F(AllocationCounting, IsZeroWhereNothingIsAllocated) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Random(40, 40), B = A, C(40, 40);
  const AllocationCount count;
  C.noalias() = A.transpose() * B;
  EXPECT_EQ(count.value(), 0);
}

TEST_F(AllocationCounting, CountsOneForEachCFunction) {
  const AllocationCount count;
  void* a = std::malloc(10);  // NOLINT(cppcoreguidelines-no-malloc): what is tested
  keep(a);
  EXPECT_EQ(count.value(), 1);
  void* b = std::calloc(10, 10);
  keep(b);
  EXPECT_EQ(count.value(), 2);
  b = std::realloc(b, 1000);
  keep(b);
  EXPECT_EQ(count.value(), 3);
  void* c = std::aligned_alloc(64, 128);
  keep(c);
  EXPECT_EQ(count.value(), 4);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(c) % 64, 0U);
  void* d = nullptr;
  ASSERT_EQ(posix_memalign(&d, 128, 1), 0);
  EXPECT_EQ(count.value(), 5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(d) % 128, 0U);
  EXPECT_EQ(posix_memalign(&d, 3, 1), EINVAL) << "an alignment that is not a power of two";
  for (void* block : {a, b, c, d}) std::free(block);
  EXPECT_EQ(count.value(), 5) << "free is not an allocation";
}

TEST_F(AllocationCounting, CallocStillClearsAndReallocStillCopies) {
  auto* bytes = static_cast<unsigned char*>(std::calloc(64, 1));
  for (int i = 0; i < 64; ++i) ASSERT_EQ(bytes[i], 0);
  bytes[63] = 42;
  bytes = static_cast<unsigned char*>(std::realloc(bytes, 4096));
  EXPECT_EQ(bytes[63], 42);
  std::free(bytes);
}

TEST_F(AllocationCounting, CatchesAnEigenTemporaryInAnOptimisedBuild) {
  // the mutant that EIGEN_RUNTIME_NO_MALLOC lets through under NDEBUG: a product of three, noalias and all
  const Eigen::MatrixXd J = Eigen::MatrixXd::Random(60, 72);
  const Eigen::VectorXd w = Eigen::VectorXd::Ones(60);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(72, 72);
  const AllocationCount count;
  H.noalias() = J.transpose() * w.asDiagonal() * J;
  EXPECT_GT(count.value(), 0);
}

TEST_F(AllocationCounting, CatchesAnEigenVectorMadeInTheLoop) {
  const AllocationCount count;
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(30);
  keep(x.data());
  EXPECT_EQ(count.value(), 1);
}

TEST_F(AllocationCounting, CatchesContainersAndStrings) {
  std::vector<int> grows;
  const AllocationCount count;
  grows.push_back(1);
  keep(grows.data());
  EXPECT_EQ(count.value(), 1);
  const std::string text(100, 'x');
  keep(text.data());
  EXPECT_EQ(count.value(), 2);
  const auto owned = std::make_unique<std::array<double, 8>>();
  keep(owned.get());
  EXPECT_EQ(count.value(), 3);
}

TEST_F(AllocationCounting, CatchesAlignedNew) {
  struct alignas(64) Wide {
    double lanes[8];
  };
  const AllocationCount count;
  const auto wide = std::make_unique<Wide>();
  keep(wide.get());
  EXPECT_EQ(count.value(), 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.get()) % 64, 0U);
}

TEST_F(AllocationCounting, LetsAPreparedFactorisationPass) {
  const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(72, 72) * 2.0;
  Eigen::LLT<Eigen::MatrixXd> llt(72);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(72);
  const AllocationCount count;
  llt.compute(A);
  llt.solveInPlace(x);
  EXPECT_EQ(count.value(), 0);
}

TEST_F(AllocationCounting, ScopesNest) {
  const AllocationCount outer;
  const std::vector<int> first(10);
  keep(first.data());
  const AllocationCount inner;
  const std::vector<int> second(10);
  keep(second.data());
  EXPECT_EQ(inner.value(), 1);
  EXPECT_EQ(outer.value(), 2);
}

TEST_F(AllocationCounting, LeavesOtherThreadsOut) {
  long theirs = 0;
  long ours = -1;
  {
    std::jthread other([&theirs] {
      const AllocationCount count;
      const std::vector<int> memory(1000);
      keep(memory.data());
      theirs = count.value();
    });
    const AllocationCount count;
    other.join();
    ours = count.value();
  }
  EXPECT_EQ(theirs, 1);
  EXPECT_EQ(ours, 0);
}

}  // namespace
