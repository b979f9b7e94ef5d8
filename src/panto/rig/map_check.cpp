#include "panto/rig/map_check.hpp"

#include <algorithm>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/rig/persons.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

// Spines, necks and shoulders may be spread over any joints of the trunk.
bool is_of_trunk(int segment) {
  return segment <= Neck || segment == RightShoulder || segment == LeftShoulder;
}

// also true for the joint itself
bool hangs_on(const SkeletonClip& clip, int joint, int carrier) {
  while (joint > carrier) joint = clip.joints[at(joint)].parent;
  return joint == carrier;
}

// A joint may carry both the pelvis, with the legs, and the spine; a file may begin at the chest.
bool hangs_with_pelvis(const SkeletonClip& clip, const Map& map, int joint, int pelvis) {
  std::vector<int> carriers{pelvis, clip.joints[at(pelvis)].parent};
  for (int s = L5; s <= Neck; ++s) carriers.push_back(map.segments[at(s)].joint);
  return std::any_of(carriers.begin(), carriers.end(), [&](int carrier) {
    return carrier >= 0 && hangs_on(clip, pelvis, carrier) && hangs_on(clip, joint, carrier);
  });
}

// Joints that were added to complete a body have no name; the file does not say on what they hang.
bool has_own_joint(const SkeletonClip& clip, const Map& map, int segment) {
  const int joint = map.segments[at(segment)].joint;
  return joint >= 0 && !clip.joints[at(joint)].name.empty();
}

// the nearest segment before it that has a joint, of the same limb or the pelvis; -1: none
int segment_before(const SkeletonClip& clip, const Map& map, int segment) {
  int before = kHumanSegmentParent[at(segment)];
  while (before > Pelvis && (is_of_trunk(before) || !has_own_joint(clip, map, before)))
    before = kHumanSegmentParent[at(before)];
  return has_own_joint(clip, map, before) ? before : -1;
}

[[noreturn]] void refuse_pair(const SkeletonClip& clip, const Map& map, const Hints& hints, int segment,
                              int before) {
  const auto name = [](int s) { return std::string(kHumanSegmentNames[at(s)]); };
  const auto joint = [&](int s) { return "'" + clip.joints[at(map.segments[at(s)].joint)].name + "'"; };
  const bool given = !hints.joint[at(segment)].empty(), given_before = !hints.joint[at(before)].empty();
  const std::string what = given && given_before
                               ? "correct the map"
                               : "correct " + name(given ? segment : before) + " in the map, or name " +
                                     name(given ? before : segment) + " too";
  throw ConfigError(clip.name + ": " + name(segment) + " is joint " + joint(segment) +
                    ", which does not hang on " + joint(before) + " (" + name(before) + "): " + what);
}

}  // namespace

int joint_named(const SkeletonClip& clip, const std::string& name) {
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    if (clip.joints[j].name == name) return static_cast<int>(j);
  }
  throw ConfigError(unknown_name("joint", name, clip.name, joint_names(clip)));
}

void check_limbs(const SkeletonClip& clip, const Map& map, const Hints& hints) {
  for (int s = Head; s < kHumanSegmentCount; ++s) {
    if (is_of_trunk(s) || !has_own_joint(clip, map, s)) continue;
    const int before = segment_before(clip, map, s);
    if (before < 0 || (hints.joint[at(s)].empty() && hints.joint[at(before)].empty())) continue;
    const int joint = map.segments[at(s)].joint, carrier = map.segments[at(before)].joint;
    const bool hangs =
        before == Pelvis ? hangs_with_pelvis(clip, map, joint, carrier) : hangs_on(clip, joint, carrier);
    if (!hangs) refuse_pair(clip, map, hints, s, before);
  }
}

std::optional<Decision> check_person(const SkeletonClip& clip, const Hints& hints) {
  if (hints.person.empty() || hints.joint[Pelvis].empty()) return {};
  const int pelvis = joint_named(clip, hints.joint[Pelvis]);
  // the people that are found without the map, so that their names are the same
  const std::optional<Person> bare = undressed(clip);
  const std::vector<Person> people = find_people(bare ? joints_alone(clip, bare->joints) : clip);
  if (people.empty()) {
    for (int j = pelvis; j >= 0; j = clip.joints[at(j)].parent) {
      if (clip.joints[at(j)].name == hints.person) return {};
    }
    throw no_such_person(clip, hints.person);
  }
  const auto holds_pelvis = [&](const Person& person) {
    const int top = person.joints.front();
    return hangs_on(clip, pelvis, bare ? bare->joints[at(top)] : top);
  };
  const Person& person = choose_person(people, hints.person, clip.name);
  if (holds_pelvis(person)) return person_decision(people, person, true);
  const auto owner = std::find_if(people.begin(), people.end(), holds_pelvis);
  const std::string other = owner == people.end() ? hints.joint[Pelvis] : owner->name;
  throw ConfigError(clip.name + ": the map is for joints below '" + other + "', not for '" + person.name +
                    "': choose '" + other + "', or give the map of '" + person.name + "'");
}

ConfigError no_such_person(const SkeletonClip& clip, const std::string& name) {
  return ConfigError(clip.name + ": holds one person, and none called '" + name + "'");
}

}  // namespace panto::rig
