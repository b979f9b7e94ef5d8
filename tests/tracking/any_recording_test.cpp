// Skeletons of every family onto human66, judged by the clip's own joint centres, without maps and frames.
// size: one fixture and one list of clips for every claim about any recording

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/rig/fit.hpp"
#include "panto/rig/map.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/rig_variants.hpp"
#include "tests/support/skeleton_clip.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::array<const char*, 14> kClips{"bvh/cmu/002_01.bvh",
                                             "bvh/cmu/002_03.bvh",
                                             "bvh/cmu/002_04.bvh",
                                             "bvh/cmu/005_02.bvh",
                                             "bvh/cmu/007_01.bvh",
                                             "bvh/cmu/007_04.bvh",
                                             "bvh/cmu/131_01.bvh",
                                             "bvh/cmu/131_02.bvh",
                                             "bvh/cmu/scaled_131_01.bvh",
                                             "bvh/corner-cases/bvh_example.bvh",
                                             "bvh/corner-cases/bvh_test2.bvh",
                                             "bvh/corner-cases/cmu_12_01_walk.bvh",
                                             "bvh/corner-cases/test_freebvh.bvh",
                                             "bvh/oracle/walk01.bvh"};

// A clip through open_bvh, and its own joints beside it.
struct Recording {
  RecordingInfo info;
  std::vector<SegmentSample> samples;
  std::vector<std::array<Vector3d, kHumanSegmentCount>> centres;  // of the joints that are mapped [m], world
  std::vector<std::array<Matrix3d, kHumanSegmentCount>> rotations;  // of those joints

  bool measured(int segment) const {
    return info.rig->map.segments[at(segment)].joint >= 0 && info.rig->map.segments[at(segment)].next < 0;
  }
  double dt() const { return 1.0 / info.rate_hz; }
};

Recording read(const std::string& path, const RecordingHints& options = {}) {
  const auto file = io::open_bvh(path, options);
  Recording recording{file->info(), {}, {}, {}};
  const io::BvhClip clip = io::read_bvh_file(path);
  const rig::Map& map = recording.info.rig->map;
  SkeletonPose pose;
  for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) {
    recording.samples.push_back(sample);
    io::bvh_pose(clip, std::llround(to_seconds(sample.t) * clip.rate_hz), pose);
    auto& centres = recording.centres.emplace_back();
    auto& rotations = recording.rotations.emplace_back();
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const int joint = map.segments[i].joint;
      if (joint < 0) continue;
      centres[i] = map.unit * (map.R_WF * pose.p_FJ[at(joint)]);
      rotations[i] = map.R_WF * pose.R_FJ[at(joint)];
    }
  }
  return recording;
}

struct Tracked {
  std::vector<State> states;
  ReportCard card;
};

Tracked track(const Recording& recording, const Model& model) {
  DynamicalOptions options;
  options.velocity = VelocitySource::Differenced;
  SegmentTracker tracker(model, recording.info.attachments, options);
  std::vector<TrackedPair> pairs;
  for (std::size_t j = 0; j < tracker.attachments().rows().size(); ++j)
    pairs.push_back({tracker.attachments().segment(j), tracker.attachments().rows()[j].link});
  ReportBuilder report(model, pairs);
  Tracked tracked;
  State state = tracker.rest_state();
  for (const SegmentSample& sample : recording.samples) {
    const StepStatus status = tracker.step(sample, state);
    EXPECT_TRUE(usable(status)) << to_string(status);
    report.add(sample, state, {status});
    tracked.states.push_back(state);
  }
  tracked.card = report.report();
  return tracked;
}

struct LinkPoses {
  std::array<Matrix3d, kHumanSegmentCount> R;
  std::array<Vector3d, kHumanSegmentCount> p;
};

LinkPoses links_of(const Model& model, Kinematics& kinematics, const State& state) {
  kinematics.update(state);
  LinkPoses poses;
  for (std::size_t i = 0; i < poses.R.size(); ++i) {
    const int link = model.link_index(kHumanSegmentNames[i]);
    poses.R[i] = kinematics.R_WL(link);
    poses.p[i] = kinematics.p_WL(link);
  }
  return poses;
}

// ---- what a clip's own joint centres say ------------------------------------------------------------------

