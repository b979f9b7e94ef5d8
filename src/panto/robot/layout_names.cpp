#include "panto/robot/layout_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace panto::robot {
namespace {

struct Part {
  std::string_view word;
  NamedRegion region;
  bool middle = false;
  bool end = false;
};

// longer words come before words that they begin with
constexpr std::array kParts{Part{"shoulder", NamedRegion::Arm},
                            Part{"upperarm", NamedRegion::Arm},
                            Part{"forearm", NamedRegion::Arm},
                            Part{"lowerarm", NamedRegion::Arm},
                            Part{"elbow", NamedRegion::Arm, true},
                            Part{"wrist", NamedRegion::Arm},
                            Part{"hand", NamedRegion::Arm, false, true},
                            Part{"humerus", NamedRegion::Arm},
                            Part{"clavicle", NamedRegion::Arm},
                            Part{"scapula", NamedRegion::Arm},
                            Part{"arm", NamedRegion::Arm},
                            Part{"upperleg", NamedRegion::Leg},
                            Part{"lowerleg", NamedRegion::Leg},
                            Part{"crotch", NamedRegion::Leg},
                            Part{"thigh", NamedRegion::Leg},
                            Part{"knee", NamedRegion::Leg, true},
                            Part{"shank", NamedRegion::Leg},
                            Part{"shin", NamedRegion::Leg},
                            Part{"calf", NamedRegion::Leg},
                            Part{"ankle", NamedRegion::Leg},
                            Part{"femur", NamedRegion::Leg},
                            Part{"tibia", NamedRegion::Leg},
                            Part{"foot", NamedRegion::Leg, false, true},
                            Part{"feet", NamedRegion::Leg, false, true},
                            Part{"sole", NamedRegion::Leg},
                            Part{"toe", NamedRegion::Leg},
                            Part{"hip", NamedRegion::Leg},
                            Part{"leg", NamedRegion::Leg},
                            Part{"gripper", NamedRegion::Finger},
                            Part{"finger", NamedRegion::Finger},
                            Part{"thumb", NamedRegion::Finger},
                            Part{"index", NamedRegion::Finger},
                            Part{"middle", NamedRegion::Finger},
                            Part{"pinky", NamedRegion::Finger},
                            Part{"ring", NamedRegion::Finger},
                            Part{"little", NamedRegion::Finger},
                            Part{"palm", NamedRegion::Arm},
                            Part{"head", NamedRegion::Head},
                            Part{"neck", NamedRegion::Head},
                            Part{"torso", NamedRegion::Trunk},
                            Part{"waist", NamedRegion::Trunk},
                            Part{"chest", NamedRegion::Trunk},
                            Part{"trunk", NamedRegion::Trunk},
                            Part{"spine", NamedRegion::Trunk},
                            Part{"pelvis", NamedRegion::Trunk},
                            Part{"lumbar", NamedRegion::Trunk},
                            Part{"abdomen", NamedRegion::Trunk},
                            Part{"base", NamedRegion::Trunk},
                            Part{"body", NamedRegion::Trunk},
                            Part{"root", NamedRegion::Trunk}};

const Part* find_part(std::string_view word) {
  if (word.size() > 3 && word.back() == 's') word.remove_suffix(1);
  const auto found =
      std::find_if(kParts.begin(), kParts.end(), [&](const Part& p) { return p.word == word; });
  return found == kParts.end() ? nullptr : &*found;
}

// a word with its side attached: "rleg", "leftshoulder"
const Part* find_glued(std::string_view word, NamedSide& side) {
  for (const auto& [prefix, claimed] : {std::pair<std::string_view, NamedSide>{"left", NamedSide::Left},
                                        {"right", NamedSide::Right},
                                        {"l", NamedSide::Left},
                                        {"r", NamedSide::Right}}) {
    if (word.size() <= prefix.size() || !word.starts_with(prefix)) continue;
    const Part* part = find_part(word.substr(prefix.size()));
    if (part == nullptr) continue;
    side = claimed;
    return part;
  }
  return nullptr;
}

}  // namespace

Name read_robot_name(std::string_view name) {
  Name read;
  const std::vector<std::string> words = words_of_name(name);
  int others = 0;  // words that are no side, part or filler
  for (const std::string& word : words) {
    NamedSide side = side_of_word(word);
    const Part* part = find_part(word);
    if (part == nullptr && side == NamedSide::None) part = find_glued(word, side);
    if (read.side == NamedSide::None) read.side = side;
    if (part == nullptr) {
      const bool filler = side != NamedSide::None || word == "link" || word == "joint" || word == "j" ||
                          std::isdigit(static_cast<unsigned char>(word.front())) != 0;
      others += filler ? 0 : 1;
      continue;
    }
    read.middle = read.middle || part->middle;
    // a finger of a hand is a finger, the foot of a leg a foot; "base" and "body" count only alone
    if (part->region == NamedRegion::Finger || read.region == NamedRegion::Unknown ||
        (read.region == NamedRegion::Trunk && part->region != NamedRegion::Trunk))
      read.region = part->region;
    read.end = part->end;
  }
  read.end = read.end && others == 0 && read.region != NamedRegion::Finger;
  return read;
}

}  // namespace panto::robot
