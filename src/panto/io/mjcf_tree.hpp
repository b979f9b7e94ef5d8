#pragma once
// The bodies of a MuJoCo model, without <frame>s, with the elements that they have. Internal.

#include <string>
#include <vector>

#include "panto/io/mjcf_element.hpp"
#include "panto/io/urdf_text.hpp"

namespace panto::io::mjcf {

/// A joint or geom of a body, and the frame around it.
struct Placed {
  Element element;
  Pose frame;  ///< in the body
};

enum class Motion : unsigned char { Free, Ball, Slide, Hinge };

struct BodyJoint {
  Placed placed;
  Motion motion;
  std::string name;  ///< never empty, unique
  int qpos;          ///< its first value in <key qpos>
};

struct Body {
  pugi::xml_node node;
  std::string name;  ///< never empty, unique
  int parent = -1;   ///< position in the list; -1: the world
  int top = 0;       ///< the body of the world that it belongs to
  Pose pose;         ///< in the parent
  std::vector<BodyJoint> joints;
  std::vector<Placed> geoms;
  pugi::xml_node inertial;
  int moving = 0;  ///< of a body of the world: joints in its tree that are not free

  [[nodiscard]] bool floats() const { return !joints.empty() && joints.front().motion == Motion::Free; }
};

/// All bodies of a model, parents first, in MuJoCo's order.
struct BodyList {
  std::vector<Body> bodies;
  int qpos = 0;  ///< length of <key qpos>
};

/// What a reader of a model needs everywhere.
struct Context {
  const Document& document;
  Compiler compiler;
  Classes classes;
  urdf::Remarks& remarks;

  Context(const Document& file, urdf::Remarks& notes)
      : document(file), compiler(file), classes(file), remarks(notes) {}
};

/// Reads the bodies of all <worldbody> sections. @throws FormatError for joints or names that MuJoCo refuses,
/// and for bodies that only MuJoCo can make (<replicate>, <attach>, <composite>, <flexcomp>).
[[nodiscard]] BodyList read_bodies(const Context& context);

/// Returns `name` with '_' added until `is_new` accepts it.
template <typename IsNew>
[[nodiscard]] std::string unused(std::string name, IsNew&& is_new) {
  while (!is_new(name)) name += '_';
  return name;
}

}  // namespace panto::io::mjcf
