#include "apps/web/workbench.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "panto/api/relative_words.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/base/error.hpp"
#include "panto/base/time.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/report/run_page.hpp"

namespace panto::web {
namespace {

constexpr double kWarmUp = 1.0;  // [s] that a part is solved for before what is shown of it

void check(const char* what, double value, double least, double most) {
  if (!(value >= least && value <= most)) throw ConfigError(std::string(what) + " is out of range");
}

// raw sensors need the table of their mountings, which was dropped with them
SensorSetup mountings_among(const std::vector<File>& others, const std::string& sensors) {
  const auto table = std::find_if(others.begin(), others.end(),
                                  [](const File& other) { return other.name.ends_with(".toml"); });
  if (table == others.end())
    throw ConfigError("'" + sensors +
                      "' holds raw sensors: drop it together with the table (.toml) of their mountings");
  return io::read_sensors(table->bytes, table->name);
}

bool is_raw(io::Input& input) {
  const io::ImuFormat format = io::recognise_imu(input);
  return format != io::ImuFormat::None && format != io::ImuFormat::Sto;
}

// limbs of a person: arms 1, legs 2, others 0
int limb_of(const std::string& segment) {
  for (const char* part : {"Shoulder", "UpperArm", "ForeArm", "Hand"})
    if (segment.find(part) != std::string::npos) return 1;
  for (const char* part : {"UpperLeg", "LowerLeg", "Foot", "Toe"})
    if (segment.find(part) != std::string::npos) return 2;
  return 0;
}

Model with_speed(const Model& model, double factor) {
  ModelSpec spec = model.spec();
  for (Joint& joint : spec.joints) joint.velocity *= factor;
  return Model(std::move(spec));
}

RetargetOptions retargeting(const Settings& settings) {
  check("acceleration", settings.max_acceleration, 1.0, 1e6);
  RetargetOptions options;
  options.feet = settings.feet;
  options.collisions = settings.collisions;
  if (!settings.hands.empty()) options.relative = robot::parse_relative(settings.hands, "hands");
  if (settings.cutoff_hz) {
    SmoothingOptions& smooth = options.smooth.emplace();
    smooth.cutoff_hz = *settings.cutoff_hz;
    smooth.max_acceleration = settings.max_acceleration;
  }
  return options;
}

// the file among `files` whose path ends as `name` does, as far back as any does:
// "package://g1/meshes/hip.stl"
std::optional<std::string> file_like(const std::vector<File>& files, std::string name) {
  while (!name.empty()) {
    for (const File& file : files)
      if (file.name == name || file.name.ends_with("/" + name)) return file.bytes;
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) break;
    name.erase(0, slash + 1);
  }
  return std::nullopt;
}

std::string facts_of(const Model& model, const std::vector<std::string>& notes) {
  return nlohmann::json{{"name", model.name()}, {"joints", model.dof()}, {"notes", notes}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

// A body that follows: a robot with its map, or a human, whose map is not used.
struct Workbench::Body {
  Robot robot;
  bool human = false;
  std::vector<io::LinkMesh> meshes = {};
  std::vector<std::string> notes = {};
};

Workbench::Workbench() { open_body("unitree_g1"); }

std::unique_ptr<EditedRecording> Workbench::wear(Sensed& sensed) {
  const SubjectDimensions subject = scaled_subject(1.75);
  std::vector<std::string> notes;
  const SensedRecording person = sensed_person(
      edited(sensed.clip, sensed.edits), io::open_model("human66", subject, notes), sensed.setup, subject);
  auto clip = std::make_unique<EditedRecording>(*person.recording);
  sensed.figures = person.figures;
  return clip;
}

std::string Workbench::open_recording(const File& file, const std::vector<File>& others) {
  std::vector<std::string> notes;
  std::optional<Sensed> sensed;
  io::Input input(file.bytes, file.name);
  const bool moved_robot = io::is_robot_motion(input);
  if (!moved_robot && is_raw(input)) {
    sensed = Sensed{io::open_imu(file.bytes, file.name), mountings_among(others, file.name), {}, nullptr};
    clip_ = wear(*sensed);
  } else {
    clip_ = std::make_unique<EditedRecording>(moved_robot ? *open_person(input, "", {}, notes)
                                                          : *io::open_mapped_recording(input, {}, notes));
  }
  sensed_ = std::move(sensed);
  motion_ = nullptr;
  const RecordingInfo& info = clip_->info();
  notes.insert(notes.end(), info.notes.begin(), info.notes.end());
  const std::vector<Time>& t = clip_->stamps();
  const nlohmann::json height = info.subject ? nlohmann::json(info.subject->height) : nlohmann::json();
  return nlohmann::json{{"name", file.name},
                        {"format", info.format},
                        {"frames", t.size()},
                        {"from_s", to_seconds(t.front())},
                        {"until_s", to_seconds(t.back())},
                        {"rate_hz", info.rate_hz},
                        {"height_m", height},
                        {"segments", clip_->names()},
                        {"sensors", sensed_ ? sensed_->clip.sensors : std::vector<std::string>{}},
                        {"notes", notes}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Workbench::open_body(const std::string& name) {
  if (name == "human66" || name == "human48") {
    human_ = name;
    robot_ = nullptr;
    return nlohmann::json{{"name", name}}.dump();
  }
  const std::vector<std::string>& known = io::shipped_robots();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw ConfigError(unknown_name("body", name, "Panto", io::shipped_models()));
  const io::RobotFile file = io::open_robot(name);
  robot_ = std::make_shared<const Body>(Body{robot_of(file), false, {}, file.notes});
  human_.clear();
  return facts_of(robot_->robot.model, robot_->robot.notes);
}

std::string Workbench::open_body(const File& file, const std::vector<File>& others) {
  const io::OpenFile open_file = [&others](const std::string& name) { return file_like(others, name); };
  const io::RobotFile opened = io::open_robot(file.bytes, file.name, open_file);
  std::vector<std::string> notes = opened.notes;
  std::vector<io::LinkMesh> meshes = io::page_meshes(opened.shapes.get(), opened.model, notes, &open_file);
  robot_ = std::make_shared<const Body>(Body{robot_of(opened), false, std::move(meshes), notes});
  human_.clear();
  notes.insert(notes.end(), robot_->robot.notes.begin(), robot_->robot.notes.end());
  return facts_of(robot_->robot.model, notes);
}

std::shared_ptr<const Workbench::Body> Workbench::body_for(const Settings& settings) const {
  check("speed", settings.speed, 0.05, 10.0);
  for (const double weight : {settings.arms, settings.legs}) check("weight", weight, 0.01, 100.0);
  std::vector<std::string> notes;
  if (!human_.empty()) {
    const SubjectDimensions subject = subject_of(clip_->info(), settings.height, {}, notes);
    return std::make_shared<const Body>(
        Body{{io::open_model(human_, subject, notes), {}, {}, {}}, true, {}, notes});
  }
  if (settings.speed == 1.0 && settings.arms == 1.0 && settings.legs == 1.0) return robot_;
  Body body = *robot_;
  if (settings.speed != 1.0) body.robot.model = with_speed(body.robot.model, settings.speed);
  for (Attachment& a : body.robot.map.attachments.attachments) {
    const int limb = limb_of(a.segment);
    const double factor = limb == 1 ? settings.arms : limb == 2 ? settings.legs : 1.0;
    if (factor != 1.0)
      a.orientation_weight =
          factor * a.orientation_weight.value_or(robot_solver_options().dynamical.orientation_weight);
  }
  return std::make_shared<const Body>(std::move(body));
}

EditedRecording& Workbench::clip_for(const Settings& settings, std::optional<Time> from,
                                     std::optional<Time> until) {
  if (!clip_) throw ConfigError("open a recording first");
  if (sensed_ && settings.sensors != sensed_->edits) {
    Sensed changed{sensed_->clip, sensed_->setup, settings.sensors, nullptr};
    clip_ = wear(changed);
    sensed_ = std::move(changed);
  }
  clip_->edit(settings.edits, from, until);
  return *clip_;
}

Solved Workbench::solve(const Settings& settings) {
  EditedRecording& clip = clip_for(settings);
  const std::shared_ptr<const Body> body = body_for(settings);
  std::vector<std::string> notes = body->notes;
  RetargetOptions options = retargeting(settings);
  options.subject = subject_of(clip.info(), settings.height, {}, notes);
  Solved solved;
  const RunPageFacts facts{PANTO_VERSION, body->meshes, notes, figures(), kReportPagePlace};
  const io::Destination to{"run.json", solved.run};
  RunPage run = body->human ? track_page(to, clip, body->robot.model, facts)
                            : retarget_page(to, clip, body->robot, options, facts);
  solved.sentence = run.verdict.sentence;
  motion_ = std::make_shared<const Motion>(std::move(run.motion));
  solved.frames = std::ssize(motion_->states);
  last_ = body;
  return solved;
}

Window Workbench::window(const Settings& settings, double from_s, double until_s) {
  check("window", until_s - from_s, 0.0, 60.0);
  EditedRecording& clip = clip_for(settings, from_seconds(from_s - kWarmUp), from_seconds(until_s));
  const std::shared_ptr<const Body> body = body_for(settings);
  std::vector<std::string> notes;
  RetargetOptions options = retargeting(settings);
  options.subject = subject_of(clip.info(), settings.height, {}, notes);
  const Motion motion =
      body->human ? track(clip, body->robot.model).motion : retarget(clip, body->robot, options).motion;
  Window window;
  window.columns = 7 + body->robot.model.dof();
  for (const State& state : motion.states) {
    if (to_seconds(state.t) < from_s - 1e-9) continue;
    window.t.push_back(to_seconds(state.t));
    const Eigen::Vector4d wxyz = so3::to_quaternion_wxyz(state.R_WB);
    for (const double place : state.p_WB) window.rows.push_back(place);
    for (const int k : {1, 2, 3, 0}) window.rows.push_back(wxyz[k]);
    for (const double joint : state.s) window.rows.push_back(joint);
  }
  return window;
}

std::string Workbench::save(const std::string& name, const std::string& layout, double fps) const {
  if (!motion_) throw ConfigError("nothing is solved yet");
  io::WriteMotionOptions options;
  options.layout = layout;
  options.resample_hz = fps;
  return io::motion_bytes(*motion_, last_->robot.model, name, options);
}

}  // namespace panto::web
