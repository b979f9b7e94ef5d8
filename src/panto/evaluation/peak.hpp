#pragma once
// The largest value of a figure and when it was.

#include <optional>
#include <string>

#include "panto/base/time.hpp"

namespace panto {

/// Keeps the largest of the values given, the first of equal ones.
struct Peak {
  std::optional<double> value, at_s;
  std::string name;  ///< of what has it

  void keep(double now, Time t, const std::string& whose = {}) {
    if (value && !(now > *value)) return;
    value = now;
    at_s = to_seconds(t);
    name = whose;
  }
};

}  // namespace panto
