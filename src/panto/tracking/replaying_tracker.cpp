#include "panto/tracking/replaying_tracker.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr int kMostKept = 1000;

// Adds to `reading` what it lacks and `late` has; returns true if anything was added.
bool complete(ImuReading& reading, const ImuReading& late) noexcept {
  bool any = false;
  const auto take = [&any](bool& has, bool has_late, auto& value, const auto& value_late) {
    if (has || !has_late) return;
    has = any = true;
    value = value_late;
  };
  take(reading.has_gyro, late.has_gyro, reading.gyro, late.gyro);
  take(reading.has_acc, late.has_acc, reading.acc, late.acc);
  take(reading.has_mag, late.has_mag, reading.mag, late.mag);
  take(reading.has_orientation, late.has_orientation, reading.wxyz_GI, late.wxyz_GI);
  return any;
}

}  // namespace

ReplayingTracker::ReplayingTracker(InertialTracker& tracker, std::size_t sensors,
                                   const ReplayOptions& options)
    : tracker_(&tracker), reach_(0), again_(tracker.start_state()) {
  if (!(options.reach > 0.0 && options.reach <= 3600.0))
    throw ConfigError("replaying tracker: `reach` must be > 0 and at most 3600 s");
  if (options.most < 1 || options.most > kMostKept)
    throw ConfigError("replaying tracker: `most` must be 1 to " + std::to_string(kMostKept));
  if (tracker.started()) throw ConfigError("replaying tracker: the tracker must not have begun a motion");
  reach_ = from_seconds(options.reach);
  merged_.imus.resize(sensors);
  now_ = tracker.checkpoint(again_);
  room_.assign(at(options.most) + 1, Kept{merged_, now_});
  order_.resize(room_.size());
  std::iota(order_.begin(), order_.end(), 0);
}

ReplayingTracker::Kept& ReplayingTracker::kept(int i) noexcept { return room_[at(order_[at(i)])]; }

// Index of the first sample that is not older.
int ReplayingTracker::place_of(Time t) noexcept {
  int place = count_;
  while (place > 0 && kept(place - 1).sample.t >= t) --place;
  return place;
}

// Whether the tracker's knowledge before that time is kept.
bool ReplayingTracker::in_reach(Time t, int place) noexcept {
  if (t < kept(count_ - 1).sample.t - reach_) return false;
  const InertialTracker::Checkpoint& before = kept(place).before;
  return !before.started || t > before.chain.t;
}

StepStatus ReplayingTracker::step(const ImuSample& sample, State& state) noexcept {
  replayed_ = 0;
  if (sample.imus.size() != merged_.imus.size() || state.s.size() != again_.s.size() ||
      state.sdot.size() != again_.sdot.size())
    return StepStatus::SizeMismatch;
  const bool late = count_ > 0 && sample.t <= kept(count_ - 1).sample.t;
  return late ? step_late(sample, state) : step_on(sample, state);
}

StepStatus ReplayingTracker::step_on(const ImuSample& sample, State& state) noexcept {
  Kept& next = kept(count_);
  tracker_->save(state, next.before);
  const StepStatus status = tracker_->step(sample, state);
  if (!advanced(status)) return status;
  next.sample = sample;
  ++count_;
  const auto all = static_cast<int>(order_.size());
  while (count_ == all || kept(0).sample.t < sample.t - reach_) remove(0);
  return status;
}

StepStatus ReplayingTracker::step_late(const ImuSample& sample, State& state) noexcept {
  const int place = place_of(sample.t);
  if (!in_reach(sample.t, place)) return StepStatus::TimeNotAdvancing;
  Kept& there = kept(place);
  if (there.sample.t != sample.t) {
    insert(place, sample);
    return replay_from(place, true, state);
  }
  merged_ = there.sample;
  bool any = false;
  for (std::size_t k = 0; k < sample.imus.size(); ++k) any = complete(merged_.imus[k], sample.imus[k]) || any;
  if (!any) return StepStatus::TimeNotAdvancing;
  std::swap(merged_, there.sample);
  return replay_from(place, false, state);
}

// Replays from the sample at `place`, which is new or has new parts; on refusal, everything stays unchanged.
StepStatus ReplayingTracker::replay_from(int place, bool inserted, State& state) noexcept {
  tracker_->save(state, now_);
  again_ = kept(place).before.state;
  tracker_->restore(kept(place).before);
  const StepStatus status = tracker_->step(kept(place).sample, again_);
  if (!advanced(status)) {
    tracker_->restore(now_);
    if (inserted) {
      remove(place);
    } else {
      std::swap(merged_, kept(place).sample);
    }
    return status;
  }
  for (int i = place + 1; i < count_; ++i) {
    tracker_->save(again_, kept(i).before);
    (void)tracker_->step(kept(i).sample,
                         again_);  // a failing step leaves the state unchanged, as it would have originally
    ++replayed_;
  }
  ++replayed_;
  state = again_;
  if (count_ == static_cast<int>(order_.size())) remove(0);
  return status;
}

// Inserts before the sample at `place` and takes over its checkpoint.
void ReplayingTracker::insert(int place, const ImuSample& sample) noexcept {
  const InertialTracker::Checkpoint& before = kept(place).before;
  Kept& next = kept(count_);
  next.sample = sample;
  next.before = before;
  const auto begin = order_.begin();
  std::rotate(begin + place, begin + count_, begin + count_ + 1);
  ++count_;
}

void ReplayingTracker::remove(int place) noexcept {
  const auto begin = order_.begin();
  std::rotate(begin + place, begin + place + 1, begin + count_);
  --count_;
}

}  // namespace panto
