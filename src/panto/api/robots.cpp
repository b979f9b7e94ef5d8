#include "panto/api/robots.hpp"

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto {

Robot robot_of(const io::RobotFile& file) {
  if (file.map) return make_robot(file.model, file.map, file.feet, file.name);
  try {
    return make_robot(file.model, {}, file.feet);
  } catch (const ModelError& error) {
    throw ModelError((io::extension_of(file.name).empty() ? "" : file.name + ": ") + error.what());
  }
}

}  // namespace panto
