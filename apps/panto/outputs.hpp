#pragma once
// The outputs that a run's options ask for.

#include <memory>
#include <string>
#include <vector>

#include "apps/panto/tracking_options.hpp"

namespace panto::app {

/// @throws ConfigError for outputs with a wrong extension or address, of one name, or equal to an input.
void check_output_names(const TrackingOptions& options);

/// Creates the outputs of a run; a signal removes them. Adds the options to what `run` says. `notes`: gets
/// what the page's meshes lack. @throws Error when that fails.
[[nodiscard]] std::unique_ptr<bridge::ClipOutputs> open_outputs(const TrackingOptions& options,
                                                                bridge::ClipRun run,
                                                                std::vector<std::string>& notes);

}  // namespace panto::app
