#pragma once
// Finds a person's stance phases over a whole recording, and for `FeetMode::Hold` the places of the robot's
// feet.

#include <functional>
#include <string>
#include <vector>

#include "panto/motion/foot_plant.hpp"
#include "panto/motion/motion.hpp"
#include "panto/recording/recording.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// Contacts of a person's feet over a recording. Frames count the readable samples.
struct PersonFeet {
  std::vector<int> sides;           ///< of the measured feet: 0 right, 1 left
  ClipContacts contacts;            ///< of these feet, in this order; `ground` is the floor under the person
  std::vector<FootContacts> rests;  ///< of these feet: the ankle (heel) or the root of the toes (ball) is
                                    ///< still and near the floor, on the sole or not, as of who kneels
  std::vector<Time> t;              ///< stamps of the samples
  std::vector<int> cuts;            ///< frames that do not continue the one before
};
[[nodiscard]] PersonFeet find_person_feet(Recording& recording, const SubjectDimensions& subject);

/// Returns how contacts are found on a person, for clips and live.
[[nodiscard]] ContactOptions stance_options(const SubjectDimensions& subject);

/// Poses of a robot's feet without slide in stance.
struct FootPlan {
  std::vector<int> sides;  ///< of `planted.feet`
  PlantedFeet planted;
  std::vector<Eigen::Vector3d> base_shift;  ///< of the base, for the legs' reach [m]
};
/// Plans the poses. `skeleton`: the robot's, for the samples that a `PersonReader` of `recording` returns.
[[nodiscard]] FootPlan plan_feet(Recording& recording, const PersonFeet& person, robot::Skeleton& skeleton);

/// Returns a foot's contacts by other frames: `frame[k]` is the one that frame k shows; -1: none. `allowed`
/// says in which of the new frames it may have contact.
[[nodiscard]] FootContacts contacts_at(const FootContacts& all, const std::vector<int>& frame,
                                       const std::function<bool(std::size_t)>& allowed);

/// Returns the contacts of the robot's foot `link`, held at `targets` in stance; null: not held.
[[nodiscard]] LinkContacts contacts_of(std::string link, const FootContacts& contacts,
                                       const FootTargets* targets);
/// Returns the person's contacts as those of the robot's feet, by frame of `motion`, with the plan's anchors.
/// A frame that is not the person's has no contacts.
[[nodiscard]] std::vector<LinkContacts> person_contacts(const Model& model, const robot::Skeleton& skeleton,
                                                        const PersonFeet& person, const FootPlan& plan,
                                                        const Motion& motion);

/// Takes from a motion's contacts the ends of soles that its robot has more than 20 mm over the floor z = 0:
/// of a foot that rolls, or that its leg could not put down. A foot without any has no anchor.
void drop_raised_contacts(const Model& model, const robot::Skeleton& skeleton, Motion& motion);

/// Returns the sole of a robot's foot, right (0) or left (1); without an up axis if there is none.
[[nodiscard]] FootSole robot_sole(const robot::Skeleton& skeleton, int side);

/// Returns the corners that the model gives a link and the links fixed to it, in the link's frame [m].
[[nodiscard]] std::vector<Eigen::Vector3d> link_corners(const Model& model, int link);
/// Returns the corners of a robot's foot in its link's frame: the model's, else those of its sole [m].
[[nodiscard]] std::vector<Eigen::Vector3d> foot_corners(const Model& model, const robot::Skeleton& skeleton,
                                                        int side);

/// A robot's foot by its corners.
struct FootCorners {
  int link = -1;
  std::vector<Eigen::Vector3d> corners;  ///< in its frame [m]
};
/// Returns those of the sides, right (0) or left (1), that have a sole.
[[nodiscard]] std::vector<FootCorners> corners_of_feet(const Model& model, const robot::Skeleton& skeleton,
                                                       const std::vector<int>& sides);

}  // namespace panto
