#include "panto/model/link_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <random>
#include <string>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr int kKin = 3;          // joints between a link and an ancestor that it may touch
constexpr int kPoses = 64;       // near the rest pose, and as many within the limits
constexpr double kNear = 0.35;   // [rad] or [m], half the range of poses near the rest pose
constexpr double kNearly = 0.9;  // share of the poses that counts as all
constexpr double kOften = 0.25;  // the same for links on the same link: built side by side, fitted with slack

// Returns poses spread over a range about `middle`, within the limits; always the same.
std::vector<Eigen::VectorXd> poses_about(const Model& model, const Eigen::VectorXd& middle, double range) {
  std::mt19937_64 engine(1);
  std::vector<Eigen::VectorXd> poses;
  for (int k = 0; k < kPoses; ++k) {
    Eigen::VectorXd& pose = poses.emplace_back(middle);
    for (int i = 0; i < model.dof(); ++i) {
      const double lower = std::max(model.lower()[i], middle[i] - range),
                   upper = std::min(model.upper()[i], middle[i] + range);
      const double share = static_cast<double>(engine() >> 11U) * 0x1p-53;
      pose[i] = lower + share * (upper - lower);
    }
  }
  return poses;
}

// A ball around the capsules of a link, in its frame.
struct Ball {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  double reach = 0.0;
};

std::vector<Ball> balls_of(const Model& model) {
  std::vector<Ball> balls;
  for (const Link& link : model.links()) {
    Ball& ball = balls.emplace_back();
    for (const LinkCapsule& c : link.capsules)
      ball.centre += (c.from + c.to) / (2.0 * static_cast<double>(link.capsules.size()));
    for (const LinkCapsule& c : link.capsules)
      for (const Eigen::Vector3d& end : {c.from, c.to})
        ball.reach = std::max(ball.reach, (end - ball.centre).norm() + c.radius);
  }
  return balls;
}

struct Candidate {
  int a, b;
  bool apart = false;  // by a rule
  bool at_rest = false;
  bool siblings = false;
  int near = 0, within = 0;  // poses with an overlap
};

// Returns what the model's rules say about pairs of links.
std::map<std::pair<int, int>, bool> rules_of(const Model& model) {
  std::map<std::pair<int, int>, bool> rules;
  for (const LinkPairRule& rule : last_rules(model.spec().pair_rules))
    rules[std::minmax(model.link_index(rule.first), model.link_index(rule.second))] = rule.apart;
  return rules;
}

// Returns whether joints of the same link carry both.
bool are_siblings(const Model& model, int a, int b) noexcept {
  const int body_a = model.frame(a).body, body_b = model.frame(b).body;
  return body_a != body_b && body_a > 0 && body_b > 0 &&
         model.tree().parent[at(body_a)] == model.tree().parent[at(body_b)];
}

// Counts the poses at which each candidate overlaps.
void count(const Model& model, const std::vector<Eigen::VectorXd>& poses, int Candidate::*counter,
           std::vector<Candidate>& candidates) {
  Kinematics kinematics(model);
  State state = rest_state(model);
  const std::vector<Ball> balls = balls_of(model);
  std::vector<Eigen::Vector3d> centres(balls.size());
  for (const Eigen::VectorXd& pose : poses) {
    state.s = pose;
    kinematics.update(state);
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const int link = static_cast<int>(i);
      centres[i] = kinematics.p_WL(link) + kinematics.R_WL(link) * balls[i].centre;
    }
    for (Candidate& pair : candidates)
      if ((centres[at(pair.a)] - centres[at(pair.b)]).norm() <
              balls[at(pair.a)].reach + balls[at(pair.b)].reach &&
          link_overlap(model, pair.a, pair.b, kinematics) > 0.0)
        ++(pair.*counter);
  }
}

}  // namespace

bool move_together(const Model& model, int a, int b) noexcept {
  return a >= 0 && b >= 0 && model.frame(a).body == model.frame(b).body;
}

bool is_carried(const Model& model, int link, int carrier) noexcept {
  const int wanted = model.frame(carrier).body;  // a body comes after its parent
  int body = model.frame(link).body;
  while (body > wanted) body = model.tree().parent[at(body)];
  return body == wanted;
}

int common_body(const Tree& tree, int a, int b) noexcept {
  while (a != b) {
    int& outer = a > b ? a : b;  // a body comes after its parent
    outer = tree.parent[at(outer)];
  }
  return a;
}

bool are_kin(const Model& model, int a, int b) noexcept {
  const int body_a = model.frame(a).body, body_b = model.frame(b).body;
  for (const auto& [older, younger] : {std::pair(body_a, body_b), std::pair(body_b, body_a)}) {
    int ancestor = younger;
    for (int step = 0; step <= kKin && ancestor >= 0; ++step, ancestor = model.tree().parent[at(ancestor)])
      if (ancestor == older) return true;
  }
  return false;
}

double link_overlap(const Model& model, int a, int b, const Kinematics& kinematics) noexcept {
  const auto place = [&](int link, const Eigen::Vector3d& p) -> Eigen::Vector3d {
    return kinematics.p_WL(link) + kinematics.R_WL(link) * p;
  };
  double deepest = -kInfinity;
  for (const LinkCapsule& first : model.links()[at(a)].capsules) {
    const Eigen::Vector3d from = place(a, first.from), to = place(a, first.to);
    for (const LinkCapsule& second : model.links()[at(b)].capsules) {
      const double distance = segment_distance(from, to, place(b, second.from), place(b, second.to));
      deepest = std::max(deepest, first.radius + second.radius - distance);
    }
  }
  return deepest;
}

std::vector<LinkPairRule> last_rules(const std::vector<LinkPairRule>& rules) {
  std::map<std::pair<std::string, std::string>, const LinkPairRule*> last;
  for (const LinkPairRule& rule : rules) last[std::minmax(rule.first, rule.second)] = &rule;
  std::vector<LinkPairRule> kept;
  for (const LinkPairRule& rule : rules)
    if (last.at(std::minmax(rule.first, rule.second)) == &rule) kept.push_back(rule);
  return kept;
}

std::vector<std::pair<int, int>> link_pairs(const Model& model, const Eigen::VectorXd& rest) {
  if (rest.size() != model.dof()) throw ModelError("link_pairs: the rest pose does not match the model");
  std::vector<Candidate> candidates;
  const std::map<std::pair<int, int>, bool> rules = rules_of(model);
  Kinematics kinematics(model);
  State state = rest_state(model);
  state.s = rest;
  kinematics.update(state);
  for (int a = 0; a < model.link_count(); ++a)
    for (int b = a + 1; b < model.link_count(); ++b) {
      if (model.links()[at(a)].capsules.empty() || model.links()[at(b)].capsules.empty()) continue;
      const auto rule = rules.find({a, b});
      if (rule == rules.end() ? are_kin(model, a, b) : !rule->second) continue;
      candidates.push_back({a, b, rule != rules.end(), link_overlap(model, a, b, kinematics) > 0.0,
                            are_siblings(model, a, b)});
    }
  count(model, poses_about(model, rest, kNear), &Candidate::near, candidates);
  count(model, poses_about(model, rest, std::numbers::pi), &Candidate::within, candidates);
  std::vector<std::pair<int, int>> pairs;
  for (const Candidate& pair : candidates) {
    const bool at_rest =
        pair.siblings ? pair.near >= kOften * kPoses : pair.at_rest && pair.near >= kNearly * kPoses;
    const bool touches = at_rest || pair.within >= kNearly * kPoses;
    if (pair.apart || !touches) pairs.emplace_back(pair.a, pair.b);
  }
  return pairs;
}

}  // namespace panto
