#pragma once
// What a refusal says.

#include <string>
#include <utility>

#include "panto/base/error.hpp"

namespace panto::test {

/// The text of the Error that `action` throws; empty where it throws none. T: the kind that is expected.
template <typename T = Error, typename Action>
std::string refusal_of(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const T& error) {
    return error.what();
  }
  return {};
}

/// Whether `text` contains all of `words`.
template <typename... Words>
bool names(const std::string& text, const Words&... words) {
  return ((text.find(words) != std::string::npos) && ...);
}

}  // namespace panto::test
