#pragma once
// Prints measured times.

#include "apps/support/step_timing.hpp"

namespace panto::app {

/// Prints the head of a table of times, and a row of it.
void print_timing_header();
void print_timing(const StepTiming& t);
/// Prints how the times of many steps are distributed.
void print_latency(const LatencyDistribution& l);

}  // namespace panto::app
