#pragma once
// The median and other quantiles of numbers.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace panto {

/// Returns the median, of an even number the upper of the two in the middle; 0 of none. Sorts its copy.
[[nodiscard]] inline double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the value below which a share of at least one number lies, rounded down to one of them. `share`: 0
/// the least, 1 the largest.
[[nodiscard]] inline double quantile(std::vector<double> values, double share) {
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

}  // namespace panto
