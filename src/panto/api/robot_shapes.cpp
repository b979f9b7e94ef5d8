#include "panto/api/robot_shapes.hpp"

#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto {

std::string urdf_behind(const std::string& name) {
  std::string file = name;
  if (io::is_robot_map_file(name)) file = io::model_of_map(io::read_robot_map(name), name);
  return io::extension_of(file) == ".urdf" ? file : std::string();
}

}  // namespace panto
