#include "panto/io/open_model.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/input.hpp"
#include "panto/io/link_meshes.hpp"
#include "panto/io/mjcf.hpp"
#include "panto/io/model_formats.hpp"
#include "panto/io/osim.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"
#include "panto/io/urdf_shapes.hpp"
#include "panto/robot/base.hpp"
#include "panto/robot/link_shapes.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kPageTriangles = 60'000;  // all meshes on a page: 0.7 MB
constexpr std::size_t kLeastTriangles = 200;    // of one
constexpr std::size_t kNamed = 3;               // missing files that are named
constexpr double kContactPoint = 0.015;  // [m] radius of a sphere that is a point of contact, not a shape

// Returns the links that move with a foot; the wheels of a robot without legs.
std::vector<std::string> foot_links(const Model& model, const robot::Map& map) {
  std::vector<std::string> links;
  const bool legs = std::any_of(map.attachments.attachments.begin(), map.attachments.attachments.end(),
                                [](const Attachment& a) { return a.segment.ends_with("Leg"); });
  if (!legs) {  // the bottom of what rolls
    for (const int wheel : robot::find_wheels(model))
      links.push_back(model.link_names()[static_cast<std::size_t>(wheel)]);
  }
  for (const Attachment& a : map.attachments.attachments) {
    if (a.segment != "RightFoot" && a.segment != "LeftFoot") continue;
    const int body = model.frame(model.link_index(a.link)).body;
    for (int link = 0; link < model.link_count(); ++link) {
      if (model.frame(link).body == body) links.push_back(model.link_names()[static_cast<std::size_t>(link)]);
    }
  }
  return links;
}

// Returns the links that have shapes for collisions other than points of contact, such as the small spheres
// under a foot.
std::set<std::string> solid_links(const std::vector<LinkShape>& shapes) {
  std::set<std::string> links;
  for (const LinkShape& shape : shapes)
    if (shape.collision && (shape.kind != LinkShape::Kind::Sphere || shape.size.x() > kContactPoint))
      links.insert(shape.link);
  return links;
}

// Returns points of the feet's shapes: collision shapes, with visual ones where these are points of contact;
// visual ones if there are no others. Feet without a shape are listed without points.
std::vector<robot::LinkPoints> foot_points(const std::vector<std::string>& feet,
                                           const std::vector<LinkMesh>& shapes,
                                           const std::set<std::string>& solid) {
  std::vector<robot::LinkPoints> points;
  const auto touches = [&](const std::string& link) {
    return !solid.contains(link) && std::any_of(shapes.begin(), shapes.end(), [&](const LinkMesh& shape) {
      return shape.collision && shape.link == link;
    });
  };
  for (const bool collision : {true, false}) {
    for (const LinkMesh& shape : shapes) {
      if (std::find(feet.begin(), feet.end(), shape.link) == feet.end()) continue;
      if (shape.collision != collision && !(collision && touches(shape.link))) continue;
      robot::LinkPoints& own = points.emplace_back(robot::LinkPoints{shape.link, {}});
      for (const Eigen::Vector3f& p : shape.mesh.points) own.points.push_back(p.cast<double>());
    }
    if (!points.empty()) return points;
  }
  for (const std::string& link : feet) points.push_back({link, {}});
  return points;
}

// Returns the map's feet, or those of a map found from the model; none when no map can be found.
std::vector<std::string> feet_of(const RobotFile& robot) {
  try {
    return foot_links(robot.model, robot.map ? *robot.map : robot::propose_robot_map(robot.model).map);
  } catch (const ModelError&) {
    return {};
  }
}

// opens the model of a map; refusals name the map
template <typename Open>
auto model_of(const std::string& map_name, Open&& open) {
  try {
    return open();
  } catch (const Error& error) {
    throw FormatError(map_name + ": its `model`: " + error.what());
  }
}

// The model of a robot: shipped ones have no shapes.
ShapedModel open_named(const std::string& name, const SubjectDimensions& subject,
                       std::vector<std::string>& notes) {
  if (!is_model_file(name)) return {open_model(name, subject, notes), nullptr};
  Input input(name);
  return open_shaped_model(input, includes_beside(name), notes);
}

