// Arrays of raw sensors, put together from members.

#include "panto/io/imu_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_sensor_archive(Bytes bytes) { check_clip(io::read_imu_npz(archive_of(bytes), "damaged.npz")); }

Seeds seeds_of_sensor_archives() {
  const std::vector<double> readings(5 * 2 * 3, 1.0);
  const std::string names = io::npy(std::vector<std::string>{"a", "b"}, "2,");
  return {members_in_a_row({{"gyro.npy", io::npy(std::vector<double>(15, 1.0), "5, 3")},
                            {"rate_hz.npy", io::npy(std::vector<double>{100.0}, "")}}),
          members_in_a_row({{"gyro.npy", io::npy(readings, "5, 2, 3")},
                            {"acc.npy", io::npy(readings, "5, 2, 3")},
                            {"mag.npy", io::npy(readings, "5, 2, 3")},
                            {"sensors.npy", names},
                            {"names.npy", names},
                            {"times_s.npy", io::npy(std::vector<double>{0.0, 0.1, 0.2, 0.3, 0.4}, "5,")}})};
}

const Registered sensor_archive_target("imu_npz", check_sensor_archive, seeds_of_sensor_archives);

}  // namespace
}  // namespace panto::fuzz
