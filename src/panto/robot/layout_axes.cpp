#include "panto/robot/layout_axes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;

constexpr double kSameAxis = 0.01;    // [rad] axes that agree
constexpr double kEqualAxis = 1e-6;   // [rad] axes that are equal
constexpr double kNearAxis = 0.40;    // [rad] axes that may match the rough direction
constexpr double kRootAxis = 0.09;    // [rad] closer to an axis of the root, the limbs' line snaps to it
constexpr double kFootLength = 0.08;  // of the leg length; a shorter reach forward is no evidence

// A direction and its weight.
struct Candidate {
  Vector3d axis;
  double weight;
};

struct Agreed {
  Vector3d axis;
  std::vector<Candidate> members;
};

// the group of candidates within `tolerance` of one of them with the largest total weight, and its mean
Agreed heaviest(const std::vector<Candidate>& candidates, double tolerance) {
  Agreed best;
  double most = 0.0;
  for (const Candidate& centre : candidates) {
    double weight = 0.0;
    Agreed agreed{Vector3d::Zero(), {}};
    for (const Candidate& c : candidates) {
      if (angle_between(c.axis, centre.axis) > tolerance) continue;
      weight += c.weight;
      agreed.axis += c.weight * c.axis;
      agreed.members.push_back(c);
    }
    if (weight <= most + 1e-9) continue;
    most = weight;
    best = std::move(agreed);
  }
  return best;
}

// the direction that most candidates near `rough` agree on; `rough` if there are none. First those that agree
// roughly, then, among these, those that agree exactly
Vector3d most_agreed(const Vector3d& rough, std::vector<Candidate> candidates) {
  std::vector<Candidate> near;
  for (Candidate& c : candidates) {
    const double n = c.axis.norm();
    if (!(n > 0.5) || !(c.weight > 0.0)) continue;
    c.axis *= (c.axis.dot(rough) < 0.0 ? -1.0 : 1.0) / n;
    if (angle_between(c.axis, rough) < kNearAxis) near.push_back(c);
  }
  if (near.empty()) return rough;
  return heaviest(heaviest(near, kSameAxis).members, kEqualAxis).axis.normalized();
}

void add_root_axes(std::vector<Candidate>& candidates, double weight) {
  for (int i = 0; i < 3; ++i) candidates.push_back({Vector3d::Unit(i), weight});
}

// Votes for and against `left` being along +across.
class Ballot {
  struct Vote {
    std::string who, which;
    double vote;
  };

 public:
  // `who` names the group of evidence, `which` the single piece
  void cast(const std::string& who, const std::string& which, double vote) {
    if (std::abs(vote) < 1e-9) return;
    votes_.push_back({who, which, vote});
    sum_ += vote;
  }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] bool empty() const { return votes_.empty(); }
  [[nodiscard]] std::string winners() const {
    return list(&Vote::who, [&](const Vote& v) { return v.vote * sum_ > 0.0; });
  }
  [[nodiscard]] std::string losers() const {
    return list(&Vote::which, [&](const Vote& v) { return v.vote * sum_ < 0.0; });
  }
  [[nodiscard]] std::string all() const {
    return list(&Vote::which, [](const Vote&) { return true; });
  }

 private:
  template <typename Chosen>
  [[nodiscard]] std::string list(std::string Vote::*name, const Chosen& chosen) const {
    std::vector<std::string> said;
    std::string text;
    for (const Vote& v : votes_) {
      if (!chosen(v) || std::find(said.begin(), said.end(), v.*name) != said.end()) continue;
      text += (text.empty() ? "" : ", ") + v.*name;
      said.push_back(v.*name);
    }
    return text;
  }

  std::vector<Vote> votes_;
  double sum_ = 0.0;
};

// names of a limb: > 0 for left
double named_side(const Bodies& bodies, const Limb& limb) {
  int votes = 0;
  for (const int body : limb.chain.bodies) votes += static_cast<int>(bodies[body].name.side);
  return votes > 0 ? 1.0 : votes < 0 ? -1.0 : 0.0;
}

void vote_names(const Bodies& bodies, const Vector3d& across, const LimbTwins& twins, Ballot& ballot) {
  const double a = named_side(bodies, twins.limb[0]), b = named_side(bodies, twins.limb[1]);
  const double sign = twins.twins.across.dot(across) > 0.0 ? 1.0 : -1.0;
  if (a * b < 0.0 || (a == 0.0) != (b == 0.0))
    ballot.cast("left/right names", "left/right names", 1.5 * sign * (a != 0.0 ? a : -b));
}

std::string limits_of(const Bodies& bodies, const Limb& limb) {
  return "the limits of joint '" + bodies.model().joint(bodies[limb.body(limb.hinge)].dof).name + "'";
}

void vote_legs(const Bodies& bodies, const Vector3d& across, const Vector3d& up, const LimbTwins& legs,
               Ballot& ballot) {
  const Vector3d ahead = across.cross(up);
  for (const Limb& leg : legs.limb) {
    // flexion of a knee is positive about left
    ballot.cast("knee limits", limits_of(bodies, leg), 1.0 * leg.flexion * leg.axis.dot(across));
    const double least = kFootLength * leg.length;
    if (leg.end_begin >= leg.size()) continue;
    double farthest = 0.0;
    const Body& foot = bodies[leg.body(std::max(leg.end_end - 1, leg.end_begin))];
    const auto offer = [&](const Vector3d& p) {
      const double x = ahead.dot(p - leg.end);
      if (std::abs(x) > std::abs(farthest)) farthest = x;
    };
    if (foot.mass > 0.0) offer(leg.end + 2.0 * (foot.com - leg.end));
    for (const int link : foot.links) offer(bodies.p_WL(link));
    for (const int child : foot.children) offer(bodies[child].p_WB);
    if (std::abs(farthest) > least)
      ballot.cast("feet", "link '" + bodies.model().links()[at(foot.distal_link)].name + "'",
                  farthest > 0.0 ? 0.8 : -0.8);
  }
}

