// LAFAN1, Ubisoft (Harvey et al., Robust Motion In-betweening, SIGGRAPH 2020).
// https://github.com/ubisoft/ubisoft-laforge-animation-dataset: "BVH", y up, centimetres. Bones lie along +x
// of their joints; in the zero pose all bones point along x, as no person's do. The toes' joint never turns:
// it keeps 21.45 deg against the foot, so that its x is level in stance. Hands: x along the bone, z from the
// palm to the back of the left hand, from the back to the palm of the right.

#include "panto/model/human.hpp"
#include "panto/rig/families.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

constexpr FamilyFrame kFrames[] = {
    {Pelvis, "+y", "+z", "+x"},           {RightForeArm, "-y", "-x", "-z"},
    {LeftForeArm, "-y", "+x", "+z"},      {RightHand, "-y", "-x", "-z"},
    {LeftHand, "-y", "+x", "+z"},         {RightFoot, "+x", "-z", "+y", 21.4545},
    {LeftFoot, "+x", "-z", "+y", 21.4545}};

}  // namespace

const Family kLafanFamily{"lafan", "y", "LAFAN1's own frames", kFrames};

}  // namespace panto::rig
