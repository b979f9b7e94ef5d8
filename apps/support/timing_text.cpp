#include "apps/support/timing_text.hpp"

#include <fmt/core.h>

namespace panto::app {

void print_timing_header() {
  fmt::print("{:<9} {:<7} {:<14} {:>7} {:>7} {:>8} {:>9} {:>10} {:>6} {:>7} {:>5}  {}\n", "scene", "model",
             "solver", "p50 us", "p99 us", "max us", "mnte", "angle deg", "active", "sweeps", "alloc",
             "state hash");
}

void print_timing(const StepTiming& t) {
  fmt::print("{:<9} {:<7} {:<14} {:>7.3f} {:>7.3f} {:>8.2f} {:>9.2e} {:>10.2e} {:>6.2f} {:>7.2f} {:>5}  {}\n",
             t.scene, t.body, t.solver, t.p50_us, t.p99_us, t.max_us, t.card.mnte_mean.value_or(0.0),
             t.card.angle_mean_deg.value_or(0.0), t.active_mean, t.resolves_mean, t.allocations,
             hash_text(t.card.state_hash.value_or(0)));
}

void print_latency(const LatencyDistribution& l) {
  fmt::print("\n  {} steps in {} laps, {:.1f} s, {} allocations; preempted {} times, {} page faults\n",
             l.steps, l.laps, l.seconds, l.allocations, l.preemptions, l.page_faults);
  fmt::print("  p50 {:.3f}  p99 {:.3f}  p99.9 {:.3f}  p99.99 {:.3f}  max {:.1f} us\n", l.p50_us, l.p99_us,
             l.p999_us, l.p9999_us, l.max_us);
  fmt::print(
      "  slowest frame, median of its laps: {:.3f} us, the solver without interruptions;\n"
      "  longest aligning step, not in these figures: {:.1f} us\n",
      l.own_max_us, l.align_max_us);
  fmt::print("  over five times that ({:.1f} us): {} steps, {:.1f} per second\n", l.slow_us, l.slow_steps,
             static_cast<double>(l.slow_steps) / l.seconds);
  fmt::print(
      "  the same core, idle for {:.0f} s: {:.1f} interruptions a second of as long, longest {:.1f} us\n",
      l.empty_seconds, static_cast<double>(l.empty_slow) / l.empty_seconds, l.empty_max_us);
  fmt::print("  {:>12} {:>7} {:>6} {:>10} {:>22} {:>16}\n", "slowest step", "lap", "frame", "us",
             "same frame, median", "neighbour lap");
  for (const SlowStep& slow : l.slowest) {
    fmt::print("  {:>12} {:>7} {:>6} {:>10.1f} {:>22.3f} {:>16.3f}\n", slow.step, slow.lap, slow.frame,
               slow.us, slow.frame_median_us, slow.neighbour_lap_us);
  }
  fmt::print("\n");
}

}  // namespace panto::app
