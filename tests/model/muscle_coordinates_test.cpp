#include "panto/model/muscle_coordinates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <sstream>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using enum HumanSegment::Index;
using Segments = std::array<Matrix3d, kHumanSegmentCount>;
using Values = std::map<std::string, double>;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kHalfHips = 0.09;

Segments standing() {
  Segments R;
  R.fill(Matrix3d::Identity());
  return R;
}

// arms hang from the T-pose, palms to the thighs
void hang_arms(Segments& R) {
  for (const int i : {RightUpperArm, RightForeArm, RightHand})
    R[std::size_t(i)] = so3::about_axis(0, 90 * kDegree);
  for (const int i : {LeftUpperArm, LeftForeArm, LeftHand})
    R[std::size_t(i)] = so3::about_axis(0, -90 * kDegree);
}

void turn(Segments& R, std::initializer_list<int> segments, const Matrix3d& by) {
  for (const int i : segments) R[std::size_t(i)] = by * R[std::size_t(i)];
}

// in degrees and metres
Values coordinates(MuscleModel model, const Segments& R, const Vector3d& hips = Vector3d::Zero()) {
  MuscleCoordinates all(model, kHalfHips);
  const std::span<const double> values = all.update(R, hips);
  Values named;
  for (std::size_t i = 0; i < values.size(); ++i)
    named[all.labels()[i]] = MuscleCoordinates::is_length(i) ? values[i] : values[i] / kDegree;
  return named;
}

TEST(MuscleCoordinates, AreZeroForWhoStandsWithHangingArmsAndPalmsAhead) {
  Segments R = standing();
  hang_arms(R);
  turn(R, {RightForeArm, RightHand}, so3::about_axis(2, -90 * kDegree));
  turn(R, {LeftForeArm, LeftHand}, so3::about_axis(2, 90 * kDegree));
  for (const MuscleModel model : {MuscleModel::Gait2392, MuscleModel::Rajagopal, MuscleModel::Hamner})
    for (const auto& [name, value] : coordinates(model, R)) {
      if (name != "pelvis_tx" && name != "pelvis_ty" && name != "pelvis_tz") {
        EXPECT_NEAR(value, 0.0, 1e-9) << name;
      }
    }
}

TEST(MuscleCoordinates, OfHangingArmsWithPalmsToTheThighsAreHalfPronated) {
  Segments R = standing();
  hang_arms(R);
  const Values arms = coordinates(MuscleModel::Rajagopal, R);
  for (const char* side : {"_r", "_l"}) {
    // the forearm's axis is 3 deg off its length, and the elbow's 13 deg off the side: both take a share
    EXPECT_NEAR(arms.at(std::string("pro_sup") + side), 90.0, 5.0);
    EXPECT_NEAR(arms.at(std::string("elbow_flex") + side), 0.0, 5.0);
    EXPECT_NEAR(arms.at(std::string("arm_add") + side), 0.0, 1e-9);
  }
}

TEST(MuscleCoordinates, HaveTheModelsSigns) {
  Segments R = standing();
  hang_arms(R);
  // sits, heels below the knees; the trunk leans ahead by 20 deg, turned to the left by 10
  turn(R, {RightUpperLeg, LeftUpperLeg}, so3::about_axis(1, -90 * kDegree));
  turn(R, {T8}, so3::about_axis(2, 10 * kDegree) * so3::about_axis(1, 20 * kDegree));
  // the right thigh is spread by 15 deg, the left foot's toes are up by 12
  turn(R, {RightUpperLeg, RightLowerLeg, RightFoot, RightToe}, so3::about_axis(0, -15 * kDegree));
  turn(R, {LeftFoot, LeftToe}, so3::about_axis(1, -12 * kDegree));
  // arms bent by 90 deg at the elbow
  turn(R, {RightForeArm, RightHand, LeftForeArm, LeftHand}, so3::about_axis(1, -90 * kDegree));
  const Values gait = coordinates(MuscleModel::Gait2392, R), body = coordinates(MuscleModel::Rajagopal, R);
  EXPECT_NEAR(gait.at("hip_flexion_l"), 90.0, 1e-9);
  EXPECT_NEAR(gait.at("knee_angle_l"), -90.0, 1e-9) << "flexion is negative in gait2392";
  EXPECT_NEAR(body.at("knee_angle_l"), 90.0, 0.5)
      << "and positive in Rajagopal's, about an axis 4 deg oblique";
  EXPECT_LT(gait.at("lumbar_extension"), -15.0) << "leaning ahead is flexion";
  EXPECT_GT(gait.at("lumbar_rotation"), 5.0) << "to the left, about the axis that points up";
  EXPECT_GT(gait.at("ankle_angle_l"), 10.0) << "dorsiflexion is positive";
  EXPECT_GT(body.at("elbow_flex_r"), 80.0);
  EXPECT_GT(body.at("elbow_flex_l"), 80.0);
  Segments spread = standing();
  turn(spread, {RightUpperLeg}, so3::about_axis(0, -15 * kDegree));  // the right knee goes to the right
  turn(spread, {LeftUpperLeg}, so3::about_axis(0, 15 * kDegree));
  const Values apart = coordinates(MuscleModel::Hamner, spread);
  EXPECT_NEAR(apart.at("hip_adduction_r"), -15.0, 1e-9) << "abduction is negative on both sides";
  EXPECT_NEAR(apart.at("hip_adduction_l"), -15.0, 1e-9);
  EXPECT_NEAR(apart.at("arm_add_r"), -90.0, 1e-6) << "arms in the T-pose";
  EXPECT_NEAR(apart.at("arm_add_l"), -90.0, 1e-6);
}

