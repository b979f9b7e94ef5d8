#include "panto/robot/layout_limb.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double kParallel = 0.17;    // sine of the angle below which two axes have no unique nearest point
constexpr double kBend = 0.55;        // largest cosine between a hinge's axis and its bones
constexpr double kTipTrust = 0.5;     // weight of a bone whose end is not at a joint
constexpr double kFullRange = 1.05;   // [rad] least range of a joint that may be an elbow or knee
constexpr double kSameRange = 0.35;   // [rad] ranges to both sides that differ less are no evidence
constexpr double kWristReach = 0.6;   // of the second bone: farther joints are fingers or toes
constexpr double kHipReach = 0.35;    // of the first bone: joints of one hip
constexpr double kGirdleReach = 0.1;  // of the first bone: a collar bone is longer
constexpr double kSameLine = 0.9;     // cosine between a twist axis and the line between the centres
constexpr double kLimitReach = 0.17;  // [rad] from the limit to the angle at which the centres are in line
constexpr double kShortest = 1e-4;    // [m] of a bone

// The rotating joints and the path along them: the path reaches each axis at `entry` and leaves it at `exit`.
class Way {
 public:
  Way(const Bodies& bodies, const Chain& chain) : bodies_(bodies), chain_(chain) {
    const int n = size();
    entry.resize(at(n));
    exit.resize(at(n));
    for (int i = 0; i < n; ++i) entry[at(i)] = exit[at(i)] = body(i).p_WB;
    for (int i = 0; i + 1 < n; ++i) step(i);
    find_tip();
    if (has_tip) exit[at(n - 1)] = on_axis(n - 1, tip);
  }

  [[nodiscard]] int size() const { return static_cast<int>(chain_.bodies.size()); }
  [[nodiscard]] const Body& body(int i) const { return bodies_[chain_.bodies[at(i)]]; }
  [[nodiscard]] Vector3d on_axis(int i, const Vector3d& p) const {
    return body(i).p_WB + body(i).axis * body(i).axis.dot(p - body(i).p_WB);
  }
  // the bone after joint i: along its axis, then to the next joint or the tip
  [[nodiscard]] Vector3d bone(int i) const {
    if (i + 1 < size()) return entry[at(i + 1)] - entry[at(i)];
    return has_tip ? Vector3d(tip - entry[at(i)]) : Vector3d::Zero();
  }
  [[nodiscard]] double slide(int i) const { return (exit[at(i)] - entry[at(i)]).norm(); }
  // joint i rotates its own bone about itself
  [[nodiscard]] bool twists(int i) const { return body(i).turns && slide(i) > 0.75 * bone(i).norm(); }

  std::vector<Vector3d> entry, exit;
  Vector3d tip = Vector3d::Zero();
  bool has_tip = false;

 private:
  void step(int i) {
    const Body &x = body(i), &y = body(i + 1);
    if (!x.turns || !y.turns) return;
    const Vector3d normal = x.axis.cross(y.axis);
    if (normal.norm() < kParallel) {
      exit[at(i)] = entry[at(i)];
      entry[at(i + 1)] = on_axis(i + 1, exit[at(i)]);
      return;
    }
    const double nn = normal.squaredNorm();
    const Vector3d between = y.p_WB - x.p_WB;
    exit[at(i)] = x.p_WB + x.axis * (between.cross(y.axis).dot(normal) / nn);
    entry[at(i + 1)] = y.p_WB + y.axis * (between.cross(x.axis).dot(normal) / nn);
    // the first joint has no axis before it: the path begins where it leaves the axis
    if (i == 0) entry[0] = exit[0];
  }

  // farthest known point of the last body: a link's origin, a finger's joint, else its centre of mass
  void find_tip() {
    const Body& last = body(size() - 1);
    const Vector3d from = entry[at(size() - 1)];
    const auto offer = [&](const Vector3d& p) {
      if ((p - from).norm() > std::max((tip - from).norm() * (has_tip ? 1.0 : 0.0), 0.01)) {
        tip = p;
        has_tip = true;
      }
    };
    if (last.mass > 0.0) offer(last.com);
    for (const int link : last.links) offer(bodies_.p_WL(link));
    for (const int child : last.children) offer(bodies_[child].p_WB);
  }

  const Bodies& bodies_;
  const Chain& chain_;
};

// Which joints carry the two bones, and which one bends between them.
struct Reading {
  int upper = -1, hinge = -1, lower = -1;
  double score = 0.0;
};

double range_share(const Body& body) {
  const double range = body.upper - body.lower;
  return range < kFullRange ? 0.1 + 0.9 * range / kFullRange : 1.0;
}

