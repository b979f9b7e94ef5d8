#pragma once
// Geoms of a MuJoCo model as shapes of links and as masses. Internal.

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "panto/io/mjcf_tree.hpp"
#include "panto/io/urdf_shapes.hpp"

namespace panto::io::mjcf {

/// The meshes and materials of <asset>.
struct Assets {
  struct Mesh {
    std::string file;  ///< from the model's folder; empty: the model has no file for it
    Eigen::Vector3d scale = Eigen::Vector3d::Ones();
    Pose reference;  ///< its origin and axes in the file's
  };
  std::unordered_map<std::string, Mesh> meshes;
  std::unordered_map<std::string, std::array<double, 4>> materials;

  explicit Assets(const Context& context);
};

/// A geom of a body.
struct Geom {
  LinkShape shape;
  bool collides = false, visual = false;  ///< one of them, or both
  std::string problem;                    ///< why it is no shape; empty: it is one
};

/// Reads a geom. @throws FormatError for numbers and words that MuJoCo refuses.
[[nodiscard]] Geom read_geom(const Placed& geom, const std::string& link, const Context& context,
                             const Assets& assets);

/// Adds the shapes of a body: those that collide, and those that are seen (all of them when no geom is for
/// sight alone). Unusable ones are noted.
void add_shapes(const Body& body, const Context& context, const Assets& assets, RobotShapes& shapes);

/// Sets mass, centre of mass and inertia of a link as MuJoCo does: from <inertial>, else from geoms. The
/// volume of meshes is unknown and noted.
void set_inertia(const Body& body, const Context& context, const Assets& assets, Link& link);

}  // namespace panto::io::mjcf
