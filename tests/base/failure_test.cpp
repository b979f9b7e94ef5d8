#include "panto/base/failure.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

namespace panto {
namespace {

template <typename Thrown>
std::string explained(const Thrown& thrown, const std::string& place) {
  std::string problem = "left from before";
  try {
    throw thrown;
  } catch (...) {
    explain_failure(place, problem);
  }
  return problem;
}

TEST(Failure, IsCalledLackOfMemoryOnlyWhereMemoryLacks) {
  EXPECT_EQ(explained(std::bad_alloc(), "take.mvnx"), "take.mvnx: out of memory");
  EXPECT_EQ(explained(std::length_error("a name of 9 GB"), "take.mvnx"), "take.mvnx: a name of 9 GB");
  EXPECT_EQ(explained(7, "take.mvnx"), "take.mvnx: stopped by an unknown error");
}

TEST(Failure, HasNoColonWithoutAPlace) {
  EXPECT_EQ(explained(std::runtime_error("no frame"), ""), "no frame");
}

}  // namespace
}  // namespace panto
