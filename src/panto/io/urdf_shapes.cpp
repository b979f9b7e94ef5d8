#include "panto/io/urdf_shapes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <pugixml.hpp>
#include <unordered_map>

#include "panto/base/error.hpp"
#include "panto/base/utf8.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"
#include "panto/io/urdf_text.hpp"
#include "panto/io/xml_document.hpp"
#include "panto/math/euler.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;
using pugi::xml_node;

constexpr int kFoldersUp = 12;  // parent folders of a URDF that are searched for its package
// folders in which a package of a robot has its models
constexpr std::array<std::string_view, 8> kPartsOfPackages{"urdf", "mjcf",   "xml",    "xacro",
                                                           "sdf",  "robots", "models", "model"};

using Colour = std::array<double, 4>;

bool is_package(const std::filesystem::path& folder) {
  std::error_code missing;
  return std::filesystem::is_regular_file(folder / "package.xml", missing);
}

class ShapeReader {
 public:
  ShapeReader(std::string_view text, const std::string& name, std::vector<std::string>& notes)
      : text_(text), name_(name), notes_(&notes) {}

  std::vector<LinkShape> read() {
    text_ = xml::without_mark(text_);
    constexpr xml::Limits kLimits{kUrdfMaxBytes, kUrdfMaxTags, kUrdfMaxAttributes, kUrdfMaxDepth};
    xml::parse(text_, name_, kLimits, "a URDF", "<robot name='...'>", document_);
    const xml_node robot = document_.child("robot");
    for (const xml_node material : robot.children("material")) {
      if (const auto colour = colour_of(material)) materials_[material.attribute("name").value()] = *colour;
    }
    for (const xml_node link : robot.children("link")) {
      for (const xml_node node : link.children()) {
        const std::string_view element = node.name();
        if (element == "visual" || element == "collision") add(link, node, element == "collision");
      }
    }
    return std::move(shapes_);
  }

  // Returns the folder of meshes that an extension of MuJoCo names; empty: none.
  [[nodiscard]] std::string mesh_dir() const {
    const xml_node compiler = document_.child("robot").child("mujoco").child("compiler");
    return compiler.attribute("meshdir").value();
  }

 private:
  void add(xml_node link, xml_node node, bool collision) {
    if (shapes_.size() >= kMostShapes) return;
    LinkShape shape;
    shape.link = link.attribute("name").value();
    shape.collision = collision;
    const std::string wrong = describe(node, shape);
    if (wrong.empty()) {
      shapes_.push_back(std::move(shape));
    } else if (noted_++ < kMostShapeNotes) {
      notes_->push_back(fmt::format("{}:{}: a shape of link {} is ignored: {}", name_,
                                    xml::line_at(text_, node.offset_debug()), urdf::in_quotes(shape.link),
                                    wrong));
    }
  }

  // Returns the problem of a shape; empty: none.
  std::string describe(xml_node node, LinkShape& shape) const {
    const xml_node origin = node.child("origin"), geometry = node.child("geometry");
    const auto rpy = numbers(origin, "rpy", Vector3d::Zero()), xyz = numbers(origin, "xyz", Vector3d::Zero());
    if (!rpy || !xyz) return "its <origin> needs three numbers each in xyz and rpy";
    shape.R_LG = euler::from_roll_pitch_yaw(*rpy);
    shape.p_LG = *xyz;
    if (const xml_node material = node.child("material")) {
      shape.rgba = colour_of(material);
      const auto named = materials_.find(material.attribute("name").value());
      if (!shape.rgba && named != materials_.end()) shape.rgba = named->second;
    }
    for (const xml_node form : geometry.children()) {
      const std::string_view element = form.name();
      if (element == "box") return sized(shape, LinkShape::Kind::Box, numbers(form, "size", std::nullopt));
      if (element == "sphere") {
        const auto radius = one(form, "radius");
        return sized(shape, LinkShape::Kind::Sphere,
                     radius ? std::optional(Vector3d(*radius, 0.0, 0.0)) : std::nullopt);
      }
      if (element == "cylinder") {
        const auto radius = one(form, "radius"), length = one(form, "length");
        const bool whole = radius && length;
        return sized(shape, LinkShape::Kind::Cylinder,
                     whole ? std::optional(Vector3d(*radius, *length, 0.0)) : std::nullopt);
      }
      if (element != "mesh") continue;
      shape.mesh = form.attribute("filename").value();
      if (shape.mesh.empty() || !is_utf8(shape.mesh)) return "its <mesh> has no filename";
      shape.kind = LinkShape::Kind::Mesh;
      const auto scale = numbers(form, "scale", Vector3d::Ones());
      if (!scale) return "the scale of its <mesh> is not three numbers";
      shape.size = *scale;
      return {};
    }
    return "its <geometry> is not a box, cylinder, sphere or mesh";
  }

