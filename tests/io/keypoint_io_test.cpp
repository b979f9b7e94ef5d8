// size: all tests of one header, by the rule of three places
// Readers and writers of points and orientations: what they take, what they refuse, round trips, damage.

#include "panto/io/keypoint_io.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <sstream>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/test_data.hpp"

namespace {

using enum panto::HumanSegment::Index;

using namespace panto;
using namespace panto::io;
using Eigen::Vector3d;
using panto::test::error_of;

const std::string kMarkers = "opensim/Gait2392_Simbody_subject01_walk1.trc";
constexpr std::array kSensorTables{
    "opensim/Inverese_Kinematics_with_IMUs_placement_orientations.sto",
    "opensim/Inverese_Kinematics_with_IMUs_walking_orientations.sto",
    "opensim/core_MT_012005D6_009-quaternions_calibration_trial_Facing_negX.sto",
    "opensim/core_imuOrientations.sto", "opensim/core_myComplexTasksTrial_orientations.sto"};

KeypointClip trc(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return read_trc(stream, "t.trc");
}
KeypointClip csv(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return read_keypoint_csv(stream, "t.csv");
}

const std::string kSmallTrc =
    "PathFileType\t4\t(X/Y/Z)\tC:\\data\\t.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "  100.0\t\t100.0\t3\t2\tmm\t100\t1\t3\n"
    "Frame#\tTime\tA\t\t\tB\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "7\t0.06\t1\t2\t3\t4\t5\t6\t\n"
    "8\t0.07\t1.5\t2\t3\t\t\t\n"
    "9\t0.08\t\t\t\t4\t5\t6\n";

const std::string kSmallCsv =
    "# of a test\n"
    "time_s,hand_x_mm,hand_y_mm,hand_z_mm,hand_zyx_z_deg,hand_zyx_y_deg,hand_zyx_x_deg,head_qw,head_qx,head_"
    "qy,head_qz\n"
    "0,1000,0,0,90,0,0,1,0,0,0\n"
    "0.0125,1001,,0,0,90,0,,,,\n";

// ---- trc --------------------------------------------------------------------------------------------------

TEST(Trc, ReadsOccludedMarkersPaddingAndAFirstFrameThatIsNotOne) {
  const KeypointClip clip = trc(kSmallTrc);
  EXPECT_EQ(clip.names, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(clip.unit, 1e-3);
  EXPECT_EQ(clip.rate_hz, 100.0);
  EXPECT_EQ(clip.times, (std::vector<Time>{60'000'000, 70'000'000, 80'000'000}));
  EXPECT_EQ(clip.position(0, 1), Vector3d(4, 5, 6));
  EXPECT_TRUE(std::isnan(clip.position(1, 1).x()));
  EXPECT_TRUE(std::isnan(clip.position(2, 0).x()));
  EXPECT_TRUE(clip.notes.empty());
}

TEST(Trc, ReadsTheWalkOfGait2392AtExactFrameTimes) {
  PANTO_NEED_DATA(kMarkers);
  const KeypointClip clip = read_trc(panto::test::data_file(kMarkers));
  EXPECT_EQ(clip.names.size(), 41U);
  ASSERT_EQ(clip.frames(), 151);
  // the file rounds to a millisecond
  EXPECT_EQ(clip.times[1], frame_time(1, 60.0));
  EXPECT_EQ(clip.position(0, 0), Vector3d(617.247620, 1055.275020, 170.781980));
}

TEST(Trc, NamesTheLineAndTheCellOfWhatItRefuses) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kSmallTrc;
    text.replace(text.find(from), from.size(), to);
    return error_of([&] { (void)trc(text); });
  };
  EXPECT_NE(with("1.5", "1,5").find("t.trc:8: cell 3 (marker 'A') is '1,5', not a number"), std::string::npos)
      << with("1.5", "1,5");
  EXPECT_NE(with("0.08", "0.07").find("t.trc:9: the time does not increase"), std::string::npos);
  EXPECT_NE(with("\tmm\t", "\tfeet\t").find("t.trc:3: Units are 'feet'"), std::string::npos);
  EXPECT_NE(with("4\t5\t6\t\n", "4\t5\t6\t7\n").find("t.trc:7: 9 cells"), std::string::npos);
  EXPECT_NE(error_of([] { (void)trc("time,x\n"); }).find("begins with PathFileType"), std::string::npos);
}

