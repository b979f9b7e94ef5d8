#include "panto/synthesis/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

TEST(Scenes, AreListedAndEveryOneCanBeMade) {
  std::set<std::string> names;
  for (const SceneName& known : scene_names()) {
    names.emplace(known.name);
    const Scene scene = make_scene(known.name);
    EXPECT_EQ(scene.name, known.name);
    EXPECT_EQ(scene.body, "human66");
    EXPECT_EQ(scene.model->dof(), 66);
    EXPECT_EQ(&scene.motion.model(), scene.model.get());
    if (known.human48) {
      EXPECT_EQ(make_scene(known.name, "human48").model->dof(), 48);
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"free", "few", "clamped", "positions", "tpose", "walk", "run"}));
}

TEST(Scenes, WanderWithinTheLimitsThatWerePublished) {
  for (const auto& [name, speed] :
       {std::pair{"free", 20.0}, {"few", 3.0}, {"clamped", 1.5}, {"positions", 20.0}}) {
    const Scene scene = make_scene(name);
    EXPECT_TRUE((scene.model->velocity_limit().array() == speed).all()) << name;
    EXPECT_TRUE((scene.model->upper().array() == 2.5).all() && (scene.model->lower().array() == -2.5).all());
    EXPECT_EQ(scene.tanh_gain, 5.0);
    EXPECT_EQ(scene_samples(scene).size(), 1500U) << "15 s at 100 Hz";
    for (const Curve& joint : scene.motion.joints()) {
      ASSERT_EQ(joint.waves().size(), 1U);
      EXPECT_GE(joint.amplitude(), 0.18 - 1e-12);
      EXPECT_LE(joint.amplitude(), 0.6 + 1e-12);
      const double hz = joint.waves().front().omega / (2.0 * 3.14159265358979323846);
      EXPECT_GE(hz, 0.3);
      EXPECT_LE(hz, 1.2 + 1e-12);
    }
  }
}

// the speed limits ask for what their names say: nothing, little, much
TEST(Scenes, DifferInHowManyJointsAreTooFast) {
  const auto too_fast = [](const char* name) {
    const Scene scene = make_scene(name);
    State state = scene.motion.state(0);
    std::int64_t count = 0;
    for (int frame = 0; frame < 1500; ++frame) {
      scene.motion.evaluate(frame_time(frame, scene.rate_hz), state);
      count += (state.sdot.cwiseAbs().array() > scene.model->velocity_limit().array()).count();
    }
    return static_cast<double>(count) / 1500.0;
  };
  EXPECT_EQ(too_fast("free"), 0.0);
  // the mean over all draws of these amplitudes and frequencies is 2.8 +- 1.0 and 20 +- 2.3
  EXPECT_NEAR(too_fast("few"), 2.8, 3.0);
  EXPECT_GT(too_fast("few"), 0.5);
  EXPECT_NEAR(too_fast("clamped"), 20.0, 7.0);
}

TEST(Scenes, CloseAfterTheirLap) {
  for (const char* name : {"free", "few", "clamped", "positions"}) {
    const Scene scene = make_scene(name);
    ASSERT_TRUE(scene.closed);
    const State start = scene.motion.state(0), end = scene.motion.state(from_seconds(scene.duration));
    EXPECT_LT((start.s - end.s).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((start.sdot - end.sdot).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((start.p_WB - end.p_WB).norm(), 1e-9);
    EXPECT_LT((start.v_WB - end.v_WB).norm(), 1e-8);
    EXPECT_LT(so3::distance(start.R_WB, end.R_WB), 1e-7);
    // and went somewhere in between: the far side of a circle of 19.5 m
    EXPECT_GT((scene.motion.state(from_seconds(0.5 * scene.duration)).p_WB - start.p_WB).norm(), 6.0);
  }
}

TEST(Scenes, FollowHandsAndFeetInPositions) {
  EXPECT_EQ(make_scene("free").positions, std::vector<std::string>{"Pelvis"});
  const Scene scene = make_scene("positions");
  EXPECT_EQ(scene.positions.size(), 5U);
  for (const std::string& link : scene.positions) EXPECT_TRUE(scene.model->find_link(link)) << link;
}

TEST(Scenes, AreTheSameEveryTime) {
  const std::vector<SegmentSample> once = scene_samples(make_scene("clamped"));
  const std::vector<SegmentSample> again = scene_samples(make_scene("clamped"));
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); i += 100) {
    for (std::size_t j = 0; j < once[i].segments.size(); ++j)
      EXPECT_EQ(once[i].segments[j].R_WS, again[i].segments[j].R_WS);
  }
}

TEST(Scenes, RefuseWhatTheyDoNotKnow) {
  const auto reason = [](const char* scene, const char* body) -> std::string {
    try {
      (void)make_scene(scene, body);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(reason("fre", "human66").find("did you mean 'free'?"), std::string::npos);
  EXPECT_NE(reason("walk", "human67").find("human66"), std::string::npos);
  EXPECT_NE(reason("free", "human48").find("only for human66"), std::string::npos);
}

}  // namespace
}  // namespace panto
