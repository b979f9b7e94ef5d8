#include "panto/io/mesh_dae.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <pugixml.hpp>
#include <unordered_map>

#include "panto/base/error.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/so3.hpp"

namespace panto::io::detail {
namespace {

using Eigen::Affine3d;
using Eigen::Vector3d;
using pugi::xml_node;

constexpr int kDeepest = 64;  // nested nodes
// A small file may place one geometry again and again.
constexpr int kMostInstances = 1000;
constexpr std::size_t kMostPoints = 3 * kMeshMaxTriangles;

class DaeReader {
 public:
  DaeReader(std::string_view bytes, std::string name) : name_(std::move(name)) {
    const auto result = document_.load_buffer(bytes.data(), bytes.size());
    if (!result) throw FormatError(fmt::format("{}: not well-formed XML: {}", name_, result.description()));
    root_ = document_.child("COLLADA");
    if (!root_) throw FormatError(name_ + ": the outermost element must be <COLLADA>");
    for (const xml_node mesh : root_.child("library_geometries").children("geometry"))
      geometries_[mesh.attribute("id").value()] = mesh.child("mesh");
  }

  TriangleMesh read() {
    Affine3d W = Affine3d::Identity();
    const xml_node asset = root_.child("asset");
    const std::string up = asset.child("up_axis").text().as_string("Y_UP");
    if (up.find("Y_UP") != std::string::npos) W.rotate(so3::about_axis(0, 0.5 * std::numbers::pi));
    if (up.find("X_UP") != std::string::npos) W.rotate(so3::about_axis(1, -0.5 * std::numbers::pi));
    const double metre = asset.child("unit").attribute("meter").as_double(1.0);
    W.scale(metre > 0.0 && std::isfinite(metre) ? metre : 1.0);
    const xml_node scenes = root_.child("library_visual_scenes");
    for (const xml_node node : scenes.child("visual_scene").children("node")) place(node, W, 0);
    if (!scenes) {
      for (const auto& [id, mesh] : geometries_) add(mesh, W);
    }
    return std::move(mesh_);
  }

 private:
  std::vector<double> numbers(xml_node node) const {
    std::vector<double> values;
    std::string_view text = node.text().get();
    while (!(text = trimmed_front(text)).empty()) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
      const auto value = parse_number(text.substr(0, end));
      if (!value)
        throw FormatError(fmt::format("{}: <{}> holds {}, not a number", name_, node.name(),
                                      in_quotes(text.substr(0, end))));
      values.push_back(*value);
      text.remove_prefix(end);
    }
    return values;
  }
  static std::string_view trimmed_front(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text;
  }

  void place(xml_node node, Affine3d W, int depth) {
    if (depth > kDeepest) throw FormatError(fmt::format("{}: nodes nest deeper than {}", name_, kDeepest));
    for (const xml_node part : node.children()) {
      const std::string_view element = part.name();
      if (element != "matrix" && element != "translate" && element != "rotate" && element != "scale")
        continue;
      const std::vector<double> v = numbers(part);
      const std::size_t needed = element == "matrix" ? 16 : element == "rotate" ? 4 : 3;
      if (v.size() != needed)
        throw FormatError(fmt::format("{}: <{}> needs {} numbers", name_, part.name(), needed));
      if (element == "matrix") {
        Affine3d M = Affine3d::Identity();
        for (int i = 0; i < 12; ++i) M(i / 4, i % 4) = v[static_cast<std::size_t>(i)];
        W = W * M;
      } else if (element == "translate") {
        W.translate(Vector3d(v[0], v[1], v[2]));
      } else if (element == "rotate") {
        const Vector3d axis(v[0], v[1], v[2]);
        if (axis.norm() > 0.0) W.rotate(so3::exp(v[3] * std::numbers::pi / 180.0 * axis.normalized()));
      } else {
        W.scale(Vector3d(v[0], v[1], v[2]));
      }
    }
    for (const xml_node instance : node.children("instance_geometry")) {
      const std::string url = instance.attribute("url").value();
      const auto found = geometries_.find(url.empty() ? url : url.substr(1));
      if (found != geometries_.end()) add(found->second, W);
    }
    for (const xml_node child : node.children("node")) place(child, W, depth + 1);
  }

