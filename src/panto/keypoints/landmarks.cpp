#include "panto/keypoints/landmarks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/keypoints/marker_names.hpp"

namespace panto::keypoints {
namespace {

using enum Landmark::Index;

struct Meaning {
  std::string_view key;  // words in lower case, without the side
  Landmark::Index landmark;
};

// joint centres and markers in the middle of the body
constexpr std::array kCentral{Meaning{"pelvis", HipsMiddle},
                              Meaning{"hips", HipsMiddle},
                              Meaning{"hip", HipsMiddle},
                              Meaning{"root", HipsMiddle},
                              Meaning{"midhip", HipsMiddle},
                              Meaning{"hipcenter", HipsMiddle},
                              Meaning{"hipcentre", HipsMiddle},
                              Meaning{"waist", HipsMiddle},
                              Meaning{"spinebase", HipsMiddle},
                              Meaning{"hipsmiddle", HipsMiddle},
                              Meaning{"pelviscenter", HipsMiddle},
                              Meaning{"l5", SpineLow},
                              Meaning{"spine1", SpineLow},
                              Meaning{"spinelow", SpineLow},
                              Meaning{"l3", SpineMiddle},
                              Meaning{"spine2", SpineMiddle},
                              Meaning{"spine", SpineMiddle},
                              Meaning{"spinemid", SpineMiddle},
                              Meaning{"spinenavel", SpineMiddle},
                              Meaning{"belly", SpineMiddle},
                              Meaning{"abdomen", SpineMiddle},
                              Meaning{"t12", SpineHigh},
                              Meaning{"spine3", SpineHigh},
                              Meaning{"torso", SpineHigh},
                              Meaning{"t8", SpineTop},
                              Meaning{"chest", SpineTop},
                              Meaning{"spinechest", SpineTop},
                              Meaning{"spine4", SpineTop},
                              Meaning{"neck", NeckBase},
                              Meaning{"neckbase", NeckBase},
                              Meaning{"thorax", NeckBase},
                              Meaning{"spineshoulder", NeckBase},
                              Meaning{"head", HeadJoint},
                              Meaning{"headjoint", HeadJoint},
                              Meaning{"headtop", HeadTop},
                              Meaning{"tophead", HeadTop},
                              Meaning{"headend", HeadTop},
                              Meaning{"vertex", HeadTop},
                              Meaning{"nose", Nose},
                              Meaning{"sacrum", SacrumMarker},
                              Meaning{"sacr", SacrumMarker},
                              Meaning{"sacral", SacrumMarker},
                              Meaning{"vsacral", SacrumMarker},
                              Meaning{"vsacrum", SacrumMarker},
                              Meaning{"c7", C7Marker},
                              Meaning{"t10", T10Marker},
                              Meaning{"clav", JugularMarker},
                              Meaning{"jugular", JugularMarker},
                              Meaning{"ij", JugularMarker},
                              Meaning{"strn", SternumMarker},
                              Meaning{"sternum", SternumMarker},
                              Meaning{"px", SternumMarker},
                              Meaning{"xiphoid", SternumMarker}};

// right and left joints and markers
constexpr std::array kSided{Meaning{"eye", EyePoint},
                            Meaning{"ear", EarPoint},
                            Meaning{"temple", HeadFrontMarker},
                            Meaning{"fhd", HeadFrontMarker},
                            Meaning{"bhd", HeadBackMarker},
                            Meaning{"collar", CollarJoint},
                            Meaning{"clavicle", CollarJoint},
                            Meaning{"shoulder", ShoulderJoint},
                            Meaning{"sho", AcromionMarker},
                            Meaning{"acromion", AcromionMarker},
                            Meaning{"acromium", AcromionMarker},
                            Meaning{"acr", AcromionMarker},
                            Meaning{"elbow", ElbowJoint},
                            Meaning{"elb", ElbowOuterMarker},
                            Meaning{"elbowlat", ElbowOuterMarker},
                            Meaning{"elbowlateral", ElbowOuterMarker},
                            Meaning{"lateralelbow", ElbowOuterMarker},
                            Meaning{"elbowmed", ElbowInnerMarker},
                            Meaning{"elbowmedial", ElbowInnerMarker},
                            Meaning{"medialelbow", ElbowInnerMarker},
                            Meaning{"elbm", ElbowInnerMarker},
                            Meaning{"melb", ElbowInnerMarker},
                            Meaning{"wrist", WristJoint},
                            Meaning{"wra", WristRadialMarker},
                            Meaning{"wristlat", WristRadialMarker},
                            Meaning{"wristradius", WristRadialMarker},
                            Meaning{"wrb", WristUlnarMarker},
                            Meaning{"wristmed", WristUlnarMarker},
                            Meaning{"wristulna", WristUlnarMarker},
                            Meaning{"hand", HandPoint},
                            Meaning{"handtip", HandPoint},
                            Meaning{"fin", HandPoint},
                            Meaning{"middle", HandPoint},
                            Meaning{"middle1", HandPoint},
                            Meaning{"middlefinger", HandPoint},
                            Meaning{"middlefinger1", HandPoint},
                            Meaning{"index", IndexPoint},
                            Meaning{"index1", IndexPoint},
                            Meaning{"forefinger1", IndexPoint},
                            Meaning{"pinky", LittlePoint},
                            Meaning{"pinky1", LittlePoint},
                            Meaning{"pinkyfinger1", LittlePoint},
                            Meaning{"little", LittlePoint},
                            Meaning{"asi", AsisMarker},
                            Meaning{"asis", AsisMarker},
                            Meaning{"psi", PsisMarker},
                            Meaning{"psis", PsisMarker},
                            Meaning{"hip", HipJoint},
                            Meaning{"knee", KneeJoint},
                            Meaning{"kne", KneeOuterMarker},
                            Meaning{"kneelat", KneeOuterMarker},
                            Meaning{"kneelateral", KneeOuterMarker},
                            Meaning{"lateralknee", KneeOuterMarker},
                            Meaning{"kneemed", KneeInnerMarker},
                            Meaning{"kneemedial", KneeInnerMarker},
                            Meaning{"medialknee", KneeInnerMarker},
                            Meaning{"knem", KneeInnerMarker},
                            Meaning{"mkne", KneeInnerMarker},
                            Meaning{"ankle", AnkleJoint},
                            Meaning{"ank", AnkleOuterMarker},
                            Meaning{"anklelat", AnkleOuterMarker},
                            Meaning{"anklelateral", AnkleOuterMarker},
                            Meaning{"lateralankle", AnkleOuterMarker},
                            Meaning{"anklemed", AnkleInnerMarker},
                            Meaning{"anklemedial", AnkleInnerMarker},
                            Meaning{"medialankle", AnkleInnerMarker},
                            Meaning{"ankm", AnkleInnerMarker},
                            Meaning{"mank", AnkleInnerMarker},
                            Meaning{"heel", HeelPoint},
                            Meaning{"hee", HeelPoint},
                            Meaning{"foot", BallPoint},
                            Meaning{"toe", BallPoint},
                            Meaning{"toes", BallPoint},
                            Meaning{"toebase", BallPoint},
                            Meaning{"ball", BallPoint},
                            Meaning{"toetip", ToeTipPoint},
                            Meaning{"toeend", ToeTipPoint},
                            Meaning{"footindex", ToeTipPoint},
                            Meaning{"smalltoe", SmallToePoint},
                            Meaning{"toelat", SmallToePoint},
                            Meaning{"bigtoe", BigToePoint},
                            Meaning{"toemed", BigToePoint},
                            Meaning{"thi", ThighMarker},
                            Meaning{"tib", ShankMarker}};

// sets whose points are named by the body part that moves with a joint, not by the joint
constexpr std::array kParts{
    Meaning{"shoulder", CollarJoint}, Meaning{"upperarm", ShoulderJoint}, Meaning{"arm", ShoulderJoint},
    Meaning{"forearm", ElbowJoint},   Meaning{"lowerarm", ElbowJoint},    Meaning{"hand", WristJoint},
    Meaning{"upperleg", HipJoint},    Meaning{"upleg", HipJoint},         Meaning{"thigh", HipJoint},
    Meaning{"lowerleg", KneeJoint},   Meaning{"leg", KneeJoint},          Meaning{"shin", KneeJoint},
    Meaning{"calf", KneeJoint},       Meaning{"foot", AnkleJoint}};

// a whole key names a body part if one of these words occurs among the names
constexpr std::array<std::string_view, 4> kPartWords{"forearm", "lowerarm", "upperleg", "upleg"};

std::optional<Landmark::Index> find(std::span<const Meaning> table, std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Meaning& m) { return m.key == key; });
  if (found == table.end()) return std::nullopt;
  return found->landmark;
}