struct Directions {
  // mean angles [deg] between the clip's bone and the line between the model's joints ...
  double thigh = 0, shank = 0, upper_arm = 0, forearm = 0, foot = 0, trunk = 0, head = 0;
  double axes = 0;     // ... and, for thigh .. forearm, the axis of the model's link
  double centres = 0;  // mean distance of joint centres [m]
};

Directions compare_directions(const Recording& clip, const Model& model, const std::vector<State>& states) {
  Kinematics kinematics(model);
  Directions mean;
  double axes = 0.0, centres = 0.0;
  int axis_count = 0, centre_count = 0, count = 0;
  const auto add_bone = [&](double& sum, int segment, const LinkPoses& links, std::size_t k, Vector3d axis) {
    if (!clip.measured(segment) || !clip.measured(segment + 1)) return;
    const Vector3d own = clip.centres[k][at(segment + 1)] - clip.centres[k][at(segment)];
    sum += angle_between(own, links.p[at(segment + 1)] - links.p[at(segment)]) / kDegree / 2.0;
    if (axis.isZero()) return;
    axes += angle_between(own, links.R[at(segment)] * axis) / kDegree;
    ++axis_count;
  };
  for (std::size_t k = 0; k < states.size(); ++k) {
    const LinkPoses links = links_of(model, kinematics, states[k]);
    ++count;
    for (const int thigh : {RightUpperLeg, LeftUpperLeg}) {
      add_bone(mean.thigh, thigh, links, k, -Vector3d::UnitZ());
      add_bone(mean.shank, thigh + 1, links, k, -Vector3d::UnitZ());
      add_bone(mean.foot, thigh + 2, links, k, Vector3d::Zero());
    }
    for (const int arm : {RightUpperArm, LeftUpperArm}) {
      const Vector3d out = (arm == RightUpperArm ? -1.0 : 1.0) * Vector3d::UnitY();
      add_bone(mean.upper_arm, arm, links, k, out);
      add_bone(mean.forearm, arm + 1, links, k, out);
    }
    mean.trunk +=
        angle_between(clip.centres[k][Neck] - clip.centres[k][Pelvis], links.p[Neck] - links.p[Pelvis]) /
        kDegree;
    mean.head +=
        angle_between(clip.centres[k][Head] - clip.centres[k][Neck], links.p[Head] - links.p[Neck]) / kDegree;
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      // joints of a spread spine stand elsewhere on purpose
      if (!clip.measured(i) || !clip.info.rig->offsets[at(i)].p_JS.isZero()) continue;
      centres += (clip.centres[k][at(i)] - links.p[at(i)]).norm();
      ++centre_count;
    }
  }
  for (double* sum :
       {&mean.thigh, &mean.shank, &mean.upper_arm, &mean.forearm, &mean.foot, &mean.trunk, &mean.head})
    *sum /= count;
  mean.axes = axes / axis_count;
  mean.centres = centres / centre_count;
  return mean;
}

struct Spread {
  Vector3d axis;
  double deviation = 0.0;  // [rad] about that axis
  double share = 0.0;      // of the whole variance
  Matrix3d covariance = Matrix3d::Zero();
};