void vote_arms(const Bodies& bodies, const Vector3d& across, const Vector3d& up, const LimbTwins& arms,
               Ballot& ballot) {
  const Vector3d ahead = across.cross(up);
  for (const Limb& arm : arms.limb) {
    if (arm.flexion == 0) continue;
    // direction in which bending moves a straight forearm
    const double forwards = arm.flexion * arm.axis.cross(arm.upper).dot(ahead);
    if (std::abs(forwards) > 0.3) ballot.cast("elbow limits", limits_of(bodies, arm), 0.4 * forwards);
  }
}

}  // namespace

Vector3d exact_across(const Bodies& bodies, const Vector3d& across, const LimbTwins* legs,
                      const LimbTwins* arms) {
  std::vector<Candidate> candidates{{across, 1.0}};
  add_root_axes(candidates, 1.5);
  for (const LimbTwins* twins : {legs, arms}) {
    if (twins == nullptr) continue;
    candidates.push_back({twins->twins.across, 1.0});
    for (const Limb& limb : twins->limb) {
      for (int i = 0; i < limb.size(); ++i)
        candidates.push_back({bodies[limb.body(i)].axis, twins == legs ? 0.5 : 0.2});
    }
  }
  return most_agreed(across, candidates);
}

Vector3d find_up(const Bodies& bodies, const Vector3d& across, const LimbTwins* legs, const LimbTwins* arms,
                 const Chain* neck, std::vector<std::string>& notes) {
  Vector3d rough = Vector3d::Zero();
  std::vector<Candidate> candidates;
  if (legs != nullptr) {
    for (const Limb& leg : legs->limb) rough += leg.root - leg.end;
    candidates.push_back({rough.normalized(), 1.5});
    for (const Limb& leg : legs->limb) {
      for (int i = 0; i < leg.size(); ++i) {
        // hips tilt with the thighs of a robot that crouches; ankles stay flat
        const double weight = i < leg.hinge_begin ? 0.25 : 0.8;
        candidates.push_back({bodies[leg.body(i)].axis, weight});
        candidates.push_back({bodies[leg.body(i)].axis.cross(across), weight});
      }
    }
  } else if (arms != nullptr) {
    // the carrier of the arms is above the base, the head above the arms
    rough = arms->twins.middle - bodies[0].p_WB;
    if (neck != nullptr) rough += 2.0 * (bodies[neck->bodies.back()].p_WB - arms->twins.middle);
    const Vector3d z = Vector3d::UnitZ();
    if (std::abs(z.dot(across)) < 0.3 && rough.dot(z) > -0.5 * rough.norm()) rough = z;
    notes.emplace_back("found no legs: up is taken from " +
                       std::string(rough == z ? "the root link's z axis" : "base, arms and head"));
  }
  for (int i = 1; i < bodies.size(); ++i) {
    const bool trunk = bodies[i].name.region == NamedRegion::Trunk || bodies[i].children.size() > 1;
    if (!trunk) continue;
    candidates.push_back({bodies[i].axis, 1.0});
    candidates.push_back({bodies[i].axis.cross(across), 1.0});
  }
  for (const int body : neck != nullptr ? neck->bodies : std::vector<int>{}) {
    candidates.push_back({bodies[body].axis, 0.4});
    candidates.push_back({bodies[body].axis.cross(across), 0.4});
  }
  rough -= across * across.dot(rough);
  if (!(rough.norm() > 1e-6))
    throw ModelError("the up direction is unknown: no limb is vertical with all joints at zero");
  // prefer an axis of the root that is close
  for (int i = 0; i < 3; ++i) {
    const Vector3d axis = Vector3d::Unit(i);
    const bool near = std::abs(axis.dot(rough.normalized())) > sincos(kRootAxis).cos;
    candidates.push_back({axis, near ? 2.0 : 0.5});
  }
  for (Candidate& c : candidates) {
    if (std::abs(c.axis.dot(across)) > 0.05) c.weight = 0.0;
    c.axis -= across * across.dot(c.axis);
  }
  return most_agreed(rough.normalized(), candidates);
}

void find_forward(const Bodies& bodies, const Vector3d& across, const LimbTwins* legs, const LimbTwins* arms,
                  Layout& layout) {
  Ballot ballot;
  if (legs != nullptr) vote_legs(bodies, across, layout.up, *legs, ballot);
  if (arms != nullptr) vote_arms(bodies, across, layout.up, *arms, ballot);
  for (const LimbTwins* twins : {legs, arms})
    if (twins != nullptr) vote_names(bodies, across, *twins, ballot);
  if (std::abs(ballot.sum()) < 0.25)
    throw ModelError(bodies.model().name() + ": the directions forward, left and right are unknown: " +
                     (ballot.empty() ? "knee and elbow limits, feet and names give no evidence"
                                     : "contradicting evidence: " + ballot.all()));
  layout.left = ballot.sum() > 0.0 ? across : Vector3d(-across);
  layout.forward = layout.left.cross(layout.up);
  layout.forward_reason = ballot.winners();
  if (const std::string against = ballot.losers(); !against.empty())
    layout.notes.push_back("evidence against this forward direction: " + against);
}

}  // namespace panto::robot
