// One sample of a person at a time onto a robot.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <utility>

#include "panto/api/live_retargeter.hpp"
#include "panto/base/error.hpp"
#include "panto/base/status.hpp"
#include "panto/math/so3.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

constexpr double kUnit = 0.02;  // of a squared norm: other numbers are no orientation

class Live {
 public:
  Live(std::shared_ptr<OpenRobot> robot, const std::vector<std::string>& segments, double height,
       const RetargetOptions& options)
      : robot_(std::move(robot)),
        live_(robot_->robot, segments, scaled_subject(height), options),
        state_(live_.rest_state()) {
    sample_.segments.resize(segments.size());
    publish();
  }

  // False: no state yet, or a sample that cannot be used; `status` says which.
  bool step(double time, const Quaternions& turns, const std::optional<Points>& places) {
    take(time, turns, places);
    return publish_if(live_.step(sample_, state_));
  }
  bool drain() { return publish_if(live_.drain(state_)); }
  void reset() {
    live_.reset();
    state_ = live_.rest_state();
    publish();
  }

  Eigen::VectorXd joints, joint_velocities, base;  // base: x y z, qw qx qy qz
  double t = 0.0;
  StepStatus status = StepStatus::NoTarget;
  [[nodiscard]] std::size_t pending() const { return live_.pending(); }

 private:
  void take(double time, const Quaternions& turns, const std::optional<Points>& places) {
    const std::size_t count = sample_.segments.size();
    if (turns.shape(0) != count || (places && places->shape(0) != count))
      throw ConfigError("step: " + std::to_string(turns.shape(0)) + " orientations and " +
                        std::to_string(places ? places->shape(0) : 0) + " positions; give " +
                        std::to_string(count) + " of each, in the order of `segments`");
    sample_.t = from_seconds(time);
    for (std::size_t i = 0; i < count; ++i) {
      SegmentMotion& segment = sample_.segments[i];
      const Eigen::Map<const Eigen::Vector4d> wxyz(turns.data() + 4 * i);
      segment.has_orientation = std::abs(wxyz.squaredNorm() - 1.0) < kUnit;  // nan: not measured
      if (segment.has_orientation) segment.R_WS = so3::from_quaternion_wxyz(wxyz);
      if (places) segment.p_WS = Eigen::Map<const Eigen::Vector3d>(places->data() + 3 * i);
      segment.has_position = places && segment.p_WS.allFinite();
    }
  }

  bool publish_if(StepStatus now) {
    status = now;
    if (!usable(now)) return false;
    publish();
    return true;
  }

  void publish() {
    t = to_seconds(state_.t);
    joints = state_.s;
    joint_velocities = state_.sdot;
    base.resize(7);
    base.head<3>() = state_.p_WB;
    base.tail<4>() = so3::to_quaternion_wxyz(state_.R_WB);
  }

  std::shared_ptr<OpenRobot> robot_;
  LiveRetargeter live_;
  SegmentSample sample_;
  State state_;
};

std::unique_ptr<Live> make_live(const std::shared_ptr<OpenRobot>& robot,
                                const std::vector<std::string>& segments, double height,
                                const std::string& feet, double look_ahead,
                                const std::optional<double>& floor, bool avoid) {
  RetargetOptions options;
  if (feet != "plant" && feet != "soft" && feet != "off")
    throw ConfigError(unknown_name("feet mode", feet, "LiveRetargeter", {"plant", "soft", "off"}));
  options.feet = feet == "plant" ? FeetMode::Plant : feet == "soft" ? FeetMode::Soft : FeetMode::Off;
  options.live.look_ahead = look_ahead;
  options.live.floor = floor;
  options.collisions = avoid ? Collisions::Avoid : Collisions::Off;
  return std::make_unique<Live>(robot, segments, height, options);
}

}  // namespace

void bind_live(nb::module_& m) {
  constexpr auto kInternal = nb::rv_policy::reference_internal;
  nb::class_<Live>(m, "Live")
      .def("step", &Live::step, "t"_a, "orientations"_a, "positions"_a.none() = nb::none())
      .def("drain", &Live::drain)
      .def("reset", &Live::reset)
      .def_ro("t", &Live::t)
      .def_prop_ro("pending", &Live::pending)
      .def_prop_ro("status", [](const Live& self) { return std::string(to_string(self.status)); })
      .def_prop_ro(
          "joint_positions", [](const Live& self) { return view(self.joints); }, kInternal)
      .def_prop_ro(
          "joint_velocities", [](const Live& self) { return view(self.joint_velocities); }, kInternal)
      .def_prop_ro(
          "base_pose", [](const Live& self) { return view(self.base); }, kInternal);
  m.def("live", &make_live, "robot"_a, "segments"_a, "height"_a, "feet"_a, "look_ahead"_a, "floor"_a.none(),
        "avoid"_a);
  m.def("human_segment_names", [] { return human_segment_names(); });
}

}  // namespace panto::python
