// Perception Neuron, by Noitom: y up, T-pose at rest, as its files have it.

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kNoitomFamily{"noitom", "y", "Axis Neuron", {}};

}  // namespace panto::rig
