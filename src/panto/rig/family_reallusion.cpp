// Reallusion iClone: y up, T-pose at rest, as its BVH files have it.

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kReallusionFamily{"reallusion", "y", "Reallusion iClone", {}};

}  // namespace panto::rig
