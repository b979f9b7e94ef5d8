// A character's own file with a motion, against the kinematics of its model.

#include "panto/io/character_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/gltf.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/person_gltf.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;

constexpr double kFloats = 2e-6;  // keys are floats of 24 bits

struct Opened {
  OpenedCharacter opened;
  std::shared_ptr<const BvhCharacter> character;
};

Opened character_of(const std::string& text, const std::string& name) {
  GltfSkeleton skeleton = read_gltf_skeleton(text, name);
  Opened made{open_bvh_character(std::move(skeleton.clip)), nullptr};
  made.opened.character.gltf =
      std::make_shared<const GltfCharacter>(GltfCharacter{text, name, "", std::move(skeleton.nodes)});
  made.character = std::make_shared<const BvhCharacter>(made.opened.character);
  return made;
}

std::string walker() { return test::person_gltf(read_bvh_file(PANTO_EXAMPLES "/data/walk.bvh")); }

std::vector<State> random_motion(const Model& model, int frames, double rate_hz) {
  test::Random random(7);
  std::vector<State> states;
  for (int k = 0; k < frames; ++k) {
    State state = rest_state(model);
    state.t = frame_time(k, rate_hz);
    for (double& angle : state.s) angle = test::uniform(random, -0.5, 0.5);
    state.R_WB = state.R_WB * so3::exp({test::uniform(random, -1, 1), test::uniform(random, -1, 1),
                                        test::uniform(random, -1, 1)});
    state.p_WB += Eigen::Vector3d(test::uniform(random, -1, 1), test::uniform(random, -1, 1),
                                  test::uniform(random, 0, 1));
    states.push_back(state);
  }
  return states;
}

std::string written(const Opened& own, const std::vector<State>& states, const std::string& name,
                    StateFileOptions options = {.rate_hz = 50.0}) {
  std::string bytes;
  options.character = own.character;
  const auto file = create_state_file({name, bytes}, own.opened.model, options);
  for (const State& state : states) EXPECT_EQ(file->write(state), WriteStatus::Written);
  file->close();
  return bytes;
}

TEST(CharacterFile, JointsOfTheGltfTurnAndMoveAsTheModelsLinks) {
  const Opened own = character_of(walker(), "own.gltf");
  const std::vector<State> states = random_motion(own.opened.model, 9, 50.0);
  const BvhClip clip = read_gltf(written(own, states, "out.gltf"), "out.gltf");
  ASSERT_EQ(clip.frame_count, 9);
  EXPECT_NEAR(clip.rate_hz, 50.0, 1e-3);
  const rig::Character& character = own.character->character;
  const Matrix3d R_FW = character.rig.map.R_WF.transpose();
  Kinematics kinematics(own.opened.model);
  int followed = 0;
  for (std::size_t k = 0; k < states.size(); ++k) {
    kinematics.update(states[k]);
    SkeletonPose pose;
    bvh_pose(clip, static_cast<std::int64_t>(k), pose);
    for (std::size_t j = 0; j < clip.joints.size(); ++j) {
      if (character.link[j] < 0) continue;
      const Matrix3d expected = R_FW * kinematics.R_WL(character.link[j]) * character.R_JL[j].transpose();
      EXPECT_LT(so3::distance(pose.R_FJ[j], expected), kFloats) << clip.joints[j].name;
      ++followed;
    }
    const Eigen::Vector3d base = R_FW * states[k].p_WB / character.rig.map.unit;
    EXPECT_LT((pose.p_FJ[at(character.base)] - base).norm(), kFloats);
  }
  EXPECT_GT(followed, 9 * 15);
}

TEST(CharacterFile, TheSameMotionIsInTheBvhOfAGltf) {
  const Opened own = character_of(walker(), "own.gltf");
  const std::vector<State> states = random_motion(own.opened.model, 5, 50.0);
  const BvhClip gltf = read_gltf(written(own, states, "out.gltf"), "out.gltf");
  const BvhClip bvh = read_bvh(written(own, states, "out.bvh"), "out.bvh");
  ASSERT_EQ(gltf.frame_count, bvh.frame_count);
  for (std::int64_t k = 0; k < bvh.frame_count; ++k) {
    SkeletonPose a, b;
    bvh_pose(gltf, k, a);
    bvh_pose(bvh, k, b);
    for (std::size_t j = 0; j < a.p_FJ.size(); ++j) EXPECT_LT((a.p_FJ[j] - b.p_FJ[j]).norm(), 1e-5);
  }
}

