#include "panto/evaluation/recording_health.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;

constexpr double kRate = 60.0;

// what a suit would record of a person of 1.75 m who moves as named
std::vector<SegmentSample> recording(const std::string& motion, double duration = 5.0) {
  const Model model = human66();
  SyntheticSource source(make_synthesis(motion, model), {duration, kRate, {}, human_segment_names()});
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; source.read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  return samples;
}

std::vector<Finding> findings(const std::vector<SegmentSample>& samples,
                              const std::vector<std::string>& names = human_segment_names()) {
  RecordingHealth health(names, kRate);
  for (const SegmentSample& sample : samples) health.add(sample);
  return health.findings();
}

std::string listed(const std::vector<Finding>& all) {
  std::string text;
  for (const Finding& finding : all)
    text += std::string(to_string(finding.kind)) + ": " + finding.text + "\n";
  return text;
}

// the one finding of a damaged walk
Finding only(const std::vector<SegmentSample>& samples, FindingKind kind) {
  const std::vector<Finding> all = findings(samples);
  EXPECT_EQ(all.size(), 1U) << listed(all);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Finding& o) { return o.kind == kind; });
  if (found != all.end()) return *found;
  ADD_FAILURE() << "no " << to_string(kind) << " among\n" << listed(all);
  return {};
}

bool has(const std::vector<SegmentSample>& samples, FindingKind kind) {
  const std::vector<Finding> all = findings(samples);
  return std::any_of(all.begin(), all.end(), [&](const Finding& o) { return o.kind == kind; });
}

void for_all(std::vector<SegmentSample>& samples, const std::function<void(SegmentMotion&)>& change) {
  for (SegmentSample& sample : samples) {
    for (SegmentMotion& segment : sample.segments) change(segment);
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RecordingHealth, NamesNothingOfCleanMotions) {
  for (const char* motion : {"walk", "fast_walk", "run", "reach", "random"}) {
    const std::vector<Finding> all = findings(recording(motion, 20.0));
    for (const Finding& finding : all) {
      // what a synthetic person does not move is constant, truly
      EXPECT_EQ(finding.kind, FindingKind::Constant) << motion << ": " << finding.text;
    }
  }
  EXPECT_TRUE(findings(recording("walk")).empty()) << listed(findings(recording("walk")));
  EXPECT_TRUE(findings(recording("run")).empty()) << listed(findings(recording("run")));
}

TEST(RecordingHealth, NamesNothingHeavyOfARealTake) {
  PANTO_NEED_DATA("mvnx/blender-mvnx-io_test_mocap.mvnx");
  for (const char* take : {"mvnx/blender-mvnx-io_test_mocap.mvnx", "mvnx/blender-mvnx-io_test_mocap.bvh"}) {
    const auto file = io::open_recording(test::data_file(take));
    std::vector<std::string> names = file->names();
    for (const Attachment& a : file->info().attachments.attachments)
      std::replace(names.begin(), names.end(), a.segment, a.link);
    RecordingHealth health(names, file->info().rate_hz);
    for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) health.add(sample);
    for (const Finding& finding : health.findings())
      EXPECT_EQ(finding.severity, Severity::Info) << take << ": " << finding.text;
    const RecordingFigures figures = health.figures();
    EXPECT_EQ(figures.frames, file->info().frames.value_or(112));
    EXPECT_NEAR(*figures.rate_hz, 60.0, 0.01);
    EXPECT_NEAR(*figures.limbs.thigh[0], *figures.limbs.thigh[1], 0.01);
  }
}

TEST(RecordingHealth, MeasuresThePerson) {
  RecordingHealth health(human_segment_names(), kRate);
  for (const SegmentSample& sample : recording("walk")) health.add(sample);
  const RecordingFigures figures = health.figures();
  const SubjectDimensions subject = scaled_subject(1.75);
  for (const std::size_t side : {0U, 1U}) {
    EXPECT_NEAR(*figures.limbs.thigh[side], subject.origin[RightLowerLeg].norm(), 1e-9);
    EXPECT_NEAR(*figures.limbs.shank[side], subject.origin[RightFoot].norm(), 1e-9);
    EXPECT_NEAR(*figures.limbs.foot[side], subject.origin[RightToe].norm(), 1e-9);
    EXPECT_NEAR(*figures.limbs.upper_arm[side], subject.origin[RightForeArm].norm(), 1e-9);
    EXPECT_NEAR(*figures.limbs.forearm[side], subject.origin[RightHand].norm(), 1e-9);
  }
  EXPECT_NEAR(*figures.limbs.trunk, 0.49, 0.02);
  EXPECT_EQ(figures.frames, 300);
  EXPECT_NEAR(*figures.rate_hz, 60.0, 1e-5);
  EXPECT_NEAR(*figures.duration_s, 299.0 / 60.0, 1e-9);
  EXPECT_NEAR(*figures.travel_m, 5.0 * 4.0 / 3.6, 0.2) << "4 km/h";
  EXPECT_GT(*figures.floor_m, -0.02);
  EXPECT_LT(*figures.floor_m, 0.10);
}

