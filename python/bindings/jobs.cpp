// Jobs on whole recordings: track, retarget, imitate.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <utility>

#include "panto/api/imitate.hpp"
#include "panto/api/judged_run.hpp"
#include "panto/api/relative_words.hpp"
#include "panto/base/error.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/report/page.hpp"
#include "panto/report/robot_report.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {
namespace {

using namespace nb::literals;

template <class Value, std::size_t N>
Value named(const std::string& name, const char* kind,
            const std::array<std::pair<const char*, Value>, N>& all) {
  std::vector<std::string> valid;
  for (const auto& [word, value] : all) {
    if (name == word) return value;
    valid.emplace_back(word);
  }
  throw ConfigError(unknown_name(kind, name, "retarget", valid));
}

constexpr std::array<std::pair<const char*, FeetMode>, 4> kFeet{
    {{"plant", FeetMode::Plant}, {"soft", FeetMode::Soft}, {"off", FeetMode::Off}, {"hold", FeetMode::Hold}}};
constexpr std::array<std::pair<const char*, Collisions>, 3> kCollisions{
    {{"avoid", Collisions::Avoid}, {"report", Collisions::Report}, {"off", Collisions::Off}}};
// nothing: the whole motion is scaled
constexpr std::array<std::pair<const char*, std::optional<LimitLaw>>, 5> kLimits{
    {{"brake", LimitLaw::Braking},
     {"exact", LimitLaw::Exact},
     {"tanh", LimitLaw::Tanh},
     {"none", LimitLaw::None},
     {"scale", std::nullopt}}};

// What all jobs of a person have.
struct PersonWords {
  std::string solver;
  bool two_way = true;
  double settle = 0.5;
  std::optional<double> height, mass;
  std::string page;  // path of a report; empty: none
};

struct RobotWords {
  std::string feet, collisions, limits, relative;
  bool smooth = false;
  std::optional<double> cutoff_hz, max_acceleration;
};

// The page of a run; nothing without a path.
class Page {
 public:
  Page(const PersonWords& words, Recording& recording, const Model& model,
       const std::vector<TrackedPair>& pairs, const std::shared_ptr<const io::RobotShapes>& shapes,
       std::vector<std::string>& notes) {
    if (words.page.empty()) return;
    io::check_ending("report", words.page, ".html", "a page");
    if (const std::string_view missing = report_page_missing(); !missing.empty())
      throw Error(std::string(missing));
    ReportPageInfo info;
    info.recording = recording.info().path;
    info.format = recording.info().format;
    info.version = PANTO_VERSION;
    info.rate_hz = recording.info().rate_hz;
    info.settle = from_seconds(words.settle);
    info.segments = recording.names();
    info.meshes = io::page_meshes(shapes.get(), model, notes);
    page_.emplace(io::Destination(words.page), model, pairs, info);
  }
  void watch(Observer& observer) {
    if (!page_) return;
    observer.frame = [this](const SegmentSample& sample, const State& state, const StepRecord& step) {
      page_->add(sample, state, step);
    };
    observer.person = [this](const SegmentSample& person) { page_->show_person(person); };
    observer.contacts = [this](std::span<const LinkContacts> contacts) { page_->set_contacts(contacts); };
  }
  void close(const ReportPageResult& result) {
    if (page_) page_->close(result);
  }

