#include "panto/bridge/run_outputs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "panto/base/error.hpp"
#include "panto/io/npz_motion.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/refusals.hpp"

namespace panto::bridge {
namespace {

using test::names;
using test::refusal_of;

constexpr double kRate = 50.0;

// Writes frames to all outputs, as a run's threads would.
void feed(const RunOutputs& outputs, const Model& model, int frames) {
  LiveFrame frame{rest_state(model), {}, true, 1};
  for (int k = 0; k < frames; ++k) {
    frame.state.t = from_seconds(k / kRate);
    frame.state.s[0] = 0.01 * k;
    for (live::LiveOutput* output : outputs.all()) output->write(frame);
  }
}

TEST(RunOutputs, AFileHoldsEveryFrameOnceItIsClosed) {
  const Model model = test::chain_model(3);
  const live::Arming arming(true);
  const std::string path = testing::TempDir() + "run_outputs_take.npz";
  RunOutputs outputs({path}, &model, {{}, kRate, scaled_subject(1.75)}, arming);
  EXPECT_EQ(outputs.files(), std::vector<std::string>{path});
  EXPECT_FALSE(outputs.moves_robots());
  feed(outputs, model, 40);
  EXPECT_EQ(outputs.close(), std::vector<std::string>{});
  EXPECT_EQ(outputs.written(), std::vector<std::string>{path});
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const Motion motion = io::read_npz_motion(bytes, path, model);
  ASSERT_EQ(motion.states.size(), 40u);
  EXPECT_EQ(motion.states[39].s[0], 0.39);
}

TEST(RunOutputs, ARobotThatTakesNothingIsAFailureThatNamesIt) {
  const Model model = test::chain_model(3);
  const live::Arming arming(true);
  const std::string robot = "udp://127.0.0.1:9";  // where nobody listens
  RunOutputs outputs({robot}, &model, {{}, kRate, scaled_subject(1.75)}, arming);
  EXPECT_TRUE(outputs.moves_robots());
  feed(outputs, model, 30);
  const std::vector<std::string> problems = outputs.close();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(names(problems[0], robot, "could not be sent", "is a receiver running there?")) << problems[0];
  ASSERT_EQ(outputs.written().size(), 1u) << "how much was sent is told all the same";
}

TEST(RunOutputs, RefuseNamesBeforeAnybodyPutsASuitOn) {
  const auto refusal = [](const std::vector<std::string>& outputs, const std::string& remedy = "") {
    return refusal_of<ConfigError>([&] { check_run_outputs(outputs, "", true, remedy); });
  };
  EXPECT_EQ(refusal({"take.csv", "udp://127.0.0.1:7000", "ros2://"}), "");
  EXPECT_TRUE(names(refusal({"take.csv"}, "give a model"), "take.csv", "joint angles", "give a model"));
  EXPECT_EQ(refusal({"vmc://127.0.0.1:39539"}, "give a model"), "") << "persons need no model";
  EXPECT_TRUE(names(refusal({"take.csv", "take.csv"}), "take.csv"));
  EXPECT_TRUE(names(refusal({"udp://127.0.0.1:7000", "udp://127.0.0.1:7000"}), "given twice"));
  EXPECT_NE(refusal({"gopher://127.0.0.1:7000"}), "");
  EXPECT_NE(refusal({"take.trc"}), "");
}

}  // namespace
}  // namespace panto::bridge
