#pragma once
// Scenes for measuring speed: a model, its motion, and its targets. `panto bench`, the comparison with other
// software and the tests all use them.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/sample/segment_sample.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto {

/// One scene. Trackers follow the orientation of `links` and the origin of `positions`.
struct Scene {
  std::string name;
  std::string body;                    ///< human66, human48 or the name of the model
  std::unique_ptr<const Model> model;  ///< keeps its address when the scene is moved
  Synthesis motion;                    ///< of `model`
  std::vector<std::string> links;      ///< measured links, in the samples' order
  std::vector<std::string> positions;  ///< some of `links`
  std::optional<double> tanh_gain;     ///< limits by tanh with this K_g [1/rad]; unset: the solver's own law
  double duration = 15.0;              ///< [s]
  double rate_hz = 100.0;
  bool closed = false;  ///< after `duration` the motion repeats without a jump
};

/// A scene that `make_scene` knows.
struct SceneName {
  std::string_view name;
  std::string_view description;  ///< one line, for people
  bool human48;                  ///< also available for human48
};

/// Returns free, few, clamped, positions, tpose, walk, run.
[[nodiscard]] const std::vector<SceneName>& scene_names();

/// Creates a scene by name, `body` human66 or human48.
///
/// free, few, clamped: human66 with joints within +-2.5 rad and speeds within 20, 3 and 1.5 rad/s. Every
/// joint follows one sinusoid of 0.18 .. 0.6 rad and 1/3 .. 1.2 Hz, while the base walks a circle of 15 s, so
/// that the motion is closed. The second and third exceed the speed limits: bounds hold some joints, or about
/// half of them. positions: as free, with positions of hands and feet as targets. tpose, walk, run: those of
/// `make_synthesis` on the unchanged body, 20 s.
/// @throws ConfigError for an unknown scene or body (listing the valid ones), or a body without this scene.
[[nodiscard]] Scene make_scene(std::string_view name, std::string_view body = "human66");

/// Creates the motion of `free` on any model with a floating base, with the orientations of `links` and the
/// origin of the first as targets. @throws ModelError for an unknown link, ConfigError without one.
[[nodiscard]] Scene wandering_scene(const Model& model, std::vector<std::string> links);

/// Returns all samples of a scene: t = i / rate, every link with orientation, position and both velocities.
[[nodiscard]] std::vector<SegmentSample> scene_samples(const Scene& scene);

}  // namespace panto
