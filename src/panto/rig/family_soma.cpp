// BONES-SEED's SOMA skeleton as BVH: y up, centimetres, as its files have it. Bones lie along +x of the left
// joints, along -x of the right ones; the right side is the left one mirrored in all three axes. Hands: y
// from the little finger to the thumb (left), as the offsets of the thumb and the knuckles in the files have
// it.

#include "panto/model/human.hpp"
#include "panto/rig/families.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

constexpr FamilyFrame kFrames[] = {{RightForeArm, "-y", "+x", "+z"},
                                   {LeftForeArm, "+y", "+x", "-z"},
                                   {RightHand, "-y", "+x", "+z"},
                                   {LeftHand, "+y", "+x", "-z"}};

}  // namespace

const Family kSomaFamily{"soma", "y", "BONES-SEED's own frames", kFrames};

}  // namespace panto::rig