// ---- csv --------------------------------------------------------------------------------------------------

// Rows may end before the last markers: 9 bytes a row must not become 9000 markers each.
TEST(Trc, RefusesRowsOfFewCellsForManyMarkers) {
  std::string names = "Frame#\tTime", rows;
  for (int i = 0; i < 9000; ++i) names += "\tM" + std::to_string(i) + "\t\t";
  for (int k = 0; k < 1000; ++k) rows += std::to_string(k) + "\t" + std::to_string(k) + "e-2\t1\t2\t3\n";
  std::string text = kSmallTrc.substr(0, kSmallTrc.find("Frame#"));
  text += names + "\n\n" + rows;
  EXPECT_NE(error_of([&] { (void)trc(text); }).find("missing in most frames"), std::string::npos);
}

TEST(Trc, RefusesAHeaderThatIsNoMotion) {
  std::string names = "Frame#\tTime", columns = "time_s";
  for (int i = 0; i < 10'001; ++i) {
    names += "\tM" + std::to_string(i) + "\t\t";
    columns += ",m" + std::to_string(i) + "_x_m";
  }
  std::string text = kSmallTrc.substr(0, kSmallTrc.find("Frame#"));
  text += names + "\n\n1\t0.1\n";
  EXPECT_NE(error_of([&] { (void)trc(text); }).find("more than 10000"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)csv(columns + "\n"); }).find("more than 10000"), std::string::npos);
}

TEST(KeypointCsv, ReadsUnitsEulerAnglesAndQuaternions) {
  const KeypointClip clip = csv(kSmallCsv);
  EXPECT_EQ(clip.names, (std::vector<std::string>{"hand", "head"}));
  EXPECT_EQ(clip.rate_hz, 80.0);
  EXPECT_LT((clip.position(0, 0) - Vector3d(1, 0, 0)).norm(), 1e-15);
  EXPECT_TRUE(std::isnan(clip.position(1, 0).x())) << "two coordinates are no point";
  // 90 deg about z
  EXPECT_LT((clip.orientation(0, 0) - Eigen::Vector4d(std::sqrt(0.5), 0, 0, std::sqrt(0.5))).norm(), 1e-12);
  EXPECT_LT((clip.orientation(0, 1) - Eigen::Vector4d(1, 0, 0, 0)).norm(), 1e-15);
  EXPECT_TRUE(std::isnan(clip.orientation(1, 1)[0]));
}

TEST(KeypointCsv, NamesWrongColumns) {
  const auto header = [](const std::string& columns) {
    return error_of([&] { (void)csv("time_s," + columns + "\n0\n"); });
  };
  EXPECT_NE(header("hand_x_m,hand_y_m").find("'hand' has only 2 of its 3 columns of position"),
            std::string::npos);
  EXPECT_NE(header("hand_x_feet").find("t.csv:1: column 2 is 'hand_x_feet'; expected"), std::string::npos);
  EXPECT_NE(header("hand_zyx_z_deg,hand_xyz_y_deg,hand_zyx_x_deg").find("two different orders"),
            std::string::npos);
  EXPECT_NE(header("hand_x_m,hand_x_mm").find("column 3 repeats column 2"), std::string::npos);
  EXPECT_NE(error_of([] { (void)csv("x,hand_x_m\n"); }).find("must be time_s or time_ms"), std::string::npos);
  EXPECT_NE(error_of([] {
              (void)csv("time_s,a_qw,a_qx,a_qy,a_qz\n0,1,1,0,0\n");
            }).find("t.csv:2: the quaternion of 'a' has length 1.414"),
            std::string::npos);
}

TEST(KeypointCsv, IsToldApartFromTablesOfJointAngles) {
  EXPECT_TRUE(is_keypoint_csv(kSmallCsv));
  EXPECT_TRUE(is_keypoint_csv("time_ms,nose_x_cm,nose_y_cm,nose_z_cm\n"));
  EXPECT_FALSE(
      is_keypoint_csv("time_s,base_x_m,base_y_m,base_z_m,base_qw,base_qx,base_qy,base_qz,jL5S1_rotx_rad\n"));
  EXPECT_FALSE(is_keypoint_csv("time_s,L5S1_x_deg,L5S1_y_deg,L5S1_z_deg\n"));
  EXPECT_FALSE(is_keypoint_csv(""));
}

