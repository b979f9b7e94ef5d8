#include "panto/api/robot_shapes.hpp"

#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto {

std::shared_ptr<const io::UrdfShapes> shapes_behind(const std::string& name) {
  std::string file = name;
  if (io::is_robot_map_file(name)) file = io::model_of_map(io::read_robot_map(name), name);
  if (io::extension_of(file) != ".urdf") return nullptr;
  return std::make_shared<const io::UrdfShapes>(io::read_shapes_of(file));
}

}  // namespace panto
