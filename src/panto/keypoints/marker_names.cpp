#include "panto/keypoints/marker_names.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace panto::keypoints {
namespace {

using enum Landmark::Index;

struct Marker {
  std::string_view key;
  Landmark::Index landmark;
};

// [Leardini et al., Gait and Posture 26 (2007) 560-571; 33 (2011) 562-571], as Qualisys and Visual3D spell it
constexpr std::array kCentralMarkers{Marker{"cv7", C7Marker}, Marker{"tv10", T10Marker},
                                     Marker{"sjn", JugularMarker}, Marker{"sxs", SternumMarker}};
constexpr std::array kIor{
    Marker{"ias", AsisMarker},        Marker{"ips", PsisMarker},       Marker{"fle", KneeOuterMarker},
    Marker{"fme", KneeInnerMarker},   Marker{"fax", ShankMarker},      Marker{"ttc", ShankMarker},
    Marker{"fal", AnkleOuterMarker},  Marker{"tam", AnkleInnerMarker}, Marker{"fcc", HeelPoint},
    Marker{"fm1", BigToePoint},       Marker{"fm2", BallPoint},        Marker{"fm5", SmallToePoint},
    Marker{"sae", AcromionMarker},    Marker{"hle", ElbowOuterMarker}, Marker{"hme", ElbowInnerMarker},
    Marker{"rsp", WristRadialMarker}, Marker{"usp", WristUlnarMarker}, Marker{"hm2", IndexPoint},
    Marker{"hm5", LittlePoint}};

// what CGM 2.1 to 2.5 add to Plug-in Gait (pyCGM2/Settings/CGM2_5-pyCGM2.settings)
constexpr std::array kCgm2{Marker{"thap", ThighMarker},     Marker{"thad", ThighMarker},
                           Marker{"thld", ThighMarker},     Marker{"tiap", ShankMarker},
                           Marker{"tiad", ShankMarker},     Marker{"knm", KneeInnerMarker},
                           Marker{"med", AnkleInnerMarker}, Marker{"smh", BallPoint},
                           Marker{"fmh", BigToePoint},      Marker{"vmh", SmallToePoint}};

// OpenSim's Rajagopal2016.osim, which names joint centres too
constexpr std::array kRajagopal{Marker{"lel", ElbowOuterMarker},
                                Marker{"mel", ElbowInnerMarker},
                                Marker{"faradius", WristRadialMarker},
                                Marker{"faulna", WristUlnarMarker},
                                Marker{"lfc", KneeOuterMarker},
                                Marker{"mfc", KneeInnerMarker},
                                Marker{"lmal", AnkleOuterMarker},
                                Marker{"mmal", AnkleInnerMarker},
                                Marker{"cal", HeelPoint},
                                Marker{"calc", HeelPoint},
                                Marker{"mt1", BigToePoint},
                                Marker{"mt5", SmallToePoint},
                                Marker{"hjc", HipJoint},
                                Marker{"kjc", KneeJoint},
                                Marker{"ajc", AnkleJoint},
                                Marker{"sjc", ShoulderJoint},
                                Marker{"ejc", ElbowJoint},
                                Marker{"wjc", WristJoint}};

// Oxford foot model [Carson et al., J. Biomech. 34 (2001) 1299-1307]: hind foot and bases of the metatarsals
// move as one with the foot here; the big toe (HLX) does not
constexpr std::array kOxford{Marker{"hfb", ShankMarker}, Marker{"tub", ShankMarker},
                             Marker{"shn", ShankMarker}, Marker{"mma", AnkleInnerMarker},
                             Marker{"lca", FootMarker},  Marker{"stl", FootMarker},
                             Marker{"p1m", FootMarker},  Marker{"p5m", FootMarker},
                             Marker{"d1m", BigToePoint}, Marker{"d5m", SmallToePoint}};

// Helen Hayes and the Cleveland Clinic's set in words [Kadaba et al., J. Orthop. Res. 8 (1990) 383-392]
constexpr std::array kWords{Marker{"kneeouter", KneeOuterMarker},
                            Marker{"kneeinner", KneeInnerMarker},
                            Marker{"latknee", KneeOuterMarker},
                            Marker{"medknee", KneeInnerMarker},
                            Marker{"lknee", KneeOuterMarker},
                            Marker{"mknee", KneeInnerMarker},
                            Marker{"ankleouter", AnkleOuterMarker},
                            Marker{"ankleinner", AnkleInnerMarker},
                            Marker{"latankle", AnkleOuterMarker},
                            Marker{"medankle", AnkleInnerMarker},
                            Marker{"lankle", AnkleOuterMarker},
                            Marker{"mankle", AnkleInnerMarker},
                            Marker{"latmal", AnkleOuterMarker},
                            Marker{"medmal", AnkleInnerMarker},
                            Marker{"lateralmalleolus", AnkleOuterMarker},
                            Marker{"medialmalleolus", AnkleInnerMarker}};

// OpenCap's markers, without their last word "_study" (opencap-core, utilsAugmenter.py)
constexpr std::array kOpenCap{Marker{"lelbow", ElbowOuterMarker}, Marker{"melbow", ElbowInnerMarker},
                              Marker{"lwrist", WristRadialMarker}, Marker{"mwrist", WristUlnarMarker},
                              Marker{"5meta", SmallToePoint}};

std::optional<Landmark::Index> find(std::span<const Marker> table, std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Marker& m) { return m.key == key; });
  if (found == table.end()) return std::nullopt;
  return found->landmark;
}

// th1, tb2: clusters of thigh and shank
bool is_numbered(std::string_view key, std::string_view part) {
  return key.size() == part.size() + 1 && key.starts_with(part) && key.back() >= '1' && key.back() <= '9';
}

}  // namespace

std::optional<Landmark::Index> central_marker(std::string_view key) { return find(kCentralMarkers, key); }

std::optional<Landmark::Index> sided_marker(std::string_view key) {
  for (const std::span<const Marker> table :
       {std::span<const Marker>(kIor), std::span<const Marker>(kCgm2), std::span<const Marker>(kRajagopal),
        std::span<const Marker>(kOxford), std::span<const Marker>(kWords),
        std::span<const Marker>(kOpenCap)}) {
    if (const auto landmark = find(table, key)) return landmark;
  }
  if (is_numbered(key, "th")) return ThighMarker;
  if (is_numbered(key, "tb") || is_numbered(key, "sh")) return ShankMarker;
  return std::nullopt;
}

bool is_pelvis_marker(std::string_view key) {
  constexpr std::array<std::string_view, 6> words{"asi", "asis", "psi", "psis", "ias", "ips"};
  if (key.find("sacr") != std::string_view::npos || key.find("asis") != std::string_view::npos) return true;
  if (key == "lips") return false;  // of a face; whoever means the left PSIS has the right one, too
  if (key.size() > 1 && key.size() < 6 && (key[0] == 'r' || key[0] == 'l')) {
    if (std::find(words.begin(), words.end(), key.substr(1)) != words.end()) return true;
  }
  return std::find(words.begin(), words.end(), key) != words.end();
}

}  // namespace panto::keypoints