// ---- writers ----------------------------------------------------------------------------------------------

class SampleFiles : public panto::test::TableTest {
 protected:
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> names{"Pelvis", "Head", "Straße"};
    return names;
  }
  // random poses; some quantities missing
  static std::vector<SegmentSample> samples() {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<SegmentSample> result;
    for (int k = 0; k < 20; ++k) {
      SegmentSample& sample = result.emplace_back();
      sample.t = frame_time(k, 60.0);
      for (std::size_t i = 0; i < names().size(); ++i) {
        SegmentMotion& segment = sample.segments.emplace_back();
        segment.R_WS = so3::exp(Vector3d(normal(random), normal(random), normal(random)));
        segment.p_WS = Vector3d(normal(random), normal(random), normal(random));
        segment.has_orientation = (k + static_cast<int>(i)) % 5 != 0;
        segment.has_position = (k + static_cast<int>(i)) % 7 != 0;
      }
    }
    return result;
  }
  std::string write(const std::string& name) const {
    const auto file = create_sample_file(path(name), names(), {60.0});
    for (const SegmentSample& sample : samples()) EXPECT_EQ(file->write(sample), WriteStatus::Written);
    EXPECT_EQ(file->write(samples().back()), WriteStatus::Dropped) << "not later";
    EXPECT_FALSE(std::filesystem::exists(path(name)));
    file->close();
    return path(name);
  }
};

TEST_F(SampleFiles, NpzAndCsvKeepEveryDigit) {
  const auto written = samples();
  for (const KeypointClip& clip : {read_npz(write("a.npz")), read_keypoint_csv(write("a.csv"))}) {
    ASSERT_EQ(clip.frames(), 20);
    EXPECT_EQ(clip.names, names());
    EXPECT_EQ(clip.unit, 1.0);
    EXPECT_EQ(clip.up, "z");
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(clip.times[at(k)], written[at(k)].t);
      for (int j = 0; j < 3; ++j) {
        const SegmentMotion& segment = written[at(k)].segments[at(j)];
        EXPECT_EQ(clip.position(k, j).allFinite(), segment.has_position);
        if (segment.has_position) {
          EXPECT_EQ(clip.position(k, j), segment.p_WS);
        }
        EXPECT_EQ(clip.orientation(k, j).allFinite(), segment.has_orientation);
        if (segment.has_orientation) {
          EXPECT_EQ(clip.orientation(k, j), so3::to_quaternion_wxyz(segment.R_WS));
        }
      }
    }
  }
}

TEST_F(SampleFiles, TrcKeepsEveryDigitInMillimetresWithYUp) {
  const KeypointClip clip = read_trc(write("a.trc"));
  const auto written = samples();
  EXPECT_EQ(clip.names, names());
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(clip.times[at(k)], written[at(k)].t);
    for (int j = 0; j < 3; ++j) {
      const SegmentMotion& segment = written[at(k)].segments[at(j)];
      const Vector3d p = 1e3 * Vector3d(segment.p_WS.x(), segment.p_WS.z(), -segment.p_WS.y());
      EXPECT_EQ(clip.position(k, j).allFinite(), segment.has_position);
      if (segment.has_position) {
        EXPECT_EQ(clip.position(k, j), p);
      }
    }
  }
}

TEST_F(SampleFiles, OrientationTablesAreOpenSims) {
  const OpenSimTable table = read_opensim_table(write("a.sto"));
  EXPECT_EQ(table.labels, names());
  EXPECT_EQ(table.data_type, "Quaternion");
  EXPECT_EQ(table.version, 3);
  EXPECT_EQ(table.data_rate_hz, 60.0);
  EXPECT_EQ(table.rows(), 20U);
}

TEST_F(SampleFiles, AreRefusedWhereTheFormatCannotHoldThem) {
  EXPECT_NE(
      error_of([&] { (void)create_sample_file(path("a.mp4"), names(), {60.0}); }).find("extension '.mp4'"),
      std::string::npos);
  EXPECT_NE(error_of([&] { (void)create_sample_file(path("a.trc"), names(), {0.0}); }).find("rate above 0"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)create_sample_file(path("a.csv"), {"a,b"}, {60.0}); }).find("'a,b'"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)create_sample_file(path("a.sto"), {"a b"}, {60.0}); }).find("'a b'"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path("x")).parent_path()));
}