TEST(CharacterFile, KeysBetweenStatesTurnSteadilyAndAPauseHolds) {
  const Opened own = character_of(walker(), "own.gltf");
  std::vector<State> states(3, rest_state(own.opened.model));
  states[1].t = from_seconds(0.1);
  states[1].R_WB = states[1].R_WB * so3::exp({0.0, 0.0, 1.0});
  states[2] = states[1];
  states[2].t = from_seconds(1.1);
  states[2].p_WB.x() += 1.0;
  const BvhClip clip =
      read_gltf(written(own, states, "out.gltf", {.rate_hz = 20.0, .resample_hz = 30.0}), "out.gltf");
  ASSERT_EQ(clip.frame_count, 34) << "0 to 1.1 s at 30 Hz";
  std::vector<SkeletonPose> poses(34);
  for (std::size_t k = 0; k < poses.size(); ++k) bvh_pose(clip, static_cast<std::int64_t>(k), poses[k]);
  const std::size_t base = at(own.character->character.base);
  EXPECT_NEAR(so3::distance(poses[0].R_FJ[base], poses[1].R_FJ[base]), 1.0 / 3.0, 1e-5);
  EXPECT_NEAR(so3::distance(poses[0].R_FJ[base], poses[3].R_FJ[base]), 1.0, 1e-5);
  EXPECT_LT((poses[3].p_FJ[base] - poses[32].p_FJ[base]).norm(), 1e-6) << "held for a pause of a second";
  EXPECT_NEAR((poses[33].p_FJ[base] - poses[32].p_FJ[base]).norm() * own.character->character.rig.map.unit,
              1.0, 1e-5);
}

nlohmann::json document(const std::string& text) { return nlohmann::json::parse(text); }

TEST(CharacterFile, KeysLieBesideTheBytesThatTheContainerHas) {
  // a first buffer with a uri is not the container's own
  nlohmann::json json = document(walker());
  json["buffers"] = {{{"byteLength", 3}, {"uri", "data:application/octet-stream;base64,AAAA"}}};
  std::string text = json.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const auto word = [](std::size_t value) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xffU);
    return bytes;
  };
  const std::string file = "glTF" + word(2) + word(12 + 8 + text.size() + 8 + 4) + word(text.size()) +
                           "JSON" + text + word(4) + std::string("BIN\0", 4) + "abcd";
  const Opened own = character_of(file, "own.glb");
  const std::string out = written(own, random_motion(own.opened.model, 3, 50.0), "out.glb");
  const BvhClip clip = read_gltf(out, "out.glb");
  EXPECT_EQ(clip.frame_count, 3);
  EXPECT_NE(out.find("data:application/octet-stream;base64,AAAA"), std::string::npos);
}

TEST(CharacterFile, AnEarlierMotionOfOursIsReplacedAndOthersStay) {
  const Opened own = character_of(walker(), "own.gltf");
  const std::vector<State> states = random_motion(own.opened.model, 3, 50.0);
  nlohmann::json once = document(written(own, states, "out.gltf"));
  once["animations"].push_back(once["animations"][0]);
  once["animations"][1]["name"] = "idle";
  const Opened again = character_of(once.dump(), "own.gltf");
  const nlohmann::json twice = document(written(again, states, "out.gltf"));
  ASSERT_EQ(twice["animations"].size(), 2U);
  EXPECT_EQ(twice["animations"][0]["name"], "Panto");
  EXPECT_EQ(twice["animations"][1]["name"], "idle");
}