TEST(RecordingHealth, NamesATeleportOnceAndWhere) {
  std::vector<SegmentSample> walk = recording("walk");
  for (std::size_t k = 100; k < walk.size(); ++k) {
    for (SegmentMotion& segment : walk[k].segments) segment.p_WS.y() += 0.5;
  }
  const Finding jump = only(walk, FindingKind::Jump);
  EXPECT_EQ(jump.segment, "Pelvis");
  EXPECT_EQ(jump.worst_frame, 100);
  EXPECT_NEAR(jump.largest, 0.5, 0.02);
  EXPECT_EQ(jump.count, 1);
}

TEST(RecordingHealth, NamesAFirstFrameThatIsARestPose) {
  std::vector<SegmentSample> walk = recording("walk");
  for (SegmentMotion& segment : walk[0].segments) segment.p_WS.x() -= 3.0;
  const Finding jump = only(walk, FindingKind::Jump);
  EXPECT_EQ(jump.worst_frame, 1);
  EXPECT_TRUE(contains(jump.text, "rest pose")) << jump.text;
}

TEST(RecordingHealth, NamesAJumpIntoTheLastFrame) {
  std::vector<SegmentSample> walk = recording("walk");
  for (SegmentMotion& segment : walk.back().segments) segment.p_WS.x() += 3.0;
  EXPECT_EQ(only(walk, FindingKind::Jump).worst_frame, 299);
}

TEST(RecordingHealth, NamesASegmentThatTurnsOver) {
  std::vector<SegmentSample> walk = recording("walk");
  SegmentMotion& head = walk[50].segments[Head];
  head.R_WS = head.R_WS * so3::about_axis(2, 2.0);
  const Finding flip = only(walk, FindingKind::Flip);
  EXPECT_EQ(flip.segment, "Head");
  EXPECT_TRUE(flip.worst_frame == 50 || flip.worst_frame == 51) << flip.worst_frame;
}

TEST(RecordingHealth, NamesGapsWithTheirLength) {
  std::vector<SegmentSample> walk = recording("walk");
  walk.erase(walk.begin() + 120, walk.begin() + 180);
  const Finding gap = only(walk, FindingKind::Gap);
  EXPECT_EQ(gap.worst_frame, 120);
  EXPECT_NEAR(gap.largest, 61.0 / 60.0, 1e-6);
  EXPECT_TRUE(contains(gap.text, "60 frames are missing")) << gap.text;
}

TEST(RecordingHealth, NamesStampsThatGoBack) {
  std::vector<SegmentSample> walk = recording("walk");
  walk[10].t = walk[8].t;
  const std::vector<Finding> all = findings(walk);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().kind, FindingKind::TimeNotAdvancing) << listed(all);
  EXPECT_EQ(all.front().worst_frame, 10);
}

TEST(RecordingHealth, NamesFramesThatAreRepeatedAndTheLowerRate) {
  std::vector<SegmentSample> walk = recording("walk");
  for (std::size_t k = 1; k < walk.size(); k += 2) walk[k].segments = walk[k - 1].segments;
  for_all(walk, [](SegmentMotion& s) { s.has_angular_velocity = s.has_linear_velocity = false; });
  const Finding repeated = only(walk, FindingKind::RepeatedFrames);
  EXPECT_EQ(repeated.count, 150);
  EXPECT_EQ(repeated.largest, 1.0);
  EXPECT_TRUE(contains(repeated.text, "lower rate")) << repeated.text;
}

TEST(RecordingHealth, NamesARecordingInWhichNothingMoves) {
  EXPECT_EQ(only(recording("tpose"), FindingKind::Motionless).count, 299);
}

