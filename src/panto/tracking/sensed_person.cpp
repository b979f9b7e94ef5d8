#include "panto/tracking/sensed_person.hpp"

#include <algorithm>
#include <chrono>

#include "apps/panto/command_line.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/report/sensor_report.hpp"

namespace panto {
namespace {

const Model& human(const Model& model) {
  for (const std::string& segment : human_segment_names()) {
    if (!model.find_link(segment))
      throw ConfigError("'" + model.name() + "' is no human (it has no link '" + segment +
                        "'): between sensors and a robot stands human48 or human66");
  }
  return model;
}

}  // namespace

SensedPerson::SensedPerson(const SensedBodyOptions& options)
    : body_(options), kinematics_(human(body_.model())), state_(body_.tracker().start_state()) {
  for (int i = 0; i < kHumanSegmentCount; ++i)
    links_[at(i)] = body_.model().link_index(kHumanSegmentNames[at(i)]);
  const ImuClip& clip = body_.clip();
  info_.path = options.input;
  info_.format = clip.format + " (" + body_.model().name() + ")";
  info_.rate_hz = clip.rate_hz;
  info_.frames = static_cast<std::int64_t>(clip.times.size());
  info_.subject = body_.subject();
  info_.attachments = mvn_attachments();
  info_.has_angular_velocity = info_.has_linear_velocity = true;
  info_.notes = body_.notes();
  figures_->model = body_.model().name();
  figures_->step_us = SampleStatistics(clip.times.size());
}

const std::vector<std::string>& SensedPerson::names() const noexcept { return human_segment_names(); }

ReadStatus SensedPerson::read(SegmentSample& sample) noexcept {
  using Clock = std::chrono::steady_clock;
  try {
    const ReadStatus status = body_.recording().read(felt_);
    if (status == ReadStatus::EndOfMotion) end();
    if (status != ReadStatus::Sample) return status;
    sample.t = felt_.t;
    sample.cut = false;
    sample.segments.assign(kHumanSegmentCount, {});
    const Clock::time_point start = Clock::now();
    const StepStatus step = body_.tracker().step(felt_, state_);
    if (advanced(step)) pose(sample);
    figures_->step_us.add(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    body_.count(step);
    return status;
  } catch (...) {
    problem_ = info_.path + ": no memory";
    return ReadStatus::Malformed;
  }
}

void SensedPerson::pose(SegmentSample& sample) noexcept {
  kinematics_.update(state_);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    SegmentMotion& segment = sample.segments[at(i)];
    const int link = links_[at(i)];
    segment.R_WS = kinematics_.R_WL(link);
    segment.p_WS = kinematics_.p_WL(link);
    segment.w_WS = kinematics_.w_WL(link);
    segment.v_WS = kinematics_.v_WL(link);
    segment.has_orientation = segment.has_position = true;
    segment.has_angular_velocity = segment.has_linear_velocity = true;
  }
  sample.cut = body_.tracker().last_report().clock_gap;
}

void SensedPerson::end() {
  if (ended_) return;
  ended_ = true;
  figures_->found = body_.findings();
  for (std::string& line : sensor_lines(figures_->found)) info_.notes.push_back(std::move(line));
}

}  // namespace panto
