#include "panto/io/part_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "panto/base/error.hpp"

namespace panto::io {
namespace {

namespace fs = std::filesystem;

// A folder of its own.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("panto_part_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return (path / name).string(); }
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(const std::string& path) {
  try {
    const PartFile file(Destination{path});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// leaves what a process that is killed after writing `text` leaves
void killed_after(const std::string& path, const std::string& text) {
  const pid_t child = fork();
  if (child == 0) {
    PartFile file(Destination{path});
    (void)(file.write(text) && file.flush());
    _exit(0);  // no destructor
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

TEST(PartFile, OfARunThatWritesIsNotTakenByAnother) {
  const Folder folder;
  const std::string path = folder.file("a.csv");
  PartFile first(Destination{path});
  EXPECT_NE(refusal(path).find("another run is writing it"), std::string::npos) << refusal(path);
  ASSERT_TRUE(first.write("1,2\n"));
  first.close();
  EXPECT_EQ(content(path), "1,2\n");
  EXPECT_EQ(refusal(path), "") << "now it is free";
}

TEST(PartFile, ThatIsEmptyAndOfAKilledRunIsTakenOver) {
  const Folder folder;
  const std::string path = folder.file("a.npz");
  killed_after(path, "");
  ASSERT_TRUE(fs::exists(path + ".part"));
  PartFile again(Destination{path});
  ASSERT_TRUE(again.write("whole"));
  again.close();
  EXPECT_EQ(content(path), "whole");
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST(PartFile, WithContentOfAKilledRunStaysAndTheRemedyIsSaid) {
  const Folder folder;
  const std::string path = folder.file("a.csv");
  killed_after(path, "half a ta");
  const std::string said = refusal(path);
  EXPECT_NE(said.find("no program is writing it"), std::string::npos) << said;
  EXPECT_NE(said.find("move or remove it"), std::string::npos) << said;
  EXPECT_EQ(content(path + ".part"), "half a ta");
}

TEST(PartFile, NeverFollowsALinkThatStandsInItsPlace) {
  const Folder folder;
  const std::string path = folder.file("a.csv"), other = folder.file("other");
  std::ofstream(other) << "";
  fs::create_symlink(other, path + ".part");
  EXPECT_EQ(refusal(path), path + ".part exists, but cannot be written: it is a link; move or remove it");
  EXPECT_EQ(content(other), "");
}

}  // namespace
}  // namespace panto::io
