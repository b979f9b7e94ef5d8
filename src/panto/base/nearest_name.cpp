#include "panto/base/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace panto {
namespace {

constexpr std::size_t kCompared = 80;  // names come from files and may be of any length
constexpr std::size_t kBeginning = 4;  // so many letters tell which name was meant

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Counts the edits between two names, ignoring case: a letter added, removed or changed, or two swapped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i - 1]) == lower(b[j - 1]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i, j) ? 0U : 1U)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// The only name that begins with `name`, ignoring case; empty: none, or several.
std::string only_longer(std::string_view name, const std::vector<std::string>& valid) {
  if (name.size() < kBeginning) return {};
  const auto begins = [&](const std::string& candidate) {
    return candidate.size() > name.size() && std::equal(name.begin(), name.end(), candidate.begin(),
                                                        [](char a, char b) { return lower(a) == lower(b); });
  };
  const auto found = std::find_if(valid.begin(), valid.end(), begins);
  if (found == valid.end() || std::any_of(found + 1, valid.end(), begins)) return {};
  return found->substr(0, kCompared);
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& valid) {
  name = name.substr(0, kCompared);
  std::size_t best = (name.size() < 5 ? 1 : std::max<std::size_t>(name.size() / 3, 2)) + 1;
  std::string_view nearest;
  for (const std::string& candidate : valid) {
    const std::string_view compared = std::string_view(candidate).substr(0, kCompared);
    const std::size_t distance = edit_distance(name, compared);
    if (distance < best) {
      best = distance;
      nearest = compared;
    }
  }
  return nearest.empty() ? only_longer(name, valid) : std::string(nearest);
}

}  // namespace panto