constexpr int kNoSide = -1;
constexpr std::size_t kEnoughNames = 6;  // that share their first word: fewer may share a part of the body

struct Words {
  std::string key;     // all words in lower case, without the side
  int side = kNoSide;  // 0 right, 1 left
  bool told = false;   // the side is a separate word, not a guess from the first letter
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "Subject:R.KneeLat_2" -> r, knee, lat, 2; "LBigToe" -> l, big, toe; digits stay with their word
std::vector<std::string> split_words(std::string_view name) {
  const std::size_t prefix = name.find_last_of(":|/");
  if (prefix != std::string_view::npos && prefix + 1 < name.size()) name.remove_prefix(prefix + 1);
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    const bool after_small = i > 0 && (is_lower(name[i - 1]) || is_digit(name[i - 1]));
    const bool before_small = i > 0 && is_upper(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1]);
    if (is_upper(c) && (after_small || before_small) && !words.back().empty()) words.emplace_back();
    words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

int side_of(std::string_view word) {
  if (word == "r" || word == "right" || word == "rt") return 0;
  if (word == "l" || word == "left" || word == "lt") return 1;
  return kNoSide;
}

Words read_words(std::vector<std::string> words) {
  Words result;
  if (words.size() > 1) {
    if (const int first = side_of(words.front()); first != kNoSide) {
      result.side = first;
      words.erase(words.begin());
    } else if (const int last = side_of(words.back()); last != kNoSide) {
      result.side = last;
      words.pop_back();
    }
  }
  for (const std::string& word : words) result.key += word;
  result.told = result.side != kNoSide;
  if (result.told) return result;
  for (const auto& [word, side] : {std::pair{std::string_view("right"), 0}, {std::string_view("left"), 1}}) {
    if (result.key.size() > word.size() && result.key.starts_with(word)) {
      result.key.erase(0, word.size());
      result.side = side;
      result.told = true;
      break;
    }
  }
  return result;
}

// "S02_LASI", "S02_RASI" ...: the first word is the subject's
void drop_common_word(std::vector<std::vector<std::string>>& names) {
  if (names.size() < kEnoughNames || names[0].empty()) return;
  const std::string first = names[0][0];
  if (side_of(first) != kNoSide) return;
  for (const std::vector<std::string>& words : names) {
    if (words.size() < 2 || words[0] != first) return;
  }
  for (std::vector<std::string>& words : names) words.erase(words.begin());
}

// OpenCap's network makes markers, which end in "study", of the points of a video, which are worse and have
// no meaning beside them (opencap-core, utilsAugmenter.py)
bool take_study(std::vector<std::vector<std::string>>& names) {
  const auto is_marker = [](const std::vector<std::string>& words) {
    return words.size() > 1 && words.back() == "study";
  };
  if (std::count_if(names.begin(), names.end(), is_marker) < static_cast<std::ptrdiff_t>(kEnoughNames))
    return false;
  for (std::vector<std::string>& words : names) {
    if (is_marker(words)) {
      words.pop_back();
    } else {
      words.clear();
    }
  }
  return true;
}

// several markers may lie anywhere on these parts
std::optional<Landmark::Index> cluster_of(std::string_view key) {
  if (key.find("thigh") != std::string_view::npos || key.find("femur") != std::string_view::npos)
    return ThighMarker;
  if (key.find("shank") != std::string_view::npos || key.find("tibia") != std::string_view::npos)
    return ShankMarker;
  if (key.find("midfoot") != std::string_view::npos) return FootMarker;
  // RTHI2, LTIB_A
  if (key.size() > 3 && key.starts_with("thi")) return ThighMarker;
  if (key.size() > 3 && key.starts_with("tib")) return ShankMarker;
  return std::nullopt;
}

// the naming style of a whole set
struct Style {
  bool parts = false;    // by the moving part: RightForeArm is the elbow
  bool markers = false;  // skin markers
  bool chests = false;   // Chest, Chest2, Chest3, Chest4
  bool thorax = false;   // Thorax is the base of the neck, Neck is further up
  bool ankles = false;   // ankles have their own names
};

Style style_of(const std::vector<Words>& all) {
  Style style;
  for (const Words& words : all) {
    const std::string_view key = words.key;
    for (const std::string_view word : kPartWords) style.parts = style.parts || (words.told && key == word);
    style.markers = style.markers || is_pelvis_marker(key);
    style.chests = style.chests || key == "chest2";
    style.thorax = style.thorax || key == "thorax";
    style.ankles = style.ankles || key.find("ankle") != std::string_view::npos;
  }
  return style;
}

std::optional<Landmark::Index> central_landmark(const std::string& key, const Style& style) {
  if (style.chests && key.starts_with("chest")) {
    constexpr std::array order{SpineLow, SpineMiddle, SpineHigh, SpineTop};
    const std::size_t number = key.size() == 5 ? 1 : static_cast<std::size_t>(key[5] - '0');
    if (number >= 1 && number <= order.size()) return order[number - 1];
  }
  if (style.thorax && key == "neck") return HeadJoint;
  if (style.thorax && key == "head") return HeadTop;
  if (style.parts && key == "spine") return SpineLow;
  if (style.parts && key == "spine1") return SpineMiddle;
  if (style.parts && key == "spine2") return SpineHigh;
  const auto landmark = find(kCentral, key);
  return landmark ? landmark : central_marker(key);
}

std::optional<Landmark::Index> sided_landmark(const std::string& key, const Style& style) {
  if (style.parts) {
    if (const auto part = find(kParts, key)) return part;
  }
  if (key == "foot" && !style.ankles) return AnkleJoint;
  if (const auto marker = sided_marker(key)) return marker;
  auto landmark = find(kSided, key);
  if (!landmark) return cluster_of(key);
  if (style.markers) {
    if (*landmark == ShoulderJoint) return AcromionMarker;
    if (*landmark == ElbowJoint) return ElbowOuterMarker;
    if (*landmark == KneeJoint) return KneeOuterMarker;
    if (*landmark == AnkleJoint) return AnkleOuterMarker;
  }
  return landmark;
}

int landmark_of(Words words, const Style& style) {
  if (!words.told) {
    if (const auto central = central_landmark(words.key, style)) return *central;
    // RASI, rhip: the side is the first letter if the rest is a known word
    if (words.key.size() < 2) return -1;
    words.side = side_of(words.key.substr(0, 1));
    if (words.side == kNoSide) return -1;
    words.key.erase(0, 1);
  }
  const auto landmark = sided_landmark(words.key, style);
  return landmark ? sided(*landmark, words.side) : -1;
}

bool is_cluster(int landmark) {
  for (const int side : {0, 1}) {
    for (const Landmark::Index cluster : {ThighMarker, ShankMarker, FootMarker}) {
      if (landmark == sided(cluster, side)) return true;
    }
  }
  return false;
}

std::string family_of(const std::vector<Words>& all, const Style& style) {
  const auto has = [&](std::string_view key) {
    return std::any_of(all.begin(), all.end(), [&](const Words& words) { return words.key == key; });
  };
  if (style.markers) return has("rasi") && has("lasi") ? "plug-in gait" : "skin markers";
  if (style.parts) return has("upperleg") && has("t8") ? "human segments" : "by body part";
  if (style.thorax) return "human3.6m";
  if (has("midhip") && has("bigtoe")) return "body 25";
  if (has("footindex")) return "mediapipe";
  if (has("spine3") && has("collar")) return "smpl";
  if (has("nose") && has("eye") && has("ankle")) return "coco 17";
  return "by words";
}

}  // namespace

