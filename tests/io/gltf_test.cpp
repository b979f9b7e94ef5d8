// glTF files made here, so that every expected number follows from the keys that were put in.

#include "panto/io/gltf.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/io/base64.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/corruption.hpp"

namespace panto::io {
namespace {

using Json = nlohmann::json;
using Eigen::Vector3d;

void put(std::string& bytes, std::uint32_t word) {
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(word >> 8U * i & 0xffU);
}

// "Armature" in centimetres that stands z up, with a leg of hip, knee and tip; the hip turns and moves
struct File {
  Json json = Json::parse(R"({
    "asset": {"version": "2.0"},
    "nodes": [
      {"name": "Armature", "rotation": [-0.70710678118, 0, 0, 0.70710678118], "scale": [0.01, 0.01, 0.01],
       "children": [1, 4]},
      {"name": "hip", "translation": [0, 0, 90], "children": [2]},
      {"name": "knee", "translation": [0, 0, -45], "rotation": [0, 0, 0.70710678118, 0.70710678118],
       "children": [3]},
      {"name": "tip", "translation": [0, 0, -40]},
      {"name": "Body", "mesh": 0, "skin": 0, "scale": [1, 2, 3]}],
    "skins": [{"joints": [1, 2]}],
    "accessors": [], "bufferViews": [], "buffers": [{}],
    "animations": [{"name": "walk", "samplers": [], "channels": []}]})");
  std::string bytes;

  std::size_t accessor(const std::vector<double>& values, const char* type, std::size_t width) {
    json["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", 4 * values.size()}});
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", 5126},
                                 {"count", values.size() / width},
                                 {"type", type}});
    for (const double value : values) put(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    return json["accessors"].size() - 1;
  }

  void channel(std::size_t node, const char* path, const std::vector<double>& times,
               const std::vector<double>& values, const char* curve = "LINEAR") {
    const bool turn = std::string_view(path) == "rotation";
    Json& animation = json["animations"].back();
    animation["samplers"].push_back({{"input", accessor(times, "SCALAR", 1)},
                                     {"output", accessor(values, turn ? "VEC4" : "VEC3", turn ? 4 : 3)},
                                     {"interpolation", curve}});
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  [[nodiscard]] std::string glb() {
    json["buffers"][0] = {{"byteLength", bytes.size()}};
    std::string text = json.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string file = "glTF";
    put(file, 2), put(file, static_cast<std::uint32_t>(28 + text.size() + bytes.size()));
    put(file, static_cast<std::uint32_t>(text.size())), file += "JSON" + text;
    put(file, static_cast<std::uint32_t>(bytes.size())), (file += "BIN").push_back('\0');
    return file + bytes;
  }
};

// a quarter turn about x in one second at 30 keys per second, while the hip goes 30 cm along x
File turning_hip() {
  File file;
  std::vector<double> times, turns, places;
  for (int k = 0; k <= 30; ++k) {
    const double half = std::numbers::pi / 4.0 * k / 30.0;
    times.push_back(k / 30.0);
    for (const double v : {std::sin(half), 0.0, 0.0, std::cos(half)}) turns.push_back(v);
    for (const double v : {1.0 * k, 0.0, 90.0}) places.push_back(v);
  }
  file.channel(1, "rotation", times, turns);
  file.channel(1, "translation", times, places);
  return file;
}

Vector3d place(const BvhClip& clip, std::int64_t frame, const std::string& joint) {
  SkeletonPose pose;
  bvh_pose(clip, frame, pose);
  if (joint == "tip") return pose.p_FJ[1] + pose.R_FJ[1] * clip.joints[1].end_sites.at(0);
  return pose.p_FJ[static_cast<std::size_t>(clip.find_joint(joint).value())];
}

