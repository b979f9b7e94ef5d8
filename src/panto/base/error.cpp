#include "panto/base/error.hpp"

#include <algorithm>

#include "panto/base/nearest_name.hpp"

namespace panto {
namespace {

// names come from files: messages stay readable whatever the names contain
std::string_view shortened(std::string_view name) { return name.substr(0, 80); }

}  // namespace

std::string unknown_name(std::string_view kind, std::string_view name, std::string_view owner,
                         const std::vector<std::string>& valid, std::size_t shown) {
  name = shortened(name);
  std::string text = "no " + std::string(kind) + " '" + std::string(name) + "' in " + std::string(owner);
  const std::string nearest = nearest_name(name, valid);
  if (!nearest.empty()) text += "; did you mean '" + nearest + "'?";
  text += " (" + std::to_string(valid.size()) + " " + std::string(kind) + (valid.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(shown, valid.size()); ++i) {
    text += (i == 0 ? ": " : ", ") + std::string(shortened(valid[i]));
  }
  if (valid.size() > shown) text += ", ...";
  return text + ")";
}

}  // namespace panto
