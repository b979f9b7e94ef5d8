// Models and robots.

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "panto/base/error.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

BaseKind base_kind(const std::string& name) {
  const std::vector<std::string> valid{"float", "fixed", "roll"};
  if (name == "float") return BaseKind::Floating;
  if (name == "fixed") return BaseKind::Fixed;
  if (name == "roll") return BaseKind::Rolling;
  throw ConfigError(unknown_name("base", name, "robots", valid));
}

OpenModel open_model(const std::string& name, double height, double mass) {
  OpenModel opened;
  opened.model =
      std::make_shared<const Model>(io::open_model(name, scaled_subject(height, mass), opened.notes));
  return opened;
}

OpenRobot open_robot(const std::string& name, const std::optional<std::string>& base,
                     const std::vector<std::string>& package_dirs, double height) {
  io::RobotFile file = io::open_robot(name, scaled_subject(height), package_dirs);
  if (base) file.base = base_kind(*base);
  OpenRobot opened{robot_of(file), std::move(file.shapes)};
  opened.robot.notes.insert(opened.robot.notes.begin(), file.notes.begin(), file.notes.end());
  return opened;
}

OpenRobot open_character(const std::string& path, OpenRecording& recording, const std::string& rig) {
  return {robot_of(*io::open_character(path, (*Reading(recording)).info(), rig)), nullptr};
}

template <class Class, class Of>
void add_model(Class& bound, const Of& of) {
  using T = typename Class::Type;
  bound.def_prop_ro("name", [of](const T& self) { return of(self).name(); })
      .def_prop_ro("joint_names", [of](const T& self) { return of(self).joint_names(); })
      .def_prop_ro("link_names", [of](const T& self) { return of(self).link_names(); })
      .def_prop_ro("base", [of](const T& self) { return std::string(to_string(of(self).base())); })
      .def_prop_ro("lower", [of](const T& self) { return Eigen::VectorXd(of(self).lower()); })
      .def_prop_ro("upper", [of](const T& self) { return Eigen::VectorXd(of(self).upper()); })
      .def_prop_ro("velocity_limit",
                   [of](const T& self) { return Eigen::VectorXd(of(self).velocity_limit()); })
      .def_prop_ro("rest", [of](const T& self) { return Eigen::VectorXd(of(self).rest()); });
}

}  // namespace

void bind_models(nb::module_& m) {
  nb::class_<OpenModel> model(m, "Model");
  add_model(model, [](const OpenModel& self) -> const Model& { return *self.model; });
  model.def_ro("notes", &OpenModel::notes);
  m.def("open_model", &open_model, "name"_a, "height"_a, "mass"_a);

  nb::class_<OpenRobot> robot(m, "Robot");
  add_model(robot, [](const OpenRobot& self) -> const Model& { return self.robot.model; });
  robot.def_prop_ro("notes", [](const OpenRobot& self) { return self.robot.notes; });
  m.def("open_robot", &open_robot, "name"_a, "base"_a.none(), "package_dirs"_a, "height"_a);
  m.def("open_character", &open_character, "path"_a, "recording"_a, "rig"_a);
  m.def("shipped_models", [] { return io::shipped_models(); });
}

}  // namespace panto::python
