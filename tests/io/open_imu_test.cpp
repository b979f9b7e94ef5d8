#include "panto/io/open_imu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <sstream>

#include "panto/io/imu_formats.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/so3.hpp"
#include "panto/recording/imu_recording.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

const std::string kHeader =
    "time_s,hand.gyro_x_rad_s,hand.gyro_y_rad_s,hand.gyro_z_rad_s,hand.acc_x_m_s2,hand.acc_y_m_s2,hand.acc_z_"
    "m_s2\n";

ImuClip csv(const std::string& text) {
  std::istringstream stream(text);
  return read_imu_csv(stream, "imu.csv");
}

ImuClip apdm(const std::string& text) {
  std::istringstream stream(text);
  return read_apdm_csv(stream, "apdm.csv");
}

ImuClip xsens(const std::string& text) {
  std::istringstream stream(text);
  return read_xsens_text(stream, "MT_012005D6_031-000_00B421AF.txt");
}

std::string refusal(const std::string& text) {
  return test::error_of([&] { (void)csv(text); });
}

TEST(ImuCsv, HoldsEveryReadingInSi) {
  const ImuClip clip = csv(
      "# a wrist\ntime_s,a.b.gyro_x_deg_s,a.b.gyro_y_deg_s,a.b.gyro_z_deg_s,c.acc_z_g,c.acc_x_g,c.acc_y_g,"
      "c.mag_x_G,c.mag_y_G,c.mag_z_G\n0,180,0,-90,1,0,0.5,0.4,0,0\n0.01,0,0,0,1,0,0,0.4,0,0\n");
  ASSERT_EQ(clip.sensors, (std::vector<std::string>{"a.b", "c"}));
  EXPECT_EQ(clip.times, (std::vector<Time>{0, 10'000'000}));
  EXPECT_EQ(clip.rate_hz, 100.0);
  EXPECT_LT((clip.at(0, 0).gyro - Vector3d(test::kDegree * 180, 0.0, test::kDegree * -90)).norm(), 1e-15);
  EXPECT_EQ(clip.at(0, 1).acc, Vector3d(0.0, 0.5 * 9.80665, 9.80665)) << "columns come in any order";
  EXPECT_EQ(clip.at(0, 1).mag, Vector3d(40.0, 0.0, 0.0)) << "gauss are 100 microtesla";
  EXPECT_TRUE(clip.at(0, 0).has_gyro && !clip.at(0, 0).has_acc);
  EXPECT_TRUE(!clip.at(0, 1).has_gyro && clip.at(0, 1).has_acc && clip.at(0, 1).has_mag);
}

TEST(ImuCsv, AnEmptyCellIsAMissingReading) {
  const ImuClip clip = csv(kHeader + "0,1,2,3,4,5,6\n1,,2,3,4,5,6\n2,,,,,,\n3,1,2,3,4,5,6\n");
  EXPECT_TRUE(!clip.at(1, 0).has_gyro && clip.at(1, 0).has_acc) << "two of three axes are no rate";
  EXPECT_TRUE(!clip.at(2, 0).has_gyro && !clip.at(2, 0).has_acc);
  EXPECT_TRUE(clip.at(3, 0).has_gyro);
}

TEST(ImuCsv, NamesTheLineOfABadNumber) {
  EXPECT_NE(refusal(kHeader + "0,1,2,3,4,5,6\n1,1,2,x,4,5,6\n")
                .find("imu.csv:3: cell 4 ('hand.gyro_z_rad_s') is 'x'"),
            std::string::npos);
  EXPECT_NE(refusal(kHeader + "0,1,2,3,4,5,nan\n").find("imu.csv:2: cell 7"), std::string::npos);
  EXPECT_NE(refusal(kHeader + "0,1,2,3,4,5,nan\n").find("missing value empty"), std::string::npos);
  EXPECT_NE(refusal(kHeader + "0,1,2,3,4,5,-inf\n").find("imu.csv:2: cell 7"), std::string::npos);
  EXPECT_NE(refusal(kHeader + "0,1e308,2,3,4,5,6\n").find("more than any sensor"), std::string::npos);
}

