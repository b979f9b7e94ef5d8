// MT Manager's text, a sensor a file.

#include "panto/io/imu_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_xsens(Bytes bytes) {
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_xsens_text(stream, "MT_012005D6_031-000_00B421AF.txt"));
}

Seeds seeds_of_xsens() {
  return {
      "// Start Time: Unknown\r\n// Update Rate: 40.0Hz\r\nPacketCounter\tSampleTimeFine\tAcc_X\tAcc_Y\t"
      "Acc_Z\tGyr_X\tGyr_Y\tGyr_Z\tMat[1][1]\r\n65534\t\t1\t2\t3\t4\t5\t6\t0.5\r\n"
      "65535\t\t\t\t\t4\t5\t6\t\r\n00002\t\t1\t2\t3\t4\t5\t6\t0.5\r\n"};
}

const Registered xsens_target("imu_xsens", check_xsens, seeds_of_xsens);

}  // namespace
}  // namespace panto::fuzz
