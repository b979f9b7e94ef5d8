// Files that say where sensors sit: read, written and read again.

#include "panto/io/open_imu.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_sensors_file(Bytes bytes) {
  const SensorSetup setup = io::read_sensors(text_of(bytes), "damaged.toml");
  for (const ImuMount& mount : setup.setup.mounts) {
    promise(so3::is_rotation(mount.R_LI, 1e-6), "a mounting is a rotation");
    promise(mount.p_LI.allFinite(), "a place is finite");
  }
  const SensorSetup again = io::read_sensors(io::sensors_text(setup), "written.toml");
  promise(again.setup.mounts.size() == setup.setup.mounts.size(), "what was written reads back");
}

Seeds seeds_of_sensors_files() {
  return {example("arm_sensors.toml"), project_file("../models/chains/human_sensors.toml"),
          project_file("../models/chains/right_arm_sensors.toml")};
}

const Registered sensors_file_target("sensors_toml", check_sensors_file, seeds_of_sensors_files);

}  // namespace
}  // namespace panto::fuzz
