// Perception Neuron, by Noitom. Its files differ: the two clips of tests/support/rig_clips.hpp are z up.

#include "panto/rig/families.hpp"

namespace panto::rig {

const Family kNoitomFamily{"noitom", "", "Axis Neuron", {}};

}  // namespace panto::rig
