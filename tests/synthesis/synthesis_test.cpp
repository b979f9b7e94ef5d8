#include "panto/synthesis/synthesis.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

std::uint64_t hash_of(const Motion& motion) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const State& state : motion.states) hash = state_hash(state, hash);
  return hash;
}

/// A little robot with what `random` has to respect: limits, speed limits, a mimic, a coupled row, a slider.
Model robot() {
  ModelSpec spec;
  spec.name = "robot";
  spec.links = {{"base"}, {"a"}, {"b"}, {"c"}, {"d"}, {"e"}};
  const auto joint = [&](const char* name, const char* parent, const char* child, double lower,
                         double upper) {
    Joint j;
    j.name = name;
    j.type = JointType::Revolute;
    j.parent = parent;
    j.child = child;
    j.p_PJ.z() = 0.2;
    j.lower = lower;
    j.upper = upper;
    j.velocity = 2.0;
    spec.joints.push_back(j);
  };
  joint("one", "base", "a", -1.0, 2.0);
  joint("two", "a", "b", 0.5, 0.9);
  joint("mimic", "b", "c", -0.1, 0.1);
  joint("half", "c", "d", 0.4, kInfinity);
  joint("slide", "d", "e", -0.05, 0.3);
  spec.joints.back().type = JointType::Prismatic;
  spec.joints.back().velocity = 0.1;
  spec.mimics = {{"mimic", "one", -0.5, 0.05}};
  spec.rows = {{"row", {{"one", 1.0}, {"half", -1.0}}, -0.3, 0.5}};
  return Model(spec);
}

class EveryMotion : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  [[nodiscard]] static Model model() { return std::get<1>(GetParam()) == "human66" ? human66() : human48(); }
  [[nodiscard]] static std::string name() { return std::get<0>(GetParam()); }
};

TEST_P(EveryMotion, VelocitiesAreTheDerivativesOfThePoses) {
  const Model human = model();
  const Synthesis synthesis = make_synthesis(name(), human, 3);
  LinkSampler sampler(human, human_segment_names());
  // five-point stencil: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h, error of the order h^4
  constexpr Time h = 200'000;  // [ns]
  std::array<SegmentSample, 5> at;
  for (int i = 0; i < panto::test::scaled(20); ++i) {
    const Time t = frame_time(i, 7.3);
    for (int k = -2; k <= 2; ++k)
      sampler.sample(synthesis.state(t + k * h), at[static_cast<std::size_t>(k + 2)]);
    for (std::size_t k = 0; k < at[2].segments.size(); ++k) {
      const auto difference = [&](auto quantity) {
        const auto f = [&](std::size_t n) { return quantity(at[n].segments[k]); };
        return ((8.0 * (f(3) - f(1)) - (f(4) - f(0))) / (12.0 * to_seconds(h))).eval();
      };
      const SegmentMotion& now = at[2].segments[k];
      const Eigen::Vector3d v =
          difference([](const SegmentMotion& s) -> const Eigen::Vector3d& { return s.p_WS; });
      const Eigen::Matrix3d Rdot =
          difference([](const SegmentMotion& s) -> const Eigen::Matrix3d& { return s.R_WS; });
      ASSERT_LT((v - now.v_WS).norm(), 1e-6);
      ASSERT_LT((so3::vee_skew(Rdot * now.R_WS.transpose()) - now.w_WS).norm(), 1e-6);
    }
  }
}

TEST_P(EveryMotion, AccelerationsAreTheDerivativesOfTheVelocities) {
  const Model human = model();
  const Synthesis synthesis = make_synthesis(name(), human, 3);
  constexpr Time h = 20'000;
  for (int i = 0; i < 10; ++i) {
    const Time t = frame_time(i, 7.3);
    const State a = synthesis.state(t - h), b = synthesis.state(t + h);
    const StateAcceleration now = synthesis.acceleration(t);
    const double dt = to_seconds(2 * h);
    EXPECT_LT(((b.v_WB - a.v_WB) / dt - now.a_WB).norm(), 1e-5);
    EXPECT_LT(((b.w_WB - a.w_WB) / dt - now.alpha_WB).norm(), 1e-5);
    EXPECT_LT(((b.sdot - a.sdot) / dt - now.sddot).cwiseAbs().maxCoeff(), 1e-4);
  }
}

TEST_P(EveryMotion, StaysInsideLimitsAndSpeedLimits) {
  const Model human = model();
  const Synthesis synthesis = make_synthesis(name(), human, 5);
  for (const State& state : synthesise(synthesis, 10.0, 100.0).states) {
    ASSERT_TRUE(is_valid(state, human));
    for (int i = 0; i < human.dof(); ++i) {
      ASSERT_GE(state.s[i], human.lower()[i]) << human.joint_names()[static_cast<std::size_t>(i)];
      ASSERT_LE(state.s[i], human.upper()[i]) << human.joint_names()[static_cast<std::size_t>(i)];
      ASSERT_LE(std::abs(state.sdot[i]), human.velocity_limit()[i]);
    }
  }
}

