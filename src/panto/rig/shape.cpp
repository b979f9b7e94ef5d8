#include "panto/rig/shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/math/elementary.hpp"
#include "panto/rig/clip.hpp"
#include "panto/rig/limbs.hpp"

namespace panto::rig {
namespace {

using Eigen::Vector3d;

constexpr double kRad = M_PI / 180.0;
constexpr double kLegShare = 0.525;     // thigh and shank over height (formats, section 6.6)
constexpr double kCoincident = 0.01;    // of the leg length: two joints at the same place
constexpr double kMostUnlikely = 40.0;  // higher cost: not a human
constexpr double kOutOfReach = 12.0;    // readings that cost this much more than the best are ignored
constexpr std::size_t kMaxPairs = 200;  // readings per kind that are combined

// One reading of the whole body.
struct Reading {
  const LimbPair* legs = nullptr;
  const LimbPair* arms = nullptr;
  double cost = 0.0;
};

Vector3d mid_of(const Tree& tree, const LimbPair& pair, int f) {
  return 0.5 * (tree.p(pair.root(0), f) + tree.p(pair.root(1), f));
}

bool separate(const Tree& tree, const LimbPair& legs, const LimbPair& arms) {
  for (const std::vector<int>& leg : legs.chain) {
    for (const std::vector<int>& arm : arms.chain) {
      if (tree.is_below(leg[0], arm[0]) || tree.is_below(arm[0], leg[0])) return false;
    }
  }
  return true;
}

// legs and arms must be in proportion to each other and to the trunk; legs point away from the trunk
double trunk_cost(const Tree& tree, const LimbPair& legs, const LimbPair& arms) {
  double trunk = 0.0, along = 0.0;
  for (int f = 0; f < tree.frame_count(); ++f) {
    const Vector3d hips = mid_of(tree, legs, f);
    const Vector3d up = mid_of(tree, arms, f) - hips;
    trunk += up.norm() / tree.frame_count();
    for (const int side : {0, 1}) {
      const Vector3d leg = tree.p(legs.end(side), f) - tree.p(legs.root(side), f);
      along += 0.5 * leg.normalized().dot(up.normalized()) / tree.frame_count();
    }
  }
  if (trunk <= 1e-6 * legs.length) return kMostUnlikely;
  return misfit(log(legs.length / arms.length) - 0.54, 0.2) +
         misfit(log(trunk / legs.length) - log(0.5), 0.35) + 2.0 * (1.0 + along);
}

bool same_points(const Tree& tree, const LimbPair& a, const LimbPair& b) {
  const auto near = [&](int p, int q) { return p == q || tree.length(p, q) < kCoincident * a.length; };
  const auto near_sides = [&](int i, int j) {
    return near(a.root(i), b.root(j)) && near(a.middle(i), b.middle(j)) && near(a.end(i), b.end(j));
  };
  return near_sides(0, 0) && near_sides(1, 1);
}

// legs are among the longest twins; this excludes skirts, fingers and hair
void charge_short_legs(const Tree& tree, std::vector<LimbPair>& legs) {
  const double longest = longest_twin(tree);
  for (LimbPair& pair : legs) pair.cost += misfit(std::max(0.0, log(0.7 * longest / pair.length)), 0.25);
  std::stable_sort(legs.begin(), legs.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
}

// the best reading, and by how much the next one costs more
Reading best_reading(const Tree& tree, const std::vector<LimbPair>& legs, const std::vector<LimbPair>& arms,
                     double& margin) {
  std::vector<Reading> readings;
  double best = kMostUnlikely;
  for (const LimbPair& leg : legs) {
    for (const LimbPair& arm : arms) {
      // the trunk's cost is at least 0; pairs are sorted
      const double limbs = leg.cost + arm.cost;
      if (limbs > std::min(2.0 * kMostUnlikely, best + kOutOfReach)) break;
      if (!separate(tree, leg, arm) || tree.path(leg.junction, arm.junction).empty()) continue;
      readings.push_back({&leg, &arm, limbs + trunk_cost(tree, leg, arm)});
      best = std::min(best, readings.back().cost);
    }
  }
  std::stable_sort(readings.begin(), readings.end(),
                   [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (readings.empty()) return {};
  margin = kMostUnlikely;
  for (const Reading& other : readings) {
    if (same_points(tree, *readings[0].legs, *other.legs) &&
        same_points(tree, *readings[0].arms, *other.arms))
      continue;
    margin = other.cost - readings[0].cost;
    break;
  }
  return readings[0];
}

// of several joints at the same place, the first in whose frame the next point is fixed; a hand or foot that
// is named so before fingers or helpers stays it
int carrier(const Tree& tree, const NameReading& names, const std::vector<int>& chain, int index,
            double size) {
  const auto part = [&](int point) {
    return tree.is_tip(point) ? BodyPart::Other : names.parts[at(point)].part;
  };
  const auto count = static_cast<int>(chain.size());
  int target = index + 1;
  while (target < count && tree.length(chain[at(index)], chain[at(target)]) < kCoincident * size) ++target;
  if (target == count || tree.is_tip(chain[at(index)])) return index;
  while (index + 1 < target && !tree.is_tip(chain[at(index + 1)]) &&
         tree.wander(chain[at(index)], chain[at(target)]) > 5.0 * kRad) {
    const BodyPart now = part(chain[at(index)]);
    if ((now == BodyPart::Hand || now == BodyPart::Foot) && part(chain[at(index + 1)]) == BodyPart::Other)
      break;
    ++index;
  }
  return index;
}

Limb make_limb(const Tree& tree, const NameReading& names, const LimbPair& pair, int side, LimbKind kind) {
  const std::vector<int>& chain = pair.chain[at(side)];
  const LimbReading& reading = pair.reading[at(side)];
  Limb limb;
  limb.root = pair.root(side);
  limb.middle = pair.middle(side);
  const double upper = tree.length(limb.root, limb.middle);
  const int end = carrier(tree, names, chain, reading.end, pair.length);
  limb.end = chain[at(end)];
  for (int i = reading.root - 1; kind == LimbKind::Arm && i >= 0 && limb.girdle < 0; --i) {
    if (tree.length(chain[at(i)], limb.root) > 0.1 * upper) limb.girdle = chain[at(i)];
  }
  for (std::size_t i = at(end) + 1; i < chain.size() && limb.ahead < 0; ++i) {
    const bool thing = !tree.is_tip(chain[i]) && is_no_direction(tree.clip().joints[at(chain[i])].name);
    if (!thing && tree.length(limb.end, chain[i]) > 0.1 * upper) limb.ahead = chain[i];
  }
  if (kind == LimbKind::Leg && limb.ahead >= 0 && !tree.is_tip(limb.ahead)) limb.toe = limb.ahead;
  return limb;
}

// true if arm[0] is on the side of leg[0]
bool sides_match(const Tree& tree, const Body& body) {
  double together = 0.0;
  for (int f = 0; f < tree.frame_count(); ++f) {
    const Vector3d hips = tree.p(body.leg[0].root, f) - tree.p(body.leg[1].root, f);
    const Vector3d shoulders = tree.p(body.arm[0].root, f) - tree.p(body.arm[1].root, f);
    together += hips.normalized().dot(shoulders.normalized());
  }
  return together >= 0.0;
}

// the trunk as a frame of reference: height above the hips and distance to the side, over the leg length
class Trunk {
 public:
  Trunk(const Tree& tree, const Body& body) : height_(at(tree.point_count())), aside_(height_) {
    const double weight = 1.0 / (tree.frame_count() * leg_length(tree, body));
    for (int f = 0; f < tree.frame_count(); ++f) {
      const Vector3d hips = mid_point(tree, body.leg, f);
      const Vector3d up = (mid_point(tree, body.arm, f) - hips).normalized();
      Vector3d side = tree.p(body.arm[0].root, f) - tree.p(body.arm[1].root, f);
      side = (side - up * up.dot(side)).normalized();
      for (int point = 0; point < tree.point_count(); ++point) {
        height_[at(point)] += weight * (tree.p(point, f) - hips).dot(up);
        aside_[at(point)] += weight * (tree.p(point, f) - hips).dot(side);
      }
    }
    // highest point of each subtree, children before parents
    for (int joint = 0; joint < tree.joint_count(); ++joint) top_.push_back(joint);
    for (int joint = tree.joint_count() - 1; joint >= 0; --joint) {
      for (const int tip : tree.tips(joint)) offer(joint, tip);
      if (tree.parent(joint) >= 0) offer(tree.parent(joint), top_[at(joint)]);
    }
  }

  [[nodiscard]] double height(int point) const { return height_[at(point)]; }
  [[nodiscard]] double aside(int point) const { return std::abs(aside_[at(point)]); }
  /// Returns the highest point of a joint's subtree, itself included.
  [[nodiscard]] int top(int joint) const { return top_[at(joint)]; }

 private:
  void offer(int joint, int point) {
    if (height(point) > height(top_[at(joint)])) top_[at(joint)] = point;
  }

  std::vector<double> height_, aside_;
  std::vector<int> top_;
};

// eyes, ears or other twins: equally long, side by side
bool are_twins(const Tree& tree, int joint, int a, int b) {
  const double first = tree.length(joint, a), second = tree.length(joint, b);
  return std::abs(first - second) < 0.05 * (first + second) && tree.length(a, b) > 0.1 * (first + second) &&
         tree.children(a).size() == tree.children(b).size();
}

// joint by joint towards the top; stops where eyes or other twins branch off
std::vector<int> head_chain(const Tree& tree, const Trunk& trunk, const LimbPair& arms, int first) {
  std::vector<int> chain{first};
  for (;;) {
    // collar bones may be children of the neck
    std::vector<int> children = tree.children(chain.back());
    std::erase_if(children, [&](int c) { return c == arms.chain[0][0] || c == arms.chain[1][0]; });
    int next = -1;
    for (std::size_t i = 0; i < children.size(); ++i) {
      for (std::size_t k = i + 1; k < children.size(); ++k) {
        if (are_twins(tree, chain.back(), children[i], children[k])) return chain;
      }
      if (next < 0 || trunk.height(trunk.top(children[i])) > trunk.height(trunk.top(next)))
        next = children[i];
    }
    // a face: several joints, the highest of which is a leaf
    const bool face = children.size() > 2 && next >= 0 && tree.children(next).empty();
    if (next < 0 || face) return chain;
    chain.push_back(next);
  }
}

// a joint that only marks the end of its parent: a leaf that never rotates, as far away as the top of a head
// (0.1 of the height or more; a head joint lies 0.05 to 0.07 above the neck)
bool is_end_mark(const Tree& tree, int joint, double height) {
  return tree.children(joint).empty() && tree.tips(joint).empty() && tree.turn(joint) < 1.0 * kRad &&
         tree.length(joint, tree.parent(joint)) > 0.085 * height;
}

// the head joint of a chain above the chest: the last within a neck's length; the first if several are at the
// same place
int head_of(const Tree& tree, const NameReading& names, const std::vector<int>& chain, double height) {
  int head = chain.front(), named = -1;
  for (const int joint : chain) {
    if (joint != chain.front()) {
      if (tree.length(chain.front(), joint) > 0.16 * height || is_end_mark(tree, joint, height)) break;
      const bool same = tree.length(head, joint) < 0.01 * height && tree.turn(joint) < 1.0 * kRad;
      if (!same) head = joint;
    }
    if (named < 0 && names.parts[at(joint)].part == BodyPart::Head) named = joint;
  }
  return named >= 0 ? named : head;
}

// the branch that rises highest above the shoulders, from the chest or below it
void find_head(const Tree& tree, const NameReading& names, const LimbPair& legs, const LimbPair& arms,
               const std::vector<int>& path, Body& body) {
  const Trunk trunk(tree, body);
  const double shoulders = 0.5 * (trunk.height(body.arm[0].root) + trunk.height(body.arm[1].root));
  int branch = -1;
  double highest = 1.05 * shoulders;
  for (const int node : path) {
    for (const int child : tree.children(node)) {
      const bool limb = child == legs.chain[0][0] || child == legs.chain[1][0] || child == arms.chain[0][0] ||
                        child == arms.chain[1][0];
      if (limb || std::find(path.begin(), path.end(), child) != path.end() || trunk.aside(child) > 0.1)
        continue;
      const double top = trunk.height(trunk.top(child));
      if (top <= highest) continue;
      highest = top;
      branch = child;
    }
  }
  if (branch < 0) return;
  const double height = leg_length(tree, body) / kLegShare;
  std::vector<int> chain = head_chain(tree, trunk, arms, branch);
  while (chain.size() > 2 && tree.length(chain[0], chain[1]) > 0.16 * height) chain.erase(chain.begin());
  body.head = head_of(tree, names, chain, height);
  body.neck = chain.front() == body.head ? -1 : chain.front();
  body.crown = trunk.top(body.head);
}

// root mean square motion of the roots of a limb pair in the frame of a joint [units]
double play_in(const Tree& tree, int joint, const LimbPair& limbs) {
  double squares = 0.0;
  for (const std::vector<int>& chain : limbs.chain) {
    const auto seen = [&](int f) -> Vector3d {
      return tree.orientation(joint, f).transpose() * (tree.p(chain[0], f) - tree.p(joint, f));
    };
    Vector3d mean = Vector3d::Zero();
    for (int f = 0; f < tree.frame_count(); ++f) mean += seen(f) / tree.frame_count();
    for (int f = 0; f < tree.frame_count(); ++f)
      squares += 0.5 * (seen(f) - mean).squaredNorm() / tree.frame_count();
  }
  return std::sqrt(squares);
}

// Limbs may hang on another joint than the one that carries them (thighs on the spine, collar bones on the
// neck): their roots are fixed in the frame of the right joint. If this holds for several joints, names
// decide, then the place (a pelvis lies between the hips, a chest not above the collar bones), then the
// parent.
class Carrier {
 public:
  Carrier(const Tree& tree, const NameReading& names, const LimbPair& limbs, const LimbPair& legs)
      : tree_(tree), names_(names), limbs_(limbs), legs_(legs) {}

  [[nodiscard]] int find(BodyPart part) const {
    const double still = 0.003 * limbs_.length, play = play_in(tree_, limbs_.junction, limbs_);
    const bool moving = play > still;
    int best = limbs_.junction;
    for (int joint = tree_.parent(best); joint >= 0; joint = tree_.parent(joint)) {
      if (play_in(tree_, joint, limbs_) > (moving ? 0.3 * play : still)) continue;
      const bool first = moving && best == limbs_.junction;
      const BodyPart before = names_.parts[at(best)].part, named = names_.parts[at(joint)].part;
      const bool nameless = before == BodyPart::Unknown && named == BodyPart::Unknown;
      if (first || (before != part && named == part) || (nameless && fits_better(joint, best, part)))
        best = joint;
    }
    return best;
  }

 private:
  [[nodiscard]] double from_hips(int point) const {
    double sum = 0.0;
    for (int f = 0; f < tree_.frame_count(); ++f) sum += (tree_.p(point, f) - mid_of(tree_, legs_, f)).norm();
    return sum / tree_.frame_count();
  }

  [[nodiscard]] bool fits_better(int joint, int than, BodyPart part) const {
    const double clearly = 0.03 * legs_.length;
    if (part == BodyPart::Pelvis) return from_hips(joint) < from_hips(than) - clearly;
    const double roots = 0.5 * (from_hips(limbs_.chain[0][0]) + from_hips(limbs_.chain[1][0]));
    return from_hips(than) > roots + clearly && from_hips(joint) > clearly;
  }

  const Tree& tree_;
  const NameReading& names_;
  const LimbPair& limbs_;
  const LimbPair& legs_;
};

}  // namespace

double leg_length(const Tree& tree, const Body& body) noexcept {
  double sum = 0.0;
  for (const Limb& leg : body.leg)
    sum += tree.length(leg.root, leg.middle) + tree.length(leg.middle, leg.end);
  return 0.5 * sum;
}

Vector3d mid_point(const Tree& tree, const std::array<Limb, 2>& limbs, int f) noexcept {
  return 0.5 * (tree.p(limbs[0].root, f) + tree.p(limbs[1].root, f));
}

Body find_body(const Tree& tree, const NameReading& names) {
  const auto refuse = [&](const std::string& why) {
    throw FormatError(tree.clip().name + ": no human skeleton: " + why +
                      "; needed are two legs with feet, two arms with hands, and a head");
  };
  std::vector<LimbPair> legs = find_limb_pairs(tree, names, LimbKind::Leg);
  std::vector<LimbPair> arms = find_limb_pairs(tree, names, LimbKind::Arm);
  charge_short_legs(tree, legs);
  for (auto* pairs : {&legs, &arms}) pairs->resize(std::min(pairs->size(), kMaxPairs));
  const std::string joints = counted(tree.joint_count(), "joint");
  if (legs.empty())
    refuse("none of its " + joints + " carries two legs (twin chains of thigh, shank and an end)");
  if (arms.empty())
    refuse("none of its " + joints + " carries two arms (twin chains of upper arm, forearm and an end)");
  Body body;
  const Reading best = best_reading(tree, legs, arms, body.margin);
  if (best.legs == nullptr) refuse("it has only one pair of limbs");
  if (best.cost > kMostUnlikely) refuse("its limbs do not have a human's proportions or bends");
  body.cost = best.cost;
  body.pelvis = Carrier(tree, names, *best.legs, *best.legs).find(BodyPart::Pelvis);
  for (const int side : {0, 1}) {
    body.leg[at(side)] = make_limb(tree, names, *best.legs, side, LimbKind::Leg);
    body.arm[at(side)] = make_limb(tree, names, *best.arms, side, LimbKind::Arm);
  }
  if (!sides_match(tree, body)) std::swap(body.arm[0], body.arm[1]);

  // the spine begins above the lowest joint that carries legs and arms
  const int chest = Carrier(tree, names, *best.arms, *best.legs).find(BodyPart::Spine);
  const std::vector<int> path = tree.path(body.pelvis, chest);
  const int top = *std::min_element(path.begin(), path.end());
  const bool chest_is_root = top == chest;
  bool above = chest_is_root;
  for (const int joint : path) {
    if (above && joint != body.pelvis) body.spine.push_back(joint);
    above = above || joint == top;
  }
  find_head(tree, names, *best.legs, *best.arms, path, body);
  if (body.head < 0) refuse("no head or neck rises above the shoulders");
  return body;
}

}  // namespace panto::rig
