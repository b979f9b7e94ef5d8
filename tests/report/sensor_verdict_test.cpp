// What a verdict says of sensors that are mounted in another way than their file says: OpenSense's recording
// of a walk, and the same with one mount turned.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>

#include "panto/api/track.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/evaluation/posture.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/report/report.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

const char* const kWalk = "inertial/opensense/example_lowerbody";

struct Mounted {
  const char *name, *link;
  Eigen::Vector4d wxyz;
};
// as `panto calibrate --pose npose` finds them, with the pelvis' sensor looking forward along its z
const std::vector<Mounted>& calibrated() {
  static const std::vector<Mounted> mounts{
      {"00B42279", "Pelvis", {0.021700, 0.799338, 0.028513, 0.599813}},
      {"00B42268", "T8", {0.031756, 0.812673, 0.019672, 0.581521}},
      {"00B4227C", "RightUpperLeg", {0.560713, -0.398201, -0.560859, -0.460949}},
      {"00B4227D", "RightLowerLeg", {0.546358, -0.495548, -0.546708, -0.396277}},
      {"00B421EF", "RightFoot", {0.224272, -0.710983, -0.644837, 0.168494}},
      {"00B421EE", "LeftUpperLeg", {0.517756, 0.551438, -0.413926, 0.506468}},
      {"00B421ED", "LeftLowerLeg", {0.403009, 0.619483, -0.400255, 0.541867}},
      {"00B421E6", "LeftFoot", {0.190966, 0.708508, -0.657537, -0.170858}},
  };
  return mounts;
}

// `faces`: where the person is taken to look, about up [rad]
SensorSetup setup_of(const std::vector<Mounted>& mounts, double faces = 0.0) {
  std::string text = "kind = \"sensors\"\nversion = 1\nsensors = [\n";
  for (const Mounted& mount : mounts) {
    text += std::string("{ name = \"") + mount.name + "\", link = \"" + mount.link + "\", wxyz = [";
    for (int i = 0; i < 4; ++i) text += (i > 0 ? ", " : "") + std::to_string(mount.wxyz[i]);
    text += "] },\n";
  }
  const double heading = -2.0 * std::atan2(0.841161207, 0.540784453) - faces;
  return io::read_sensors(text + "]\n[world]\nheading_deg = " + std::to_string(kToDegrees * heading) +
                              "\norientation = \"full\"\n",
                          "mounts.toml");
}

// The first eighteen seconds of the walk.
const ImuClip& walk() {
  static const ImuClip clip = [] {
    ImuClip whole = io::open_imu(test::data_file(kWalk));
    whole.times.resize(1800);
    whole.readings.resize(1800 * whole.sensors.size());
    return whole;
  }();
  return clip;
}

struct Judged {
  Verdict::Grade grade;
  std::string text;
  std::vector<State> states;
};
Judged judged(const std::vector<Mounted>& mounts, double faces = 0.0) {
  const Model model = human66();
  const SensorTrackResult result = track(walk(), model, setup_of(mounts, faces));
  const Verdict verdict = verdict_of(result, model);
  return {verdict.grade, verdict.sentence, result.motion.states};
}

// the largest median difference of a leg's joint between two runs [deg]
double worst_joint(const std::vector<State>& a, const std::vector<State>& b) {
  const Model model = human66();
  Kinematics one(model), other(model);
  double worst = 0.0;
  for (const auto& [parent, child] : {std::pair("Pelvis", "RightUpperLeg"),
                                      {"Pelvis", "LeftUpperLeg"},
                                      {"RightUpperLeg", "RightLowerLeg"},
                                      {"LeftUpperLeg", "LeftLowerLeg"},
                                      {"RightLowerLeg", "RightFoot"},
                                      {"LeftLowerLeg", "LeftFoot"}}) {
    const int p = model.link_index(parent), c = model.link_index(child);
    std::vector<double> off;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); k += 20) {
      one.update(a[k]);
      other.update(b[k]);
      off.push_back(
          so3::distance(one.R_WL(p).transpose() * one.R_WL(c), other.R_WL(p).transpose() * other.R_WL(c)));
    }
    std::nth_element(off.begin(), off.begin() + std::ssize(off) / 2, off.end());
    worst = std::max(worst, kToDegrees * off[off.size() / 2]);
  }
  return worst;
}

