#include "panto/io/numbered_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace panto {
namespace {

TEST(NumberedFiles, OnePartKeepsItsNameSeveralAreNumberedFromOne) {
  EXPECT_EQ(io::numbered("a/wave.csv", 0, 1), "a/wave.csv");
  EXPECT_EQ(io::numbered("a/wave.csv", 1, 3), "a/wave_2.csv");
  EXPECT_EQ(io::numbered("", 0, 3), "");
}

TEST(NumberedFiles, PartsOfAnEarlierRunAreFoundTheInputAndOthersAreNot) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "numbered_files";
  fs::create_directories(folder);
  for (const char* name :
       {"wave_1.csv", "wave_2.csv", "wave_3.csv", "wave_03.csv", "wave_x.csv", "wave_4.npz"})
    std::ofstream(folder / name) << "x";
  const std::string path = (folder / "wave.csv").string();
  EXPECT_EQ(io::parts_left_over(path, 2, ""), std::vector<std::string>{(folder / "wave_3.csv").string()});
  EXPECT_TRUE(io::parts_left_over(path, 2, (folder / "wave_3.csv").string()).empty());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace panto
