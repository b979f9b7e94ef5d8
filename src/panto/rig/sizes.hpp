#pragma once
// Sizes of a person from a clip whose segments' frames are known.

#include "panto/rig/alignment.hpp"

namespace panto::rig {

/// Joint centres as the clip has them, in the mean; what it has not by average proportions. Joints of a
/// spread spine are placed around their source joint, and `offsets` get the place of the joint that moved.
/// @throws FormatError when no person has such sizes.
[[nodiscard]] SubjectDimensions measure_subject(const Clip& clip, const Alignment& alignment,
                                                Offsets& offsets);

}  // namespace panto::rig
