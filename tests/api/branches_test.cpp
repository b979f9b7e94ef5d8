// Worse branches of whole recordings: humans are led out of them as robots are, a clip played to and fro is
// as good both ways, and a cut of a clip moves as the whole clip does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "panto/api/retarget.hpp"
#include "panto/api/track.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/recording/person_reader.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/cut_recording.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr const char* kArmsUpAndDown = "cases/02_arms_up_sideways_down_in_front.bvh";

test::CutRecording read(const std::string& file) {
  const auto recording = io::open_recording(test::data_file(file));
  return test::CutRecording(*recording);
}

Model clinical_human(const Recording& recording) {
  return human48(recording.info().subject.value_or(scaled_subject(1.75)));
}

// How far each link is off its segment, by pair and frame [deg].
std::vector<std::vector<double>> errors(const TrackResult& result, const Model& model,
                                        const std::vector<SegmentSample>& samples) {
  std::vector<std::vector<double>> off(result.pairs.size());
  Kinematics kinematics(model);
  for (std::size_t k = 0; k < result.motion.states.size(); ++k) {
    kinematics.update(result.motion.states[k]);
    for (std::size_t i = 0; i < result.pairs.size(); ++i) {
      const TrackedPair& pair = result.pairs[i];
      const Eigen::Matrix3d R_WF =
          samples[k].segments[static_cast<std::size_t>(pair.segment)].R_WS * pair.R_SF;
      const double cosine = 0.5 * (kinematics.R_WL(pair.link).cwiseProduct(R_WF).sum() - 1.0);
      off[i].push_back(std::acos(std::clamp(cosine, -1.0, 1.0)) * 180.0 / std::numbers::pi);
    }
  }
  return off;
}

double worst(const std::vector<std::vector<double>>& errors) {
  double most = 0.0;
  for (const std::vector<double>& link : errors)
    for (const double error : link) most = std::max(most, error);
  return most;
}

double mean(const std::vector<double>& values, std::size_t first, std::size_t last) {
  double sum = 0.0;
  for (std::size_t k = first; k < last; ++k) sum += values[k];
  return sum / static_cast<double>(last - first);
}

TEST(TrackedBranches, ArmsOfAClinicalHumanThatComeDownInFrontAreLedThroughTheBetterPose) {
  PANTO_NEED_DATA(kArmsUpAndDown);
  test::CutRecording recording = read(kArmsUpAndDown);
  const Model model = clinical_human(recording);
  TrackOptions forwards;
  forwards.two_way = false;
  EXPECT_GT(worst(errors(track(recording, model, forwards), model, recording.samples())), 60.0)
      << "the reason for all this: 85 degrees";
  recording.rewind();
  const TrackResult led = track(recording, model);
  EXPECT_LT(worst(errors(led, model, recording.samples())), 20.0);
  ASSERT_FALSE(led.rerouted_at.empty());
  EXPECT_TRUE(led.stuck.empty());
  EXPECT_TRUE(std::any_of(led.notes.begin(), led.notes.end(), [](const std::string& note) {
    return note.find("better poses used at") != std::string::npos;
  }));
}

TEST(TrackedBranches, AnArmThatStaysOffIsNamedWithJointAndTime) {
  PANTO_NEED_DATA("bvh/cmu/005_02.bvh");
  test::CutRecording recording = read("bvh/cmu/005_02.bvh");
  const Model model = clinical_human(recording);
  const TrackResult result = track(recording, model);
  const auto off = errors(result, model, recording.samples());
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (model.link_names()[static_cast<std::size_t>(result.pairs[i].link)].find("UpperArm") ==
        std::string::npos)
      continue;
    for (std::size_t k = 0; k < off[i].size(); ++k) {
      const Time t = result.motion.states[k].t;
      // better poses of these frames lie beyond the shoulder's other limit, 225 degrees away
      EXPECT_TRUE(off[i][k] < 45.0 || std::any_of(result.stuck.begin(), result.stuck.end(),
                                                  [&](const StuckMoment& stuck) {
                                                    return std::abs(to_seconds(stuck.t - t)) < 0.5 &&
                                                           stuck.joint.find("Shoulder") != std::string::npos;
                                                  }))
          << to_seconds(t) << " s: " << off[i][k];
    }
  }
}

TEST(TrackedBranches, WithoutAWorseBranchTheMotionIsTheForwardOneToTheLastBit) {
  const auto walk = test::bundled_walk();
  const Model model = human48();
  const TrackResult both = track(*walk, model);
  walk->rewind();
  TrackOptions forwards;
  forwards.two_way = false;
  const TrackResult alone = track(*walk, model, forwards);
  EXPECT_TRUE(both.rerouted_at.empty() && both.stuck.empty());
  ASSERT_EQ(both.motion.states.size(), alone.motion.states.size());
  for (std::size_t k = 0; k < alone.motion.states.size(); ++k)
    ASSERT_EQ(state_hash(both.motion.states[k]), state_hash(alone.motion.states[k])) << k;
}