void expect_refused(File file, const std::string& words) {
  try {
    (void)read_gltf(file.glb(), "a.glb");
    ADD_FAILURE() << "accepted: " << words;
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(GltfTest, KeysOfJointsBelowATurnedAndScaledNodeBecomeWorldPositions) {
  const BvhClip clip = read_gltf(turning_hip().glb(), "a.glb");
  ASSERT_EQ(clip.joints.size(), 2U) << "hip and knee; not the mesh, not the armature";
  EXPECT_EQ(clip.joints[1].end_sites.size(), 1U) << "where the segment of the knee ends";
  EXPECT_EQ(clip.frame_count, 31);
  EXPECT_DOUBLE_EQ(clip.rate_hz, 30.0);
  constexpr double rounding = 2e-7;  // [m] of float keys
  EXPECT_LT((place(clip, 0, "hip") - Vector3d(0.0, 0.9, 0.0)).norm(), rounding) << "y up, metres";
  EXPECT_LT((place(clip, 0, "tip") - Vector3d(0.0, 0.05, 0.0)).norm(), rounding);
  EXPECT_LT((place(clip, 30, "hip") - Vector3d(0.3, 0.9, 0.0)).norm(), rounding);
  // the leg that hung along -z of the armature is turned about x by 90 degrees: along its y, which is -z
  EXPECT_LT((place(clip, 30, "tip") - Vector3d(0.3, 0.9, -0.85)).norm(), rounding);
  const double angle = std::numbers::pi / 4.0;
  EXPECT_LT((place(clip, 15, "knee") - Vector3d(0.15, 0.9 - 0.45 * std::cos(angle), -0.45 * std::sin(angle)))
                .norm(),
            rounding);
}

TEST(GltfTest, FramesAreParallelToTheWorldAtRest) {
  const BvhClip clip = read_gltf(turning_hip().glb(), "a.glb");
  SkeletonPose rest, first;
  bvh_rest_pose(clip, rest);
  bvh_pose(clip, 0, first);
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    EXPECT_LT((first.p_FJ[j] - rest.p_FJ[j]).norm(), 2e-7);
    EXPECT_LT(so3::angle(first.R_FJ[j]), 2e-7) << "the first frame is the rest pose here";
  }
}

TEST(GltfTest, StepsLinesAndCubicsAreInterpolatedAsTheSpecificationSays) {
  const std::vector<double> times{0.0, 1.0}, from_to{0, 0, 90, 60, 0, 90};
  // tangents of zero at both ends: 60 (3 u^2 - 2 u^3)
  const std::vector<double> cubic{0, 0, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0, 60, 0, 90, 0, 0, 0};
  const std::vector<double> still{0, 0, 0, 1, 0, 0, 0, 1};
  const auto at_quarter = [&](const std::vector<double>& values, const char* curve) {
    File file;
    file.channel(1, "translation", times, values, curve);
    file.channel(2, "rotation", times, still);
    const BvhClip clip = read_gltf(file.glb(), "a.glb");
    EXPECT_EQ(clip.frame_count, 25) << "keys 1 s apart are read at 24 Hz";
    EXPECT_EQ(clip.notes.size(), 1U);
    return place(clip, 6, "hip").x();
  };
  EXPECT_NEAR(at_quarter(from_to, "STEP"), 0.0, 1e-7);
  EXPECT_NEAR(at_quarter(from_to, "LINEAR"), 0.15, 1e-7);
  EXPECT_NEAR(at_quarter(cubic, "CUBICSPLINE"), 0.6 * (3.0 / 16.0 - 2.0 / 64.0), 1e-7);
}

TEST(GltfTest, RotationsBetweenKeysTurnSteadilyTheShortWay) {
  File file;
  // 120 degrees about z, the second key with the sign turned
  file.channel(1, "rotation", {0.0, 1.0},
               {0, 0, 0, 1, 0, 0, -std::sin(std::numbers::pi / 3.0), -std::cos(std::numbers::pi / 3.0)});
  const BvhClip clip = read_gltf(file.glb(), "a.glb");
  SkeletonPose pose;
  bvh_pose(clip, 8, pose);
  EXPECT_NEAR(so3::angle(pose.R_FJ[0]), 2.0 * std::numbers::pi / 9.0, 1e-6) << "a third of the way";
}

TEST(GltfTest, ShortNumbersAreQuaternions) {
  File file = turning_hip();
  const auto shorts = [&](double value) {
    const auto word = static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(32767.0 * value)));
    file.bytes += static_cast<char>(word & 0xffU);
    file.bytes += static_cast<char>(word >> 8U);
  };
  const std::size_t begin = file.bytes.size();
  for (int k = 0; k <= 30; ++k) {
    const double half = -std::numbers::pi / 4.0 * k / 30.0;
    shorts(std::sin(half)), shorts(0.0), shorts(0.0), shorts(std::cos(half));
  }
  file.json["bufferViews"][1] = {
      {"buffer", 0}, {"byteOffset", begin}, {"byteLength", file.bytes.size() - begin}};
  file.json["accessors"][1].update(Json{{"componentType", 5122}, {"normalized", true}});
  const BvhClip clip = read_gltf(file.glb(), "a.glb");
  EXPECT_LT((place(clip, 30, "tip") - Vector3d(0.3, 0.9, 0.85)).norm(), 1e-4)
      << "15 bits of a turn, 0.85 m away";
}