TEST(ImuCsv, TimeMustIncrease) {
  EXPECT_NE(refusal(kHeader + "0,1,2,3,4,5,6\n0.02,1,2,3,4,5,6\n0.01,1,2,3,4,5,6\n")
                .find("imu.csv:4: the time does not increase"),
            std::string::npos);
  EXPECT_NE(refusal(kHeader + "0,1,2,3,4,5,6\n0,1,2,3,4,5,6\n").find("imu.csv:3: the time does not increase"),
            std::string::npos);
  EXPECT_NE(refusal(kHeader + "soon,1,2,3,4,5,6\n").find("imu.csv:2: the time 'soon'"), std::string::npos);
  EXPECT_NE(refusal(kHeader + ",1,2,3,4,5,6\n").find("imu.csv:2: "), std::string::npos);
}

TEST(ImuCsv, ALineThatIsCutIsNamedOrLeftOut) {
  const std::string whole = kHeader + "0,1,2,3,4,5,6\n0.01,1,2,3,4,5,6\n";
  EXPECT_NE(
      refusal(whole + "0.02,1,2,3").find("imu.csv:4: 4 cells instead of 7; the file seems to be truncated"),
      std::string::npos);
  const ImuClip clip = csv(whole + "0.02,1,2,3,4,5,60");
  EXPECT_EQ(clip.times.size(), 2u) << "60 may have been 600";
  ASSERT_EQ(clip.notes.size(), 1u);
  EXPECT_NE(clip.notes[0].find("left out"), std::string::npos);
}

TEST(ImuCsv, RefusesColumnsThatItDoesNotKnow) {
  EXPECT_NE(refusal("time_s,hand.gyro_x\n").find("imu.csv:1: column 2 is 'hand.gyro_x'; expected"),
            std::string::npos);
  EXPECT_NE(refusal("time_ms,hand.gyro_x_rad_s\n").find("the first column is 'time_ms'"), std::string::npos);
  EXPECT_NE(refusal("time_s,.gyro_x_rad_s\n").find("column 2"), std::string::npos)
      << "a sensor without a name";
  EXPECT_NE(refusal("time_s,a.gyro_x_rad_s,a.gyro_y_rad_s\n").find("has no column for its z axis"),
            std::string::npos);
  EXPECT_NE(refusal("time_s,a.acc_x_g,a.acc_x_m_s2\n").find("two columns for one axis"), std::string::npos);
  EXPECT_NE(refusal("time_s\n0\n").find("no column holds"), std::string::npos);
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal(kHeader).find("no rows"), std::string::npos);
}

class ImuFiles : public test::TableTest {};

// sensors of all kinds, with holes, seeded
ImuClip random_clip(int samples) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  ImuClip clip;
  clip.sensors = {"left hand", "x", "trunk.upper"};
  for (int k = 0; k < samples; ++k) {
    clip.times.push_back(frame_time(k, 120.0));
    for (int s = 0; s < 3; ++s) {
      ImuReading& reading = clip.readings.emplace_back();
      reading.has_gyro = random() % 8 != 0;
      reading.has_acc = random() % 8 != 0;
      reading.has_mag = s == 1;
      for (int axis = 0; axis < 3; ++axis) {
        if (reading.has_gyro) reading.gyro[axis] = normal(random);
        if (reading.has_acc) reading.acc[axis] = 10.0 * normal(random);
        if (reading.has_mag) reading.mag[axis] = normal(random);
      }
    }
  }
  return clip;
}

void expect_same(const ImuClip& a, const ImuClip& b) {
  ASSERT_EQ(a.sensors, b.sensors);
  ASSERT_EQ(a.times, b.times);
  ASSERT_EQ(a.readings.size(), b.readings.size());
  for (std::size_t i = 0; i < a.readings.size(); ++i) {
    EXPECT_EQ(a.readings[i].has_gyro, b.readings[i].has_gyro);
    EXPECT_EQ(a.readings[i].has_acc, b.readings[i].has_acc);
    EXPECT_EQ(a.readings[i].has_mag, b.readings[i].has_mag);
    EXPECT_EQ(a.readings[i].gyro, b.readings[i].gyro);
    EXPECT_EQ(a.readings[i].acc, b.readings[i].acc);
    EXPECT_EQ(a.readings[i].mag, b.readings[i].mag);
  }
}

