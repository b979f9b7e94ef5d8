#pragma once
// A URDF that programs can draw.

#include <string>

#include "panto/model/model.hpp"

namespace panto::io {

/// Returns the text of `file` if that is a URDF. Without one, for "" and for an MJCF, returns `write_urdf`
/// with visual shapes: the links' capsules; a link without one is drawn as a rod to each of its child joints.
/// @throws FormatError when the file cannot be read.
[[nodiscard]] std::string shown_urdf(const Model& model, const std::string& file = "");

}  // namespace panto::io