TEST_P(EveryMotion, MovingJointsKeepClearOfTheirLimits) {
  const Model human = model();
  const Synthesis synthesis = make_synthesis(name(), human, 5);
  const Motion motion = synthesise(synthesis, 5.0, 100.0);
  for (int i = 0; i < human.dof(); ++i) {
    if (synthesis.joints()[static_cast<std::size_t>(i)].waves().empty()) continue;
    const double range = human.upper()[i] - human.lower()[i];
    if (!std::isfinite(range)) continue;
    for (const State& state : motion.states) {
      ASSERT_GT(std::min(state.s[i] - human.lower()[i], human.upper()[i] - state.s[i]),
                std::min(0.03, 0.04 * range))
          << human.joint_names()[static_cast<std::size_t>(i)];
    }
  }
}

TEST_P(EveryMotion, HasTheSameBitsEveryTime) {
  const Model human = model();
  const Motion a = synthesise(make_synthesis(name(), human, 7), 2.0, 60.0);
  const Motion b = synthesise(make_synthesis(name(), human, 7), 2.0, 60.0);
  EXPECT_EQ(hash_of(a), hash_of(b));
}

TEST_P(EveryMotion, RepeatsAfterItsPeriod) {
  const Model human = model();
  const Synthesis synthesis = make_synthesis(name(), human);
  if (name() == "random") {
    EXPECT_EQ(synthesis.period(), 0.0) << "it never repeats";
    return;
  }
  ASSERT_GT(synthesis.period(), 0.0);
  for (const double t : {0.0, 0.33, 0.8}) {
    const State a = synthesis.state(from_seconds(t)),
                b = synthesis.state(from_seconds(t + synthesis.period()));
    EXPECT_LT((a.s - b.s).cwiseAbs().maxCoeff(), 1e-7) << "stamps are whole nanoseconds";
    EXPECT_TRUE(a.R_WB.isApprox(b.R_WB, 1e-7));
    EXPECT_NEAR(a.p_WB.z(), b.p_WB.z(), 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Motions, EveryMotion,
    testing::Combine(testing::Values("tpose", "npose", "walk", "fast_walk", "run", "reach", "wave", "conduct",
                                     "forearm_roll", "overflex", "singular", "gesture", "random"),
                     testing::Values("human66", "human48")),
    [](const auto& chosen) { return std::get<0>(chosen.param) + "_" + std::get<1>(chosen.param); });

bool of_the_arm(const SynthesisName& known) {
  return known.name == "singular_arm" || known.name == "singular_hold";
}

TEST(MakeSynthesis, KnowsEveryNameItLists) {
  const Model human = human66();
  EXPECT_EQ(synthesis_names().size(), 15u);
  for (const SynthesisName& known : synthesis_names()) {
    if (of_the_arm(known)) continue;
    EXPECT_EQ(make_synthesis(known.name, human).name(), known.name);
    EXPECT_FALSE(known.description.empty());
  }
}

TEST(MakeSynthesis, ListsTheValidNamesForAnUnknownOne) {
  try {
    (void)make_synthesis("wlak", human66());
    FAIL() << "accepted 'wlak'";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("did you mean 'walk'"), std::string::npos) << text;
    EXPECT_NE(text.find("fast_walk"), std::string::npos) << text;
  }
}

TEST(MakeSynthesis, RefusesAModelWithoutLegsByName) {
  const Model model = robot();
  for (const SynthesisName& known : synthesis_names()) {
    if (known.name == "random" || of_the_arm(known)) continue;
    try {
      (void)make_synthesis(known.name, model);
      FAIL() << known.name;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()),
                "motion '" + std::string(known.name) + "' needs a human model; 'robot' has no link 'Pelvis'");
    }
  }
}

TEST(MakeSynthesis, StandsOnTheGround) {
  for (const double height : {1.0, 1.75, 2.1}) {
    const Model human = human66(scaled_subject(height));
    const SegmentSample sample = segment_sample(human, make_synthesis("tpose", human).state(0));
    EXPECT_NEAR(sample.segments[RightToe].p_WS.z(), 0.0, 1e-12);
    EXPECT_NEAR(sample.segments[Head].p_WS.z(), 0.897 * height, 0.005 * height);
  }
}

TEST(MakeSynthesis, NPoseDiffersFromTPoseBySixArmLinksAtNinetyDegrees) {
  const Model human = human66();
  const SegmentSample n = segment_sample(human, make_synthesis("npose", human).state(0));
  const SegmentSample t = segment_sample(human, make_synthesis("tpose", human).state(0));
  int turned = 0;
  double mnte = 0.0;  // mean over the links of 1 - cos(angle)
  for (std::size_t k = 0; k < 23; ++k) {
    const double angle = so3::distance(n.segments[k].R_WS, t.segments[k].R_WS);
    mnte += (1.0 - std::cos(angle)) / 23.0;
    if (angle < 1e-9) continue;
    EXPECT_NEAR(angle, 0.5 * std::numbers::pi, 1e-12);
    ++turned;
  }
  EXPECT_EQ(turned, 6);
  EXPECT_NEAR(mnte, 6.0 / 23.0, 1e-12);
  EXPECT_LT(n.segments[RightHand].p_WS.z(), n.segments[RightUpperArm].p_WS.z() - 0.5) << "arms hang";
}

