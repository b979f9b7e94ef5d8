#include "panto/retarget/feet_apart.hpp"

#include <algorithm>

#include "panto/base/index.hpp"

namespace panto {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kGap = 0.005;      // [m] that is left between soles
constexpr double kOver = 0.08;      // [m] a foot that is higher passes over the other
constexpr double kCrossing = 0.03;  // [m] that crossing to the other side costs
constexpr double kMost = 0.12;      // [m] of one stance
constexpr int kSweeps = 8;          // through all pairs, as each stance may have several neighbours

struct Span {
  double from = kInfinity, to = -kInfinity;
  void add(double x) {
    from = std::min(from, x);
    to = std::max(to, x);
  }
};

// A right and a left stance at the same time, and how the left one must move against the right one.
struct Pair {
  std::size_t right, left;
  Vector2d way;
};

Vector2d heading(const SolePlace& sole) noexcept {
  const Vector2d ahead = (sole.R_WF * sole.ahead).head<2>();
  return ahead.norm() > 0.0 ? Vector2d(ahead.normalized()) : Vector2d::Zero();
}

SolePlace sole_at(const FootMotion& foot, const FootTargets& planned, std::size_t k) {
  return {foot.corners, foot.sole.ball - foot.sole.heel, planned.p_WF[k], planned.R_WF[k]};
}

double frames_of(const PlantedInterval& stance) { return stance.last - stance.first + 1; }

bool stands(const FootMotion& foot, std::size_t k) {
  return foot.contacts.heel[k] != 0 || foot.contacts.ball[k] != 0;
}

}  // namespace

Vector2d way_apart(const SolePlace& right, const SolePlace& left) noexcept {
  Vector2d ahead = heading(right) + heading(left);
  if (!(ahead.norm() > 0.5)) ahead = heading(right);
  if (ahead.isZero(0.0)) return Vector2d::Zero();
  ahead.normalize();
  const Vector2d side(-ahead.y(), ahead.x());
  std::array<Span, 2> across, along, height;
  for (std::size_t i = 0; i < 2; ++i) {
    const SolePlace& sole = i == 0 ? right : left;
    for (const Vector3d& corner : sole.corners) {
      const Vector3d p = sole.p_WF + sole.R_WF * corner;
      if (!p.allFinite()) return Vector2d::Zero();
      across[i].add(side.dot(p.head<2>()));
      along[i].add(ahead.dot(p.head<2>()));
      height[i].add(p.z());
    }
  }
  if (!(std::abs(height[0].from - height[1].from) <= kOver)) return Vector2d::Zero();
  struct Way {
    double length, cost;
    Vector2d direction;
  };
  const auto way = [](double length, double extra, const Vector2d& direction) {
    return Way{length + kGap, length + extra, direction};
  };
  const std::array<Way, 4> ways{
      way(across[0].to - across[1].from, 0.0, side), way(across[1].to - across[0].from, kCrossing, -side),
      way(along[0].to - along[1].from, 0.0, ahead), way(along[1].to - along[0].from, 0.0, -ahead)};
  if (std::any_of(ways.begin(), ways.end(), [](const Way& w) { return !(w.length > 0.0); }))
    return Vector2d::Zero();
  const Way& best =
      *std::min_element(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.cost < b.cost; });
  return best.length * best.direction;
}

void part_stances(const FootMotion& right, const FootMotion& left, const FootTargets& right_planned,
                  const FootTargets& left_planned, StanceShifts& shifts) {
  const std::vector<PlantedInterval>&rights = right.contacts.planted, &lefts = left.contacts.planted;
  shifts[0].resize(rights.size(), Vector2d::Zero());
  shifts[1].resize(lefts.size(), Vector2d::Zero());
  if (right.corners.empty() || left.corners.empty()) return;
  std::vector<Pair> pairs;
  std::size_t begin = 0;
  for (std::size_t r = 0; r < rights.size(); ++r) {
    while (begin < lefts.size() && lefts[begin].last < rights[r].first) ++begin;
    for (std::size_t l = begin; l < lefts.size() && lefts[l].first <= rights[r].last; ++l) {
      Pair pair{r, l, Vector2d::Zero()};
      const int last = std::min(rights[r].last, lefts[l].last);
      for (int k = std::max(rights[r].first, lefts[l].first); k <= last; ++k) {
        if (!stands(right, at(k)) || !stands(left, at(k))) continue;
        const Vector2d way =
            way_apart(sole_at(right, right_planned, at(k)), sole_at(left, left_planned, at(k)));
        if (way.norm() > pair.way.norm()) pair.way = way;
      }
      if (!pair.way.isZero(0.0)) pairs.push_back(pair);
    }
  }
  StanceShifts more{std::vector<Vector2d>(rights.size(), Vector2d::Zero()),
                    std::vector<Vector2d>(lefts.size(), Vector2d::Zero())};
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (const Pair& pair : pairs) {
      const Vector2d direction = pair.way.normalized();
      const double done = direction.dot(more[1][pair.left] - more[0][pair.right]);
      const double rest = std::max(pair.way.norm() - done, 0.0);
      const double right_frames = frames_of(rights[pair.right]), left_frames = frames_of(lefts[pair.left]);
      const double share = right_frames / (right_frames + left_frames);
      more[1][pair.left] += share * rest * direction;
      more[0][pair.right] -= (1.0 - share) * rest * direction;
    }
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t s = 0; s < more[i].size(); ++s) {
      Vector2d& shift = shifts[i][s];
      shift += more[i][s];
      if (shift.norm() > kMost) shift *= kMost / shift.norm();
    }
}

void move_stances(const std::vector<Vector2d>& shifts, FootMotion& foot) {
  for (std::size_t s = 0; s < std::min(shifts.size(), foot.contacts.planted.size()); ++s)
    for (int k = foot.contacts.planted[s].first; k <= foot.contacts.planted[s].last; ++k)
      foot.p_WF[at(k)].head<2>() += shifts[s];
}

}  // namespace panto