// the accessor's own keys but for those of `others`, which replace the elements before them
void make_sparse(File& file, std::size_t accessor, const std::vector<std::uint32_t>& indices,
                 const std::vector<double>& others, std::size_t width) {
  const std::size_t at = file.bytes.size();
  for (const std::uint32_t index : indices) put(file.bytes, index);
  file.json["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", at}, {"byteLength", 4 * indices.size()}});
  const std::size_t where = file.json["bufferViews"].size() - 1;
  (void)file.accessor(others, width == 4 ? "VEC4" : "VEC3", width);
  file.json["accessors"][accessor]["sparse"] = {
      {"count", indices.size()},
      {"indices", {{"bufferView", where}, {"componentType", 5125}}},
      {"values", {{"bufferView", file.json["bufferViews"].size() - 1}}}};
}

TEST(GltfTest, SparseKeysReplaceTheElementsThatTheyName) {
  File file = turning_hip();
  const std::size_t places = file.json["animations"][0]["samplers"][1]["output"].get<std::size_t>();
  make_sparse(file, places, {3, 30}, {50.0, 0.0, 90.0, 60.0, 0.0, 90.0}, 3);
  const BvhClip clip = read_gltf(file.glb(), "a.glb");
  EXPECT_NEAR(place(clip, 2, "hip").x(), 0.02, 1e-6) << "as before";
  EXPECT_NEAR(place(clip, 3, "hip").x(), 0.50, 1e-6);
  EXPECT_NEAR(place(clip, 30, "hip").x(), 0.60, 1e-6);
  // without a bufferView all other elements are zero
  file.json["accessors"][places].erase("bufferView");
  const BvhClip zeros = read_gltf(file.glb(), "a.glb");
  EXPECT_NEAR(place(zeros, 2, "hip").norm(), 0.0, 1e-9);
  EXPECT_NEAR(place(zeros, 3, "hip").x(), 0.50, 1e-6);
  for (const auto& wrong : {std::vector<std::uint32_t>{3, 3}, {3, 31}, {9, 2}}) {
    File other = turning_hip();
    make_sparse(other, places, wrong, {50.0, 0.0, 90.0, 60.0, 0.0, 90.0}, 3);
    expect_refused(other, "does not increase, or is beyond the elements");
  }
}

TEST(GltfTest, ManyDeclaredKeysCostNoMemory) {
  File file = turning_hip();
  const std::size_t places = file.json["animations"][0]["samplers"][1]["output"].get<std::size_t>();
  make_sparse(file, places, {3}, {50.0, 0.0, 90.0}, 3);
  file.json["accessors"][places].erase("bufferView");
  file.json["accessors"][places]["count"] = 1'000'000'000'000;
  expect_refused(file, "has more elements than the file has bytes for");
}

