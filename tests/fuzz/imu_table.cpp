// Tables of raw sensors of x-io, Movella, Shimmer, phones and whoever.

#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_header.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_foreign_table(Bytes bytes) {
  (void)io::find_imu_header(text_of(bytes).substr(0, 4096));
  (void)io::unread_sensors(text_of(bytes).substr(0, 4096));
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_imu_table(stream, "damaged.csv"));
}

Seeds seeds_of_foreign_tables() {
  const std::string xio =
      "Time (s),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s),Accelerometer X (g),"
      "Accelerometer Y (g),Accelerometer Z (g)\n0,180,0,0,0,0,1\n0.01,180,0,0,0,0,1\n0.02,0,90,0,0,0,1\n"
      "0.03,0,90,0,0,0,1\n0.04,0,90,0,0,0,1\n";
  const std::string movella =
      "sep=,\nDeviceTag:,dot1\nFirmwareVersion:,3.0.0\n\nPacketCounter,SampleTimeFine,Quat_W,Quat_X,Quat_Y,"
      "Quat_Z,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z\n1,1000000,1,0,0,0,0,0,9.8,90,0,0\n"
      "2,1016667,1,0,0,0,0,0,9.8,90,0,0\n3,1033333,1,0,0,0,0,0,9.8,90,0,0\n";
  const std::string shimmer =
      "\"sep=\t\"\nS_67_Timestamp_Unix_CAL\tS_67_Accel_LN_X_CAL\tS_67_Accel_LN_Y_CAL\tS_67_Accel_LN_Z_CAL\t"
      "S_67_Gyro_X_CAL\tS_67_Gyro_Y_CAL\tS_67_Gyro_Z_CAL\nms\tm/(s^2)\tm/(s^2)\tm/(s^2)\tdeg/s\tdeg/s\tdeg/"
      "s\n"
      "1600000000000\t0\t0\t9.8\t180\t0\t0\n1600000000010\t0\t0\t9.8\t180\t0\t0\n";
  const std::string phone =
      "loggingTime(s),gyroRotationX(rad/s),gyroRotationY(rad/s),gyroRotationZ(rad/s)\n0,1,0,0\n0.01,1,0,0\n"
      "0.02,0,1,0\n";
  const std::string comma =
      "Time;IMU Acceleration;;;IMU "
      "Gyroscope;;\ns;X;Y;Z;X;Y;Z\n0;9,75;0,1;0;0,5;0;0\n0.011;9,7;0,2;0;0,6;0;0\n";
  return {xio, movella, shimmer, phone, comma};
}

const Registered foreign_table_target("imu_table", check_foreign_table, seeds_of_foreign_tables);

}  // namespace
}  // namespace panto::fuzz
