#include "panto/base/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace panto {
namespace {

const std::vector<std::string> kLinks{"Pelvis", "LeftHand", "RightHand"};

TEST(UnknownName, SaysWhatIsMissingWhereAndWhatIsThere) {
  EXPECT_EQ(unknown_name("link", "LeftHnd", "model 'human66'", kLinks),
            "no link 'LeftHnd' in model 'human66'; did you mean 'LeftHand'? (3 links: Pelvis, LeftHand, "
            "RightHand)");
}

TEST(UnknownName, SuggestsTheNearestBlindToCase) {
  EXPECT_NE(unknown_name("link", "righthand", "m", kLinks).find("did you mean 'RightHand'?"),
            std::string::npos);
  EXPECT_NE(unknown_name("link", "PELVIS", "m", kLinks).find("did you mean 'Pelvis'?"), std::string::npos);
}

TEST(UnknownName, SuggestsNothingWhenNothingIsNear) {
  // at most half of the letters may be wrong
  EXPECT_EQ(unknown_name("link", "tail", "model 'm'", kLinks),
            "no link 'tail' in model 'm' (3 links: Pelvis, LeftHand, RightHand)");
}

TEST(UnknownName, CountsInTheSingularAndTheNone) {
  EXPECT_EQ(unknown_name("joint", "x", "the source", {"elbow"}),
            "no joint 'x' in the source (1 joint: elbow)");
  EXPECT_EQ(unknown_name("joint", "x", "the source", {}), "no joint 'x' in the source (0 joints)");
}

TEST(UnknownName, StaysReadableForManyAndForEndlessNames) {
  std::vector<std::string> many;
  for (int i = 0; i < 500; ++i) many.push_back("segment" + std::to_string(i));
  const std::string text = unknown_name("segment", "zzzzzzzzzzzz", "m", many);
  EXPECT_NE(text.find("(500 segments: segment0, "), std::string::npos);
  EXPECT_NE(text.find("segment39, ...)"), std::string::npos);
  EXPECT_EQ(text.find("segment40,"), std::string::npos);
  // names come from files: a megabyte of one neither fills the screen nor takes a minute
  const std::string endless(1'000'000, 'x');
  EXPECT_LT(unknown_name("segment", endless, "m", {endless}).size(), 400U);
}

TEST(Errors, AreAllCaughtAsErrorAndKeepTheirText) {
  static_assert(std::is_base_of_v<std::runtime_error, Error>);
  static_assert(std::is_base_of_v<Error, ModelError> && std::is_base_of_v<Error, ConfigError> &&
                std::is_base_of_v<Error, FormatError>);
  try {
    throw FormatError("take.mvnx:12: why");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "take.mvnx:12: why");
  }
}

}  // namespace
}  // namespace panto
