#include "apps/panto/tracking.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <numbers>
#include <utility>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/panto/kept_recording.hpp"
#include "apps/panto/progress.hpp"
#include "panto/api/models.hpp"
#include "panto/api/robot_shapes.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/rig_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/live/address.hpp"
#include "panto/report/robot_report.hpp"
#include "panto/retarget/robot_binding.hpp"
#include "panto/tracking/measured_tracker.hpp"
#include "panto/tracking/sensed_person.hpp"

namespace panto::app {
namespace {

SubjectDimensions subject_of(const RecordingInfo& info, const TrackingOptions& options,
                             std::vector<std::string>& notes) {
  if (options.height) return scaled_subject(*options.height, options.mass.value_or(70.0));
  if (info.subject) {
    SubjectDimensions subject = *info.subject;
    if (options.mass) subject.mass = *options.mass;
    if (subject.height < 1.0 || subject.height > 2.3) {
      std::array<char, 120> text{};
      std::snprintf(text.data(), text.size(),
                    "the person of this recording is %.2f m tall: are its lengths in another unit? (--height "
                    "says otherwise)",
                    subject.height);
      notes.emplace_back(text.data());
    }
    return subject;
  }
  notes.push_back(
      "the recording has no body dimensions: an average body of 1.75 m is used (--height says otherwise)");
  return scaled_subject(1.75, options.mass.value_or(70.0));
}

void check_links(const std::string& name, const Model& model, const AttachmentMap& map) {
  for (const Attachment& a : map.attachments) {
    if (model.find_link(a.link)) continue;
    throw ModelError("model '" + model.name() + "' has no link '" + a.link +
                     "'; Panto follows a human: its links must be named like MVN's segments "
                     "(Pelvis, L5, L3, T12, ... LeftToe). For a robot: panto retarget RECORDING --robot " +
                     name);
  }
}

Model model_of(const TrackingOptions& options, const RecordingInfo& info, std::vector<std::string>& notes) {
  if (has_own_size(options.model) && (options.height || options.mass))
    throw ConfigError("--height and --mass scale human66 and human48; the sizes of '" + options.model +
                      "' are its own");
  Model model = resolve_model(options.model, subject_of(info, options, notes), notes);
  if (!model.rows().empty()) {
    notes.push_back("model '" + model.name() + "' couples joints (" + std::to_string(model.rows().size()) +
                    (model.rows().size() == 1 ? " row" : " rows") + "); it is tracked without that coupling");
  }
  check_links(options.model, model, info.attachments);
  return model;
}

// what a frame without an answer lacks
const char* reason(StepStatus status) {
  switch (status) {
    case StepStatus::NoTarget:
      return "no segment that the body follows is measured in them";
    case StepStatus::TargetNotFinite:
      return "they hold values that are no numbers";
    case StepStatus::TimeNotAdvancing:
      return "their time does not advance";
    case StepStatus::SizeMismatch:
      return "they do not have the segments that the recording names";
    case StepStatus::Stuck:
      return "the body stands the wrong way round in all of them";
    default:
      return "the motion could not be solved";
  }
}

// the line of the map that names a joint which the recording has not; the map as a whole where none does
std::string place_in_map(const TrackingOptions& options, const RecordingHints& known) {
  if (io::recognise(options.input) != io::RecordingKind::Bvh) return options.rig;
  const io::BvhClip clip = io::read_bvh_file(options.input);
  for (std::size_t i = 0; i < known.rig.joint.size(); ++i) {
    for (const std::string& joint : {known.rig.joint[i], known.rig.next[i]}) {
      if (joint.empty() || clip.find_joint(joint)) continue;
      const int line = io::line_of_joint(options.rig, joint);
      return line > 0 ? options.rig + ":" + std::to_string(line) : options.rig;
    }
  }
  return options.rig;
}

// nothing was answered: there is no result, whatever the recording holds
void check_answered(const std::string& path, const Tally& tally) {
  std::int64_t most = 0;
  StepStatus why = StepStatus::NumericalFailure;
  for (int i = 0; i < kStepStatusCount; ++i) {
    const auto status = static_cast<StepStatus>(i);
    if (usable(status) && tally.steps[at(i)] > 0) return;
    if (tally.steps[at(i)] <= most) continue;
    most = tally.steps[at(i)];
    why = status;
  }
  const std::int64_t frames = tally.reads[static_cast<std::size_t>(ReadStatus::Sample)];
  throw FormatError(path + ": none of its " + counted(frames, "frame") + " can be followed: " + reason(why));
}

[[noreturn]] void refuse_points(const std::string& input, const std::string& output) {
  throw ConfigError("output '" + output + "': points are not tracked; `panto convert " + input + " " +
                    output + "` writes them");
}

// what the names of outputs tell before the work
void check_names(const TrackingOptions& options) {
  if (options.input.empty()) throw ConfigError("the recording's name is empty");
  for (const std::string& path : options.outputs) {
    if (live::is_address(path)) {
      (void)live::parse_udp_address(path);
      continue;
    }
    const std::string extension = io::extension_of(path);
    if (extension == ".trc") refuse_points(options.input, path);
    io::check_state_name(path, options.robot.empty());
  }
  const std::string extension = io::extension_of(options.report);
  if (!options.report.empty() && extension != ".html" && extension != ".htm")
    throw ConfigError("--report '" + options.report + "': a page is written; its name must end in .html");
  if (!options.frames.empty() && io::extension_of(options.frames) != ".csv")
    throw ConfigError("--frames '" + options.frames + "': a table is written; its name must end in .csv");
}

}  // namespace

void say(const std::vector<std::string>& notes, std::size_t already) {
  for (std::size_t i = already; i < notes.size(); ++i)
    std::fprintf(stderr, "%s%s\n",
                 notes[i].rfind("warning: ", 0) == 0 ? "" : "note: ", printable(notes[i]).c_str());
}

RecordingHints read_known(const TrackingOptions& options, std::vector<std::string>& notes) {
  RecordingHints known;
  if (!options.rig.empty()) known = io::read_rig_map(options.rig, notes);
  known.height = options.height.value_or(0.0);
  return known;
}

namespace {

std::unique_ptr<Recording> open_sensed(const TrackingOptions& options) {
  if (options.sensors.empty())
    throw ConfigError("'" + options.input +
                      "' holds raw sensors: --sensors FILE must say where they sit (panto track, "
                      "retarget and imitate take it)");
  return std::make_unique<SensedPerson>(
      SensedBodyOptions{options.input, options.sensors, options.person, options.height, options.mass});
}

}  // namespace

std::unique_ptr<Recording> open_recording(const TrackingOptions& options, const RecordingHints& known,
                                          std::vector<std::string>& notes) {
  // a table of sensors' orientations can still be converted as it is
  const bool asked = !options.sensors.empty();
  const io::ImuFormat raw = io::recognise_imu(options.input, asked);
  if (raw != io::ImuFormat::None && (asked || raw != io::ImuFormat::Sto)) return open_sensed(options);
  if (!options.sensors.empty())
    throw ConfigError("--sensors is for raw sensors; '" + options.input +
                      "' holds none (panto inspect says what it holds)");
  std::unique_ptr<Recording> file;
  try {
    file = io::open_recording(options.input, known);
  } catch (const ConfigError& error) {
    if (!options.rig.empty()) throw ModelError(place_in_map(options, known) + ": " + error.what());
    throw;
  }
  if (!options.rig.empty() && !file->info().rig)
    notes.push_back("the rig map '" + options.rig + "' is not used: " + file->info().format +
                    " is no skeleton of joints");
  return file;
}

int finish_damaged(const std::string& problem, std::int64_t frames) {
  if (problem.empty()) return kGood;
  std::fprintf(stderr, "panto: %s\npanto: the %s before it %s used\n", printable(problem).c_str(),
               counted(frames, "frame").c_str(), frames == 1 ? "was" : "were");
  return kUnusableInput;
}

int TrackingResult::finish() const {
  const int code = finish_damaged(problem, used);
  return complete ? code : kUnusableInput;
}

Tracking::Tracking(TrackingOptions options) : options_(std::move(options)) {
  check_outputs(output_paths(),
                {options_.input, options_.sensors, options_.model, options_.robot, options_.rig});
  check_names(options_);
  check_effects(options_);
  file_ = open_recording(options_, read_known(options_, notes_), notes_);
  if (const auto* person = dynamic_cast<const SensedPerson*>(file_.get())) sensed_ = person->figures();
  bind();
}

Tracking::Tracking(TrackingOptions options, std::unique_ptr<Recording> file, std::vector<std::string> notes)
    : options_(std::move(options)), file_(std::move(file)), notes_(std::move(notes)) {
  bind();
}

namespace {

// Without alignment a sample after a gap holds the pose. A recording whose every frame comes later than that
// would never move: its frames are stepped to, however far apart.
void bridge_frames(double rate_hz, std::vector<std::string>& notes, DynamicalOptions& options) {
  if (options.align || !(rate_hz > 0.0) || 1.0 / rate_hz <= options.max_interval) return;
  options.max_interval = 1.5 / rate_hz;
  notes.push_back("frames come every " + digits(1.0 / rate_hz, 3) +
                  " s; a step spans that much, and gaps are longer than " + digits(options.max_interval, 3) +
                  " s");
}

}  // namespace

void Tracking::bind() {
  take_notes();
  check_trackable(*file_);
  if (options_.robot.empty()) {
    model_.emplace(model_of(options_, file_->info(), notes_));
  } else {
    bind_robot();
  }
  const RecordingInfo& info = file_->info();
  SolverOptions solver = solver_options(options_);
  bridge_frames(info.rate_hz, notes_, solver.dynamical);
  make_some_tracker(solver);
  if (robot_file_ != nullptr && robot_file_->plants_feet()) divide(solver.dynamical.max_interval);
  if (whole_) look_back(solver, std::move(whole_));
  if (robot_file_ != nullptr) make_judge();
  if (first_pass_) probe_outputs();
  if (options_.scale) {
    scale();
  } else {
    if (options_.smooth && first_pass_) smooth(solver.dynamical.limits.speed_limit);
    if (robot_file_ != nullptr && options_.feet != FeetMode::Off && model_->floating_base()) lift(solver);
  }
  first_pass_.reset();
  if (!options_.turns) open_outputs();
  say(notes_);
}

void Tracking::make_judge() {
  RobotFiguresOptions judged;
  judged.settle = from_seconds(options_.settle);
  judged.speed_limit = solver_options(options_).dynamical.limits.speed_limit;
  judge_.emplace(*model_, robot_map_, pairs(), file_->names(), robot_file_->skeleton(), person_feet_, judged);
}

// The robot, its map, and the recording as what the robot should do.
void Tracking::bind_robot() {
  const SubjectDimensions subject = subject_of(file_->info(), options_, notes_);
  NamedRobot robot = resolve_robot(options_.robot, subject, notes_);
  model_.emplace(std::move(robot.model));
  robot_map_ = std::move(robot.proposal);
  const auto& joints = model_->spec().joints;
  const bool limited = std::none_of(joints.begin(), joints.end(), [](const Joint& joint) {
    return joint.type != JointType::Fixed && std::isinf(joint.velocity);
  });
  if (options_.speed_limit && limited)
    notes_.push_back("every joint of '" + model_->name() +
                     "' has a speed limit of its own: --speed-limit changes nothing");
  if (options_.relative) robot_map_.map.relative = *options_.relative;
  if (!options_.gain) hasten_firm_hands(robot_map_.map);
  // a recording is gone through several times: for the floor and the feet, for planting, lifting and the run
  const std::shared_ptr<const KeptRecording> kept = KeptRecording::of(*file_);
  const OpenAgain open_again = [this, kept] {
    if (kept) return KeptRecording::open(kept);
    std::vector<std::string> known_already;
    return open_recording(options_, read_known(options_, known_already), known_already);
  };
  file_ = open_again();
  check_followed(*file_, options_.input, *model_, robot_map_.map, options_.turns);
  RobotClip clip =
      open_robot_clip(std::move(file_), open_again, *model_, robot_map_.map, subject, options_.feet);
  if (options_.smooth || options_.scale || (options_.feet != FeetMode::Off && model_->floating_base()))
    first_pass_ = clip.again(open_again());
  if (options_.align && !options_.scale) whole_ = clip.again(open_again());
  person_feet_ = std::move(clip.feet);
  for (const std::string& note : person_feet_.contacts.notes) notes_.push_back(note);
  robot_file_ = clip.recording.get();
  file_ = std::move(clip.recording);
  take_notes();
}

// of the file, those that are new
void Tracking::take_notes() {
  const std::vector<std::string>& notes = file_->info().notes;
  for (; notes_taken_ < notes.size(); ++notes_taken_) notes_.push_back(notes[notes_taken_]);
}

// every file that the options name to be written
std::vector<std::string> Tracking::output_paths() const {
  std::vector<std::string> paths;
  std::copy_if(options_.outputs.begin(), options_.outputs.end(), std::back_inserter(paths),
               [](const std::string& path) { return !live::is_address(path); });
  for (const std::string& path : {options_.report, options_.frames}) {
    if (!path.empty()) paths.push_back(path);
  }
  return paths;
}

std::vector<TrackedPair> Tracking::pairs() const {
  const AttachmentMap& map = file_->info().attachments;
  std::vector<TrackedPair> pairs;
  for (std::size_t j = 0; j < map.attachments.size(); ++j) {
    const Attachment& a = map.attachments[j];
    pairs.push_back({tracker_->attachments().segment(j), tracker_->attachments().rows()[j].link, a.R_SF,
                     a.orientation, a.position});
  }
  return pairs;
}

void Tracking::open_outputs() {
  for (const std::string& path : options_.outputs) {
    if (live::is_address(path)) {
      if (std::any_of(links_.begin(), links_.end(), [&](const auto& link) { return link->address == path; }))
        throw ConfigError("output '" + path + "' is given twice");
      links_.push_back(std::make_unique<LinkOutput>(path, *model_, options_.rate, file_->info().rate_hz));
      continue;
    }
    files_.push_back(path);
    outputs_.push_back(io::create_state_file(path, *model_, {file_->info().rate_hz, options_.angles}));
  }
  if (!options_.frames.empty()) frames_.emplace(options_.frames, *model_, pairs());
  if (options_.report.empty()) return;
  const std::string urdf = urdf_behind(options_.robot.empty() ? options_.model : options_.robot);
  page_ = std::make_unique<ReportPage>(
      options_.report, *model_, pairs(),
      ReportPageInfo{options_.input + part_, file_->info().format, PANTO_VERSION, file_->info().rate_hz,
                     from_seconds(options_.settle), file_->names(), settings_of(options_),
                     urdf.empty() ? std::vector<io::LinkMesh>() : page_meshes(urdf, *model_, notes_)});
}

TrackingResult Tracking::run(const Observe& observe) {
  const Interruption interruption;
  try {
    return follow(observe);
  } catch (const Interrupted&) {
    discard_outputs();
    throw;
  }
}

TrackingResult Tracking::follow(const Observe& observe) {
  const RecordingInfo& info = file_->info();
  ReportOptions report_options;
  report_options.settle = from_seconds(options_.settle);
  report_options.expected_frames =
      static_cast<std::size_t>(std::clamp<std::int64_t>(info.frames.value_or(1000), 0, 100000));
  ReportBuilder report(*model_, pairs(), report_options);
  MeasuredTracker<SegmentSample> measured(answering());
  std::vector<Sink*> sinks;
  for (const auto& output : outputs_) sinks.push_back(output.get());
  for (const auto& link : links_) sinks.push_back(&link->paced);
  RecordingHealth health(robot_file_ != nullptr ? robot_file_->names() : human_names(*file_), info.rate_hz,
                         info.first_frame);
  SegmentSample sample;
  State state = tracker_->rest_state();
  Tally tally;
  {
    Progress progress(scaled_ ? scaled_->frames() : info.frames);
    // of a recording that is answered at other stamps: its own
    if (scaled_)
      for (const SegmentSample& person : scaled_->persons()) health.add(person);
    const auto after_step = [&](const SegmentSample& seen, StepStatus, const State& now) {
      const StepRecord record = solved(measured.record);
      report.add(seen, now, once(record));
      if (!scaled_) health.add(robot_file_ != nullptr ? robot_file_->person() : seen);
      if (page_) page_->add(seen, now, record);
      if (frames_) frames_->add(seen, now, record);
      if (judge_)
        judge_->add(seen, record.status, now,
                    scaled_ ? scaled_->touches() : robot_file_->skeleton().touches(),
                    scaled_ ? scaled_->frame() : robot_file_->frame());
      if (observe) observe(seen, now, record);
      progress.frame();
    };
    tally = panto::run<SegmentSample>(
        {scaled_ ? static_cast<Source<SegmentSample>&>(*scaled_) : *file_, measured, sinks, after_step},
        sample, state);
  }
  TrackingResult result;
  result.card = report.report();
  const std::size_t said = notes_.size();
  if (judge_) take_verdict(result);
  take_notes();
  const bool damaged = tally.reads[static_cast<std::size_t>(ReadStatus::Malformed)] > 0;
  judge_recording(health, damaged || file_->info().incomplete, result.card);
  say(notes_, said);

  if (damaged) result.problem = file_->problem();
  result.used = result.card.frames;
  if (scaled_ && !options_.turns) {  // that was read before
    result.problem = free_->problem;
    result.used = static_cast<std::int64_t>(free_->samples.size());
  }
  if (tally.reads[static_cast<std::size_t>(ReadStatus::Sample)] == 0)
    throw FormatError(damaged ? file_->problem() : options_.input + ": holds no frames of motion");
  try {
    check_answered(options_.input, tally);
  } catch (const FormatError&) {
    discard_outputs();
    throw;
  }
  const std::int64_t dropped = tally.writes[static_cast<std::size_t>(WriteStatus::Dropped)];
  const bool heard = say_unheard();
  if (dropped > 0 && heard)
    std::fprintf(stderr, "panto: %s could not be written\n", counted(dropped, "frame").c_str());
  result.complete = dropped == 0;
  close_outputs(result);
  if (page_) close_page(result);
  return result;
}

// References that an address did not take; true when there are none.
bool Tracking::say_unheard() const {
  bool heard = true;
  for (const auto& link : links_) {
    if (link->sender->dropped() == 0) continue;
    heard = false;
    std::fprintf(stderr, "panto: %s to %s could not be sent; does anybody listen there?\n",
                 counted(link->sender->dropped(), "reference").c_str(), link->address.c_str());
  }
  return heard;
}

void Tracking::take_verdict(TrackingResult& result) {
  result.robot = judge_->verdict();
  result.robot->ambiguous_starts = hindsight_ ? hindsight_->ambiguous_starts() : tracker_->ambiguous_starts();
  if (result.robot->ambiguous_starts > 0)
    notes_.push_back(
        counted(result.robot->ambiguous_starts, "start") +
        " with another pose about as good: a recording that begins elsewhere may go on in that one");
}

// what the samples say of the recording, and that some are missing, goes into the card and to who tracks it
void Tracking::judge_recording(const RecordingHealth& health, bool cut, ReportCard& card) {
  const std::vector<Oddity> oddities = health.oddities();
  const auto faults = std::count_if(oddities.begin(), oddities.end(),
                                    [](const Oddity& o) { return o.weight == OddityWeight::Fault; });
  card.recording_faults = faults + (cut ? 1 : 0);
  card.recording_remarks = static_cast<std::int64_t>(oddities.size()) - faults;
  for (std::string& warning : warnings(oddities)) notes_.push_back(std::move(warning));
}

// what was written on the way to no result does not stay behind
void Tracking::discard_outputs() {
  outputs_.clear();
  page_.reset();
  frames_.reset();
  remove_parts(output_paths());
}

// closes every output, whatever becomes of the others
void Tracking::close_outputs(TrackingResult& result) {
  const auto close = [&result](auto& output, const std::string& path) {
    try {
      output.close();
      result.written.push_back(path);
    } catch (const Error& error) {
      std::fprintf(stderr, "panto: %s\n", printable(error.what()).c_str());
      result.complete = false;
    }
  };
  for (std::size_t i = 0; i < outputs_.size(); ++i) close(*outputs_[i], files_[i]);
  for (const auto& link : links_) result.written.push_back(link->close());
  if (frames_) close(*frames_, options_.frames);
}

void Tracking::close_page(TrackingResult& result) {
  const RecordingInfo& info = file_->info();
  std::vector<std::string> notes = notes_;
  if (!result.problem.empty()) notes.push_back(result.problem);
  page_->close({result.card, notes, info.rig, info.rig_joints, about_part_,
                scaled_ ? page_scaling(*this, result) : ""});
  result.written.push_back(options_.report);
}

}  // namespace panto::app