  static std::string sized(LinkShape& shape, LinkShape::Kind kind, const std::optional<Vector3d>& size) {
    if (!size || !(size->minCoeff() >= 0.0) || !(size->x() > 0.0)) return "its sizes must be numbers > 0";
    shape.kind = kind;
    shape.size = *size;
    return {};
  }

  static std::optional<Vector3d> numbers(xml_node node, const char* name, std::optional<Vector3d> otherwise) {
    const auto attribute = node.attribute(name);
    if (!attribute) return otherwise;
    const auto tokens = urdf::words(attribute.value());
    if (tokens.size() != 3) return std::nullopt;
    Vector3d value;
    for (int i = 0; i < 3; ++i) {
      const auto number = parse_number(tokens[static_cast<std::size_t>(i)]);
      if (!number || !(std::abs(*number) <= kLargestShape)) return std::nullopt;
      value[i] = *number;
    }
    return value;
  }

  static std::optional<double> one(xml_node node, const char* name) {
    const auto tokens = urdf::words(node.attribute(name).value());
    const auto number = tokens.size() == 1 ? parse_number(tokens[0]) : std::nullopt;
    if (!number || !(*number > 0.0 && *number <= kLargestShape)) return std::nullopt;
    return number;
  }

  static std::optional<Colour> colour_of(xml_node material) {
    const auto tokens = urdf::words(material.child("color").attribute("rgba").value());
    if (tokens.size() != 4) return std::nullopt;
    Colour colour{};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto number = parse_number(tokens[i]);
      if (!number || !(*number >= 0.0 && *number <= 1.0)) return std::nullopt;
      colour[i] = *number;
    }
    return colour;
  }

  std::string_view text_;
  std::string name_;
  std::vector<std::string>* notes_;
  pugi::xml_document document_;
  std::unordered_map<std::string, Colour> materials_;
  std::vector<LinkShape> shapes_;
  std::size_t noted_ = 0;
};

namespace fs = std::filesystem;

// The folders whose files a robot may name: a file that somebody else wrote must not pull others of this
// computer into a page that is shared.
class Allowed {
 public:
  explicit Allowed(const MeshSearch& search) {
    std::error_code missing;
    add_robot(fs::absolute(search.path, missing));
    add_robot(fs::canonical(search.path, missing));  // a link to the robot's file, as build tools install
    for (const auto* given : {&search.packages, &search.dirs})
      folders_.insert(folders_.end(), given->begin(), given->end());
  }

  void add(const fs::path& folder) { folders_.push_back(folder); }

  // Returns the path if its file is there and allowed; else empty.
  [[nodiscard]] std::string find(const fs::path& path) const {
    std::error_code missing;
    if (!fs::is_regular_file(path, missing)) return {};
    const bool allowed = std::any_of(folders_.begin(), folders_.end(),
                                     [&](const fs::path& folder) { return lies_below(path, folder); });
    return allowed ? path.string() : std::string();
  }

