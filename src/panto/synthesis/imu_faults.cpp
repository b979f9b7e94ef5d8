#include "panto/synthesis/imu_faults.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "panto/base/error.hpp"
#include "panto/math/degrees.hpp"

namespace panto {
namespace {

constexpr double kGravity = 9.80665;  // [m/s^2]

struct Fault {
  ImuFaultName name;
  void (*add)(ImuSignalOptions&);
};

double field(const ImuSignalOptions& o) { return o.surroundings.field_W.norm(); }

SoftTissue& flesh(ImuSignalOptions& o) {
  if (!o.soft_tissue) o.soft_tissue = SoftTissue{8.0, 0.3, 0.0, 0.0};
  return *o.soft_tissue;
}

// A wireless suit of good quality: typical values of makers' data and measurements at rest.
constexpr std::array<Fault, 16> kFaults{{
    {{"noise", "0.01 deg/s/rtHz, 200 ug/rtHz, 0.5 % of the field"},
     [](ImuSignalOptions& o) {
       o.gyro.noise_density = 0.01 * kDegree;
       o.acc.noise_density = 200e-6 * kGravity;
       o.mag.noise_density = 0.005 * field(o) / std::sqrt(50.0);
     }},
    {{"low_pass", "second order, 45 Hz: a lag of 5 ms"}, [](ImuSignalOptions& o) { o.low_pass_hz = 45.0; }},
    {{"gyro_bias", "0.2 deg/s from the start"}, [](ImuSignalOptions& o) { o.gyro.bias = 0.2 * kDegree; }},
    {{"gyro_drift", "bias instability of 10 deg/h"},
     [](ImuSignalOptions& o) { o.gyro.instability = 10.0 / 3600.0 / 0.664 * kDegree; }},
    {{"acc_bias", "5 mg"}, [](ImuSignalOptions& o) { o.acc.bias = 5e-3 * kGravity; }},
    {{"scale", "scale and axis errors of 1 %"},
     [](ImuSignalOptions& o) { o.gyro.scale = o.gyro.cross_axis = o.acc.scale = o.acc.cross_axis = 0.01; }},
    {{"g_sensitivity", "gyroscopes respond to acceleration, 0.1 deg/s/g"},
     [](ImuSignalOptions& o) { o.g_sensitivity = 0.1 * kDegree / kGravity; }},
    {{"counts", "16 bits over 2000 deg/s and 16 g, with saturation"},
     [](ImuSignalOptions& o) {
       o.gyro.range = 2000.0 * kDegree;
       o.acc.range = 16.0 * kGravity;
       o.gyro.count = 2.0 * o.gyro.range / 65536.0;
       o.acc.count = 2.0 * o.acc.range / 65536.0;
     }},
    {{"mounting", "sensors turned by 3 deg about each axis"},
     [](ImuSignalOptions& o) { o.mounting.turn = 3.0 * kDegree; }},
    {{"places", "sensors shifted by 1.5 cm along each axis"},
     [](ImuSignalOptions& o) { o.mounting.shift = 0.015; }},
    {{"swing", "soft tissue that swings at 8 Hz"}, [](ImuSignalOptions& o) { flesh(o).share = 1.0; }},
    {{"flesh", "sensors that turn by 4 deg when the joint turns by 90"},
     [](ImuSignalOptions& o) { flesh(o).turn = 4.0 / 90.0; }},
    {{"mag_offset", "5 % of the field"}, [](ImuSignalOptions& o) { o.mag.bias = 0.05 * field(o); }},
    {{"loss", "1 % of the readings"}, [](ImuSignalOptions& o) { o.packets.loss = 0.01; }},
    {{"bursts", "5 to 30 lost readings in a row, once in 10 s at each sensor"},
     [](ImuSignalOptions& o) { o.packets.burst = 0.1 / o.rate_hz; }},
    {{"clock", "fast by 20 ppm"}, [](ImuSignalOptions& o) { o.packets.clock_skew = 20e-6; }},
}};

}  // namespace

const std::vector<ImuFaultName>& imu_fault_names() {
  static const std::vector<ImuFaultName> names = [] {
    std::vector<ImuFaultName> list(kFaults.size());
    std::transform(kFaults.begin(), kFaults.end(), list.begin(), [](const Fault& f) { return f.name; });
    return list;
  }();
  return names;
}

void add_imu_fault(std::string_view name, ImuSignalOptions& options) {
  bool known = false;
  for (const Fault& fault : kFaults) {
    if (name != fault.name.name && name != "all") continue;
    fault.add(options);
    known = true;
  }
  if (known) return;
  std::vector<std::string> valid{"all"};
  for (const Fault& fault : kFaults) valid.emplace_back(fault.name.name);
  throw ConfigError(unknown_name("fault", name, "the sensors", valid));
}

}  // namespace panto
