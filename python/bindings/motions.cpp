// Motions as arrays and files.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

bool holds_deviations(const std::string& path) {
  constexpr std::array<std::string_view, 4> kColumns{".csv", ".mot", ".sto", ".npz"};
  return std::find(kColumns.begin(), kColumns.end(), io::extension_of(path)) != kColumns.end();
}

io::WriteMotionOptions write_options(const SolvedMotion& self, const std::string& path,
                                     const std::string& angles, const std::string& layout, double fps) {
  io::WriteMotionOptions options;
  options.layout = layout;
  if (self.robot) options.character = self.robot->character;
  options.resample_hz = fps;
  if (fps > 0.0 && layout.empty() && !options.character)
    throw ConfigError(
        "`fps` needs a `layout`, as in layout=\"mjlab\"; without one a file has the motion's own rate, which "
        "Motion.led(fps=...) changes for a robot");
  std::vector<std::string> words;
  bool known = false;
  for (const auto& [word, convention] : io::angle_conventions()) {
    words.push_back(word);
    if (word != angles) continue;
    options.angles = convention;
    known = true;
  }
  if (!known) throw ConfigError(unknown_name("angle convention", angles, "tables", words));
  const std::string extension = io::extension_of(path);
  const bool table = extension == ".mot" || extension == ".sto" ||
                     (extension == ".csv" && options.angles == io::AngleConvention::Isb);
  if (options.angles != io::AngleConvention::Model && !table)
    throw ConfigError("angles '" + angles + "' are written to .mot and .sto" +
                      (options.angles == io::AngleConvention::Isb ? " and .csv" : "") + " alone, not to '" +
                      path + "'");
  if (options.angles == io::AngleConvention::Model && layout.empty() && holds_deviations(path))
    options.deviation = self.deviation;
  return options;
}

std::size_t save(const SolvedMotion& self, const std::string& path, const std::string& angles,
                 const std::string& layout, double fps) {
  return io::write_motion(self.motion, *self.model, path, write_options(self, path, angles, layout, fps));
}

nb::bytes bytes(const SolvedMotion& self, const std::string& name, const std::string& angles,
                const std::string& layout, double fps) {
  std::string content;
  {
    const nb::gil_scoped_release released;
    content =
        io::motion_bytes(self.motion, *self.model, name, write_options(self, name, angles, layout, fps));
  }
  return nb::bytes(content.data(), content.size());
}

// places (T, L, 3) [m] and orientations (T, L, 4) of links
nb::tuple link_poses(const SolvedMotion& self, const std::vector<std::string>& names) {
  std::vector<int> links;
  for (const std::string& name : names) links.push_back(self.model->link_index(name));
  const std::size_t frames = self.motion.states.size(), count = links.size();
  std::vector<double> places(frames * count * 3);
  std::vector<double> turns(frames * count * 4);
  Kinematics body(*self.model);
  for (std::size_t i = 0; i < frames; ++i) {
    body.update(self.motion.states[i]);
    for (std::size_t k = 0; k < count; ++k) {
      Eigen::Vector3d::Map(&places[3 * (i * count + k)]) = body.p_WL(links[k]);
      Eigen::Vector4d::Map(&turns[4 * (i * count + k)]) = so3::to_quaternion_wxyz(body.R_WL(links[k]));
    }
  }
  return nb::make_tuple(owned(std::move(places), {frames, count, 3}),
                        owned(std::move(turns), {frames, count, 4}));
}

// (J, 3) unit axes of the joints, in their own frames and those of their children
nb::ndarray<nb::numpy, double> joint_axes(const SolvedMotion& self) {
  const int joints = self.model->dof();
  std::vector<double> axes;
  for (int i = 0; i < joints; ++i) {
    const Eigen::Vector3d& axis = self.model->joint(i).axis;
    axes.insert(axes.end(), axis.begin(), axis.end());
  }
  return owned(std::move(axes), {static_cast<std::size_t>(joints), 3});
}

// whether a joint slides, (J,)
std::vector<bool> joint_slides(const SolvedMotion& self) {
  std::vector<bool> slides;
  for (int i = 0; i < self.model->dof(); ++i)
    slides.push_back(self.model->joint(i).type == JointType::Prismatic);
  return slides;
}

// heel and ball of every foot, (T,) of bool each
nb::dict contacts(const SolvedMotion& self) {
  nb::dict feet;
  for (const LinkContacts& foot : self.motion.contacts) {
    nb::list heel, ball;
    for (const unsigned char on : foot.heel) heel.append(on != 0);
    for (const unsigned char on : foot.ball) ball.append(on != 0);
    feet[foot.link.c_str()] = nb::make_tuple(heel, ball);
  }
  return feet;
}

}  // namespace

void bind_motions(nb::module_& m) {
  m.def(
      "unknown_name",
      [](const std::string& kind, const std::string& name, const std::string& owner,
         const std::vector<std::string>& valid) { return unknown_name(kind, name, owner, valid); },
      "kind"_a, "name"_a, "owner"_a, "valid"_a);
  m.def("layout_names", [] { return io::layout_names(); });
  m.def("layout_extension", &io::layout_extension, "layout"_a);
  m.def(
      "layout_rate", [](const std::string& layout) { return io::robot_layout(layout).rate_hz; }, "layout"_a);
  constexpr auto kInternal = nb::rv_policy::reference_internal;
  nb::class_<SolvedMotion>(m, "Motion")
      .def_prop_ro("model_name", [](const SolvedMotion& self) { return self.motion.model_name; })
      .def_prop_ro("joint_names", [](const SolvedMotion& self) { return self.motion.joint_names; })
      .def_prop_ro("link_names", [](const SolvedMotion& self) { return self.model->link_names(); })
      .def_prop_ro("rate_hz", [](const SolvedMotion& self) { return self.motion.rate_hz; })
      .def_prop_ro(
          "times", [](const SolvedMotion& self) { return view(self.times); }, kInternal)
      .def_prop_ro(
          "base_position", [](const SolvedMotion& self) { return view(self.base_position); }, kInternal)
      .def_prop_ro(
          "base_quaternion", [](const SolvedMotion& self) { return view(self.base_quaternion); }, kInternal)
      .def_prop_ro(
          "joint_positions", [](const SolvedMotion& self) { return view(self.joint_positions); }, kInternal)
      .def_prop_ro(
          "base_velocity", [](const SolvedMotion& self) { return view(self.base_velocity); }, kInternal)
      .def_prop_ro(
          "base_angular_velocity", [](const SolvedMotion& self) { return view(self.base_angular_velocity); },
          kInternal)
      .def_prop_ro(
          "joint_velocities", [](const SolvedMotion& self) { return view(self.joint_velocities); }, kInternal)
      .def("save", &save, "path"_a, "angles"_a, "layout"_a, "fps"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("bytes", &bytes, "name"_a, "angles"_a, "layout"_a, "fps"_a)
      .def("link_poses", &link_poses, "names"_a)
      .def("joint_axes", &joint_axes)
      .def("joint_slides", &joint_slides)
      .def("contacts", &contacts);
}

}  // namespace panto::python
