#pragma once
// Times complete steps of a tracker on the calling thread, one by one, from sample to State.

#include <cstdint>
#include <string>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/synthesis/scenes.hpp"

namespace panto {

/// One row of the benchmark.
struct StepTiming {
  std::string scene, body, solver;
  double p50_us = 0.0, p99_us = 0.0, max_us = 0.0;  ///< each the smallest of the repeats
  double active_mean = 0.0;                         ///< joints held by a bound, per step
  double resolves_mean = 0.0;                       ///< sweeps of the tree solver, per step
  std::int64_t allocations = 0;                     ///< of all steps of all repeats
  ReportCard card;                                  ///< accuracy and state hash, statistics from 2 s on
};

/// Runs the scene `repeats` times, each time with a new tracker. The first step of a run aligns: its
/// allocations count, its time does not. @throws ConfigError for an unknown solver.
[[nodiscard]] StepTiming time_steps(const Scene& scene, const std::string& solver, int repeats);

/// A slow step, and the steps of other laps with the same work.
struct SlowStep {
  std::int64_t step = 0;  ///< counted from 0, laps included
  std::int64_t lap = 0;
  std::int64_t frame = 0;         ///< of the lap
  double us = 0.0;                ///< in this lap
  double frame_median_us = 0.0;   ///< median over all laps
  double neighbour_lap_us = 0.0;  ///< in the next lap, or the previous one after the last
};

/// The times of very many steps.
struct LatencyDistribution {
  std::int64_t steps = 0;  ///< timed
  std::int64_t laps = 0;
  double p50_us = 0.0, p99_us = 0.0, p999_us = 0.0, p9999_us = 0.0, max_us = 0.0;
  /// Largest over all frames of the median over all laps: the worst case of the solver's own work.
  double own_max_us = 0.0;
  double align_max_us = 0.0;      ///< longest aligning step; not in other figures
  std::vector<SlowStep> slowest;  ///< worst first
  double slow_us = 0.0;           ///< five times `own_max_us`: longer steps were disturbed from outside
  std::int64_t slow_steps = 0;    ///< steps longer than `slow_us`
  double seconds = 0.0;           ///< of the whole run
  std::int64_t allocations = 0;
  std::int64_t preemptions = 0;  ///< how often the system took the core away (-1: unknown)
  std::int64_t page_faults = 0;  ///< (-1: unknown)
  /// The same core for the same time, at most 20 s, only reading the clock: shows interruptions by the
  /// machine.
  double empty_seconds = 0.0;
  double empty_max_us = 0.0;    ///< longest gap between two readings
  std::int64_t empty_slow = 0;  ///< gaps longer than `slow_us`
};

/// Repeats the scene until `steps` steps are timed (1 .. 1e8). Where the motion does not close, the first
/// step of a lap aligns and is not timed. Needs 4 bytes per step. @throws ConfigError for an unknown solver.
[[nodiscard]] LatencyDistribution measure_latency(const Scene& scene, const std::string& solver,
                                                  std::int64_t steps);

}  // namespace panto
