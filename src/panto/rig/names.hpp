#pragma once
// Reads the joint names of a skeleton: body part, side, and the family of rigs that uses such names. The same
// word means different joints in different families ("LeftShoulder" is a collar bone for Mixamo and an upper
// arm for Xsens), so each family has a table; a general vocabulary is the fallback.

#include <string>
#include <string_view>
#include <vector>

#include "panto/base/words.hpp"

namespace panto::rig {

/// A body part that a joint may move, without its side.
enum class BodyPart : unsigned char {
  Unknown,  ///< the name is not known
  Other,    ///< a known part that is no human segment: fingers, twist bones, eyes, ends
  Pelvis,
  Spine,
  Neck,
  Head,
  Clavicle,
  UpperArm,
  ForeArm,
  Hand,
  Thigh,
  Shank,
  Foot,
  Toe,
};

/// The meaning of one name.
struct NamedPart {
  BodyPart part = BodyPart::Unknown;
  NamedSide side = NamedSide::None;
};

/// The meaning of all names of a skeleton.
struct NameReading {
  std::string family;            ///< "xsens", "mixamo", ...; "unknown" if only the general vocabulary applied
  std::vector<NamedPart> parts;  ///< by joint
};

/// A name split into its side and the rest in lower case, without separators, leading zeros of numbers and
/// prefixes ("mixamorig:LeftUpLeg" -> Left, "upleg"; "thigh_r" -> Right, "thigh").
struct PlainName {
  NamedSide side = NamedSide::None;
  std::string core;
};
[[nodiscard]] PlainName plain_name(std::string_view name);

/// Reads all names of one skeleton: the family whose table fits most of them decides their meaning.
/// `part_only`: it may be part of a person, whose family has names of legs or arms, not of both.
[[nodiscard]] NameReading read_names(const std::vector<std::string>& names, bool part_only = false);

/// Returns whether the name calls a joint hair or clothes ("Skirt_01", "J_Sec_Hair1").
[[nodiscard]] bool is_worn(std::string_view name);
/// Returns whether the name calls a joint the end of a chain ("HeadNub", "toe_end").
[[nodiscard]] bool is_end(std::string_view name);

}  // namespace panto::rig
