#pragma once
// What follows a scene: attachments, options and the solvers by name.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/sample/stages.hpp"
#include "panto/synthesis/scenes.hpp"
#include "panto/targets/attachments.hpp"

namespace panto {

/// The orientation of every link of the scene and the origins that it names.
[[nodiscard]] AttachmentMap scene_attachments(const Scene& scene);

/// The scene's limit law, everything else as it is by default.
[[nodiscard]] DynamicalOptions scene_options(const Scene& scene);

/// Which link is judged against which segment.
[[nodiscard]] std::vector<TrackedPair> scene_pairs(const Scene& scene);

/// The solvers that `make_tracker` knows, the default first.
[[nodiscard]] std::vector<std::string> solver_names();

/// What follows the scene by the solver of that name. The scene must outlive it. @throws ConfigError for an
/// unknown solver, listing the valid ones.
[[nodiscard]] std::unique_ptr<Tracker<SegmentSample>> make_tracker(const std::string& solver,
                                                                   const Scene& scene);

}  // namespace panto
