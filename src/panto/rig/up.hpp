#pragma once
// Which axis of the file is up: from how the body is turned, where the person goes, the floor and the rest
// pose. The body alone cannot tell whether somebody stands or lies.

#include <optional>
#include <string>

#include "panto/rig/axes.hpp"

namespace panto::rig {

/// How a body is turned in the file.
struct BodyPosture {
  FileAxis axis;       ///< the one along which the person stands best
  double along = 0.0;  ///< mean cosine between it and the direction from feet to head; to hips if legs are
                       ///< straight and that is more
};
[[nodiscard]] BodyPosture read_posture(const Tree& tree, const Body& body);

/// The axis of the file along which trunk, thighs and shanks stand in all frames, within 27 degrees.
[[nodiscard]] std::optional<FileAxis> standing_axis(const Tree& tree, const Body& body);

struct UpReading {
  FileAxis axis;
  double along = 0.0;       ///< as in BodyPosture
  double confidence = 0.0;  ///< 0 .. 1; under 0.5 it is a guess: people mostly stand
  bool refuted = false;     ///< something speaks for another axis, or the body is bent too much
  std::string reason;       ///< what speaks for it
  std::string against;      ///< what speaks for which other axis, if anything does
};
/// `rest`: the axis along which the person stands in the rest pose, if that is known.
[[nodiscard]] UpReading read_up(const Tree& tree, const Body& body, const std::optional<FileAxis>& rest);

}  // namespace panto::rig
