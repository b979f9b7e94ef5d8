// Tables of raw sensors as other programs write them.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_header.hpp"
#include "panto/io/open_imu.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

ImuClip table(const std::string& text, const std::string& name = "wrist.csv") { return open_imu(text, name); }

std::string refusal(const std::string& text) {
  return test::error_of([&] { (void)table(text); });
}

const std::string kXio =
    "Time (s),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s),Accelerometer X (g),"
    "Accelerometer Y (g),Accelerometer Z (g)\n";

TEST(ImuForeign, ReadsXioWithItsUnitsAndLeavesRepeatedStampsOut) {
  const ImuClip clip = table(kXio +
                             "0,180,0,0,0,0,1\n0.01,180,0,0,0,0,1\n0.01,180,0,0,0,0,1\n0.02,0,90,0,0,0,1\n"
                             "0.03,0,90,0,0,0,1\n0.04,0,90,0,0,0,1\n");
  ASSERT_EQ(clip.sensors, std::vector<std::string>{"wrist"}) << "columns without a name: the file's";
  ASSERT_EQ(clip.times.size(), 5U);
  EXPECT_EQ(clip.rate_hz, 100.0);
  EXPECT_NEAR(clip.at(0, 0).gyro.x(), std::acos(-1.0), 1e-12);
  EXPECT_EQ(clip.at(0, 0).acc, Vector3d(0, 0, 9.80665));
  ASSERT_EQ(clip.notes.size(), 1U);
  EXPECT_EQ(clip.notes[0], "1 row of 6 left out: the time does not increase there");
}

TEST(ImuForeign, ReadsTwoRowsOfNamesAndNoReferenceForASensor) {
  const ImuClip clip = table(
      "Time;Vicon Orientation;;;;IMU Acceleration;;;IMU Gyroscope;;;IMU Magnetometer;;\n"
      "s;W;X;Y;Z;X;Y;Z;X;Y;Z;X;Y;Z\n"
      "0;1;0;0;0;9,75;0,1;0;0,5;0;0;-0,9;-0,4;0,3\n0.011;1;0;0;0;9,7;0,2;0;0,6;0;0;-0,9;-0,4;0,3\n");
  ASSERT_EQ(clip.sensors.size(), 1U);
  EXPECT_EQ(clip.at(0, 0).acc, Vector3d(9.75, 0.1, 0.0)) << "a decimal comma beside another separator";
  EXPECT_EQ(clip.at(1, 0).gyro.x(), 0.6);
  EXPECT_TRUE(clip.at(0, 0).has_mag);
  EXPECT_FALSE(clip.at(0, 0).has_orientation) << "Vicon's is no sensor";
}

TEST(ImuForeign, ReadsMovellaDotInMicrosecondsAndDegrees) {
  const ImuClip clip = table(
      "sep=,\nDeviceTag:,dot1\nFirmwareVersion:,3.0.0\n\n"
      "PacketCounter,SampleTimeFine,Quat_W,Quat_X,Quat_Y,Quat_Z,Acc_X,Acc_Y,Acc_Z,FreeAcc_X,FreeAcc_Y,"
      "FreeAcc_Z,"
      "Gyr_X,Gyr_Y,Gyr_Z\n"
      "1,1000000,1,0,0,0,0,0,9.8,0,0,0,90,0,0\n2,1016667,1,0,0,0,0,0,9.8,0,0,0,90,0,0\n"
      "3,1033333,1,0,0,0,0,0,9.8,0,0,0,90,0,0\n");
  ASSERT_EQ(clip.times.size(), 3U);
  EXPECT_NEAR(clip.rate_hz, 60.0, 1e-9);
  EXPECT_NEAR(clip.at(0, 0).gyro.x(), 0.5 * std::acos(-1.0), 1e-12);
  EXPECT_TRUE(clip.at(0, 0).has_orientation);
}

