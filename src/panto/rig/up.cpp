#include "panto/rig/up.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "panto/base/text.hpp"
#include "panto/math/median.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::rig {
namespace {

using Eigen::Vector3d;

// Evidence for an axis [log odds]. Travel perpendicular to the axis of an upright body outweighs the rest.
constexpr double kPosture = 1.5, kRest = 2.0, kFloor = 1.5, kHops = 2.5, kTravel = 4.0, kFamily = 1.0,
                 kNoFloor = 2.0;
constexpr double kStanding = 0.85;  // cosine of a frame in which the person stands
constexpr double kOften = 0.2;      // share of such frames that counts in full
constexpr double kFewest = 0.04;    // least share of such frames in which travel counts
constexpr double kSwings = 0.6;     // of the leg: the lowest point moves more than any floor does
constexpr double kBent = 0.75;      // lower cosine: the person does not stand along the axis
constexpr double kStraight = 0.89;  // cosine of 27 degrees: trunk, thighs and shanks of a standing person
constexpr double kGuess = 0.45;     // highest confidence without evidence from travel or rest pose

double sign(FileAxis axis) { return axis.negative ? -1.0 : 1.0; }
bool equal(FileAxis a, FileAxis b) { return a.axis == b.axis && a.negative == b.negative; }

Vector3d feet(const Tree& tree, const Body& body, int f) {
  return 0.5 * (tree.p(body.leg[0].end, f) + tree.p(body.leg[1].end, f));
}

// mean directions from the feet to the head, and to the hips if the legs are straight
struct Directions {
  Vector3d head = Vector3d::Zero(), hips = Vector3d::Zero();
  [[nodiscard]] double along(FileAxis axis) const {
    return sign(axis) *
           (std::abs(hips[axis.axis]) > std::abs(head[axis.axis]) && hips[axis.axis] * head[axis.axis] > 0.0
                ? hips
                : head)[axis.axis];
  }
};

Directions directions_of(const Tree& tree, const Body& body) {
  Directions mean;
  const double weight = 1.0 / tree.frame_count(), legs = leg_length(tree, body);
  double reach = 0.0;
  for (int f = 0; f < tree.frame_count(); ++f) {
    const Vector3d below = feet(tree, body, f);
    const Vector3d up = mid_point(tree, body.leg, f) - below;
    mean.head += weight * (tree.p(body.head, f) - below).normalized();
    mean.hips += weight * up.normalized();
    reach += weight * up.norm();
  }
  if (reach < 0.9 * legs) mean.hips.setZero();
  return mean;
}

// True in a frame in which the head or the hips are above the feet, along the axis.
bool is_along(const Tree& tree, const Body& body, FileAxis axis, int f) {
  const Vector3d below = feet(tree, body, f);
  const auto cosine = [&](const Vector3d& p) { return sign(axis) * (p - below).normalized()[axis.axis]; };
  return std::max(cosine(tree.p(body.head, f)), cosine(mid_point(tree, body.leg, f))) > kBent;
}

// The frames in which the person stands along the axis: legs below the hips, head above, as long as they are.
std::vector<int> standing_frames(const Tree& tree, const Body& body, FileAxis axis) {
  std::vector<int> frames;
  const double legs = leg_length(tree, body);
  for (int f = 0; f < tree.frame_count(); ++f) {
    const Vector3d below = feet(tree, body, f);
    const double head = sign(axis) * (tree.p(body.head, f) - below).normalized()[axis.axis],
                 hips = sign(axis) * (mid_point(tree, body.leg, f) - below)[axis.axis];
    if (head > kStanding && hips > 0.7 * legs) frames.push_back(f);
  }
  return frames;
}

// True if the person travels across the axis and hardly along it in these frames, relative to the leg length.
bool travels_across(const Tree& tree, const Body& body, FileAxis axis, const std::vector<int>& frames) {
  if (frames.empty()) return false;
  Vector3d low = mid_point(tree, body.leg, frames.front()), high = low;
  for (const int f : frames) {
    const Vector3d hips = mid_point(tree, body.leg, f);
    low = low.cwiseMin(hips);
    high = high.cwiseMax(hips);
  }
  Vector3d way = high - low;
  const double rise = way[axis.axis];
  way[axis.axis] = 0.0;
  return way.norm() > 0.6 * leg_length(tree, body) && rise < way.norm() / 3.0;
}

// Both feet and the hips leave the floor together, the body along the axis, and return to it; a lying person
// cannot do this.
bool hops(const Tree& tree, const Body& body, FileAxis axis) {
  std::vector<double> low, hips;
  std::vector<bool> upright;
  for (int f = 0; f < tree.frame_count(); ++f) {
    upright.push_back(is_along(tree, body, axis, f));
    const auto height = [&](const Vector3d& p) { return sign(axis) * p[axis.axis]; };
    low.push_back(std::min(height(tree.p(body.leg[0].end, f)), height(tree.p(body.leg[1].end, f))));
    hips.push_back(height(mid_point(tree, body.leg, f)));
  }
  const double leg = leg_length(tree, body), floor = quantile(low, 0.1), standing = quantile(hips, 0.5);
  int down = 0, up = 0;
  for (std::size_t f = 0; f < low.size(); ++f) {
    down += low[f] < floor + 0.04 * leg ? 1 : 0;
    up += upright[f] && low[f] > floor + 0.12 * leg && hips[f] > standing + 0.06 * leg ? 1 : 0;
  }
  return up >= 2 && down > 0.3 * tree.frame_count();
}

// by frame: heights of the lowest and the highest point of head, pelvis and legs, and of the hips
struct Heights {
  std::vector<double> lowest, highest, hips;
};

Heights heights_of(const Tree& tree, const Body& body, FileAxis axis) {
  Heights heights;
  for (int f = 0; f < tree.frame_count(); ++f) {
    const auto height = [&](int point) { return sign(axis) * tree.p(point, f)[axis.axis]; };
    double low = std::min(height(body.pelvis), height(body.head));
    double high = std::max(height(body.pelvis), height(body.head));
    for (const Limb& leg : body.leg) {
      for (const int point : {leg.root, leg.middle, leg.end, leg.ahead}) {
        if (point < 0) continue;
        low = std::min(low, height(point));
        high = std::max(high, height(point));
      }
    }
    heights.lowest.push_back(low);
    heights.highest.push_back(high);
    heights.hips.push_back(sign(axis) * mid_point(tree, body.leg, f)[axis.axis]);
  }
  return heights;
}

// the lowest points are at height 0, or as high above as an ankle or a back; `lying`: the highest points are
// near it too
bool is_on_floor(const Heights& heights, double leg, bool lying) {
  const double floor = quantile(heights.lowest, 0.5);
  // hips are never in the floor: some files place every person's hips at 0 in the first frame
  return floor > -0.08 * leg && floor < 0.18 * leg && quantile(heights.hips, 0.5) > 0.08 * leg &&
         (!lying || quantile(heights.highest, 0.5) < 0.5 * leg);
}

struct Evidence {
  FileAxis axis;
  double along = 0.0, standing = 0.0;  // mean cosine; share of the frames in which the person stands
  double swing = 0.0;                  // range of the lowest point, of the leg
  bool travels = false, hops = false, rests = false, family = false, floored = false;
  bool turns_over = false;  // the person also stands the other way up

