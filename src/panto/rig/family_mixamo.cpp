// Mixamo (mixamo.com) and what is converted from it: y up, T-pose at rest, as its files have it.

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kMixamoFamily{"mixamo", "y", "Mixamo", {}};

}  // namespace panto::rig
