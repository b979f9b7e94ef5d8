#include "apps/support/scene_tracking.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {

AttachmentMap scene_attachments(const Scene& scene) {
  AttachmentMap map;
  map.source = "scene " + scene.name;
  for (const std::string& link : scene.links) {
    Attachment a;
    a.segment = a.link = link;
    a.position = std::find(scene.positions.begin(), scene.positions.end(), link) != scene.positions.end();
    map.attachments.push_back(std::move(a));
  }
  return map;
}

DynamicalOptions scene_options(const Scene& scene) {
  DynamicalOptions options;
  if (scene.tanh_gain) {
    options.limits.law = LimitLaw::Tanh;
    options.limits.tanh_gain = *scene.tanh_gain;
  }
  return options;
}

std::vector<TrackedPair> scene_pairs(const Scene& scene) {
  const AttachmentMap map = scene_attachments(scene);
  const Attachments bound(map, *scene.model, scene.links, {});
  std::vector<TrackedPair> pairs;
  for (std::size_t j = 0; j < map.attachments.size(); ++j) {
    const Attachment& a = map.attachments[j];
    pairs.push_back({bound.segment(j), bound.rows()[j].link, a.R_SF, a.orientation, a.position});
  }
  return pairs;
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const SolverKind kind : solver_kinds()) names.emplace_back(to_string(kind));
  return names;
}

std::unique_ptr<Tracker<SegmentSample>> make_tracker(const std::string& solver, const Scene& scene) {
  SolverOptions options;
  options.dynamical = scene_options(scene);
  return std::make_unique<SegmentTracker>(*scene.model, scene_attachments(scene), solver_kind(solver),
                                          options, scene.links);
}

std::vector<std::pair<Scene, std::string>> scene_runs(std::vector<std::string> scenes,
                                                      std::vector<std::string> models,
                                                      std::vector<std::string> solvers) {
  const bool any_scene = scenes.empty();
  if (any_scene) {
    for (const SceneName& known : scene_names()) scenes.emplace_back(known.name);
  }
  if (solvers.empty()) solvers = {solver_names().front()};
  const bool any_model = models.empty();
  if (any_model) models = {"human66", "human48"};
  std::vector<std::pair<Scene, std::string>> runs;
  for (const std::string& scene : scenes) {
    const auto known = std::find_if(scene_names().begin(), scene_names().end(),
                                    [&](const SceneName& n) { return n.name == scene; });
    for (const std::string& model : models) {
      // skip an impossible pair where the user named only one of the two
      const bool named = !any_scene && !any_model;
      if (known != scene_names().end() && !known->human48 && model == "human48" && !named) continue;
      for (const std::string& solver : solvers) runs.emplace_back(make_scene(scene, model), solver);
    }
  }
  for (const auto& [scene, solver] : runs) (void)make_tracker(solver, scene);  // refuse wrong names first
  return runs;
}

}  // namespace panto
