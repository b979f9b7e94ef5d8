#include "panto/io/body_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/so3.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/corruption.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Members = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kFrames = 40;
// of smplx, joint_names.py, written here again
constexpr std::array<int, 22> kParents{-1, 0, 0, 0, 1,  2,  3,  4,  5,  6,  7,
                                       8,  9, 9, 9, 12, 13, 14, 16, 17, 18, 19};

// a person who stands upright, z up, every joint turned a little at random
std::vector<double> random_poses(std::size_t joints, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> poses;
  const auto draw = [&] { return 0.3 * (static_cast<double>(random()) / 4294967296.0 - 0.5); };
  const Matrix3d upright = (Matrix3d() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
  for (std::size_t k = 0; k < kFrames; ++k) {
    for (std::size_t j = 0; j < joints; ++j) {
      Vector3d v(draw(), draw(), draw());
      if (j == 0) v = so3::log(upright * so3::exp(v));
      poses.insert(poses.end(), v.data(), v.data() + 3);
    }
  }
  return poses;
}

std::string shape(std::size_t width) { return std::to_string(kFrames) + ", " + std::to_string(width); }

Members amass(const std::vector<double>& poses, std::size_t joints) {
  return {{"poses.npy", npy(poses, shape(3 * joints))},
          {"trans.npy", npy(std::vector<double>(3 * kFrames, 0.5), shape(3))},
          {"mocap_frame_rate.npy", npy(std::vector<double>{120.0}, "1,")},
          {"betas.npy", npy(std::vector<double>(16, 0.0), "16,")}};
}

std::string refusal(const Members& members) {
  return test::error_of([&] { (void)open_recording(pack_npz(members), "a.npz"); });
}

TEST(BodyModelTest, WorldOrientationsAreProductsOfLocalRotationsTo1e6) {
  for (const std::size_t joints : {24U, 52U, 55U}) {
    const std::vector<double> poses = random_poses(joints, static_cast<unsigned>(joints));
    const std::string bytes = pack_npz(amass(poses, joints));
    const BvhClip clip = body_model_clip(read_body_poses(NpzArchive(bytes, "a.npz"), "a.npz"), 1.7);
    SkeletonPose pose;
    for (std::size_t k = 0; k < kFrames; ++k) {
      bvh_pose(clip, static_cast<std::int64_t>(k), pose);
      std::array<Matrix3d, 22> R;
      for (std::size_t j = 0; j < 22; ++j) {
        const double* v = poses.data() + 3 * (k * joints + j);
        const Matrix3d local = so3::exp(Vector3d(v[0], v[1], v[2]));
        R[j] = j == 0 ? local : Matrix3d(R[static_cast<std::size_t>(kParents[j])] * local);
        EXPECT_LT(so3::distance(R[j], pose.R_FJ[j]), 1e-6) << joints << " joints, joint " << j;
      }
    }
  }
}

TEST(BodyModelTest, MatricesOfVideoEstimatorsMeanTheSameAsVectors) {
  const std::vector<double> poses = random_poses(24, 7);
  std::vector<double> matrices;
  for (std::size_t i = 0; i < poses.size(); i += 3) {
    const Matrix3d rows = so3::exp(Vector3d(poses[i], poses[i + 1], poses[i + 2])).transpose();
    matrices.insert(matrices.end(), rows.data(), rows.data() + 9);
  }
  Members members = amass(poses, 24);
  const std::string vectors = pack_npz(members);
  members[0].second = npy(matrices, std::to_string(kFrames) + ", 24, 3, 3");
  const std::string bytes = pack_npz(members);
  const BodyPoses a = read_body_poses(NpzArchive(vectors, "a.npz"), "a.npz"),
                  b = read_body_poses(NpzArchive(bytes, "b.npz"), "b.npz");
  for (std::size_t i = 0; i < a.turns.size(); ++i) EXPECT_LT((a.turns[i] - b.turns[i]).norm(), 1e-9);
}

TEST(BodyModelTest, OpensAsAPersonOf170CentimetresAndNamesItsSource) {
  const auto recording = open_recording(pack_npz(amass(random_poses(55, 3), 55)), "a_stageii.npz");
  EXPECT_EQ(recording->info().format, "amass smpl-x (smpl)");
  EXPECT_EQ(recording->info().up, "z");
  EXPECT_EQ(recording->info().rate_hz, 120.0);
  ASSERT_TRUE(recording->info().subject.has_value());
  EXPECT_NEAR(recording->info().subject->height, 1.7, 0.03);  // crown to toes
}

TEST(BodyModelTest, TellsUpFromTheTrunkWhereNoConventionDoes) {
  Members members = amass(random_poses(24, 4), 24);
  members[2].first = "fps.npy";
  EXPECT_EQ(open_recording(pack_npz(members), "a.npz")->info().up, "z");
}

TEST(BodyModelTest, RefusesWhatIsNoMotionAndSaysWhatItIs) {
  const std::vector<double> one{0.0};
  EXPECT_NE(refusal({{"markers_latent.npy", npy(one, "1,")}, {"betas.npy", npy(one, "1,")}}).find("stagei"),
            std::string::npos);
  EXPECT_NE(refusal({{"v_template.npy", npy(one, "1,")}, {"J_regressor.npy", npy(one, "1,")}})
                .find("is a body model"),
            std::string::npos);
  EXPECT_NE(refusal({{"gender.npy", npy(one, "1,")}, {"betas.npy", npy(one, "1,")}}).find("no motion"),
            std::string::npos);
}

TEST(BodyModelTest, NamesArrayAndFrameOfWhatItCannotUse) {
  std::vector<double> poses = random_poses(52, 5);
  Members members = amass(poses, 52);
  members[0].second = npy(std::vector<double>(3 * kFrames, 0.0), shape(3));
  EXPECT_NE(refusal(members).find("'poses.npy': must be rotation vectors"), std::string::npos);
  poses[156 * 4] = std::numeric_limits<double>::quiet_NaN();
  members[0].second = npy(poses, shape(156));
  EXPECT_NE(refusal(members).find("'poses.npy': frame 4"), std::string::npos);
  members = amass(random_poses(52, 5), 52);
  members[1].second = npy(std::vector<double>(3, 0.0), "1, 3");
  EXPECT_NE(refusal(members).find("'trans.npy'"), std::string::npos);
  // shapes that lie about the bytes after them
  members[1].second = npy(std::vector<double>(3, 0.0), "4000000000, 3");
  EXPECT_NE(refusal(members).find("'trans.npy'"), std::string::npos);
}

TEST(BodyModelTest, SurvivesTruncationAndCorruption) {
  const std::string bytes = pack_npz(amass(random_poses(24, 9), 24));
  const auto parse = [](std::string_view text) { (void)read_body_poses(NpzArchive(text, "a.npz"), "a.npz"); };
  test::CorruptionCount count;
  for (std::size_t length = 0; length < bytes.size(); length += 97)
    test::try_damaged(std::string_view(bytes).substr(0, length), parse, "cut at " + std::to_string(length),
                      count);
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i) {
    std::string damaged = bytes;
    for (int j = 0; j < 3; ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    test::try_damaged(damaged, parse, "corruption " + std::to_string(i), count);
  }
  EXPECT_EQ(count.broken, 0);
  EXPECT_GT(count.refused, 100);
}

}  // namespace
}  // namespace panto::io