TEST(ImuForeign, ReadsShimmerByTheRowOfUnitsAndOneAccelerometerOfTwo) {
  const ImuClip clip = table(
      "\"sep=\t\"\n"
      "Shimmer_67_Timestamp_Unix_CAL\tShimmer_67_Accel_LN_X_CAL\tShimmer_67_Accel_LN_Y_CAL\tShimmer_67_Accel_"
      "LN_Z_CAL\t"
      "Shimmer_67_Accel_WR_X_CAL\tShimmer_67_Accel_WR_Y_CAL\tShimmer_67_Accel_WR_Z_CAL\tShimmer_67_Gyro_X_"
      "CAL\t"
      "Shimmer_67_Gyro_Y_CAL\tShimmer_67_Gyro_Z_CAL\n"
      "ms\tm/(s^2)\tm/(s^2)\tm/(s^2)\tm/(s^2)\tm/(s^2)\tm/(s^2)\tdeg/s\tdeg/s\tdeg/s\n"
      "1600000000000\t0\t0\t9.8\t1\t1\t1\t180\t0\t0\n1600000000010\t0\t0\t9.8\t1\t1\t1\t180\t0\t0\n");
  ASSERT_EQ(clip.sensors, std::vector<std::string>{"Shimmer_67"});
  EXPECT_EQ(clip.times[0], 0) << "a date begins at 0";
  EXPECT_NEAR(static_cast<double>(clip.times[1]), 1e7, 1e3);
  EXPECT_EQ(clip.at(0, 0).acc.z(), 9.8);
  EXPECT_NEAR(clip.at(0, 0).gyro.x(), std::acos(-1.0), 1e-12);
  ASSERT_EQ(clip.notes.size(), 1U);
  EXPECT_NE(clip.notes[0].find("left out: Shimmer_67_Accel_WR_X_CAL"), std::string::npos) << clip.notes[0];
}

TEST(ImuForeign, TellsUnitsThatTheHeaderLacksFromTheReadings) {
  // swings about x by 60 degrees at 0.5 Hz, in g and degrees per second, stamps in milliseconds
  std::string text = "timestamp,acc_x,acc_y,acc_z,gyr_x,gyr_y,gyr_z\n";
  const double pi = std::acos(-1.0);
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.01 * k, angle = pi / 3 * std::sin(pi * t), rate = pi / 3 * pi * std::cos(pi * t);
    std::ostringstream row;
    row << 10 * k << ",0," << std::sin(angle) << "," << std::cos(angle) << "," << rate * 180 / pi << ",0,0\n";
    text += row.str();
  }
  const ImuClip clip = table(text);
  EXPECT_EQ(clip.rate_hz, 100.0);
  EXPECT_NEAR(clip.at(0, 0).acc.norm(), 9.80665, 1e-6);
  EXPECT_NEAR(clip.at(0, 0).gyro.x(), pi / 3 * pi, 1e-4);
  EXPECT_EQ(clip.notes.size(), 3U) << "milliseconds, g, degrees per second";
}

TEST(ImuForeign, KnowsManyNamesAndNoForeignColumns) {
  const auto header = [](const std::string& line) { return find_imu_header(line + "\n0,0,0,0\n"); };
  for (const char* line :
       {"t,ax,ay,az", "time,imu1_ax,imu1_ay,imu1_az", "seconds,AccX,AccY,AccZ", "Time,Acc_X,Acc_Y,Acc_Z",
        "Timestamp (ms),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2)",
        "t,omega_x,omega_y,omega_z", "time_s,Angular velocity X,Angular velocity Y,Angular velocity Z",
        "loggingTime(s),gyroRotationX(rad/s),gyroRotationY(rad/s),gyroRotationZ(rad/s)"})
    EXPECT_TRUE(header(line)) << line;
  for (const char* line :
       {"time,hip_x,hip_y,hip_z", "time_s,Linear Acceleration x,Linear Acceleration y,Linear Acceleration z",
        "ax,ay,az,gx", "time,ax,ay,force", "time_s,base_qw,base_qx,base_qy,base_qz", "t,mx,my,mz"})
    EXPECT_FALSE(header(line)) << line;
}

TEST(ImuForeign, RefusesWhatItCannotRepair) {
  EXPECT_NE(refusal(kXio + "0,0,0,0,0,0,1\n0,0,0,0,0,0,1\n0,0,0,0,0,0,1\n")
                .find("does not increase in 2 of 3 rows"),
            std::string::npos);
  EXPECT_NE(
      refusal(kXio +
              "9,0,0,0,0,0,1\n0,0,0,0,0,0,1\n10,0,0,0,0,0,1\n9.5,0,0,0,0,0,1\n10.1,0,0,0,0,0,1\n"
              "10.2,0,0,0,0,0,1\n10.3,0,0,0,0,0,1\n10.4,0,0,0,0,0,1\n10.5,0,0,0,0,0,1\n10.6,0,0,0,0,0,1\n")
          .find("two recordings in one file?"),
      std::string::npos);
  EXPECT_NE(refusal(kXio).find("no rows"), std::string::npos);
  EXPECT_NE(refusal(kXio + "0,a,0,0,0,0,1\n")
                .find("wrist.csv:2: cell 2 ('Gyroscope X (deg/s)') is 'a', not a number"),
            std::string::npos)
      << refusal(kXio + "0,a,0,0,0,0,1\n");
}

