#pragma once
// How outputs of a run are closed: one that fails does not keep the others from their names.

#include <functional>
#include <string>
#include <vector>

#include "panto/base/error.hpp"

namespace panto::bridge {

/// Adds `path` to `written`, or a sentence to `problems` where `close` throws an Error. Returns true when it
/// does not.
inline bool close_output(const std::string& path, const std::function<void()>& close,
                         std::vector<std::string>& written, std::vector<std::string>& problems) {
  try {
    close();
    written.push_back(path);
    return true;
  } catch (const Error& error) {
    problems.emplace_back(error.what());
    return false;
  }
}

}  // namespace panto::bridge
