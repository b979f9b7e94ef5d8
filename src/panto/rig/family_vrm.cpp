// VRM 1.0 (github.com/vrm-c/vrm-specification), by its glTF base: y up, metres; T-pose at rest, joints'
// frames free.

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kVrmFamily{"vrm", "y", "VRM", {}};

}  // namespace panto::rig
