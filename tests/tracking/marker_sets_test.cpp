// Clinical marker sets, glued to a synthetic walk: with and without trunk and arms, with wands, as prefixes
// and cases come.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/sample/keypoint_sample.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/tracked_motion.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;
using test::kDegree;
using test::track;
using test::Tracked;

constexpr double kRate = 60.0;

struct Marker {
  std::string name;
  int segment;
  Vector3d place;  // in the segment's frame: x forward, y left, z up [m]
};
using Markers = std::vector<Marker>;

// Names of one set, right side with "R"; "" where the set lacks the marker.
struct Names {
  std::string prefix, asis, psis, sacrum, thigh, knee, inner_knee, shank, ankle, inner_ankle, heel, toe,
      big_toe, small_toe;
  std::string right = "R", left = "L";
};

// An average person's markers. The pelvis has the breadth and depth with which Harrington's regression meets
// the model's hips; knees are .42 as broad as the ASIS are apart, ankles 7 cm, markers stand 9 mm off.
Markers lower_body(const SubjectDimensions& subject, const Names& names) {
  Markers markers;
  const double hip = subject.origin[LeftUpperLeg].y(), breadth = (hip - 0.0073) / 0.33, depth = 0.17;
  const Vector3d front = 0.5 * (subject.origin[LeftUpperLeg] + subject.origin[RightUpperLeg]) +
                         Vector3d(0.24 * depth + 0.0099, 0.0, 0.30 * breadth + 0.0109);
  const double knee = 0.211 * breadth + 0.009, ankle = 0.020 * subject.height + 0.009;
  const auto add = [&](const std::string& name, int segment, const Vector3d& place) {
    if (!name.empty()) markers.push_back({names.prefix + name, segment, place});
  };
  add(names.sacrum, Pelvis, front - Vector3d(depth, 0.0, 0.0));
  for (const int side : {0, 1}) {
    const double out = side == 0 ? -1.0 : 1.0;
    const auto named = [&](const std::string& name) {
      return name.empty() ? name : (side == 0 ? names.right : names.left) + name;
    };
    const int thigh = side == 0 ? RightUpperLeg : LeftUpperLeg, shank = thigh + 1, foot = thigh + 2;
    const Vector3d ball = subject.origin[at(thigh + 3)];
    add(named(names.asis), Pelvis, front + Vector3d(0.0, 0.5 * out * breadth, 0.0));
    add(named(names.psis), Pelvis, front + Vector3d(-depth, 0.045 * out, 0.0));
    add(named(names.thigh), thigh, {0.02, 0.12 * out, -0.25});  // on a wand
    add(named(names.knee), shank, {0.0, out * knee, 0.0});
    add(named(names.inner_knee), shank, {0.0, -out * knee, 0.0});
    add(named(names.shank), shank, {0.0, 0.10 * out, -0.2});
    add(named(names.ankle), foot, {0.0, out * ankle, 0.0});
    add(named(names.inner_ankle), foot, {0.0, -out * ankle, 0.0});
    add(named(names.heel), foot, {-0.05, 0.0, ball.z() + 0.02});
    add(named(names.toe), foot, ball + Vector3d(0.0, 0.0, 0.02));
    add(named(names.big_toe), foot, ball + Vector3d(0.0, -0.03 * out, 0.02));
    add(named(names.small_toe), foot, ball + Vector3d(0.0, 0.04 * out, 0.02));
  }
  return markers;
}

KeypointClip glue(const test::RecordedMotion& motion, const Markers& markers) {
  KeypointClip clip;
  clip.name = "markers.trc";
  clip.rate_hz = kRate;
  clip.unit = 1.0;
  for (const Marker& marker : markers) clip.names.push_back(marker.name);
  for (const SegmentSample& sample : motion.samples) {
    clip.times.push_back(sample.t);
    for (const Marker& marker : markers) {
      const SegmentMotion& segment = sample.segments[at(marker.segment)];
      const Vector3d p = segment.R_WS * marker.place + segment.p_WS;
      clip.positions.insert(clip.positions.end(), p.begin(), p.end());
    }
  }
  return clip;
}

