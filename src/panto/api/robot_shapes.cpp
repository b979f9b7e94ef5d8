#include "panto/api/robot_shapes.hpp"

#include <algorithm>

#include "panto/base/text.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto {
namespace {

// Links that move with a foot.
std::vector<std::string> foot_links(const Model& model, const robot::Map& map) {
  std::vector<std::string> links;
  for (const Attachment& a : map.attachments.attachments) {
    if (a.segment != "RightFoot" && a.segment != "LeftFoot") continue;
    const int body = model.frame(model.link_index(a.link)).body;
    for (int link = 0; link < model.link_count(); ++link) {
      if (model.frame(link).body == body) links.push_back(model.link_names()[static_cast<std::size_t>(link)]);
    }
  }
  return links;
}

constexpr std::size_t kPageTriangles = 60'000;  // of all meshes on a page: 0.7 MB
constexpr std::size_t kLeastTriangles = 200;    // of one
constexpr std::size_t kNamed = 3;               // of what is missing

}  // namespace

std::string urdf_behind(const std::string& name) {
  std::string file = name;
  if (io::extension_of(name) == ".toml" && io::is_robot_map_file(name))
    file = io::model_of_map(io::read_robot_map(name), name);
  return io::extension_of(file) == ".urdf" ? file : std::string();
}

void take_soles(const std::string& urdf_path, const Model& model, robot::Map& map,
                std::vector<std::string>& notes) {
  const std::vector<std::string> feet = foot_links(model, map);
  // what collides is what stands; what is only seen may stand where nothing collides
  for (const bool collision : {true, false}) {
    const io::LinkMeshes shapes = io::read_link_meshes(urdf_path, [&](const io::LinkShape& shape) {
      return shape.collision == collision && std::find(feet.begin(), feet.end(), shape.link) != feet.end();
    });
    std::vector<robot::LinkPoints> points;
    for (const io::LinkMesh& shape : shapes.meshes) {
      robot::LinkPoints& own = points.emplace_back(robot::LinkPoints{shape.link, {}});
      for (const Eigen::Vector3f& p : shape.mesh.points) own.points.push_back(p.cast<double>());
    }
    if (points.empty() && collision) continue;
    robot::find_robot_soles(model, points, map, notes);
    return;
  }
}

std::vector<io::LinkMesh> page_meshes(const std::string& urdf_path, const Model& model,
                                      std::vector<std::string>& notes) {
  const auto seen = [&](const io::LinkShape& shape) {
    return !shape.collision && model.find_link(shape.link).has_value();
  };
  std::vector<std::string> known_already;
  const std::vector<io::LinkShape> shapes = io::read_urdf_shapes_file(urdf_path, known_already);
  const auto count = static_cast<std::size_t>(std::count_if(shapes.begin(), shapes.end(), seen));
  if (count == 0) return {};
  io::LinkMeshes all =
      io::read_link_meshes(urdf_path, seen, std::max(kLeastTriangles, kPageTriangles / count));
  for (std::string& note : all.notes) notes.push_back(std::move(note));
  std::size_t left = 0, files = 0;
  for (const io::LinkMesh& shape : all.meshes) left += shape.mesh.triangles.size();
  if (all.triangles > left)
    notes.push_back("the page shows coarser meshes: " + std::to_string(left) + " of " +
                    std::to_string(all.triangles) + " triangles");
  std::string names;
  for (const std::string& name : all.missing) {
    if (++files <= kNamed) names += (names.empty() ? "" : ", ") + name;
  }
  if (files > 0)
    notes.push_back(counted(static_cast<std::int64_t>(files), "mesh file") + " of the robot " +
                    (files == 1 ? "is" : "are") + " not there (" + names +
                    (files > kNamed ? " and " + std::to_string(files - kNamed) + " more" : "") +
                    "); its links are drawn as bones. ROS_PACKAGE_PATH says where packages are");
  return std::move(all.meshes);
}

}  // namespace panto
