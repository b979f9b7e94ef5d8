#pragma once
// Orders of joints and bodies in which simulators number them.

#include <cstdint>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// Returns positions in State::s level by level, siblings in the file's order, like Isaac's.
[[nodiscard]] std::vector<std::int64_t> breadth_first(const Model& model);

/// Returns positions in State::s with every branch to its end before the next, like MuJoCo's.
[[nodiscard]] std::vector<std::int64_t> depth_first(const Model& model);

}  // namespace panto::io
