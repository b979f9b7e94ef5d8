#pragma once
// Where a person's feet stand over a whole recording, and where the robot's then belong.

#include <vector>

#include "panto/motion/foot_plant.hpp"
#include "panto/recording/recording.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// Contacts of a person's feet over a recording. Frames count the samples that can be read.
struct PersonFeet {
  std::vector<int> sides;  ///< of the feet that are measured: 0 right, 1 left
  ClipContacts contacts;   ///< of these feet, in this order; `ground` is the floor that the person stands on
  std::vector<Time> t;     ///< stamps of the samples
  std::vector<int> cuts;   ///< frames that do not continue the one before
};
[[nodiscard]] PersonFeet find_person_feet(Recording& recording, const SubjectDimensions& subject);

/// Poses that a robot's feet get so that those that stand do not slide.
struct FootPlan {
  std::vector<int> sides;  ///< of `planted.feet`
  PlantedFeet planted;
};
/// `skeleton`: of the robot, for the samples that a `PersonReader` of `recording` gives.
[[nodiscard]] FootPlan plan_feet(Recording& recording, const PersonFeet& person, robot::Skeleton& skeleton);

/// The sole of a robot's foot, right (0) or left (1); without up where it has none.
[[nodiscard]] FootSole robot_sole(const robot::Skeleton& skeleton, int side);

}  // namespace panto