// ---- npz --------------------------------------------------------------------------------------------------

TEST_F(SampleFiles, AnNpzThatIsDamagedIsRefusedOrStillHoldsTogether) {
  const std::string bytes = panto::test::slurp(write("a.npz"));
  const auto check = [](std::string_view damaged) {
    const KeypointClip clip = read_npz(damaged, "d.npz");
    const auto frames = static_cast<std::size_t>(clip.frames()), points = clip.names.size();
    ASSERT_EQ(clip.positions.size(), 3 * frames * points);
    ASSERT_TRUE(clip.orientations.empty() || clip.orientations.size() == 4 * frames * points);
  };
  const auto cut = panto::test::try_truncations(bytes, 200, check);
  EXPECT_GT(cut.refused, 100);
  const auto count = panto::test::try_corruptions(bytes, 11, check);
  EXPECT_GT(count.refused, 100);
}

TEST(Npz, SaysWhatIsMissing) {
  EXPECT_NE(error_of([] { (void)read_npz("PK nonsense", "n.npz"); }).find("n.npz: not a zip archive"),
            std::string::npos);
}

// ---- recordings -------------------------------------------------------------------------------------------

TEST(OrientationSto, OpensEveryTableOfSensorsAndSaysWhyItCannotBeTracked) {
  for (const char* name : kSensorTables) {
    PANTO_NEED_DATA(name);
    const auto file = open_recording(panto::test::data_file(name));
    EXPECT_EQ(file->info().format, "opensim orientations (sensors)") << name;
    EXPECT_NE(file->info().untrackable.find("orientations of sensors"), std::string::npos) << name;
    EXPECT_NE(file->info().untrackable.find("their mounting on the body is unknown"), std::string::npos)
        << name;
    EXPECT_TRUE(file->info().attachments.attachments.empty());
    EXPECT_NEAR(file->info().rate_hz, 100.0, 1e-6);
    EXPECT_GE(file->names().size(), 7U);
    SegmentSample sample;
    std::int64_t frames = 0;
    ReadStatus status;
    while ((status = file->read(sample)) == ReadStatus::Sample) ++frames;
    EXPECT_EQ(status, ReadStatus::EndOfMotion) << file->problem();
    EXPECT_EQ(frames, file->info().frames);
    EXPECT_TRUE(so3::is_rotation(sample.segments[0].R_WS, 1e-9));
  }
}

class Recordings : public panto::test::TableTest {};

TEST_F(Recordings, OrientationsOfOpenSimsBodiesAreAttachedAndTurnedToZUp) {
  // the right arm hangs in OpenSim's zero pose; the body has turned 90 deg to its left (about Y)
  const std::string path =
      put("bodies.sto",
          "DataRate=100\nDataType=Quaternion\nversion=3\nendheader\ntime\tpelvis\tfemur_r\thumerus_r\n"
          "0\t0.7071067811865476,0,0.7071067811865476,0\t1,0,0,0\t1,0,0,0\n"
          "0.01\t0.7071067811865476,0,0.7071067811865476,0\tnan,nan,nan,nan\t1,0,0,0\n");
  const auto file = open_recording(path);
  EXPECT_EQ(file->info().untrackable, "");
  ASSERT_EQ(file->info().attachments.attachments.size(), 3U);
  EXPECT_EQ(file->info().attachments.attachments[2].link, "RightUpperArm");
  EXPECT_FALSE(file->info().attachments.attachments[2].R_SF.isIdentity(0.1));
  SegmentSample sample;
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_LT(so3::distance(sample.segments[0].R_WS, so3::about_axis(2, std::numbers::pi / 2)), 1e-9);
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_FALSE(sample.segments[1].has_orientation);
}