LandmarkNames read_landmark_names(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> split;
  split.reserve(names.size());
  for (const std::string& name : names) split.push_back(split_words(name));
  drop_common_word(split);
  const bool study = take_study(split);
  std::vector<Words> all;
  all.reserve(names.size());
  for (std::vector<std::string>& words : split) all.push_back(read_words(std::move(words)));
  const Style style = style_of(all);

  LandmarkNames result;
  result.family = study ? "opencap" : family_of(all, style);
  const auto has = [&](std::string_view key) {
    return std::any_of(all.begin(), all.end(), [&](const Words& words) { return words.key == key; });
  };
  result.gait2392 = has("asis") && has("vsacral") && has("thighupper") && has("shankupper");
  std::array<bool, kLandmarkCount> taken{};
  for (const Words& words : all) {
    int landmark = landmark_of(words, style);
    // the first of two points with the same name counts
    if (landmark >= 0 && taken[at(landmark)] && !is_cluster(landmark)) landmark = -1;
    if (landmark >= 0) taken[at(landmark)] = true;
    result.landmark.push_back(landmark);
  }
  return result;
}

std::string landmark_name(int landmark) {
  static constexpr std::array<std::string_view, Landmark::LastRight> names{"middle of the hips",
                                                                           "lower spine",
                                                                           "middle spine",
                                                                           "upper spine",
                                                                           "chest",
                                                                           "base of the neck",
                                                                           "head",
                                                                           "top of the head",
                                                                           "nose",
                                                                           "sacrum",
                                                                           "C7",
                                                                           "T10",
                                                                           "jugular notch",
                                                                           "sternum",
                                                                           "eye",
                                                                           "ear",
                                                                           "front of the head",
                                                                           "back of the head",
                                                                           "collar",
                                                                           "shoulder",
                                                                           "acromion",
                                                                           "elbow",
                                                                           "outer elbow",
                                                                           "inner elbow",
                                                                           "wrist",
                                                                           "wrist (thumb side)",
                                                                           "wrist (little finger's side)",
                                                                           "hand",
                                                                           "index finger",
                                                                           "little finger",
                                                                           "ASIS",
                                                                           "PSIS",
                                                                           "hip",
                                                                           "knee",
                                                                           "outer knee",
                                                                           "inner knee",
                                                                           "ankle",
                                                                           "outer ankle",
                                                                           "inner ankle",
                                                                           "heel",
                                                                           "ball of the foot",
                                                                           "tip of the toes",
                                                                           "small toe",
                                                                           "big toe",
                                                                           "thigh",
                                                                           "shank",
                                                                           "foot"};
  if (landmark < 0 || landmark >= kLandmarkCount) return "nothing";
  if (landmark < Landmark::FirstSided) return std::string(names[at(landmark)]);
  const bool left = landmark >= LastRight;
  return (left ? "left " : "right ") + std::string(names[at(left ? landmark - kSidedLandmarks : landmark)]);
}

}  // namespace panto::keypoints