std::string missing_files(const std::vector<std::string>& missing) {
  return counted(static_cast<std::int64_t>(missing.size()), "mesh file") +
         (missing.size() == 1 ? " is" : " are") + " missing (" + listed(missing, kNamed) +
         ") below the robot's folder and its packages";
}

// `open_file`: of a robot that was opened from bytes; null: its meshes are files
LinkMeshes read_meshes(const RobotShapes& shapes, const OpenFile* open_file,
                       const std::function<bool(const LinkShape&)>& wanted,
                       std::size_t most = kMeshMaxTriangles) {
  return open_file == nullptr ? read_link_meshes(shapes, wanted, most)
                              : read_link_meshes(shapes, *open_file, wanted, most);
}

// Returns the collision shapes of the model's links; of links without any that can be read, or with points of
// contact alone, the visual ones too.
LinkMeshes solid_shapes(const RobotShapes& shapes, const OpenFile* open_file, const Model& model) {
  std::set<std::string> known;
  const std::set<std::string> solid = solid_links(shapes.shapes);
  const auto read = [&](const auto& wanted) { return read_meshes(shapes, open_file, wanted); };
  LinkMeshes all =
      read([&](const LinkShape& s) { return s.collision && model.find_link(s.link).has_value(); });
  for (const LinkMesh& mesh : all.meshes)
    if (solid.contains(mesh.link)) known.insert(mesh.link);
  LinkMeshes visual = read([&](const LinkShape& s) {
    return !s.collision && model.find_link(s.link).has_value() && !known.contains(s.link);
  });
  std::move(visual.meshes.begin(), visual.meshes.end(), std::back_inserter(all.meshes));
  for (std::string& name : visual.missing)
    if (std::find(all.missing.begin(), all.missing.end(), name) == all.missing.end())
      all.missing.push_back(std::move(name));
  for (std::string& note : visual.notes)
    if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end())
      all.notes.push_back(std::move(note));
  return all;
}

// Finds the shapes of a robot's links: points of its feet, and capsules.
void set_shapes(RobotFile& robot, const std::shared_ptr<const RobotShapes>& found, const OpenFile* open_file,
                const std::vector<std::string>& package_dirs, std::vector<std::string>& notes) {
  if (found == nullptr) return;
  auto shapes = std::make_shared<RobotShapes>(*found);
  shapes->package_dirs = package_dirs;
  const LinkMeshes meshes = solid_shapes(*shapes, open_file, robot.model);
  robot.feet = foot_points(feet_of(robot), meshes.meshes, solid_links(shapes->shapes));
  std::vector<robot::LinkSurface> links;
  for (const LinkMesh& shape : meshes.meshes) {
    auto own = std::find_if(links.begin(), links.end(), [&](const auto& l) { return l.link == shape.link; });
    if (own == links.end()) own = links.insert(links.end(), {shape.link, {}});
    std::vector<Eigen::Vector3d>& points = own->shapes.emplace_back();
    for (const Eigen::Vector3f& p : shape.mesh.points) points.push_back(p.cast<double>());
  }
  robot.fits = robot::fit_links(links);
  robot.model = robot::with_capsules(robot.model, robot.fits);
  if (!meshes.notes.empty())
    notes.push_back(meshes.notes.front() +
                    (meshes.notes.size() == 1
                         ? std::string()
                         : " (and " +
                               counted(static_cast<std::int64_t>(meshes.notes.size()) - 1, "more problem") +
                               " of shapes)"));
  if (!meshes.missing.empty())
    notes.push_back(missing_files(meshes.missing) +
                    ": shapes of their links are guessed. Give the folder of the meshes: --package-dir DIR");
  shapes->missing_noted = !meshes.missing.empty();
  robot.shapes = std::move(shapes);
}

}  // namespace

ShapedModel open_shaped_model(const std::string& name, const SubjectDimensions& subject,
                              std::vector<std::string>& notes, std::optional<BaseKind> base) {
  if (base == BaseKind::Rolling)
    throw ConfigError("--base roll is for robots that follow a person (panto retarget); use fixed or float");
  ShapedModel opened = open_named(name, subject, notes);
  if (base) opened.model = with_base(opened.model, *base);
  return opened;
}