// No link is more than 2 degrees worse in the mean on the way back. The first half second settles.
void expect_as_good_backwards(const TrackResult& result, const Model& model,
                              const std::vector<SegmentSample>& samples) {
  ASSERT_EQ(result.motion.states.size(), samples.size());
  const std::size_t half = samples.size() / 2, settle = 60;
  const auto off = errors(result, model, samples);
  for (std::size_t i = 0; i < off.size(); ++i)
    EXPECT_LT(mean(off[i], half, 2 * half - settle), mean(off[i], settle, half) + 2.0)
        << model.link_names()[static_cast<std::size_t>(result.pairs[i].link)];
}

TEST(ToAndFro, ADanceIsAsGoodBackwardsOnAClinicalHuman) {
  for (const char* file : {"bvh/cmu/131_01.bvh", kArmsUpAndDown}) {
    PANTO_NEED_DATA(file);
    SCOPED_TRACE(file);
    test::CutRecording recording = read(file).to_and_fro();
    const Model model = clinical_human(recording);
    expect_as_good_backwards(track(recording, model), model, recording.samples());
  }
}

TEST(ToAndFro, ADanceIsAsGoodBackwardsOnRobots) {
  PANTO_NEED_DATA("bvh/cmu/131_01.bvh");
  test::CutRecording recording = read("bvh/cmu/131_01.bvh").to_and_fro();
  std::vector<SegmentSample> person;
  PersonReader reader(recording);
  for (SegmentSample sample; reader.read(sample) == ReadStatus::Sample;) person.push_back(sample);
  for (const char* name : {"unitree_g1", "icub"}) {
    SCOPED_TRACE(name);
    recording.rewind();
    const Robot robot = test::shipped_robot(name);
    expect_as_good_backwards(retarget(recording, robot), robot.model, person);
  }
}

// Cuts of 4 s: in how many every joint is within 0.05 rad of the whole clip's from 1.5 s on, the last third
// of a second left out, and how many others nothing in the result tells.
struct CutShare {
  int cuts = 0, same = 0, untold = 0;
};
void add_cuts(const std::string& file, FeetMode feet, int count, CutShare& share) {
  const Robot robot = test::shipped_robot("unitree_g1");
  RetargetOptions options;
  options.feet = feet;
  test::CutRecording whole = read(file);
  const Motion all = retarget(whole, robot, options).motion;
  const double dt = to_seconds(whole.samples()[1].t - whole.samples()[0].t);
  const auto frames = [&](double seconds) { return static_cast<std::size_t>(std::lround(seconds / dt)); };
  const std::size_t from = frames(1.5), until = frames(4.0 - 1.0 / 3.0);
  const Time blend = from_seconds(0.4);  // of a swing towards its stance
  std::mt19937 draw(1);
  for (int i = 0; i < count && whole.samples().size() > frames(4.0); ++i) {
    const std::size_t first = draw() % (whole.samples().size() - frames(4.0));
    test::CutRecording cut = whole.cut(first, frames(4.0));
    const RetargetResult part = retarget(cut, robot, options);
    const std::vector<State>& states = part.motion.states;
    ASSERT_EQ(states.size(), frames(4.0));
    double most = 0.0;
    for (std::size_t k = from; k < until; ++k)
      most = std::max(most, (states[k].s - all.states[first + k].s).lpNorm<Eigen::Infinity>());
    const bool told = part.ambiguous_starts > 0 || !part.rerouted_at.empty() || !part.stuck.empty() ||
                      (part.feet_from && (*part.feet_from + blend > states[from].t ||
                                          *part.feet_until - blend < states[until - 1].t));
    ++share.cuts;
    if (most < 0.05) ++share.same;
    if (most >= 0.05 && !told) ++share.untold;
  }
}

TEST(Cuts, MoveAsTheWholeClipOrTellThatTheyMayNot) {
  PANTO_NEED_DATA("lafan1/dance1_subject2.bvh");
  const int count = test::scale() >= 10.0 ? 1000 : 30;
  CutShare planted, free;
  add_cuts("lafan1/dance1_subject2.bvh", FeetMode::Plant, count, planted);
  add_cuts("lafan1/dance1_subject2.bvh", FeetMode::Off, count, free);
  // Goal: 99 %. 53 % and 75 % of 250; 15 % and 63 % before contacts and searches depended on what is near
  // alone. What is left: an anchor is the median of its stance, so a stance that is cut has another one; arms
  // that pass gimbal lock.
  EXPECT_GT(planted.same, 0.40 * planted.cuts);
  EXPECT_GT(free.same, 0.60 * free.cuts);
  EXPECT_LE(planted.untold, 0.05 * planted.cuts);
  RecordProperty("planted_share", std::to_string(planted.same) + "/" + std::to_string(planted.cuts));
  RecordProperty("free_share", std::to_string(free.same) + "/" + std::to_string(free.cuts));
  RecordProperty("planted_untold", planted.untold);
}

}  // namespace
}  // namespace panto