TEST(ImuForeign, EveryDamageIsReadOrRefused) {
  const std::string text =
      kXio + "0,180,0,0,0,0,1\n0.01,nan,nan,nan,0,0,1\n0.02,0,90,0,0,0,1\n0.03,0,90,0,0,0,1\n";
  const test::ParseText parse = [](std::string_view damaged) {
    std::istringstream stream{std::string(damaged)};
    (void)read_imu_table(stream, "damaged.csv");
  };
  test::CorruptionCount count = test::try_truncations(text, text.size(), parse);
  std::mt19937_64 random(7);
  for (int round = 0; round < test::scaled(2000); ++round)
    test::try_damaged(test::corrupted(text, random), parse, "round " + std::to_string(round), count);
  EXPECT_GT(count.recovered, 50);
  EXPECT_GT(count.refused, 100);
}

TEST(ImuForeign, AFolderOfTablesIsOneRecordingOfSensorsNamedByTheirFiles) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("imu_tables_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "left.csv") << "t,ax,ay,az\n0,0,0,9.8\n0.01,1,0,9.8\n0.02,2,0,9.8\n";
  std::ofstream(folder / "right.csv") << "t,ax,ay,az\n0.0102,5,0,9.8\n0.0202,6,0,9.8\n";
  const ImuClip clip = open_imu(folder.string());
  std::filesystem::remove_all(folder);
  ASSERT_EQ(clip.sensors, (std::vector<std::string>{"left", "right"}));
  ASSERT_EQ(clip.times.size(), 3U);
  EXPECT_FALSE(clip.at(0, 1).has_acc) << "no stamp within half a step";
  EXPECT_EQ(clip.at(1, 1).acc.x(), 5.0);
  EXPECT_EQ(clip.at(2, 0).acc.x(), 2.0);
}

struct Real {
  const char* file;
  double rate;
  std::size_t sensors;
};
class RealTable : public testing::TestWithParam<Real> {};

TEST_P(RealTable, IsReadInSiWithoutAConversion) {
  PANTO_NEED_DATA(GetParam().file);
  const ImuClip clip = open_imu(test::data_file(GetParam().file));
  EXPECT_EQ(clip.sensors.size(), GetParam().sensors);
  EXPECT_NEAR(clip.rate_hz, GetParam().rate, 0.02 * GetParam().rate) << "of the usual steps, without gaps";
  std::vector<double> norms;
  double fastest = 0.0;
  for (const ImuReading& reading : clip.readings) {
    if (reading.has_acc) norms.push_back(reading.acc.norm());
    if (reading.has_gyro) fastest = std::max(fastest, reading.gyro.norm());
  }
  std::nth_element(norms.begin(), norms.begin() + std::ssize(norms) / 2, norms.end());
  EXPECT_NEAR(norms[norms.size() / 2], 9.81, 0.6) << "gravity is most of what a person's sensor feels";
  EXPECT_GT(fastest, 0.5);
  EXPECT_LT(fastest, 36.0) << "2000 degrees per second are the range of such sensors";
}
INSTANTIATE_TEST_SUITE_P(Files, RealTable,
                         testing::Values(Real{"inertial/xio_gait/short_walk.csv", 400.0, 1},
                                         Real{"inertial/xio_fusion/sensor_data.csv", 100.0, 1},
                                         Real{"inertial/broad/21_fast_combined_first60s.csv", 285.7, 1},
                                         Real{"inertial/repoimu", 93.8, 3},
                                         Real{"inertial/qmt_fullbody", 100.0, 16},
                                         Real{"cases/12_mt_manager_2020_00B40000.txt", 100.0, 1},
                                         Real{"cases/12_mt_manager_46_comma_00B40000.txt", 100.0, 1}),
                         [](const auto& of) {
                           std::string name = of.param.file;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace panto::io
