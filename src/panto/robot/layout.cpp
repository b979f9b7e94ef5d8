#include "panto/robot/layout.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/robot/layout_axes.hpp"

namespace panto::robot {
namespace {

using enum RobotSide::Index;

using Eigen::Vector3d;

constexpr std::size_t kLongestNeck = 4;  // joints

// votes of a chain's names: > 0 if more name `one` than `other`, -1 .. 1
double named(const Bodies& bodies, const Chain& chain, NamedRegion one, NamedRegion other) {
  int ones = 0, others = 0;
  for (const int body : chain.bodies) {
    ones += bodies[body].name.region == one ? 1 : 0;
    others += bodies[body].name.region == other ? 1 : 0;
  }
  return ones + others == 0 ? 0.0 : static_cast<double>(ones - others) / (ones + others);
}

// evidence from shape alone: an ankle bends as the knee does, an arm rotates its forearm
double leg_shape(const Bodies& bodies, const Limb& limb) {
  double score = 0.0;
  const Vector3d lower = (limb.end - limb.middle).normalized();
  for (int i = limb.hinge + 1; i < limb.end_begin; ++i) {
    if (std::abs(bodies[limb.body(i)].axis.dot(lower)) > 0.8) score -= 0.8;
  }
  if (limb.end_begin >= limb.size()) return score - 0.5;
  const Vector3d& first = bodies[limb.body(limb.end_begin)].axis;
  if (first.cross(limb.axis).norm() < 0.35) score += 0.5;
  if (std::abs(first.dot(lower)) > 0.8) score -= 0.5;
  return score;
}

// twins whose two chains both read as limbs
std::vector<LimbTwins> read_twins(const Bodies& bodies, const Chains& chains) {
  std::vector<LimbTwins> all;
  for (const Twins& twins : chains.twins) {
    const LimbHints hints{twins.across, Vector3d::Zero()};
    const auto a = read_limb(bodies, twins.a, hints), b = read_limb(bodies, twins.b, hints);
    if (!a || !b) continue;
    LimbTwins pair{twins, {*a, *b}, 0.0};
    for (const Limb& limb : pair.limb) {
      pair.legness += 0.5 * leg_shape(bodies, limb);
      pair.legness += 1.5 * named(bodies, limb.chain, NamedRegion::Leg, NamedRegion::Arm);
    }
    all.push_back(std::move(pair));
  }
  return all;
}

// legs point away from the arms; arms do not point away from the legs
void compare_directions(std::vector<LimbTwins>& all) {
  if (all.size() < 2) return;
  std::vector<double> gain(all.size(), 0.0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Vector3d away = all[i].twins.middle - all[k].twins.middle;
      if (i == k || away.norm() < 1e-3) continue;
      Vector3d points = Vector3d::Zero();
      for (const Limb& limb : all[i].limb) points += limb.end - limb.root;
      gain[i] += points.normalized().dot(away.normalized()) / static_cast<double>(all.size() - 1);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].legness += gain[i];
}

double length_of(const LimbTwins& twins) { return twins.limb[0].length + twins.limb[1].length; }

// reads a pair again as its kind, now that up is known
void read_again(const Bodies& bodies, LimbTwins& twins, const LimbHints& hints) {
  for (Limb& limb : twins.limb) {
    if (const auto again = read_limb(bodies, limb.chain, hints)) limb = *again;
  }
}

// the chain to the head: short, near the arms, not named as another part
std::optional<Chain> find_neck(const Bodies& bodies, const Chains& chains, const LimbTwins* arms,
                               const LimbTwins* legs) {
  std::optional<Chain> best;
  double best_score = 0.0;
  for (const Chain& single : chains.singles) {
    Chain chain{single.carrier, {}};
    double head = 0.0;
    for (const int body : single.bodies) {
      const NamedRegion region = bodies[body].name.region;
      if (region == NamedRegion::Arm || region == NamedRegion::Leg || region == NamedRegion::Finger) break;
      if (!bodies[body].turns) break;
      const bool is_head = region == NamedRegion::Head;
      // a name of another part, beyond one of a head: eyes, jaw
      if (!chain.bodies.empty() && head > 0.0 && !is_head) break;
      if (head == 0.0 && chain.bodies.size() >= kLongestNeck) break;
      head += is_head ? 1.0 : 0.0;
      chain.bodies.push_back(body);
    }
    if (chain.bodies.empty()) continue;
    double score = head > 0.0 ? 3.0 : 0.0;
    if (arms != nullptr && chain.carrier == arms->twins.a.carrier) score += 1.0;
    if (arms != nullptr && legs != nullptr) {
      const Vector3d trunk = arms->twins.middle - legs->twins.middle;
      const Vector3d at_head = bodies[chain.bodies.back()].p_WB - legs->twins.middle;
      score += at_head.dot(trunk) > 0.8 * trunk.squaredNorm() ? 0.5 : -1.5;
    } else if (legs != nullptr) {
      // without arms: above the legs, in the middle
      const Vector3d at_head = bodies[chain.bodies.back()].p_WB - legs->twins.middle;
      const Vector3d leg = legs->limb[0].root - legs->limb[0].end;
      const bool amid = std::abs(at_head.dot(legs->twins.across)) < 0.1 * leg.norm();
      score += amid && at_head.dot(leg) > 0.5 * at_head.norm() * leg.norm() ? 1.0 : -1.5;
    }
    if (score < 0.9 || score <= best_score) continue;
    best_score = score;
    best = chain;
  }
  return best;
}

// assigns a side to each twin, from its position
void assign(const LimbTwins& twins, const Layout& layout, std::array<std::optional<Limb>, 2>& limbs) {
  const bool a_left = twins.twins.across.dot(layout.left) > 0.0;
  limbs[LeftSide] = twins.limb[a_left ? 0 : 1];
  limbs[RightSide] = twins.limb[a_left ? 1 : 0];
}

void name_chain_ends(const Bodies& bodies, Layout& layout) {
  const auto note_limb = [&](const char* what, const std::optional<Limb>& limb, RobotSide::Index side) {
    if (!limb) return;
    const std::string who = std::string(side == LeftSide ? "left " : "right ") + what;
    int votes = 0;
    for (const int body : limb->chain.bodies) votes += static_cast<int>(bodies[body].name.side);
    if (votes * (side == LeftSide ? 1 : -1) < 0)
      layout.notes.push_back("the " + who + " has names of the other side");
    if (limb->flexion == 0)
      layout.notes.push_back("the joint limits of the " + who + "'s " +
                             (std::string(what) == "leg" ? "knee" : "elbow") +
                             " do not show which way it bends: assumed forward");
  };
  for (const RobotSide::Index side : {RightSide, LeftSide}) {
    note_limb("leg", layout.leg[at(side)], side);
    note_limb("arm", layout.arm[at(side)], side);
  }
}

// chooses the bend direction of hinges whose limits do not show it, or not as the twin's do
void settle_flexion(Layout& layout) {
  const auto towards = [&](const Limb& limb, bool leg) {
    // a knee bends about left; an elbow brings the forearm forward
    const double sign = leg ? limb.axis.dot(layout.left) : limb.axis.cross(limb.upper).dot(layout.forward);
    return sign >= 0.0 ? 1 : -1;
  };
  for (auto* limbs : {&layout.leg, &layout.arm}) {
    const bool legs = limbs == &layout.leg;
    for (const RobotSide::Index side : {RightSide, LeftSide}) {
      if (!(*limbs)[at(side)]) continue;
      Limb& limb = *(*limbs)[at(side)];
      const int forward = towards(limb, legs);
      if (limb.flexion == 0) {
        limb.flexion = forward;
      } else if (legs && limb.flexion != forward) {
        layout.notes.push_back(std::string("the joint limits of the ") +
                               (side == LeftSide ? "left" : "right") +
                               " knee let it bend forward: assumed backward, as a person's");
        limb.flexion = forward;
      }
    }
  }
}

// two joints or more, about different axes, before the elbow; this excludes a head on a waist
bool has_shoulder(const Bodies& bodies, const Limb& limb) {
  bool apart = false;
  for (int i = 1; i < limb.hinge_begin; ++i)
    apart = apart || bodies[limb.body(i)].axis.cross(bodies[limb.body(0)].axis).norm() > 0.3;
  return apart;
}

// an arm whose twin is missing, on a body with legs
void find_lone_arm(const Bodies& bodies, const Chains& chains, const LimbTwins& legs, Layout& layout) {
  for (const Chain& single : chains.singles) {
    if (layout.neck && single.bodies.front() == layout.neck->bodies.front()) continue;
    const std::optional<Limb> limb = read_limb(bodies, single, {legs.twins.across, layout.up});
    if (!limb || !has_shoulder(bodies, *limb)) continue;
    const double aside = (limb->root - legs.twins.middle).dot(layout.left);
    const RobotSide::Index side = aside > 0.0 ? LeftSide : RightSide;
    if (std::abs(aside) < 0.1 * limb->length || layout.arm[at(side)]) continue;
    if (single.carrier != layout.pelvis) layout.chest = single.carrier;
    layout.arm[at(side)] = *limb;
    layout.notes.push_back(std::string("only one arm found, on the ") + (aside > 0.0 ? "left" : "right"));
    return;
  }
}

void find_trunk(const LimbTwins* legs, const LimbTwins* arms, const Bodies& bodies, Layout& layout) {
  if (legs != nullptr) {
    layout.pelvis = legs->twins.a.carrier;
    if (arms != nullptr && arms->twins.a.carrier != layout.pelvis) layout.chest = arms->twins.a.carrier;
    return;
  }
  const int carrier = arms->twins.a.carrier;
  layout.chest = carrier;
  // a base that does not float needs a link only to say where forward and up are
  const bool turned = !layout.R_WS().isIdentity(1e-9);
  if (carrier != 0 && (bodies.model().floating_base() || turned)) layout.pelvis = 0;
}

// two pairs side by side on the same ground are not a person's legs and arms
void refuse_four_legs(const Bodies& bodies, const LimbTwins& legs, const LimbTwins& arms) {
  const auto points = [](const LimbTwins& t) {
    return Vector3d(t.limb[0].end - t.limb[0].root + t.limb[1].end - t.limb[1].root).normalized();
  };
  const Vector3d down = points(legs), trunk = arms.twins.middle - legs.twins.middle;
  const double rise = -trunk.dot(down), lower = (arms.limb[0].end - legs.limb[0].end).dot(down);
  const double length = legs.limb[0].length;
  if (points(arms).dot(down) < 0.7 || std::abs(rise) > 0.5 * trunk.norm() || std::abs(lower) > 0.3 * length)
    return;
  if (trunk.norm() < 0.2 * length ||
      named(bodies, arms.limb[0].chain, NamedRegion::Arm, NamedRegion::Leg) > 0)
    return;
  throw ModelError(bodies.model().name() + ": the robot has four legs, so it cannot stand like a person");
}

// one arm and no other limb
Layout single_arm(const Bodies& bodies, const Chains& chains) {
  Layout layout;
  std::optional<Limb> best;
  for (const Chain& single : chains.singles) {
    std::optional<Limb> limb = read_limb(bodies, single, {});
    if (limb && has_shoulder(bodies, *limb) && (!best || limb->length > best->length)) best = std::move(limb);
  }
  const std::string& name = bodies.model().name();
  if (!best)
    throw ModelError(name +
                     ": found no limb that can follow a person: no mirrored pair of limbs, and no chain of "
                     "joints that bends between two bones");
  int votes = 0;
  for (const int body : best->chain.bodies) votes += static_cast<int>(bodies[body].name.side);
  if (named(bodies, best->chain, NamedRegion::Leg, NamedRegion::Arm) > 0.0)
    throw ModelError(name + ": the robot has only one leg, which cannot follow a person");
  const RobotSide::Index side = votes > 0 ? LeftSide : RightSide;
  best->girdle_end = 0;  // the joints before its shoulder are a stand, a lift or a waist
  layout.notes.emplace_back("only one arm found: trunk, legs and head do not follow");
  if (votes == 0) layout.notes.emplace_back("the side of the arm is unknown: it follows the right arm");
  if (best->flexion == 0) {
    best->flexion = 1;
    layout.notes.emplace_back("the elbow's limits do not show which way it bends: assumed positive");
  }
  layout.arm[at(side)] = std::move(best);
  return layout;
}

}  // namespace

Layout find_robot_layout(const Bodies& bodies) {
  const Chains chains = find_chains(bodies);
  std::vector<LimbTwins> all = read_twins(bodies, chains);
  if (all.empty()) return single_arm(bodies, chains);
  compare_directions(all);
  const auto by_legness = [](const LimbTwins& x, const LimbTwins& y) { return x.legness < y.legness; };
  LimbTwins *legs = nullptr, *arms = nullptr;
  auto most = std::max_element(all.begin(), all.end(), by_legness);
  if (most->legness > 0.0) legs = &*most;
  for (LimbTwins& twins : all) {
    if (&twins == legs || (twins.legness > 0.0 && all.size() > 2)) continue;
    if (arms == nullptr || length_of(twins) > length_of(*arms)) arms = &twins;
  }

  if (legs != nullptr && arms != nullptr) refuse_four_legs(bodies, *legs, *arms);

  Layout layout;
  layout.has_directions = true;
  layout.neck = find_neck(bodies, chains, arms, legs);
  const Vector3d across = exact_across(bodies, (legs != nullptr ? legs : arms)->twins.across, legs, arms);
  layout.up = find_up(bodies, across, legs, arms, layout.neck ? &*layout.neck : nullptr, layout.notes);
  for (LimbTwins* twins : {legs, arms})
    if (twins != nullptr) read_again(bodies, *twins, {across, layout.up});
  find_forward(bodies, across, legs, arms, layout);
  if (legs != nullptr) assign(*legs, layout, layout.leg);
  if (arms != nullptr) assign(*arms, layout, layout.arm);
  find_trunk(legs, arms, bodies, layout);
  if (legs != nullptr && arms == nullptr) find_lone_arm(bodies, chains, *legs, layout);
  name_chain_ends(bodies, layout);
  settle_flexion(layout);
  if (!layout.arm[0] && !layout.arm[1]) layout.notes.emplace_back("found no arms: no link follows them");
  if (!layout.neck) layout.notes.emplace_back("found no neck joints: no link follows the head");
  return layout;
}

}  // namespace panto::robot