// The models' own kinematics: the orientation of a child in its parent.
Matrix3d about(const Vector3d& axis, double degrees) {
  return so3::exp(axis.normalized() * degrees * kDegree);
}
Matrix3d ball(double z, double x, double y, double side) {
  return about(Vector3d::UnitZ(), z) * about(Vector3d::UnitX() * side, x) *
         about(Vector3d::UnitY() * side, y);
}

const Vector3d kNone = Vector3d::Zero();  // no axis

// A pose of one of the models: random coordinates, and the bodies that they turn.
class Puppet {
 public:
  Puppet(MuscleModel model, std::mt19937& random)
      : rajagopal_(model == MuscleModel::Rajagopal), random_(random) {
    joint(-1, Pelvis, "pelvis_tilt pelvis_list pelvis_rotation", kNone, kNone, -80, 80);
    joint(Pelvis, T8, "lumbar_extension lumbar_bending lumbar_rotation", kNone, kNone, -40, 40);
    for (const bool right : {true, false}) {
      side_ = right ? 1.0 : -1.0;
      ending_ = right ? "_r" : "_l";
      if (right) {
        legs(RightUpperLeg, RightLowerLeg, RightFoot, RightToe);
        arms(RightUpperArm, RightForeArm, RightHand);
      } else {
        legs(LeftUpperLeg, LeftLowerLeg, LeftFoot, LeftToe);
        arms(LeftUpperArm, LeftForeArm, LeftHand);
      }
    }
  }

  // as our segments: where the model's coordinates are zero arms hang, palms ahead
  [[nodiscard]] Segments segments() const {
    Segments zero = standing(), R = standing();
    hang_arms(zero);
    turn(zero, {RightForeArm, RightHand}, so3::about_axis(2, -90 * kDegree));
    turn(zero, {LeftForeArm, LeftHand}, so3::about_axis(2, 90 * kDegree));
    Matrix3d R_WO;
    R_WO << 1, 0, 0, 0, 0, -1, 0, 1, 0;
    for (const auto& [segment, body] : bodies_)
      R[std::size_t(segment)] = R_WO * body * R_WO.transpose() * zero[std::size_t(segment)];
    return R;
  }

  Values drawn;

 private:
  // `a`: zero for a ball
  void joint(int parent, int child, const std::string& names, const Vector3d& a, const Vector3d& b,
             double least, double most) {
    std::array<double, 3> q{};
    std::istringstream words(names);
    std::size_t count = 0;
    for (std::string name; words >> name; ++count)
      drawn[name + ending_] = q[count] = std::uniform_real_distribution<double>(least, most)(random_);
    const auto axis = [&](const Vector3d& right) {
      return Vector3d(side_ * right.x(), side_ * right.y(), right.z());
    };
    const Matrix3d R = count == 3   ? ball(q[0], q[1], q[2], side_)
                       : count == 2 ? Matrix3d(about(axis(a), q[0]) * about(axis(b), q[1]))
                                    : about(axis(a), q[0]);
    bodies_[child] = parent < 0 ? R : Matrix3d(bodies_.at(parent) * R);
  }
  void legs(int thigh, int shank, int foot, int toe) {
    joint(Pelvis, thigh, "hip_flexion hip_adduction hip_rotation", kNone, kNone, -60, 60);
    const Vector3d knee = rajagopal_ ? Vector3d(0, -0.070711, -0.997497) : Vector3d(0, 0, 1);
    joint(thigh, shank, "knee_angle", knee, kNone, rajagopal_ ? 0 : -120, rajagopal_ ? 120 : 0);
    joint(shank, foot, "ankle_angle subtalar_angle", {-0.10501355, -0.17402245, 0.97912632},
          {0.78717961, 0.60474746, -0.12094949}, -30, 30);
    joint(foot, toe, "mtp_angle", (rajagopal_ ? -1.0 : 1.0) * Vector3d(-0.5809544, 0, 0.81393611), kNone, -30,
          30);
  }
  void arms(int upper, int fore, int hand) {
    joint(T8, upper, "arm_flex arm_add arm_rot", kNone, kNone, -80, 80);
    joint(upper, fore, "elbow_flex pro_sup", {0.22604696, 0.022269, 0.97386183},
          {0.05639803, 0.99840646, 0.001952}, 0, 90);
    joint(fore, hand, "wrist_flex wrist_dev", {0, 0, 1}, {1, 0, 0}, -30, 30);
  }

