#pragma once
// Motion of the SOMA skeleton as Kimodo stores it: `posed_joints`, `global_rot_mats`
// (docs/formats/body_model.md). Internal.

#include <string>

#include "panto/io/bvh.hpp"
#include "panto/io/npz_archive.hpp"

namespace panto::io {

/// Returns true for an archive with these arrays.
[[nodiscard]] bool holds_soma(const NpzArchive& archive);

/// Reads them as a skeleton clip, y up, metres. @throws FormatError "name: 'member': ..." for other shapes,
/// values that are not finite, and rotations that do not carry the joints.
[[nodiscard]] BvhClip read_soma(const NpzArchive& archive, const std::string& name);

}  // namespace panto::io