  [[nodiscard]] double posture() const {
    return std::max(std::clamp((along - 0.5) / 0.35, 0.0, 1.0), std::min(1.0, standing / kOften));
  }
  [[nodiscard]] bool supported() const { return travels || hops || rests; }
  [[nodiscard]] bool has_no_floor() const { return swing > kSwings; }
  // a floor alone may be chance
  [[nodiscard]] double odds() const {
    if (posture() == 0.0 && !supported()) return 0.0;
    return kPosture * posture() + (travels ? kTravel : 0.0) + (hops ? kHops : 0.0) + (rests ? kRest : 0.0) +
           (family ? kFamily : 0.0) + (floored ? kFloor : 0.0) - (has_no_floor() ? kNoFloor : 0.0);
  }
  [[nodiscard]] std::string text(int frames) const {
    std::string said = "from feet to head, mean cosine " + decimals(along, 2) + " over " +
                       std::to_string(frames) + (frames == 1 ? " frame" : " frames");
    if (standing > 0.0 && along < kStanding)
      said += "; the person stands along it in " + decimals(100.0 * standing, 0) + " % of them";
    if (travels) said += "; the person travels across it";
    if (hops) said += "; the person jumps along it";
    if (rests) said += "; the rest pose is upright along it";
    if (family) said += "; the family's axis";
    if (floored) said += "; the floor is at 0";
    if (has_no_floor()) said += "; the lowest point moves by " + decimals(swing, 1) + " leg lengths";
    return said;
  }
};

std::array<Evidence, 6> evidence_of(const Tree& tree, const Body& body, const UpHints& known) {
  const Directions directions = directions_of(tree, body);
  const double leg = leg_length(tree, body);
  std::array<Evidence, 6> all;
  for (int i = 0; i < 6; ++i) {
    Evidence& now = all[at(i)];
    now.axis = {i / 2, i % 2 != 0};
    now.along = directions.along(now.axis);
    const bool always = now.along > kStanding;
    const std::vector<int> standing = standing_frames(tree, body, now.axis);
    now.standing = static_cast<double>(standing.size()) / tree.frame_count();
    const bool enough = standing.size() >= 3 && now.standing >= kFewest;
    std::vector<int> along;
    for (int f = 0; f < tree.frame_count() && always; ++f) {
      if (is_along(tree, body, now.axis, f)) along.push_back(f);
    }
    now.travels = (always || enough) && travels_across(tree, body, now.axis, always ? along : standing);
    const FileAxis opposite{now.axis.axis, !now.axis.negative};
    now.turns_over = !standing_frames(tree, body, opposite).empty();
    now.hops = always && !now.turns_over && hops(tree, body, now.axis);
    now.rests = known.rest && equal(*known.rest, now.axis);
    now.family = known.family && equal(*known.family, now.axis);
    const Heights heights = heights_of(tree, body, now.axis);
    now.swing = (quantile(heights.lowest, 0.9) - quantile(heights.lowest, 0.1)) / leg;
    now.floored = is_on_floor(heights, leg, now.posture() == 0.0);
  }
  return all;
}

}  // namespace

