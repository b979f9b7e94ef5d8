#include "panto/retarget/scaled_clip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/model/kinematics.hpp"
#include "panto/retarget/robot_clip.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

// Answers with the joints of the person, whatever they are; not at all in the frame `silent`.
class TruthTracker final : public Tracker<SegmentSample> {
 public:
  explicit TruthTracker(const std::vector<State>& truth) : truth_(&truth) {}
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override {
    const std::size_t k = next_++;
    if (static_cast<int>(k) == silent) return StepStatus::NoTarget;
    state = (*truth_)[k];
    state.t = sample.t;
    state.p_WB = sample.segments[HumanSegment::Pelvis].p_WS;
    return StepStatus::Solved;
  }
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  int silent = -1;

 private:
  const std::vector<State>* truth_;
  std::size_t next_ = 0;
  StepReport report_;
};

// A walk of 2 s, and a robot whose joints turn at most at `speed` [rad/s].
struct ScaleScene {
  explicit ScaleScene(double speed) {
    ModelSpec spec = human48(test::long_shanks()).spec();
    for (Joint& joint : spec.joints) joint.velocity = speed;
    robot = Model(std::move(spec));
  }
  std::shared_ptr<const FreeClip> follow(int silent = -1) {
    person.rewind();
    clip = make_robot_clip(person, robot, test::human_map(), *person.about.subject, FeetMode::Plant);
    TruthTracker tracker(person.truth);
    tracker.silent = silent;
    return std::make_shared<const FreeClip>(tracker, rest_state(robot), *clip.recording, robot, Observer{});
  }
  ScaledClip scaled(const ScaleOptions& options = {}) { return {follow(), robot, options, 0, 119, {}}; }

  test::ShownPerson person = test::shown_person("walk", 2.0);
  Model robot = human48();
  RobotClip clip;
};

TEST(ScaledClip, AWalkTooFastIsStretchedUntilEveryJointKeepsItsSpeed) {
  for (const TimeLaw law : {TimeLaw::Uniform, TimeLaw::Optimal}) {
    ScaleScene scene(2.0);
    ScaleOptions options;
    options.time.law = law;
    const ScaledClip clip = scene.scaled(options);
    EXPECT_GT(clip.report().time.stretch, 1.5) << "a walking knee turns at over 4 rad/s";
    EXPECT_NEAR(static_cast<double>(clip.frames()), 120.0 * clip.report().time.stretch, 3.0);
    ASSERT_EQ(clip.before().size(), 120U);
    EXPECT_EQ(clip.report().seconds, 0.0) << "no clock was given";
    for (std::size_t k = 1; k < clip.states().size(); ++k) {
      const State &a = clip.states()[k - 1], &b = clip.states()[k];
      EXPECT_LE((b.s - a.s).lpNorm<Eigen::Infinity>(), 2.0 * to_seconds(b.t - a.t) + 1e-9) << k;
    }
    EXPECT_EQ(slow_warning(clip, scene.robot), "") << "only from three times as long on";
  }
  ScaleScene slow(1.0);
  ScaleOptions uniform;
  uniform.time.law = TimeLaw::Uniform;
  const std::string warning = slow_warning(slow.scaled(uniform), slow.robot);
  EXPECT_TRUE(test::names(warning, "times as long: joint 'j", " of 1.0 rad/s)", "the optimal pace"));
  ScaleScene fast(100.0);
  EXPECT_NEAR(fast.scaled().report().time.stretch, 1.0, 1e-6) << "stamps are whole nanoseconds";
}

TEST(ScaledClip, SamplesAndStatesComeInPairsBetweenTheRecordedOnesAtTheSlowerPace) {
  ScaleScene scene(2.0);
  ScaleOptions options;
  options.time.law = TimeLaw::Uniform;
  ScaledClip clip = scene.scaled(options);
  SegmentSample sample;
  State state = rest_state(scene.robot);
  EXPECT_EQ(clip.step(sample, state), StepStatus::NoTarget) << "nothing was read";
  int repeats = 0;
  double fastest = 0.0;
  constexpr std::size_t pelvis = HumanSegment::Pelvis, shank = HumanSegment::RightLowerLeg;
  for (std::size_t k = 0; k < clip.states().size(); ++k) {
    ASSERT_EQ(clip.read(sample), ReadStatus::Sample);
    EXPECT_EQ(clip.step(sample, state), StepStatus::Solved);
    EXPECT_EQ(state.t, sample.t);
    EXPECT_EQ(state.s, clip.states()[k].s);
    repeats += clip.repeats() ? 1 : 0;
    const double shown = to_seconds(clip.report().recorded[k]);
    EXPECT_LE(std::abs(clip.frame() / 60.0 - shown), 0.5 / 60.0 + 1e-6) << "the nearest frame";
    const Eigen::Vector3d place = clip.person_place(pelvis).value();
    const SegmentMotion& recorded = clip.person().segments[pelvis];
    EXPECT_LT((place - recorded.p_WS).norm(), 0.02) << "[m] half a frame at 1.2 m/s is 1 cm";
    // rates are the recorded ones, at the pace of the new stamps
    if (k + 2 >= clip.states().size()) continue;  // the last pose is held up to a whole frame
    const Eigen::Vector3d w = clip.report().time.stretch * sample.segments[shank].w_WS,
                          recorded_w = clip.person().segments[shank].w_WS;
    EXPECT_LT((w - recorded_w).norm(), 0.6) << k << " [rad/s] half a frame at 60 rad/s^2";
    fastest = std::max(fastest, w.norm());
  }
  EXPECT_GT(fastest, 3.0) << "[rad/s] it does swing";
  EXPECT_EQ(repeats, static_cast<int>(clip.states().size()) - 120) << "the others are new to the judge";
  EXPECT_EQ(clip.read(sample), ReadStatus::EndOfMotion);
  sample.t += 1;
  EXPECT_EQ(clip.step(sample, state), StepStatus::NoTarget) << "a sample that it did not read";
}

