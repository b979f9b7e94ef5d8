#pragma once
// The turn of a forearm about its bone. People turn palms by radius and ulna; many skeletons let the hand's
// joint do it, behind an elbow that is a pure hinge.

#include "panto/sample/segment_sample.hpp"

namespace panto::robot {

/// Turns the forearm about its bone (y, in the T-pose's axes) as the hand is turned about it, so that no
/// twist is left in the wrist. Rates follow.
void turn_with_hand(const SegmentMotion& hand, SegmentMotion& forearm) noexcept;

}  // namespace panto::robot