// joints as optical capture has them are never called impossible
TEST(SensorVerdict, FindsNothingInRealClipsOfWalksRunsDancesAndGetUps) {
  for (const char* file :
       {"bvh/cmu/005_02.bvh", "bvh/cmu/007_01.bvh", "bvh/cmu/131_01.bvh", "bvh/cmu/002_03.bvh",
        "lafan1/dance1_subject2.bvh", "lafan1/fallAndGetUp1_subject1.bvh"}) {
    PANTO_NEED_DATA(file);
    const Model model = human66();
    const auto recording = io::open_recording(test::data_file(file));
    PostureWatch watch(model, model.link_names());
    Observer observer;
    observer.frame = [&](const SegmentSample&, const State& state, const StepRecord&) { watch.add(state); };
    (void)track(*recording, model, {}, observer);
    for (const PostureFinding& finding : watch.findings()) ADD_FAILURE() << file << ": " << finding.text;
  }
}

TEST(SensorVerdict, IsGoodOfCalibratedMounts) {
  PANTO_NEED_DATA(kWalk);
  const Judged right = judged(calibrated());
  EXPECT_EQ(right.grade, Verdict::Grade::Good) << right.text;
}

TEST(SensorVerdict, IsNotUsableWithoutCalibrationAndDoubtfulWithOneMountLeftOut) {
  PANTO_NEED_DATA(kWalk);
  std::vector<Mounted> mounts = calibrated();
  mounts[0].wxyz = {1, 0, 0, 0};
  const Judged pelvis = judged(mounts);
  EXPECT_NE(pelvis.grade, Verdict::Grade::Good) << pelvis.text;
  for (Mounted& mount : mounts) mount.wxyz = {1, 0, 0, 0};
  const Judged none = judged(mounts);
  EXPECT_EQ(none.grade, Verdict::Grade::Unreliable) << none.text;
  EXPECT_NE(none.text.find("a sensor is not mounted as its file says"), std::string::npos) << none.text;
}

// `panto calibrate --trusted` takes the heading of all mounts from that of the pelvis; left at the identity,
// it is 175 degrees off: issue 33
TEST(SensorVerdict, IsDoubtfulOfMountsWhoseHeadingWasTakenFromAWrongOne) {
  PANTO_NEED_DATA(kWalk);
  const double turned = 175.3 / kToDegrees;
  std::vector<Mounted> mounts = calibrated();
  for (Mounted& mount : mounts) {
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(Eigen::AngleAxisd(turned, Eigen::Vector3d::UnitZ())) *
        Eigen::Quaterniond(mount.wxyz[0], mount.wxyz[1], mount.wxyz[2], mount.wxyz[3]);
    mount.wxyz = {q.w(), q.x(), q.y(), q.z()};
  }
  const Judged wrong = judged(mounts, turned);
  EXPECT_EQ(wrong.grade, Verdict::Grade::Care) << wrong.text;
}

TEST(SensorVerdict, DoubtsNineteenOfTwentyRunsWithAJointOverTwentyDegreesOff) {
  PANTO_NEED_DATA(kWalk);
  const Judged right = judged(calibrated());
  std::mt19937_64 random(5);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11U) * 0x1p-53;
  };
  int spoilt = 0, seen = 0;
  std::string unseen;
  for (int run = 0; run < test::scaled(8); ++run) {
    std::vector<Mounted> mounts = calibrated();
    Mounted& turned = mounts[random() % mounts.size()];
    const Eigen::Vector3d axis = Eigen::Vector3d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized();
    const double angle = uniform(15.0, 180.0) / kToDegrees;
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(turned.wxyz[0], turned.wxyz[1], turned.wxyz[2], turned.wxyz[3]) *
        Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
    turned.wxyz = {q.w(), q.x(), q.y(), q.z()};
    const Judged wrong = judged(mounts);
    if (worst_joint(right.states, wrong.states) < 20.0) continue;
    ++spoilt;
    if (wrong.grade != Verdict::Grade::Good)
      ++seen;
    else
      unseen += std::string(turned.link) + " by " + std::to_string(kToDegrees * angle) + " deg\n";
  }
  std::printf("doubted %d of %d runs with a joint over 20 deg off\n", seen, spoilt);
  EXPECT_GE(spoilt, test::scaled(4));
  EXPECT_GE(seen, static_cast<int>(0.94 * spoilt))
      << unseen;  // issue 33 asks for 95 % of 200 over two recordings
}

}  // namespace
}  // namespace panto
