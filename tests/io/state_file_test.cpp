#include "panto/io/state_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/io/open_model.hpp"
#include "panto/model/human.hpp"
#include "tests/support/refusals.hpp"

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

TEST(StateFile, SaysWhichFilesHoldARobotsMotion) {
  std::vector<std::string> notes;
  const Model g1 = open_model("unitree_g1", scaled_subject(1.75), notes);
  for (const char* path : {"a.bvh", "a.mvnx"}) {
    const std::string made =
        test::refusal_of<ConfigError>([&] { (void)create_state_file(path, g1, {.rate_hz = 60.0}); });
    const std::string named = test::refusal_of<ConfigError>([&] { check_state_name(path, Mover::Robot); });
    EXPECT_EQ(made, named);
    EXPECT_TRUE(test::names(named, path, "a robot's motion can be written to .csv, .mot, .sto or .npz"));
    check_state_name(path);
  }
}

std::string text_of(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(StateFile, HoldsTheDeviationsThatComeWithAState) {
  const Model model = human48();
  for (const char* extension : {".csv", ".sto"}) {
    const std::string path = ::testing::TempDir() + "panto_deviations" + extension;
    const auto file = create_state_file(path, model, {.rate_hz = 60.0, .deviations = true});
    State state = rest_state(model);
    const Eigen::VectorXd deviation = Eigen::VectorXd::Constant(model.dof(), 0.25);
    ASSERT_EQ(file->write_with(state, deviation), WriteStatus::Written);
    state.t = 1'000'000;
    ASSERT_EQ(file->write(state), WriteStatus::Written) << "without: they are not known";
    file->close();
    const std::string text = text_of(path);
    const std::string last = text.substr(text.rfind('\n', text.size() - 2));
    EXPECT_NE(text.find(extension == std::string(".csv") ? "0.25" : "14.32"), std::string::npos) << extension;
    EXPECT_NE(last.find("nan"), std::string::npos) << last;
    std::filesystem::remove(path);
  }
}

TEST(StateFile, WithoutColumnsForThemDeviationsAreLeftOut) {
  const Model model = human48();
  std::string texts[2];
  for (int with = 0; with < 2; ++with) {
    const std::string path = ::testing::TempDir() + "panto_no_deviations.csv";
    const auto file = create_state_file(path, model, {.rate_hz = 60.0});
    const Eigen::VectorXd deviation = Eigen::VectorXd::Constant(model.dof(), 0.25);
    ASSERT_EQ(with == 1 ? file->write_with(rest_state(model), deviation) : file->write(rest_state(model)),
              WriteStatus::Written);
    file->close();
    texts[with] = text_of(path);
    std::filesystem::remove(path);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_THROW((void)create_state_file("a.bvh", model, {.rate_hz = 60.0, .deviations = true}), ConfigError);
}

}  // namespace
