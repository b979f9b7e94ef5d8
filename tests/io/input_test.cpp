#include "panto/io/input.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"
#include "tests/support/sanitizers.hpp"

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

// 10 GiB of which nothing was written take no space on disk, and must take none in memory.
TEST(Input, RefusesASparseFileBeforeItIsRead) {
  const auto path = std::filesystem::temp_directory_path() / ("panto_sparse_" + std::to_string(::getpid()));
  std::ofstream(path) << "HIERARCHY\n";
  std::filesystem::resize_file(path, std::uintmax_t{10} << 30U);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  Input input(path.string());
  EXPECT_THROW((void)input.whole(std::size_t{1} << 30U), FormatError) << "too large";
  EXPECT_THROW((void)input.whole(std::size_t{11} << 30U, Content::Text), FormatError) << "no text";
  EXPECT_THROW((void)read_text_file(path.string(), std::size_t{1} << 30U), FormatError);
  getrusage(RUSAGE_SELF, &after);
  if (!test::sanitized()) {  // whose allocator maps memory of its own
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16L << 10U) << "[KiB]";
  }
  std::filesystem::remove(path);
}

TEST(Input, ReadsTextsWithFewZerosAndBinaryFilesWithMany) {
  const std::string zeros(std::size_t{1} << 20U, '\0');
  Input binary(zeros, "a.npz");
  EXPECT_EQ(binary.whole(zeros.size()), zeros);
  Input few(std::string(100'000, ' ') + std::string(100, '\0') + "x", "a.bvh");
  EXPECT_EQ(few.whole(200'000, Content::Text).size(), 100'101U) << "its reader says what is wrong";
}

}  // namespace
}  // namespace panto::io
