#include "panto/bridge/token.hpp"

#include <gtest/gtest.h>

namespace panto::bridge {
namespace {

TEST(Secrets, AreTheSameOnlyWhole) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "abc"));
  EXPECT_FALSE(same_secret("abc", ""));
}

TEST(Secrets, AreNewEachTimeAndOf128Bits) {
  const std::string one = new_token(), other = new_token();
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, other);
}

}  // namespace
}  // namespace panto::bridge