TEST(ScaledClip, ACutIsRefusedByItsFrameAndPartsBesideItAreScaled) {
  ScaleScene scene(2.0);
  scene.person.samples[50].cut = true;
  const auto clip = scene.follow(20);  // frame 20 has no answer, so the cut is sample 49
  ASSERT_EQ(clip->cuts, (std::vector<int>{49}));
  EXPECT_EQ(clip->frames[20], 21);
  const auto scaled = [&](int first, int last) {
    return ScaledClip(clip, scene.robot, {}, first, last, {}).before().front().t;
  };
  EXPECT_TRUE(test::names(test::refusal_of([&] { (void)scaled(0, 118); }), "without cuts", "frame 50;"));
  EXPECT_EQ(scaled(0, 48), 0) << "the part before the cut";
  EXPECT_EQ(scaled(49, 118), scene.person.samples[50].t) << "a part begins with it and keeps its time";
  ScaleScene damaged(2.0);
  damaged.person.damage = "shown:9: cut off";
  EXPECT_EQ(damaged.follow()->problem, "shown:9: cut off");
  damaged.person.samples.clear();
  EXPECT_TRUE(damaged.follow()->samples.empty());
}

TEST(ScaledClip, LimitsAreTakenAwayAndGivenBackInRange) {
  ScaleScene scene(2.0);
  ModelSpec spec = scene.robot.spec();
  spec.rows = {{"both", {{"jRightKnee_roty", 1.0}, {"jLeftKnee_roty", 1.0}}, -1.0, 1.0}};
  const int knee = scene.robot.joint_index("jRightKnee_roty");
  for (Joint& joint : spec.joints)
    if (joint.name == "jRightKnee_roty")
      joint.upper = 0.01, joint.lower = -0.01;  // [rad] a walk bends it by 1
  scene.robot = Model(spec);
  const Model free = without_limits(scene.robot), slow = without_speed_limits(scene.robot);
  EXPECT_EQ(free.lower()[knee], -kInfinity);
  EXPECT_EQ(free.rest(), scene.robot.rest());
  EXPECT_TRUE(free.rows().empty());
  EXPECT_EQ(slow.upper()[knee], 0.01);
  EXPECT_EQ(slow.rows().size(), 1U);
  EXPECT_EQ(free.spec().joints[0].velocity + slow.spec().joints[0].velocity, kInfinity);
  const ScaledClip clip = scene.scaled();
  for (const State& state : clip.states()) EXPECT_LE(std::abs(state.s[knee]), 0.01 + 1e-12);
  EXPECT_TRUE(test::names(still_warning(clip, scene.robot), "hardly any motion", "'jRightKnee_roty' (wanted",
                          "limits -0.01 to 0.01)"));
  ScaleScene whole(2.0);
  EXPECT_EQ(still_warning(whole.scaled(), whole.robot), "");
}

TEST(ScaledClip, PlantedFeetStandInTheStretchedTimeToo) {
  ScaleScene scene(3.0);
  ScaledClip clip = scene.scaled();
  EXPECT_TRUE(clip.contacts().empty());
  const std::vector<BaseWish> wishes = base_wishes(*scene.clip.recording, scene.clip.feet.contacts.ground);
  const auto notes = clip.plant(scene.robot, scene.clip.recording->skeleton(), scene.clip.feet, wishes, {});
  EXPECT_TRUE(notes.empty()) << notes.front();
  ASSERT_EQ(clip.contacts().size(), 2U);
  Kinematics kinematics(scene.robot);
  int standing = 0;
  for (std::size_t k = 0; k < clip.states().size(); ++k) {
    kinematics.update(clip.states()[k]);
    for (const LinkContacts& foot : clip.contacts()) {
      if (!foot.stands(k)) continue;
      ++standing;
      EXPECT_LT((kinematics.p_WL(scene.robot.link_index(foot.link)) - foot.anchor[k]->p_WL).norm(), 0.01)
          << k;
    }
  }
  EXPECT_GT(standing, 100);
}

}  // namespace
}  // namespace panto
