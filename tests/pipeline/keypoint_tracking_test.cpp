// Points onto the human: a recording with an independent answer, and synthetic truth through every file
// format.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/ik/keypoints.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/motion_file.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/pipeline/retargeter.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0;
const std::string kMarkers = "opensim/Gait2392_Simbody_subject01_walk1.trc";
const std::string kAngles = "opensim/Gait2392_Simbody_subject01_walk1_ik.mot";

// A recording tracked on human66: links and joints of every frame.
struct Tracked {
  Model model;
  std::vector<SegmentSample> samples;
  std::vector<State> states;
  std::vector<std::array<Matrix3d, kHumanSegmentCount>> R;
  std::vector<std::array<Vector3d, kHumanSegmentCount>> p;

  [[nodiscard]] double joint(std::size_t k, const char* name) const {
    return states[k].s[model.joint_index(name)];
  }
};

Tracked track(io::MotionFile& file) {
  Tracked result{human66(*file.info().subject), {}, {}, {}, {}};
  DynamicalOptions options;
  options.velocity = VelocitySource::Differenced;
  Retargeter tracker(result.model, file.info().attachments, options, file.names());
  State state = tracker.rest_state();
  Kinematics kinematics(result.model);
  for (SegmentSample sample; file.read(sample) == ReadStatus::Sample;) {
    EXPECT_TRUE(usable(tracker.step(sample, state)));
    kinematics.update(state);
    result.samples.push_back(sample);
    result.states.push_back(state);
    auto& R = result.R.emplace_back();
    auto& p = result.p.emplace_back();
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const int link = result.model.link_index(kHumanSegmentNames[at(i)]);
      R[at(i)] = kinematics.R_WL(link);
      p[at(i)] = kinematics.p_WL(link);
    }
  }
  EXPECT_EQ(file.problem(), "");
  return result;
}

double between(const Vector3d& a, const Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b)) / kDegree;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double ma = mean(a), mb = mean(b);
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
  }
  return ab / std::sqrt(aa * bb);
}

// rms of a - b, and of what is left without their mean difference
std::pair<double, double> rms(const std::vector<double>& a, const std::vector<double>& b) {
  const double offset = mean(a) - mean(b);
  double all = 0.0, shape = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    all += std::pow(a[i] - b[i], 2);
    shape += std::pow(a[i] - b[i] - offset, 2);
  }
  return {std::sqrt(all / static_cast<double>(a.size())), std::sqrt(shape / static_cast<double>(a.size()))};
}

// The share of a knee's motion that is not about its own axis y: root mean square of its turn about x and z,
// without their means, over that of all three.
double off_axis_share(const Tracked& tracked, int upper) {
  std::vector<Vector3d> turns;
  Vector3d middle = Vector3d::Zero();
  for (const auto& R : tracked.R) {
    turns.push_back(so3::log(R[at(upper)].transpose() * R[at(upper + 1)]));
    middle += turns.back();
  }
  middle /= static_cast<double>(turns.size());
  Vector3d square = Vector3d::Zero();
  for (const Vector3d& turn : turns) square += (turn - middle).cwiseAbs2();
  std::printf("knee: rms about x %.2f, y %.2f, z %.2f deg; mean about x %.1f, z %.1f\n",
              std::sqrt(square.x() / static_cast<double>(turns.size())) / kDegree,
              std::sqrt(square.y() / static_cast<double>(turns.size())) / kDegree,
              std::sqrt(square.z() / static_cast<double>(turns.size())) / kDegree, middle.x() / kDegree,
              middle.z() / kDegree);
  return std::sqrt((square.x() + square.z()) / square.sum());
}

class Gait2392 : public ::testing::Test {
 protected:
  static Tracked walk() { return track(*io::open_motion_file(test::data_file(kMarkers))); }
};

