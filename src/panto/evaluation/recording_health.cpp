#include "panto/evaluation/recording_health.hpp"

#include <algorithm>
#include <tuple>

#include "panto/evaluation/recording_watches.hpp"

namespace panto {
namespace {

// bit for bit, as players repeat frames
bool same_pose(const SegmentSample& a, const SegmentSample& b) {
  if (a.segments.size() != b.segments.size()) return false;
  for (std::size_t i = 0; i < a.segments.size(); ++i) {
    const SegmentMotion &A = a.segments[i], &B = b.segments[i];
    if (A.has_orientation != B.has_orientation || A.has_position != B.has_position) return false;
    if (A.has_orientation && A.R_WS != B.R_WS) return false;
    if (A.has_position && A.p_WS != B.p_WS) return false;
  }
  return true;
}

// keeps one finding of each kind: the worst, which names the others
std::vector<Finding> merged(std::vector<Finding> all) {
  std::vector<Finding> kinds;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(begin, all.end(), [&](const Finding& o) {
      return o.kind != begin->kind || o.severity != begin->severity;
    });
    std::stable_sort(begin, end, [](const Finding& a, const Finding& b) {
      return std::tuple(b.largest, b.count) < std::tuple(a.largest, a.count);
    });
    Finding& worst = kinds.emplace_back(std::move(*begin));
    std::string others;
    for (auto other = begin + 1; other != end; ++other) {
      worst.count += other->count;
      others += (others.empty() ? "" : ", ") + other->segment;
    }
    if (!others.empty()) {
      worst.text += "; likewise " + others;
      worst.segment += ", " + others;
    }
    begin = end;
  }
  return kinds;
}

}  // namespace

const char* to_string(FindingKind kind) noexcept {
  switch (kind) {
    case FindingKind::NotFinite:
      return "not_finite";
    case FindingKind::NotRotation:
      return "not_rotation";
    case FindingKind::TimeNotAdvancing:
      return "time_not_advancing";
    case FindingKind::LeftRightSwap:
      return "left_right_swap";
    case FindingKind::AngularVelocityUnit:
      return "angular_velocity_unit";
    case FindingKind::AngularVelocityFrame:
      return "angular_velocity_frame";
    case FindingKind::LinearVelocityUnit:
      return "linear_velocity_unit";
    case FindingKind::Unit:
      return "unit";
    case FindingKind::Proportions:
      return "proportions";
    case FindingKind::Jump:
      return "jump";
    case FindingKind::Flip:
      return "flip";
    case FindingKind::Gap:
      return "gap";
    case FindingKind::Dropout:
      return "dropout";
    case FindingKind::RepeatedFrames:
      return "repeated_frames";
    case FindingKind::Constant:
      return "constant";
    case FindingKind::Motionless:
      return "motionless";
    case FindingKind::Stretch:
      return "stretch";
    case FindingKind::Floor:
      return "floor";
    case FindingKind::Drift:
      return "drift";
  }
  return "unknown";
}

const char* to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::Info:
      return "remark";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "unknown";
}

struct RecordingHealth::Watches {
  Watches(const std::vector<std::string>& names, double rate_hz, std::int64_t first)
      : segments(names),
        values(segments),
        time(rate_hz, first),
        steps(segments, first),
        shape(segments),
        floor(segments),
        first_frame(first) {}

  WatchedSegments segments;
  ValueWatch values;
  TimeWatch time;
  StepWatch steps;
  VelocityWatch velocities;
  ShapeWatch shape;
  FloorWatch floor;
  SegmentSample before;
  std::int64_t first_frame = 0, frames = 0;
};

RecordingHealth::RecordingHealth(const std::vector<std::string>& names, double rate_hz,
                                 std::int64_t first_frame)
    : watches_(std::make_unique<Watches>(names, rate_hz, first_frame)) {}
RecordingHealth::~RecordingHealth() = default;
RecordingHealth::RecordingHealth(RecordingHealth&&) noexcept = default;
RecordingHealth& RecordingHealth::operator=(RecordingHealth&&) noexcept = default;

void RecordingHealth::add(const SegmentSample& sample) {
  Watches& w = *watches_;
  const bool first = w.frames == 0;
  const bool repeated = !first && same_pose(sample, w.before);
  const WatchedFrame frame{sample, first ? nullptr : &w.before, w.first_frame + w.frames,
                           first ? 0.0 : to_seconds(sample.t) - to_seconds(w.before.t)};
  w.values.add(frame);
  w.time.add(frame, repeated);
  if (!repeated) {
    w.steps.add(frame);
    w.velocities.add(frame);
    w.shape.add(frame);
    w.before = sample;
  }
  w.floor.add(frame);
  ++w.frames;
}

RecordingFigures RecordingHealth::figures() const {
  const Watches& w = *watches_;
  RecordingFigures figures;
  figures.frames = w.frames;
  const std::vector<Time>& stamps = w.time.stamps();
  if (!stamps.empty()) figures.duration_s = to_seconds(stamps.back()) - to_seconds(stamps.front());
  if (const double interval = w.time.interval(); interval > 0.0) figures.rate_hz = 1.0 / interval;
  figures.floor_m = w.floor.floor();
  figures.travel_m = w.floor.travel();
  figures.limbs = w.shape.limbs();
  return figures;
}

std::vector<Finding> RecordingHealth::findings() const {
  const Watches& w = *watches_;
  std::vector<Finding> all;
  w.values.report(all);
  w.time.report(all);
  w.steps.report(all);
  w.velocities.report(all);
  w.shape.report(all, w.time.motionless());
  w.floor.report(all);
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(b.severity, a.kind) < std::tuple(a.severity, b.kind);
  });
  return merged(std::move(all));
}

}  // namespace panto
