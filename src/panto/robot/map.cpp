#include "panto/robot/map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/link_pairs.hpp"
#include "panto/robot/follows.hpp"

namespace panto::robot {
namespace {

class Checker {
 public:
  Checker(const Map& map, const Model& model) : map_(map), model_(model) {}

  std::vector<MapFault> check() {
    if (map_.attachments.attachments.empty()) fail("the map has no segment, so no link would follow");
    const auto& all = map_.attachments.attachments;
    const bool any = std::any_of(all.begin(), all.end(),
                                 [&](const Attachment& a) { return model_.find_link(a.link).has_value(); });
    if (!all.empty() && !any) {
      fail("none of the map's links is in model '" + model_.name() + "': the map is for another robot, '" +
           map_.robot + "'");
      return std::move(faults_);
    }
    for (const Attachment& a : all) check_attachment(a);
    if (!map_.robot.empty() && map_.robot != model_.name())
      warn("the map is for robot '" + map_.robot + "', the model is '" + model_.name() + "'");
    for (const auto& [joint, value] : map_.rest) check_rest(joint, value);
    check_pair_rules();
    for (const auto& [link, capsules] : map_.shapes)
      if (!model_.find_link(link))
        fail("shapes: " + unknown_name("link", link, "model '" + model_.name() + "'", model_.link_names()));
    check_limits();
    check_sides();
    std::stable_sort(faults_.begin(), faults_.end(),
                     [](const MapFault& x, const MapFault& y) { return x.error && !y.error; });
    return std::move(faults_);
  }

 private:
  void fail(std::string text) { faults_.push_back({true, std::move(text)}); }
  void warn(std::string text) { faults_.push_back({false, std::move(text)}); }

  void check_pair_rules() {
    if (last_rules(map_.pair_rules).size() < map_.pair_rules.size())
      warn("link_pairs: a pair is named twice; the last one counts, `touch` after `apart`");
    for (const LinkPairRule& rule : map_.pair_rules) {
      if (rule.first == rule.second) fail("link_pairs: '" + rule.first + "' is paired with itself");
      for (const std::string& name : {rule.first, rule.second}) {
        const auto link = model_.find_link(name);
        const auto given = [&](const auto& shape) { return shape.first == name; };
        if (!link)
          fail("link_pairs: " +
               unknown_name("link", name, "model '" + model_.name() + "'", model_.link_names()));
        else if (rule.apart && model_.links()[at(*link)].capsules.empty() &&
                 std::none_of(map_.shapes.begin(), map_.shapes.end(), given))
          warn("link_pairs: '" + name + "' has no shape, so that nothing can keep apart from it");
      }
    }
  }

  void check_attachment(const Attachment& a) {
    if (find_human_segment(a.segment) < 0) {
      fail(unknown_name("segment", a.segment, "the human", human_segment_names()));
    } else if (!segments_.insert(a.segment).second) {
      fail("segment '" + a.segment + "' appears twice");
    }
    if (!model_.find_link(a.link)) {
      fail(a.segment + ": " +
           unknown_name("link", a.link, "model '" + model_.name() + "'", model_.link_names()));
    } else {
      check_place(a);
    }
    if (!so3::is_rotation(a.R_SF)) fail(a.segment + ": the offset is not a rotation");
    if (!a.orientation && !a.position)
      fail(a.segment + ": neither orientation nor position is followed: set one, or leave the segment out");
    for (const auto& weight : {a.orientation_weight, a.position_weight, a.touch_weight}) {
      if (weight && !(*weight > 0.0 && std::isfinite(*weight)))
        fail(a.segment + ": weight " + digits(*weight, 6) + " must be larger than 0");
    }
  }