TEST(CharacterFile, LeavesOfTheSkinAreJointsAndScaledPropsAreNot) {
  nlohmann::json json = document(walker());
  std::size_t hand = 0, leaf = 0;
  for (std::size_t n = 0; n < json["nodes"].size(); ++n) {
    if (json["nodes"][n]["name"] == "LeftWrist") hand = n;
    if (!json["nodes"][n].contains("children")) leaf = n;
  }
  json["nodes"][hand]["children"].push_back(json["nodes"].size());
  json["nodes"].push_back(
      {{"name", "Sword"}, {"scale", {1, 3, 1}}, {"children", {json["nodes"].size() + 1}}});
  json["nodes"].push_back({{"name", "Blade"}, {"translation", {0, 0.5, 0}}});
  const BvhClip clip = read_gltf(json.dump(), "own.gltf");
  const auto has = [&](const std::string& name) { return clip.find_joint(name).has_value(); };
  EXPECT_TRUE(has(json["nodes"][leaf]["name"])) << "a leaf that the skin names";
  EXPECT_FALSE(has("Sword"));
  EXPECT_FALSE(has("Blade"));
}

TEST(CharacterFile, AnAnimationThatCannotBeReadIsNoObstacle) {
  const Opened own = character_of(walker(), "own.gltf");
  nlohmann::json json = document(written(own, random_motion(own.opened.model, 3, 50.0), "out.gltf"));
  json["accessors"][0]["count"] = 1'000'000;
  const std::string path = ::testing::TempDir() + "panto_unreadable.gltf";
  std::ofstream(path) << json.dump();
  EXPECT_THROW((void)open_recording(path), FormatError) << "as a recording it has no frames";
  const auto opened = open_character(path, {});
  ASSERT_NE(opened, nullptr);
  EXPECT_TRUE(std::any_of(opened->notes.begin(), opened->notes.end(), [](const std::string& note) {
    return note.find("its own animation is not read") != std::string::npos;
  }));
  const auto onto_itself = [&] {
    (void)create_state_file(
        path, opened->model,
        {.rate_hz = 30.0, .character = std::make_shared<BvhCharacter>(opened->character)});
  };
  EXPECT_TRUE(test::names(test::refusal_of<ConfigError>(onto_itself), "is the character's own file"));
}

TEST(CharacterFile, RefusesWhatIsNoListOfObjectsAndTooDeepNesting) {
  nlohmann::json json = document(walker());
  json["buffers"] = {5};
  const Opened own = character_of(json.dump(), "own.gltf");
  std::string bytes;
  const auto create = [&] {
    (void)create_state_file({"out.gltf", bytes}, own.opened.model,
                            {.rate_hz = 30.0, .character = own.character});
  };
  EXPECT_TRUE(test::names(test::refusal_of<FormatError>(create), "buffers: must be a list of objects"));
  std::string deep = walker();
  deep.insert(1, "\"extras\":" + std::string(100'000, '[') + std::string(100'000, ']') + ",");
  EXPECT_TRUE(test::names(test::refusal_of<FormatError>([&] { (void)read_gltf(deep, "deep.gltf"); }),
                          "nested deeper than 200"));
}

TEST(CharacterFile, WithoutStatesTheFileIsTheCharacters) {
  const std::string text = walker();
  const Opened own = character_of(text, "own.gltf");
  EXPECT_EQ(nlohmann::json::parse(written(own, {}, "out.gltf")), nlohmann::json::parse(text));
}

TEST(CharacterFile, RefusesContainersThatAreNotTheCharacters) {
  const Opened own = character_of(walker(), "own.gltf");
  std::string bytes;
  const auto refusal = [&](const Opened& of, const std::string& name, double rate_hz = 30.0) {
    return test::refusal_of<ConfigError>([&] {
      (void)create_state_file({name, bytes}, of.opened.model,
                              {.rate_hz = rate_hz, .character = of.character});
    });
  };
  EXPECT_TRUE(
      test::names(refusal(own, "out.glb"), "copy of it: name it .gltf, or .bvh for the joints alone"));
  EXPECT_TRUE(test::names(refusal(own, "out.gltf", 0.5), "a frame rate from 1 to 10000 Hz, not 0.5"));
  EXPECT_TRUE(
      test::names(refusal(own, "out.mvnx"), "a character's motion can be written to .bvh, .glb or .npz"));
  Opened bvh = own;
  bvh.opened.character.gltf = nullptr;
  bvh.character = std::make_shared<const BvhCharacter>(bvh.opened.character);
  EXPECT_TRUE(test::names(refusal(bvh, "out.glb"), "without meshes; write its motion as .bvh"));
}

}  // namespace
}  // namespace panto::io
