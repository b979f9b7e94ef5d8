// Recordings of body segments: what they are, their samples as arrays, inspections.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>

#include "panto/api/inspect_facts.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/base/error.hpp"
#include "panto/io/body_model.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/math/so3.hpp"
#include "panto/report/robot_motion_report.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

PointCleaning cleaning(const std::string& name) {
  if (name == "off") return PointCleaning::Off;
  if (name == "light") return PointCleaning::Light;
  if (name == "strong") return PointCleaning::Strong;
  throw ConfigError(unknown_name("cleaning", name, "points", {"off", "light", "strong"}));
}

void refuse_motion_words(const std::string& name, const std::string& robot, const std::string& hints) {
  if (!robot.empty() || !hints.empty())
    throw ConfigError("robot and hints apply to robots' motions only; '" + name + "' holds none");
}

// 0: not given
void check_height(double height) {
  if (height != 0.0) (void)scaled_subject(height);
}

std::unique_ptr<OpenRecording> open_recording(const std::string& name,
                                              const std::optional<nb::bytes>& content, const std::string& rig,
                                              const std::string& person, double height,
                                              const std::string& clean, bool ground, const std::string& body,
                                              const std::string& take, const std::string& robot,
                                              const std::string& hints) {
  check_height(height);
  io::Input input = input_of(name, content);
  const nb::gil_scoped_release released;
  io::MappedHints mapped = io::read_mapped_hints(rig, height, person, take);
  mapped.hints.clean = cleaning(clean);
  mapped.hints.ground = ground;
  mapped.body = body;
  auto opened = std::make_unique<OpenRecording>();
  if (io::is_robot_motion(input)) {
    opened->recording = open_person(input, robot, io::parse_motion_hints(hints), opened->notes);
  } else {
    refuse_motion_words(name, robot, hints);
    opened->recording = io::open_mapped_recording(input, mapped, opened->notes);
  }
  return opened;
}

// what a file holds as JSON, and the verdict
std::pair<std::string, Verdict> inspect(const std::string& name, const std::optional<nb::bytes>& content,
                                        const std::string& rig, const std::string& person,
                                        const std::string& take, const std::string& robot,
                                        const std::string& hints) {
  io::Input input = input_of(name, content);
  const nb::gil_scoped_release released;
  if (io::is_robot_motion(input)) {
    const RobotMotion motion = open_robot_motion(input, robot, io::parse_motion_hints(hints));
    const RetargetResult judged = judge_motion(motion);
    return {to_json(motion, judged), verdict_of(motion, judged)};
  }
  refuse_motion_words(name, robot, hints);
  if (io::recognise_imu(input) != io::ImuFormat::None) {
    const ImuInspection found = panto::inspect(io::open_imu(input));
    return {to_json(found), verdict_of(found)};
  }
  const Inspection found = panto::inspect(input, io::read_mapped_hints(rig, 0.0, person, take));
  return {to_json(found), verdict_of(found)};
}

// stature, deviation and number of stances of one person's clips, each a name and the bytes of its file
std::optional<std::tuple<double, double, int>> stature(
    const std::vector<std::pair<std::string, nb::bytes>>& clips) {
  std::vector<rig::LegPaths> legs;
  for (const auto& [name, content] : clips) {
    const io::BodyPoses poses = io::read_body_poses(std::string_view(content.c_str(), content.size()), name);
    if (poses.has_path) legs.push_back(io::leg_paths(poses));
  }
  const rig::StatureFit fit = rig::stature_from_stances(legs);
  if (!fit.found) return std::nullopt;
  return std::tuple(fit.height, fit.deviation, fit.stances);
}

struct Samples {
  std::vector<double> times, places, turns;
};

void append(const SegmentSample& sample, Samples& all) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  all.times.push_back(to_seconds(sample.t));
  for (const SegmentMotion& segment : sample.segments) {
    for (int k = 0; k < 3; ++k) all.places.push_back(segment.has_position ? segment.p_WS[k] : kUnknown);
    const Eigen::Vector4d wxyz = segment.has_orientation ? so3::to_quaternion_wxyz(segment.R_WS)
                                                         : Eigen::Vector4d::Constant(kUnknown).eval();
    all.turns.insert(all.turns.end(), wxyz.begin(), wxyz.end());
  }
}

// times (T,) [s], places (T, S, 3) [m], orientations (T, S, 4) wxyz; nan where not measured
nb::tuple samples(OpenRecording& self) {
  Samples all;
  std::string problem;
  std::size_t segments = 0;
  {
    const nb::gil_scoped_release released;
    const Reading reading(self);
    segments = (*reading).names().size();
    SegmentSample sample;
    ReadStatus status = ReadStatus::Sample;
    while ((status = (*reading).read(sample)) == ReadStatus::Sample) append(sample, all);
    if (status == ReadStatus::Malformed) problem = (*reading).problem();
  }
  if (all.times.empty() && !problem.empty()) throw FormatError(problem);
  const std::size_t frames = all.times.size();
  return nb::make_tuple(owned(std::move(all.times), {frames}),
                        owned(std::move(all.places), {frames, segments, 3}),
                        owned(std::move(all.turns), {frames, segments, 4}), problem);
}

std::vector<std::string> notes(const OpenRecording& self) {
  std::vector<std::string> all = self.notes;
  const std::vector<std::string>& own = self.recording->info().notes;
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace

void bind_recordings(nb::module_& m) {
  nb::class_<OpenRecording>(m, "Recording")
      .def_prop_ro("path", [](const OpenRecording& self) { return self.recording->info().path; })
      .def_prop_ro("format", [](const OpenRecording& self) { return self.recording->info().format; })
      .def_prop_ro("rate_hz", [](const OpenRecording& self) { return self.recording->info().rate_hz; })
      .def_prop_ro("frames", [](const OpenRecording& self) { return self.recording->info().frames; })
      .def_prop_ro("up", [](const OpenRecording& self) { return self.recording->info().up; })
      .def_prop_ro("height",
                   [](const OpenRecording& self) {
                     const auto& subject = self.recording->info().subject;
                     return subject ? std::optional(subject->height) : std::nullopt;
                   })
      .def_prop_ro("untrackable",
                   [](const OpenRecording& self) { return self.recording->info().untrackable; })
      .def_prop_ro("segment_names", [](const OpenRecording& self) { return self.recording->names(); })
      .def_prop_ro("notes", &notes)
      .def("samples", &samples);
  m.def("open_recording", &open_recording, "name"_a, "content"_a.none(), "rig"_a, "person"_a, "height"_a,
        "clean"_a, "ground"_a, "body"_a, "take"_a, "robot"_a, "hints"_a);
  m.def(
      "check_cleaning", [](const std::string& name) { (void)cleaning(name); }, "name"_a);
  m.def("inspect", &inspect, "name"_a, "content"_a.none(), "rig"_a, "person"_a, "take"_a, "robot"_a,
        "hints"_a);
  m.def("stature", &stature, "clips"_a);
}

}  // namespace panto::python
