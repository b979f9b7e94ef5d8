#include "panto/retarget/planted_leg.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/ease.hpp"
#include "panto/math/elementary.hpp"
#include "panto/model/link_pairs.hpp"

namespace panto {
namespace {

using plant_rules::kFoot;

constexpr std::array<int, 2> kThigh{HumanSegment::RightUpperLeg, HumanSegment::LeftUpperLeg};
constexpr std::array<int, 2> kShank{HumanSegment::RightLowerLeg, HumanSegment::LeftLowerLeg};

constexpr double kStanding = 12.0;   // [1/rad^2] weight of a foot's orientation in stance
constexpr double kSwinging = 0.1;    // and in swing
constexpr double kLeastRise = 1e-6;  // [m] less is not worth another solve
constexpr double kSunk = 0.004;  // [m] of a sole under the floor at which half of it is taken back in a round
constexpr double kFar = 0.005;   // [m] a foot that is missed by more is tried from another start
constexpr double kSame = 0.001;  // [m] misses that differ by less are alike
constexpr double kMoreAlike = 0.02;  // [rad] nearer to how the leg should be
constexpr int kSunkRounds = 4;       // rounds in which a foot that could not turn is raised

// Returns a link on a body; `otherwise`: none, or the body is the base.
int link_on(const Model& model, int body, int otherwise) {
  for (int link = 0; body > 0 && link < model.link_count(); ++link)
    if (model.frame(link).body == body) return link;
  return otherwise;
}

// Returns the outermost link that carries both, such as a pelvis below a waist; -1: the base, or one is
// missing.
int carrier_of_both(const Model& model, int one, int other) {
  if (one < 0 || other < 0) return -1;
  return link_on(model, common_body(model.tree(), model.frame(one).body, model.frame(other).body), -1);
}

// Returns how far a leg is from `like` [rad].
double unlike(const LimbSolver& leg, const Eigen::VectorXd& like, const State& state) noexcept {
  double squares = 0.0;
  for (const int j : leg.joints()) squares += (state.s[j] - like[j]) * (state.s[j] - like[j]);
  return std::sqrt(squares);
}

// Solves from where the leg is; where that misses on a limit, also from a start away from it, and takes what
// is more like `like` and misses no more. A knee that is bent backwards, as far as it can, does not find
// through straight by itself.
Eigen::Vector3d solve(LimbSolver& leg, const LimbWish& wish, const Eigen::VectorXd& like,
                      const JointBounds& bounds, State& state) noexcept {
  leg.solve(wish, like, bounds.lower, bounds.upper, state);
  const Eigen::Vector3d missed = wish.p_WL - leg.p_WL();
  if (!(missed.norm() > kFar)) return missed;
  const double off = unlike(leg, like, state);
  std::array<double, LimbSolver::kMost> first{};
  const std::vector<int>& joints = leg.joints();
  for (std::size_t i = 0; i < joints.size(); ++i) first[i] = state.s[joints[i]];
  if (!leg.lead_out(like, bounds.lower, bounds.upper, state)) return missed;
  leg.solve(wish, like, bounds.lower, bounds.upper, state);
  const Eigen::Vector3d again = wish.p_WL - leg.p_WL();
  if (again.norm() < missed.norm() + kSame && unlike(leg, like, state) < off - kMoreAlike) return again;
  for (std::size_t i = 0; i < joints.size(); ++i) state.s[joints[i]] = first[i];
  leg.solve(wish, like, bounds.lower, bounds.upper, state);
  return missed;
}

}  // namespace

std::optional<BaseWish> base_wish(const SegmentSample& person, const SegmentSample& posed,
                                  const robot::Skeleton& skeleton,
                                  const std::array<std::optional<std::size_t>, 2>& entries,
                                  double floor) noexcept {
  const SegmentMotion& from = person.segments[skeleton.base_entry()];
  const SegmentMotion& to = posed.segments[skeleton.base_entry()];
  if (!from.has_position || !to.has_position || !to.p_WS.allFinite() || !std::isfinite(from.p_WS.z()))
    return std::nullopt;
  const double height = skeleton.scale() * (from.p_WS.z() - floor);
  BaseWish wish{posed.t, {to.p_WS.x(), to.p_WS.y(), height}, to.p_WS.z()};
  for (const std::size_t side : {0U, 1U})
    if (entries[side] && posed.segments[*entries[side]].has_orientation &&
        posed.segments[*entries[side]].R_WS.allFinite())
      wish.foot[side] = posed.segments[*entries[side]].R_WS * skeleton.offset(kFoot[side]);
  return wish;
}

LimbSolver leg_solver(const Model& model, const robot::Skeleton& skeleton, int side) {
  int root = carrier_of_both(model, skeleton.link_of(kFoot[0]), skeleton.link_of(kFoot[1]));
  // what carries a hip that is a ball, as of a character, is not part of the leg
  if (const int thigh = skeleton.link_of(kThigh[at(side)]); thigh >= 0) {
    const Tree& tree = model.tree();
    const int hip = model.frame(thigh).body;
    const JointGroup* group = hip > 0 ? &tree.groups[at(tree.group[at(hip)])] : nullptr;
    if (group != nullptr && group->spherical && group->last() == hip)
      root = link_on(model, tree.parent[at(group->body[0])], root);
  }
  return {model, {root, skeleton.link_of(kShank[at(side)]), skeleton.link_of(kFoot[at(side)])}};
}

double foot_firmness(double away) noexcept {
  const double share = ease(std::min(away / plant_rules::kFirmTime, 1.0));
  return kStanding * exp(share * log(kSwinging / kStanding));
}

Eigen::Vector3d meet_plan(LimbSolver& leg, LimbWish wish, std::span<const Eigen::Vector3d> corners,
                          const Eigen::VectorXd& like, const JointBounds& bounds, State& state) noexcept {
  const Eigen::Vector3d missed = solve(leg, wish, like, bounds, state);
  for (int round = 0; round < kSunkRounds; ++round) {
    double lowest = 0.0;
    for (const Eigen::Vector3d& corner : corners)
      lowest = std::min(lowest, (leg.p_WL() + leg.R_WL() * corner).z());
    const double rise = lowest * lowest / (kSunk - lowest);
    if (!(rise > kLeastRise)) break;
    wish.p_WL.z() += rise;
    leg.solve(wish, like, bounds.lower, bounds.upper, state);
  }
  return missed;
}

}  // namespace panto
