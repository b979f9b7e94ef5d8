#include "panto/io/shipped_robots.hpp"

#include <array>

#include "panto/base/error.hpp"
#include "panto/io/model_table.hpp"
#include "panto/io/shipped_tables.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {

const std::vector<std::string>& shipped_robots() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const ShippedTable& table : shipped_tables()) names.emplace_back(table.name);
    return names;
  }();
  return kNames;
}

std::span<const RobotAlias> robot_aliases() noexcept {
  static constexpr std::array<RobotAlias, 16> kAliases{{{"g1", "unitree_g1"},
                                                        {"g1_29dof", "unitree_g1"},
                                                        {"unitree-g1", "unitree_g1"},
                                                        {"unitreeg1", "unitree_g1"},
                                                        {"h1", "unitree_h1"},
                                                        {"unitree-h1", "unitree_h1"},
                                                        {"h1_2", "unitree_h1_2"},
                                                        {"h1-2", "unitree_h1_2"},
                                                        {"t1", "booster_t1"},
                                                        {"booster-t1", "booster_t1"},
                                                        {"gr1", "fourier_gr1"},
                                                        {"gr1t1", "fourier_gr1"},
                                                        {"nao_v5", "nao"},
                                                        {"icub2", "icub"},
                                                        {"olivia", "olivia17"},
                                                        {"tee", "tee7"}}};
  return kAliases;
}

std::string unaliased(std::string_view name) {
  for (const RobotAlias& known : robot_aliases()) {
    if (equal_ignoring_case(name, known.alias)) return std::string(known.robot);
  }
  return std::string(name);
}

std::string_view shipped_robot_table(std::string_view name) {
  for (const ShippedTable& table : shipped_tables()) {
    if (table.name == name) return table.text;
  }
  throw ConfigError(unknown_name("robot", name, "Panto", shipped_robots()));
}

std::string shipped_robot_source(std::string_view name) {
  const std::string_view table = shipped_robot_table(name), key = "\nsource = \"";
  const std::size_t begin = table.find(key);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = table.substr(begin + key.size());
  return std::string(rest.substr(0, rest.find('"')));
}

Model shipped_robot(std::string_view name) {
  return read_model_table(shipped_robot_table(name), std::string(name) + ".toml");
}

}  // namespace panto::io
