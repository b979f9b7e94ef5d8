#pragma once
// Times of steps as JSON.

#include <nlohmann/json_fwd.hpp>

#include "apps/support/step_timing.hpp"

namespace panto::app {

[[nodiscard]] nlohmann::ordered_json to_json(const StepTiming& t);
[[nodiscard]] nlohmann::ordered_json to_json(const LatencyDistribution& latency);

}  // namespace panto::app
