#include "panto/api/suit_motion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/api/track.hpp"
#include "panto/base/error.hpp"
#include "panto/motion/resample.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/recording/trackable.hpp"
#include "panto/sample/human_pose.hpp"
#include "panto/sample/interpolation.hpp"

namespace panto {
namespace {

constexpr double kSlowest = 1.0, kFastest = 1000.0;  // [Hz]
constexpr double kUsualRate = 60.0;                  // of a recording that names none [Hz]
constexpr double kSameRate = 1e-6;                   // relative

bool is_whole(const SegmentSample& sample) {
  for (const SegmentMotion& segment : sample.segments)
    if (!segment.has_orientation || !segment.has_position || !segment.has_angular_velocity) return false;
  return true;
}

// Yields samples at a steady rate, between those of a source.
class SteadySamples {
 public:
  SteadySamples(std::function<bool(SegmentSample&)> source, double rate_hz)
      : source_(std::move(source)), rate_hz_(rate_hz) {}

  bool next(SegmentSample& sample) {
    if (next_ == 0 && (!source_(before_) || !source_(after_))) return false;
    const Time t = before_first() + frame_time(next_, rate_hz_);
    while (after_.t < t) {
      std::swap(before_, after_);
      if (!source_(after_)) return false;
    }
    ++next_;
    sample = before_;
    sample.t = t;
    const double share =
        static_cast<double>(t - before_.t) / static_cast<double>(std::max<Time>(after_.t - before_.t, 1));
    for (std::size_t i = 0; i < sample.segments.size(); ++i)
      sample.segments[i] = between(before_.segments[i], after_.segments[i], share);
    return true;
  }
  void rewind() { next_ = 0; }

 private:
  Time before_first() {
    if (next_ == 0) first_ = before_.t;
    return first_;
  }
  std::function<bool(SegmentSample&)> source_;
  double rate_hz_;
  SegmentSample before_, after_;
  Time first_ = 0;
  std::int64_t next_ = 0;
};

bool same(double a, double b) { return std::abs(a - b) <= kSameRate * b; }

// A recording whose samples are those of a suit.
void pass(SuitMotion& suit, const std::shared_ptr<Recording>& recording, double rate_hz) {
  const auto reader = std::make_shared<PersonReader>(*recording);
  const auto read = [recording, reader](SegmentSample& sample) {
    return reader->read(sample) == ReadStatus::Sample;
  };
  if (same(rate_hz, recording->info().rate_hz)) {
    suit.next = read;
    suit.rewind = [recording] { recording->rewind(); };
    return;
  }
  const auto steady = std::make_shared<SteadySamples>(read, rate_hz);
  suit.next = [steady](SegmentSample& sample) { return steady->next(sample); };
  suit.rewind = [steady, recording] {
    steady->rewind();
    recording->rewind();
  };
}

// A recording that a human of 66 joints follows.
void follow(SuitMotion& suit, Recording& recording, double rate_hz, const Observer& observer) {
  const auto model = std::make_shared<const Model>(human66(suit.subject));
  TrackResult result = track(recording, *model, {}, observer);
  for (std::string& note : result.notes) suit.notes.push_back(std::move(note));
  const auto motion = std::make_shared<const Motion>(same(rate_hz, result.motion.rate_hz)
                                                         ? std::move(result.motion)
                                                         : resampled(std::move(result.motion), rate_hz));
  const auto pose = std::make_shared<HumanPose>(*model);
  const auto frame = std::make_shared<std::size_t>(0);
  suit.next = [model, motion, pose, frame](SegmentSample& sample) {
    if (*frame >= motion->states.size()) return false;
    pose->read(motion->states[(*frame)++], sample);
    return true;
  };
  suit.rewind = [frame] { *frame = 0; };
}

}  // namespace

SuitMotion suit_motion(std::unique_ptr<Recording> recording, std::optional<double> rate_hz,
                       std::optional<double> height, const Observer& observer) {
  check_trackable(*recording);
  if (rate_hz && !(*rate_hz >= kSlowest && *rate_hz <= kFastest))
    throw ConfigError("a suit streams 1 to 1000 samples a second");
  SuitMotion suit;
  suit.subject = subject_of(recording->info(), height, {}, suit.notes);
  const double own = recording->info().rate_hz;
  suit.rate_hz = rate_hz.value_or(own > 0.0 ? own : kUsualRate);
  PersonReader reader(*recording);
  SegmentSample first;
  const bool whole =
      reader.names() == human_segment_names() && reader.read(first) == ReadStatus::Sample && is_whole(first);
  recording->rewind();
  if (whole)
    pass(suit, std::move(recording), suit.rate_hz);
  else
    follow(suit, *recording, suit.rate_hz, observer);
  return suit;
}

}  // namespace panto