  void add(xml_node mesh, const Affine3d& W) {
    if (++instances_ > kMostInstances)
      throw FormatError(fmt::format("{}: places more than {} geometries", name_, kMostInstances));
    for (const char* kind : {"triangles", "polylist", "polygons"})
      for (const xml_node faces : mesh.children(kind)) add_faces(mesh, faces, W);
  }

  // Adds the transformed points that the vertices of these faces name; returns the index of the first.
  std::pair<std::uint32_t, std::size_t> add_points(xml_node mesh, const std::string& vertices,
                                                   const Affine3d& W) {
    std::string source;
    for (const xml_node node : mesh.children("vertices")) {
      if (vertices != node.attribute("id").value()) continue;
      for (const xml_node input : node.children("input"))
        if (std::string_view(input.attribute("semantic").value()) == "POSITION")
          source = input.attribute("source").value();
    }
    for (const xml_node node : mesh.children("source")) {
      if (source.empty() || source.substr(1) != node.attribute("id").value()) continue;
      const std::vector<double> values = numbers(node.child("float_array"));
      if (mesh_.points.size() + values.size() / 3 > kMostPoints)
        throw FormatError(fmt::format("{}: more than {} points", name_, kMostPoints));
      const auto first = static_cast<std::uint32_t>(mesh_.points.size());
      for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
        const Vector3d p = W * Vector3d(values[i], values[i + 1], values[i + 2]);
        if (!p.allFinite() || p.cwiseAbs().maxCoeff() > 1e7)
          throw FormatError(name_ + ": a point is not finite or too far away");
        mesh_.points.push_back(p.cast<float>());
      }
      return {first, values.size() / 3};
    }
    throw FormatError(name_ + ": faces have vertices without positions");
  }

  void add_faces(xml_node mesh, xml_node faces, const Affine3d& W) {
    std::size_t stride = 0, offset = 0;
    std::string vertices;
    for (const xml_node input : faces.children("input")) {
      const unsigned at = input.attribute("offset").as_uint();
      if (at > 64) throw FormatError(name_ + ": an <input> has an offset above 64");
      stride = std::max<std::size_t>(stride, at + 1);
      if (std::string_view(input.attribute("semantic").value()) != "VERTEX") continue;
      offset = at;
      vertices = input.attribute("source").value();
    }
    if (stride == 0 || vertices.empty()) throw FormatError(name_ + ": faces have no vertices");
    const auto [first, count] = add_points(mesh, vertices.substr(1), W);
    const std::vector<double> corners =
        faces.child("vcount") ? numbers(faces.child("vcount")) : std::vector<double>();
    for (const xml_node list : faces.children("p")) {
      const std::vector<double> indices = numbers(list);
      const std::size_t all = indices.size() / stride;
      const bool polygon = std::string_view(faces.name()) == "polygons";
      std::size_t at = 0;
      for (std::size_t face = 0; at < all; ++face) {
        const double told = polygon ? static_cast<double>(all) : face < corners.size() ? corners[face] : 3.0;
        if (!(told >= 1.0 && told <= static_cast<double>(all - at)))
          throw FormatError(name_ + ": a face ends before its last corner");
        const auto size = static_cast<std::size_t>(told);
        std::vector<std::uint32_t> points;
        for (std::size_t i = 0; i < size; ++i) {
          const double index = indices[(at + i) * stride + offset];
          if (!(index >= 0.0 && index < static_cast<double>(count)))
            throw FormatError(name_ + ": a face names a missing point");
          points.push_back(first + static_cast<std::uint32_t>(index));
        }
        for (std::size_t i = 2; i < size; ++i)
          mesh_.triangles.push_back({points[0], points[i - 1], points[i]});
        at += size;
        if (mesh_.triangles.size() > kMeshMaxTriangles)
          throw FormatError(fmt::format("{}: more than {} triangles", name_, kMeshMaxTriangles));
      }
    }
  }

  std::string name_;
  pugi::xml_document document_;
  xml_node root_;
  std::unordered_map<std::string, xml_node> geometries_;
  TriangleMesh mesh_;
  int instances_ = 0;
};

}  // namespace

TriangleMesh read_dae(std::string_view bytes, const std::string& name) {
  return DaeReader(bytes, name).read();
}

}  // namespace panto::io::detail