 private:
  std::optional<ReportPage> page_;
};

template <class Result>
JobResult job_result(Result result, std::string json, Verdict verdict, std::vector<std::string> notes,
                     std::shared_ptr<const Model> model, std::shared_ptr<const Robot> robot = nullptr) {
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  return {std::make_shared<SolvedMotion>(std::move(result.motion), std::move(model), std::move(robot)),
          std::move(json), std::move(verdict), std::move(notes), std::move(result.damage)};
}

JobResult track_job(OpenRecording& opened, const std::string& name, const PersonWords& words,
                    const OwnTargetsOption& own, const Observer& watching) {
  const Reading reading(opened);
  Recording& recording = *reading;
  std::vector<std::string> notes;
  const auto model = std::make_shared<const Model>(
      io::open_model(name, subject_of(recording.info(), words.height, words.mass, notes), notes));
  TrackOptions options;
  options.solver = solver_kind(words.solver);
  options.two_way = words.two_way;
  options.settle = words.settle;
  options.own = own;
  Observer observer = watching;
  Page page(words, recording, *model, followed_pairs(recording, *model), {}, notes);
  page.watch(observer);
  TrackResult result = track(recording, *model, options, observer);
  page.close(page_result(result, recording.info(), notes));
  std::string json = to_json(result, *model);
  Verdict verdict = verdict_of(result);
  return job_result(std::move(result), std::move(json), std::move(verdict), std::move(notes), model);
}

// for scaling the whole motion into the robot's limits
ScaleOptions scale_options(const RobotWords& words) {
  if (words.smooth)
    throw ConfigError(
        "`smooth` and the limits 'scale' exclude each other: `smooth` keeps limits frame by frame");
  ScaleOptions scale;
  scale.time.max_acceleration = words.max_acceleration.value_or(scale.time.max_acceleration);
  return scale;
}

RetargetOptions retarget_options(const PersonWords& person, const RobotWords& words) {
  RetargetOptions options;
  options.solver = solver_kind(person.solver);
  options.two_way = person.two_way;
  options.settle = person.settle;
  options.feet = words.feet.empty() ? default_feet(options.solver) : named(words.feet, "feet mode", kFeet);
  options.collisions = named(words.collisions, "collision mode", kCollisions);
  if (!words.relative.empty()) options.relative = robot::parse_relative(words.relative, "relative");
  const std::optional<LimitLaw> law = named(words.limits, "limit mode", kLimits);
  options.method.dynamical.limits.law = law.value_or(LimitLaw::None);
  if (!law) options.scale = scale_options(words);
  if (words.smooth) {
    SmoothingOptions& smooth = options.smooth.emplace();
    smooth.cutoff_hz = words.cutoff_hz.value_or(smooth.cutoff_hz);
    smooth.max_acceleration = words.max_acceleration.value_or(smooth.max_acceleration);
  } else if (words.cutoff_hz) {
    throw ConfigError("`cutoff_hz` needs `smooth`");
  } else if (words.max_acceleration && law) {
    throw ConfigError("`max_acceleration` needs `smooth` or the limits 'scale'");
  }
  return options;
}

void check_words(const PersonWords& person, const RobotWords& words) {
  (void)retarget_options(person, words);
  (void)settle_time(person.settle);
  try {
    (void)scaled_subject(person.height.value_or(1.75), person.mass.value_or(70.0));
  } catch (const ModelError& error) {
    throw ConfigError(error.what());
  }
}

template <class Result>
JobResult job_result(Result result, std::string json, Verdict verdict, std::vector<std::string> notes,
                     const std::shared_ptr<OpenRobot>& robot) {
  return job_result(std::move(result), std::move(json), std::move(verdict), std::move(notes),
                    std::shared_ptr<const Model>(robot, &robot->robot.model),
                    std::shared_ptr<const Robot>(robot, &robot->robot));
}

JobResult retarget_job(OpenRecording& opened, const std::shared_ptr<OpenRobot>& robot,
                       const PersonWords& person, const RobotWords& words, const OwnTargetsOption& own,
                       const Observer& watching) {
  const Reading reading(opened);
  Recording& recording = *reading;
  std::vector<std::string> notes;
  RetargetOptions options = retarget_options(person, words);
  options.subject = subject_of(recording.info(), person.height, person.mass, notes);
  options.own = own;
  Observer observer = watching;
  const Model& model = robot->robot.model;
  Page page(person, recording, model, followed_pairs(recording, robot->robot, options), robot->shapes, notes);
  page.watch(observer);
  RetargetResult result = retarget(recording, robot->robot, options, observer);
  const RobotReport report{model, recording.info(), result, opened.sensed.get()};
  page.close(page_result(report, notes));
  std::string json = robot_json(report);
  Verdict verdict = with_sensors(verdict_of(result, model), opened.sensed.get());
  return job_result(std::move(result), std::move(json), std::move(verdict), std::move(notes), robot);
}

std::vector<JobResult> imitate_job(OpenRecording& opened, const std::shared_ptr<OpenRobot>& robot,
                                   const PersonWords& person, const Observer& observer) {
  const Reading reading(opened);
  std::vector<std::string> notes;
  RetargetOptions options = imitate_options();
  options.subject = subject_of((*reading).info(), person.height, person.mass, notes);
  ImitateResult imitated = imitate(*reading, robot->robot, options, {}, observer);
  std::vector<JobResult> results;
  for (GestureResult& gesture : imitated.gestures) {
    const RobotReport report{robot->robot.model, (*reading).info(), gesture.result, opened.sensed.get()};
    std::string json = robot_json(report);
    Verdict verdict = with_sensors(verdict_of(gesture.result, robot->robot.model), opened.sensed.get());
    results.push_back(
        job_result(std::move(gesture.result), std::move(json), std::move(verdict), notes, robot));
  }
  return results;
}

// all that was judged: name, value, unit, limit, whose it is; None: not known, no limit
nb::list figures_of(const Verdict& verdict) {
  nb::list all;
  for (const auto* figures : {&verdict.figures, &verdict.more})
    for (const Figure& figure : *figures)
      all.append(nb::make_tuple(figure.name, figure.value, figure.unit, figure.limit, figure.detail));
  return all;
}

void bind_results(nb::module_& m) {
  nb::class_<Verdict>(m, "Verdict")
      .def_prop_ro("grade", [](const Verdict& self) { return std::string(to_string(self.grade)); })
      .def_ro("sentence", &Verdict::sentence)
      .def_prop_ro("figures", [](const Verdict& self) { return figures_of(self); })
      .def("figures_text", [](const Verdict& self) { return figures_text(self); });
  nb::class_<JobResult>(m, "JobResult")
      .def_ro("motion", &JobResult::motion)
      .def_ro("json", &JobResult::json)
      .def_ro("verdict", &JobResult::verdict)
      .def_ro("notes", &JobResult::notes)
      .def_ro("damage", &JobResult::damage);
  nb::class_<PersonWords>(m, "PersonWords")
      .def(nb::init<std::string, bool, double, std::optional<double>, std::optional<double>, std::string>(),
           "solver"_a, "two_way"_a, "settle"_a, "height"_a.none(), "mass"_a.none(), "page"_a);
  nb::class_<RobotWords>(m, "RobotWords")
      .def(nb::init<std::string, std::string, std::string, std::string, bool, std::optional<double>,
                    std::optional<double>>(),
           "feet"_a, "collisions"_a, "limits"_a, "relative"_a, "smooth"_a, "cutoff_hz"_a.none(),
           "max_acceleration"_a.none());
}

}  // namespace

