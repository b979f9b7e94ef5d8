#include "panto/io/state_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "panto/base/error.hpp"
#include "panto/model/human.hpp"

namespace {

using namespace panto;
using namespace panto::io;

TEST(StateFile, IsChosenByItsExtension) {
  const Model model = human66();
  for (const char* extension : {".csv", ".mot", ".sto", ".bvh", ".BVH", ".mvnx"}) {
    const std::string path = ::testing::TempDir() + "panto_state_file" + extension;
    const auto file = create_state_file(path, model, {.rate_hz = 60.0});
    ASSERT_EQ(file->write(rest_state(model)), WriteStatus::Written) << extension;
    file->close();
    EXPECT_GT(std::filesystem::file_size(path), 0U);
    std::filesystem::remove(path);
  }
}

TEST(StateFile, ListsTheExtensionsThatItKnows) {
  const Model model = human66();
  for (const char* path : {"take.fbx", "take", "folder.csv/take"}) {
    try {
      (void)create_state_file(path, model, {.rate_hz = 60.0});
      ADD_FAILURE() << path;
    } catch (const ConfigError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(path), std::string::npos) << message;
      EXPECT_NE(message.find("expected .csv, .mot or .sto"), std::string::npos) << message;
    }
  }
}

}  // namespace
