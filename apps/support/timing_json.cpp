#include "apps/support/timing_json.hpp"

#include <nlohmann/json.hpp>

namespace panto::app {

nlohmann::ordered_json to_json(const StepTiming& t) {
  return {{"scene", t.scene},
          {"model", t.body},
          {"solver", t.solver},
          {"step_p50_us", t.p50_us},
          {"step_p99_us", t.p99_us},
          {"step_max_us", t.max_us},
          {"mnte_mean", t.card.mnte_mean.value_or(0.0)},
          {"angle_mean_deg", t.card.angle_mean_deg.value_or(0.0)},
          {"active_mean", t.active_mean},
          {"resolves_mean", t.resolves_mean},
          {"allocations", t.allocations},
          {"state_hash", hash_text(t.card.state_hash.value_or(0))}};
}

nlohmann::ordered_json to_json(const LatencyDistribution& latency) {
  nlohmann::ordered_json slowest = nlohmann::ordered_json::array();
  for (const SlowStep& slow : latency.slowest) {
    slowest.push_back({{"step", slow.step},
                       {"lap", slow.lap},
                       {"frame", slow.frame},
                       {"step_us", slow.us},
                       {"frame_median_us", slow.frame_median_us},
                       {"neighbour_lap_us", slow.neighbour_lap_us}});
  }
  return {{"steps", latency.steps},
          {"laps", latency.laps},
          {"duration_s", latency.seconds},
          {"step_p50_us", latency.p50_us},
          {"step_p99_us", latency.p99_us},
          {"step_p999_us", latency.p999_us},
          {"step_p9999_us", latency.p9999_us},
          {"step_max_us", latency.max_us},
          {"own_max_us", latency.own_max_us},
          {"align_max_us", latency.align_max_us},
          {"slow_us", latency.slow_us},
          {"slow_steps", latency.slow_steps},
          {"allocations", latency.allocations},
          {"preemptions", latency.preemptions},
          {"page_faults", latency.page_faults},
          {"empty_loop_s", latency.empty_seconds},
          {"empty_loop_max_us", latency.empty_max_us},
          {"empty_loop_slow", latency.empty_slow},
          {"slowest", slowest}};
}

}  // namespace panto::app
