#pragma once
// Names of clinical marker sets: what their abbreviations mean.

#include <optional>
#include <string_view>

#include "panto/keypoints/landmarks.hpp"

namespace panto::keypoints {

/// Returns the landmark of a marker in the middle of the body. `key`: lower case, letters and digits only.
[[nodiscard]] std::optional<Landmark::Index> central_marker(std::string_view key);

/// Returns the landmark (right side) of a marker whose side was removed from its name.
[[nodiscard]] std::optional<Landmark::Index> sided_marker(std::string_view key);

/// Returns true for a marker of the pelvis: a set that has one consists of markers on skin. The side may
/// still be its first letter.
[[nodiscard]] bool is_pelvis_marker(std::string_view key);

}  // namespace panto::keypoints
