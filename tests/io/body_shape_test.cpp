#include "panto/io/body_shape.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/soma_motion.hpp"
#include "panto/math/so3.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/corruption.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Members = std::vector<std::pair<std::string, std::string>>;
using panto::test::error_of;

constexpr std::size_t kShapes = 4, kPerJoint = 3;
constexpr std::array<int, 22> kParents{-1, 0, 0, 0, 1,  2,  3,  4,  5,  6,  7,
                                       8,  9, 9, 9, 12, 13, 14, 16, 17, 18, 19};

// A model of a body made here: three vertices around every joint, whose mean is the joint; shapes move them.
struct Synthetic {
  std::size_t joints;
  std::vector<double> vertices, directions, regressor;
  std::vector<std::int64_t> tree;

  // `centres`: where the joints are about; empty: anywhere
  explicit Synthetic(std::size_t count, unsigned seed, const std::vector<Vector3d>& centres = {})
      : joints(count) {
    std::mt19937 random(seed);
    const auto draw = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
    const std::size_t total = kPerJoint * joints;
    regressor.assign(joints * total, 0.0);
    for (std::size_t j = 0; j < joints; ++j) {
      const double up = 1.7 * static_cast<double>(j) / static_cast<double>(joints - 1);
      for (std::size_t v = 0; v < kPerJoint; ++v) {
        regressor[j * total + kPerJoint * j + v] = 1.0 / kPerJoint;
        Vector3d place(draw(), up, 0.2 * draw());
        if (!centres.empty()) place = centres[j] + 0.02 * Vector3d(draw(), draw(), draw());
        vertices.insert(vertices.end(), place.data(), place.data() + 3);
      }
    }
    for (std::size_t i = 0; i < 3 * total * kShapes; ++i)
      directions.push_back((centres.empty() ? 0.02 : 0.003) * draw());
    tree.push_back(4294967295);  // of the root, as in the models
    for (std::size_t j = 1; j < joints; ++j) tree.push_back(j < 22 ? kParents[j] : 20);
    for (std::size_t j = 0; j < joints; ++j) tree.push_back(static_cast<std::int64_t>(j));
  }

  [[nodiscard]] Vector3d joint(std::size_t j, const std::vector<double>& betas) const {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t v = kPerJoint * j; v < kPerJoint * (j + 1); ++v) {
      for (std::size_t i = 0; i < 3; ++i) {
        double x = vertices[3 * v + i];
        for (std::size_t b = 0; b < betas.size(); ++b) x += betas[b] * directions[(3 * v + i) * kShapes + b];
        sum[static_cast<int>(i)] += x / kPerJoint;
      }
    }
    return sum;
  }

  [[nodiscard]] Members members() const {
    const std::string total = std::to_string(kPerJoint * joints), count = std::to_string(joints);
    return {{"v_template.npy", npy(vertices, total + ", 3")},
            {"shapedirs.npy", npy(directions, total + ", 3, " + std::to_string(kShapes))},
            {"J_regressor.npy", npy(regressor, count + ", " + total)},
            {"kintree_table.npy", npy(tree, "2, " + count)}};
  }

  // the same regressor as scipy.sparse stores it, by rows
  [[nodiscard]] Members sparse() const {
    Members result = members();
    std::vector<std::int64_t> indices, starts{0};
    for (std::size_t v = 0; v < kPerJoint * joints; ++v) indices.push_back(static_cast<std::int64_t>(v));
    for (std::size_t j = 1; j <= joints; ++j) starts.push_back(static_cast<std::int64_t>(kPerJoint * j));
    result[2] = {"J_regressor_data.npy", npy(std::vector<double>(indices.size(), 1.0 / kPerJoint),
                                             std::to_string(indices.size()) + ",")};
    result.emplace_back("J_regressor_indices.npy", npy(indices, std::to_string(indices.size()) + ","));
    result.emplace_back("J_regressor_indptr.npy", npy(starts, std::to_string(starts.size()) + ","));
    return result;
  }
};

