#include "panto/io/mjcf_geom.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "panto/math/so3.hpp"

namespace panto::io::mjcf {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using pugi::xml_node;
using urdf::in_quotes;
using Kind = LinkShape::Kind;

const std::vector<std::string_view> kTypes{"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                           "cylinder", "box",    "mesh",   "sdf"};
enum class Type : unsigned char { Plane, Field, Sphere, Capsule, Ellipsoid, Cylinder, Box, Mesh, Sdf };

std::optional<std::array<double, 4>> colour_of(const Element& element) {
  const auto rgba = element.numbers("rgba", 4, 4);
  if (!rgba) return std::nullopt;
  std::array<double, 4> colour{};
  for (std::size_t i = 0; i < 4; ++i) colour[i] = std::clamp((*rgba)[i], 0.0, 1.0);
  return colour;
}

// size and pose from the ends of an axis; returns a problem
std::string place_between(const std::vector<double>& ends, Type type, std::vector<double>& size,
                          LinkShape& shape) {
  if (type != Type::Capsule && type != Type::Cylinder && type != Type::Ellipsoid && type != Type::Box)
    return "fromto needs a capsule, cylinder, ellipsoid or box";
  const Vector3d from(ends.data()), to(ends.data() + 3), axis = from - to;
  if (!(axis.norm() > 0.0)) return "fromto has no length";
  if (size.empty()) return "it has no size";
  const double half = 0.5 * axis.norm();
  const bool round = type == Type::Capsule || type == Type::Cylinder;
  size = round ? std::vector<double>{size[0], half} : std::vector<double>{size[0], size[0], half};
  shape.p_LG = 0.5 * (from + to);
  shape.R_LG = turning_z_to(axis);
  return {};
}

// MuJoCo's half sizes as ours; returns a problem
std::string set_size(Type type, const std::vector<double>& size, LinkShape& shape) {
  const std::size_t needed = type == Type::Sphere                              ? 1U
                             : type == Type::Capsule || type == Type::Cylinder ? 2U
                                                                               : 3U;
  if (size.size() < needed) return fmt::format("its size needs {} number{}", needed, needed > 1 ? "s" : "");
  for (std::size_t i = 0; i < needed; ++i)
    if (!(size[i] > 0.0 && size[i] <= kLargestShape))
      return fmt::format("its sizes must be numbers > 0, at most {:g}", kLargestShape);
  switch (type) {
    case Type::Sphere:
      shape.kind = Kind::Sphere;
      shape.size = {size[0], 0.0, 0.0};
      return {};
    case Type::Capsule:
    case Type::Cylinder:
      shape.kind = type == Type::Capsule ? Kind::Capsule : Kind::Cylinder;
      shape.size = {size[0], 2.0 * size[1], 0.0};
      return {};
    case Type::Ellipsoid:
      shape.kind = Kind::Ellipsoid;
      shape.size = {size[0], size[1], size[2]};
      return {};
    default:
      shape.kind = Kind::Box;
      shape.size = {2.0 * size[0], 2.0 * size[1], 2.0 * size[2]};
      return {};
  }
}

std::string set_mesh(const std::string& name, const Assets& assets, LinkShape& shape) {
  const auto mesh = assets.meshes.find(name);
  if (mesh == assets.meshes.end()) return fmt::format("mesh {} is not in <asset>", in_quotes(name));
  if (mesh->second.file.empty()) return fmt::format("mesh {} has no file", in_quotes(name));
  const Pose& reference = mesh->second.reference;
  const Vector3d& scale = mesh->second.scale;
  const bool even = scale.x() == scale.y() && scale.y() == scale.z();
  if (!even && !reference.R.isIdentity(1e-12))
    return fmt::format("mesh {} is turned and scaled unevenly", in_quotes(name));
  if (!(scale.cwiseAbs().maxCoeff() <= kLargestShape && reference.p.cwiseAbs().maxCoeff() <= kLargestShape))
    return fmt::format("scale or refpos of mesh {} is beyond {:g}", in_quotes(name), kLargestShape);
  shape.kind = Kind::Mesh;
  shape.mesh = mesh->second.file;
  shape.size = scale;
  shape.R_LG = shape.R_LG * reference.R.transpose();
  shape.p_LG -= shape.R_LG * scale.cwiseProduct(reference.p);
  return {};
}

// The groups of MuJoCo's viewer: 0 to 2 are seen, 3 and more hidden; models use 3 for collisions.
void set_use(const Element& element, Geom& geom) {
  const int group = static_cast<int>(std::clamp(element.number("group", 0.0), -1.0, 100.0));
  const bool touches = element.number("contype", 1.0) != 0.0 || element.number("conaffinity", 1.0) != 0.0;
  const bool called = element.text("class").find("collision") != std::string::npos;
  geom.collides = touches || called || group == 3;
  geom.visual = !geom.collides;
}

}  // namespace

Assets::Assets(const Context& context) {
  const Document& document = context.document;
  for (const xml_node node : document.in_sections("asset")) {
    const std::string_view kind = node.name();
    if (kind != "mesh" && kind != "material") continue;
    const Element element(document, node, kind,
                          context.classes.of(document, node, "class", context.classes.main()));
    std::string name = element.text("name");
    if (kind == "material") {
      if (const auto colour = colour_of(element)) materials.emplace(std::move(name), *colour);
      continue;
    }
    Mesh mesh;
    std::filesystem::path file = element.text("file");
    if (name.empty()) name = file.stem().generic_string();
    if (context.compiler.strippath) file = file.filename();
    if (!file.empty()) mesh.file = (std::filesystem::path(context.compiler.meshdir) / file).generic_string();
    mesh.scale = element.vector("scale", Vector3d::Ones());
    mesh.reference.p = element.vector("refpos", Vector3d::Zero());
    if (const auto q = element.numbers("refquat", 4, 4))
      mesh.reference.R = so3::from_quaternion_wxyz(Eigen::Vector4d(q->data()));
    meshes.emplace(std::move(name), std::move(mesh));
  }
}

Geom read_geom(const Placed& placed, const std::string& link, const Context& context, const Assets& assets) {
  const Element& element = placed.element;
  Geom geom;
  LinkShape& shape = geom.shape;
  shape.link = link;
  const auto type = static_cast<Type>(element.choice("type", kTypes, 2));
  const std::string mesh = element.text("mesh");
  const Pose pose = pose_of(element, context.compiler);
  shape.R_LG = pose.R;
  shape.p_LG = pose.p;
  std::vector<double> size = element.numbers("size", 1, 3).value_or(std::vector<double>());
  const auto ends = element.numbers("fromto", 6, 6);
  if (!mesh.empty()) {
    geom.problem = set_mesh(mesh, assets, shape);
  } else if (type == Type::Plane || type == Type::Field || type == Type::Mesh || type == Type::Sdf) {
    geom.problem = fmt::format("a {} is not a shape of a link", kTypes[static_cast<std::size_t>(type)]);
  } else {
    if (ends) geom.problem = place_between(*ends, type, size, shape);
    if (geom.problem.empty()) geom.problem = set_size(type, size, shape);
  }
  const Pose placed_pose = placed.frame * Pose{shape.R_LG, shape.p_LG};
  shape.R_LG = placed_pose.R;
  shape.p_LG = placed_pose.p;
  if (geom.problem.empty() && !(shape.p_LG.cwiseAbs().maxCoeff() <= kLargestShape))
    geom.problem = fmt::format("its position is beyond {:g} m", kLargestShape);
  shape.rgba = colour_of(element);
  const auto material = assets.materials.find(element.text("material"));
  if (!shape.rgba && material != assets.materials.end()) shape.rgba = material->second;
  set_use(element, geom);
  return geom;
}

void add_shapes(const Body& body, const Context& context, const Assets& assets, RobotShapes& shapes) {
  std::vector<Geom> geoms;
  bool for_sight = false;
  for (const Placed& placed : body.geoms) {
    geoms.push_back(read_geom(placed, body.name, context, assets));
    for_sight = for_sight || geoms.back().visual;
    if (geoms.back().problem.empty() || shapes.notes.size() >= kMostShapeNotes) continue;
    shapes.notes.push_back(fmt::format("{}: a shape of link {} is ignored: {}",
                                       context.document.place_of(placed.element.node()), in_quotes(body.name),
                                       geoms.back().problem));
  }
  for (const bool collision : {false, true}) {
    for (const Geom& geom : geoms) {
      const bool wanted = collision ? geom.collides : geom.visual || !for_sight;
      if (!geom.problem.empty() || !wanted || shapes.shapes.size() >= kMostShapes) continue;
      shapes.shapes.push_back(geom.shape);
      shapes.shapes.back().collision = collision;
    }
  }
}

}  // namespace panto::io::mjcf
