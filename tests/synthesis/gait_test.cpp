// Does a walk look like a walk? Speed, joint curves, phases, ground contact.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/human_motion.hpp"
#include "panto/synthesis/segments.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kDegree = std::numbers::pi / 180.0;

/// Facts of one gait, from the published means: band midpoints [deg] at 0, 10, ..., 90 % from foot strike.
struct Published {
  const char* name;
  double speed, stride_hz;
  double tilt;  ///< published pelvic tilt less our pelvis' pitch: published hip = our flexion + tilt
  std::array<double, 10> hip, knee, ankle;
};

const Published kFree{"walk",
                      4.0 / 3.6,
                      0.9,
                      11.5 - 4.0,
                      {35.8, 32.8, 22.5, 11.4, 1.6, -5.3, -0.9, 17.9, 32.0, 36.7},
                      {5.6, 18.6, 16.5, 10.1, 6.2, 11.6, 33.9, 58.2, 49.8, 18.7},
                      {-2.1, -2.1, 5.2, 8.6, 11.1, 10.4, -13.8, -11.2, 1.1, 1.0}};
const Published kFast{"fast_walk",
                      6.0 / 3.6,
                      1.05,
                      13.2 - 9.0,
                      {39.8, 37.4, 25.8, 12.1, -0.2, -7.8, -1.4, 19.5, 35.0, 39.9},
                      {7.5, 22.8, 19.4, 9.5, 4.1, 10.6, 36.1, 60.3, 50.7, 19.3},
                      {-3.2, -1.9, 5.9, 8.0, 8.8, 5.4, -20.2, -10.6, 1.0, 0.6}};

class Walks : public testing::TestWithParam<const Published*> {};

TEST_P(Walks, FollowThePublishedMeansWithinFiveDegrees) {
  const Published& facts = *GetParam();
  for (const Model& human : {human66(), human48()}) {
    const Synthesis synthesis = make_synthesis(facts.name, human);
    const auto angle = [&](const char* joint, const State& state) {
      return state.s[human.joint_index(joint)] / kDegree;
    };
    double worst = 0.0;
    for (std::size_t i = 0; i < 10; ++i) {
      const State state = synthesis.state(from_seconds(synthesis.period() * 0.1 * static_cast<double>(i)));
      const double hip = -angle("jRightHip_roty", state) + facts.tilt - facts.hip[i];
      const double knee = angle("jRightKnee_roty", state) - facts.knee[i];
      const double ankle = -angle("jRightAnkle_roty", state) - facts.ankle[i];
      worst = std::max({worst, std::abs(hip), std::abs(knee), std::abs(ankle)});
      EXPECT_LT(std::abs(hip), 5.0) << 10 * i << " %";
      EXPECT_LT(std::abs(knee), 5.0) << 10 * i << " %";
      EXPECT_LT(std::abs(ankle), 5.0) << 10 * i << " %";
    }
    RecordProperty("worst_deg_" + human.name(), std::to_string(worst));
  }
}

