#pragma once
// Tracks a scene: attachments, options and the solvers by name.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/sample/stages.hpp"
#include "panto/synthesis/scenes.hpp"
#include "panto/targets/attachments.hpp"

namespace panto {

/// Returns attachments for the orientation of every link of the scene, and for the origins that it names.
[[nodiscard]] AttachmentMap scene_attachments(const Scene& scene);

/// Returns default options with the scene's limit law.
[[nodiscard]] DynamicalOptions scene_options(const Scene& scene);

/// Returns the pairs of link and segment to compare.
[[nodiscard]] std::vector<TrackedPair> scene_pairs(const Scene& scene);

/// Returns the names of the solvers that `make_tracker` knows, the default first.
[[nodiscard]] std::vector<std::string> solver_names();

/// Makes a tracker of the scene with the solver of that name. The scene must outlive it. @throws ConfigError
/// for an unknown solver, listing the valid ones.
[[nodiscard]] std::unique_ptr<Tracker<SegmentSample>> make_tracker(const std::string& solver,
                                                                   const Scene& scene);

/// Returns scenes and solvers to measure, scene by scene, model by model. Empty lists: all scenes, both
/// humans where the scene has both, the first solver. @throws ConfigError for unknown names.
[[nodiscard]] std::vector<std::pair<Scene, std::string>> scene_runs(std::vector<std::string> scenes,
                                                                    std::vector<std::string> models,
                                                                    std::vector<std::string> solvers);

}  // namespace panto
