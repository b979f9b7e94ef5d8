#include "panto/live/run.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/realtime.hpp"

namespace panto::live {
namespace {

constexpr std::chrono::milliseconds kTick{10};
constexpr Time kPause = 200'000'000;    // [ns] beyond a tick, in which this program did not run
constexpr Time kExcused = 500'000'000;  // [ns] after it, in which samples that waited come at once
constexpr Time kBegins = 50'000'000;    // [ns] the same at the start, for those that waited meanwhile
constexpr std::size_t kBacklog = 2;     // samples that wait to be solved

bool measured(const SegmentMotion& segment) {
  return segment.has_orientation || segment.has_position || segment.has_angular_velocity;
}
bool measured(const ImuReading& imu) { return imu.tells_motion(); }
const std::vector<SegmentMotion>& items(const SegmentSample& sample) { return sample.segments; }
const std::vector<ImuReading>& items(const ImuSample& sample) { return sample.imus; }

LiveDelay delay_of(const Latencies& all) {
  return {all.count(), to_seconds(all.quantile(0.5)), to_seconds(all.quantile(0.99)),
          to_seconds(all.longest())};
}

}  // namespace

template <typename Sample>
LiveRun<Sample>::LiveRun(LiveSource<Sample>& input, LiveFollower<Sample> follower,
                         const std::vector<LiveOutput*>& outputs, LiveEvents events)
    : input_(&input),
      follower_(std::move(follower)),
      events_(std::move(events)),
      arrived_(Arrived{input.decoder().sample(), 0}, kBacklog),
      before_(input.decoder().counts()),
      foreign_before_(input.foreign()),
      watch_(items(input.decoder().sample()).size()) {
  for (LiveOutput* output : outputs) writings_.push_back(std::make_unique<Writing>(follower_.sized, *output));
  try {
    start();
  } catch (const std::system_error& error) {
    abandon();
    throw Error(std::string("cannot start a thread: ") + error.what());
  } catch (...) {  // memory is short
    abandon();
    throw;
  }
}

template <typename Sample>
void LiveRun<Sample>::start() {
  // Made here, so that short memory ends the constructor and not the program; and before the first thread
  // runs: then the decoder is the receiver's.
  const Arrived sized{input_->decoder().sample(), 0};
  receiver_ = std::thread([this, arrived = sized]() mutable { receive(arrived); });
  for (const auto& writing : writings_)
    writing->thread =
        std::thread([this, to = writing.get(), frame = follower_.sized]() mutable { write(*to, frame); });
  solver_ =
      std::thread([this, arrived = sized, frame = follower_.sized]() mutable { solve(arrived, frame); });
  run_first(receiver_);
  run_first(solver_);
}

// Ends the threads that have begun.
template <typename Sample>
void LiveRun<Sample>::abandon() noexcept {
  arrived_.close();
  for (const auto& writing : writings_) writing->box.close();
  stop();
}

template <typename Sample>
LiveRun<Sample>::~LiveRun() {
  stop();
}

template <typename Sample>
void LiveRun<Sample>::receive(Arrived& arrived) {
  Time ran = monotonic_now(), excused = ran + kBegins;
  while (!stopping_) {
    const bool came = input_->next(static_cast<int>(kTick.count()));
    const Time now = monotonic_now();
    const Time length = now - std::exchange(ran, now);
    if (length > kPause) {
      excused = now + kExcused;
      note_pause(length, now);
    }
    if (!came) continue;
    arrived.sample = input_->decoder().sample();
    arrived.arrival = input_->arrival();
    {
      const std::lock_guard lock(mutex_);
      watch_.came(arrived.arrival, arrived.sample.t);
      if (first_ == 0) first_ = arrived.arrival;
      last_ = arrived.arrival;
      const auto& all = items(arrived.sample);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (measured(all[i])) watch_.has(i);
    }
    if (arrived_.put(arrived) && now < excused) ++passed_;
  }
  arrived_.close();
}

template <typename Sample>
void LiveRun<Sample>::note_pause(Time length, Time now) {
  const std::lock_guard lock(mutex_);
  watch_.paused(now);
  ++pauses_;
  longest_pause_ = std::max(longest_pause_, length);
}

template <typename Sample>
void LiveRun<Sample>::solve(Arrived& arrived, LiveFrame& frame) {
  while (!arrived_.ended()) {
    const bool came = arrived_.take(arrived, kTick);
    LiveStep step;
    if (came) {
      frame.arrival = arrived.arrival;
      grant(arrived);
      if (events_.solved) events_.solved(arrived.sample.t, arrived.arrival);
      step = follower_.step(arrived.sample, frame);
      hear();
    }
    {
      const std::lock_guard lock(mutex_);
      if (came) watch_.stepped(step.used, step.returning);
      if (step.ready) to_pose_.add(monotonic_now() - arrived.arrival);
      const StreamState now = watch_.at(monotonic_now());
      held_ = now == StreamState::Lost || now == StreamState::Fault;
    }
    if (step.ready) publish(frame);
  }
  frame.arrival = 0;
  while (follower_.drain(frame)) publish(frame);
  for (const auto& writing : writings_) writing->box.close();
}

// Does what was asked for, before a sample.
template <typename Sample>
void LiveRun<Sample>::grant(const Arrived& arrived) {
  if (calibrating_) {
    std::string poses;
    {
      const std::lock_guard lock(mutex_);
      poses = std::exchange(poses_, {});
    }
    if (events_.calibrated) events_.calibrated(arrived.sample.t, arrived.arrival, poses);
    follower_.calibrate(poses);
    waiting_ = follower_.waits && follower_.waits();
    calibrating_ = false;
  }
  if (!aligning_.exchange(false)) return;
  if (events_.aligned) events_.aligned(arrived.sample.t, arrived.arrival);
  follower_.align();
}

template <typename Sample>
void LiveRun<Sample>::hear() {
  if (!follower_.news) return;
  if (follower_.found)
    if (const auto sensors = follower_.found(); sensors && events_.mounted) events_.mounted(*sensors);
  waiting_ = follower_.waits && follower_.waits();
  std::vector<std::string> lines = follower_.news();
  if (lines.empty()) return;
  const std::lock_guard lock(mutex_);
  news_.insert(news_.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

template <typename Sample>
void LiveRun<Sample>::publish(LiveFrame& frame) {
  // what the look-ahead held back comes at once at the end: no output is slow for it
  for (const auto& writing : writings_)
    if (writing->box.put(frame) && !frame.flushed()) ++writing->replaced;
}

template <typename Sample>
void LiveRun<Sample>::write(Writing& writing, LiveFrame& frame) {
  while (!writing.box.ended()) {
    if (!writing.box.take(frame, kTick)) {
      writing.output->wait(held_);
      continue;
    }
    writing.output->write(frame);
    if (frame.flushed() || !writing.output->counts()) continue;
    const std::lock_guard lock(mutex_);
    to_written_.add(monotonic_now() - frame.arrival);
  }
}

template <typename Sample>
bool LiveRun<Sample>::align() noexcept {
  if (!follower_.align) return false;
  aligning_ = true;
  return true;
}

template <typename Sample>
bool LiveRun<Sample>::calibrate(const std::string& poses) {
  if (!follower_.calibrate) return false;
  const std::lock_guard lock(mutex_);
  poses_ = poses;
  calibrating_ = true;
  return true;
}

template <typename Sample>
std::vector<std::string> LiveRun<Sample>::news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

template <typename Sample>
StreamState LiveRun<Sample>::stream() const {
  const std::lock_guard lock(mutex_);
  return watch_.at(monotonic_now());
}

template <typename Sample>
LiveFigures LiveRun<Sample>::figures() const {
  LiveFigures figures;
  figures.passed = passed_;
  figures.overtaken = arrived_.replaced() - figures.passed;
  figures.before = before_.of(stream::Brought::Sample);
  for (const auto& writing : writings_)
    if (writing->output->counts()) figures.unwritten = std::max(figures.unwritten, writing->replaced.load());
  if (stopped_) {
    using stream::Brought;
    const auto& counts = input_->decoder().counts();
    figures.lost = counts.lost - before_.lost;
    figures.refused = counts.of(Brought::Refused) - before_.of(Brought::Refused);
    figures.late = counts.of(Brought::Late) - before_.of(Brought::Late);
    figures.foreign = input_->foreign() - foreign_before_;
  }
  const std::lock_guard lock(mutex_);
  figures.seconds = to_seconds(last_ - first_);
  figures.rate_hz = watch_.rate_hz();
  figures.samples = watch_.samples();
  figures.unused = watch_.unused();
  figures.losses = watch_.losses();
  figures.longest_gap = to_seconds(watch_.longest_gap());
  figures.fast = watch_.fast();
  figures.slow = watch_.slow();
  figures.pauses = pauses_;
  figures.longest_pause = to_seconds(longest_pause_);
  figures.to_pose = delay_of(to_pose_);
  figures.to_output = delay_of(to_written_);
  for (std::size_t i = 0; i < watch_.items(); ++i)
    if (watch_.is_missing(i)) figures.missing.push_back(input_->decoder().names()[i]);
  return figures;
}

template <typename Sample>
void LiveRun<Sample>::stop() {
  stopping_ = true;
  for (std::thread* thread : {&receiver_, &solver_})
    if (thread->joinable()) thread->join();
  for (const auto& writing : writings_)
    if (writing->thread.joinable()) writing->thread.join();
  stopped_ = true;
}

template class LiveRun<SegmentSample>;
template class LiveRun<ImuSample>;

}  // namespace panto::live