void bind_jobs(nb::module_& m) {
  bind_results(m);
  m.def(
      "track",
      [](OpenRecording& recording, const std::string& model, const PersonWords& words, const OwnTargets* own,
         nb::object update, nb::object progress) {
        Watch watch(std::move(progress));
        const OwnTargetsOption targets = watch.own(own, std::move(update));
        return watch.run([&] { return track_job(recording, model, words, targets, watch.observer()); });
      },
      "recording"_a, "model"_a, "words"_a, "own"_a.none(), "update"_a.none(), "progress"_a.none());
  m.def(
      "retarget",
      [](OpenRecording& recording, const std::shared_ptr<OpenRobot>& robot, const PersonWords& person,
         const RobotWords& words, const OwnTargets* own, nb::object update, nb::object progress) {
        Watch watch(std::move(progress));
        const OwnTargetsOption targets = watch.own(own, std::move(update));
        return watch.run(
            [&] { return retarget_job(recording, robot, person, words, targets, watch.observer()); });
      },
      "recording"_a, "robot"_a, "person"_a, "words"_a, "own"_a.none(), "update"_a.none(),
      "progress"_a.none());
  m.def("check_words", &check_words, "person"_a, "words"_a,
        "Raises ConfigError for words that `retarget` refuses whatever the recording.");
  m.def(
      "imitate",
      [](OpenRecording& recording, const std::shared_ptr<OpenRobot>& robot, const PersonWords& words,
         nb::object progress) {
        Watch watch(std::move(progress));
        return watch.run([&] { return imitate_job(recording, robot, words, watch.observer()); });
      },
      "recording"_a, "robot"_a, "words"_a, "progress"_a.none());
}

}  // namespace panto::python
