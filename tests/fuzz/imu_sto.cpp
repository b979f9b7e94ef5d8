// Orientations of sensors as OpenSense has them.

#include "panto/io/imu_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_sensor_sto(Bytes bytes) {
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_imu_sto(stream, "damaged.sto"));
}

Seeds seeds_of_sensor_sto() {
  return {
      "DataRate=100.000000\nDataType=Quaternion\nversion=3\nOpenSimVersion=4.1\nendheader\n"
      "time\tpelvis_imu\tfemur_r_imu\n0\t1,0,0,0\t0.6,0.8,0,0\n0.01\t1,0,0,0\t0.6,0,0.8,0\n"
      "0.02\t0.6,0,0,0.8\tNaN,NaN,NaN,NaN\n",
      person_file("a.sto", 3)};
}

const Registered sensor_sto_target("imu_sto", check_sensor_sto, seeds_of_sensor_sto);

}  // namespace
}  // namespace panto::fuzz
