#include "panto/rig/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <set>
#include <span>

#include "panto/base/index.hpp"

namespace panto::rig {
namespace {

using enum BodyPart;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// words that name the rig, not a body part
bool is_prefix(std::string_view word) {
  return is_one_of(word,
                   {"cc",       "rl",  "base", "bone",  "mixamorig", "j",   "bip",      "character", "skel",
                    "skeleton", "def", "org",  "valve", "biped",     "rig", "armature", "c",         "m",
                    "f",        "avg", "jnt",  "joint", "bn",        "b",   "reference"});
}

// body parts that may follow the side's letter without a separator ("lfemur", "rhand")
bool is_glued_part(std::string_view word) {
  return is_one_of(
      word, {"hand",     "femur",   "tibia",    "foot",   "toes", "toe",   "humerus", "radius", "wrist",
             "thumb",    "fingers", "clavicle", "thigh",  "shin", "uarm",  "farm",    "calf",   "shoulder",
             "upperarm", "forearm", "hipjoint", "collar", "knee", "ankle", "elbow",   "hip"});
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const std::size_t digit = std::min(word.find_first_not_of('0'), word.size());
    text += is_digit(word.front()) ? word.substr(digit) : word;
  }
  return text;
}

struct Entry {
  std::string_view core;
  bool sided;
  BodyPart part;
};

// words of all families: fingers, twist bones, faces
constexpr std::array<std::string_view, 30> kOtherWords{
    "finger", "fingers", "thumb",  "index", "middle", "mid",  "ring", "pinky",    "little",     "eye",
    "jaw",    "teeth",   "tongue", "twist", "share",  "roll", "ribs", "rib",      "pole",       "weapon",
    "prop",   "tail",    "facial", "brow",  "lip",    "nose", "ear",  "effector", "metacarpal", "carpal"};
constexpr std::array<std::string_view, 16> kWornWords{
    "hair", "bangs", "ponytail", "pigtail", "skirt",  "dress", "cape",   "cloak",
    "coat", "cloth", "scarf",    "ribbon",  "sleeve", "hood",  "breast", "bust"};
constexpr std::array<std::string_view, 4> kEndWords{"end", "nub", "tip", "site"};

struct NameTable {
  std::string_view name;
  std::string_view mark;  // a core that only this family has: breaks a tie
  std::span<const Entry> entries;
};

constexpr Entry kXsens[] = {
    {"hips", false, Pelvis},  {"chest", false, Spine},    {"chest2", false, Spine},
    {"chest3", false, Spine}, {"chest4", false, Spine},   {"neck", false, Neck},
    {"head", false, Head},    {"collar", true, Clavicle}, {"shoulder", true, UpperArm},
    {"elbow", true, ForeArm}, {"wrist", true, Hand},      {"hip", true, Thigh},
    {"knee", true, Shank},    {"ankle", true, Foot},      {"toe", true, Toe}};

constexpr Entry kCgspeed[] = {
    {"hips", false, Pelvis},      {"hipjoint", true, Other}, {"lowerback", false, Spine},
    {"chest", false, Spine},      {"chest2", false, Spine},  {"lowerneck", false, Neck},
    {"neck", false, Neck},        {"head", false, Head},     {"collar", true, Clavicle},
    {"shoulder", true, UpperArm}, {"elbow", true, ForeArm},  {"wrist", true, Hand},
    {"hand", true, Other},        {"hip", true, Thigh},      {"knee", true, Shank},
    {"ankle", true, Foot},        {"toe", true, Toe}};

constexpr Entry kCmu[] = {
    {"hips", false, Pelvis},     {"hipjoint", true, Other},   {"lowerback", false, Spine},
    {"spine", false, Spine},     {"spine1", false, Spine},    {"neck", false, Neck},
    {"neck1", false, Neck},      {"head", false, Head},       {"shoulder", true, Clavicle},
    {"arm", true, UpperArm},     {"forearm", true, ForeArm},  {"hand", true, Hand},
    {"fingerbase", true, Other}, {"handindex1", true, Other}, {"upleg", true, Thigh},
    {"leg", true, Shank},        {"foot", true, Foot},        {"toebase", true, Toe}};

constexpr Entry kMotionBuilder[] = {
    {"hips", false, Pelvis}, {"spine", false, Spine},    {"spine1", false, Spine},
    {"neck", false, Neck},   {"head", false, Head},      {"shoulder", true, Clavicle},
    {"arm", true, UpperArm}, {"forearm", true, ForeArm}, {"hand", true, Hand},
    {"upleg", true, Thigh},  {"leg", true, Shank},       {"foot", true, Foot},
    {"toebase", true, Toe}};

constexpr Entry kMixamo[] = {
    {"hips", false, Pelvis},      {"spine", false, Spine},      {"spine1", false, Spine},
    {"spine2", false, Spine},     {"neck", false, Neck},        {"head", false, Head},
    {"headtopend", false, Other}, {"shoulder", true, Clavicle}, {"arm", true, UpperArm},
    {"forearm", true, ForeArm},   {"hand", true, Hand},         {"upleg", true, Thigh},
    {"leg", true, Shank},         {"foot", true, Foot},         {"toebase", true, Toe},
    {"toeend", true, Other}};

constexpr Entry kLafan[] = {{"hips", false, Pelvis},      {"spine", false, Spine}, {"spine1", false, Spine},
                            {"spine2", false, Spine},     {"neck", false, Neck},   {"head", false, Head},
                            {"shoulder", true, Clavicle}, {"arm", true, UpperArm}, {"forearm", true, ForeArm},
                            {"hand", true, Hand},         {"upleg", true, Thigh},  {"leg", true, Shank},
                            {"foot", true, Foot},         {"toe", true, Toe}};

constexpr Entry kSoma[] = {{"hips", false, Pelvis},    {"spine1", false, Spine},     {"spine2", false, Spine},
                           {"chest", false, Spine},    {"neck1", false, Neck},       {"neck2", false, Neck},
                           {"head", false, Head},      {"shoulder", true, Clavicle}, {"arm", true, UpperArm},
                           {"forearm", true, ForeArm}, {"hand", true, Hand},         {"leg", true, Thigh},
                           {"shin", true, Shank},      {"foot", true, Foot},         {"toebase", true, Toe}};

constexpr Entry kNoitom[] = {
    {"hips", false, Pelvis},  {"spine", false, Spine},    {"spine1", false, Spine},
    {"spine2", false, Spine}, {"spine3", false, Spine},   {"neck", false, Neck},
    {"neck1", false, Neck},   {"head", false, Head},      {"shoulder", true, Clavicle},
    {"arm", true, UpperArm},  {"forearm", true, ForeArm}, {"hand", true, Hand},
    {"upleg", true, Thigh},   {"leg", true, Shank},       {"foot", true, Foot},
    {"toebase", true, Toe}};

constexpr Entry kReallusion[] = {
    {"hip", false, Other},        {"pelvis", false, Pelvis},  {"waist", false, Spine},
    {"spine1", false, Spine},     {"spine2", false, Spine},   {"necktwist1", false, Neck},
    {"necktwist2", false, Neck},  {"head", false, Head},      {"clavicle", true, Clavicle},
    {"upperarm", true, UpperArm}, {"forearm", true, ForeArm}, {"hand", true, Hand},
    {"thigh", true, Thigh},       {"calf", true, Shank},      {"foot", true, Foot},
    {"toebase", true, Toe}};

constexpr Entry kSmpl[] = {{"pelvis", false, Pelvis},  {"spine1", false, Spine},     {"spine2", false, Spine},
                           {"spine3", false, Spine},   {"neck", false, Neck},        {"head", false, Head},
                           {"collar", true, Clavicle}, {"shoulder", true, UpperArm}, {"elbow", true, ForeArm},
                           {"wrist", true, Hand},      {"hand", true, Other},        {"hip", true, Thigh},
                           {"knee", true, Shank},      {"ankle", true, Foot},        {"foot", true, Toe}};

constexpr Entry kOptitrack[] = {
    {"hip", false, Pelvis},  {"hips", false, Pelvis}, {"ab", false, Spine},         {"chest", false, Spine},
    {"neck", false, Neck},   {"head", false, Head},   {"shoulder", true, Clavicle}, {"uarm", true, UpperArm},
    {"farm", true, ForeArm}, {"hand", true, Hand},    {"thigh", true, Thigh},       {"shin", true, Shank},
    {"foot", true, Foot},    {"toe", true, Toe}};

constexpr Entry kRokoko[] = {
    {"hips", false, Pelvis},      {"spine1", false, Spine}, {"spine2", false, Spine},
    {"spine3", false, Spine},     {"spine4", false, Spine}, {"neck", false, Neck},
    {"head", false, Head},        {"arm", true, UpperArm},  {"forearm", true, ForeArm},
    {"shoulder", true, Clavicle}, {"hand", true, Hand},     {"thigh", true, Thigh},
    {"shin", true, Shank},        {"foot", true, Foot},     {"toe", true, Toe}};

constexpr Entry kKinect[] = {
    {"pelvis", false, Pelvis},    {"spinenavel", false, Spine}, {"spinenaval", false, Spine},
    {"spinechest", false, Spine}, {"neck", false, Neck},        {"head", false, Head},
    {"clavicle", true, Clavicle}, {"shoulder", true, UpperArm}, {"elbow", true, ForeArm},
    {"wrist", true, Hand},        {"hand", true, Other},        {"handtip", true, Other},
    {"hip", true, Thigh},         {"knee", true, Shank},        {"ankle", true, Foot},
    {"foot", true, Toe}};

constexpr Entry kSlimevr[] = {
    {"hip", false, Pelvis},       {"waist", false, Spine},      {"chest", false, Spine},
    {"upperchest", false, Spine}, {"neck", false, Neck},        {"head", false, Head},
    {"shoulder", true, Clavicle}, {"upperarm", true, UpperArm}, {"lowerarm", true, ForeArm},
    {"hand", true, Hand},         {"hip", true, Other},         {"upperleg", true, Thigh},
    {"lowerleg", true, Shank},    {"foot", true, Foot}};

constexpr Entry kVrm[] = {
    {"hips", false, Pelvis},      {"spine", false, Spine},      {"chest", false, Spine},
    {"upperchest", false, Spine}, {"neck", false, Neck},        {"head", false, Head},
    {"shoulder", true, Clavicle}, {"upperarm", true, UpperArm}, {"lowerarm", true, ForeArm},
    {"hand", true, Hand},         {"upperleg", true, Thigh},    {"lowerleg", true, Shank},
    {"foot", true, Foot},         {"toes", true, Toe},          {"toebase", true, Toe}};

constexpr Entry kAsf[] = {
    {"root", false, Pelvis},   {"lowerback", false, Spine},  {"upperback", false, Spine},
    {"thorax", false, Spine},  {"lowerneck", false, Neck},   {"upperneck", false, Neck},
    {"head", false, Head},     {"clavicle", true, Clavicle}, {"humerus", true, UpperArm},
    {"radius", true, ForeArm}, {"wrist", true, Hand},        {"hand", true, Other},
    {"femur", true, Thigh},    {"tibia", true, Shank},       {"foot", true, Foot},
    {"toes", true, Toe}};

constexpr Entry kUnreal[] = {
    {"pelvis", false, Pelvis},    {"spine1", false, Spine},     {"spine2", false, Spine},
    {"spine3", false, Spine},     {"neck1", false, Neck},       {"head", false, Head},
    {"clavicle", true, Clavicle}, {"upperarm", true, UpperArm}, {"lowerarm", true, ForeArm},
    {"hand", true, Hand},         {"thigh", true, Thigh},       {"calf", true, Shank},
    {"foot", true, Foot},         {"ball", true, Toe}};

constexpr Entry kBiped[] = {{"pelvis", false, Pelvis},    {"spine", false, Spine},
                            {"spine1", false, Spine},     {"spine2", false, Spine},
                            {"neck", false, Neck},        {"head", false, Head},
                            {"clavicle", true, Clavicle}, {"upperarm", true, UpperArm},
                            {"forearm", true, ForeArm},   {"hand", true, Hand},
                            {"thigh", true, Thigh},       {"calf", true, Shank},
                            {"foot", true, Foot},         {"toe", true, Toe}};

// in order of preference if tables fit equally well
const std::array<NameTable, 18> kFamilies{{{"xsens", "chest4", kXsens},
                                           {"cgspeed", "lowerneck", kCgspeed},
                                           {"motionbuilder", "", kMotionBuilder},
                                           {"cmu", "lowerback", kCmu},
                                           {"mixamo", "headtopend", kMixamo},
                                           {"lafan", "", kLafan},
                                           {"soma", "shin", kSoma},
                                           {"noitom", "spine3", kNoitom},
                                           {"reallusion", "necktwist1", kReallusion},
                                           {"smpl", "", kSmpl},
                                           {"optitrack", "ab", kOptitrack},
                                           {"rokoko", "spine4", kRokoko},
                                           {"kinect", "spinechest", kKinect},
                                           {"slimevr", "", kSlimevr},
                                           {"vrm", "", kVrm},
                                           {"asf", "thorax", kAsf},
                                           {"unreal", "ball", kUnreal},
                                           {"biped", "", kBiped}}};

bool is_among(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// without a namespace: "hair:LeftArm" is an arm
bool has_word_among(std::string_view name, std::span<const std::string_view> words) {
  const std::vector<std::string> own = words_of_name(name.substr(name.rfind(':') + 1));
  return std::any_of(own.begin(), own.end(), [&](const std::string& word) { return is_among(word, words); });
}

bool is_other(std::string_view name) {
  const std::vector<std::string> words = words_of_name(name);
  for (const std::string& word : words) {
    std::string_view text = word;
    if (is_among(text, kOtherWords) || is_among(text, kWornWords) || is_among(text, kEndWords)) return true;
    if (text.size() > 1 && (text[0] == 'l' || text[0] == 'r')) {
      text.remove_prefix(1);
      if (is_one_of(text, {"fingers", "thumb", "eye"})) return true;
    }
  }
  return false;
}

BodyPart look_up(std::span<const Entry> entries, const PlainName& name) {
  for (const Entry& entry : entries) {
    if (entry.core == name.core && entry.sided == (name.side != NamedSide::None)) return entry.part;
  }
  return Unknown;
}

// the general vocabulary ignores trailing numbers
std::string_view without_number(std::string_view core) {
  while (!core.empty() && is_digit(core.back())) core.remove_suffix(1);
  return core;
}

struct Words {
  BodyPart part;
  std::initializer_list<std::string_view> words;
};

// words that mean one part wherever they occur
BodyPart plain_vocabulary(std::string_view core, bool sided) {
  static const std::array<Words, 13> sided_words{
      {{Thigh, {"thigh", "upleg", "upperleg", "femur", "legupper", "hipjoint"}},
       {Shank, {"shin", "calf", "lowerleg", "lowleg", "shank", "tibia", "leglower", "knee"}},
       {Foot, {"foot", "ankle"}},
       {Toe, {"toe", "toes", "toebase", "ball", "balloffoot", "forefoot"}},
       {Clavicle, {"clavicle", "collar", "collarbone", "scapula", "clav"}},
       {UpperArm, {"upperarm", "uparm", "uarm", "humerus", "arm", "armupper"}},
       {ForeArm, {"forearm", "lowerarm", "lowarm", "farm", "radius", "ulna", "elbow", "armlower"}},
       {Hand, {"hand", "wrist", "palm"}}}};
  static const std::array<Words, 5> middle_words{
      {{Pelvis, {"pelvis", "hips", "hip"}},
       {Spine,
        {"spine", "chest", "upperchest", "torso", "abdomen", "ab", "waist", "back", "lowerback", "upperback",
         "lumbar", "thorax", "ribcage", "trunk", "belly", "stomach"}},
       {Neck, {"neck", "lowerneck", "upperneck", "cervical"}},
       {Head, {"head", "skull"}}}};
  const std::span<const Words> lists = sided ? std::span<const Words>(sided_words) : middle_words;
  for (const Words& list : lists) {
    if (is_one_of(core, list.words)) return list.part;
  }
  return Unknown;
}

// words whose meaning depends on which other words the rig has
std::vector<NamedPart> read_vocabulary(const std::vector<PlainName>& plain) {
  std::set<std::string, std::less<>> cores;
  for (const PlainName& name : plain) {
    if (name.side != NamedSide::None) cores.insert(std::string(without_number(name.core)));
  }
  const auto has_any = [&](std::initializer_list<std::string_view> list) {
    return std::any_of(list.begin(), list.end(), [&](std::string_view w) { return cores.contains(w); });
  };
  const bool thigh = has_any({"thigh", "upleg", "upperleg", "femur", "legupper"});
  const bool upper_arm = has_any({"upperarm", "uparm", "uarm", "humerus", "arm", "armupper"});
  std::vector<NamedPart> parts;
  for (const PlainName& name : plain) {
    const bool sided = name.side != NamedSide::None;
    const std::string_view core = without_number(name.core);
    BodyPart part = plain_vocabulary(core, sided);
    if (sided && core == "shoulder") part = upper_arm ? Clavicle : UpperArm;
    if (sided && core == "hip") part = thigh ? Other : Thigh;
    if (sided && core == "leg") part = thigh || !has_any({"knee", "shin", "calf"}) ? Shank : Thigh;
    if (sided && core == "foot" && has_any({"ankle"})) part = Toe;
    if (sided && core == "hand" && has_any({"wrist"})) part = Other;
    if (sided && core == "hipjoint" && (thigh || has_any({"hip"}))) part = Other;
    parts.push_back({part, name.side});
  }
  return parts;
}

// how well a table fits: the joints it names, and whether the necessary body parts are among them
struct Fit {
  int joints = 0;
  bool marked = false;
  bool complete = false;
};

// `part_only`: legs or arms suffice, else both must be there.
Fit fit_of(const NameTable& family, const std::vector<PlainName>& plain, bool part_only) {
  Fit fit;
  std::set<std::pair<BodyPart, NamedSide>> found;
  for (const PlainName& name : plain) {
    const BodyPart part = look_up(family.entries, name);
    fit.joints += part != Unknown ? 1 : 0;
    fit.marked = fit.marked || (!family.mark.empty() && name.core == family.mark);
    if (part != Unknown && part != Other) found.insert({part, name.side});
  }
  const auto has = [&](BodyPart part) {
    return found.contains({part, NamedSide::Left}) && found.contains({part, NamedSide::Right});
  };
  const bool legs = has(Thigh) && has(Shank), arms = has(UpperArm) && has(ForeArm);
  fit.complete = part_only ? legs || arms : legs && arms;
  return fit;
}

const NameTable* best_family(const std::vector<PlainName>& plain, bool mixamo_prefix, bool part_only) {
  const NameTable* best = nullptr;
  int best_score = 0;
  for (const NameTable& family : kFamilies) {
    const Fit fit = fit_of(family, plain, part_only);
    if (!fit.complete) continue;
    const bool marked = fit.marked || (mixamo_prefix && family.name == "mixamo");
    const int score = 2 * fit.joints + (marked ? 3 : 0);
    if (score > best_score) {
      best = &family;
      best_score = score;
    }
  }
  return best;
}

}  // namespace

PlainName plain_name(std::string_view name) {
  // a namespace ends at the last ':' or '|'
  const std::size_t space = name.find_last_of(":|");
  if (space != std::string_view::npos && space + 1 < name.size()) name.remove_prefix(space + 1);
  std::vector<std::string> words = words_of_name(name);
  while (words.size() > 1 &&
         (is_prefix(words.front()) || (is_digit(words.front().front()) && words.size() > 1))) {
    words.erase(words.begin());
  }
  PlainName plain;
  const auto take_side = [&](std::size_t i) {
    if (words.size() < 2 || plain.side != NamedSide::None) return;
    plain.side = side_of_word(words[i]);
    if (plain.side != NamedSide::None) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  };
  if (!words.empty()) {
    take_side(0);
    take_side(words.size() - 1);
    if (words.size() > 2) take_side(words.size() - 2);
  }
  plain.core = joined(words);
  if (plain.side == NamedSide::None && plain.core.size() > 1 &&
      is_glued_part(without_number(std::string_view(plain.core).substr(1)))) {
    plain.side = side_of_word(plain.core.substr(0, 1));
    if (plain.side != NamedSide::None) plain.core.erase(0, 1);
  }
  return plain;
}

NameReading read_names(const std::vector<std::string>& names, bool part_only) {
  std::vector<PlainName> plain;
  bool mixamo_prefix = false;
  for (const std::string& name : names) {
    plain.push_back(plain_name(name));
    mixamo_prefix = mixamo_prefix || name.rfind("mixamorig", 0) == 0;
  }
  NameReading reading;
  reading.parts = read_vocabulary(plain);
  const NameTable* family = best_family(plain, mixamo_prefix, part_only);
  reading.family = family != nullptr ? std::string(family->name) : "unknown";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const BodyPart known = family != nullptr ? look_up(family->entries, plain[i]) : Unknown;
    if (known != Unknown) {
      reading.parts[i].part = known;
    } else if (is_other(names[i])) {
      reading.parts[i].part = Other;
    }
  }
  return reading;
}

bool is_worn(std::string_view name) { return has_word_among(name, kWornWords); }

bool is_end(std::string_view name) { return has_word_among(name, kEndWords); }

}  // namespace panto::rig