Spread spread_of(const std::vector<Matrix3d>& rotations) {
  Matrix3d sum = Matrix3d::Zero();
  for (const Matrix3d& R : rotations) sum += R;
  Matrix3d mean = rotations.front();
  for (int round = 0; round < 20; ++round) {
    Vector3d off = Vector3d::Zero();
    for (const Matrix3d& R : rotations) off += so3::log(R * mean.transpose());
    mean = so3::exp(off / static_cast<double>(rotations.size())) * mean;
  }
  Spread spread;
  for (const Matrix3d& R : rotations) {
    const Vector3d turn = so3::log(R * mean.transpose());
    spread.covariance += turn * turn.transpose() / static_cast<double>(rotations.size());
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(spread.covariance);
  spread.axis = solver.eigenvectors().col(2);
  spread.deviation = std::sqrt(std::max(solver.eigenvalues()[2], 0.0));
  spread.share = solver.eigenvalues()[2] / std::max(spread.covariance.trace(), 1e-12);
  return spread;
}

struct HingeFigures {
  int judged = 0;                                  // knees and elbows that are hinges in the clip
  double off_axis = 0.0;                           // worst share of the variance that is not about our axis
  double least_flexion = 0.0, most_flexion = 0.0;  // of the knees [deg]
  double least_elbow = 0.0, most_elbow = 0.0;
};

HingeFigures judge_hinges(const Recording& clip, const Model& model, const std::vector<State>& states) {
  HingeFigures figures{0, 0.0, 1e9, -1e9, 1e9, -1e9};
  Kinematics kinematics(model);
  std::vector<LinkPoses> links;
  for (const State& state : states) links.push_back(links_of(model, kinematics, state));
  for (const int segment : {RightUpperLeg, LeftUpperLeg, RightUpperArm, LeftUpperArm}) {
    const bool knee = segment == RightUpperLeg || segment == LeftUpperLeg;
    const int axis = knee ? 1 : 2;
    std::vector<Matrix3d> own, ours;
    for (std::size_t k = 0; k < links.size(); ++k) {
      own.push_back(clip.rotations[k][at(segment)].transpose() * clip.rotations[k][at(segment + 1)]);
      ours.push_back(links[k].R[at(segment)].transpose() * links[k].R[at(segment + 1)]);
      const double sign = segment == LeftUpperArm ? -1.0 : 1.0;
      const Vector3d bone = (knee ? Vector3d(-Vector3d::UnitZ()) : Vector3d(-sign * Vector3d::UnitY()));
      const Vector3d bent = ours.back() * bone;
      // flexion: how far the next bone has turned about the hinge
      const double flexion = sign * std::atan2(bone.cross(bent)[axis], bone.dot(bent)) / kDegree;
      double& least = knee ? figures.least_flexion : figures.least_elbow;
      double& most = knee ? figures.most_flexion : figures.most_elbow;
      least = std::min(least, flexion);
      most = std::max(most, flexion);
    }
    const Spread source = spread_of(own), model_spread = spread_of(ours);
    if (source.share < 0.95 || source.deviation < 8.0 * kDegree) continue;
    ++figures.judged;
    figures.off_axis = std::max(figures.off_axis,
                                1.0 - model_spread.covariance(axis, axis) / model_spread.covariance.trace());
  }
  return figures;
}

struct FootFigures {
  int standing = 0;   // frames of one foot
  double tilt = 0.0;  // median angle between the foot's up and the world's [deg]
  double off = 0.0;   // median angle, seen from above, between the foot's x and the clip's ankle to toe [deg]
  double turn = 0.0;  // larger of both feet's median angles from where hips or knee face [deg]
};

// a foot that does not move, ankle and toes: it stands
FootFigures judge_feet(const Recording& clip, const Model& model, const std::vector<State>& states) {
  FootFigures figures;
  Kinematics kinematics(model);
  std::vector<LinkPoses> links;
  for (const State& state : states) links.push_back(links_of(model, kinematics, state));
  SampleStatistics tilts, offs;
  for (const int foot : {RightFoot, LeftFoot}) {
    double low = 1e9;
    for (const auto& centres : clip.centres) low = std::min(low, centres[at(foot)].z());
    SampleStatistics turns;
    for (std::size_t k = 1; k < links.size(); ++k) {
      const double speed = (clip.centres[k][at(foot)] - clip.centres[k - 1][at(foot)]).norm() / clip.dt();
      const double turning =
          so3::distance(clip.rotations[k][at(foot)], clip.rotations[k - 1][at(foot)]) / clip.dt();
      if (speed > 0.15 || turning > 0.5 || clip.centres[k][at(foot)].z() > low + 0.03) continue;
      const Matrix3d& R = links[k].R[at(foot)];
      tilts.add(angle_between(R.col(2), Vector3d::UnitZ()) / kDegree);
      const Vector3d left = clip.centres[k][LeftUpperLeg] - clip.centres[k][RightUpperLeg];
      if (clip.measured(foot + 1)) {
        Vector3d own = clip.centres[k][at(foot + 1)] - clip.centres[k][at(foot)], ours = R.col(0);
        own.z() = ours.z() = 0.0;
        offs.add(angle_between(own, ours) / kDegree);
      }
      // dancers turn their legs out at the hips: then the foot points where the knee bends to
      turns.add(std::min(angle_between(left.cross(Vector3d::UnitZ()), R.col(0)),
                         angle_between(links[k].R[at(foot - 2)].col(0), R.col(0))) /
                kDegree);
    }
    figures.standing += static_cast<int>(turns.count());
    if (turns.count() > 0) figures.turn = std::max(figures.turn, *turns.percentile(0.5));
  }
  if (figures.standing > 0) figures.tilt = *tilts.percentile(0.5);
  if (offs.count() > 0) figures.off = *offs.percentile(0.5);
  return figures;
}

double range_of(const Model& model, const std::vector<State>& states, const char* joint, bool upper) {
  const auto& names = model.joint_names();
  const auto dof = std::find(names.begin(), names.end(), joint) - names.begin();
  double value = upper ? -1e9 : 1e9;
  for (const State& state : states)
    value = upper ? std::max(value, state.s[dof] / kDegree) : std::min(value, state.s[dof] / kDegree);
  return value;
}

class AnyRecording : public ::testing::TestWithParam<const char*> {};

TEST_P(AnyRecording, FollowsTheClipsOwnJointCentres) {
  PANTO_NEED_DATA(GetParam());
  const Recording clip = read(test::data_file(GetParam()));
  ASSERT_TRUE(clip.info.subject.has_value());
  const Model model = human66(*clip.info.subject);
  const Tracked tracked = track(clip, model);
  const Directions d = compare_directions(clip, model, tracked.states);
  const HingeFigures hinge = judge_hinges(clip, model, tracked.states);
  const FootFigures feet = judge_feet(clip, model, tracked.states);
  std::printf(
      "%-34s %-10s rest %-5s %4zu frames, height %.2f m | links %.5f deg | thigh %.2f shank %.2f arm %.2f "
      "forearm "
      "%.2f foot %.2f trunk %.2f head %.2f axes %.2f deg | centres %.1f mm | %d hinges, off-axis %.3f, knee "
      "%.0f..%.0f, elbow %.0f..%.0f deg | standing %d: tilt %.1f, off %.1f, turn %.1f deg | hip roty "
      "%.0f..%.0f, knee "
      "roty "
      "%.0f..%.0f, ankle roty %.0f..%.0f\n",
      GetParam(), clip.info.rig->map.family.c_str(), to_string(clip.info.rig->rest), clip.samples.size(),
      clip.info.subject->height, *tracked.card.angle_mean_deg, d.thigh, d.shank, d.upper_arm, d.forearm,
      d.foot, d.trunk, d.head, d.axes, 1e3 * d.centres, hinge.judged, hinge.off_axis, hinge.least_flexion,
      hinge.most_flexion, hinge.least_elbow, hinge.most_elbow, feet.standing, feet.tilt, feet.off, feet.turn,
      range_of(model, tracked.states, "jRightHip_roty", false),
      range_of(model, tracked.states, "jRightHip_roty", true),
      range_of(model, tracked.states, "jRightKnee_roty", false),
      range_of(model, tracked.states, "jRightKnee_roty", true),
      range_of(model, tracked.states, "jRightAnkle_roty", false),
      range_of(model, tracked.states, "jRightAnkle_roty", true));
  for (const std::string& note : clip.info.notes) std::printf("    %s\n", note.c_str());
  for (int i = 0; std::getenv("PANTO_SHOW_RIG") != nullptr && i < kHumanSegmentCount; ++i)
    std::printf("    %-14s %.2f %s\n", std::string(kHumanSegmentNames[at(i)]).c_str(),
                clip.info.rig->offsets[at(i)].confidence, clip.info.rig->offsets[at(i)].reason.c_str());

  EXPECT_LE(*tracked.card.angle_mean_deg, 0.05);
  for (const double angle : {d.thigh, d.shank, d.upper_arm, d.forearm, d.foot, d.trunk, d.head, d.axes})
    EXPECT_LE(angle, 3.0);
  EXPECT_LE(d.centres, 0.03);
  // whoever neither bends nor stands proves nothing about hinges and feet
  const std::string name = GetParam();
  EXPECT_GE(hinge.judged, name == "bvh/corner-cases/bvh_example.bvh" ? 0 : 1);
  EXPECT_GE(feet.standing, name == "bvh/cmu/002_03.bvh" ? 0 : 4);
  EXPECT_LE(hinge.off_axis, 0.10);
  EXPECT_LE(feet.tilt, 10.0);
  EXPECT_LE(feet.off, 5.0);
  // a modern dancer stands turned out, in the clip's own joint centres too
  EXPECT_LE(feet.turn, name == "bvh/cmu/005_02.bvh" ? 45.0 : 30.0);
  EXPECT_GT(clip.info.subject->height, 1.3);
  EXPECT_LT(clip.info.subject->height, 2.1);
}

INSTANTIATE_TEST_SUITE_P(Clips, AnyRecording, ::testing::ValuesIn(kClips), [](const auto& clip) {
  std::string name = clip.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

// ---- gimbal lock ------------------------------------------------------------------------------------------

class GimbalCrossing : public ::testing::TestWithParam<const char*> {};

TEST_P(GimbalCrossing, JumpsNoJointAngleThatTheMotionDoesNotHave) {
  PANTO_NEED_DATA(GetParam());
  const Recording clip = read(test::data_file(GetParam()));
  const Model model = human66(*clip.info.subject);
  const Tracked tracked = track(clip, model);
  EXPECT_LE(*tracked.card.angle_mean_deg, 0.01);
  // near the singularity a small turn of the link is a large one of two joints: a jump of the angles is only
  // wrong where it is far more than the turn of the link over the distance to the singularity
  double worst = 0.0;
  int crossings = 0;
  for (std::size_t k = 1; k < tracked.states.size(); ++k) {
    for (int joint = 0; joint < 22; ++joint) {
      const Vector3d before = tracked.states[k - 1].s.segment<3>(3 * joint),
                     after = tracked.states[k].s.segment<3>(3 * joint);
      const auto rotation = [](const Vector3d& s) {
        return Matrix3d(so3::about_axis(0, s.x()) * so3::about_axis(1, s.y()) * so3::about_axis(2, s.z()));
      };
      const double turn = so3::distance(rotation(before), rotation(after));
      const double singular = std::min(std::abs(std::cos(before.y())), std::abs(std::cos(after.y())));
      if (singular < 0.2) ++crossings;
      const double jump = (after - before).cwiseAbs().maxCoeff();
      if (jump <= 30.0 * kDegree) continue;
      worst = std::max(worst, jump * std::max(singular, 0.02) / std::max(turn, 1e-6));
    }
  }
  std::printf("%s: %d joint frames within 12 deg of a singularity, worst %.2f\n", GetParam(), crossings,
              worst);
  EXPECT_GT(crossings, 30) << "the clips were chosen for them";
  EXPECT_LE(worst, 2.0) << "times the turn of the link";
}

TEST_P(GimbalCrossing, KeepsHuman48InsideItsLimits) {
  PANTO_NEED_DATA(GetParam());
  const Recording clip = read(test::data_file(GetParam()));
  const Model model = human48(*clip.info.subject);
  LimitViolations violations(model);
  for (const State& state : track(clip, model).states) violations.add(state);
  EXPECT_EQ(violations.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(Clips, GimbalCrossing,
                         ::testing::Values("bvh/cmu/002_03.bvh", "bvh/cmu/002_04.bvh", "bvh/cmu/131_02.bvh"),
                         [](const auto& clip) { return std::string(clip.param).substr(8, 6); });

// ---- any start --------------------------------------------------------------------------------------------

TEST(AnyStartOfAClip, GivesTheSameMotion) {
  const char* name = "bvh/cmu/005_02.bvh";
  PANTO_NEED_DATA(name);
  const Recording clip = read(test::data_file(name));
  const Model model = human66(*clip.info.subject);
  const std::vector<State> reference = track(clip, model).states;
  DynamicalOptions options;
  options.velocity = VelocitySource::Differenced;
  SegmentTracker tracker(model, clip.info.attachments, options);
  test::LinkComparison compare(model, tracker.attachments().rows());
  test::Random random(3);
  const int starts = test::scaled_numerical(1000);
  double worst = 0.0;
  int collapsed = 0;
  for (int start = 0; start < starts; ++start) {
    const auto first = at(test::pick(random, static_cast<int>(clip.samples.size()) - 60));
    State state = tracker.rest_state();
    state.p_WB = test::random_vector(random, 2.0);
    state.R_WB = test::random_rotation(random);
    for (int i = 0; i < model.dof(); ++i) state.s[i] = test::uniform(random, -3.1, 3.1);
    tracker.reset();
    double own = 0.0;
    for (std::size_t k = first; k < first + 30; ++k) {
      if (!usable(tracker.step(clip.samples[k], state))) ++collapsed;
      own = compare(reference[k], state).angle / kDegree;
    }
    worst = std::max(worst, own);
  }
  std::printf("%s: %d starts, worst %.2e deg after 0.5 s, %d steps not usable\n", name, starts, worst,
              collapsed);
  EXPECT_LT(worst, 0.01);
  EXPECT_EQ(collapsed, 0);
}

// ---- rest poses that say nothing --------------------------------------------------------------------------

// Turns the joints' frames at random: what the clip determines stays. Undetermined are the mean posture of
// trunk, neck, head and clavicles, and the twist of forearms and hands about their bones (pronation).
TEST_P(AnyRecording, KeepsItsLimbsWhateverTheRestPose) {
  PANTO_NEED_DATA(GetParam());
  const SkeletonClip clip = test::skeleton_clip(test::data_file(GetParam()));
  const rig::Map map = rig::map_rig(clip);
  const rig::Rig rig = rig::align_rig(clip, map);
  test::Rng rng(5);
  test::RigVariant variant{clip, {}, {}};
  test::turn_rest(variant, rng);
  rig::Map same = map;
  same.family = "unknown";
  const rig::Rig turned = rig::align_rig(variant.clip, same);
  std::array<double, kHumanSegmentCount> apart{};
  std::vector<SegmentMotion> a, b;
  // fingers whose base turns show where a hand points in the rest pose alone
  const auto by_rest = [&](int segment) {
    return rig.offsets[at(segment)].reason.find("fingers as in the rest pose") != std::string::npos;
  };
  double axis_apart = 0.0, hand_apart = 0.0;
  for (std::size_t k = 0; k < clip.frames.size(); ++k) {
    rig::rig_segments(rig, clip.frames[k], a);
    rig::rig_segments(turned, variant.clip.frames[k], b);
    for (std::size_t i = 0; i < a.size(); ++i)
      apart[i] = std::max(apart[i], so3::distance(a[i].R_WS, b[i].R_WS) / kDegree);
    for (const int arm : {RightForeArm, LeftForeArm, RightHand, LeftHand}) {
      double& bone = by_rest(arm) ? hand_apart : axis_apart;
      bone = std::max(bone, angle_between(a[at(arm)].R_WS.col(1), b[at(arm)].R_WS.col(1)) / kDegree);
    }
  }
  const auto worst = [&](std::initializer_list<int> segments) {
    double value = 0.0;
    for (const int i : segments) value = std::max(value, apart[at(i)]);
    return value;
  };
  const double legs = worst({RightUpperLeg, LeftUpperLeg, RightLowerLeg, LeftLowerLeg}),
               feet = worst({RightFoot, LeftFoot}), arms = worst({RightUpperArm, LeftUpperArm}),
               twist = worst({RightForeArm, LeftForeArm, RightHand, LeftHand}),
               posture = worst({Pelvis, L5, L3, T12, T8, Neck, Head, RightShoulder, LeftShoulder});
  std::printf(
      "%-34s rest %-5s to nonsense: legs %.2f, feet %.2f, arms %.2f, pronation %.1f, hands %.4f, posture "
      "%.1f\n",
      GetParam(), to_string(rig.rest), legs, feet, arms, twist, hand_apart, posture);
  EXPECT_EQ(turned.rest, rig::RestPose::Other);
  EXPECT_LE(axis_apart, rig.map.family == "xsens" ? 4.0 : 1.0);
  EXPECT_LE(hand_apart, 25.0);
  if (rig.rest == rig::RestPose::Other || rig.map.family != "xsens") {
    EXPECT_LE(legs, 1.0);
    EXPECT_LE(feet, 1.0);
    EXPECT_LE(arms, 1.0);
  }
  if (rig.rest == rig::RestPose::Other) {
    EXPECT_LE(std::max(twist, posture), 1.0) << "no rest pose that could have been lost";
  }
}

}  // namespace
}  // namespace panto
