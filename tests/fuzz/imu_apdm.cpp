// Motion Studio's tables of Opal sensors.

#include "panto/io/imu_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_apdm(Bytes bytes) {
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_apdm_csv(stream, "damaged.csv"));
}

Seeds seeds_of_apdm() {
  return {
      "Test Name:,t,,\nSample Rate:,50,Hz,\nTime,a/Angular Velocity/X,a/Angular Velocity/Y,a/Angular "
      "Velocity/Z,a/Acceleration/X,a/Acceleration/Y,a/Acceleration/Z\ns,deg/s,deg/s,deg/s,m/s^2,m/s^2,m/s^2\n"
      "0.5,180,0,0,0,0,9.8\n0.52,0,90,0,0,0,9.8\n0.54,0,,,0,0,9.8\n"};
}

const Registered apdm_target("imu_apdm", check_apdm, seeds_of_apdm);

}  // namespace
}  // namespace panto::fuzz
