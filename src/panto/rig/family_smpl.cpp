// SMPL (24 joints), SMPL+H (52) and SMPL-X (55): Loper et al., SMPL, SIGGRAPH Asia 2015; names of joints:
// github.com/vchoutas/smplx, joint_names.py. In the zero pose, a T-pose, every joint's axes are those of the
// model: x left, y up, z forward, metres. Files differ in up: AMASS is z up.

#include "panto/model/human.hpp"
#include "panto/rig/families.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

constexpr FamilyFrame like_the_model(int segment) { return {segment, "+z", "+x", "+y"}; }

constexpr FamilyFrame kFrames[] = {like_the_model(Pelvis),       like_the_model(Head),
                                   like_the_model(RightForeArm), like_the_model(LeftForeArm),
                                   like_the_model(RightHand),    like_the_model(LeftHand),
                                   like_the_model(RightFoot),    like_the_model(LeftFoot)};

}  // namespace

const Family kSmplFamily{"smpl", "", "SMPL's own frames", kFrames};

}  // namespace panto::rig
