#pragma once
// How many people a file holds, and whether its body is a person's at all.

#include <optional>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/rig/axes.hpp"
#include "panto/rig/rig.hpp"
#include "panto/rig/shape.hpp"

namespace panto::rig {

/// No person of the file has the name that was chosen.
class UnknownPerson : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// A whole body in a tree of its own.
struct Person {
  std::string name;         ///< of the tree's topmost joint
  std::vector<int> joints;  ///< of the whole clip, parents first
  double cost = 0.0;        ///< as `Body::cost`
};

/// Returns all people in the file, if there are several; else nothing. People hang on different roots, or on
/// different children of one root.
[[nodiscard]] std::vector<Person> find_people(const SkeletonClip& clip);

/// Returns the names of all joints.
[[nodiscard]] std::vector<std::string> joint_names(const SkeletonClip& clip);

/// Returns the clip with these joints alone.
[[nodiscard]] SkeletonClip joints_alone(const SkeletonClip& clip, const std::vector<int>& joints);

/// Returns the person without the joints that their names call hair or clothes: such chains can be as long
/// and as symmetric as limbs. A joint stays if it carries any other joint. Returns nothing if no joint is
/// left out, or if fewer joints would stay than a body has.
[[nodiscard]] std::optional<Person> undressed(const SkeletonClip& clip);

/// Returns the person of that name; without a name the likeliest body. @throws UnknownPerson.
[[nodiscard]] const Person& choose_person(const std::vector<Person>& people, const std::string& name,
                                          const std::string& clip);

/// Returns a map of `joints_alone` by the joints of the whole clip; those of other people have no segment.
[[nodiscard]] Map among_all(Map map, const Person& person, std::size_t joint_count);

/// Returns the decision to show, with the names of all people.
[[nodiscard]] Decision person_decision(const std::vector<Person>& people, const Person& person, bool given);

/// Returns whether thighs, shanks and arms keep the lengths of the rest pose.
[[nodiscard]] bool is_long_as(const Tree& tree, const Tree& rest, const Body& body);

/// Evidence for an animal.
struct AnimalReading {
  double on_all_fours = 0.0;  ///< share of the frames: trunk level, hands and feet under it
  std::string named;          ///< first joint with an animal's name; empty: no such joint
};
[[nodiscard]] AnimalReading read_animal(const Tree& tree, const Body& body, FileAxis up);

}  // namespace panto::rig
