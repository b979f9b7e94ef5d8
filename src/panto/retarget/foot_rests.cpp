#include "panto/retarget/foot_rests.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/math/median.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/base_path.hpp"

namespace panto {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kStands = 100.0;   // weight of a frame in stance, whose target stays
constexpr double kFree = 0.01;      // and of one in swing
constexpr double kMostTurn = 0.1;   // [rad] more would turn the shank, too
constexpr double kFarthest = 0.06;  // [m] from the foot's own way

template <typename Vector>
Vector at_most(const Vector& v, double length) {
  const double norm = v.norm();
  return norm > length ? Vector(v * (length / norm)) : v;
}

constexpr Time kLongest = 250'000'000;  // [ns] between frames that belong together

// The foot in one frame, and what it rests on.
struct Rests {
  const std::vector<Time>& t;
  const FootContacts &stands, &rests;
  const std::vector<int>& cuts;
  [[nodiscard]] bool stand(int k) const {
    return k >= 0 && at(k) < stands.heel.size() && (stands.heel[at(k)] != 0 || stands.ball[at(k)] != 0);
  }
  // the foot stands in the frame beside a rest, which continues it
  [[nodiscard]] bool stands_before(const PlantedInterval& rest) const {
    return stand(rest.first - 1) && joined(rest.first);
  }
  [[nodiscard]] bool stands_after(const PlantedInterval& rest) const {
    return stand(rest.last + 1) && joined(rest.last + 1);
  }
  [[nodiscard]] bool joined(int k) const {
    return t[at(k)] - t[at(k - 1)] <= kLongest && std::find(cuts.begin(), cuts.end(), k) == cuts.end();
  }
  [[nodiscard]] bool heel(int k) const { return rests.heel[at(k)] != 0; }
  [[nodiscard]] bool ball(int k) const { return rests.ball[at(k)] != 0; }
};

// Returns the smooth way to `off`, which is followed where `follows` is true.
template <typename Follows>
std::vector<Vector3d> smooth_way(const std::vector<Time>& t, const std::vector<Vector3d>& off,
                                 const Rests& foot, const Follows& follows, double time,
                                 const std::vector<int>& cuts) {
  std::vector<Vector3d> way(t.size());
  for (int axis = 0; axis < 3; ++axis) {
    PathWishes wishes;
    for (std::size_t k = 0; k < t.size(); ++k) {
      const int frame = static_cast<int>(k);
      wishes.weight.push_back(foot.stand(frame) ? kStands : follows(frame) ? 1.0 : kFree);
      wishes.value.push_back(off[k][axis]);
    }
    const std::vector<double> path = smooth_path(t, wishes, time, cuts);
    for (std::size_t k = 0; k < t.size(); ++k) way[k][axis] = path[k];
  }
  return way;
}

// Returns the turns of the foot towards one orientation while heel and ball rest.
std::vector<Vector3d> turns(const Rests& foot, const std::vector<Eigen::Matrix3d>& R) {
  std::vector<Vector3d> turn(R.size(), Vector3d::Zero());
  for (const PlantedInterval& rest : foot.rests.planted) {
    const int like = foot.stands_after(rest)    ? rest.last + 1
                     : foot.stands_before(rest) ? rest.first - 1
                                                : (rest.first + rest.last) / 2;
    for (int k = rest.first; k <= rest.last; ++k)
      if (foot.heel(k) && foot.ball(k))
        turn[at(k)] = at_most(Vector3d(so3::log(R[at(like)] * R[at(k)].transpose())), kMostTurn);
  }
  return turn;
}

// Adds the horizontal way from a point of the foot to its place during a rest; `count`: points so far.
template <typename Place, typename Resting>
void add_way(const PlantedInterval& rest, const Rests& foot, const Place& place, const Resting& resting,
             std::vector<double>& count, std::vector<Vector3d>& off) {
  std::vector<double> x, y;
  for (int k = rest.first; k <= rest.last; ++k) {
    if (!resting(k)) continue;
    x.push_back(place(k).x());
    y.push_back(place(k).y());
  }
  if (x.empty()) return;
  const bool before = foot.stands_before(rest), after = foot.stands_after(rest);
  const Vector2d from = before  ? place(rest.first - 1)
                        : after ? place(rest.last + 1)
                                : Vector2d(median(std::move(x)), median(std::move(y)));
  const Vector2d whole = (after ? place(rest.last + 1) : from) - from;
  double share = 0.0;  // of the way between two stances; never back
  for (int k = rest.first; k <= rest.last; ++k) {
    const double gone = whole.squaredNorm() > 0.0 ? whole.dot(place(k) - from) / whole.squaredNorm() : 0.0;
    share = std::max(share, std::min(gone, 1.0));
    if (!resting(k)) continue;
    count[at(k)] += 1.0;
    off[at(k)].head<2>() += (from + share * whole - place(k) - off[at(k)].head<2>()) / count[at(k)];
  }
}

}  // namespace

void keep_still(const std::vector<Time>& t, const std::vector<Vector3d>& own, const FootContacts& stands,
                const FootContacts& rests, const Vector3d& ball, double time, const std::vector<int>& cuts,
                FootTargets& targets) {
  if (rests.planted.empty()) return;
  const Rests foot{t, stands, rests, cuts};
  std::vector<Eigen::Matrix3d> R = targets.R_WF;
  const std::vector<Vector3d> turn = smooth_way(
      t, turns(foot, R), foot, [&](int k) { return foot.heel(k) && foot.ball(k); }, time, cuts);
  for (std::size_t k = 0; k < t.size(); ++k)
    if (!foot.stand(static_cast<int>(k))) R[k] = so3::exp(turn[k]) * R[k];

  std::vector<double> count(t.size(), 0.0);
  std::vector<Vector3d> off(t.size(), Vector3d::Zero());
  for (const PlantedInterval& rest : rests.planted) {
    const auto heel = [&](int k) -> Vector2d { return targets.p_WF[at(k)].head<2>(); };
    const auto toes = [&](int k) -> Vector2d { return (targets.p_WF[at(k)] + R[at(k)] * ball).head<2>(); };
    add_way(
        rest, foot, heel, [&](int k) { return foot.heel(k); }, count, off);
    add_way(
        rest, foot, toes, [&](int k) { return foot.ball(k); }, count, off);
  }
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (count[k] == 0.0) continue;
    const Vector2d there = (targets.p_WF[k] - own[k] + off[k]).head<2>();  // from its own way
    off[k].head<2>() += at_most(there, kFarthest) - there;
  }
  const std::vector<Vector3d> way = smooth_way(
      t, off, foot, [&](int k) { return foot.heel(k) || foot.ball(k); }, time, cuts);
  for (std::size_t k = 0; k < t.size(); ++k)
    if (!foot.stand(static_cast<int>(k))) targets.p_WF[k] += way[k];
  targets.R_WF = std::move(R);
}

}  // namespace panto
