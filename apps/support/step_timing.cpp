#include "apps/support/step_timing.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "apps/support/allocation_count.hpp"
#include "apps/support/scene_tracking.hpp"

#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace panto {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSettle = 2.0;  // [s]
constexpr double kSlow = 5.0;    // times the worst case of our own work

double to_us(Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

// Time, allocations and status of one step.
struct Stopwatch {
  double us = 0.0;
  std::int64_t allocations = 0;
  StepStatus status = StepStatus::Solved;

  void time(Tracker<SegmentSample>& tracker, const SegmentSample& sample, State& state) {
    const AllocationCount count;
    const Clock::time_point start = Clock::now();
    status = tracker.step(sample, state);
    const Clock::time_point end = Clock::now();
    allocations = count.value();
    us = to_us(end - start);
  }
};

// What the system reports about this thread so far; -1: unknown.
struct Disturbance {
  std::int64_t preemptions = -1, page_faults = -1;

  static Disturbance now() {
    Disturbance seen;
#if defined(RUSAGE_THREAD)
    rusage usage{};
    if (getrusage(RUSAGE_THREAD, &usage) == 0) seen = {usage.ru_nivcsw, usage.ru_minflt + usage.ru_majflt};
#endif
    return seen;
  }
};

// One run of the scene's samples, times from the second step on.
class Run {
 public:
  /// `judge`: measures accuracy too, which costs the next step its caches.
  Run(const Scene& scene, const std::string& solver, std::size_t frames, bool judge)
      : tracker_(make_tracker(solver, scene)),
        state_(rest_state(*scene.model)),
        report_(*scene.model, scene_pairs(scene), {from_seconds(kSettle), frames}),
        us_(frames),
        judge_(judge) {}

  void step(const SegmentSample& sample) {
    sample_ = sample;  // as from a source: just written
    watch_.time(*tracker_, sample_, state_);
    allocations_ += watch_.allocations;
    const StepReport& report = tracker_->last_report();
    if (judge_) report_.add(sample_, state_, {watch_.status, report.fallback_level, {}, {}});
    if (first_) {
      first_ = false;
      return;
    }
    us_.add(watch_.us);
    active_ += report.active_bounds;
    solves_ += report.solves;
  }

  void add_to(StepTiming& row) const {
    row.p50_us = std::min(row.p50_us, us_.percentile(0.5).value_or(0.0));
    row.p99_us = std::min(row.p99_us, us_.percentile(0.99).value_or(0.0));
    row.max_us = std::min(row.max_us, us_.max().value_or(0.0));
    row.allocations += allocations_;
    const double steps = std::max(1.0, static_cast<double>(us_.count()));
    row.active_mean = static_cast<double>(active_) / steps;
    row.resolves_mean = static_cast<double>(solves_) / steps;
    if (judge_) row.card = report_.report();
  }

 private:
  std::unique_ptr<Tracker<SegmentSample>> tracker_;
  State state_;
  SegmentSample sample_;
  Stopwatch watch_;
  ReportBuilder report_;
  SampleStatistics us_;
  std::int64_t allocations_ = 0, active_ = 0, solves_ = 0;
  bool judge_;
  bool first_ = true;
};

using Nanoseconds = std::uint32_t;

Nanoseconds to_nanoseconds(double us) {
  constexpr double most = std::numeric_limits<Nanoseconds>::max();
  return static_cast<Nanoseconds>(std::min(std::max(us * 1e3, 0.0), most));
}

constexpr Nanoseconds kNotTimed = std::numeric_limits<Nanoseconds>::max();

double frame_median(const std::vector<Nanoseconds>& ns, std::size_t frame, std::size_t frames) {
  SampleStatistics laps(ns.size() / frames + 1);
  for (std::size_t i = frame; i < ns.size(); i += frames) {
    if (ns[i] != kNotTimed) laps.add(1e-3 * ns[i]);
  }
  return laps.percentile(0.5).value_or(0.0);
}

std::vector<SlowStep> find_slowest(const std::vector<Nanoseconds>& ns, const std::vector<double>& median,
                                   std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ns.size(); ++i) {
    if (ns[i] != kNotTimed) order.push_back(i);
  }
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) { return ns[a] > ns[b]; });
  std::vector<SlowStep> slowest;
  const std::size_t frames = median.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = order[k];
    const std::size_t other = i + frames < ns.size() ? i + frames : i >= frames ? i - frames : i;
    slowest.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i / frames),
                       static_cast<std::int64_t>(i % frames), 1e-3 * ns[i], median[i % frames],
                       1e-3 * ns[other]});
  }
  return slowest;
}

