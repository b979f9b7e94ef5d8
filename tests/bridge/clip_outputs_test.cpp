#include "panto/bridge/clip_outputs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "panto/base/error.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"

namespace panto::bridge {
namespace {

using test::names;
using test::refusal_of;

std::string in_folder(const std::string& name) { return testing::TempDir() + "clip_outputs_" + name; }

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::int64_t lines_of(const std::string& path) {
  const std::string text = text_of(path);
  return std::count(text.begin(), text.end(), '\n');
}

// The bundled walk, tracked with human48.
struct WalkRun {
  std::unique_ptr<Recording> recording = test::bundled_walk();
  std::vector<std::string> notes;
  Model model = io::open_model("human48", scaled_subject(1.75), notes);

  ClipRun run() {
    return {model, recording->info(), recording->names(), followed_pairs(*recording, model), nullptr};
  }
  TrackResult track_into(ClipOutputs& outputs) {
    Observer observer;
    outputs.watch(observer);
    TrackOptions options;
    options.keep_motion = false;
    return track(*recording, model, options, observer);
  }
};

TEST(ClipOutputs, WriteEveryFrameToFilesATableAndAPage) {
  WalkRun walk;
  ClipOutputOptions options;
  options.input = "walk.bvh";
  options.outputs = {in_folder("walk.csv"), in_folder("walk.mot")};
  options.frames = in_folder("frames.csv");
  options.report = in_folder("walk.html");
  EXPECT_EQ(written_files(options).size(), 4u);
  check_clip_outputs(options, {"walk.bvh"}, io::Mover::Human);
  ClipRun run = walk.run();
  run.settings = {{"--model", "human48"}};
  run.version = "1.2.3";
  ClipOutputs outputs(options, run, walk.notes);
  const TrackResult result = walk.track_into(outputs);
  EXPECT_TRUE(outputs.close(page_result(result, walk.recording->info(), {})).empty());
  EXPECT_TRUE(outputs.complete());
  EXPECT_EQ(outputs.written(), (std::vector<std::string>{options.outputs[0], options.outputs[1],
                                                         options.frames, options.report}));
  ASSERT_GT(result.card.frames, 100) << "the walk lasts seconds";
  EXPECT_EQ(lines_of(options.frames), result.frames_used + 1) << "a head, and a line per frame";
  EXPECT_GE(lines_of(options.outputs[0]), result.frames_used);
  const std::string page = text_of(options.report);
  EXPECT_TRUE(names(page, "1.2.3", "--model", "walk.bvh")) << page.size();
}

TEST(ClipOutputs, TellHowManyReferencesNobodyTook) {
  WalkRun walk;
  ClipOutputOptions options;
  options.outputs = {"udp://127.0.0.1:9"};  // where nobody listens
  options.rate = 1000.0;
  ClipOutputs outputs(options, walk.run(), walk.notes);
  Observer observer;
  outputs.watch(observer);
  observer.begin();
  State state = rest_state(walk.model);
  for (int k = 0; k < 50; ++k) {
    state.t = from_seconds(k * 1e-3);
    for (Sink* sink : observer.sinks) EXPECT_EQ(sink->write(state), WriteStatus::Written);
  }
  const std::vector<std::string> problems = outputs.close({});
  ASSERT_EQ(outputs.written().size(), 1u);
  EXPECT_TRUE(names(outputs.written()[0], "udp://127.0.0.1:9", "1000 Hz", "did not answer"))
      << outputs.written()[0];
  ASSERT_EQ(problems.size(), 1u) << "a closed port refuses datagrams";
  EXPECT_TRUE(names(problems[0], "could not be sent", "is a receiver running there?")) << problems[0];
  EXPECT_FALSE(outputs.complete());
}

TEST(ClipOutputs, RefuseNamesBeforeTheRun) {
  const auto refusal = [](std::vector<std::string> outputs, io::Mover mover = io::Mover::Human) {
    ClipOutputOptions options;
    options.input = "walk.bvh";
    options.outputs = std::move(outputs);
    return refusal_of<ConfigError>(
        [&] { check_clip_outputs(options, {PANTO_EXAMPLES "/data/walk.bvh"}, mover); });
  };
  EXPECT_EQ(refusal({"a.csv", "b.mot"}), "");
  EXPECT_TRUE(names(refusal({"a.trc"}), "points are not tracked", "`panto convert walk.bvh a.trc`"));
  EXPECT_TRUE(names(refusal({"a.csv", "a.csv"}), "a.csv"));
  EXPECT_TRUE(names(refusal({"udp://127.0.0.1:7000", "udp://127.0.0.1:7000"}), "given twice"));
  EXPECT_TRUE(names(refusal({PANTO_EXAMPLES "/data/walk.bvh"}), "walk.bvh")) << "an input";
  EXPECT_TRUE(names(refusal({"a.bvh"}, io::Mover::Robot), "a.bvh")) << "a robot has no skeleton of segments";
  EXPECT_EQ(refusal({"a.bvh", "a.glb", "a.npz"}, io::Mover::Character), "");
  EXPECT_TRUE(names(refusal({"a.mvnx"}, io::Mover::Character), "can be written to .bvh, .glb or .npz"));
  EXPECT_NE(refusal({"udp://nowhere"}), "");
}

TEST(ClipOutputs, RefuseIsbAnglesWhereNoOutputHoldsThem) {
  ClipOutputOptions options;
  options.angles = io::AngleConvention::Isb;
  const auto refusal = [&](std::vector<std::string> outputs) {
    options.outputs = std::move(outputs);
    return refusal_of<ConfigError>([&] { check_clip_outputs(options, {}, io::Mover::Human); });
  };
  EXPECT_TRUE(names(refusal({"a.bvh", "a.npz"}), "no effect", ".csv"));
  EXPECT_EQ(refusal({"a.bvh", "a.sto"}), "");
}

}  // namespace
}  // namespace panto::bridge
