// Robots' motions in anybody's layout, and checks of results against thresholds.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "panto/api/check.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/base/error.hpp"
#include "panto/report/card_values.hpp"
#include "panto/report/robot_motion_report.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

// A robot's motion, and its numbers as arrays.
struct OpenMotion {
  explicit OpenMotion(RobotMotion opened)
      : told(std::move(opened)),
        robot(std::make_shared<const Robot>(told.robot)),
        motion(solved(told.motion)) {}
  [[nodiscard]] std::shared_ptr<SolvedMotion> solved(Motion of) const {
    return std::make_shared<SolvedMotion>(std::move(of), std::shared_ptr<const Model>(robot, &robot->model),
                                          robot);
  }

  RobotMotion told;
  std::shared_ptr<const Robot> robot;
  std::shared_ptr<SolvedMotion> motion;
};

std::unique_ptr<OpenMotion> open_motion(const std::string& name, const std::optional<nb::bytes>& content,
                                        const std::string& robot, const std::string& hints) {
  io::Input input = input_of(name, content);
  const nb::gil_scoped_release released;
  if (!io::is_robot_motion(input)) throw FormatError(name + ": holds no robot's motion that Panto knows");
  return std::make_unique<OpenMotion>(open_robot_motion(input, robot, io::parse_motion_hints(hints)));
}

bool is_robot_motion(const std::string& name, const std::optional<nb::bytes>& content) {
  io::Input input = input_of(name, content);
  return io::is_robot_motion(input);
}

JobResult judge(const OpenMotion& self, double settle) {
  RetargetResult judged = judge_motion(self.told, settle);
  std::string json = to_json(self.told, judged);
  Verdict verdict = verdict_of(self.told, judged);
  return {self.solved(std::move(judged.motion)), std::move(json), std::move(verdict), std::move(judged.notes),
          std::nullopt};
}

std::unique_ptr<OpenRecording> person(const OpenMotion& self, const std::string& path) {
  check_settled(self.told);
  auto opened = std::make_unique<OpenRecording>();
  opened->recording = person_of(self.told, path);
  opened->notes = self.told.notes;
  return opened;
}

// what was told: what, value, how sure, whether the layout or the file says otherwise, reason
nb::list facts(const OpenMotion& self) {
  nb::list all;
  for (const io::ToldFact& fact : self.told.facts)
    all.append(
        nb::make_tuple(fact.what, fact.value, io::to_string(fact.certainty), fact.departs, fact.reason));
  return all;
}

// the motion with ways into and out of it, and notes
std::pair<std::shared_ptr<SolvedMotion>, std::vector<std::string>> led(const SolvedMotion& self, double fps,
                                                                       double in, double out, bool loop) {
  if (!self.robot || self.robot->character)
    throw ConfigError("led: only a robot's motion has a lead-in, a lead-out or a loop");
  std::vector<std::string> notes;
  Motion motion = with_leads(*self.robot, self.motion, fps, {in, out, loop}, notes);
  return {std::make_shared<SolvedMotion>(std::move(motion), self.model, self.robot), std::move(notes)};
}

// verdict; key, operator, limit, value, "passed" | "failed" | "absent" and whether it failed, of every
// threshold
nb::tuple check(const std::string& json, const std::string& name, const std::optional<std::string>& fail_on,
                bool absent_passes) {
  const std::vector<ReportValue> values = parse_report_values(json, name);
  const CheckReport report = panto::check(
      values, fail_on ? parse_thresholds(*fail_on) : default_thresholds(values), {absent_passes, nullptr});
  nb::list all;
  for (const Check& one : report.checks) {
    const ReportValue& value = one.result.value;
    const nb::object number = value.number ? nb::object(nb::float_(*value.number))
                              : value.text ? nb::object(nb::str(value.text->c_str()))
                                           : nb::none();
    const Threshold& threshold = one.result.threshold;
    all.append(nb::make_tuple(threshold.key, to_string(threshold.comparison), threshold.limit, number,
                              to_string(one.result.outcome), one.failed));
  }
  return nb::make_tuple(verdict_of(report, name), all);
}

}  // namespace

void bind_robot_motions(nb::module_& m) {
  nb::class_<OpenMotion>(m, "RobotMotion")
      .def_prop_ro("layout", [](const OpenMotion& self) { return self.told.format; })
      .def_prop_ro("robot_name", [](const OpenMotion& self) { return self.told.robot_name; })
      .def_prop_ro("head", [](const OpenMotion& self) { return head_of(self.told); })
      .def_prop_ro("notes", [](const OpenMotion& self) { return self.told.notes; })
      .def_prop_ro("open", [](const OpenMotion& self) { return self.told.open; })
      .def_prop_ro("verdict", [](const OpenMotion& self) { return verdict_of(self.told); })
      .def_prop_ro("motion", [](const OpenMotion& self) { return self.motion; })
      .def("facts", &facts)
      .def("check_settled", [](const OpenMotion& self) { check_settled(self.told); })
      .def("judge", &judge, "settle"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("person", &person, "path"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("open_motion", &open_motion, "name"_a, "content"_a.none(), "robot"_a, "hints"_a);
  m.def("is_robot_motion", &is_robot_motion, "name"_a, "content"_a.none());
  m.def("led", &led, "motion"_a, "fps"_a, "lead_in"_a, "lead_out"_a, "loop"_a,
        nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "check_leads",
      [](double in, double out, bool loop) {
        check_leads({in, out, loop});
      },
      "lead_in"_a, "lead_out"_a, "loop"_a);
  m.def("check", &check, "json"_a, "name"_a, "fail_on"_a.none(), "absent_passes"_a);
}

}  // namespace panto::python
