// Targets and joint rows of the user's own.

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/bind_vector.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <array>
#include <map>
#include <new>
#include <utility>

#include "panto/targets/own_targets.hpp"
#include "python/bindings/values.hpp"

NB_MAKE_OPAQUE(std::vector<panto::PositionTarget>)
NB_MAKE_OPAQUE(std::vector<panto::OrientationTarget>)
NB_MAKE_OPAQUE(std::vector<panto::DirectionTarget>)
NB_MAKE_OPAQUE(std::vector<panto::RelativeTarget>)
NB_MAKE_OPAQUE(std::vector<panto::JointRow>)

namespace panto::python {
namespace {

using namespace nb::literals;
using Eigen::Matrix3d;
using Eigen::Vector3d;

// what lists, tuples and arrays of Python become
using Triple = std::array<double, 3>;
using Rotation = std::array<Triple, 3>;
constexpr Triple kZero{0.0, 0.0, 0.0}, kOnes{1.0, 1.0, 1.0}, kUp{0.0, 0.0, 1.0};
constexpr Rotation kIdentity{Triple{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

Vector3d vector(const Triple& v) { return Vector3d(v[0], v[1], v[2]); }

Matrix3d matrix(const Rotation& rows) {
  Matrix3d R;
  for (int i = 0; i < 3; ++i) R.row(i) = vector(rows[static_cast<std::size_t>(i)]);
  return R;
}

// a vector or matrix that Python reads as an array and sets from any sequence
template <class Class, class T>
void add_vector(Class& bound, const char* name, Vector3d T::*member) {
  bound.def_prop_rw(
      name, [member](const T& self) { return Vector3d(self.*member); },
      [member](T& self, const Triple& value) { self.*member = vector(value); });
}
template <class Class, class T>
void add_rotation(Class& bound, const char* name, Matrix3d T::*member) {
  bound.def_prop_rw(
      name, [member](const T& self) { return Matrix3d(self.*member); },
      [member](T& self, const Rotation& value) { self.*member = matrix(value); });
}

void bind_places(nb::module_& m) {
  nb::class_<PositionTarget> position(m, "PositionTarget");
  position
      .def(
          "__init__",
          [](PositionTarget* self, const std::string& link, const Triple& place, const Triple& point,
             double weight, const Triple& axes, double gain) {
            new (self) PositionTarget{link, vector(point), vector(place), weight, vector(axes), gain};
          },
          "link"_a, "place"_a, nb::kw_only(), "point"_a = kZero, "weight"_a = 25.0, "axes"_a = kOnes,
          "gain"_a = 20.0,
          "Moves `point` of a link, in its frame [m], to `place` in the world [m]. weight [1/m^2], by `axes` "
          "of the world; "
          "gain [1/s].")
      .def_rw("weight", &PositionTarget::weight)
      .def_rw("gain", &PositionTarget::gain)
      .def_rw("feed_forward", &PositionTarget::feed_forward);
  add_vector(position, "axes", &PositionTarget::axes_W);
  add_vector(position, "place", &PositionTarget::place_W);
  nb::class_<RelativeTarget> relative(m, "RelativeTarget");
  relative
      .def(
          "__init__",
          [](RelativeTarget* self, const std::string& from, const std::string& link, const Triple& place,
             const Rotation& rotation, const Triple& point, double position_weight, double orientation_weight,
             double gain) {
            new (self) RelativeTarget{from,
                                      link,
                                      vector(point),
                                      vector(place),
                                      matrix(rotation),
                                      position_weight,
                                      orientation_weight};
            self->gain = gain;
          },
          "from_link"_a, "link"_a, "place"_a, nb::kw_only(), "rotation"_a = kIdentity, "point"_a = kZero,
          "position_weight"_a = 25.0, "orientation_weight"_a = 0.0, "gain"_a = 20.0,
          "Holds `point` of a link [m] at `place` [m], and the link at `rotation`, in the frame of another "
          "link.")
      .def_rw("position_weight", &RelativeTarget::position_weight)
      .def_rw("orientation_weight", &RelativeTarget::orientation_weight)
      .def_rw("gain", &RelativeTarget::gain)
      .def_rw("feed_forward", &RelativeTarget::feed_forward);
  add_rotation(relative, "rotation", &RelativeTarget::R_AB);
  add_vector(relative, "place", &RelativeTarget::place_A);
}

void bind_turns(nb::module_& m) {
  nb::class_<OrientationTarget> orientation(m, "OrientationTarget");
  orientation
      .def(
          "__init__",
          [](OrientationTarget* self, const std::string& link, const Rotation& rotation,
             const Rotation& frame, double weight, const Triple& axes, double gain) {
            new (self) OrientationTarget{link, matrix(frame), matrix(rotation), weight, vector(axes), gain};
          },
          "link"_a, "rotation"_a, nb::kw_only(), "frame"_a = kIdentity, "weight"_a = 1.0, "axes"_a = kOnes,
          "gain"_a = 20.0,
          "Turns `frame` of a link, (3, 3) in its frame, to `rotation` (3, 3) in the world. weight "
          "[1/rad^2].")
      .def_rw("weight", &OrientationTarget::weight)
      .def_rw("gain", &OrientationTarget::gain)
      .def_rw("feed_forward", &OrientationTarget::feed_forward);
  add_vector(orientation, "axes", &OrientationTarget::axes_W);
  add_rotation(orientation, "rotation", &OrientationTarget::R_WT);
  nb::class_<DirectionTarget> pointing(m, "DirectionTarget");
  pointing
      .def(
          "__init__",
          [](DirectionTarget* self, const std::string& link, const Triple& direction, const Triple& of,
             double weight, double gain) {
            new (self) DirectionTarget{link, vector(of), vector(direction), weight, gain};
          },
          "link"_a, "direction"_a, nb::kw_only(), "of"_a = kUp, "weight"_a = 1.0, "gain"_a = 20.0,
          "Points the direction `of` a link, in its frame, along `direction` of the world. weight [1/rad^2].")
      .def_rw("weight", &DirectionTarget::weight)
      .def_rw("gain", &DirectionTarget::gain)
      .def_rw("feed_forward", &DirectionTarget::feed_forward);
  add_vector(pointing, "direction", &DirectionTarget::direction_W);
}

void bind_rows(nb::module_& m) {
  nb::class_<JointRow>(m, "JointRow")
      .def(
          "__init__",
          [](JointRow* self, const std::string& name, const std::map<std::string, double>& joints,
             double lower, double upper) {
            new (self) JointRow{name, {}, lower, upper};
            for (const auto& [joint, coefficient] : joints) self->terms.push_back({joint, coefficient});
          },
          "name"_a, "joints"_a, nb::kw_only(), "lower"_a = -kInfinity, "upper"_a = kInfinity,
          "Keeps lower <= sum of coefficient * joint <= upper exactly. joints: coefficient by name.")
      .def_rw("lower", &JointRow::lower)
      .def_rw("upper", &JointRow::upper);
}

}  // namespace

void bind_own_targets(nb::module_& m) {
  bind_places(m);
  bind_turns(m);
  bind_rows(m);
  nb::bind_vector<std::vector<PositionTarget>, nb::rv_policy::reference_internal>(m, "PositionTargets");
  nb::bind_vector<std::vector<OrientationTarget>, nb::rv_policy::reference_internal>(m, "OrientationTargets");
  nb::bind_vector<std::vector<DirectionTarget>, nb::rv_policy::reference_internal>(m, "DirectionTargets");
  nb::bind_vector<std::vector<RelativeTarget>, nb::rv_policy::reference_internal>(m, "RelativeTargets");
  nb::bind_vector<std::vector<JointRow>, nb::rv_policy::reference_internal>(m, "JointRows");
  nb::class_<OwnTargets>(
      m, "OwnTargets",
      "Targets and joint rows beside the person's: append to the lists. A function `update(t, own)` "
      "may set their values before every sample, t [s]; names and counts stay.")
      .def(nb::init<>())
      .def_ro("positions", &OwnTargets::positions)
      .def_ro("orientations", &OwnTargets::orientations)
      .def_ro("directions", &OwnTargets::directions)
      .def_ro("relatives", &OwnTargets::relatives)
      .def_ro("rows", &OwnTargets::rows);
}

OwnTargetsOption Watch::own(const OwnTargets* targets, nb::object update) {
  OwnTargetsOption option;
  if (targets != nullptr) option.targets = *targets;
  if (update.is_none()) return option;
  update_ = std::move(update);
  option.update = [this](const SegmentSample& sample, const State&, OwnTargets& now) {
    const nb::gil_scoped_acquire held;
    if (error_) return;
    try {
      update_(to_seconds(sample.t), nb::cast(&now, nb::rv_policy::reference));
    } catch (const nb::python_error&) {
      error_ = std::current_exception();
    } catch (const nb::cast_error&) {
      error_ = std::current_exception();
    }
  };
  return option;
}

}  // namespace panto::python
