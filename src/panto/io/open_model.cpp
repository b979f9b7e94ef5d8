#include "panto/io/open_model.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/chain_file.hpp"
#include "panto/io/input.hpp"
#include "panto/io/model_table.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"
#include "panto/model/dh.hpp"

namespace panto::io {
namespace {

bool is_shipped_robot(const std::string& name) {
  const std::vector<std::string>& robots = shipped_robots();
  return std::find(robots.begin(), robots.end(), name) != robots.end();
}

bool is_model_file(const std::string& name) {
  const std::string extension = extension_of(name);
  return extension == ".urdf" || extension == ".toml";
}

[[noreturn]] void refuse(const std::string& name) {
  throw ConfigError(unknown_name("model", name, "Panto", shipped_models()) +
                    "; or give a file that ends in .urdf or .toml");
}

}  // namespace

const std::vector<std::string>& shipped_models() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names{"human66", "human48"};
    names.insert(names.end(), shipped_robots().begin(), shipped_robots().end());
    return names;
  }();
  return kNames;
}

bool has_own_size(const std::string& name) { return is_shipped_robot(name) || is_model_file(name); }

Model open_model(Input& input, std::vector<std::string>& notes) {
  const std::string& name = input.name();
  const std::string extension = extension_of(name);
  if (extension == ".urdf") return read_urdf(input.whole(kUrdfMaxBytes), name, {}, &notes);
  if (extension != ".toml") refuse(name);
  if (is_robot_map(input.head()))
    throw ConfigError("'" + name +
                      "' is a robot map, which goes to --robot or to `panto check`; a model is wanted here");
  return is_dh_chain(input.head()) ? dh_model(read_dh_chain(input.whole(kDhChainMaxBytes), name))
                                   : read_model_table(input.whole(kModelTableMaxBytes), name);
}

Model open_model(const std::string& name, const SubjectDimensions& subject, std::vector<std::string>& notes) {
  if (name == "human66") return human66(subject);
  if (name == "human48") return human48(subject);
  if (is_shipped_robot(name)) return shipped_robot(name);
  if (!is_model_file(name)) refuse(name);
  Input input(name);
  return open_model(input, notes);
}

Model open_model(std::string bytes, const std::string& name, std::vector<std::string>& notes) {
  Input input(std::move(bytes), name);
  return open_model(input, notes);
}

}  // namespace panto::io