TEST(RecordingHealth, NamesALimbThatNeverTurns) {
  std::vector<SegmentSample> walk = recording("walk");
  for (SegmentSample& sample : walk) {
    sample.segments[LeftForeArm].R_WS = sample.segments[LeftUpperArm].R_WS;
    sample.segments[LeftForeArm].w_WS = sample.segments[LeftUpperArm].w_WS;
  }
  EXPECT_EQ(only(walk, FindingKind::Constant).segment, "LeftForeArm");
}

TEST(RecordingHealth, NamesLeftAndRightExchanged) {
  std::vector<SegmentSample> walk = recording("walk");
  for (SegmentSample& sample : walk) {
    for (int right = 0; right < kHumanSegmentCount; ++right) {
      const std::string name(kHumanSegmentNames[at(right)]);
      if (name.rfind("Right", 0) != 0) continue;
      std::swap(sample.segments[at(right)], sample.segments[at(find_human_segment("Left" + name.substr(5)))]);
    }
  }
  const Finding swap = only(walk, FindingKind::LeftRightSwap);
  EXPECT_EQ(swap.severity, Severity::Error);
  EXPECT_GT(swap.count, 250);
}

TEST(RecordingHealth, NamesAMirroredRecording) {
  std::vector<SegmentSample> walk = recording("walk");
  for_all(walk, [](SegmentMotion& s) {
    s.p_WS.y() *= -1.0;
    s.has_angular_velocity = s.has_linear_velocity = false;
  });
  EXPECT_TRUE(contains(only(walk, FindingKind::LeftRightSwap).text, "mirrored"));
}

TEST(RecordingHealth, NamesAngularVelocitiesInDegrees) {
  std::vector<SegmentSample> walk = recording("walk");
  for_all(walk, [](SegmentMotion& s) { s.w_WS *= 57.29577951308232; });
  const Finding unit = only(walk, FindingKind::AngularVelocityUnit);
  EXPECT_EQ(unit.severity, Severity::Error);
  EXPECT_NEAR(unit.largest, 57.3, 1.0);
  EXPECT_TRUE(contains(unit.text, "degrees per second")) << unit.text;
}

// 1 deg about each axis at 60 Hz is 1.5 rad/s of noise in the differences: more than people turn.
TEST(RecordingHealth, NoisyPosesAreNoFaultOfTheAngularVelocities) {
  std::vector<SegmentSample> walk = recording("walk");
  std::mt19937 random(5);
  std::normal_distribution<double> draw(0.0, 0.0175);
  for_all(walk, [&](SegmentMotion& s) {
    s.R_WS = so3::exp(Eigen::Vector3d(draw(random), draw(random), draw(random))) * s.R_WS;
  });
  EXPECT_FALSE(has(walk, FindingKind::AngularVelocityFrame));
  // the same noise, and rates that belong to nothing
  for_all(walk, [&](SegmentMotion& s) {
    s.w_WS = 60.0 * Eigen::Vector3d(draw(random), draw(random), draw(random));
  });
  EXPECT_TRUE(has(walk, FindingKind::AngularVelocityFrame));
}

TEST(RecordingHealth, NoisyAngularVelocitiesAreNoiseToo) {
  std::vector<SegmentSample> run = recording("run");
  std::mt19937 random(6);
  std::normal_distribution<double> draw(0.0, 3.0);
  for_all(run,
          [&](SegmentMotion& s) { s.w_WS += Eigen::Vector3d(draw(random), draw(random), draw(random)); });
  EXPECT_FALSE(has(run, FindingKind::AngularVelocityFrame));
  for_all(run, [&](SegmentMotion& s) { s.w_WS = -s.w_WS; });
  EXPECT_TRUE(has(run, FindingKind::AngularVelocityFrame)) << "the wrong way round is no noise";
}

TEST(RecordingHealth, NamesAngularVelocitiesInTheSegmentsOwnAxes) {
  std::vector<SegmentSample> run = recording("run");
  for_all(run, [](SegmentMotion& s) {
    const Eigen::Matrix3d about = so3::about_axis(2, 1.2);  // the person heads elsewhere
    s.R_WS = about * s.R_WS;
    s.p_WS = about * s.p_WS;
    s.v_WS = about * s.v_WS;
    s.w_WS = s.R_WS.transpose() * (about * s.w_WS);
  });
  EXPECT_EQ(only(run, FindingKind::AngularVelocityFrame).severity, Severity::Error);
}