TEST(GltfTest, BuffersLieInTheFileInDataOrBelowItsFolder) {
  File file = turning_hip();
  const BvhClip whole = read_gltf(file.glb(), "a.glb");
  file.json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + to_base64(file.bytes);
  EXPECT_EQ(read_gltf(file.json.dump(), "a.gltf").values, whole.values);
  const auto folder = std::filesystem::path(testing::TempDir()) / "gltf_test";
  std::filesystem::create_directories(folder / "in");
  std::ofstream(folder / "in" / "a b.bin", std::ios::binary) << file.bytes;
  std::ofstream(folder / "out.bin", std::ios::binary) << file.bytes;
  file.json["buffers"][0]["uri"] = "a%20b.bin";
  EXPECT_EQ(read_gltf(file.json.dump(), "a.gltf", (folder / "in").string()).values, whole.values);
  EXPECT_THROW((void)read_gltf(file.json.dump(), "a.gltf"), FormatError) << "bytes alone have no folder";
  for (const std::string uri :
       {"../out.bin", "%2e%2e/out.bin", "/etc/hostname", "file:///etc/hostname", "absent.bin"}) {
    file.json["buffers"][0]["uri"] = uri;
    EXPECT_THROW((void)read_gltf(file.json.dump(), "a.gltf", (folder / "in").string()), FormatError) << uri;
  }
  std::filesystem::remove_all(folder);
}

TEST(GltfTest, BonesOfAHumanoidHaveTheirNamesOfVrm) {
  File file = turning_hip();
  file.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"] =
      Json{{"hips", {{"node", 1}}}, {"leftLowerLeg", {{"node", 2}}}};
  const BvhClip one = read_gltf(file.glb(), "a.vrm");
  EXPECT_EQ(one.format, "vrm");
  ASSERT_EQ(one.joints.size(), 2U);
  EXPECT_EQ(one.joints[1].name, "leftLowerLeg");
  file.json["extensions"] = {};
  file.json["extensions"]["VRM"]["humanoid"]["humanBones"] =
      Json::array({{{"bone", "hips"}, {"node", 1}}, {{"bone", "leftLowerLeg"}, {"node", 2}}});
  EXPECT_EQ(read_gltf(file.glb(), "a.vrm").joints, one.joints);
}

TEST(GltfTest, OfSeveralAnimationsTheFirstIsReadAndTheOthersNamed) {
  File file = turning_hip();
  file.json["animations"].push_back({{"name", "run"}, {"channels", Json::array()}});
  const BvhClip clip = read_gltf(file.glb(), "a.glb");
  ASSERT_EQ(clip.notes.size(), 1U);
  EXPECT_EQ(clip.notes[0], "of 2 animations the first, 'walk', is read, as none was chosen; not: 'run'");
}

