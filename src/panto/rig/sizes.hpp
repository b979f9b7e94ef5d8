#pragma once
// Body dimensions from a clip whose segment frames are known.

#include "panto/rig/alignment.hpp"

namespace panto::rig {

/// Measures mean joint centres over the clip; average proportions replace what is missing. Places the joints
/// of a spread spine around their source joint and sets `p_JS` in `offsets` for the joints it moved. @throws
/// FormatError if the sizes are impossible for a person.
[[nodiscard]] SubjectDimensions measure_subject(const Clip& clip, const Alignment& alignment,
                                                Offsets& offsets);

}  // namespace panto::rig