TEST_F(ImuFiles, WhatIsWrittenReadsBackToTheBit) {
  const ImuClip clip = random_clip(50);
  write_imu_csv(path("imu.csv"), clip);
  ASSERT_EQ(recognise_imu(path("imu.csv")), ImuFormat::Csv);
  const auto read = std::make_unique<ImuRecording>(open_imu(path("imu.csv")));
  expect_same(read->clip(), clip);
  EXPECT_NEAR(read->clip().rate_hz, 120.0, 1e-9);
}

TEST_F(ImuFiles, ArraysAreTheSameRecording) {
  const ImuClip clip = random_clip(40);
  std::vector<double> gyro, acc, mag, times;
  const auto add = [](bool there, const Vector3d& v, std::vector<double>& list) {
    for (const double x : v) list.push_back(there ? x : std::nan(""));
  };
  for (const ImuReading& reading : clip.readings) {
    add(reading.has_gyro, reading.gyro, gyro);
    add(reading.has_acc, reading.acc, acc);
    add(reading.has_mag, reading.mag, mag);
  }
  for (const Time t : clip.times) times.push_back(to_seconds(t));
  const std::string bytes = pack_npz({{"gyro.npy", npy(gyro, "40, 3, 3")},
                                      {"acc.npy", npy(acc, "40, 3, 3")},
                                      {"mag.npy", npy(mag, "40, 3, 3")},
                                      {"times_s.npy", npy(times, "40,")},
                                      {"sensor_names.npy", npy(clip.sensors, "3,")}});
  (void)put("imu.npz", bytes);
  ASSERT_EQ(recognise_imu(path("imu.npz")), ImuFormat::Npz);
  expect_same(open_imu(path("imu.npz")), clip);
}

TEST(ImuNpz, RefusalsNameTheArray) {
  const std::vector<double> six(6, 1.0);
  const auto why = [&](std::vector<std::pair<std::string, std::string>> members) {
    return test::error_of([&] { (void)read_imu_npz(pack_npz(members), "a.npz"); });
  };
  EXPECT_NE(why({{"gyro.npy", npy(six, "2, 3")}}).find("add an array 'times_s' or 'rate_hz'"),
            std::string::npos);
  EXPECT_NE(why({{"gyro.npy", npy(six, "3, 2")}}).find("'gyro.npy': must be numbers of shape"),
            std::string::npos);
  EXPECT_NE(why({{"gyro.npy", npy(six, "1, 2, 3")}}).find("2 sensors have no names"), std::string::npos);
  EXPECT_NE(why({{"gyro.npy", npy(six, "2, 3")}, {"acc.npy", npy(std::vector<double>(3, 1.0), "1, 3")}})
                .find("'acc.npy': 1 sample "),
            std::string::npos);
  EXPECT_NE(why({{"gyro.npy", npy(six, "2, 3")}, {"times_s.npy", npy(std::vector<double>{0.1, 0.0}, "2,")}})
                .find("'times_s.npy': sample 1: the time does not increase"),
            std::string::npos);
  std::vector<double> holed = six;
  holed[4] = std::nan("");
  EXPECT_NE(why({{"gyro.npy", npy(holed, "2, 3")}, {"rate_hz.npy", npy(std::vector<double>{100.0}, "")}})
                .find("'gyro.npy': sample 1, sensor 'imu': not finite"),
            std::string::npos);
  EXPECT_NE(why({{"keypoints.npy", npy(six, "1, 2, 3")}}).find("no array gyro or acc"), std::string::npos);
}

const std::string kXsens =
    "// Start Time: Unknown\r\n// Update Rate: "
    "40.0Hz\r\nPacketCounter\tSampleTimeFine\tAcc_X\tAcc_Y\tAcc_Z\tGyr_X\tGyr_Y\tGyr_Z\t"
    "Mat[1][1]\r\n";

