#pragma once
// The manifest of a data set of any4hdmi, which tells of its motions what they do not. Internal.

#include "panto/io/robot_arrays.hpp"

namespace panto::io {

/// Adds rate and joint names from the `manifest.json` in one of the folders around the file `arrays.name`;
/// does nothing without such a file. @throws FormatError for a manifest that is not JSON or describes other
/// poses.
void take_manifest(RobotArrays& arrays);

}  // namespace panto::io
