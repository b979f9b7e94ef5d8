#include "panto/rig/persons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/words.hpp"

namespace panto::rig {
namespace {

using Eigen::Vector3d;

constexpr std::size_t kFewest = 12;  // joints of a body with two legs, two arms and a head
constexpr double kNotGiven = 0.4;    // confidence of the choice where the user made none
constexpr double kLevel = 0.5;       // cosine between up and the trunk of a body on all fours
constexpr double kHanging = 0.5;     // the least of an arm's length by which its hand is below its shoulder
constexpr double kLow = 0.4;         // of the leg: hands not higher above the feet

// words in the names of an animal's joints; a tail may be hair or a costume
constexpr std::array<std::string_view, 15> kAnimals{"paw",    "hoof",    "hind",    "dog",     "cat",
                                                    "horse",  "wolf",    "animal",  "wing",    "mane",
                                                    "saddle", "withers", "fetlock", "pastern", "hock"};

// the joints below each candidate for a person
std::vector<std::vector<int>> candidates(const SkeletonClip& clip) {
  std::vector<int> tops, roots;
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    if (clip.joints[j].parent < 0) roots.push_back(static_cast<int>(j));
  }
  tops = roots;
  if (roots.size() == 1) {
    tops.clear();
    for (std::size_t j = 0; j < clip.joints.size(); ++j) {
      if (clip.joints[j].parent == roots.front()) tops.push_back(static_cast<int>(j));
    }
  }
  std::vector<std::vector<int>> trees;
  for (const int top : tops) {
    std::vector<int>& joints = trees.emplace_back();
    std::vector<unsigned char> below(clip.joints.size(), 0);
    for (std::size_t j = at(top); j < clip.joints.size(); ++j) {
      const int parent = clip.joints[j].parent;
      below[j] = j == at(top) || (parent >= 0 && below[at(parent)] != 0) ? 1 : 0;
      if (below[j] != 0) joints.push_back(static_cast<int>(j));
    }
    if (joints.size() < kFewest) trees.pop_back();
  }
  return trees;
}

}  // namespace

std::vector<std::string> joint_names(const SkeletonClip& clip) {
  std::vector<std::string> names;
  for (const SkeletonJoint& joint : clip.joints) names.push_back(joint.name);
  return names;
}

SkeletonClip joints_alone(const SkeletonClip& clip, const std::vector<int>& joints) {
  std::vector<int> index(clip.joints.size(), -1);
  for (std::size_t i = 0; i < joints.size(); ++i) index[at(joints[i])] = static_cast<int>(i);
  const auto kept = [&](const SkeletonPose& pose) {
    SkeletonPose part;
    for (const int joint : joints) {
      if (at(joint) >= pose.p_FJ.size() || at(joint) >= pose.R_FJ.size()) break;
      part.p_FJ.push_back(pose.p_FJ[at(joint)]);
      part.R_FJ.push_back(pose.R_FJ[at(joint)]);
    }
    return part;
  };
  SkeletonClip part;
  part.name = clip.name;
  for (const int joint : joints) {
    SkeletonJoint& own = part.joints.emplace_back(clip.joints[at(joint)]);
    own.parent = own.parent < 0 ? -1 : index[at(own.parent)];
  }
  part.rest = kept(clip.rest);
  for (const SkeletonPose& pose : clip.frames) part.frames.push_back(kept(pose));
  part.times = clip.times;
  return part;
}

std::optional<Person> undressed(const SkeletonClip& clip) {
  const std::size_t count = clip.joints.size();
  // a joint that carries anything else is no garment, whatever its name: an arm may hang on a sleeve
  std::vector<unsigned char> named(count, 0), carries(count, 0), worn(count, 0);
  for (std::size_t j = count; j-- > 0;) {
    named[j] = is_worn(clip.joints[j].name) ? 1 : 0;
    if (named[j] == 0 && !is_end(clip.joints[j].name)) carries[j] = 1;
    if (carries[j] != 0 && clip.joints[j].parent >= 0) carries[at(clip.joints[j].parent)] = 1;
  }
  Person bare{"", {}};
  for (std::size_t j = 0; j < count; ++j) {
    const int parent = clip.joints[j].parent;
    const bool hangs = named[j] != 0 || (parent >= 0 && worn[at(parent)] != 0);
    worn[j] = hangs && carries[j] == 0 ? 1 : 0;
    if (worn[j] == 0) bare.joints.push_back(static_cast<int>(j));
  }
  if (bare.joints.size() < kFewest || bare.joints.size() == count) return {};
  return bare;
}