// a million names of an archive of 40 MB, each compared with all before it, would take an hour
TEST(ImuNpz, MoreThanAThousandSensorsAreRefusedBeforeTheyCostAnything) {
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back(std::to_string(i));
  const std::string archive =
      pack_npz({{"gyro.npy", npy(std::vector<float>(3 * names.size(), 1.0F), "1, 100000, 3")},
                {"names.npy", npy(names, "100000,")},
                {"rate_hz.npy", npy(std::vector<double>{100.0}, "")}});
  const std::clock_t start = std::clock();
  EXPECT_NE(test::error_of([&] { (void)read_imu_npz(archive, "a.npz"); }).find("more than 1000 sensors"),
            std::string::npos);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, test::sanitized() ? 10.0 : 1.0);
}

TEST(XsensText, PacketsTellTheTimeAcrossTheCountersWrapAndLosses) {
  const ImuClip clip = xsens(
      kXsens +
      "65534\t\t1\t2\t3\t4\t5\t6\t0.5\r\n65535\t\t\t\t\t4\t5\t6\t\r\n00002\t\t1\t2\t3\t4\t5\t6\t0.5\r\n");
  EXPECT_EQ(clip.sensors, std::vector<std::string>{"00B421AF"}) << "by the file's name";
  EXPECT_EQ(clip.times, (std::vector<Time>{0, 25'000'000, 100'000'000})) << "packets 0 and 1 were lost";
  EXPECT_EQ(clip.rate_hz, 40.0);
  EXPECT_EQ(clip.at(0, 0).acc, Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(clip.at(0, 0).gyro, Vector3d(4.0, 5.0, 6.0));
  EXPECT_FALSE(clip.at(1, 0).has_acc);
}

TEST(XsensText, RefusalsNameTheLine) {
  const auto why = [](const std::string& text) { return test::error_of([&] { (void)xsens(text); }); };
  EXPECT_NE(why(kXsens + "5\t\t1\t2\t3\t4\t5\t6\t\n4\t\t1\t2\t3\t4\t5\t6\t\n")
                .find(":5: the time does not increase: packet 4 after 5"),
            std::string::npos);
  EXPECT_NE(why(kXsens + "65536\t\t1\t2\t3\t4\t5\t6\t\n").find(":4: the packet counter is '65536'"),
            std::string::npos);
  EXPECT_NE(why(kXsens + "1\t\t1\t2\n").find(":4: 4 cells instead of 9"), std::string::npos);
  EXPECT_NE(why("PacketCounter\tAcc_X\n").find("neither a line `// Update Rate"), std::string::npos);
  EXPECT_NE(why("// Update Rate: fast\n").find(":1: the update rate is 'fast'"), std::string::npos);
  EXPECT_NE(why("// Update Rate: 40.0Hz\nPacketCounter\tMat[1][1]\n1\t1\n").find("no whole orientation"),
            std::string::npos);
}

const std::string kApdm =
    "Test Name:,t,,\nSample Rate:,50,Hz,\nTime,a/Angular Velocity/X,a/Angular Velocity/Y,a/Angular "
    "Velocity/Z,a/Orientation/X\n"
    "s,deg/s,deg/s,deg/s,\n";

TEST(ApdmCsv, UnitsAreThoseOfTheUnitsLine) {
  const ImuClip clip = apdm(kApdm + "0.5,180,0,0,9\n0.52,0,90,0,9\n");
  EXPECT_EQ(clip.sensors, std::vector<std::string>{"a"});
  EXPECT_EQ(clip.rate_hz, 50.0);
  EXPECT_EQ(clip.times.front(), 500'000'000);
  EXPECT_NEAR(clip.at(1, 0).gyro.y(), 90.0 * test::kDegree, 1e-15);
  std::string odd = kApdm;
  odd.replace(odd.find("deg/s"), 5, "rpm");
  EXPECT_NE(test::error_of([&] {
              (void)apdm(odd + "0,1,2,3,4\n");
            }).find("apdm.csv:4: the unit of 'a/Angular Velocity/X' is 'rpm'"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] {
              (void)apdm(kApdm + "0.5,180,0,0,9\n0.4,0,90,0,9\n");
            }).find("apdm.csv:6: the time"),
            std::string::npos);
}