TEST_F(Gait2392, LinksAreFollowedExactly) {
  PANTO_NEED_DATA(kMarkers);
  const Tracked tracked = walk();
  ASSERT_EQ(tracked.states.size(), 151U);
  SampleStatistics error;
  for (std::size_t k = 0; k < tracked.samples.size(); ++k) {
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      if (tracked.samples[k].segments[at(i)].has_orientation)
        error.add(so3::distance(tracked.samples[k].segments[at(i)].R_WS, tracked.R[k][at(i)]) / kDegree);
    }
  }
  EXPECT_LE(*error.mean(), 0.05);
}

TEST_F(Gait2392, BonesPointAndJointsAreWhereTheMarkersSay) {
  PANTO_NEED_DATA(kMarkers);
  const Tracked tracked = walk();
  const KeypointBody body(io::read_trc(test::data_file(kMarkers)));
  struct Bone {
    const char* name;
    int from, to;  // origins of segments
    int landmark_from, landmark_to;
  };
  const std::array bones{
      Bone{"right thigh", RightUpperLeg, RightLowerLeg, sided(HipJoint, 0), sided(KneeJoint, 0)},
      Bone{"left thigh", LeftUpperLeg, LeftLowerLeg, sided(HipJoint, 1), sided(KneeJoint, 1)},
      Bone{"right shank", RightLowerLeg, RightFoot, sided(KneeJoint, 0), sided(AnkleJoint, 0)},
      Bone{"left shank", LeftLowerLeg, LeftFoot, sided(KneeJoint, 1), sided(AnkleJoint, 1)},
      Bone{"right upper arm", RightUpperArm, RightForeArm, sided(ShoulderJoint, 0), sided(ElbowJoint, 0)},
      Bone{"left upper arm", LeftUpperArm, LeftForeArm, sided(ShoulderJoint, 1), sided(ElbowJoint, 1)},
      Bone{"right forearm", RightForeArm, RightHand, sided(ElbowJoint, 0), sided(WristJoint, 0)},
      Bone{"left forearm", LeftForeArm, LeftHand, sided(ElbowJoint, 1), sided(WristJoint, 1)},
      Bone{"trunk", Pelvis, Neck, HipsMiddle, NeckBase}};
  for (const Bone& bone : bones) {
    std::vector<double> angle, distance;
    for (std::size_t k = 0; k < tracked.p.size(); ++k) {
      BodyPoints points;
      body.points(static_cast<int>(k), points);
      const Vector3d measured = points[at(bone.landmark_to)] - points[at(bone.landmark_from)];
      angle.push_back(between(tracked.p[k][at(bone.to)] - tracked.p[k][at(bone.from)], measured));
      distance.push_back((tracked.p[k][at(bone.to)] - points[at(bone.landmark_to)]).norm());
    }
    std::printf("%-16s direction %.2f deg, far joint %.1f mm (means)\n", bone.name, mean(angle),
                1e3 * mean(distance));
    EXPECT_LE(mean(angle), 3.0) << bone.name;
    EXPECT_LE(mean(distance), 0.03) << bone.name;
  }
  // feet and head have no joint at their far end: their markers must keep their direction in the segment
  for (const auto& [segment, from, to] :
       {std::tuple{int{RightFoot}, sided(HeelPoint, 0), sided(ToeTipPoint, 0)},
        {int{LeftFoot}, sided(HeelPoint, 1), sided(ToeTipPoint, 1)},
        {int{Head}, sided(HeadFrontMarker, 0), int{HeadTop}}}) {
    std::vector<Vector3d> local;
    for (std::size_t k = 0; k < tracked.p.size(); ++k) {
      BodyPoints points;
      body.points(static_cast<int>(k), points);
      local.emplace_back(
          (tracked.R[k][at(segment)].transpose() * (points[at(to)] - points[at(from)])).normalized());
    }
    const Vector3d usual = median(local).normalized();
    std::vector<double> angle;
    for (const Vector3d& direction : local) angle.push_back(between(direction, usual));
    std::printf("%s: markers within %.2f deg (mean)\n", kHumanSegmentNames[at(segment)].data(), mean(angle));
    EXPECT_LE(mean(angle), 3.0) << kHumanSegmentNames[at(segment)];
  }
}