RobotFile open_robot(const std::string& name, const SubjectDimensions& subject,
                     const std::vector<std::string>& package_dirs) {
  for (const std::string& folder : package_dirs) {
    if (std::error_code unknown; !std::filesystem::is_directory(folder, unknown))
      throw ConfigError("package folder '" + folder + "' does not exist, or is no folder");
  }
  std::vector<std::string> notes;
  std::optional<Input> table;  // a map, or a model that is a table
  std::optional<RobotMapFile> map;
  std::string model = name;
  if (extension_of(name) == ".toml") {
    table.emplace(name);
    if (is_robot_map(table->head())) {
      map = read_robot_map(table->whole(kRobotMapMaxBytes), name);
      model = model_of_map(*map, name);
    }
  }
  ShapedModel opened = map     ? model_of(name, [&] { return open_named(model, subject, notes); })
                       : table ? open_shaped_model(*table, {}, notes)
                               : open_named(model, subject, notes);
  RobotFile robot{.name = name, .model = std::move(opened.model)};
  if (map) {
    robot.map = std::move(map->map);
    robot.model_name = std::move(map->model);
  }
  if (opened.shapes) robot.urdf = model;
  set_shapes(robot, opened.shapes, nullptr, package_dirs, notes);
  robot.notes = std::move(notes);
  return robot;
}

RobotFile open_robot(std::string bytes, const std::string& name, const OpenFile& open_file,
                     const SubjectDimensions& subject) {
  std::vector<std::string> notes;
  const auto open = [&](std::string content, const std::string& file) {
    Input input(std::move(content), file);
    return open_shaped_model(input, open_file, notes);
  };
  std::optional<RobotMapFile> map;
  if (extension_of(name) == ".toml" && is_robot_map(bytes)) map = read_robot_map(bytes, name);
  ShapedModel opened = !map ? open(std::move(bytes), name) : model_of(name, [&]() -> ShapedModel {
    std::optional<std::string> file = open_file ? open_file(map->model) : std::nullopt;
    if (file) return open(std::move(*file), map->model);
    if (is_model_file(map->model)) throw FormatError(map->model + ": not found");
    return {open_model(map->model, subject, notes), nullptr};
  });
  RobotFile robot{.name = name, .model = std::move(opened.model)};
  if (map) {
    robot.map = std::move(map->map);
    robot.model_name = map->model;
  }
  set_shapes(robot, opened.shapes, &open_file, {}, notes);
  robot.notes = std::move(notes);
  return robot;
}

Model convert_model(const std::string& name, const SubjectDimensions& subject, const std::string& path,
                    std::vector<std::string>& notes) {
  if (extension_of(path) == ".urdf") {
    Model model = open_model(name, subject, notes);
    write_urdf_file(model, path, &notes);
    return model;
  }
  RobotFile robot = open_robot(name, subject);
  notes.insert(notes.end(), robot.notes.begin(), robot.notes.end());
  (extension_of(path) == ".osim" ? write_osim_file : write_mjcf_file)(robot.model, path, &notes);
  return std::move(robot.model);
}

std::vector<LinkMesh> page_meshes(const RobotShapes* robot, const Model& model,
                                  std::vector<std::string>& notes, const OpenFile* open_file) {
  if (robot == nullptr) return {};
  const auto seen = [&](const LinkShape& shape) {
    return !shape.collision && model.find_link(shape.link).has_value();
  };
  const auto count =
      static_cast<std::size_t>(std::count_if(robot->shapes.begin(), robot->shapes.end(), seen));
  if (count == 0) return {};
  LinkMeshes all = read_meshes(*robot, open_file, seen, std::max(kLeastTriangles, kPageTriangles / count));
  for (std::string& note : all.notes) notes.push_back(std::move(note));
  std::size_t left = 0;
  for (const LinkMesh& shape : all.meshes) left += shape.mesh.triangles.size();
  if (all.triangles > left)
    notes.push_back("the page shows simplified meshes: " + std::to_string(left) + " of " +
                    std::to_string(all.triangles) + " triangles");
  if (!all.missing.empty() && !robot->missing_noted)
    notes.push_back(missing_files(all.missing) +
                    "; its links are drawn as bones. Set ROS_PACKAGE_PATH to the folders of the packages");
  return std::move(all.meshes);
}

}  // namespace panto::io
