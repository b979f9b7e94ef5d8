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

}  // namespace panto
