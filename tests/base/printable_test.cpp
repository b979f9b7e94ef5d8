#include "panto/base/printable.hpp"

#include <gtest/gtest.h>

#include "panto/base/utf8.hpp"

namespace panto {
namespace {

TEST(Utf8, IsWholeCharactersAlone) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
  EXPECT_EQ(utf8_length("\xe2\x82\xac", 0), 3U);
  EXPECT_EQ(utf8_length("\xe2\x82\xac", 1), 0U);
  for (const char* text : {"\xc3", "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xff"})
    EXPECT_FALSE(is_utf8(text)) << "cut, overlong, a surrogate, or beyond the last character";
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("caf\xc3\xa9\n\ttakes"), "caf\xc3\xa9\n\ttakes");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a command of two bytes";
  EXPECT_EQ(printable("a\xff"), "a\\xff");
}

}  // namespace
}  // namespace panto
