#include <numbers>

#include "panto/synthesis/human_motion.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto {
namespace {

using detail::HumanCurves;

/// Standing, with the arms turned down by `hang` [rad] at the shoulders.
Synthesis standing(const char* name, const Model& model, double hang) {
  HumanCurves joints(name, model);
  joints.set_sides("jRightShoulder", 'x', Curve(hang), 0.0);
  joints.fit_into_limits(1.0);
  BaseCurves base;
  base.position[2] = Curve(detail::standing_height(model));
  return Synthesis(name, model, joints.curves(), base, 1.0);
}

}  // namespace

const std::vector<SynthesisName>& synthesis_names() {
  static const std::vector<SynthesisName> names{
      {"tpose", "standing still, arms held out to the sides"},
      {"npose", "standing still, arms hanging"},
      {"walk", "walking at 4 km/h, 0.9 strides a second"},
      {"fast_walk", "walking at 6 km/h, 1.05 strides a second"},
      {"run", "running at 10 km/h, 1.4 strides a second"},
      {"reach", "the arms in turn reach for targets in front, 8 s a round"},
      {"random", "every joint of any model wanders inside its limits (--seed)"},
  };
  return names;
}

Synthesis make_synthesis(std::string_view name, const Model& model, std::uint64_t seed) {
  if (name == "tpose") return standing("tpose", model, 0.0);
  if (name == "npose") return standing("npose", model, 0.5 * std::numbers::pi);
  if (name == "walk") return detail::walk(model);
  if (name == "fast_walk") return detail::fast_walk(model);
  if (name == "run") return detail::run(model);
  if (name == "reach") return detail::reach(model);
  if (name == "random") return detail::random_motion(model, seed);

  std::vector<std::string> valid;
  for (const SynthesisName& known : synthesis_names()) valid.emplace_back(known.name);
  throw ConfigError(unknown_name("motion", name, "the synthesis", valid));
}

}  // namespace panto
