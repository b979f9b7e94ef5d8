#pragma once
// Finds the up axis of the file: from the frames in which the body stands, the direction of travel, the
// floor, the rest pose and the family. The body alone does not show whether the person stands or lies.

#include <optional>
#include <string>

#include "panto/rig/axes.hpp"

namespace panto::rig {

/// Orientation of a body in the file.
struct BodyPosture {
  FileAxis axis;       ///< the axis that is nearest to the body's long axis
  double along = 0.0;  ///< mean cosine between it and the direction from feet to head, or to the hips if the
                       ///< legs are straight and that is more
};
[[nodiscard]] BodyPosture read_posture(const Tree& tree, const Body& body);

/// Returns the file axis along which trunk, thighs and shanks stand in all frames, within 27 degrees.
[[nodiscard]] std::optional<FileAxis> standing_axis(const Tree& tree, const Body& body);

struct UpReading {
  FileAxis axis;
  double along = 0.0;       ///< as in BodyPosture
  double confidence = 0.0;  ///< 0 .. 1; under `kGuessedUp` it is a guess that the person stands
  bool refuted = false;     ///< there is evidence for another axis, or the body is bent too much
  std::string reason;       ///< the evidence for it
  std::string against;      ///< the evidence for another axis, if any
};
/// What is known besides the frames.
struct UpHints {
  std::optional<FileAxis> rest;    ///< along which the person stands in the rest pose
  std::optional<FileAxis> family;  ///< of files with such names
};
/// Finds the up axis.
[[nodiscard]] UpReading read_up(const Tree& tree, const Body& body, const UpHints& known);

}  // namespace panto::rig