std::vector<Person> find_people(const SkeletonClip& clip) {
  std::vector<std::vector<int>> trees = candidates(clip);
  if (trees.size() < 2) return {};
  std::vector<Person> people;
  for (std::vector<int>& joints : trees) {
    const SkeletonClip part = joints_alone(clip, joints);
    const std::vector<std::string> names = joint_names(part);
    try {
      const Tree tree(part);
      const Body body = find_body(tree, read_names(names));
      people.push_back({names.front(), std::move(joints), body.cost});
    } catch (const FormatError&) {
      continue;  // a tree without a body: props, cameras, the floor
    }
  }
  if (people.size() < 2) people.clear();
  return people;
}

const Person& choose_person(const std::vector<Person>& people, const std::string& name,
                            const std::string& clip) {
  if (name.empty()) {
    return *std::min_element(people.begin(), people.end(),
                             [](const Person& a, const Person& b) { return a.cost < b.cost; });
  }
  std::vector<std::string> names;
  for (const Person& person : people) {
    if (person.name == name) return person;
    names.push_back(person.name);
  }
  throw UnknownPerson(unknown_name("person", name, clip, names));
}

Map among_all(Map map, const Person& person, std::size_t joint_count) {
  std::vector<unsigned char> used(joint_count, 0);
  for (MapEntry& entry : map.segments) {
    for (int* joint : {&entry.joint, &entry.next}) {
      if (*joint < 0) continue;
      *joint = person.joints[at(*joint)];
      used[at(*joint)] = 1;
    }
  }
  map.unmapped.clear();
  for (std::size_t j = 0; j < joint_count; ++j) {
    if (used[j] == 0) map.unmapped.push_back(static_cast<int>(j));
  }
  return map;
}

Decision person_decision(const std::vector<Person>& people, const Person& person, bool given) {
  Decision decision{"person", person.name,
                    std::to_string(people.size()) + " people in the file:", given ? 1.0 : kNotGiven};
  for (const Person& one : people) decision.reason += " " + one.name;
  return decision;
}

bool is_long_as(const Tree& tree, const Tree& rest, const Body& body) {
  for (const auto* limbs : {&body.leg, &body.arm}) {
    for (const Limb& limb : *limbs) {
      for (const auto& [a, b] : {std::pair{limb.root, limb.middle}, std::pair{limb.middle, limb.end}}) {
        if (std::abs(tree.length(a, b) - rest.length(a, b)) > 0.1 * rest.length(a, b)) return false;
      }
    }
  }
  return true;
}

AnimalReading read_animal(const Tree& tree, const Body& body, FileAxis up) {
  AnimalReading animal;
  const double leg = leg_length(tree, body);
  const auto height = [&](const Vector3d& p) { return (up.negative ? -1.0 : 1.0) * p[up.axis]; };
  int count = 0;
  for (int f = 0; f < tree.frame_count(); ++f) {
    const Vector3d trunk = mid_point(tree, body.arm, f) - mid_point(tree, body.leg, f);
    bool fours = std::abs(height(trunk.normalized())) < kLevel;
    double floor = height(tree.p(body.leg[0].end, f));
    floor = std::min(floor, height(tree.p(body.leg[1].end, f)));
    for (const Limb& arm : body.arm) {
      const double length = tree.length(arm.root, arm.middle) + tree.length(arm.middle, arm.end);
      const Vector3d &shoulder = tree.p(arm.root, f), &hand = tree.p(arm.end, f);
      fours =
          fours && height(shoulder) - height(hand) > kHanging * length && height(hand) - floor < kLow * leg;
    }
    fours = fours && height(mid_point(tree, body.leg, f)) - floor > 0.5 * leg;
    count += fours ? 1 : 0;
  }
  animal.on_all_fours = static_cast<double>(count) / tree.frame_count();
  for (const SkeletonJoint& joint : tree.clip().joints) {
    for (const std::string& word : words_of_name(joint.name)) {
      if (animal.named.empty() && std::find(kAnimals.begin(), kAnimals.end(), word) != kAnimals.end())
        animal.named = joint.name;
    }
  }
  return animal;
}

}  // namespace panto::rig