TEST(RecordingHealth, NamesVelocitiesInMillimetres) {
  std::vector<SegmentSample> walk = recording("walk");
  for_all(walk, [](SegmentMotion& s) { s.v_WS *= 1000.0; });
  EXPECT_TRUE(contains(only(walk, FindingKind::LinearVelocityUnit).text, "millimetres per second"));
}

TEST(RecordingHealth, NamesLengthsInInches) {
  std::vector<SegmentSample> pose = recording("tpose", 0.1);
  for_all(pose, [](SegmentMotion& s) { s.p_WS /= 0.0254; });
  const std::vector<Finding> all = findings(pose);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().kind, FindingKind::Unit) << listed(all);
  EXPECT_NEAR(all.front().largest, 1.75 / 0.0254, 1.0);
  EXPECT_TRUE(contains(all.front().text, "inches")) << all.front().text;
}

TEST(RecordingHealth, NamesInchesThatWereTakenAsCentimetres) {
  std::vector<SegmentSample> pose = recording("tpose", 0.1);
  for_all(pose, [](SegmentMotion& s) { s.p_WS /= 2.54; });
  EXPECT_TRUE(contains(findings(pose).front().text, "inches may have been read as centimetres"))
      << listed(findings(pose));
}

TEST(RecordingHealth, NamesAFloorThatIsNotAtZeroAndDrift) {
  std::vector<SegmentSample> walk = recording("walk");
  std::vector<SegmentSample> high = walk, rising = walk;
  for_all(high, [](SegmentMotion& s) { s.p_WS.z() += 0.9; });
  EXPECT_NEAR(only(high, FindingKind::Floor).largest, 0.9, 0.1);
  for (SegmentSample& sample : rising) {
    for (SegmentMotion& s : sample.segments) s.p_WS.z() += 0.04 * to_seconds(sample.t);
  }
  const Finding drift = only(rising, FindingKind::Drift);
  EXPECT_NEAR(drift.largest, 0.04 * 5.0 * 0.75, 0.02);
}

TEST(RecordingHealth, NamesALimbThatStretches) {
  std::vector<SegmentSample> walk = recording("walk");
  for_all(walk, [](SegmentMotion& s) { s.has_linear_velocity = false; });
  for (std::size_t k = 0; k < walk.size(); ++k) {
    Vector3d& hand = walk[k].segments[RightHand].p_WS;
    hand += (hand - walk[k].segments[RightForeArm].p_WS) * 0.2 * static_cast<double>(k) / 300.0;
  }
  const Finding stretch = only(walk, FindingKind::Stretch);
  EXPECT_EQ(stretch.segment, "RightForeArm");
  EXPECT_TRUE(contains(stretch.text, "right forearm")) << stretch.text;
}

TEST(RecordingHealth, NamesInvalidValuesAndOrientations) {
  std::vector<SegmentSample> walk = recording("walk");
  walk[20].segments[T8].p_WS.x() = std::nan("");
  Finding found = only(walk, FindingKind::NotFinite);
  EXPECT_EQ(found.segment, "T8");
  EXPECT_EQ(found.worst_frame, 20);
  walk = recording("walk");
  walk[30].segments[T8].R_WS *= 1.01;
  found = only(walk, FindingKind::NotRotation);
  EXPECT_EQ(found.segment, "T8");
  EXPECT_EQ(found.worst_frame, 30);
}

TEST(RecordingHealth, NamesASegmentThatDropsOut) {
  std::vector<SegmentSample> walk = recording("walk");
  for (std::size_t k = 40; k < 50; ++k) walk[k].segments[LeftHand] = {};
  const Finding dropout = only(walk, FindingKind::Dropout);
  EXPECT_EQ(dropout.segment, "LeftHand");
  EXPECT_EQ(dropout.count, 10);
  EXPECT_EQ(dropout.worst_frame, 40);
}

TEST(RecordingHealth, SaysNothingWrongOfNothing) {
  EXPECT_TRUE(findings({}).empty());
  RecordingHealth health({}, 0.0);
  EXPECT_EQ(health.figures().frames, 0);
  EXPECT_FALSE(health.figures().duration_s.has_value());
  SegmentSample empty;
  health.add(empty);
  empty.segments.resize(5);
  health.add(empty);  // more segments than names
  EXPECT_EQ(health.figures().frames, 2);
}