TEST_F(Recordings, ForearmsAndHandsOfOpenSimsBodiesHavePalmsAhead) {
  const auto file = open_recording(
      put("arms.sto",
          "DataType=Quaternion\nendheader\ntime\tpelvis\thumerus_r\tradius_r\thand_l\n"
          "0\t1,0,0,0\t1,0,0,0\t1,0,0,0\t1,0,0,0\n0.01\t1,0,0,0\t1,0,0,0\t1,0,0,0\t1,0,0,0\n"));
  const auto& all = file->info().attachments.attachments;
  ASSERT_EQ(all.size(), 4U);
  // our palms look down in the T-pose: F's -z is where the palm looks; arms hang along -z of the world
  EXPECT_LT((all[1].R_SF * -Vector3d::UnitZ() - Vector3d::UnitY()).norm(), 1e-12)
      << "the upper arm: to the body";
  EXPECT_LT((all[2].R_SF * -Vector3d::UnitZ() - Vector3d::UnitX()).norm(), 1e-12) << "the right palm: ahead";
  EXPECT_LT((all[3].R_SF * -Vector3d::UnitZ() - Vector3d::UnitX()).norm(), 1e-12) << "the left palm, too";
  EXPECT_LT((all[2].R_SF * -Vector3d::UnitY() + Vector3d::UnitZ()).norm(), 1e-12) << "the right arm hangs";
}

TEST_F(Recordings, PointsThatAreNoBodyOpenButAreNotTrackable) {
  const auto file = open_recording(put("t.trc", kSmallTrc));
  EXPECT_EQ(file->names(), (std::vector<std::string>{"A", "B"}));
  EXPECT_NE(file->info().untrackable.find("show no upper and lower body"), std::string::npos)
      << file->info().untrackable;
  SegmentSample sample;
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_LT((sample.segments[0].p_WS - Vector3d(0.001, -0.003, 0.002)).norm(), 1e-15)
      << "y up, x forward, metres";
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_FALSE(sample.segments[1].has_position);
}

TEST_F(Recordings, JointAnglesOfOtherModelsAreRefused) {
  EXPECT_NE(error_of([&] {
              (void)open_recording(
                  put("a.mot", "Coordinates\nversion=1\ninDegrees=yes\nendheader\ntime\thip\n0\t1\n"));
            }).find("none of the 48 joints of human48"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              (void)open_recording(put("b.csv", "time_s,L5S1_x_deg\n0,1\n"));
            }).find("expected points (<name>_x_m"),
            std::string::npos);
}

TEST_F(Recordings, JointAnglesGrowWithTheHeightThatIsAskedFor) {
  const Model model = human48();
  const auto out = create_state_file(path("a.csv"), model, {60.0});
  ASSERT_EQ(out->write(rest_state(model)), WriteStatus::Written);
  out->close();
  RecordingHints tall;
  tall.height = 2.0;
  SegmentSample average, large;
  const auto a = open_recording(path("a.csv")), b = open_recording(path("a.csv"), tall);
  ASSERT_EQ(a->read(average), ReadStatus::Sample);
  ASSERT_EQ(b->read(large), ReadStatus::Sample);
  EXPECT_NEAR(large.segments[Head].p_WS.z() / average.segments[Head].p_WS.z(), 2.0 / 1.75, 1e-9);
  ASSERT_FALSE(a->info().notes.empty());
  EXPECT_NE(a->info().notes.back().find("1.75 m"), std::string::npos);
}

// ---- what hostile files taught
// ---------------------------------------------------------------------------------

KeypointClip standing_person(int frames) {
  KeypointClip clip;
  clip.name = "p";
  clip.unit = 1.0;
  clip.names = human_segment_names();
  const SubjectDimensions subject = scaled_subject(1.75);
  std::array<Vector3d, kHumanSegmentCount> p;
  for (int k = 0; k < frames; ++k) {
    clip.times.push_back(frame_time(k, 60.0));
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const int parent = kHumanSegmentParent[at(i)];
      p[at(i)] = parent < 0 ? Vector3d(0.01 * k, 0, 1) : Vector3d(p[at(parent)] + subject.origin[at(i)]);
      clip.positions.insert(clip.positions.end(), p[at(i)].begin(), p[at(i)].end());
    }
  }
  return clip;
}

double* position_of(KeypointClip& clip, int frame, int point) {
  return clip.positions.data() + 3 * (at(frame) * clip.names.size() + at(point));
}

