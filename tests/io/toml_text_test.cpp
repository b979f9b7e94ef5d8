#include "panto/io/toml_text.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <cmath>
#include <limits>
#include <random>

namespace panto::io {
namespace {

double read_back(const std::string& number) {
  return toml::parse("x = " + number)["x"].value<double>().value_or(std::nan(""));
}

TEST(TomlText, NumbersReadBackToTheBit) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -0.0, 1.0, -2.5, 0.1 + 0.2, 1e-9, 1e15, 9.5e15, 1e16, 1e17, 1e300, -1e-308,
                             5e-324, 9007199254740993.0, inf, -inf}) {
    EXPECT_EQ(read_back(toml_number(value)), value) << toml_number(value);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 1000) - 600);
    ASSERT_EQ(read_back(toml_number(value)), value) << toml_number(value);
  }
}

TEST(TomlText, NumbersAreShort) {
  EXPECT_EQ(toml_number(1.0), "1");
  EXPECT_EQ(toml_number(-0.25), "-0.25");
  EXPECT_EQ(toml_number(1e-9), "1e-09");
}

TEST(TomlText, StringsReadBack) {
  for (const std::string text :
       {"plain", "", "a \"quote\" and \\ back", "tab\tline\nend", "\xc3\xbc \xf0\x9f\x99\x82", "\x7f"}) {
    EXPECT_EQ(toml::parse("x = " + toml_string(text).value())["x"].value<std::string>(), text);
  }
}

TEST(TomlText, WhatIsNotUtf8IsNoString) {
  for (const char* text : {"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80"})
    EXPECT_FALSE(toml_string(text));
}

TEST(TomlText, CommentsAreOneLineOfUtf8) {
  EXPECT_EQ(toml_comment("a\nb\tc\xff \xc3\xbc"), "a?b?c? \xc3\xbc");
}

}  // namespace
}  // namespace panto::io