TEST(RecordingHealth, NamesArmsAndLegsThatAreExchanged) {
  std::vector<SegmentSample> walk = recording("walk");
  for (SegmentSample& sample : walk) {
    for (int k = 0; k < 3; ++k) {
      std::swap(sample.segments[at(RightUpperArm + k)], sample.segments[at(RightUpperLeg + k)]);
      std::swap(sample.segments[at(LeftUpperArm + k)], sample.segments[at(LeftUpperLeg + k)]);
    }
  }
  const std::vector<Finding> all = findings(walk);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const Finding& o) { return o.kind == FindingKind::Proportions; });
  ASSERT_NE(found, all.end()) << listed(all);
  EXPECT_EQ(found->severity, Severity::Error);
  EXPECT_TRUE(contains(found->text, "swapped")) << found->text;
  // 0.86 m of leg on 0.54 m of arm
  EXPECT_NEAR(found->largest, 1.6, 0.2);
}

TEST(RecordingHealth, NamesAKindOnceWithAllSegmentsThatHaveIt) {
  std::vector<SegmentSample> walk = recording("walk");
  for (std::size_t k = 40; k < 50; ++k) walk[k].segments[LeftHand] = {};
  for (std::size_t k = 40; k < 60; ++k) walk[k].segments[Head] = {};
  const Finding dropout = only(walk, FindingKind::Dropout);
  EXPECT_EQ(dropout.segment, "Head, LeftHand");
  EXPECT_EQ(dropout.count, 30);
  EXPECT_TRUE(contains(dropout.text, "Head is missing in 20 frames")) << dropout.text;
  EXPECT_TRUE(contains(dropout.text, "likewise LeftHand")) << dropout.text;
}

TEST(RecordingHealth, NamesASegmentUsedForBothSides) {
  std::vector<SegmentSample> walk = recording("walk");
  for (SegmentSample& sample : walk) sample.segments[RightUpperLeg] = sample.segments[LeftUpperLeg];
  const std::vector<Finding> all = findings(walk);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].kind, FindingKind::Proportions) << listed(all);
  EXPECT_EQ(all[0].severity, Severity::Error);
  EXPECT_TRUE(contains(all[0].text, "RightUpperLeg and LeftUpperLeg")) << all[0].text;
}

TEST(RecordingHealth, CallsNoiseAFault) {
  std::vector<SegmentSample> walk = recording("walk");
  for_all(walk, [](SegmentMotion& s) { s.has_linear_velocity = false; });
  // every third frame is metres away
  for (std::size_t k = 0; k < walk.size(); k += 3) {
    for (SegmentMotion& segment : walk[k].segments) segment.p_WS.x() += 5.0;
  }
  const std::vector<Finding> all = findings(walk);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].kind, FindingKind::Jump) << listed(all);
  EXPECT_EQ(all[0].severity, Severity::Error);
}

TEST(RecordingHealth, CountsFramesAsTheFileDoes) {
  std::vector<SegmentSample> walk = recording("walk");
  for (std::size_t k = 1; k < walk.size(); ++k) {
    for (SegmentMotion& segment : walk[k].segments) segment.p_WS.y() += 0.5;
  }
  RecordingHealth health(human_segment_names(), kRate, 1);
  for (const SegmentSample& sample : walk) health.add(sample);
  const std::vector<Finding> all = health.findings();
  ASSERT_EQ(all.size(), 1U) << listed(all);
  EXPECT_EQ(all[0].worst_frame, 2);
  EXPECT_TRUE(contains(all[0].text, "frame 2 ")) << all[0].text;
  EXPECT_FALSE(contains(all[0].text, "rest pose")) << "it was left out already: " << all[0].text;
}

TEST(RecordingHealth, PutsTheHeaviestFirst) {
  std::vector<SegmentSample> walk = recording("walk");
  for_all(walk, [](SegmentMotion& s) { s.w_WS *= 57.29577951308232; });
  walk.erase(walk.begin() + 120, walk.begin() + 180);
  for (SegmentSample& sample : walk) {
    for (SegmentMotion& s : sample.segments) s.p_WS.z() += 0.9;
  }
  const std::vector<Finding> all = findings(walk);
  ASSERT_EQ(all.size(), 3U) << listed(all);
  EXPECT_EQ(all[0].severity, Severity::Error);
  EXPECT_EQ(all[1].severity, Severity::Warning);
  EXPECT_EQ(all[2].severity, Severity::Info);
}

}  // namespace
}  // namespace panto
