// Raw sensors of any format, told from their bytes and name.

#include <array>

#include "panto/io/open_imu.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

constexpr std::array kSensorNames{"a.csv", "a.npz", "a.txt", "a.sto", "a.mvnx"};

void check_any_sensors(Bytes bytes) {
  Draws draws(bytes);
  const char* const name = kSensorNames.at(draws.below(kSensorNames.size()));
  check_clip(io::open_imu(std::string(text_of(draws.rest())), name));
}

Seeds seeds_of_any_sensors() {
  std::string table(1, '\0'), archive(1, '\1');
  table += example("arm_imu.csv", 12);
  archive += io::pack_npz({{"gyro.npy", io::npy(std::vector<double>(15, 1.0), "5, 3")},
                           {"rate_hz.npy", io::npy(std::vector<double>{100.0}, "")}});
  return {table, archive};
}

const Registered any_sensors_target("imu_any", check_any_sensors, seeds_of_any_sensors);

}  // namespace
}  // namespace panto::fuzz