const std::vector<double> kBetas{1.5, -2.0, 0.5, 3.0};

TEST(BodyShapeTest, JointsAreTheRegressorsOfTheShapedVertices) {
  for (const std::size_t joints : {24U, 52U, 55U}) {
    const Synthetic model(joints, static_cast<unsigned>(joints));
    for (const Members& members : {model.members(), model.sparse()}) {
      const BodyShape shape = read_body_shape(pack_npz(members), "model.npz", kBetas);
      EXPECT_EQ(shape.betas, kShapes);
      for (std::size_t j = 0; j < kBodyJoints; ++j)
        EXPECT_LT((shape.joints[j] - model.joint(j, kBetas)).norm(), 1e-12) << joints << " joints, " << j;
    }
    // a shape of fewer numbers than the model has
    const BodyShape average = read_body_shape(pack_npz(model.members()), "model.npz", {});
    EXPECT_LT((average.joints[7] - model.joint(7, {})).norm(), 1e-12);
  }
}

class BodyShapeFiles : public panto::test::TableTest {};

TEST_F(BodyShapeFiles, GiveAMotionItsLengthsAndItsPath) {
  // an average person's joints, and two hands
  std::vector<Vector3d> centres(24, Vector3d::Zero());
  const BvhClip average = body_model_clip(BodyPoses{}, 1.7);
  for (std::size_t j = 1; j < kBodyJoints; ++j)
    centres[j] = centres[at(kParents[j])] + average.joints[j].offset;
  centres[22] = centres[20], centres[23] = centres[21];
  const Synthetic model(24, 7, centres);
  const std::string file = put("model.npz", pack_npz(model.members()));
  std::vector<double> poses(3 * 24 * 72 / 3, 0.0);
  const Vector3d upright = so3::log((Matrix3d() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished());
  for (std::size_t k = 0; k < 24; ++k)
    std::copy_n(upright.data(), 3, poses.begin() + static_cast<int>(72 * k));
  const std::string motion = pack_npz({{"poses.npy", npy(poses, "24, 72")},
                                       {"trans.npy", npy(std::vector<double>(72, 0.25), "24, 3")},
                                       {"mocap_framerate.npy", npy(std::vector<double>{30.0}, "1,")},
                                       {"betas.npy", npy(kBetas, "4,")}});
  const BodyPoses read = read_body_poses(motion, "m.npz");
  const BodyShape shape = read_body_shape(file, read.betas);
  const BvhClip clip = body_model_clip(read, shape.height, &shape);
  for (std::size_t j = 1; j < kBodyJoints; ++j) {
    const Vector3d offset = model.joint(j, kBetas) - model.joint(at(kParents[j]), kBetas);
    EXPECT_LT((clip.joints[j].offset - offset).norm(), 1e-12) << j;
  }
  MappedHints mapped;
  mapped.body = file;
  Input input(motion, "m.npz");
  std::vector<std::string> notes;
  const auto recording = open_mapped_recording(input, mapped, notes);
  bool said = false;
  for (const std::string& note : recording->info().notes)
    said = said || note.find("lengths from " + file + " with 4 shape parameters") != std::string::npos;
  EXPECT_TRUE(said);
  SegmentSample sample;
  ASSERT_EQ(recording->read(sample), ReadStatus::Sample);
  // SMPL turns about its pelvis: it stands at trans + joint 0, whatever the turn
  const Vector3d pelvis = Vector3d::Constant(0.25) + model.joint(0, kBetas);
  EXPECT_LT((sample.segments[0].p_WS - pelvis).norm(), 0.02) << sample.segments[0].p_WS.transpose();
}

TEST(BodyShapeTest, NamesTheArrayThatIsWrong) {
  const Synthetic model(24, 3);
  const auto refusal = [&](std::size_t member, const std::string& bytes) {
    Members members = model.members();
    members[member].second = bytes;
    return error_of([&] { (void)read_body_shape(pack_npz(members), "m.npz", kBetas); });
  };
  EXPECT_NE(refusal(0, npy(std::vector<double>(6, 0.0), "3, 2")).find("'v_template.npy': must be vertices"),
            std::string::npos);
  EXPECT_NE(refusal(1, npy(std::vector<double>(12, 0.0), "2, 3, 2")).find("'shapedirs.npy'"),
            std::string::npos);
  EXPECT_NE(refusal(2, npy(std::vector<double>(12, 0.0), "3, 4")).find("'J_regressor.npy'"),
            std::string::npos);
  std::vector<double> weights = model.regressor;
  weights[0] = 2.0;
  EXPECT_NE(refusal(2, npy(weights, "24, 72")).find("the weights of joint 0 in J_regressor sum to 2.67"),
            std::string::npos);
  std::vector<std::int64_t> tree = model.tree;
  std::swap(tree[4], tree[5]);
  EXPECT_NE(refusal(3, npy(tree, "2, 24")).find("joint 4 has another parent"), std::string::npos);
  std::vector<double> large = model.vertices;
  for (double& x : large) x *= 100.0;
  EXPECT_NE(refusal(0, npy(large, "72, 3")).find("is the file in metres"), std::string::npos);
  EXPECT_NE(error_of([&] {
              (void)read_body_shape(pack_npz(model.members()), "m.npz",
                                    {std::numeric_limits<double>::quiet_NaN()});
            }).find("beta 0"),
            std::string::npos);
}

TEST(BodyShapeTest, SurvivesTruncationAndCorruption) {
  const std::string bytes = pack_npz(Synthetic(24, 9).sparse());
  const auto parse = [](std::string_view text) { (void)read_body_shape(text, "m.npz", kBetas); };
  test::CorruptionCount count;
  for (std::size_t length = 0; length < bytes.size(); length += 211)
    test::try_damaged(std::string_view(bytes).substr(0, length), parse, "cut", count);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    for (int j = 0; j < 3; ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    test::try_damaged(damaged, parse, "corruption", count);
  }
  EXPECT_EQ(count.broken, 0);
  EXPECT_GT(count.refused, 100);
}

// ---- rows of one array, and SOMA --------------------------------------------------------------------------

TEST(BodyArrays, OfPhumaAndMotionXGiveTheSamePosesAsNamedArrays) {
  std::mt19937 random(5);
  const auto draw = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  for (const std::size_t width : {69U, 322U}) {
    std::vector<double> rows(10 * width);
    for (double& x : rows) x = draw();
    const BodyPoses poses = read_body_poses(npy(rows, "10, " + std::to_string(width)), "a.npy");
    EXPECT_EQ(poses.source, width == 69 ? "phuma" : "motion-x");
    const std::size_t path = width == 69 ? 0 : 309, root = width == 69 ? 3 : 0;
    for (std::size_t k = 0; k < 10; ++k) {
      const double* row = rows.data() + width * k;
      EXPECT_EQ(poses.path[k], Vector3d::Map(row + path));
      for (std::size_t j = 0; j < kBodyJoints; ++j)
        EXPECT_EQ(poses.turns[kBodyJoints * k + j], Vector3d::Map(row + root + 3 * j));
    }
    rows[width * 4 + root] = std::numeric_limits<double>::infinity();
    EXPECT_NE(error_of([&] {
                (void)read_body_poses(npy(rows, "10, " + std::to_string(width)), "a.npy");
              }).find("frame 4, column"),
              std::string::npos);
  }
}

constexpr std::size_t kSomaJoints = 77;

// the joints of a file at rest
std::vector<BvhJoint> soma_joints() {
  std::vector<double> eyes;
  for (std::size_t j = 0; j < kSomaJoints; ++j) {
    for (const double x : {1., 0., 0., 0., 1., 0., 0., 0., 1.}) eyes.push_back(x);
  }
  const std::string bytes =
      pack_npz({{"posed_joints.npy", npy(std::vector<double>(3 * kSomaJoints, 0.0), "1, 77, 3")},
                {"global_rot_mats.npy", npy(eyes, "1, 77, 3, 3")}});
  return read_soma(NpzArchive(bytes, "p.npz"), "p.npz").joints;
}

// names and parents as in Kimodo's definitions.py
TEST(SomaMotion, HasKimodosJoints) {
  const std::vector<BvhJoint> joints = soma_joints();
  ASSERT_EQ(joints.size(), kSomaJoints);
  const auto is = [&](std::size_t j, const std::string& name, int parent) {
    EXPECT_EQ(joints[j].name, name);
    EXPECT_EQ(joints[j].parent, parent) << name;
  };
  is(0, "Hips", -1);
  is(14, "LeftHand", 13);
  is(19, "LeftHandIndex1", 14);
  is(67, "LeftLeg", 0);
  is(76, "RightToeEnd", 75);
}

TEST(SomaMotion, IsASkeletonWhoseJointsLieWhereTheFileHasThem) {
  std::mt19937 random(6);
  const auto draw = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  constexpr std::size_t kFrames = 5, kJoints = kSomaJoints;
  const std::vector<BvhJoint> joints = soma_joints();
  std::vector<Vector3d> offset(kJoints);
  for (Vector3d& o : offset) o = Vector3d(0.2 * draw(), 0.2 * draw(), 0.2 * draw());
  std::vector<double> places, turns;
  std::vector<Vector3d> p(kFrames * kJoints);
  std::vector<Matrix3d> R(kFrames * kJoints);
  for (std::size_t k = 0; k < kFrames; ++k) {
    for (std::size_t j = 0; j < kJoints; ++j) {
      const std::size_t i = k * kJoints + j, parent = k * kJoints + at(std::max(0, joints[j].parent));
      const Matrix3d own = so3::exp(Vector3d(draw(), draw(), draw()));
      R[i] = j == 0 ? own : Matrix3d(R[parent] * own);
      p[i] = j == 0 ? Vector3d(draw(), 1, draw()) : Vector3d(p[parent] + R[parent] * offset[j]);
      places.insert(places.end(), p[i].data(), p[i].data() + 3);
      const Matrix3d rows = R[i].transpose();
      turns.insert(turns.end(), rows.data(), rows.data() + 9);
    }
  }
  Members members{{"posed_joints.npy", npy(places, "5, 77, 3")},
                  {"global_rot_mats.npy", npy(turns, "5, 77, 3, 3")}};
  const std::string bytes = pack_npz(members);
  const BvhClip clip = read_soma(NpzArchive(bytes, "a.npz"), "a.npz");
  SkeletonPose pose;
  for (std::size_t k = 0; k < kFrames; ++k) {
    bvh_pose(clip, static_cast<std::int64_t>(k), pose);
    for (std::size_t j = 0; j < kJoints; ++j) {
      EXPECT_LT((pose.p_FJ[j] - p[k * kJoints + j]).norm(), 1e-9) << j;
      EXPECT_LT(so3::distance(pose.R_FJ[j], R[k * kJoints + j]), 1e-6) << j;
    }
  }
  // rotations of another motion do not carry the joints
  std::swap_ranges(turns.begin(), turns.begin() + 9 * kJoints, turns.begin() + 9 * kJoints);
  members[1].second = npy(turns, "5, 77, 3, 3");
  EXPECT_NE(error_of([&] {
              const std::string other = pack_npz(members);
              (void)read_soma(NpzArchive(other, "a.npz"), "a.npz");
            }).find("lies elsewhere than global_rot_mats say"),
            std::string::npos);
}

}  // namespace
}  // namespace panto::io