TEST_F(Gait2392, KneesHingeAboutTheirOwnAxes) {
  PANTO_NEED_DATA(kMarkers);
  const Tracked tracked = walk();
  for (const int thigh : {int{RightUpperLeg}, int{LeftUpperLeg}}) {
    const double share = off_axis_share(tracked, thigh);
    std::printf("%s: %.1f %% of the knee's motion is off its axis\n", kHumanSegmentNames[at(thigh)].data(),
                100 * share);
    EXPECT_LE(share, 0.10);
  }
}

TEST_F(Gait2392, StandingFeetAreLevelAndPointForward) {
  PANTO_NEED_DATA(kMarkers);
  const Tracked tracked = walk();
  const Vector3d forward = (tracked.p.back()[Pelvis] - tracked.p.front()[Pelvis]).normalized();
  const Vector3d facing = tracked.R[75][Pelvis].col(0);
  std::printf("pelvis advances (%.2f %.2f), faces (%.2f %.2f)\n", forward.x(), forward.y(), facing.x(),
              facing.y());
  for (const int foot : {int{RightFoot}, int{LeftFoot}}) {
    // the flattest tenth of the frames
    std::vector<std::pair<double, std::size_t>> tilt;
    for (std::size_t k = 0; k < tracked.R.size(); ++k)
      tilt.emplace_back(between(tracked.R[k][at(foot)].col(2), Vector3d::UnitZ()), k);
    std::sort(tilt.begin(), tilt.end());
    EXPECT_LT(tilt[15].first, 5.0) << kHumanSegmentNames[at(foot)];
    for (std::size_t i = 0; i < 15; ++i) {
      const Matrix3d relative =
          tracked.R[tilt[i].second][Pelvis].transpose() * tracked.R[tilt[i].second][at(foot)];
      EXPECT_LT(std::abs(std::atan2(relative(1, 0), relative(0, 0))), 30.0 * kDegree)
          << kHumanSegmentNames[at(foot)];
    }
  }
}

// Another program's inverse kinematics of the same walk: knee and hip flexion.
TEST_F(Gait2392, KneeAndHipFlexionAgreeWithOpenSims) {
  PANTO_NEED_DATA(kMarkers);
  PANTO_NEED_DATA(kAngles);
  const Tracked tracked = walk();
  const io::OpenSimTable table = io::read_opensim_table(test::data_file(kAngles));
  struct Pair {
    const char *label, *joint;
    double sign;  // of ours in theirs
  };
  for (const Pair& pair :
       {Pair{"knee_angle_r", "jRightKnee_roty", -1.0}, Pair{"knee_angle_l", "jLeftKnee_roty", -1.0},
        Pair{"hip_flexion_r", "jRightHip_roty", -1.0}, Pair{"hip_flexion_l", "jLeftHip_roty", -1.0}}) {
    const std::size_t column = *table.find(pair.label);
    std::vector<double> ours, theirs;
    for (std::size_t k = 0; k < tracked.states.size(); ++k) {
      const double t = to_seconds(tracked.states[k].t);
      const auto after = std::upper_bound(table.time.begin(), table.time.end(), t);
      if (after == table.time.begin() || after == table.time.end()) continue;
      const auto row = static_cast<std::size_t>(after - table.time.begin());
      const double share = (t - table.time[row - 1]) / (table.time[row] - table.time[row - 1]);
      theirs.push_back((1.0 - share) * table.cell(row - 1, column)[0] + share * table.cell(row, column)[0]);
      ours.push_back(pair.sign * tracked.joint(k, pair.joint) / kDegree);
    }
    ASSERT_GT(ours.size(), 100U);
    const auto [all, shape] = rms(ours, theirs);
    std::printf("%s: correlation %.4f, rms difference %.1f deg, %.1f without the offset (%zu frames)\n",
                pair.label, correlation(ours, theirs), all, shape, ours.size());
    EXPECT_GT(correlation(ours, theirs), 0.98) << pair.label;
    EXPECT_LT(shape, 5.0) << pair.label;
  }
}

