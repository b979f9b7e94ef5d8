#include "panto/api/models.hpp"

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/io/chain_file.hpp"
#include "panto/io/model_table.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"
#include "panto/model/dh.hpp"

namespace panto {
namespace {

bool is_shipped_robot(const std::string& name) {
  const std::vector<std::string>& robots = io::shipped_robots();
  return std::find(robots.begin(), robots.end(), name) != robots.end();
}

}  // namespace

const std::vector<std::string>& shipped_models() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names{"human66", "human48"};
    names.insert(names.end(), io::shipped_robots().begin(), io::shipped_robots().end());
    return names;
  }();
  return kNames;
}

bool has_own_size(const std::string& name) {
  const std::string extension = io::extension_of(name);
  return is_shipped_robot(name) || extension == ".urdf" || extension == ".toml";
}

Model resolve_model(const std::string& name, const SubjectDimensions& subject,
                    std::vector<std::string>& notes) {
  if (name == "human66") return human66(subject);
  if (name == "human48") return human48(subject);
  if (is_shipped_robot(name)) return io::shipped_robot(name);
  const std::string extension = io::extension_of(name);
  if (extension == ".urdf") return io::read_urdf(name, {}, &notes);
  if (extension == ".toml") {
    const std::string head = io::read_head(name);
    if (io::is_robot_map(head))
      throw ConfigError(
          "'" + name + "' is a robot map, which goes to --robot or to `panto check`; a model is wanted here");
    return io::is_dh_chain(head) ? dh_model(io::read_dh_chain(name)) : io::read_model_table(name);
  }
  throw ConfigError(unknown_name("model", name, "Panto", shipped_models()) +
                    "; or give a file that ends in .urdf or .toml");
}

robot::MapProposal propose_map(const std::string& name, const Model& model) {
  try {
    return robot::propose_robot_map(model);
  } catch (const ModelError& error) {
    throw ModelError((io::extension_of(name).empty() ? "" : name + ": ") + error.what());
  }
}

Model model_behind_map(const io::RobotMapFile& map, const std::string& path, const SubjectDimensions& subject,
                       std::vector<std::string>& notes) {
  try {
    return resolve_model(io::model_of_map(map, path), subject, notes);
  } catch (const Error& error) {
    throw FormatError(path + ": its `model`: " + error.what());
  }
}

}  // namespace panto
