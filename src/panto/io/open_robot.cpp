#include "panto/io/open_model.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/input.hpp"
#include "panto/io/link_meshes.hpp"
#include "panto/io/model_formats.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"
#include "panto/io/urdf_shapes.hpp"
#include "panto/robot/base.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kPageTriangles = 60'000;  // all meshes on a page: 0.7 MB
constexpr std::size_t kLeastTriangles = 200;    // of one
constexpr std::size_t kNamed = 3;               // missing files that are named

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

using ReadShapes = std::function<LinkMeshes(const std::function<bool(const LinkShape&)>& wanted)>;

// Returns points of the feet's shapes: collision shapes, or visual ones if there are none. Feet without a
// shape are listed without points.
std::vector<robot::LinkPoints> foot_points(const std::vector<std::string>& feet, const ReadShapes& read) {
  std::vector<robot::LinkPoints> points;
  for (const bool collision : {true, false}) {
    const LinkMeshes shapes = read([&](const LinkShape& shape) {
      return shape.collision == collision && std::find(feet.begin(), feet.end(), shape.link) != feet.end();
    });
    for (const LinkMesh& shape : shapes.meshes) {
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
Model model_of(const std::string& map_name, Open&& open) {
  try {
    return open();
  } catch (const Error& error) {
    throw FormatError(map_name + ": its `model`: " + error.what());
  }
}

bool is_urdf(const std::string& name) { return extension_of(name) == ".urdf"; }

}  // namespace

ShapedModel open_shaped_model(const std::string& name, const SubjectDimensions& subject,
                              std::vector<std::string>& notes, std::optional<BaseKind> base) {
  if (base == BaseKind::Rolling)
    throw ConfigError("--base roll is for robots that follow a person (panto retarget); use fixed or float");
  const auto based = [&](Model model) { return base ? with_base(model, *base) : std::move(model); };
  if (!is_urdf(name)) return {based(open_model(name, subject, notes)), nullptr};
  Input input(name);
  Model model = open_model(input, notes);
  return {based(std::move(model)),
          std::make_shared<const UrdfShapes>(read_shapes_of(input.whole(kUrdfMaxBytes), name))};
}

RobotFile open_robot(const std::string& name, const SubjectDimensions& subject) {
  std::vector<std::string> notes;
  const auto open_file = [&notes](Input& input) { return open_model(input, notes); };
  const auto open = [&](const std::string& model, std::optional<Input>& input) {
    return is_urdf(model) ? open_file(input.emplace(model)) : open_model(model, subject, notes);
  };
  std::optional<Input> input;  // of the model
  std::optional<RobotMapFile> map;
  std::string model = name;
  if (extension_of(name) == ".toml") {
    input.emplace(name);
    if (is_robot_map(input->head())) {
      map = read_robot_map(input->whole(kRobotMapMaxBytes), name);
      model = model_of_map(*map, name);
    }
  }
  RobotFile robot{.name = name,
                  .model = map     ? model_of(name, [&] { return open(model, input); })
                           : input ? open_file(*input)
                                   : open(model, input)};
  if (map) {
    robot.map = std::move(map->map);
    robot.model_name = std::move(map->model);
  }
  if (is_urdf(model)) {
    robot.urdf = model;
    robot.shapes = std::make_shared<const UrdfShapes>(read_shapes_of(input->whole(kUrdfMaxBytes), model));
    const ReadShapes read = [&](const auto& wanted) { return read_link_meshes(*robot.shapes, wanted); };
    robot.feet = foot_points(feet_of(robot), read);
  }
  robot.notes = std::move(notes);
  return robot;
}

RobotFile open_robot(std::string bytes, const std::string& name, const OpenFile& open_file,
                     const SubjectDimensions& subject) {
  std::vector<std::string> notes;
  if (extension_of(name) != ".toml" || !is_robot_map(bytes)) {
    const std::string text = is_urdf(name) ? bytes : std::string();
    RobotFile robot{.name = name, .model = open_model(std::move(bytes), name, notes)};
    robot.notes = std::move(notes);
    if (!text.empty()) {
      const ReadShapes read = [&](const auto& wanted) {
        return read_link_meshes(text, name, open_file, wanted);
      };
      robot.feet = foot_points(feet_of(robot), read);
    }
    return robot;
  }
  RobotMapFile map = read_robot_map(bytes, name);
  std::optional<std::string> file = open_file ? open_file(map.model) : std::nullopt;
  const std::string text = file && is_urdf(map.model) ? *file : std::string();
  RobotFile robot{.name = name, .model = model_of(name, [&] {
                                  if (file) return open_model(std::move(*file), map.model, notes);
                                  const bool is_file =
                                      is_urdf(map.model) || extension_of(map.model) == ".toml";
                                  if (is_file) throw FormatError(map.model + ": not found");
                                  return open_model(map.model, subject, notes);
                                })};
  robot.notes = std::move(notes);
  robot.map = std::move(map.map);
  robot.model_name = map.model;
  if (!text.empty()) {
    const ReadShapes read = [&](const auto& wanted) {
      return read_link_meshes(text, map.model, open_file, wanted);
    };
    robot.feet = foot_points(feet_of(robot), read);
  }
  return robot;
}

Model model_of_robot_map(const RobotMapFile& map, const std::string& path, const SubjectDimensions& subject,
                         std::vector<std::string>& notes) {
  return model_of(path, [&] { return open_model(model_of_map(map, path), subject, notes); });
}

std::vector<LinkMesh> page_meshes(const UrdfShapes* urdf, const Model& model,
                                  std::vector<std::string>& notes) {
  if (urdf == nullptr) return {};
  const auto seen = [&](const LinkShape& shape) {
    return !shape.collision && model.find_link(shape.link).has_value();
  };
  const auto count = static_cast<std::size_t>(std::count_if(urdf->shapes.begin(), urdf->shapes.end(), seen));
  if (count == 0) return {};
  LinkMeshes all = read_link_meshes(*urdf, seen, std::max(kLeastTriangles, kPageTriangles / count));
  for (std::string& note : all.notes) notes.push_back(std::move(note));
  std::size_t left = 0, files = 0;
  for (const LinkMesh& shape : all.meshes) left += shape.mesh.triangles.size();
  if (all.triangles > left)
    notes.push_back("the page shows simplified meshes: " + std::to_string(left) + " of " +
                    std::to_string(all.triangles) + " triangles");
  std::string names;
  for (const std::string& name : all.missing) {
    if (++files <= kNamed) names += (names.empty() ? "" : ", ") + name;
  }
  if (files > 0)
    notes.push_back(counted(static_cast<std::int64_t>(files), "mesh file") + " of the robot " +
                    (files == 1 ? "is" : "are") + " missing (" + names +
                    (files > kNamed ? " and " + std::to_string(files - kNamed) + " more" : "") +
                    "); its links are drawn as bones. Set ROS_PACKAGE_PATH to the folders of the packages");
  return std::move(all.meshes);
}

}  // namespace panto::io