  // two segments on one body pull it in two directions; a body that no joint moves cannot follow
  void check_place(const Attachment& a) {
    const int link = *model_.find_link(a.link), body = model_.frame(link).body;
    for (const auto& [other, segment] : bodies_) {
      if (other == body)
        (model_.link_names()[at(link)] == links_[segment] ? fail_same(a, segment) : warn_same(a, segment));
    }
    bodies_.emplace_back(body, a.segment);
    links_[a.segment] = a.link;
    if (body == 0 && model_.base() == BaseKind::Fixed)
      warn(a.segment + ": link '" + a.link + "' is part of the fixed base and cannot move");
  }
  void fail_same(const Attachment& a, const std::string& other) {
    fail("link '" + a.link + "' is attached to both " + other + " and " + a.segment);
  }
  void warn_same(const Attachment& a, const std::string& other) {
    warn("no joint lies between the links of " + other + " and " + a.segment + ": they move as one body");
  }

  void check_rest(const std::string& joint, double value) {
    if (!model_.find_joint(joint)) {
      fail("rest: " + unknown_name("joint", joint, "model '" + model_.name() + "'", model_.joint_names()));
      return;
    }
    const int i = *model_.find_joint(joint);
    if (!std::isfinite(value)) {
      fail("rest: joint '" + joint + "' has no finite position");
    } else if (value < model_.lower()[i] - 1e-9 || value > model_.upper()[i] + 1e-9) {
      warn("rest: joint '" + joint + "' at " + digits(value, 4) + " is outside its limits " +
           digits(model_.lower()[i], 4) + " .. " + digits(model_.upper()[i], 4) + "; clamped to them");
    }
    if (!joints_.insert(joint).second) fail("rest: joint '" + joint + "' appears twice");
  }

  // a joint whose limits coincide cannot move
  void check_limits() {
    for (int i = 0; i < model_.dof(); ++i) {
      if (model_.upper()[i] - model_.lower()[i] < 1e-6)
        warn("joint '" + model_.joint(i).name + "' cannot move: both limits are " +
             digits(model_.lower()[i], 4));
    }
  }

  // compares sides with the robot's own geometry
  void check_sides() {
    Map found;
    try {
      found = propose_robot_map(model_).map;
    } catch (const ModelError&) {
      return;  // only the map knows
    }
    std::vector<std::string> crossed;
    for (const Attachment& a : map_.attachments.attachments) {
      for (const Attachment& own : found.attachments.attachments) {
        if (own.link == a.link && own.segment == other_side(a.segment))
          crossed.push_back(a.segment + " is link '" + a.link + "'");
      }
    }
    if (!crossed.empty())
      warn("left and right are swapped, according to the robot's geometry: " + listed(crossed, 2));
  }
  // "LeftHand" for "RightHand" and vice versa; empty if there are no sides
  static std::string other_side(const std::string& segment) {
    if (segment.starts_with("Left")) return "Right" + segment.substr(4);
    if (segment.starts_with("Right")) return "Left" + segment.substr(5);
    return {};
  }

  const Map& map_;
  const Model& model_;
  std::vector<MapFault> faults_;
  std::set<std::string> segments_, joints_;
  std::vector<std::pair<int, std::string>> bodies_;
  std::map<std::string, std::string> links_;
};

}  // namespace

std::vector<MapFault> check_robot_map(const Map& map, const Model& model) {
  return Checker(map, model).check();
}

Eigen::VectorXd rest_of(const Map& map, const Model& model) {
  Eigen::VectorXd s(model.dof());
  for (int i = 0; i < model.dof(); ++i) {
    const double lower = model.lower()[i], upper = model.upper()[i];
    // a limit on the far side of zero is finite; the other one need not be
    const bool inside = lower <= 0.0 && upper >= 0.0;
    s[i] = inside                                         ? 0.0
           : std::isfinite(lower) && std::isfinite(upper) ? 0.5 * (lower + upper)
           : lower > 0.0                                  ? lower
                                                          : upper;
  }
  for (const auto& [joint, value] : map.rest) {
    const int i = model.joint_index(joint);
    s[i] = std::clamp(std::isfinite(value) ? value : 0.0, model.lower()[i], model.upper()[i]);
  }
  return s;
}

}  // namespace panto::robot