TEST_F(Gait2392, MissingMarkersTurnTheirSegmentsOffAndNothingElse) {
  PANTO_NEED_DATA(kMarkers);
  KeypointClip clip = io::read_trc(test::data_file(kMarkers));
  const auto whole = io::open_keypoints(clip, "trc");
  // the right elbow is hidden for a quarter of a second
  const auto elbow = std::find(clip.names.begin(), clip.names.end(), "R.Elbow") - clip.names.begin();
  for (std::size_t k = 60; k < 75; ++k) {
    for (std::size_t i = 0; i < 3; ++i)
      clip.positions[3 * (k * clip.names.size() + static_cast<std::size_t>(elbow)) + i] = no_point()[0];
  }
  const auto gap = io::open_keypoints(clip, "trc");
  SegmentSample a, b;
  for (std::size_t k = 0; whole->read(a) == ReadStatus::Sample && gap->read(b) == ReadStatus::Sample; ++k) {
    const bool hidden = k >= 60 && k < 75;
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const SegmentMotion &x = a.segments[at(i)], &y = b.segments[at(i)];
      ASSERT_TRUE(y.R_WS.allFinite() && y.p_WS.allFinite());
      const bool of_arm = i == RightUpperArm || i == RightForeArm;
      if (of_arm) {
        EXPECT_EQ(y.has_orientation, !hidden) << k;
      }
      if (y.has_orientation && x.has_orientation) {
        EXPECT_LT(so3::distance(x.R_WS, y.R_WS), 1.0 * kDegree) << k << " " << i;
      }
    }
  }
  EXPECT_EQ(track(*io::open_keypoints(clip, "trc")).states.size(), 151U) << "and it is tracked through";
}

// ---- synthetic truth --------------------------------------------------------------------------------------

class Synthetic : public ::testing::Test {
 protected:
  Synthetic()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("panto_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Synthetic() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // writes only the origins: joint centres without any orientation
  std::string write_points(const std::string& name, const test::RecordedMotion& motion) const {
    const auto file = io::create_sample_file(path(name), human_segment_names(), {kRate});
    for (SegmentSample sample : motion.samples) {
      for (SegmentMotion& segment : sample.segments) segment.has_orientation = false;
      EXPECT_EQ(file->write(sample), WriteStatus::Written);
    }
    file->close();
    return path(name);
  }

  static constexpr double kRate = 60.0;
  std::filesystem::path folder_;
};

TEST_F(Synthetic, JointCentresThroughEveryFormatGiveBackDirectionsAndKnees) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 4.0, kRate);
  for (const char* name : {"walk.npz", "walk.csv", "walk.trc"}) {
    const auto file = io::open_motion_file(write_points(name, motion));
    const Tracked tracked = track(*file);
    ASSERT_EQ(tracked.states.size(), motion.samples.size()) << name;
    std::vector<double> knee, hip_error;
    double worst = 0.0;
    for (std::size_t k = 0; k < tracked.states.size(); ++k) {
      EXPECT_EQ(tracked.states[k].t, motion.samples[k].t);
      for (int i :
           {int{RightLowerLeg}, int{RightFoot}, int{LeftLowerLeg}, int{LeftFoot}, int{RightForeArm},
            int{RightHand}, int{LeftForeArm}, int{LeftHand}, int{Neck}, int{RightToe}, int{LeftToe}}) {
        const int parent = i == Neck ? int{T8} : kHumanSegmentParent[at(i)];
        const auto& s = motion.samples[k].segments;
        worst = std::max(worst, between(s[at(i)].p_WS - s[at(parent)].p_WS,
                                        tracked.p[k][at(i)] - tracked.p[k][at(parent)]));
      }
      for (const char* joint : {"jRightKnee_roty", "jLeftKnee_roty"})
        knee.push_back(std::abs(tracked.joint(k, joint) - motion.truth[k].s[truth.joint_index(joint)]) /
                       kDegree);
    }
    std::printf("%s: directions within %.3f deg, knee flexion within %.3f deg (mean %.3f)\n", name, worst,
                *std::max_element(knee.begin(), knee.end()), mean(knee));
    EXPECT_LT(worst, 1.0) << name;
    EXPECT_LT(*std::max_element(knee.begin(), knee.end()), 1.0) << name;
  }
}

