#include "panto/report/paragraph.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace panto {
namespace {

TEST(Fitted, LinesAreBrokenBetweenWordsAndIndented) {
  EXPECT_EQ(fitted("one two three", 80), "one two three");
  EXPECT_EQ(fitted("one two three", 8), "one two\n  three");
  EXPECT_EQ(fitted("", 8), "");
  EXPECT_EQ(fitted("unbreakable", 4), "unbreakable") << "a word that is too long stays whole";
}

TEST(Fitted, NoLineIsWiderThanTheTerminal) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::string(1 + static_cast<std::size_t>(i % 13), 'x') + ' ';
  for (const std::size_t width : {40U, 80U, 120U}) {
    std::istringstream lines(fitted(text, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width);
  }
}

}  // namespace
}  // namespace panto