TEST_P(Walks, LeaveNoFlightAndDoNotSinkIn) {
  const Published& facts = *GetParam();
  for (const Model& human : {human66(), human48()}) {
    const Synthesis synthesis = make_synthesis(facts.name, human);
    const detail::Sole right(human, "Right"), left(human, "Left");
    Kinematics kinematics(human);
    for (int i = 0; i < 200; ++i) {
      kinematics.update_with_velocities(synthesis.state(from_seconds(synthesis.period() * i / 200.0)));
      const double lowest = std::min(right.lowest(kinematics).p.z(), left.lowest(kinematics).p.z());
      EXPECT_GT(lowest, -0.02);
      EXPECT_LT(lowest, 0.02) << "one foot always stands";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Speeds, Walks, testing::Values(&kFree, &kFast),
                         [](const auto& chosen) { return std::string(chosen.param->name); });

struct Pace {
  const char* name;
  double speed, stride_hz;
};

class Gaits : public testing::TestWithParam<Pace> {
 protected:
  Model human = human66();
  Synthesis synthesis = make_synthesis(GetParam().name, human);
  [[nodiscard]] State at(double share) const {
    return synthesis.state(from_seconds(synthesis.period() * share));
  }
};

TEST_P(Gaits, AdvanceAtTheStatedSpeedAndCadence) {
  EXPECT_NEAR(synthesis.period(), 1.0 / GetParam().stride_hz, 1e-12);
  for (const double start : {0.0, 0.3, 0.77}) {
    const double speed = (at(start + 1.0).p_WB.x() - at(start).p_WB.x()) / synthesis.period();
    EXPECT_NEAR(speed, GetParam().speed, 0.01 * GetParam().speed);
  }
  EXPECT_NEAR(at(0.0).p_WB.x(), 0.0, 1e-12);
  EXPECT_NEAR(at(5.0).p_WB.y(), at(0.0).p_WB.y(), 1e-6) << "straight ahead";
}

TEST_P(Gaits, DoTheSameOnTheLeftHalfAStrideLater) {
  for (double share = 0.0; share < 1.0; share += 0.07) {
    const State now = at(share), later = at(share + 0.5);
    for (int i = 0; i < human.dof(); ++i) {
      std::string name = human.joint_names()[static_cast<std::size_t>(i)];
      const auto side = name.find("Right");
      if (side != std::string::npos) name.replace(side, 5, "Left");
      const int other = human.joint_index(name);
      if (name.find("Left") != std::string::npos && side == std::string::npos) continue;
      const double sign = name.ends_with("_roty") ? 1.0 : -1.0;
      EXPECT_NEAR(later.s[other], sign * now.s[i], 1e-7) << name;
    }
    EXPECT_NEAR(later.p_WB.z(), now.p_WB.z(), 1e-8);
    EXPECT_NEAR(later.p_WB.y(), -now.p_WB.y(), 1e-8);
  }
}

TEST_P(Gaits, SwingTheArmsAgainstTheLegs) {
  // at right foot strike the right foot and the left hand are ahead, and the shoulders are turned against the
  // hips
  const SegmentSample strike = segment_sample(human, at(0.0));
  const auto x = [&](int segment) { return strike.segments[static_cast<std::size_t>(segment)].p_WS.x(); };
  EXPECT_GT(x(RightFoot), x(LeftFoot) + 0.3);
  EXPECT_GT(x(LeftHand), x(RightHand) + 0.1);
  EXPECT_GT(x(RightUpperLeg), x(LeftUpperLeg));
  EXPECT_LT(x(RightUpperArm), x(LeftUpperArm));
}

TEST_P(Gaits, KeepTheHeadUprightAndLookingAhead) {
  for (double share = 0.0; share < 1.0; share += 0.05) {
    const SegmentSample sample = segment_sample(human, at(share));
    EXPECT_LT(so3::angle(sample.segments[Head].R_WS), 6.0 * kDegree);
  }
}

TEST_P(Gaits, SwayTowardsTheStandingFoot) {
  const double middle = GetParam().speed > 2.0 ? 0.18 : 0.30;
  EXPECT_LT(at(middle).p_WB.y(), 0.0) << "right stance";
  EXPECT_GT(at(middle + 0.5).p_WB.y(), 0.0) << "left stance";
  for (double share = 0.0; share < 1.0; share += 0.05) EXPECT_LT(std::abs(at(share).p_WB.y()), 0.05);
}

TEST_P(Gaits, DoNotSlideTheStandingFoot) {
  const detail::Sole sole(human, "Right");
  Kinematics kinematics(human);
  const double stance = GetParam().speed > 2.0 ? 0.37 : 0.60;
  double sum = 0.0;
  int count = 0;
  for (double share = 0.06; share < stance - 0.06; share += 0.01) {
    kinematics.update_with_velocities(at(share));
    sum += sole.lowest(kinematics).v.head<2>().norm();
    ++count;
  }
  RecordProperty("slide_m_s", std::to_string(sum / count));
  EXPECT_LT(sum / count, 0.15) << "[m/s], under a pelvis at " << GetParam().speed;
}

INSTANTIATE_TEST_SUITE_P(Paces, Gaits,
                         testing::Values(Pace{"walk", 4.0 / 3.6, 0.9}, Pace{"fast_walk", 6.0 / 3.6, 1.05},
                                         Pace{"run", 10.0 / 3.6, 1.4}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST(Run, FliesTwiceAStrideAndFallsFreely) {
  const Model human = human66();
  const Synthesis synthesis = make_synthesis("run", human);
  const detail::Sole right(human, "Right"), left(human, "Left");
  Kinematics kinematics(human);
  int flying = 0, take_offs = 0;
  bool before = false;
  double highest = 0.0, fall = 0.0;
  for (int i = 0; i <= 400; ++i) {
    const Time t = from_seconds(synthesis.period() * i / 400.0);
    kinematics.update_with_velocities(synthesis.state(t));
    const double lowest = std::min(right.lowest(kinematics).p.z(), left.lowest(kinematics).p.z());
    EXPECT_GT(lowest, -0.03);
    const bool now = lowest > 0.005;
    take_offs += now && !before && i > 0 ? 1 : 0;
    flying += now ? 1 : 0;
    if (lowest > highest) {
      highest = lowest;
      fall = synthesis.acceleration(t).a_WB.z();
    }
    before = now;
  }
  EXPECT_EQ(take_offs, 2);
  EXPECT_GT(flying, 60) << "of 400";
  EXPECT_LT(flying, 160) << "of 400";
  EXPECT_GT(highest, 0.02);
  EXPECT_NEAR(fall, -9.8, 3.0) << "ballistic at the top";
}

TEST(Run, StaysInThePublishedRanges) {
  const Model human = human66();
  for (const State& state : synthesise(make_synthesis("run", human), 1.0, 200.0).states) {
    const auto angle = [&](const char* joint) { return state.s[human.joint_index(joint)] / kDegree; };
    EXPECT_GE(angle("jRightKnee_roty"), 9.0);
    EXPECT_LE(angle("jRightKnee_roty"), 112.0);
    EXPECT_LE(std::abs(angle("jRightAnkle_roty")), 26.0);
    EXPECT_GE(-angle("jRightHip_roty"), -30.0);
    EXPECT_LE(-angle("jRightHip_roty"), 51.0);
    EXPECT_GE(angle("jRightElbow_rotz"), 61.0);
    EXPECT_LE(angle("jRightElbow_rotz"), 137.0);
  }
}

TEST(Walk, FitsPeopleOfEverySize) {
  for (const double height : {0.8, 1.2, 1.6, 2.1}) {
    const Model human = human48(scaled_subject(height));
    const Synthesis synthesis = make_synthesis("walk", human);
    const detail::Sole right(human, "Right"), left(human, "Left");
    Kinematics kinematics(human);
    for (int i = 0; i < 100; ++i) {
      kinematics.update_with_velocities(synthesis.state(from_seconds(synthesis.period() * i / 100.0)));
      const double lowest = std::min(right.lowest(kinematics).p.z(), left.lowest(kinematics).p.z());
      EXPECT_GT(lowest, -0.03) << height;
      EXPECT_LT(lowest, 0.03) << height;
    }
  }
}

}  // namespace
}  // namespace panto