struct LegErrors {
  double pelvis = 0.0, thigh = 0.0, shank = 0.0, foot = 0.0;  // largest [deg], from 0.5 s on
};
LegErrors leg_errors(const test::RecordedMotion& motion, const Tracked& tracked) {
  LegErrors worst;
  const auto add = [&](double& error, std::size_t k, int segment) {
    const double turn =
        so3::distance(tracked.R[k][at(segment)], motion.samples[k].segments[at(segment)].R_WS) / kDegree;
    error = std::max(error, turn);
  };
  for (std::size_t k = 30; k < tracked.R.size(); ++k) {
    add(worst.pelvis, k, Pelvis);
    for (const int thigh : {int{RightUpperLeg}, int{LeftUpperLeg}}) {
      add(worst.thigh, k, thigh);
      add(worst.shank, k, thigh + 1);
      add(worst.foot, k, thigh + 2);
    }
  }
  return worst;
}

const Names kPlugInGait{"", "ASI", "PSI", "", "THI", "KNE", "", "TIB", "ANK", "", "HEE", "TOE", "", ""};

class MarkerSets : public ::testing::Test {
 protected:
  MarkerSets() : motion_(test::synthetic_motion("walk", human66(), 3.0, kRate)) {}

  static std::string notes(const Recording& file) {
    std::string all;
    for (const std::string& note : file.info().notes) all += note + "\n";
    return all;
  }
  // the set is followed; its legs are right and the rest is unmeasured
  void follows(const std::string& set, const Markers& markers) {
    const auto file = io::open_keypoints(glue(motion_, markers), "trc");
    ASSERT_EQ(file->info().untrackable, "") << set;
    const std::string said = notes(*file);
    EXPECT_NE(
        said.find("not measured: trunk, neck and head, both shoulders, both arms, both hands, both toes"),
        std::string::npos)
        << set << ": " << said;
    const Tracked tracked = track(*file);
    ASSERT_EQ(tracked.states.size(), motion_.samples.size()) << set;
    const LegErrors worst = leg_errors(motion_, tracked);
    std::printf("%s: pelvis %.2f, thigh %.2f, shank %.2f, foot %.2f deg (largest)\n", set.c_str(),
                worst.pelvis, worst.thigh, worst.shank, worst.foot);
    // the markers' truth but for the knee's axis, which outer markers alone show by its bending
    EXPECT_LT(worst.pelvis, 0.5) << set;
    EXPECT_LT(worst.thigh, 3.0) << set;
    EXPECT_LT(worst.shank, 3.0) << set;
    EXPECT_LT(worst.foot, 5.0) << set << ": soles are level in stance; this walk's are 4.4 deg off";
  }

  test::RecordedMotion motion_;
  SubjectDimensions subject_ = scaled_subject(1.75);
};

TEST_F(MarkerSets, PlugInGaitsLegsAreFollowedInAnyCaseAndWithAnySubject) {
  Names names = kPlugInGait;
  for (const char* prefix : {"", "Anna:", "S02_"}) {
    names.prefix = prefix;
    follows("Plug-in Gait, legs, " + names.prefix, lower_body(subject_, names));
  }
  Markers small = lower_body(subject_, kPlugInGait);
  for (Marker& marker : small) {
    for (char& c : marker.name) c = static_cast<char>(c - 'A' + 'a');
  }
  follows("plug-in gait in lower case", small);
}

// 20 deg: Plug-in Gait itself would turn the knee's axis as far
TEST_F(MarkerSets, AThighMarkerBesideThePlaneOfTheKneeTurnsNothing) {
  Markers markers = lower_body(subject_, kPlugInGait);
  for (Marker& marker : markers) {
    if (marker.name.ends_with("THI")) marker.place.x() += 0.12 * std::tan(20.0 * kDegree);
  }
  follows("Plug-in Gait, thigh markers 20 deg off", markers);
}

TEST_F(MarkerSets, LegsOfTheOtherClinicalSetsAreFollowed) {
  follows("Helen Hayes",
          lower_body(subject_, {"", "ASIS", "", "V.Sacral", "Thigh", "Knee", "Knee.Medial", "Shank", "Ankle",
                                "Ankle.Medial", "Heel", "Toe", "", "", "R.", "L."}));
  follows("CGM 2", lower_body(subject_, {"", "ASI", "PSI", "", "THAP", "KNE", "KNM", "TIAD", "ANK", "MED",
                                         "HEE", "SMH", "FMH", "VMH"}));
  follows("IOR", lower_body(subject_, {"", "IAS", "IPS", "", "", "FLE", "FME", "TTC", "FAL", "TAM", "FCC",
                                       "FM2", "FM1", "FM5", "R_", "L_"}));
  follows("Rajagopal", lower_body(subject_, {"", "ASI", "PSI", "", "TH1", "LFC", "MFC", "TB1", "LMAL", "MMAL",
                                             "CAL", "TOE", "", "MT5"}));
  follows("Oxford foot", lower_body(subject_, {"", "ASI", "PSI", "", "THI", "KNE", "", "HFB", "ANK", "MMA",
                                               "HEE", "TOE", "D1M", "D5M"}));
}

