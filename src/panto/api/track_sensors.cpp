#include "panto/api/track_sensors.hpp"

#include <utility>

#include "panto/api/judged_run.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/evaluation/joint_deviations.hpp"
#include "panto/evaluation/posture.hpp"
#include "panto/tracking/measured_tracker.hpp"
#include "panto/tracking/run.hpp"
#include "panto/tracking/sensed_body.hpp"
#include "panto/tracking/sensed_person.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto {
namespace {

ReportOptions report_options(const SensorTrackOptions& options, const ImuClip& clip) {
  ReportOptions report;
  report.settle = settle_time(options.settle);
  report.expected_frames = clip.times.size();
  return report;
}

// Passes one clip through filter, smoother and report.
class SensorRun {
 public:
  SensorRun(SensedBody& body, const SensorTrackOptions& options, const Observer& observer)
      : body_(body),
        options_(options),
        observer_(observer),
        samples_(std::ssize(body.clip().times)),
        report_(body.model(), {}, report_options(options, body.clip())),
        deviations_(body.model(), settle_time(options.settle)),
        posture_(body.model(), body.links()) {
    result_.motion.model_name = body.model().name();
    result_.motion.joint_names = body.model().joint_names();
    result_.motion.rate_hz = body.clip().rate_hz;
  }

  [[nodiscard]] SensorTrackResult run() {
    for (const std::string& line : body_.notes()) note(line);
    if (options_.smooth) smooth();
    if (observer_.begin) observer_.begin();
    const Tally tally = follow();
    std::int64_t searched = 0;
    result_.found = body_.findings([this](std::string_view text) { note(text); },
                                   [&] { report_progress(observer_, ++searched, std::nullopt); });
    result_.card = report_.report();
    if (const std::string text = unsettled_note(result_.card, options_.settle); !text.empty()) note(text);
    result_.posture = posture_.findings();
    const std::vector<unsigned char> measured = measured_joints(result_.found, body_.model());
    result_.known = deviations_.known(measured);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (measured[i] == 0) result_.unmeasured_joints.push_back(body_.model().joint_names()[i]);
    }
    for (std::size_t i = 0; i < held_s_.size(); ++i) {
      if (held_s_[i] > 0.0) result_.held_joints.emplace_back(body_.model().joint_names()[i], held_s_[i]);
    }
    result_.refined = body_.refined();
    if (tally.steps[static_cast<std::size_t>(StepStatus::Solved)] == 0)
      throw FormatError(body_.clip().name + ": none of its samples can be solved");
    return std::move(result_);
  }

 private:
  void note(std::string_view text) {
    result_.notes.emplace_back(text);
    tell(observer_, text);
  }

  void progress() { report_progress(observer_, ++done_, (options_.smooth ? 3 : 1) * samples_); }

  // Deviations double the smoother's time.
  [[nodiscard]] bool knows_deviations() const { return !options_.smooth || options_.deviations; }

  // Filters and smooths everything before the first frame.
  void smooth() {
    const std::int64_t start = observer_.nanoseconds ? observer_.nanoseconds() : 0;
    InertialSmoothingOptions smoothing;
    smoothing.deviations = options_.deviations;
    smoothing.filtered = [this](StepStatus status) {
      body_.count(status);
      progress();
    };
    smoothing.smoothed = [this] { progress(); };
    const auto read = [this](std::size_t index, ImuSample& sample) {
      body_.recording().sample(index, sample);
    };
    smoothed_.emplace(body_.tracker(), RecordedImuSamples{body_.clip().times.size(), read}, smoothing);
    result_.smoothed = smoothed_->counts();
    if (observer_.nanoseconds) smoothing_ns_ = (observer_.nanoseconds() - start) / samples_;
  }

  [[nodiscard]] Tally follow() {
    Tracker<ImuSample>& tracker = smoothed_ ? static_cast<Tracker<ImuSample>&>(*smoothed_) : body_.tracker();
    MeasuredTracker<ImuSample> measured(tracker, observer_);
    const auto after_step = [&](const ImuSample& sample, StepStatus status, const State& state) {
      StepRecord& record = measured.record;
      if (record.duration_ns) *record.duration_ns += smoothing_ns_;
      if (knows_deviations())
        record.deviation = smoothed_ ? smoothed_->deviation() : body_.tracker().deviation();
      record.held = smoothed_ ? smoothed_->held() : body_.tracker().held();
      if (!smoothed_) body_.count(status);
      take(sample.t, state, record);
      progress();
    };
    ImuSample sample;
    State state = body_.tracker().start_state();
    return panto::run<ImuSample>({body_.recording(), measured, observer_.sinks, after_step}, sample, state);
  }

  void take(Time t, const State& state, const StepRecord& record) {
    shown_.t = t;
    if (knows_deviations() && advanced(record.status)) deviations_.add(t, record.deviation, record.held);
    report_.add(shown_, state, record);
    if (advanced(record.status)) {
      posture_.add(state);
      count_held(t, record.held);
    }
    if (observer_.frame) observer_.frame(shown_, state, record);
    if (!options_.keep_motion || !advanced(record.status)) return;
    result_.motion.states.push_back(state);
    if (options_.deviations) result_.deviation.push_back(record.deviation);
  }

  // until the next frame, a joint that is held stays so
  void count_held(Time t, const std::vector<unsigned char>& held) {
    held_s_.resize(held.size(), 0.0);
    for (std::size_t i = 0; i < was_held_.size(); ++i)
      if (was_held_[i] != 0) held_s_[i] += to_seconds(t - before_);
    was_held_ = held;
    before_ = t;
  }

  SensedBody& body_;
  const SensorTrackOptions& options_;
  const Observer& observer_;
  std::int64_t samples_, done_ = 0;
  ReportBuilder report_;
  JointDeviations deviations_;
  PostureWatch posture_;
  std::vector<double> held_s_;  // by joint
  std::vector<unsigned char> was_held_;
  Time before_ = 0;
  std::optional<SmoothedInertialTracker> smoothed_;
  std::int64_t smoothing_ns_ = 0;  // per sample
  SegmentSample shown_;            // raw sensors have no segments
  SensorTrackResult result_;
};

}  // namespace

SensorTrackResult track(ImuClip clip, const Model& model, const SensorSetup& sensors,
                        const SensorTrackOptions& options, const Observer& observer) {
  SensedBody body(std::move(clip), model, sensors, {options.refine, options.subject});
  SensorTrackResult result = SensorRun(body, options, observer).run();
  result.assumed_mounts = assumed_mounts(sensors, model);
  return result;
}

SensedRecording sensed_person(ImuClip clip, const Model& human, const SensorSetup& sensors,
                              const SubjectDimensions& subject, const Observer& observer) {
  auto person = std::make_unique<SensedPerson>(std::move(clip), human, sensors, subject, observer);
  std::shared_ptr<const SensedFigures> figures = person->figures();
  return {std::move(person), std::move(figures)};
}

}  // namespace panto