bool has_note(const Recording& file, const std::string& part) {
  const auto& notes = file.info().notes;
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST_F(Recordings, ALostFirstFrameTakesNoLimbAway) {
  KeypointClip clip = standing_person(30);
  std::fill_n(position_of(clip, 0, 0), 3 * clip.points(), 0.0);
  const auto file = open_keypoints(clip, "npz");
  EXPECT_TRUE(has_note(*file, "23 positions of zero in all coordinates taken as not visible"));
  SegmentSample sample;
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_TRUE(sample.segments[RightUpperLeg].has_orientation);  // up to 0.1 s at an end, the paths reach on
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  for (const int i : {int{RightUpperLeg}, int{LeftForeArm}, int{Pelvis}})
    EXPECT_TRUE(sample.segments[at(i)].has_orientation) << kHumanSegmentNames[at(i)];
}

TEST_F(Recordings, APositionAtTheOriginOfItsOwnAxesStays) {
  // relative to the pelvis, as detectors give it
  KeypointClip clip = standing_person(10);
  for (int k = 0; k < 10; ++k) {
    const Vector3d root = clip.position(k, 0);
    for (int j = 0; j < clip.points(); ++j) {
      for (int i = 0; i < 3; ++i) position_of(clip, k, j)[i] -= root[i];
    }
  }
  // the chain from pelvis to hips has no other zeros
  const auto file = open_keypoints(clip, "npz");
  SegmentSample sample;
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_TRUE(sample.segments[Pelvis].has_position);
}

TEST_F(Recordings, APositionBeyondTheWorldIsNotSeenAndIsNamed) {
  KeypointClip clip = standing_person(30);
  position_of(clip, 11, RightHand)[1] = 1e30;
  const auto file = open_keypoints(clip, "trc");
  EXPECT_EQ(file->info().untrackable, "");
  EXPECT_TRUE(has_note(*file, "1 position beyond 1000 km (first of 'RightHand' in frame 12)"));
}

TEST_F(Recordings, PointsThatAreNeverSeenSayThatAndNotThatNamesAreWrong) {
  KeypointClip clip = standing_person(5);
  std::fill(clip.positions.begin(), clip.positions.end(), 0.0);
  EXPECT_NE(open_keypoints(clip, "npz")->info().untrackable.find("none of the 23 points is visible"),
            std::string::npos);
}

TEST_F(Recordings, NoiseIsNotTakenForAPerson) {
  KeypointClip clip = standing_person(100);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (double& x : clip.positions) x = 0.15 * normal(random);  // distances of a limb's bones
  EXPECT_NE(open_keypoints(clip, "npz")->info().untrackable.find("the lengths of arms and legs vary"),
            std::string::npos);
  // and a person that a camera sees within 3 cm still is one
  clip = standing_person(100);
  for (double& x : clip.positions) x += 0.03 * normal(random);
  EXPECT_EQ(open_keypoints(clip, "npz")->info().untrackable, "");
}

TEST_F(Recordings, HintsOfASkeletonsMapDoNotChangePoints) {
  RecordingHints options;
  options.rig.unit = 0.01;
  options.rig.up = "y";
  SegmentSample plain, mapped;
  ASSERT_EQ(open_keypoints(standing_person(5), "npz")->read(plain), ReadStatus::Sample);
  ASSERT_EQ(open_keypoints(standing_person(5), "npz", options)->read(mapped), ReadStatus::Sample);
  EXPECT_EQ(plain.segments[Head].p_WS, mapped.segments[Head].p_WS);
}

TEST_F(Recordings, PointsThatAreNoBodyKeepTheAxisThatTheFileStates) {
  const auto file = open_recording(put("a.csv", "# up = y\ntime_s,A_x_m,A_y_m,A_z_m\n0,1,2,3\n0.1,1,2,3\n"));
  ASSERT_NE(file->info().untrackable, "");
  SegmentSample sample;
  ASSERT_EQ(file->read(sample), ReadStatus::Sample);
  EXPECT_EQ(sample.segments[0].p_WS, Vector3d(3, 1, 2)) << "z, x, y of the file";
  EXPECT_TRUE(has_note(*open_recording(put("b.csv", "time_s,A_x_m,A_y_m,A_z_m\n0,1,2,3\n0.1,1,2,3\n")),
                       "the up axis is unknown"));
}

TEST_F(Recordings, OurOwnOrientationsAreReadWithTheAxesThatTheirHeaderStates) {
  // lying on the back for the whole clip: no pelvis stands upright in it
  const Eigen::Matrix3d lying = so3::about_axis(1, -std::numbers::pi / 2);
  const auto out = create_sample_file(path("a.sto"), {"Pelvis", "T8"}, {60.0});
  for (int k = 0; k < 5; ++k) {
    SegmentSample sample;
    sample.t = frame_time(k, 60.0);
    sample.segments.assign(2, {});
    for (SegmentMotion& segment : sample.segments) {
      // turned so that a guess takes z for the vertical
      segment.R_WS = so3::about_axis(0, std::numbers::pi / 2) * lying;
      segment.has_orientation = true;
    }
    ASSERT_EQ(out->write(sample), WriteStatus::Written);
  }
  out->close();
  SegmentSample sample;
  ASSERT_EQ(open_recording(path("a.sto"))->read(sample), ReadStatus::Sample);
  EXPECT_LT(so3::distance(sample.segments[0].R_WS, so3::about_axis(0, std::numbers::pi / 2) * lying), 1e-9);
  // the same without a pelvis: what a file states needs no guess
  const auto turn = create_sample_file(path("b.sto"), {"Head"}, {60.0});
  ASSERT_EQ(turn->write({0, {sample.segments[0]}}), WriteStatus::Written);
  turn->close();
  EXPECT_FALSE(has_note(*open_recording(path("b.sto")), "assumed to be the identity"));
}

TEST_F(Recordings, TablesOfOrientationsNameTheLabelThatIsNoSegment) {
  const auto file =
      open_recording(put("a.sto",
                         "DataRate=100\nDataType=Quaternion\nversion=3\nendheader\ntime\tPelvis\tT8\tElbow\n"
                         "0\t1,0,0,0\t1,0,0,0\t1,0,0,0\n"));
  EXPECT_NE(file->info().untrackable.find("'Elbow' and others"), std::string::npos)
      << file->info().untrackable;
}

TEST_F(Recordings, TablesOfAnglesNameTheJointThatIsMissingOfTheModelThatFits) {
  const Model model = human66();
  const auto out = create_state_file(path("a.mot"), model, {60.0});
  ASSERT_EQ(out->write(rest_state(model)), WriteStatus::Written);
  out->close();
  std::string text = panto::test::slurp(path("a.mot"));
  const std::size_t label = text.find("jRightKnee_rotz");
  ASSERT_NE(label, std::string::npos);
  text.replace(label, 15, "jRightKnee_rotq");
  const std::string message = error_of([&] { (void)open_recording(put("b.mot", text)); });
  EXPECT_NE(message.find("only 65 of the 66 joints of human66 are columns ('jRightKnee_rotz' is not)"),
            std::string::npos)
      << message;
}

TEST_F(Recordings, TablesThatWereCutGiveTheRowsBeforeAndSaySo) {
  const Model model = human48();
  for (const char* name : {"a.mot", "a.csv"}) {
    const auto out = create_state_file(path(name), model, {60.0});
    State state = rest_state(model);
    for (int k = 0; k < 5; ++k) {
      state.t = frame_time(k, 60.0);
      ASSERT_EQ(out->write(state), WriteStatus::Written);
    }
    out->close();
    const std::string text = panto::test::slurp(path(name));
    const auto file = open_recording(put(name, text.substr(0, text.size() - 40)));
    EXPECT_EQ(file->info().frames, 4) << name;
    EXPECT_TRUE(has_note(*file, "the last line is truncated and left out")) << name;
    if (name == std::string("a.mot")) {
      EXPECT_TRUE(has_note(*file, "the header says nRows=5, but there are 4 rows"));
    }
  }
}

TEST_F(Recordings, TextThatIsNoTableOfOursSaysWhatItIs) {
  const auto refusal = [&](const std::string& name, const std::string& text) {
    return error_of([&] { (void)open_recording(put(name, text)); });
  };
  EXPECT_NE(refusal("a.csv", "time_s;A_x_m;A_y_m;A_z_m\n0;1;2;3\n").find("separated by semicolons"),
            std::string::npos);
  EXPECT_NE(refusal("b.csv", "time_s,A_x_m,A_y_m,A_z_m\n0,0,1,5,2,5,3,5\n").find("decimal point"),
            std::string::npos);
  EXPECT_NE(refusal("c.csv", std::string("\xff\xfet\0i\0m\0", 8)).find("c.csv:1: this is UTF-16"),
            std::string::npos);
  EXPECT_NE(
      refusal("d.trc", "PathFileType\t4\rDataRate\r").find("d.trc:1: the lines end with carriage returns"),
      std::string::npos);
  EXPECT_NE(refusal("e.mot", "").find("e.mot:1:"), std::string::npos) << "a line that exists";
}

// ---- damage -----------------------------------------------------------------------------------------------

// whatever opens is read to its end, and what it yields is finite
void read_through(Recording& file) {
  SegmentSample sample;
  ReadStatus status;
  while ((status = file.read(sample)) == ReadStatus::Sample) {
    ASSERT_EQ(sample.segments.size(), file.names().size());
    for (const SegmentMotion& segment : sample.segments) {
      ASSERT_TRUE(segment.R_WS.allFinite() && segment.p_WS.allFinite());
      if (segment.has_orientation) {
        ASSERT_TRUE(so3::is_rotation(segment.R_WS, 1e-6));
      }
    }
  }
  if (status == ReadStatus::Malformed) {
    ASSERT_NE(file.problem(), "");
    throw FormatError(file.problem());
  }
}

TEST_F(Recordings, EveryTruncationOfTheMarkersIsAnErrorOrARecoveredPart) {
  PANTO_NEED_DATA(kMarkers);
  // a few frames hold all there is to the grammar; opening is the slow part
  const std::string text = panto::test::slurp(panto::test::data_file(kMarkers)).substr(0, 12000);
  const auto read = [](std::string_view damaged) { read_through(*open_keypoints(trc(damaged), "trc")); };
  auto count = panto::test::try_truncations(text, 400, read);
  EXPECT_GT(count.refused, 100);
  EXPECT_GT(count.recovered, 10);
  count = panto::test::try_corruptions(text, 21, read, 0.5);
  EXPECT_GT(count.refused, 10);
  EXPECT_GT(count.recovered, 10);
}

TEST_F(Recordings, DamagedTablesAreErrorsOrRecoveredParts) {
  std::string points = "time_s";
  for (const std::string& name : human_segment_names())
    points += "," + name + "_x_m," + name + "_y_m," + name + "_z_m";
  points += "\n";
  const SubjectDimensions subject = scaled_subject(1.75);
  std::array<Vector3d, kHumanSegmentCount> p;
  for (int k = 0; k < 5; ++k) {
    points += std::to_string(0.01 * k);
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const int parent = kHumanSegmentParent[at(i)];
      p[at(i)] = parent < 0 ? Vector3d(0.01 * k, 0, 1) : Vector3d(p[at(parent)] + subject.origin[at(i)]);
      for (const double x : p[at(i)]) points += "," + std::to_string(x);
    }
    points += "\n";
  }
  const auto read_csv = [](std::string_view damaged) { read_through(*open_keypoints(csv(damaged), "csv")); };
  EXPECT_GT(panto::test::try_corruptions(points, 31, read_csv, 0.5).recovered, 0);
  EXPECT_GT(panto::test::try_truncations(points, 100, read_csv).refused, 10);
  EXPECT_GT(panto::test::try_corruptions(kSmallCsv, 32, [](std::string_view damaged) { (void)csv(damaged); })
                .refused,
            10);
  EXPECT_GT(panto::test::try_corruptions(kSmallTrc, 33, [](std::string_view damaged) { (void)trc(damaged); })
                .refused,
            10);
}

TEST_F(Recordings, DamagedTablesOfOrientationsAreErrorsOrRecoveredParts) {
  for (const char* name : {kSensorTables[0], kSensorTables[3], kSensorTables[4]}) {
    PANTO_NEED_DATA(name);
    const std::string text = panto::test::slurp(panto::test::data_file(name));
    const auto read = [&](std::string_view damaged) {
      read_through(*open_recording(put("d.sto", std::string(damaged))));
    };
    auto count = panto::test::try_truncations(text, 200, read);
    count += panto::test::try_corruptions(text, 41, read, 0.3);
    EXPECT_GT(count.refused, 10);
    EXPECT_GT(count.recovered, 1);
  }
}

}  // namespace