TEST(ImuRobustness, EveryTruncationAndCorruptionIsReadOrRefused) {
  const ImuClip clip = random_clip(20);
  std::string text = kHeader;
  for (int k = 0; k < 20; ++k) text += std::to_string(k) + ",1,2,3,4,5,6\n";
  const auto parse = [](ImuClip (*read)(std::istream&, const std::string&)) {
    return [read](std::string_view damaged) {
      std::istringstream stream{std::string(damaged)};
      (void)read(stream, "x");
    };
  };
  std::string rows, packets;
  for (int k = 0; k < 20; ++k) {
    rows += std::to_string(k) + ",1,2,3,4\n";
    packets += std::to_string(k) + "\t\t1\t2\t3\t4\t5\t6\t\r\n";
  }
  const std::string archive = pack_npz({{"gyro.npy", npy(std::vector<double>(60, 1.0), "20, 3")},
                                        {"rate_hz.npy", npy(std::vector<double>{100.0}, "")}});
  const auto npz = [](std::string_view damaged) { (void)read_imu_npz(damaged, "x"); };
  const std::vector<std::pair<std::string, test::ParseText>> all{{text, parse(read_imu_csv)},
                                                                 {kApdm + rows, parse(read_apdm_csv)},
                                                                 {kXsens + packets, parse(read_xsens_text)},
                                                                 {archive, npz}};
  std::uint64_t seed = 1;
  for (const auto& [whole, read] : all) {
    test::CorruptionCount count = test::try_truncations(whole, 4096, read);
    count += test::try_corruptions(whole, ++seed, read, 0.5);
    EXPECT_EQ(count.broken, 0);
    EXPECT_GT(count.refused, 100) << "damage is noticed";
  }
}

TEST_F(ImuFiles, WhatIsNoRecordingOfSensorsIsSaid) {
  const std::string motion = put("q.csv", "time_s,base_x_m\n0,1\n");
  EXPECT_EQ(recognise_imu(motion), ImuFormat::None);
  EXPECT_NE(test::error_of([&] { (void)open_imu(motion); }).find("no raw sensors"), std::string::npos);
  EXPECT_EQ(recognise_imu(put("a.npz", pack_npz({{"names.npy", npy(std::vector<std::string>{"a"}, "1,")}}))),
            ImuFormat::None);
  EXPECT_EQ(recognise_imu(put("b.npz", "PK broken")), ImuFormat::None);
  EXPECT_NE(test::error_of([&] { (void)open_imu(path("absent.csv")); }), "");
  const auto refusal_of = [](const std::string& file) {
    return test::error_of([&] { (void)open_imu(file); });
  };
  EXPECT_NE(refusal_of(put("empty.csv", " \n")).find("the file is empty"), std::string::npos);
  EXPECT_NE(refusal_of(put("walk.bvh", "HIERARCHY\n")).find("is a BVH: a person's motion, not raw sensors"),
            std::string::npos);
  EXPECT_NE(
      refusal_of(put("take.c3d", std::string("\x02\x50") + std::string(513, '\0') + "\x54")).find("C3D"),
      std::string::npos);
}

TEST(ImuSto, ATimeColumnAloneIsRefused) {
  std::istringstream table("DataRate=100\nDataType=Quaternion\nversion=3\nendheader\ntime\n0\n0.01\n");
  EXPECT_NE(test::error_of([&] { (void)read_imu_sto(table, "a.sto"); }).find("expected one for every sensor"),
            std::string::npos);
}