TEST_F(MarkerSets, ATrunkWithArmsIsFollowedToo) {
  Markers markers = lower_body(subject_, kPlugInGait);
  const double shoulder = subject_.origin[LeftUpperArm].y();
  markers.push_back({"C7", T8, subject_.origin[Neck] + Vector3d(-0.05, 0.0, 0.0)});
  markers.push_back({"CLAV", T8, subject_.origin[Neck] + Vector3d(0.05, 0.0, 0.0)});
  for (const int side : {0, 1}) {
    const double out = side == 0 ? -1.0 : 1.0;
    const std::string s = side == 0 ? "R" : "L";
    const int girdle = side == 0 ? RightShoulder : LeftShoulder;
    const Vector3d hand(0.0, out * 0.08, 0.0);
    markers.push_back({s + "SHO", girdle, {0.0, out * shoulder, 0.04}});
    markers.push_back({s + "ELB", girdle + 2, {0.0, 0.0, 0.042}});
    markers.push_back({s + "WRA", girdle + 3, {0.03, 0.0, 0.0}});
    markers.push_back({s + "WRB", girdle + 3, {-0.03, 0.0, 0.0}});
    markers.push_back({s + "FIN", girdle + 3, hand});
    markers.push_back({s + "FHD", Head, {0.09, 0.07 * out, 0.1}});
    markers.push_back({s + "BHD", Head, {-0.09, 0.07 * out, 0.1}});
  }
  const auto file = io::open_keypoints(glue(motion_, markers), "trc");
  ASSERT_EQ(file->info().untrackable, "");
  EXPECT_NE(notes(*file).find("not measured: both toes;"), std::string::npos) << notes(*file);
  const LegErrors worst = leg_errors(motion_, track(*file));
  std::printf("full body: pelvis %.2f, thigh %.2f, shank %.2f, foot %.2f deg (largest)\n", worst.pelvis,
              worst.thigh, worst.shank, worst.foot);
  EXPECT_LT(worst.pelvis, 10.0) << "a trunk makes the pelvis neutral where it is straight on the median";
  EXPECT_LT(worst.thigh, 3.0);
  EXPECT_LT(worst.shank, 3.0);
}

TEST_F(MarkerSets, JointCentresOfLegsAloneAreFollowedOnAnUprightPelvis) {
  Markers markers;
  for (const int side : {0, 1}) {
    const std::string s = side == 0 ? "right_" : "left_";
    const int thigh = side == 0 ? RightUpperLeg : LeftUpperLeg;
    markers.push_back({s + "hip", thigh, Vector3d::Zero()});
    markers.push_back({s + "knee", thigh + 1, Vector3d::Zero()});
    markers.push_back({s + "ankle", thigh + 2, Vector3d::Zero()});
  }
  const auto file = io::open_keypoints(glue(motion_, markers), "trc");
  ASSERT_EQ(file->info().untrackable, "");
  EXPECT_NE(notes(*file).find("the pelvis is assumed upright"), std::string::npos) << notes(*file);
  const LegErrors worst = leg_errors(motion_, track(*file));
  EXPECT_LT(worst.thigh, 3.0);
  EXPECT_LT(worst.shank, 3.0);
}

TEST_F(MarkerSets, LegsWithoutAPelvisAreRefusedByNameOfWhatTheyLack) {
  Markers markers = lower_body(subject_, kPlugInGait);
  std::erase_if(markers, [](const Marker& m) { return m.name.ends_with("PSI"); });
  const std::string why = io::open_keypoints(glue(motion_, markers), "trc")->info().untrackable;
  EXPECT_NE(why.find("The right leg lacks hip; the left leg lacks hip."), std::string::npos) << why;
  EXPECT_NE(why.find("both PSIS"), std::string::npos) << why;
}

}  // namespace
}  // namespace panto
