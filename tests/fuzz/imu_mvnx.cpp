// The sensors in an MVNX.

#include "panto/io/imu_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/mvnx_samples.hpp"

namespace panto::fuzz {
namespace {

void check_mvnx_sensors(Bytes bytes) {
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_imu_mvnx(stream, "damaged.mvnx"));
}

// a suit of two sensors, in a recording without joints
Seeds seeds_of_mvnx_sensors() {
  return {R"(<?xml version="1.0"?><mvnx version="4"><mvn version="2022.0.0"/>
<subject label="S" frameRate="60" segmentCount="1" originalFilename="x.mvn">
<segments><segment label="Pelvis" id="1"><points/></segment></segments>
<sensors><sensor label="Pelvis"/><sensor label="Head"/></sensors><joints/>
<frames segmentCount="1" sensorCount="2" jointCount="0">
<frame time="0" index="" type="tpose"><orientation>1 0 0 0</orientation><position>0 0 1</position></frame>
<frame time="0" index="0" type="normal"><orientation>1 0 0 0</orientation><position>0 0 1</position>
<sensorFreeAcceleration>0 0 0 0 0 0</sensorFreeAcceleration>
<sensorMagneticField>1 0 0 1 0 0</sensorMagneticField>
<sensorOrientation>1 0 0 0 0.6 0.8 0 0</sensorOrientation></frame>
<frame time="17" index="1" type="normal"><orientation>1 0 0 0</orientation><position>0 0 1</position>
<sensorFreeAcceleration>0 0 0 0 0 0</sensorFreeAcceleration>
<sensorMagneticField>1 0 0 1 0 0</sensorMagneticField>
<sensorOrientation>1 0 0 0 0.6 0.8 0 0</sensorOrientation></frame>
</frames></subject></mvnx>)"};
}

const Registered mvnx_sensors_target("imu_mvnx", check_mvnx_sensors, seeds_of_mvnx_sensors);

}  // namespace
}  // namespace panto::fuzz
