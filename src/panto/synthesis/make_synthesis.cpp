#include <numbers>

#include "panto/synthesis/human_motion.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto {
namespace {

using detail::HumanCurves;

/// Stands with the arms turned down by `hang` [rad] at the shoulders.
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
      {"reach", "reaching for targets in front with alternating arms, 8 s per cycle"},
      {"wave", "waving with the right hand, 6 s per cycle"},
      {"conduct", "conducting with both hands, 8 s per cycle"},
      {"forearm_roll", "bent forearms turning about their own axes, 8 s per cycle"},
      {"overflex", "elbows bent to 135, 110 and 95 degrees, 10 s per cycle"},
      {"singular", "the right arm through straight shoulder, elbow and wrist, 12 s per cycle"},
      {"gesture", "both arms through four random poses and back to rest, 10 s per cycle; takes a seed"},
      {"singular_arm", "tee7 through its singular poses, equation (30) of Tee et al., 630 s in total"},
      {"singular_hold", "tee7 held at three singular poses at once, equation (31) of Tee et al."},
      {"random", "random smooth motion of any model inside its joint limits; takes a seed"},
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
  if (name == "wave") return detail::wave(model);
  if (name == "conduct") return detail::conduct(model);
  if (name == "forearm_roll") return detail::forearm_roll(model);
  if (name == "overflex") return detail::overflex(model);
  if (name == "singular") return detail::singular(model);
  if (name == "gesture") return detail::gesture(model, seed);
  if (name == "singular_arm") return detail::singular_arm(model);
  if (name == "singular_hold") return detail::singular_hold(model);
  if (name == "random") return detail::random_motion(model, seed);

  std::vector<std::string> valid;
  for (const SynthesisName& known : synthesis_names()) valid.emplace_back(known.name);
  throw ConfigError(unknown_name("motion", name, "the synthesis", valid));
}

}  // namespace panto
