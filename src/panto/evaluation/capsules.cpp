#include "panto/evaluation/capsules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/model/link_pairs.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;

constexpr double kShortest = 0.01;   // [m], shorter limbs count as points
constexpr double kHandLength = 0.4;  // share of the forearm, if the hand's length is unknown

// Builds the capsules of a body. Neighbours in a capsule's `chain` have consecutive indices.
class Builder {
 public:
  Builder(const Model& model, const std::vector<SegmentLink>& links, const std::vector<RobotFoot>& feet,
          const Eigen::VectorXd& rest, const CapsuleOptions& options)
      : model_(model), links_(links), feet_(feet), options_(options), kinematics_(model) {
    State state = rest_state(model);
    if (rest.size() != model.dof()) throw ModelError("capsules: the rest pose does not match the model");
    state.s = rest;
    kinematics_.update(state);
    body_ = link_body(model, rest, options.pairs);
  }

  CapsuleBody build() {
    for (Capsule& shape : body_.capsules) shape.name = name_of(shape.from.link);
    neighbours_.resize(body_.capsules.size());
    add_trunk();
    for (const bool right : {false, true}) {
      add_limb(right ? std::array<int, 3>{RightUpperArm, RightForeArm, RightHand}
                     : std::array<int, 3>{LeftUpperArm, LeftForeArm, LeftHand},
               true);
      add_limb(right ? std::array<int, 3>{RightUpperLeg, RightLowerLeg, RightFoot}
                     : std::array<int, 3>{LeftUpperLeg, LeftLowerLeg, LeftFoot},
               false);
    }
    add_head();
    if (options_.pairs) choose_pairs();
    return std::move(body_);
  }

 private:
  // Returns the name of the segment that a link follows, or the nearest link before it that follows one.
  [[nodiscard]] std::string name_of(int link) const {
    for (int body = model_.frame(link).body; body >= 0; body = model_.tree().parent[at(body)])
      for (const SegmentLink& entry : links_) {
        if (model_.frame(entry.link).body != body) continue;
        if (entry.segment >= L5 && entry.segment <= T8) return "Trunk";
        return std::string(kHumanSegmentNames[at(entry.segment)]);
      }
    return model_.link_names()[at(link)];
  }

  // Returns whether the shape of a link, or of one fixed to it, is known.
  [[nodiscard]] bool has_shape(int link) const {
    for (int other = 0; other < model_.link_count(); ++other)
      if (move_together(model_, other, link) && !model_.links()[at(other)].capsules.empty()) return true;
    return false;
  }

  [[nodiscard]] std::optional<int> link_of(int segment) const {
    for (const SegmentLink& entry : links_)
      if (entry.segment == segment) return entry.link;
    return std::nullopt;
  }

  [[nodiscard]] Vector3d origin(int link) const { return kinematics_.p_WL(link); }

  [[nodiscard]] LinkPoint fixed_to(int link, const Vector3d& p_W) const {
    return {link, kinematics_.R_WL(link).transpose() * (p_W - origin(link))};
  }

  // Returns the middle between the links of two segments; nothing when one is missing.
  [[nodiscard]] std::optional<Vector3d> middle(int left, int right) const {
    const auto a = link_of(left), b = link_of(right);
    if (!a || !b) return std::nullopt;
    return 0.5 * (origin(*a) + origin(*b));
  }

  int add(std::string name, const LinkPoint& from, const LinkPoint& to, double radius,
          std::vector<int> neighbours) {
    body_.capsules.push_back({std::move(name), from, to, radius});
    neighbours_.push_back(std::move(neighbours));
    return static_cast<int>(body_.capsules.size()) - 1;
  }

  void add_trunk() {
    const auto pelvis = link_of(Pelvis);
    std::optional<int> chest;
    for (const int segment : {T8, T12, L3, L5, Pelvis})
      if (!chest) chest = link_of(segment);
    if (!chest || has_shape(*chest)) return;
    const int below = pelvis.value_or(*chest);
    const Vector3d low = middle(LeftUpperLeg, RightUpperLeg).value_or(origin(below));
    const auto shoulders = middle(LeftUpperArm, RightUpperArm);
    const Vector3d high = shoulders.value_or(origin(*chest));
    if ((high - low).norm() < kShortest) return;
    double breadth = (high - low).norm();
    if (shoulders) breadth = (origin(*link_of(LeftUpperArm)) - origin(*link_of(RightUpperArm))).norm();
    trunk_ = add("Trunk", fixed_to(below, low), fixed_to(*chest, high), options_.trunk_radius * breadth, {});
  }

  // Returns the farthest point of a link and its descendants from its origin; nothing when it is too near.
  [[nodiscard]] std::optional<Vector3d> far_end(int link) const {
    Vector3d farthest = Vector3d::Zero();
    const auto consider = [&](const Vector3d& p_W) {
      if ((p_W - origin(link)).norm() > farthest.norm()) farthest = p_W - origin(link);
    };
    std::vector<unsigned char> hangs(at(model_.link_count()), 0);
    hangs[at(link)] = 1;
    // the joint list may have children before their parents: repeat until nothing is new
    for (bool news = true; news;) {
      news = false;
      for (const Joint& joint : model_.all_joints()) {
        const int child = model_.link_index(joint.child);
        if (hangs[at(child)] != 0 || hangs[at(model_.link_index(joint.parent))] == 0) continue;
        hangs[at(child)] = 1;
        news = true;
        consider(origin(child));
      }
    }
    const Link& own = model_.links()[at(link)];
    if (own.mass > 0.0) consider(origin(link) + 2.0 * kinematics_.R_WL(link) * own.com);
    if (farthest.norm() < kShortest) return std::nullopt;
    return origin(link) + farthest;
  }