TEST(ImuRecording, YieldsWhatItHoldsAndLeavesOutWhatIsMasked) {
  ImuRecording recording(random_clip(10));
  recording.mask({1, frame_time(2, 120.0), frame_time(4, 120.0), true, true, false});
  ImuSample sample;
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(recording.read(sample), ReadStatus::Sample);
      EXPECT_EQ(sample.t, frame_time(k, 120.0));
      ASSERT_EQ(sample.imus.size(), 3u);
      if (k < 2 || k > 4) continue;
      EXPECT_TRUE(!sample.imus[1].has_gyro && !sample.imus[1].has_acc && sample.imus[1].has_mag);
    }
    EXPECT_EQ(recording.read(sample), ReadStatus::EndOfMotion);
    recording.rewind();
  }
}

TEST(ImuRecording, RealExportsAreReadWhole) {
  PANTO_NEED_DATA("inertial/opensense/apdm/imuData01.csv");
  PANTO_NEED_DATA("inertial/opensense/xsens/MT_012005D6_031-000_00B421AF.txt");
  PANTO_NEED_DATA("inertial/vqf/imu_data.npz");
  const ImuClip opal = open_imu(test::data_file("inertial/opensense/apdm/imuData01.csv"));
  EXPECT_EQ(opal.sensors, (std::vector<std::string>{"Static", "Upper", "Middle", "Lower"}));
  EXPECT_EQ(opal.times.size(), 1024u) << "the file has 1028 lines, 4 of them its head";
  EXPECT_EQ(opal.rate_hz, 128.0);
  EXPECT_EQ(opal.at(0, 3).acc, Vector3d(0.318613237, 9.729300499, -0.576189417)) << "as it stands there";

  const ImuClip mt = open_imu(test::data_file("inertial/opensense/xsens/MT_012005D6_031-000_00B421AF.txt"));
  EXPECT_EQ(mt.sensors, std::vector<std::string>{"00B421AF"});
  EXPECT_EQ(mt.times.size(), 3369u);
  EXPECT_EQ(mt.at(0, 0).acc, Vector3d(3.030769, 5.254238, -7.714005));
  EXPECT_EQ(mt.at(0, 0).gyro, Vector3d(0.005991, -0.032133, 0.022713));
  EXPECT_TRUE(mt.at(0, 0).has_mag);

  const ImuClip vqf = open_imu(test::data_file("inertial/vqf/imu_data.npz"));
  EXPECT_EQ(vqf.times.size(), 13500u);
  EXPECT_TRUE(vqf.at(0, 0).has_gyro && vqf.at(0, 0).has_acc && vqf.at(0, 0).has_mag);
}

TEST(ImuRecording, AFolderOfExportsIsOneRecording) {
  PANTO_NEED_DATA("inertial/opensense/example_lowerbody");
  const ImuClip clip = open_imu(test::data_file("inertial/opensense/example_lowerbody"));
  EXPECT_EQ(clip.sensors.size(), 8u) << "MTw sensors of a walk";
  EXPECT_EQ(clip.rate_hz, 100.0);
  EXPECT_EQ(clip.times.size(), 2505u) << "the longest of the files; all begin with packet 472";
  std::size_t missing = 0;
  for (const ImuReading& reading : clip.readings) missing += reading.has_acc ? 0 : 1;
  EXPECT_GT(missing, 0u) << "others end earlier";
  EXPECT_LT(static_cast<double>(missing) / static_cast<double>(clip.readings.size()), 0.03);
  EXPECT_NE(test::error_of([] {
              (void)open_imu(test::data_file("inertial/opensense/xsens"));
            }).find("update rate differs"),
            std::string::npos)
      << "a folder of two recordings";
  // matrices turn what was felt upright: the person stands at first
  for (std::size_t sensor = 0; sensor < clip.sensors.size(); ++sensor) {
    const ImuReading& reading = clip.at(0, sensor);
    ASSERT_TRUE(reading.has_orientation) << clip.sensors[sensor];
    const Vector3d felt = so3::from_quaternion_wxyz(reading.wxyz_GI) * reading.acc;
    EXPECT_LT((felt - Vector3d(0.0, 0.0, 9.81)).norm(), 0.3) << clip.sensors[sensor];
  }
}

}  // namespace
}  // namespace panto::io
