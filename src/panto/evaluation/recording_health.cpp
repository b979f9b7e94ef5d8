#include "panto/evaluation/recording_health.hpp"

#include <algorithm>
#include <tuple>

#include "panto/evaluation/recording_watches.hpp"

namespace panto {
namespace {

// bit for bit: what a player that repeats frames does
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

// one of each kind: the worst, which names the others
std::vector<Oddity> merged(std::vector<Oddity> all) {
  std::vector<Oddity> kinds;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(begin, all.end(), [&](const Oddity& o) {
      return o.kind != begin->kind || o.weight != begin->weight;
    });
    std::stable_sort(begin, end, [](const Oddity& a, const Oddity& b) {
      return std::tuple(b.largest, b.count) < std::tuple(a.largest, a.count);
    });
    Oddity& worst = kinds.emplace_back(std::move(*begin));
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

const char* to_string(OddityKind kind) noexcept {
  switch (kind) {
    case OddityKind::NotFinite:
      return "not_finite";
    case OddityKind::NotRotation:
      return "not_rotation";
    case OddityKind::TimeNotAdvancing:
      return "time_not_advancing";
    case OddityKind::LeftRightSwap:
      return "left_right_swap";
    case OddityKind::AngularVelocityUnit:
      return "angular_velocity_unit";
    case OddityKind::AngularVelocityFrame:
      return "angular_velocity_frame";
    case OddityKind::LinearVelocityUnit:
      return "linear_velocity_unit";
    case OddityKind::Unit:
      return "unit";
    case OddityKind::Proportions:
      return "proportions";
    case OddityKind::Jump:
      return "jump";
    case OddityKind::Flip:
      return "flip";
    case OddityKind::Gap:
      return "gap";
    case OddityKind::Dropout:
      return "dropout";
    case OddityKind::RepeatedFrames:
      return "repeated_frames";
    case OddityKind::Constant:
      return "constant";
    case OddityKind::Motionless:
      return "motionless";
    case OddityKind::Stretch:
      return "stretch";
    case OddityKind::Floor:
      return "floor";
    case OddityKind::Drift:
      return "drift";
  }
  return "unknown";
}

const char* to_string(OddityWeight weight) noexcept {
  switch (weight) {
    case OddityWeight::Remark:
      return "remark";
    case OddityWeight::Suspect:
      return "suspect";
    case OddityWeight::Fault:
      return "fault";
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

std::vector<Oddity> RecordingHealth::oddities() const {
  const Watches& w = *watches_;
  std::vector<Oddity> all;
  w.values.report(all);
  w.time.report(all);
  w.steps.report(all);
  w.velocities.report(all);
  w.shape.report(all, w.time.motionless());
  w.floor.report(all);
  std::stable_sort(all.begin(), all.end(), [](const Oddity& a, const Oddity& b) {
    return std::tuple(b.weight, a.kind) < std::tuple(a.weight, b.kind);
  });
  return merged(std::move(all));
}

}  // namespace panto
