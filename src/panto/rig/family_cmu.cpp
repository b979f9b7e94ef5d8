// The CMU Graphics Lab Motion Capture Database (mocap.cs.cmu.edu) as BVH: y up, T-pose at rest, as its files
// have it; unit inches / 0.45 (rig/axes).

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kCmuFamily{"cmu", "y", "the CMU collection", {}};

}  // namespace panto::rig