 private:
  // its folder, or that above the usual ones of a package; and its package
  void add_robot(const fs::path& file) {
    if (file.empty()) return;
    fs::path folder = file.parent_path();
    const std::string name = folder.filename().string();
    const bool part = std::any_of(kPartsOfPackages.begin(), kPartsOfPackages.end(),
                                  [&](std::string_view usual) { return equal_ignoring_case(name, usual); });
    folders_.push_back(part ? folder.parent_path() : folder);
    for (int up = 0; up < kFoldersUp && folder != folder.parent_path(); ++up, folder = folder.parent_path())
      if (is_package(folder)) return folders_.push_back(folder);
  }

  std::vector<fs::path> folders_;
};

// Returns a file of a package in the folders above a robot's file, or in a folder of its name within them.
std::string above(const MeshSearch& search, Allowed& allowed, const std::string& package,
                  const std::string& rest) {
  std::error_code ignored;
  fs::path folder = fs::absolute(search.path, ignored).parent_path();
  for (int up = 0; up < kFoldersUp; ++up) {
    for (const fs::path& found : {folder, folder / package}) {
      if (found.filename() != package) continue;
      if (is_package(found)) allowed.add(found);
      if (std::string file = allowed.find(found / rest); !file.empty()) return file;
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

// Returns a file of a package in one of the folders of ROS_PACKAGE_PATH.
std::string in_packages(const MeshSearch& search, const Allowed& allowed, const std::string& package,
                        const std::string& rest) {
  for (const fs::path folder : search.packages) {
    if (std::string found = allowed.find(folder / package / rest); !found.empty()) return found;
    if (folder.filename() != package) continue;
    if (std::string found = allowed.find(folder / rest); !found.empty()) return found;
  }
  return {};
}

// Returns a file in one of the given folders, each of packages, of this package, or of meshes.
std::string within(const MeshSearch& search, const Allowed& allowed, const std::string& package,
                   const fs::path& rest) {
  for (const fs::path dir : search.dirs) {
    for (const fs::path& tried : {dir / package / rest, dir / rest, dir / rest.filename()})
      if (std::string found = allowed.find(tried); !found.empty()) return found;
  }
  return {};
}

}  // namespace

RobotShapes read_shapes_of(const std::string& path) {
  return read_shapes_of(read_text_file(path, kUrdfMaxBytes), path);
}

RobotShapes read_shapes_of(std::string_view urdf, const std::string& path) {
  RobotShapes result;
  result.path = path;
  ShapeReader reader(urdf, path, result.notes);
  result.shapes = reader.read();
  result.mesh_dir = reader.mesh_dir();
  return result;
}

MeshSearch mesh_search(const RobotShapes& robot) {
  MeshSearch search{robot.path, robot.mesh_dir, robot.package_dirs, {}};
  const char* variable = std::getenv("ROS_PACKAGE_PATH");
  const std::string path = variable == nullptr ? "" : variable;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) search.packages.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return search;
}

std::string find_mesh_file(const std::string& mesh, const MeshSearch& search) {
  constexpr std::string_view kPackage = "package://", kModel = "model://", kFile = "file://";
  Allowed allowed(search);
  for (const std::string_view scheme : {kPackage, kModel}) {
    if (mesh.rfind(scheme, 0) != 0) continue;
    const std::string name = mesh.substr(scheme.size());
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return {};
    const std::string package = name.substr(0, slash), rest = name.substr(slash + 1);
    if (std::string found = above(search, allowed, package, rest); !found.empty()) return found;
    if (std::string found = in_packages(search, allowed, package, rest); !found.empty()) return found;
    return within(search, allowed, package, rest);
  }
  if (mesh.rfind(kFile, 0) == 0) return allowed.find(mesh.substr(kFile.size()));
  const fs::path folder = fs::path(search.path).parent_path(), name = mesh, meshes = folder / search.mesh_dir;
  for (const fs::path& tried : {folder / name, folder / ".." / name, meshes / name, meshes / name.filename()})
    if (std::string found = allowed.find(tried); !found.empty()) return found;
  return within(search, allowed, "", name);
}

}  // namespace panto::io
