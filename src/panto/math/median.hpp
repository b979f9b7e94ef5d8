#pragma once
// The median of numbers.

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

}  // namespace panto