double preference(const Way& way, int hinge, const Vector3d& upper, const LimbHints& hints) {
  const Vector3d& axis = way.body(hinge).axis;
  double gain = way.body(hinge).name.middle ? 2.0 : 1.0;
  const double range = way.body(hinge).upper - way.body(hinge).lower;
  gain *= std::isfinite(range) ? std::min(range, 2.0 * pi) / pi : 2.0;
  if (hints.across.isZero(0.0)) return gain;
  const bool raised = std::abs(upper.normalized().dot(hints.across)) > 0.7;
  const Vector3d& preferred = raised ? hints.up : hints.across;
  return preferred.isZero(0.0) ? gain : gain * (0.3 + 0.7 * std::abs(axis.dot(preferred)));
}

Reading best_reading(const Way& way, const LimbHints& hints) {
  Reading best;
  double best_preference = 0.0;
  const int n = way.size();
  for (int u = 0; u + 1 < n; ++u) {
    for (int l = u + 1; l < n; ++l) {
      const Vector3d upper = way.bone(u), lower = way.bone(l);
      if (upper.norm() < kShortest || lower.norm() < kShortest) continue;
      for (int h = u + 1; h <= l; ++h) {
        if (!way.body(h).turns || (h == l && way.twists(l))) continue;
        const Vector3d& axis = way.body(h).axis;
        if (std::abs(axis.dot(upper)) > kBend * upper.norm()) continue;
        if (std::abs(axis.dot(lower)) > kBend * lower.norm()) continue;
        double score = upper.norm() * lower.norm() * range_share(way.body(h));
        if (l == n - 1) score *= kTipTrust;
        // shoulders or hips with one or two joints are rare; often it is a collar bone
        if (u < 2) score *= u == 0 ? 0.25 : 0.5;
        if (u > 3) score *= power(0.9, u - 3);
        if (way.body(h).name.middle) score *= 3.0;
        const double liking = preference(way, h, upper, hints);
        const bool same = u == best.upper && l == best.lower;
        const bool better = same ? liking > 1.001 * best_preference : score > 1.001 * best.score;
        if (!better) continue;
        best = {u, h, l, std::max(score, same ? best.score : 0.0)};
        best_preference = liking;
      }
    }
  }
  return best;
}

Vector3d across_axis(const Vector3d& v, const Vector3d& axis) {
  return (v - axis * axis.dot(v)).normalized();
}

// rotation angle about the axis from `from` to `to`, both perpendicular to it
double turn(const Vector3d& axis, const Vector3d& from, const Vector3d& to) {
  return atan2(axis.dot(from.cross(to)), from.dot(to));
}

struct Straight {
  double angle = 0.0, violation = 0.0;
};

// the hinge angle of a straight limb: of all full turns, the one nearest to the limits
Straight straight_of(const Body& hinge, const Vector3d& upper, const Vector3d& lower) {
  Straight best{0.0, kInfinity};
  const double angle = turn(hinge.axis, lower, upper);
  for (const double q : {angle, angle - 2.0 * pi, angle + 2.0 * pi}) {
    const double violation = std::max({0.0, hinge.lower - q, q - hinge.upper});
    if (violation < best.violation) best = {q, violation};
  }
  return best;
}

class LimbReader {
 public:
  LimbReader(const Bodies& bodies, const Chain& chain, const LimbHints& hints)
      : way_(bodies, chain), reading_(best_reading(way_, hints)) {
    limb_.chain = chain;
  }

  std::optional<Limb> read() {
    if (reading_.hinge < 0) return std::nullopt;
    limb_.hinge_begin = reading_.upper + (is_elbow_twist() ? 0 : 1);
    limb_.hinge = reading_.hinge;
    limb_.end_begin = reading_.lower + 1;
    limb_.axis = hinge().axis;
    limb_.has_tip = way_.has_tip;
    limb_.tip = way_.tip;
    find_centres();
    find_end();
    find_girdle();
    find_straight();
    limb_.length = (limb_.middle - limb_.root).norm() + (limb_.end - limb_.middle).norm();
    return limb_;
  }

 private:
  const Body& hinge() const { return way_.body(limb_.hinge); }
  bool parallel(int i) const {
    return way_.body(i).turns && way_.body(i).axis.cross(limb_.axis).norm() < 2.0 * kParallel;
  }

  // a twist just before the hinge belongs to the shoulder, unless three joints rotate the bone already
  bool is_elbow_twist() const {
    const int u = reading_.upper;
    if (u < 3 || !way_.twists(u)) return false;
    const double reach = kGirdleReach * way_.bone(u).norm();
    Eigen::Matrix3d axes;
    for (int i = 0; i < 3; ++i) {
      const Body& body = way_.body(u - 1 - i);
      if (!body.turns || (way_.entry[at(u - 1 - i)] - way_.entry[at(u)]).norm() > reach) return false;
      axes.col(i) = body.axis;
    }
    return std::abs(axes.determinant()) > 0.3;
  }

