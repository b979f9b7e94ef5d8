// The CMU collection as B. Hahne converted it (cgspeed.com): y up, T-pose in frame 0, as its files have it;
// unit inches / 0.45 (rig/axes).

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kCgspeedFamily{"cgspeed", "y", "the CMU collection", {}};

}  // namespace panto::rig
