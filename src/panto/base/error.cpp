#include "panto/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace panto {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Levenshtein distance, blind to case
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// names come from files: keep a message readable, whatever they hold
std::string_view shortened(std::string_view name) { return name.substr(0, 80); }

}  // namespace

std::string unknown_name(std::string_view kind, std::string_view name, std::string_view owner,
                         const std::vector<std::string>& valid, std::size_t shown) {
  name = shortened(name);
  std::string text = "no " + std::string(kind) + " '" + std::string(name) + "' in " + std::string(owner);
  std::size_t best = name.size() / 2 + 2;
  std::string_view nearest;
  for (const std::string& candidate : valid) {
    const std::size_t distance = edit_distance(name, shortened(candidate));
    if (distance < best) {
      best = distance;
      nearest = shortened(candidate);
    }
  }
  if (!nearest.empty()) text += "; did you mean '" + std::string(nearest) + "'?";
  text += " (" + std::to_string(valid.size()) + " " + std::string(kind) + (valid.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(shown, valid.size()); ++i) {
    text += (i == 0 ? ": " : ", ") + std::string(shortened(valid[i]));
  }
  if (valid.size() > shown) text += ", ...";
  return text + ")";
}

}  // namespace panto
