#include "panto/io/shipped_robots.hpp"

#include "panto/base/error.hpp"
#include "panto/io/model_table.hpp"
#include "panto/io/shipped_tables.hpp"

namespace panto::io {

const std::vector<std::string>& shipped_robots() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const ShippedTable& table : shipped_tables()) names.emplace_back(table.name);
    return names;
  }();
  return kNames;
}

std::string_view shipped_robot_table(std::string_view name) {
  for (const ShippedTable& table : shipped_tables()) {
    if (table.name == name) return table.text;
  }
  throw ConfigError(unknown_name("robot", name, "Panto", shipped_robots()));
}

Model shipped_robot(std::string_view name) {
  return read_model_table(shipped_robot_table(name), std::string(name) + ".toml");
}

}  // namespace panto::io
