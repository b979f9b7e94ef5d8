#pragma once
// What the names of a skeleton's joints say: body part, side and the family of rigs that names its joints so.
// The same word means different joints in different families ("LeftShoulder" is a collar bone to Mixamo and
// an upper arm to Xsens), so a table per family comes first and a general vocabulary second.

#include <string>
#include <string_view>
#include <vector>

#include "panto/base/words.hpp"

namespace panto::rig {

/// A part of the body that a joint may move, without its side.
enum class BodyPart : unsigned char {
  Unknown,  ///< the name says nothing
  Other,    ///< a known part that is none of our segments: fingers, twist bones, eyes, ends
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

/// What one name says.
struct NamedPart {
  BodyPart part = BodyPart::Unknown;
  NamedSide side = NamedSide::None;
};

/// What all names of a skeleton say together.
struct NameReading {
  std::string family;            ///< "xsens", "mixamo", ...; "unknown" when the vocabulary had to do
  std::vector<NamedPart> parts;  ///< by joint
};

/// A name taken apart: its side and the rest in lower case without separators, leading zeros of numbers and
/// prefixes ("mixamorig:LeftUpLeg" -> Left, "upleg"; "thigh_r" -> Right, "thigh").
struct PlainName {
  NamedSide side = NamedSide::None;
  std::string core;
};
[[nodiscard]] PlainName plain_name(std::string_view name);

/// Reads all names of one skeleton: the family whose table fits most of them decides what they mean.
[[nodiscard]] NameReading read_names(const std::vector<std::string>& names);

}  // namespace panto::rig