  bool rajagopal_;
  std::mt19937& random_;
  double side_ = 1.0;
  std::string ending_;
  std::map<int, Matrix3d> bodies_;
};

TEST(MuscleCoordinates, ComeBackFromTheModelsOwnKinematics) {
  std::mt19937 random(8);
  for (int pose = 0; pose < 200; ++pose) {
    const MuscleModel model = pose % 2 == 0 ? MuscleModel::Hamner : MuscleModel::Rajagopal;
    const Puppet puppet(model, random);
    for (const auto& [name, value] : coordinates(model, puppet.segments())) {
      if (puppet.drawn.count(name) == 0) continue;  // places
      ASSERT_NEAR(value, puppet.drawn.at(name), 1e-6) << name << " of pose " << pose;
    }
  }
}

TEST(MuscleCoordinates, GiveTheForearmTheTurnOfTheHand) {
  for (const double turned : {-60.0, 40.0, 80.0}) {
    Segments still = standing();
    hang_arms(still);
    Segments R = still;
    turn(R, {RightHand},
         so3::about_axis(2, -turned * kDegree));  // about the forearm, which a skeleton leaves still
    turn(R, {LeftHand}, so3::about_axis(2, turned * kDegree));
    const Values before = coordinates(MuscleModel::Rajagopal, still),
                 after = coordinates(MuscleModel::Rajagopal, R);
    for (const std::string side : {"_r", "_l"}) {
      EXPECT_NEAR(after.at("pro_sup" + side), before.at("pro_sup" + side) - turned, 3.0) << turned;
      EXPECT_NEAR(after.at("wrist_flex" + side), before.at("wrist_flex" + side), 8.0)
          << "the bones' axis is 3 deg off";
      EXPECT_NEAR(after.at("wrist_dev" + side), before.at("wrist_dev" + side), 8.0);
    }
  }
}

TEST(MuscleCoordinates, PutThePelvisWhereItsHipsAre) {
  // hips 0.09 m from their middle, in the model 0.0835: the pelvis' origin is ahead of and above them in
  // proportion
  const Values there = coordinates(MuscleModel::Gait2392, standing(), {1.0, 0.5, 0.9});
  EXPECT_NEAR(there.at("pelvis_tx"), 1.0 + 0.0707 * 0.09 / 0.0835, 1e-12);
  EXPECT_NEAR(there.at("pelvis_ty"), 0.9 + 0.0661 * 0.09 / 0.0835, 1e-12);
  EXPECT_NEAR(there.at("pelvis_tz"), -0.5, 1e-12) << "left is -Z";
}

TEST(MuscleCoordinates, StayWithinAHalfTurnHoweverOftenAnArmGoesRound) {
  MuscleCoordinates all(MuscleModel::Rajagopal, kHalfHips);
  std::span<const double> values;
  for (int k = 0; k <= 3 * 360; k += 2) {
    Segments R = standing();
    hang_arms(R);
    // forward, up, back and down again, a little to the side
    turn(R, {RightUpperArm, RightForeArm, RightHand},
         so3::about_axis(0, -20 * kDegree) * so3::about_axis(1, -k * kDegree));
    values = all.update(R, Vector3d::Zero());
    for (std::size_t i = 6; i < values.size(); ++i)
      ASSERT_LE(std::abs(values[i]), 180.001 * kDegree) << all.labels()[i];
  }
  const auto flex = std::find(all.labels().begin(), all.labels().end(), "arm_flex_r") - all.labels().begin();
  EXPECT_NEAR(values[std::size_t(flex)] / kDegree, 0.0, 1.0) << "it hangs again, as at the beginning";
}

TEST(MuscleCoordinates, StayContinuousWhileAnArmIsRaisedOverTheHead) {
  MuscleCoordinates all(MuscleModel::Rajagopal, kHalfHips);
  const auto of = [&](const char* name) {
    return std::find(all.labels().begin(), all.labels().end(), name) - all.labels().begin();
  };
  double before = 0.0;
  for (int k = 0; k <= 150; ++k) {
    Segments R = standing();
    hang_arms(R);
    turn(R, {RightUpperArm, RightForeArm, RightHand}, so3::about_axis(0, -k * kDegree));
    const double add = all.update(R, Vector3d::Zero())[std::size_t(of("arm_add_r"))] / kDegree;
    ASSERT_NEAR(add, k > 0 ? before - 1.0 : 0.0, 1e-6) << k;
    before = add;
  }
  EXPECT_NEAR(before, -150.0, 1e-6) << "beyond -90, where another branch has its mirror image";
}

}  // namespace
}  // namespace panto