TEST_F(Synthetic, OtherUnitsAndUpAxesAreTheSameMotion) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 2.0, kRate);
  const KeypointClip clip = io::read_npz(write_points("walk.npz", motion));
  const auto read = [](KeypointClip changed) {
    changed.unit = 0.0;
    changed.up.clear();
    const auto file = io::open_keypoints(std::move(changed), "npz");
    EXPECT_EQ(file->info().untrackable, "");
    std::vector<SegmentSample> samples;
    for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) samples.push_back(sample);
    return samples;
  };
  const auto reference = read(clip);
  for (const double scale : {0.01, 1.0, 100.0, 1000.0, 3.7}) {
    for (int turns = 0; turns < 3; ++turns) {
      KeypointClip changed = clip;
      for (std::size_t i = 0; i < changed.positions.size() / 3; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          changed.positions[3 * i + (axis + static_cast<std::size_t>(turns)) % 3] =
              scale * clip.positions[3 * i + axis];
      }
      const auto samples = read(changed);
      ASSERT_EQ(samples.size(), reference.size());
      for (std::size_t k = 0; k < samples.size(); k += 10) {
        for (int i = 0; i < kHumanSegmentCount; ++i) {
          EXPECT_LT(so3::distance(samples[k].segments[at(i)].R_WS, reference[k].segments[at(i)].R_WS), 1e-6)
              << scale << " " << turns << " " << kHumanSegmentNames[at(i)];
        }
      }
    }
  }
}

TEST_F(Synthetic, OrientationsInTheFileCountForMoreThanPoints) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 1.0, kRate);
  for (const char* name : {"full.csv", "full.npz"}) {
    const auto out = io::create_sample_file(path(name), human_segment_names(), {kRate});
    for (const SegmentSample& sample : motion.samples) ASSERT_EQ(out->write(sample), WriteStatus::Written);
    out->close();
    const auto file = io::open_motion_file(path(name));
    SegmentSample sample;
    for (std::size_t k = 0; file->read(sample) == ReadStatus::Sample; ++k) {
      for (int i = 0; i < kHumanSegmentCount; ++i) {
        EXPECT_LT(so3::distance(sample.segments[at(i)].R_WS, motion.samples[k].segments[at(i)].R_WS), 1e-7)
            << name;
        EXPECT_LT((sample.segments[at(i)].p_WS - motion.samples[k].segments[at(i)].p_WS).norm(), 1e-12)
            << name;
      }
    }
  }
}