TEST(GltfTest, AnAnimationIsChosenByNameOrByNumber) {
  File file = turning_hip();
  Json still = file.json["animations"][0];
  still["name"] = "still";
  still["channels"] = Json::array();
  Json other = file.json["animations"][0];
  other["name"] = "2";
  file.json["animations"] = Json::array({file.json["animations"][0], still, other});
  const auto chosen = [&](const std::string& take) { return read_gltf(file.glb(), "a.glb", "", take); };
  const BvhClip walk = read_gltf(file.glb(), "a.glb");
  for (const char* take : {"walk", "1", "3", "2"}) {
    const BvhClip clip = chosen(take);
    EXPECT_EQ(clip.values, walk.values) << take << ": the name \"2\" comes before the number";
    EXPECT_TRUE(clip.notes.empty()) << "who chose knows";
  }
  const auto refusal = [&](const char* take) {
    try {
      (void)chosen(take);
      return std::string();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(refusal("still").find("'still' turns no joint"), std::string::npos) << refusal("still");
  EXPECT_NE(refusal("wolk").find("did you mean 'walk'?"), std::string::npos) << refusal("wolk");
  for (const char* take : {"0", "4", "-1", "99999999999999999999"})
    EXPECT_NE(refusal(take).find("no animation '"), std::string::npos) << refusal(take);
}

TEST(GltfTest, ACharacterWithoutAnimationHasNothingToTrack) {
  File file;
  EXPECT_EQ(read_gltf(file.glb(), "a.glb").frame_count, 0);
  try {
    (void)open_recording(file.glb(), "a.dat");
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("a skeleton without frames"), std::string::npos) << error.what();
  }
}

TEST(GltfTest, RefusesWhatItCannotReadWithThePlace) {
  const auto changed = [](const std::function<void(Json&)>& change) {
    File file = turning_hip();
    change(file.json);
    return file;
  };
  expect_refused(changed([](Json& j) { j["accessors"][1]["count"] = 4294967295U; }),
                 "accessors[1]: reaches beyond");
  expect_refused(changed([](Json& j) { j["accessors"][1]["byteOffset"] = 4294967295U; }), "accessors[1]");
  expect_refused(changed([](Json& j) { j["accessors"][1]["sparse"] = Json::object(); }),
                 "accessors[1]: sparse needs count, indices and values");
  expect_refused(changed([](Json& j) { j["bufferViews"][0]["byteLength"] = 4000000000U; }), "bufferViews[0]");
  expect_refused(changed([](Json& j) { j["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = {}; }),
                 "compressed (meshopt)");
  expect_refused(changed([](Json& j) { j["nodes"][3]["children"] = {2}; }), "nodes[2]: has two parents");
  expect_refused(changed([](Json& j) { j["nodes"][0]["children"] = {4}, j["nodes"][3]["children"] = {1}; }),
                 "their own ancestors");
  expect_refused(changed([](Json& j) { j["nodes"][0]["scale"] = {1, 2, 1}; }), "'Armature' scales its axes");
  expect_refused(changed([](Json& j) { j["nodes"][1]["rotation"] = {0, 0, 0, 0}; }), "no unit quaternion");
  expect_refused(changed([](Json& j) { j["asset"]["version"] = "1.0"; }), "version must be 2.0");
  expect_refused(changed([](Json& j) { j["nodes"] = Json::array(); }), "does not exist");
  File file = turning_hip();
  file.channel(2, "scale", {0.0, 1.0}, {1, 1, 1, 1, 1.5, 1});
  expect_refused(file, "the scale of 'knee' changes");
  file = turning_hip();
  file.channel(2, "translation", {0.5, 0.5}, {0, 0, 0, 0, 0, 0});
  expect_refused(file, "times must increase");
  file = turning_hip();
  file.channel(2, "translation", {0.5, 9e5}, {0, 0, 0, 0, 0, 0});
  expect_refused(file, "too long for so few");
}

void read_and_check(std::string_view bytes) {
  const BvhClip clip = read_gltf(bytes, "damaged.glb");
  ASSERT_LE(clip.values.size(), 6U * (1'000'000U + bytes.size()));
  for (const double value : clip.values) ASSERT_TRUE(std::isfinite(value));
  for (std::size_t i = 0; i < clip.joints.size(); ++i) ASSERT_LT(clip.joints[i].parent, static_cast<int>(i));
}

TEST(GltfRobustness, EveryTruncationIsRefused) {
  const std::string bytes = turning_hip().glb();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(read_and_check(std::string_view(bytes).substr(0, length)), FormatError) << length;
}

TEST(GltfRobustness, RandomCorruptionIsAnErrorOrARecoveredPart) {
  File file = turning_hip();
  const auto binary = test::try_corruptions(file.glb(), 34, read_and_check);
  EXPECT_GT(binary.recovered, 0) << "keys that changed";
  EXPECT_GT(binary.refused, 0);
  file.json["buffers"][0]["uri"] = "data:;base64," + to_base64(file.bytes);
  const auto text = test::try_corruptions(file.json.dump(1), 35, read_and_check);
  EXPECT_GT(text.recovered, 0);
  EXPECT_GT(text.refused, 0);
}

}  // namespace
}  // namespace panto::io
