#include "panto/io/open_model.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/nearest_name.hpp"
#include "panto/base/text.hpp"
#include "panto/io/chain_file.hpp"
#include "panto/io/foreign_format.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mjcf.hpp"
#include "panto/io/model_formats.hpp"
#include "panto/io/model_table.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf.hpp"
#include "panto/io/urdf_shapes.hpp"
#include "panto/model/dh.hpp"

namespace panto::io {
namespace {

bool is_shipped_robot(const std::string& name) {
  const std::vector<std::string>& robots = shipped_robots();
  return std::find(robots.begin(), robots.end(), unaliased(name)) != robots.end();
}

// popular robots that only their makers may distribute
constexpr std::array<std::string_view, 6> kNotShipped{"n1", "fourier_n1", "pepper", "h2", "digit", "atlas"};

// the robot of the nearest alias
std::string nearest_alias(const std::string& name) {
  std::vector<std::string> aliases;
  for (const RobotAlias& known : robot_aliases()) aliases.emplace_back(known.alias);
  const std::string nearest = nearest_name(name, aliases);
  return nearest.empty() ? nearest : unaliased(nearest);
}

[[noreturn]] void refuse(const std::string& name) {
  const bool known = std::any_of(kNotShipped.begin(), kNotShipped.end(),
                                 [&](std::string_view robot) { return equal_ignoring_case(name, robot); });
  if (known) {
    throw ConfigError("robot '" + name + "' does not ship with Panto; give its maker's URDF or MJCF (" +
                      name + ".urdf, " + name +
                      ".xml), or one of: " + listed(shipped_robots(), shipped_robots().size()));
  }
  std::string text = "no robot or human model '" + name.substr(0, 80) + "' in Panto";
  std::string nearest = nearest_name(name, shipped_models());
  if (nearest.empty()) nearest = nearest_alias(name);
  if (!nearest.empty()) text += "; did you mean '" + nearest + "'?";
  throw ConfigError(text + " (robots: " + listed(shipped_robots(), shipped_robots().size()) +
                    "; human models: human66, human48); or give a file that ends in .urdf, .xml or .toml");
}

// names the format of another program's file
void refuse_foreign(const Input& input) {
  if (const std::string_view advice = foreign_format(input.head()); !advice.empty())
    throw FormatError(input.name() + ": " + std::string(advice));
}

// a file whose name is not one of a model
void refuse_file(const std::string& name) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(name, unknown)) return;
  refuse_foreign(Input(name));
  throw ConfigError(name +
                    ": not a robot or model, whose file ends in .urdf, .xml or .toml; `panto inspect " +
                    name + "` shows what it holds");
}

// a model table or a chain
Model open_table(Input& input) {
  const std::string& name = input.name();
  if (is_robot_map(input.head()))
    throw ConfigError("'" + name + "' is a robot map, not a model; give it to --robot or to `panto check`");
  return is_dh_chain(input.head()) ? dh_model(read_dh_chain(input.whole(kDhChainMaxBytes), name))
                                   : read_model_table(input.whole(kModelTableMaxBytes), name);
}

// without shapes
Model open_plain(Input& input, const OpenFile& open_file, std::vector<std::string>& notes) {
  refuse_foreign(input);
  const std::string& name = input.name();
  switch (model_format(input)) {
    case ModelFormat::Urdf:
      return read_urdf(input.whole(kUrdfMaxBytes), name, {}, &notes);
    case ModelFormat::Mjcf:
      return read_mjcf_robot(input.whole(kMjcfMaxBytes), name, open_file, &notes).model;
    case ModelFormat::Table:
      return open_table(input);
    case ModelFormat::None:
      break;
  }
  refuse(name);
}

}  // namespace

bool is_model_file(const std::string& name) {
  const std::string extension = extension_of(name);
  return extension == ".urdf" || extension == ".xml" || extension == ".mjcf" || extension == ".toml";
}

bool is_written_model(const std::string& name) {
  return extension_of(name) == ".osim" || (is_model_file(name) && extension_of(name) != ".toml");
}

// The first element decides: .urdf and .xml may each hold either format.
ModelFormat model_format(const Input& input) {
  if (!is_model_file(input.name())) return ModelFormat::None;
  const std::string extension = extension_of(input.name());
  if (extension == ".toml") return ModelFormat::Table;
  if (is_mjcf(input.head())) return ModelFormat::Mjcf;
  const bool urdf = extension == ".urdf" || input.head().find("<robot") != std::string::npos;
  return urdf ? ModelFormat::Urdf : ModelFormat::Mjcf;
}

ShapedModel open_shaped_model(Input& input, const OpenFile& open_file, std::vector<std::string>& notes) {
  const ModelFormat format = model_format(input);
  if (format == ModelFormat::Mjcf) {
    refuse_foreign(input);
    MjcfRobot robot = read_mjcf_robot(input.whole(kMjcfMaxBytes), input.name(), open_file, &notes);
    return {std::move(robot.model), std::make_shared<const RobotShapes>(std::move(robot.shapes))};
  }
  Model model = open_plain(input, open_file, notes);
  if (format != ModelFormat::Urdf) return {std::move(model), nullptr};
  return {std::move(model),
          std::make_shared<const RobotShapes>(read_shapes_of(input.whole(kUrdfMaxBytes), input.name()))};
}

const std::vector<std::string>& shipped_models() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names{"human66", "human48"};
    names.insert(names.end(), shipped_robots().begin(), shipped_robots().end());
    return names;
  }();
  return kNames;
}

bool has_own_size(const std::string& name) { return is_shipped_robot(name) || is_model_file(name); }

void check_scalable(const std::string& name) {
  if (has_own_size(name))
    throw ConfigError("--height and --mass scale human66 and human48 only; '" + name +
                      "' has its own sizes: remove them");
}

Model open_model(const std::string& name, const SubjectDimensions& subject, std::vector<std::string>& notes) {
  if (name == "human66") return human66(subject);
  if (name == "human48") return human48(subject);
  if (is_shipped_robot(name)) return shipped_robot(unaliased(name));
  if (!is_model_file(name)) {
    refuse_file(name);
    refuse(name);
  }
  Input input(name);
  return open_plain(input, includes_beside(name), notes);
}

Model open_model(std::string bytes, const std::string& name, std::vector<std::string>& notes) {
  Input input(std::move(bytes), name);
  return open_plain(input, {}, notes);
}

}  // namespace panto::io