  void add_limb(const std::array<int, 3>& segments, bool has_end) {
    std::vector<int> present;
    for (const int segment : segments)
      if (link_of(segment)) present.push_back(segment);
    int before = trunk_;
    double length = 0.0;
    Vector3d direction = Vector3d::Zero();
    for (std::size_t i = 0; i + 1 < present.size(); ++i) {
      const int a = *link_of(present[i]), b = *link_of(present[i + 1]);
      direction = origin(b) - origin(a);
      length = direction.norm();
      if (length < kShortest || has_shape(a)) continue;
      before = add(std::string(kHumanSegmentNames[at(present[i])]), {a, Vector3d::Zero()},
                   {b, Vector3d::Zero()}, options_.limb_radius * length, {before});
    }
    if (present.empty()) return;
    const int last = *link_of(present.back());
    if (has_shape(last)) return;
    const std::string name(kHumanSegmentNames[at(present.back())]);
    if (!has_end) return add_foot(last, before);
    const auto end = far_end(last);
    if (!end && length < kShortest) return;
    const Vector3d tip = end.value_or(origin(last) + kHandLength * direction);
    const double radius = options_.limb_radius * std::max(length, (tip - origin(last)).norm());
    add(name, {last, Vector3d::Zero()}, fixed_to(last, tip), radius, {before});
  }

  void add_foot(int link, int before) {
    for (const RobotFoot& foot : feet_) {
      if (foot.link != link) continue;
      const double radius = options_.foot_radius * (foot.sole.ball - foot.sole.heel).norm();
      add(foot.name, {link, foot.sole.heel + radius * foot.sole.up},
          {link, foot.sole.ball + radius * foot.sole.up}, radius, {before});
    }
  }

  void add_head() {
    const auto head = link_of(Head);
    const auto end = head && !has_shape(*head) ? far_end(*head) : std::nullopt;
    if (!end) return;
    const double length = (*end - origin(*head)).norm();
    add("Head", {*head, Vector3d::Zero()}, fixed_to(*head, *end), options_.limb_radius * length, {trunk_});
  }

  [[nodiscard]] bool neighbours(int a, int b) const {
    const auto has = [this](int of, int other) {
      const auto& list = neighbours_[at(of)];
      return std::find(list.begin(), list.end(), other) != list.end();
    };
    return has(a, b) || has(b, a);
  }

  // A guessed capsule next to shapes: their links are as near as neighbours.
  [[nodiscard]] bool kin(const Capsule& guess, const Capsule& shape) const {
    return are_kin(model_, guess.from.link, shape.from.link) ||
           are_kin(model_, guess.to.link, shape.from.link);
  }

  void choose_pairs() {
    const int count = static_cast<int>(body_.capsules.size());
    for (int a = 0; a < count; ++a) {
      for (int b = std::max(a + 1, body_.shapes); b < count; ++b) {
        const Capsule &first = body_.capsules[at(a)], &second = body_.capsules[at(b)];
        if (neighbours(a, b) || (a < body_.shapes && kin(second, first))) continue;
        if (overlap(first, second, kinematics_) > 0.0) {
          body_.notes.push_back(first.name + " and " + second.name +
                                " already overlap in the rest pose, so this pair is not checked");
        } else {
          body_.pairs.emplace_back(a, b);
        }
      }
    }
  }

  const Model& model_;
  const std::vector<SegmentLink>& links_;
  const std::vector<RobotFoot>& feet_;
  CapsuleOptions options_;
  Kinematics kinematics_;
  CapsuleBody body_;
  std::vector<std::vector<int>> neighbours_;
  int trunk_ = -1;
};

void check_link(const Model& model, int link) {
  if (link < 0 || link >= model.link_count())
    throw ModelError("capsules: no link " + std::to_string(link) + " in model '" + model.name() +
                     "', which has " + std::to_string(model.link_count()));
}

}  // namespace

CapsuleBody link_body(const Model& model, const Eigen::VectorXd& rest, bool pairs) {
  CapsuleBody body;
  std::vector<int> first;  // capsule, by link
  for (int link = 0; link < model.link_count(); ++link) {
    first.push_back(static_cast<int>(body.capsules.size()));
    for (const LinkCapsule& c : model.links()[at(link)].capsules)
      body.capsules.push_back({model.link_names()[at(link)], {link, c.from}, {link, c.to}, c.radius});
  }
  first.push_back(static_cast<int>(body.capsules.size()));
  body.shapes = first.back();
  if (body.shapes > 0) body.contact = kShapeContact;
  if (!pairs || body.shapes == 0) return body;
  for (const auto& [a, b] : link_pairs(model, rest))
    for (int i = first[at(a)]; i < first[at(a + 1)]; ++i)
      for (int j = first[at(b)]; j < first[at(b + 1)]; ++j) body.pairs.emplace_back(i, j);
  return body;
}

CapsuleBody body_capsules(const Model& model, const std::vector<SegmentLink>& links,
                          const std::vector<RobotFoot>& feet, const Eigen::VectorXd& rest,
                          const CapsuleOptions& options) {
  for (const SegmentLink& entry : links) check_link(model, entry.link);
  for (const RobotFoot& foot : feet) check_link(model, foot.link);
  for (const double radius : {options.limb_radius, options.trunk_radius, options.foot_radius})
    if (!(radius > 0.0 && std::isfinite(radius))) throw ConfigError("capsules: radii must be > 0");
  return Builder(model, links, feet, rest, options).build();
}

}  // namespace panto
