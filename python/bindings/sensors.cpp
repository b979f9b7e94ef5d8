// Raw inertial sensors: recordings, where sensors sit, tracking and calibration.

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>

#include "panto/api/calibrate.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/io/open_imu.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

// What tracking sensors yields: as other jobs, with standard deviations.
struct SensorResult : JobResult {
  Rows deviation;  // (T, J), empty unless asked for
};

// times (T,) [s]; rates [rad/s], specific forces [m/s^2] and fields, (T, S, 3); nan where not measured
nb::tuple readings(const ImuClip& clip) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> times;
  for (const Time t : clip.times) times.push_back(to_seconds(t));
  std::vector<double> gyro, acc, mag;
  for (const ImuReading& reading : clip.readings)
    for (int k = 0; k < 3; ++k) {
      gyro.push_back(reading.has_gyro ? reading.gyro[k] : kUnknown);
      acc.push_back(reading.has_acc ? reading.acc[k] : kUnknown);
      mag.push_back(reading.has_mag ? reading.mag[k] : kUnknown);
    }
  const std::vector<std::size_t> shape{clip.times.size(), clip.sensors.size(), 3};
  return nb::make_tuple(owned(std::move(times), {clip.times.size()}), owned(std::move(gyro), shape),
                        owned(std::move(acc), shape), owned(std::move(mag), shape));
}

SensorResult track_job(const ImuClip& clip, const OpenModel& model, const SensorSetup& setup,
                       const SensorTrackOptions& options, const Observer& observer) {
  SensorTrackResult result = track(clip, *model.model, setup, options, observer);
  SensorResult out;
  out.json = to_json(result, *model.model);
  out.verdict = verdict_of(result, *model.model);
  out.notes = result.notes;
  out.motion = std::make_shared<SolvedMotion>(std::move(result.motion), model.model);
  out.deviation.resize(static_cast<Eigen::Index>(result.deviation.size()), model.model->dof());
  for (std::size_t i = 0; i < result.deviation.size(); ++i)
    out.deviation.row(static_cast<Eigen::Index>(i)) = result.deviation[i];
  out.motion->deviation = std::move(result.deviation);
  return out;
}

std::unique_ptr<OpenRecording> person_of(const ImuClip& clip, const OpenModel& human,
                                         const SensorSetup& setup, double height) {
  SensedRecording sensed = sensed_person(clip, *human.model, setup, scaled_subject(height));
  auto opened = std::make_unique<OpenRecording>();
  opened->recording = std::move(sensed.recording);
  opened->sensed = std::move(sensed.figures);
  return opened;
}

CalibrateResult calibrate_job(const ImuClip& clip, const OpenModel& model, const SensorSetup& nominal,
                              const CalibrateOptions& options, const Observer& observer) {
  return calibrate(clip, *model.model, nominal, options, observer);
}

using Span = std::pair<double, double>;

CalibrateOptions calibrate_options(const std::vector<std::string>& poses, const std::optional<Span>& walk,
                                   const std::vector<std::pair<std::string, Span>>& hinges,
                                   const std::vector<Span>& motions, const std::string& trusted) {
  CalibrateOptions options;
  options.poses = poses;
  if (walk) options.walk = TimeSpan{walk->first, walk->second};
  for (const auto& [joint, span] : hinges)
    options.hinges.emplace_back(joint, TimeSpan{span.first, span.second});
  for (const Span& span : motions) options.motions.push_back({span.first, span.second});
  options.trusted = trusted;
  return options;
}

void bind_clips(nb::module_& m) {
  nb::class_<ImuClip>(m, "SensorClip")
      .def_ro("name", &ImuClip::name)
      .def_ro("format", &ImuClip::format)
      .def_ro("sensors", &ImuClip::sensors)
      .def_ro("rate_hz", &ImuClip::rate_hz)
      .def_ro("notes", &ImuClip::notes)
      .def("readings", &readings);
  m.def(
      "open_imu", [](const std::string& path) { return io::open_imu(path); }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>());
  nb::class_<SensorSetup>(m, "SensorSetup").def("text", [](const SensorSetup& self) {
    return io::sensors_text(self);
  });
  m.def(
      "read_sensors", [](const std::string& path) { return io::read_sensors(path); }, "path"_a);
  m.def("mounts_by_name",
        [](const ImuClip& clip, const OpenModel& model) { return mounts_by_name(clip, *model.model); });
  m.def("person_of", &person_of, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_sensors(nb::module_& m) {
  bind_clips(m);
  nb::class_<SensorResult, JobResult>(m, "SensorResult")
      .def_prop_ro(
          "deviation", [](const SensorResult& self) { return view(self.deviation); },
          nb::rv_policy::reference_internal);
  m.def(
      "track_sensors",
      [](const ImuClip& clip, const OpenModel& model, const SensorSetup& setup, bool smooth, bool deviations,
         bool refine, double settle, double height, nb::object progress) {
        SensorTrackOptions options{smooth, deviations, refine, settle};
        options.subject = scaled_subject(height);
        Watch watch(std::move(progress));
        return watch.run([&] { return track_job(clip, model, setup, options, watch.observer()); });
      },
      "clip"_a, "model"_a, "setup"_a, "smooth"_a, "deviations"_a, "refine"_a, "settle"_a, "height"_a,
      "progress"_a.none());
  nb::class_<CalibrateResult>(m, "CalibrateResult")
      .def_ro("sensors", &CalibrateResult::sensors)
      .def_ro("good", &CalibrateResult::good)
      .def_ro("notes", &CalibrateResult::notes)
      .def_prop_ro("verdict", [](const CalibrateResult& self) { return verdict_of(self); })
      .def("text", [](const CalibrateResult& self) { return to_text(self); })
      .def("advice", [](const CalibrateResult& self) { return advice_text(self); });
  m.def(
      "calibrate",
      [](const ImuClip& clip, const OpenModel& model, const SensorSetup& nominal,
         const std::vector<std::string>& poses, const std::optional<Span>& walk,
         const std::vector<std::pair<std::string, Span>>& hinges, const std::vector<Span>& motions,
         const std::string& trusted, nb::object progress) {
        Watch watch(std::move(progress));
        const CalibrateOptions options = calibrate_options(poses, walk, hinges, motions, trusted);
        return watch.run([&] { return calibrate_job(clip, model, nominal, options, watch.observer()); });
      },
      "clip"_a, "model"_a, "nominal"_a, "poses"_a, "walk"_a.none(), "hinges"_a, "motions"_a, "trusted"_a,
      "progress"_a.none());
}

}  // namespace panto::python
