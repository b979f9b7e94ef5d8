#include "panto/synthesis/scenes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/random_numbers.hpp"
#include "panto/synthesis/segments.hpp"

namespace panto {
namespace {

using std::numbers::pi;

constexpr double kLap = 15.0;           // [s] every frequency is a multiple of its inverse
constexpr double kPositionLimit = 2.5;  // [rad]
constexpr double kTanhGain = 5.0;       // [1/rad]
constexpr double kLeast = 0.18;         // [rad] amplitudes of the joints
constexpr double kMost = 0.6;
constexpr int kSlowest = 5;            // turns a lap: 1/3 Hz
constexpr int kFastest = 18;           // 1.2 Hz
constexpr int kStrides = 14;           // a lap
constexpr double kWalkingSpeed = 1.3;  // [m/s]
// a seed with 1.7 active bounds in few and 28.6 in clamped, on average
constexpr std::uint64_t kSeed = 24;

/// A scene with a motion of this file, and its joint speed limit.
struct Wandering {
  std::string_view name;
  double speed;  ///< [rad/s]
};

constexpr std::array kWandering{Wandering{"free", 20.0}, Wandering{"few", 3.0}, Wandering{"clamped", 1.5},
                                Wandering{"positions", 20.0}};

Curve::Wave turns(int per_lap, double a, double b) { return {2.0 * pi * per_lap / kLap, a, b}; }

std::vector<Curve> wandering_joints(int dof) {
  std::mt19937_64 engine(kSeed);
  std::vector<Curve> curves;
  for (int i = 0; i < dof; ++i) {
    const double amplitude = uniform(engine, kLeast, kMost);
    const int per_lap = kSlowest + static_cast<int>(uniform(engine) * (kFastest - kSlowest + 1));
    const RingPoint phase = point_in_ring(engine);
    const double scale = amplitude / std::sqrt(phase.x * phase.x + phase.y * phase.y);
    curves.push_back(Curve().add(turns(per_lap, scale * phase.x, scale * phase.y)));
  }
  return curves;
}

/// Walks one circle per lap at walking speed, with a walker's sway.
BaseCurves circling_base() {
  const double radius = kWalkingSpeed * kLap / (2.0 * pi);
  BaseCurves base;
  base.position[0].add(turns(1, 0.0, radius));
  base.position[1] = Curve(radius).add(turns(1, -radius, 0.0)).add(turns(kStrides, 0.0, 0.02));
  base.position[2] = Curve(1.0).add(turns(2 * kStrides, 0.02, 0.0));
  base.roll.add(turns(kStrides, 0.05, 0.0));
  base.pitch = Curve(0.05).add(turns(2 * kStrides, 0.0, 0.03));
  base.yaw = Curve(0.0, 2.0 * pi / kLap).add(turns(kStrides, 0.0, 0.1));
  return base;
}

std::unique_ptr<const Model> limited(const Model& body, double speed) {
  ModelSpec spec = body.spec();
  for (Joint& joint : spec.joints) {
    if (joint.type == JointType::Fixed) continue;
    joint.lower = -kPositionLimit;
    joint.upper = kPositionLimit;
    joint.velocity = speed;
  }
  return std::make_unique<const Model>(std::move(spec));
}

Scene scene_of(std::unique_ptr<const Model> model, Synthesis motion, std::vector<std::string> links) {
  std::vector<std::string> positions{links.front()};
  std::string name = motion.name(), body = model->name();
  return {std::move(name),  std::move(body),      std::move(model), std::move(motion),
          std::move(links), std::move(positions), std::nullopt};
}

Scene wandering(const Model& body, std::string name, double speed, std::vector<std::string> links) {
  std::unique_ptr<const Model> model = limited(body, speed);
  Synthesis motion(std::move(name), *model, wandering_joints(model->dof()), circling_base(), kLap);
  Scene scene = scene_of(std::move(model), std::move(motion), std::move(links));
  scene.tanh_gain = kTanhGain;
  scene.duration = kLap;
  scene.closed = true;
  return scene;
}

Model body_named(std::string_view name) {
  if (name == "human66") return human66();
  if (name == "human48") return human48();
  throw ConfigError(unknown_name("model", name, "the scenes", {"human66", "human48"}));
}

}  // namespace

const std::vector<SceneName>& scene_names() {
  static const std::vector<SceneName> names{
      {"free", "every joint moves, no bound is active", false},
      {"few", "as free, with speed limits that hold one or two joints at a time", false},
      {"clamped", "as free, with speed limits that hold about half of the joints", false},
      {"positions", "as free, with positions of hands and feet as targets", false},
      {"tpose", "standing still", true},
      {"walk", "walking at 4 km/h", true},
      {"run", "running at 10 km/h", true},
  };
  return names;
}

Scene make_scene(std::string_view name, std::string_view body) {
  const std::vector<SceneName>& names = scene_names();
  const auto known =
      std::find_if(names.begin(), names.end(), [&](const SceneName& n) { return n.name == name; });
  if (known == names.end()) {
    std::vector<std::string> valid;
    valid.reserve(names.size());
    for (const SceneName& n : names) valid.emplace_back(n.name);
    throw ConfigError(unknown_name("scene", name, "the benchmark", valid));
  }
  auto model = std::make_unique<const Model>(body_named(body));
  if (!known->human48 && body != "human66")
    throw ConfigError("scene '" + std::string(name) + "' exists only for human66");
  for (const Wandering& kind : kWandering) {
    if (kind.name != name) continue;
    Scene scene = wandering(*model, std::string(name), kind.speed, measured_links(*model));
    if (name == "positions") {
      for (const char* link : {"RightHand", "LeftHand", "RightFoot", "LeftFoot"})
        scene.positions.emplace_back(link);
    }
    return scene;
  }
  Synthesis motion = make_synthesis(name, *model);
  std::vector<std::string> links = measured_links(*model);
  Scene scene = scene_of(std::move(model), std::move(motion), std::move(links));
  scene.duration = 20.0;
  return scene;
}

Scene wandering_scene(const Model& model, std::vector<std::string> links) {
  if (links.empty()) throw ConfigError("a scene needs at least one link to follow");
  for (const std::string& link : links) (void)model.link_index(link);
  return wandering(model, "free", kWandering.front().speed, std::move(links));
}

std::vector<SegmentSample> scene_samples(const Scene& scene) {
  SyntheticSource source(scene.motion, {scene.duration, scene.rate_hz, std::nullopt, scene.links});
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; source.read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  return samples;
}

}  // namespace panto
