// Our own tables of raw sensors.

#include "panto/io/imu_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_sensor_table(Bytes bytes) {
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_imu_csv(stream, "damaged.csv"));
}

Seeds seeds_of_sensor_tables() {
  return {
      example("arm_imu.csv", 12), example("poses_imu.csv", 12),
      "time_s,a.gyro_x_deg_s,a.gyro_y_deg_s,a.gyro_z_deg_s,b.acc_x_g,b.acc_y_g,b.acc_z_g,b.mag_x_G,b.mag_y_G,"
      "b.mag_z_G\n0,1,2,3,0,0,1,0.4,0,0\n0.01,,,,0,0,1,,,\n0.02,1,2,3,0,0,1,0.4,0,0\n"};
}

const Registered sensor_table_target("imu_csv", check_sensor_table, seeds_of_sensor_tables);

}  // namespace
}  // namespace panto::fuzz
