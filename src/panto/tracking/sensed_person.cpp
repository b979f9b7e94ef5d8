#include "panto/tracking/sensed_person.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/failure.hpp"
#include "panto/tracking/sensor_notes.hpp"

namespace panto {
namespace {

const Model& human(const Model& model) {
  for (const std::string& segment : human_segment_names()) {
    if (!model.find_link(segment))
      throw ConfigError("'" + model.name() + "' is not a human model (no link '" + segment +
                        "'): sensors drive a robot through human48 or human66");
  }
  return model;
}

}  // namespace

SensedPerson::SensedPerson(ImuClip clip, const Model& model, SensorSetup sensors,
                           const SubjectDimensions& subject, const Observer& observer)
    : body_(std::move(clip), model, std::move(sensors), {false, subject}),
      pose_(human(body_.model())),
      posture_(body_.model(), body_.links()),
      note_(observer.note),
      nanoseconds_(observer.nanoseconds),
      state_(body_.tracker().start_state()) {
  const ImuClip& felt = body_.clip();
  info_.path = felt.name;
  info_.format = felt.format + " (" + body_.model().name() + ")";
  info_.rate_hz = felt.rate_hz;
  info_.frames = static_cast<std::int64_t>(felt.times.size());
  info_.subject = subject;
  info_.attachments = mvn_attachments();
  info_.has_angular_velocity = info_.has_linear_velocity = true;
  info_.notes = body_.notes();
  figures_->model = body_.model().name();
  figures_->assumed_mounts = body_.assumed();
  figures_->step_us.reserve(felt.times.size());
}

const std::vector<std::string>& SensedPerson::names() const noexcept { return human_segment_names(); }

ReadStatus SensedPerson::read(SegmentSample& sample) noexcept {
  if (!problem_.empty()) return ReadStatus::EndOfMotion;
  try {
    const ReadStatus status = body_.recording().read(felt_);
    if (status == ReadStatus::EndOfMotion) end();
    if (status == ReadStatus::Sample) follow(sample);
    return status;
  } catch (...) {
    explain_failure(info_.path, problem_);
  }
  return ReadStatus::Malformed;
}

void SensedPerson::follow(SegmentSample& sample) {
  sample.t = felt_.t;
  sample.cut = false;
  sample.segments.assign(kHumanSegmentCount, {});
  const std::int64_t start = nanoseconds_ ? nanoseconds_() : 0;
  const StepStatus step = body_.tracker().step(felt_, state_);
  if (advanced(step)) {
    pose_.read(state_, sample);
    sample.cut = body_.tracker().last_report().clock_gap;
  }
  if (ended_) return;
  if (nanoseconds_) figures_->step_us.push_back(1e-3 * static_cast<double>(nanoseconds_() - start));
  body_.count(step);
  if (advanced(step)) posture_.add(state_);
}

void SensedPerson::end() {
  if (ended_) return;
  SensorFindings found = body_.findings(note_);
  figures_->posture = posture_.findings();
  std::string posture = posture_line(figures_->posture);
  std::vector<std::string> lines = sensor_lines(found, !posture.empty());
  if (!posture.empty()) lines.insert(lines.begin(), std::move(posture));
  info_.notes.insert(info_.notes.end(), std::make_move_iterator(lines.begin()),
                     std::make_move_iterator(lines.end()));
  figures_->found = std::move(found);
  ended_ = true;
}

void SensedPerson::rewind() {
  body_.rewind();
  state_ = body_.tracker().start_state();
  problem_.clear();
  if (ended_) return;
  figures_->step_us.clear();
  posture_ = PostureWatch(body_.model(), body_.links());
}

}  // namespace panto
