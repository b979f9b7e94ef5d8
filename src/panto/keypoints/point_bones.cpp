#include "panto/keypoints/point_bones.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/keypoints/landmarks.hpp"
#include "panto/keypoints/point_geometry.hpp"

namespace panto::keypoints {
namespace {

using enum Landmark::Index;

using Eigen::Vector3d;

constexpr int kSampled = 300;    // frames used for lengths
constexpr int kFewest = 5;       // frames in which both ends are seen
constexpr int kRounds = 8;       // over all bones; each leaves about half of the error
constexpr double kRigid = 0.12;  // a spread above this share of the length is no bone's

struct Pair {
  Landmark::Index inner, outer;
  bool across = false;  // from right to left
  bool rigid = true;
};

// from the trunk outwards; the first pair with a seen inner point carries a point through a long gap
constexpr std::array kPairs{Pair{HipJoint, HipJoint, true},
                            Pair{HipsMiddle, HipJoint},
                            Pair{AsisMarker, AsisMarker, true},
                            Pair{PsisMarker, PsisMarker, true},
                            Pair{AsisMarker, PsisMarker},
                            Pair{SacrumMarker, AsisMarker},
                            Pair{HipsMiddle, SpineLow},
                            Pair{SpineLow, SpineMiddle},
                            Pair{SpineMiddle, SpineHigh},
                            Pair{SpineHigh, SpineTop},
                            Pair{SpineTop, NeckBase, false, false},
                            Pair{JugularMarker, C7Marker},
                            Pair{NeckBase, ShoulderJoint, false, false},
                            Pair{CollarJoint, ShoulderJoint},
                            Pair{ShoulderJoint, ShoulderJoint, true, false},
                            Pair{AcromionMarker, AcromionMarker, true, false},
                            Pair{NeckBase, HeadJoint},
                            Pair{HeadJoint, HeadTop},
                            Pair{NeckBase, HeadTop, false, false},
                            Pair{NeckBase, Nose, false, false},
                            Pair{HeadJoint, Nose},
                            Pair{Nose, EyePoint},
                            Pair{Nose, EarPoint},
                            Pair{EyePoint, EyePoint, true},
                            Pair{EyePoint, EarPoint},
                            Pair{EarPoint, EarPoint, true},
                            Pair{HeadFrontMarker, HeadFrontMarker, true},
                            Pair{HeadFrontMarker, HeadBackMarker},
                            Pair{HeadBackMarker, HeadBackMarker, true},
                            Pair{ShoulderJoint, ElbowJoint},
                            Pair{ElbowOuterMarker, ElbowInnerMarker},
                            Pair{ElbowJoint, WristJoint},
                            Pair{WristRadialMarker, WristUlnarMarker},
                            Pair{WristJoint, HandPoint},
                            Pair{WristJoint, IndexPoint},
                            Pair{WristJoint, LittlePoint},
                            Pair{HipJoint, KneeJoint},
                            Pair{KneeOuterMarker, KneeInnerMarker},
                            Pair{KneeJoint, AnkleJoint},
                            Pair{KneeOuterMarker, AnkleOuterMarker},
                            Pair{AnkleOuterMarker, AnkleInnerMarker},
                            Pair{AnkleJoint, HeelPoint},
                            Pair{AnkleOuterMarker, HeelPoint},
                            Pair{AnkleJoint, BallPoint},
                            Pair{AnkleJoint, BigToePoint},
                            Pair{AnkleJoint, ToeTipPoint},
                            Pair{HeelPoint, BigToePoint},
                            Pair{HeelPoint, ToeTipPoint},
                            Pair{BigToePoint, SmallToePoint},
                            Pair{BallPoint, ToeTipPoint, false, false}};

// length and spread; false if too few frames show both ends
bool measure(const PointTable& table, PointBone& bone) {
  std::vector<double> lengths;
  const int step = std::max(1, table.frames / kSampled);
  for (int k = 0; k < table.frames; k += step) {
    const double length = (table.at(k, bone.outer) - table.at(k, bone.inner)).norm();
    if (std::isfinite(length)) lengths.push_back(length);
  }
  if (std::ssize(lengths) < kFewest) return false;
  bone.length = median(lengths);
  for (double& length : lengths) length = std::abs(length - bone.length);
  bone.spread = 1.4826 * median(std::move(lengths));
  if (!(bone.spread < kRigid * bone.length)) bone.rigid = false;
  return bone.length > 0.0;
}

}  // namespace

std::vector<PointBone> find_bones(const PointTable& table, const std::vector<int>& landmarks) {
  std::array<int, kLandmarkCount> column{};
  column.fill(-1);
  for (int j = table.points; j-- > 0;)
    if (landmarks[at(j)] >= 0) column[at(landmarks[at(j)])] = j;
  std::vector<PointBone> bones;
  const auto add = [&](int inner, int outer, bool rigid) {
    PointBone bone{column[at(inner)], column[at(outer)], 0.0, 0.0, rigid};
    if (bone.inner >= 0 && bone.outer >= 0 && bone.inner != bone.outer && measure(table, bone))
      bones.push_back(bone);
  };
  for (const Pair& pair : kPairs) {
    if (pair.across) {
      add(sided(pair.inner, 0), sided(pair.outer, 1), pair.rigid);
      continue;
    }
    const int sides = pair.inner >= Landmark::FirstSided || pair.outer >= Landmark::FirstSided ? 2 : 1;
    for (int side = 0; side < sides; ++side)
      add(on_side(pair.inner, side), on_side(pair.outer, side), pair.rigid);
  }
  return bones;
}

void for_bones_at(const std::vector<PointBone>& bones, int point,
                  const std::function<void(int, const PointBone&)>& use) {
  for (const PointBone& bone : bones) {
    if (bone.outer == point) use(bone.inner, bone);
    if (bone.inner == point) use(bone.outer, bone);
  }
}

void keep_lengths(PointTable& table, const std::vector<PointBone>& bones,
                  const std::vector<unsigned char>& movable) {
  const auto index = [&](int frame, int point) { return at(frame) * at(table.points) + at(point); };
  for (int k = 0; k < table.frames; ++k) {
    for (int round = 0; round < kRounds; ++round) {
      for (const PointBone& bone : bones) {
        const int inner = movable[index(k, bone.inner)], outer = movable[index(k, bone.outer)];
        if (!bone.rigid || inner + outer == 0) continue;
        const Vector3d now = table.at(k, bone.outer) - table.at(k, bone.inner);
        const double length = now.norm();
        if (!(length > 0.1 * bone.length)) continue;  // also where an end is not seen
        const Vector3d change = ((bone.length / length - 1.0) / (inner + outer)) * now;
        if (outer != 0) table.at(k, bone.outer) += change;
        if (inner != 0) table.at(k, bone.inner) -= change;
      }
    }
  }
}

}  // namespace panto::keypoints
