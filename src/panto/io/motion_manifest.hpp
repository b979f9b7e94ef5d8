#pragma once
// The manifest of a data set of any4hdmi, which tells of its motions what they do not. Internal.

#include "panto/io/robot_arrays.hpp"

namespace panto::io {

/// Adds rate and joint names from the `manifest.json` in one of the folders around the file `arrays.name`;
/// changes nothing where there is none. @throws FormatError for one that is not JSON, or of other poses.
void take_manifest(RobotArrays& arrays);

}  // namespace panto::io
