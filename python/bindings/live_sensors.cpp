// One sample of raw inertial sensors at a time.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "panto/api/live_sensors.hpp"
#include "panto/base/error.hpp"
#include "panto/base/status.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

constexpr double kLatest = 9e9;  // [s]

class LiveImus {
 public:
  LiveImus(const OpenModel& model, const SensorSetup& setup, const std::vector<std::string>& names,
           double height)
      : tracker_(*model.model, setup, names, scaled_subject(height)), state_(tracker_.start_state()) {
    sample_.imus.resize(names.size());
    publish();
  }

  bool step(double time, const Points& gyro, const Points& acc, const std::optional<Points>& mag,
            const std::optional<Quaternions>& turns) {
    take(time, gyro, acc, mag, turns);
    status = tracker_.step(sample_, state_);
    if (!advanced(status)) return false;
    publish();
    return true;
  }
  void reset() {
    tracker_.reset();
    state_ = tracker_.start_state();
    publish();
  }

  Eigen::VectorXd joints, joint_velocities, base, deviation;  // base: x y z, qw qx qy qz
  double t = 0.0;
  StepStatus status = StepStatus::NoTarget;

 private:
  void take(double time, const Points& gyro, const Points& acc, const std::optional<Points>& mag,
            const std::optional<Quaternions>& turns) {
    const std::size_t count = sample_.imus.size();
    for (const std::size_t rows :
         {gyro.shape(0), acc.shape(0), mag ? mag->shape(0) : count, turns ? turns->shape(0) : count})
      if (rows != count)
        throw ConfigError("step: " + counted(static_cast<std::int64_t>(rows), "row") + "; give " +
                          std::to_string(count) + " of each, in the order of `sensors`");
    if (!(std::abs(time) < kLatest))
      throw ConfigError("step: t is " + digits(time, 6) + " s; give seconds, below 9e9 either way");
    sample_.t = from_seconds(time);
    for (std::size_t i = 0; i < count; ++i) {
      ImuReading& reading = sample_.imus[i];
      const auto row = [i](const Points& points) {
        return Eigen::Map<const Eigen::Vector3d>(points.data() + 3 * i);
      };
      reading = {};
      reading.gyro = row(gyro);
      reading.acc = row(acc);
      if (mag) reading.mag = row(*mag);
      if (turns) reading.wxyz_GI = Eigen::Map<const Eigen::Vector4d>(turns->data() + 4 * i);
      reading.has_gyro = reading.gyro.allFinite();  // nan: not measured
      reading.has_acc = reading.acc.allFinite();
      reading.has_mag = mag && reading.mag.allFinite();
      reading.has_orientation = turns && reading.wxyz_GI.allFinite();
    }
  }

  void publish() {
    t = to_seconds(state_.t);
    joints = state_.s;
    joint_velocities = state_.sdot;
    deviation = tracker_.deviation();
    base.resize(7);
    base.head<3>() = state_.p_WB;
    base.tail<4>() = so3::to_quaternion_wxyz(state_.R_WB);
  }

  LiveSensors tracker_;
  ImuSample sample_;
  State state_;
};

}  // namespace

void bind_live_sensors(nb::module_& m) {
  constexpr auto kInternal = nb::rv_policy::reference_internal;
  nb::class_<LiveImus>(m, "LiveSensors")
      .def(nb::init<const OpenModel&, const SensorSetup&, const std::vector<std::string>&, double>(),
           "model"_a, "setup"_a, "sensors"_a, "height"_a)
      .def("step", &LiveImus::step, "t"_a, "gyro"_a, "acc"_a, "mag"_a.none() = nb::none(),
           "orientations"_a.none() = nb::none())
      .def("reset", &LiveImus::reset)
      .def_ro("t", &LiveImus::t)
      .def_prop_ro("status", [](const LiveImus& self) { return std::string(to_string(self.status)); })
      .def_prop_ro(
          "joint_positions", [](const LiveImus& self) { return view(self.joints); }, kInternal)
      .def_prop_ro(
          "joint_velocities", [](const LiveImus& self) { return view(self.joint_velocities); }, kInternal)
      .def_prop_ro(
          "deviation", [](const LiveImus& self) { return view(self.deviation); }, kInternal)
      .def_prop_ro(
          "base_pose", [](const LiveImus& self) { return view(self.base); }, kInternal);
}

}  // namespace panto::python