BodyPosture read_posture(const Tree& tree, const Body& body) {
  const Directions directions = directions_of(tree, body);
  BodyPosture best;
  for (int i = 0; i < 6; ++i) {
    const FileAxis axis{i / 2, i % 2 != 0};
    const double along = directions.along(axis);
    if (along > best.along) best = {axis, along};
  }
  return best;
}

std::optional<FileAxis> standing_axis(const Tree& tree, const Body& body) {
  const FileAxis axis = read_posture(tree, body).axis;
  const auto lies_along = [&](const Vector3d& from, const Vector3d& to) {
    return sign(axis) * (to - from).normalized()[axis.axis] > kStraight;
  };
  for (int f = 0; f < tree.frame_count(); ++f) {
    if (!lies_along(mid_point(tree, body.leg, f), mid_point(tree, body.arm, f))) return {};
    for (const Limb& leg : body.leg) {
      if (!lies_along(tree.p(leg.end, f), tree.p(leg.middle, f)) ||
          !lies_along(tree.p(leg.middle, f), tree.p(leg.root, f)))
        return {};
    }
  }
  return axis;
}

UpReading read_up(const Tree& tree, const Body& body, const UpHints& known) {
  std::array<Evidence, 6> all = evidence_of(tree, body, known);
  const auto likeliest = std::max_element(
      all.begin(), all.end(), [](const Evidence& a, const Evidence& b) { return a.along < b.along; });
  // a family's axis is evidence where the body is along it; without other evidence than a floor, the posture
  // decides
  const bool any = (likeliest->family && likeliest->posture() > 0.0) ||
                   std::any_of(all.begin(), all.end(), [](const Evidence& e) { return e.supported(); });
  std::stable_sort(all.begin(), all.end(), [&](const Evidence& a, const Evidence& b) {
    if (any) return a.odds() > b.odds();
    // of two along which the person stands as often, the one on whose floor the body stays
    return std::tuple(a.posture(), !a.has_no_floor(), a.along) >
           std::tuple(b.posture(), !b.has_no_floor(), b.along);
  });
  const Evidence &best = all[0], &next = all[1];
  UpReading up;
  up.axis = best.axis;
  up.along = best.along;
  up.confidence = std::min(0.99, tanh(0.5 * std::max(0.0, best.odds() - std::max(0.0, next.odds()))));
  up.reason = best.text(tree.frame_count());
  if (!any) {
    up.confidence = std::min(kGuess, up.confidence);
    up.refuted = best.along < kBent && best.standing < kOften;
    up.reason += "; a guess that the person stands: there is no travel and no upright rest pose";
  } else if (best.turns_over && !best.supported() && up.confidence >= 0.5) {
    up.confidence = kGuess;
    up.reason += "; a guess: the person is upside down at times";
  } else if (up.confidence < 0.5) {
    up.refuted = true;
    up.against = to_string(next.axis) + " (" + next.text(tree.frame_count()) + ")";
  }
  return up;
}

}  // namespace panto::rig