void summarise(const std::vector<Nanoseconds>& ns, std::size_t frames, LatencyDistribution& result) {
  SampleStatistics all(ns.size());
  for (const Nanoseconds value : ns) {
    if (value == kNotTimed) continue;
    all.add(1e-3 * value);
  }
  result.steps = static_cast<std::int64_t>(all.count());
  result.p50_us = all.percentile(0.5).value_or(0.0);
  result.p99_us = all.percentile(0.99).value_or(0.0);
  result.p999_us = all.percentile(0.999).value_or(0.0);
  result.p9999_us = all.percentile(0.9999).value_or(0.0);
  result.max_us = all.max().value_or(0.0);
  std::vector<double> median(std::min(frames, ns.size()));
  for (std::size_t frame = 0; frame < median.size(); ++frame) median[frame] = frame_median(ns, frame, frames);
  result.own_max_us = *std::max_element(median.begin(), median.end());
  result.slow_us = kSlow * result.own_max_us;
  for (const Nanoseconds value : ns)
    result.slow_steps += value != kNotTimed && 1e-3 * value > result.slow_us ? 1 : 0;
  result.slowest = find_slowest(ns, median, 10);
}

// Measures how long the machine takes the core away from an idle program.
void watch_empty_core(double seconds, LatencyDistribution& result) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  while (to_us(last - begin) < 1e6 * seconds) {
    const Clock::time_point now = Clock::now();
    const double gap = to_us(now - last);
    result.empty_max_us = std::max(result.empty_max_us, gap);
    result.empty_slow += gap > result.slow_us ? 1 : 0;
    last = now;
  }
  result.empty_seconds = 1e-6 * to_us(last - begin);
}

}  // namespace

StepTiming time_steps(const Scene& scene, const std::string& solver, int repeats) {
  const std::vector<SegmentSample> samples = scene_samples(scene);
  StepTiming row;
  row.scene = scene.name;
  row.body = scene.body;
  row.solver = solver;
  row.p50_us = row.p99_us = row.max_us = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Run run(scene, solver, samples.size(), repeat == 0);
    for (const SegmentSample& sample : samples) run.step(sample);
    run.add_to(row);
  }
  return row;
}

LatencyDistribution measure_latency(const Scene& scene, const std::string& solver, std::int64_t steps) {
  const std::vector<SegmentSample> samples = scene_samples(scene);
  const std::size_t frames = samples.size();
  const Time lap_time = from_seconds(scene.duration);
  std::unique_ptr<Tracker<SegmentSample>> tracker = make_tracker(solver, scene);
  State state = rest_state(*scene.model);
  std::vector<Nanoseconds> ns;
  const auto room = static_cast<std::size_t>(steps) + static_cast<std::size_t>(steps) / frames + frames;
  ns.assign(room, kNotTimed);  // touches every page
  ns.clear();
  LatencyDistribution result;
  SegmentSample sample = samples.front();
  Stopwatch watch;
  const Disturbance before = Disturbance::now();
  const Clock::time_point begin = Clock::now();
  for (std::int64_t timed = 0; timed < steps; ++result.laps) {
    for (std::size_t frame = 0; frame < frames && timed < steps; ++frame) {
      sample = samples[frame];
      sample.t += result.laps * lap_time;
      sample.cut = frame == 0 && !scene.closed;
      watch.time(*tracker, sample, state);
      result.allocations += watch.allocations;
      const bool aligns = frame == 0 && (result.laps == 0 || !scene.closed);
      ns.push_back(aligns ? kNotTimed : std::min(to_nanoseconds(watch.us), kNotTimed - 1));
      if (aligns) {
        result.align_max_us = std::max(result.align_max_us, watch.us);
      } else {
        ++timed;
      }
    }
  }
  result.seconds = 1e-6 * to_us(Clock::now() - begin);
  const Disturbance after = Disturbance::now();
  if (before.preemptions >= 0) {
    result.preemptions = after.preemptions - before.preemptions;
    result.page_faults = after.page_faults - before.page_faults;
  }
  summarise(ns, frames, result);
  watch_empty_core(std::min(result.seconds, 20.0), result);
  return result;
}

}  // namespace panto
