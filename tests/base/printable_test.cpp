#include "panto/base/printable.hpp"

#include <gtest/gtest.h>

#include <string>

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
  EXPECT_EQ(printable("\xc2"), "\\xc2") << "a command that is cut";
}

TEST(Printable, KeepsANameOnItsLine) {
  EXPECT_EQ(printable("two\nlines\t."), "two\nlines\t.");
  EXPECT_EQ(printable_name("two\nlines\t."), "two\\x0alines\\x09.");
}

TEST(Printable, ShowsMarksThatTurnTheDirectionOfWriting) {
  for (const char* mark : {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa", "\xe2\x80\xae",
                           "\xe2\x81\xa6", "\xe2\x81\xa9", "\xe2\x80\xa8"})
    EXPECT_EQ(printable(std::string("a") + mark).substr(0, 3), "a\\x") << printable(mark);
  for (const char* letter : {"\xd8\xa7", "\xd7\x90", "\xe2\x82\xac", "\xe2\x80\x93", "\xe2\x81\xb0"})
    EXPECT_EQ(printable(letter), letter) << "an Arabic, a Hebrew, and others";
}

TEST(Printable, KeepsJsonWhatItWas) {
  EXPECT_EQ(printable_json("{\"a\xc2\x9b\": \"\xe2\x80\xae\xc3\xa4\x7f\"}\n"),
            "{\"a\\u009b\": \"\\u202e\xc3\xa4\\u007f\"}\n");
  EXPECT_EQ(printable_json("\xd8\x9c\xe2\x82\xac"), "\\u061c\xe2\x82\xac");
}

}  // namespace
}  // namespace panto