  // a joint of hip or ankle that bends like the hinge gives the centre; else the start of the bone
  void find_centres() {
    const double upper = way_.bone(reading_.upper).norm(), lower = way_.bone(reading_.lower).norm();
    limb_.root = way_.entry[at(reading_.upper)];
    for (int i = reading_.upper; i >= 0; --i) {
      const Vector3d p = way_.on_axis(i, limb_.root);
      if (!parallel(i) || (p - limb_.root).norm() > kHipReach * upper) continue;
      limb_.root = p;
      break;
    }
    limb_.middle = way_.on_axis(limb_.hinge, way_.entry[at(limb_.hinge)]);
    limb_.from_tip = limb_.end_begin >= way_.size();
    limb_.end = limb_.from_tip ? way_.tip : way_.entry[at(limb_.end_begin)];
    for (int i = limb_.end_begin; i < way_.size() && i < limb_.end_begin + 3; ++i) {
      const Vector3d p = way_.on_axis(i, limb_.end);
      if (!parallel(i) || (p - limb_.end).norm() > kHipReach * lower) continue;
      limb_.end = p;
      break;
    }
  }

  // wrist or ankle: at most three joints close together; a second joint that bends the same way elsewhere, or
  // a joint named as a finger, belongs to the next part
  void find_end() {
    const double reach = kWristReach * (limb_.end - limb_.middle).norm();
    int i = limb_.end_begin;
    for (; i < way_.size() && i < limb_.end_begin + 3; ++i) {
      const Body& body = way_.body(i);
      if (!body.turns || body.name.region == NamedRegion::Finger) break;
      const Vector3d p = i + 1 < way_.size() ? way_.on_axis(i, way_.entry[at(i)]) : way_.entry[at(i)];
      if ((p - limb_.end).norm() > reach) break;
      bool again = false;
      for (int k = limb_.end_begin; k < i; ++k) {
        const Body& other = way_.body(k);
        again = again || (body.axis.cross(other.axis).norm() < 0.5 &&
                          (body.p_WB - other.p_WB).cross(other.axis).norm() > 0.25 * reach);
      }
      if (again) break;
    }
    limb_.end_end = i;
  }

  // the shoulder is the last three joints before the bone with independent axes
  void find_girdle() {
    const int count = limb_.hinge_begin;
    if (count <= 3) return;
    const double reach = kGirdleReach * way_.bone(reading_.upper).norm();
    int first = count - 3;
    while (first > 0 && (way_.entry[at(first - 1)] - limb_.root).norm() <= reach) --first;
    limb_.girdle_end = first;
  }

  // The bones are the lines between the centres; a hand is in line with the axis about which the forearm
  // twists. Where both bones of an arm twist and the elbow's limits stop these axes short of one line, the
  // axes are the bones (iCub).
  void find_straight() {
    limb_.upper = across_axis(limb_.middle - limb_.root, limb_.axis);
    limb_.lower = across_axis(limb_.end - limb_.middle, limb_.axis);
    limb_.hand = twist_line(reading_.lower, limb_.lower);
    Straight straight = straight_of(hinge(), limb_.upper, limb_.lower);
    if (way_.twists(reading_.upper) && way_.twists(reading_.lower)) {
      const Vector3d upper = twist_line(reading_.upper, limb_.upper);
      const Straight axes = straight_of(hinge(), upper, limb_.hand);
      if (axes.violation > 0.0 && upper != limb_.upper && limb_.hand != limb_.lower) {
        limb_.upper = upper;
        limb_.lower = limb_.hand;
        straight = limit_between(axes, straight);
        limb_.hand = limb_.lower;
      }
    }
    limb_.straight = straight.angle;
    const double above = std::min(hinge().upper - straight.angle, 2.0 * pi);
    const double below = std::min(straight.angle - hinge().lower, 2.0 * pi);
    if (std::abs(above - below) >= kSameRange) limb_.flexion = above > below ? 1 : -1;
  }

  // Returns the axis about which a bone twists if it is near the bone's line, else that line.
  Vector3d twist_line(int joint, const Vector3d& bone) const {
    if (!way_.twists(joint)) return bone;
    const Vector3d line = across_axis(way_.body(joint).axis, limb_.axis);
    const double along = line.dot(bone);
    return std::abs(along) > kSameLine ? Vector3d(along < 0.0 ? -line : line) : bone;
  }

  // If an elbow's limits prevent collinear axes but allow nearly collinear centres, the arm is straight at
  // that limit (iCub's at 15 deg): the forearm's line is turned to it.
  Straight limit_between(const Straight& axes, const Straight& centres) {
    const double limit = std::clamp(axes.angle, hinge().lower, hinge().upper);
    if (std::abs(limit - centres.angle) > kLimitReach) return axes;
    limb_.lower = so3::exp(-limit * limb_.axis) * limb_.upper;
    return {limit, 0.0};
  }

  Way way_;
  Reading reading_;
  Limb limb_;
};

}  // namespace

std::optional<Limb> read_limb(const Bodies& bodies, const Chain& chain, const LimbHints& hints) {
  if (chain.bodies.size() < 2) return std::nullopt;
  return LimbReader(bodies, chain, hints).read();
}

}  // namespace panto::robot
