#pragma once
// Random chains that carry sensors, and motions of them.

#include <string>
#include <vector>

#include "panto/inertial/imu_model.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

/// Trees of human size with all kinds of joints.
inline Model random_chain(std::uint64_t seed, bool floating) {
  ModelSpec spec = random_spec(seed, {.min_joints = 3, .max_joints = 20, .min_scale = 0.1, .max_scale = 0.5});
  spec.floating_base = floating;
  return Model{std::move(spec)};
}

inline StateAcceleration random_acceleration(const Model& model, Random& random) {
  StateAcceleration result;
  result.a_WB = random_vector(random, 10.0);
  result.alpha_WB = random_vector(random, 20.0);
  result.sddot.resize(model.dof());
  for (int i = 0; i < model.dof(); ++i) result.sddot[i] = uniform(random, -20.0, 20.0);
  return result;
}

/// Links that a layout can seat: all but those inside a ball.
inline std::vector<int> seats(const ChainLayout& layout) {
  std::vector<int> links;
  for (int link = 0; link < layout.model().link_count(); ++link) {
    try {
      (void)layout.seat(link);
      links.push_back(link);
    } catch (const ModelError&) {  // inside a ball
    }
  }
  return links;
}

/// Sensors, and points with the same places, on every other link.
inline ImuModel random_imus(const ChainLayout& layout, Random& random) {
  std::vector<ImuMount> imus;
  std::vector<PointMount> points;
  for (const int link : seats(layout)) {
    if (chance(random, 0.5)) continue;
    const std::string& name = layout.model().link_names()[static_cast<std::size_t>(link)];
    imus.push_back({"imu on " + name, name, random_rotation(random), random_vector(random, 0.1)});
    points.push_back({"point on " + name, name, imus.back().p_LI});
  }
  return {layout, std::move(imus), std::move(points), {{0.1, -0.2, -9.8}, {3.0, 18.0, -41.0}}};
}

}  // namespace panto::test