// The capture of Tee et al.: points of the upper body, Euler angles of hands and head, 80 Hz.
TEST_F(Synthetic, AnUpperBodyWithEulerAnglesOfHandsAndHeadIsTracked) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("reach", truth, 3.0, 80.0);
  std::ofstream out(path("tee.csv"));
  out.precision(12);
  out << "# joints and orientations of a "
         "gesture\ntime_s,waist_x_mm,waist_y_mm,waist_z_mm,neck_x_mm,neck_y_mm,neck_z_mm";
  const std::vector<std::pair<const char*, int>> arms{
      {"right_shoulder", int{RightUpperArm}}, {"right_elbow", int{RightForeArm}},
      {"right_wrist", int{RightHand}},        {"left_shoulder", int{LeftUpperArm}},
      {"left_elbow", int{LeftForeArm}},       {"left_wrist", int{LeftHand}}};
  const std::vector<std::pair<const char*, int>> turned{
      {"right_hand", int{RightHand}}, {"left_hand", int{LeftHand}}, {"head", int{Head}}};
  for (const auto& [name, segment] : arms)
    for (const char axis : {'x', 'y', 'z'}) out << "," << name << "_" << axis << "_mm";
  for (const auto& [name, segment] : turned)
    for (const char axis : {'z', 'y', 'x'}) out << "," << name << "_zyx_" << axis << "_deg";
  out << "\n";
  for (const SegmentSample& sample : motion.samples) {
    out << to_seconds(sample.t);
    const auto point = [&](int segment) {
      for (const double x : sample.segments[at(segment)].p_WS) out << "," << 1e3 * x;
    };
    point(Pelvis);
    point(Neck);
    for (const auto& arm : arms) point(arm.second);
    for (const auto& [name, segment] : turned) {
      const Matrix3d& R = sample.segments[at(segment)].R_WS;
      out << "," << std::atan2(R(1, 0), R(0, 0)) / kDegree << "," << -std::asin(R(2, 0)) / kDegree << ","
          << std::atan2(R(2, 1), R(2, 2)) / kDegree;
    }
    out << "\n";
  }
  out.close();
  const auto file = io::open_motion_file(path("tee.csv"));
  EXPECT_EQ(file->info().untrackable, "");
  EXPECT_NEAR(file->info().rate_hz, 80.0, 1e-3);
  const Tracked tracked = track(*file);
  ASSERT_EQ(tracked.states.size(), motion.samples.size());
  for (std::size_t k = 0; k < tracked.states.size(); ++k) {
    for (const int segment : {int{RightHand}, int{LeftHand}, int{Head}})
      ASSERT_LT(so3::distance(tracked.R[k][at(segment)], motion.samples[k].segments[at(segment)].R_WS),
                0.01 * kDegree);
    for (const int segment : {int{RightHand}, int{LeftHand}, int{RightForeArm}, int{LeftForeArm}}) {
      const auto& s = motion.samples[k].segments;
      const int parent = kHumanSegmentParent[at(segment)];
      ASSERT_LT(between(s[at(segment)].p_WS - s[at(parent)].p_WS,
                        tracked.p[k][at(segment)] - tracked.p[k][at(parent)]),
                0.1);
    }
  }
}

TEST_F(Synthetic, OurOwnTablesOfJointAnglesOpenAsRecordings) {
  for (const bool large : {true, false}) {
    const Model model = large ? human66() : human48();
    const test::RecordedMotion motion = test::synthetic_motion("walk", model, 1.0, kRate);
    for (const char* name : {"walk.csv", "walk.mot", "walk.sto"}) {
      const auto out = io::create_state_file(path(name), model, {kRate});
      for (const State& state : motion.truth) ASSERT_EQ(out->write(state), WriteStatus::Written);
      out->close();
      const auto file = io::open_motion_file(path(name));
      EXPECT_NE(file->info().format.find(model.name()), std::string::npos) << file->info().format;
      EXPECT_EQ(file->info().rate_hz, kRate);
      SegmentSample sample;
      std::size_t k = 0;
      for (; file->read(sample) == ReadStatus::Sample; ++k) {
        ASSERT_EQ(sample.t, motion.samples[k].t);
        for (int i = 0; i < kHumanSegmentCount; ++i) {
          ASSERT_LT(so3::distance(sample.segments[at(i)].R_WS, motion.samples[k].segments[at(i)].R_WS), 1e-9);
          ASSERT_LT((sample.segments[at(i)].p_WS - motion.samples[k].segments[at(i)].p_WS).norm(), 1e-9);
        }
      }
      EXPECT_EQ(k, motion.samples.size());
    }
  }
}

TEST_F(Synthetic, OrientationsOfSegmentsGoThroughATableOfOpenSim) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 1.0, kRate);
  const auto out = io::create_sample_file(path("walk.sto"), human_segment_names(), {kRate});
  for (const SegmentSample& sample : motion.samples) ASSERT_EQ(out->write(sample), WriteStatus::Written);
  out->close();
  const auto file = io::open_motion_file(path("walk.sto"));
  EXPECT_EQ(file->info().untrackable, "");
  EXPECT_EQ(file->info().attachments.attachments.size(), 23U);
  SegmentSample sample;
  for (std::size_t k = 0; file->read(sample) == ReadStatus::Sample; ++k) {
    for (int i = 0; i < kHumanSegmentCount; ++i)
      ASSERT_LT(so3::distance(sample.segments[at(i)].R_WS, motion.samples[k].segments[at(i)].R_WS), 1e-7);
  }
}