TEST(MakeSynthesis, ReachBringsTheRightWristToItsTargets) {
  for (const Model& human : {human66(), human48()}) {
    const Synthesis synthesis = make_synthesis("reach", human);
    const double arm = (0.168 + 0.138) * 1.75;
    const Eigen::Vector3d targets[] = {{0.80, -0.15, 0.25}, {0.55, -0.65, -0.05}, {0.70, -0.15, -0.45}};
    for (int k = 0; k < 3; ++k) {
      const double t = synthesis.period() * 0.25 * (k + 1);
      const SegmentSample sample = segment_sample(human, synthesis.state(from_seconds(t)));
      const SegmentMotion& girdle = sample.segments[RightShoulder];
      const Eigen::Vector3d wrist =
          girdle.R_WS.transpose() * (sample.segments[RightHand].p_WS - sample.segments[RightUpperArm].p_WS);
      EXPECT_LT((wrist - arm * targets[k]).norm(), 0.001) << "target " << k;
    }
  }
}

TEST(RandomMotion, DependsOnItsSeed) {
  const Model human = human48();
  const auto hash = [&](std::uint64_t seed) {
    return hash_of(synthesise(make_synthesis("random", human, seed), 1.0, 30.0));
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
}

TEST(RandomMotion, RespectsLimitsMimicsRowsAndSpeedOfARobot) {
  const Model model = robot();
  for (int seed = 1; seed <= panto::test::scaled(20); ++seed) {
    const Synthesis synthesis = make_synthesis("random", model, static_cast<std::uint64_t>(seed));
    double least[5], most[5];
    for (int i = 0; i < 5; ++i) least[i] = kInfinity, most[i] = -kInfinity;
    for (const State& state : synthesise(synthesis, 20.0, 50.0).states) {
      for (int i = 0; i < 5; ++i) {
        ASSERT_GT(state.s[i], model.lower()[i]) << i;
        ASSERT_LT(state.s[i], model.upper()[i]) << i;
        ASSERT_LT(std::abs(state.sdot[i]), model.velocity_limit()[i]) << i;
        least[i] = std::min(least[i], state.s[i]);
        most[i] = std::max(most[i], state.s[i]);
      }
      const double row = state.s[0] - state.s[3];
      ASSERT_GT(row, -0.3);
      ASSERT_LT(row, 0.5);
      ASSERT_NEAR(state.s[2], -0.5 * state.s[0] + 0.05, 1e-14);
      ASSERT_NEAR(state.sdot[2], -0.5 * state.sdot[0], 1e-14);
    }
    for (int i = 0; i < 5; ++i) EXPECT_GT(most[i] - least[i], 0.01) << "joint " << i << " hardly moves";
  }
}

TEST(RandomMotion, LeavesAFixedBaseWhereItIs) {
  ModelSpec spec = robot().spec();
  spec.floating_base = false;
  const Model model(spec);
  const State state = make_synthesis("random", model, 4).state(from_seconds(3.21));
  EXPECT_TRUE(state.p_WB.isZero());
  EXPECT_TRUE(state.R_WB.isIdentity());
}

TEST(Synthesise, SamplesAtTheRate) {
  const Model human = human66();
  const Motion motion = synthesise(make_synthesis("walk", human), 10.0, 60.0);
  ASSERT_EQ(motion.states.size(), 600u);
  EXPECT_EQ(motion.model_name, "human66");
  EXPECT_EQ(motion.joint_names, human.joint_names());
  EXPECT_EQ(motion.rate_hz, 60.0);
  EXPECT_EQ(motion.states[1].t, 16'666'667);
  EXPECT_EQ(motion.states[599].t, frame_time(599, 60.0));
  EXPECT_EQ(frame_count(0.001, 60.0), 1) << "at least one";
  for (const auto& [duration, rate] : {std::pair{0.0, 60.0},
                                       {1.0, 0.0},
                                       {-1.0, 60.0},
                                       {1e9, 60.0},
                                       {std::nan(""), 60.0},
                                       {1.0, kInfinity}}) {
    EXPECT_THROW((void)frame_count(duration, rate), ConfigError);
  }
}

TEST(Synthesis, NeedsACurveForEveryJoint) {
  const Model model = robot();
  EXPECT_THROW(Synthesis("short", model, std::vector<Curve>(3), {}, 0.0), ConfigError);
}

}  // namespace
}  // namespace panto
