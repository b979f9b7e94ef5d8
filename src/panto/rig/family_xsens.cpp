// Xsens MVN's BVH export: y up, centimetres; T-pose at rest, N-pose as an option. Frames at rest are those of
// MVN, as an MVNX of the same take shows (Alignment::has_exact_rest), hence none here.

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kXsensFamily{"xsens", "y", "Xsens MVN's BVH export", {}};

}  // namespace panto::rig
