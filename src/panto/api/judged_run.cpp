#include "panto/api/judged_run.hpp"

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/recording/trackable.hpp"

namespace panto {
namespace {

// why frames could not be solved
const char* reason(StepStatus status) {
  switch (status) {
    case StepStatus::NoTarget:
      return "no segment that the body follows is measured";
    case StepStatus::TargetNotFinite:
      return "they hold values that are not finite";
    case StepStatus::TimeNotAdvancing:
      return "their time stamps do not increase";
    case StepStatus::SizeMismatch:
      return "their segments are not those that the recording names";
    case StepStatus::Stuck:
      return "the body is turned the wrong way round in all of them";
    default:
      return "the motion could not be solved";
  }
}

// without a solved frame there is no result, whatever the recording holds
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
  throw FormatError(path + ": none of its " + counted(frames, "frame") + " can be solved: " + reason(why));
}

// adds the findings of the samples; a cut recording counts as a fault
void judge_recording(const RecordingHealth& health, bool cut, Notes& notes, TrackResult& result) {
  result.findings = health.findings();
  const auto faults = std::count_if(result.findings.begin(), result.findings.end(),
                                    [](const Finding& o) { return o.severity == Severity::Error; });
  result.card.recording_faults = faults + (cut ? 1 : 0);
  result.card.recording_remarks = static_cast<std::int64_t>(result.findings.size()) - faults;
  notes.add(warnings(result.findings));
}

ReportOptions report_options(const JudgedRun& job) {
  ReportOptions options;
  options.settle = settle_time(job.settle);
  options.expected_frames = static_cast<std::size_t>(
      std::clamp<std::int64_t>(job.recording.info().frames.value_or(1000), 0, 100000));
  return options;
}

}  // namespace

Time settle_time(double seconds) {
  if (!(seconds >= 0.0 && seconds <= 1e6))
    throw ConfigError("option 'settle' is " + std::to_string(seconds) + ", must be 0 to 1e6 [s]");
  return from_seconds(seconds);
}

std::vector<int> links_of(const std::vector<TrackedPair>& pairs) {
  std::vector<int> links;
  for (const TrackedPair& pair : pairs) links.push_back(pair.link);
  return links;
}

void Notes::add(std::string note) {
  if (note.empty()) return;
  tell(*observer_, note);
  all_.push_back(std::move(note));
}

void Notes::add(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) add(note);
}

void Notes::take(const Recording& recording) {
  const std::vector<std::string>& notes = recording.info().notes;
  for (; taken_ < notes.size(); ++taken_) add(notes[taken_]);
}

void run_judged(const JudgedRun& job, const Observer& observer, Notes& notes, TrackResult& result) {
  const RecordingInfo& info = job.recording.info();
  ReportBuilder report(job.model, result.pairs, report_options(job));
  RecordingHealth health(job.health_names, info.rate_hz, info.first_frame);
  for (const SegmentSample& person : job.persons) health.add(person);
  result.motion = {job.model.name(), job.model.joint_names(), info.rate_hz, {}};
  std::int64_t done = 0;
  const auto after_step = [&](const SegmentSample& seen, StepStatus status, const State& now) {
    const FrameFacts facts = job.facts(seen);
    StepRecord counted = facts.record;
    if (!facts.counts) counted.duration_ns = counted.allocations = std::nullopt;
    report.add(seen, now, counted);
    if (facts.person != nullptr) health.add(*facts.person);
    if (job.keep_motion && advanced(status)) result.motion.states.push_back(now);
    if (observer.person && facts.shown != nullptr) observer.person(*facts.shown);
    if (observer.frame) observer.frame(seen, now, facts.record);
    if (job.judge) job.judge(seen, facts.record.status, now);
    report_progress(observer, ++done, job.frames);
  };
  if (job.keep_motion) result.motion.contacts.assign(job.contacts.begin(), job.contacts.end());
  if (observer.contacts && !job.contacts.empty()) observer.contacts(job.contacts);
  if (observer.begin) observer.begin();
  SegmentSample sample;
  State state = rest_state(job.model);
  const Tally tally =
      panto::run<SegmentSample>({job.source, job.tracker, observer.sinks, after_step}, sample, state);
  result.card = report.report();
  const bool damaged = tally.reads[static_cast<std::size_t>(ReadStatus::Malformed)] > 0;
  notes.take(job.recording);
  judge_recording(health, damaged || info.incomplete, notes, result);
  if (damaged) result.damage = job.recording.problem();
  result.frames_used = result.card.frames;
  if (std::string note = unsettled_note(result.card, job.settle); !note.empty()) notes.add(std::move(note));
  if (tally.reads[static_cast<std::size_t>(ReadStatus::Sample)] == 0)
    throw FormatError(damaged ? job.recording.problem() : info.path + ": holds no frames of motion");
  check_answered(info.path, tally);
}

}  // namespace panto