// Markers of the Plug-in Gait set on a body of known joints.
TEST_F(Synthetic, OuterMarkersOfAKnownBodyGiveItsJoints) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 3.0, kRate);
  KeypointClip clip;
  clip.name = "synthetic";
  clip.unit = 1.0;
  clip.rate_hz = kRate;
  struct Marker {
    const char* name;
    int segment;
    Vector3d place;  // in the segment, right side
  };
  const double H = 1.75;
  // half a breadth and a marker's radius out from knee and ankle, as the reader assumes for this height;
  // ASIS and PSIS so that Harrington's hips are the model's: depth 0.15, breadth from the hips' distance
  const double breadth = (0.0525 * H - 0.0073) / 0.33, depth = 0.15;
  const double x = 0.24 * depth + 0.0099, z = 0.30 * breadth + 0.0109;
  const std::array markers{Marker{"ASI", Pelvis, {x, -0.5 * breadth, z}},
                           Marker{"PSI", Pelvis, {x - depth, -0.05, z}},
                           Marker{"KNE", RightLowerLeg, {0, -(0.0285 * H + 0.007), 0}},
                           Marker{"ANK", RightFoot, {0, -(0.020 * H + 0.007), 0}},
                           Marker{"HEE", RightFoot, {-0.06, 0, -0.05}},
                           Marker{"TOE", RightToe, {0, 0, 0.018}},
                           Marker{"SHO", RightUpperArm, {0, 0, 0.06}},
                           Marker{"ELB", RightForeArm, {0, 0, 0.020 * H + 0.007}},
                           Marker{"WRA", RightHand, {0.03, 0, 0}},
                           Marker{"WRB", RightHand, {-0.03, 0, 0}}};
  for (const Marker& marker : markers) {
    for (const char* side : {"R", "L"}) clip.names.push_back(std::string(side) + marker.name);
  }
  for (const SegmentSample& sample : motion.samples) {
    clip.times.push_back(sample.t);
    for (const Marker& marker : markers) {
      for (const int side : {0, 1}) {
        int segment = marker.segment;
        if (side == 1 && segment >= RightUpperLeg) segment += LeftUpperLeg - RightUpperLeg;
        if (side == 1 && segment >= RightShoulder && segment <= RightHand)
          segment += LeftShoulder - RightShoulder;
        Vector3d place = marker.place;
        if (side == 1) place.y() = -place.y();
        const SegmentMotion& s = sample.segments[at(segment)];
        // markers of the lower segment's frame sit beside the joint at its origin
        const Vector3d p = s.R_WS * place + s.p_WS;
        clip.positions.insert(clip.positions.end(), p.begin(), p.end());
      }
    }
  }
  const auto file = io::open_keypoints(clip, "markers");
  ASSERT_EQ(file->info().untrackable, "");
  const Tracked tracked = track(*file);
  std::vector<double> knee, place;
  for (std::size_t k = 0; k < tracked.states.size(); ++k) {
    for (const char* joint : {"jRightKnee_roty", "jLeftKnee_roty"})
      knee.push_back(std::abs(tracked.joint(k, joint) - motion.truth[k].s[truth.joint_index(joint)]) /
                     kDegree);
    for (const int i :
         {int{RightLowerLeg}, int{LeftLowerLeg}, int{RightFoot}, int{LeftFoot}, int{RightUpperLeg}})
      place.push_back((tracked.p[k][at(i)] - motion.samples[k].segments[at(i)].p_WS).norm());
  }
  std::printf("outer markers: knee flexion mean %.2f, max %.2f deg; joints mean %.1f mm\n", mean(knee),
              *std::max_element(knee.begin(), knee.end()), 1e3 * mean(place));
  EXPECT_LT(mean(knee), 2.0);
  EXPECT_LT(mean(place), 0.015);
}

}  // namespace
}  // namespace panto
