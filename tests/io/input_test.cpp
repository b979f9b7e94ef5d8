#include "panto/io/input.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "panto/base/error.hpp"

namespace panto::io {
namespace {

TEST(Input, OfAFolderGivesItsNameAndRefusesToBeRead) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_THROW(Input{folder}, FormatError);
  Input input(folder, Folder::Allowed);
  EXPECT_TRUE(input.is_folder());
  EXPECT_EQ(input.name(), folder);
  EXPECT_TRUE(input.head().empty());
  EXPECT_THROW((void)input.whole(1000), FormatError);
  EXPECT_THROW((void)input.stream(), FormatError);
  EXPECT_THROW((void)std::move(input).take_stream(), FormatError);
}

TEST(Input, RefusesAnEmptyNameAndMoreBytesThanAllowed) {
  EXPECT_THROW(Input{std::string()}, ConfigError);
  Input bytes(std::string(11, 'x'), "a.txt");
  EXPECT_EQ(bytes.whole(11).size(), 11U);
  EXPECT_THROW((void)bytes.whole(10), FormatError);
}

}  // namespace
}  // namespace panto::io
