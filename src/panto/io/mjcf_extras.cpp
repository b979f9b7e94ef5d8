#include "panto/io/mjcf_extras.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

namespace panto::io::mjcf {
namespace {

using pugi::xml_node;
using urdf::in_quotes;

Element in_main_or_own_class(const Context& context, xml_node node, std::string_view kind) {
  return {context.document, node, kind,
          context.classes.of(context.document, node, "class", context.classes.main())};
}

// y - y0 = a + b (x - x0), in MuJoCo's rest pose (x0, y0)
void add_joint_equality(const Context& context, const Element& element, const KnownJoints& joints,
                        ModelSpec& spec) {
  const std::string first = element.text("joint1"), second = element.text("joint2");
  if (first.empty()) element.fail("attribute 'joint1' is missing");
  std::vector<double> poly = element.numbers("polycoef", 1, 5).value_or(std::vector<double>{0.0, 1.0});
  poly.resize(5, 0.0);
  const auto y = joints.find(first), x = joints.find(second);
  if (y == joints.end() || (!second.empty() && x == joints.end())) {
    context.remarks.add("equalities of joints that the robot does not have are ignored",
                        y == joints.end() ? first : second);
    return;
  }
  if (first == second) element.fail("joint1 and joint2 are the same joint");
  if (second.empty()) {
    const double value = y->second.ref + poly[0];
    spec.rows.push_back({"equality " + first, {{first, 1.0}}, value, value});
    return;
  }
  if (poly[2] != 0.0 || poly[3] != 0.0 || poly[4] != 0.0) {
    context.remarks.add("equalities that are not linear are ignored", first);
    return;
  }
  spec.mimics.push_back({first, second, poly[1], poly[0] + y->second.ref - poly[1] * x->second.ref});
}

using Range = std::optional<std::vector<double>>;

bool holds(const Element& element, const Compiler& compiler, const Range& range, const char* limited) {
  const int given = element.choice(limited, {"false", "true", "auto"}, 2);
  return range && (*range)[0] < (*range)[1] && (given == 1 || (given == 2 && compiler.autolimits));
}

double reach(const std::vector<double>& range) { return std::max(std::abs(range[0]), std::abs(range[1])); }

}  // namespace

std::optional<double> reach_of(const Element& element, const Compiler& compiler, const char* range,
                               const char* limited) {
  const Range values = element.numbers(range, 2, 2);
  return holds(element, compiler, values, limited) ? std::optional(reach(*values)) : std::nullopt;
}

void add_equalities(const Context& context, const KnownJoints& joints, ModelSpec& spec) {
  for (const xml_node node : context.document.in_sections("equality")) {
    const std::string_view kind = node.name();
    const Element element = in_main_or_own_class(context, node, "equality");
    if (kind == "tendon") continue;  // see add_tendons
    if (kind != "joint") {
      context.remarks.add("equalities other than of joints (closed loops) are ignored", kind);
    } else if (element.choice("active", {"false", "true"}, 1) == 0) {
      context.remarks.add("inactive equalities are ignored", element.text("joint1"));
    } else {
      add_joint_equality(context, element, joints, spec);
    }
  }
}

namespace {

// Adds the terms of a sum of joints. Returns its value where MuJoCo's joints rest; nothing for other tendons.
std::optional<double> add_terms(const Context& context, xml_node node, const KnownJoints& joints,
                                CoupledRow& row) {
  if (std::string_view{node.name()} != "fixed") return std::nullopt;
  double at_rest = 0.0;
  for (const xml_node child : context.document.children(node)) {
    const Element term(context.document, child, "joint", nullptr);
    const auto joint = joints.find(term.text("joint"));
    if (joint == joints.end()) return std::nullopt;
    const double coefficient = term.number("coef", 0.0);
    row.terms.push_back({joint->first, coefficient});
    at_rest += coefficient * joint->second.ref;
  }
  return row.terms.empty() ? std::nullopt : std::optional(at_rest);
}

}  // namespace

void add_excludes(const Context& context, ModelSpec& spec) {
  std::set<std::string> links;
  for (const Link& link : spec.links) links.insert(link.name);
  for (const xml_node node : context.document.in_sections("contact")) {
    if (std::string_view(node.name()) != "exclude") continue;
    const Element element(context.document, node, "exclude", nullptr);
    std::string first = element.text("body1"), second = element.text("body2");
    if (first.empty() || second.empty()) element.fail("<exclude> needs body1 and body2");
    if (!links.contains(first) || !links.contains(second))
      context.remarks.add("excluded contacts of bodies that the robot does not have are ignored", first);
    else if (first != second)
      spec.pair_rules.push_back({std::move(first), std::move(second), false});
  }
}

void add_tendons(const Context& context, const KnownJoints& joints, ModelSpec& spec) {
  std::unordered_map<std::string, double> equal;  // length of a tendon that an equality fixes
  for (const xml_node node : context.document.in_sections("equality")) {
    if (std::string_view{node.name()} != "tendon") continue;
    const Element element = in_main_or_own_class(context, node, "equality");
    const auto poly = element.numbers("polycoef", 1, 5).value_or(std::vector<double>{0.0, 1.0});
    if (element.has("tendon2") || element.choice("active", {"false", "true"}, 1) == 0)
      context.remarks.add("inactive equalities of tendons, and those of two, are ignored",
                          element.text("tendon1"));
    else
      equal.emplace(element.text("tendon1"), poly[0]);
  }
  for (const xml_node node : context.document.in_sections("tendon")) {
    const Element element = in_main_or_own_class(context, node, "tendon");
    CoupledRow row;
    row.name = element.text("name");
    const auto at_rest = add_terms(context, node, joints, row);
    const auto fixed = equal.find(row.name);
    const auto range = element.numbers("range", 2, 2);
    const bool limited =
        range && (*range)[0] < (*range)[1] && element.choice("limited", {"false", "true", "auto"}, 2) != 0;
    if (fixed != equal.end()) {
      row.lower = row.upper = fixed->second + at_rest.value_or(0.0);
    } else if (limited) {
      if ((*range)[0] > -kMjcfNoLimit) row.lower = (*range)[0];
      if ((*range)[1] < kMjcfNoLimit) row.upper = (*range)[1];
    }
    if (at_rest && (limited || fixed != equal.end())) {
      spec.rows.push_back(std::move(row));
    } else {
      context.remarks.add("tendons that do not bound a sum of the robot's joints are ignored", row.name);
    }
  }
}

void remove_unreachable(const Context& context, ModelSpec& spec) {
  std::unordered_map<std::string_view, const Joint*> joints;
  for (const Joint& joint : spec.joints) joints.emplace(joint.name, &joint);
  const auto reachable = [&](const CoupledRow& row) {
    double least = 0.0, most = 0.0;
    for (const CoupledRow::Term& term : row.terms) {
      if (term.coefficient == 0.0) continue;
      const Joint& joint = *joints.at(term.joint);
      const double a = term.coefficient * joint.lower, b = term.coefficient * joint.upper;
      least += std::min(a, b);
      most += std::max(a, b);
    }
    return least <= row.upper && most >= row.lower;
  };
  const auto note = [&](const std::string& name) {
    context.remarks.add("equalities and tendons that no pose within the ranges can meet are ignored", name);
  };
  std::erase_if(spec.rows, [&](const CoupledRow& row) {
    if (reachable(row)) return false;
    note(row.name);
    return true;
  });
  std::erase_if(spec.mimics, [&](const Mimic& mimic) {
    const std::vector<CoupledRow::Term> terms{{mimic.joint, 1.0}, {mimic.source, -mimic.multiplier}};
    if (reachable({mimic.joint, terms, mimic.offset, mimic.offset})) return false;
    note(mimic.joint);
    return true;
  });
}

namespace {

void add_written_speeds(const Context& context, const KnownJoints& joints, ModelSpec& spec) {
  for (const xml_node node : context.document.in_sections("custom")) {
    const std::string_view name = node.attribute("name").value();
    if (!name.starts_with(kMjcfSpeedLimit)) continue;
    const auto joint = joints.find(std::string(name.substr(kMjcfSpeedLimit.size())));
    if (joint == joints.end()) continue;
    const Element element(context.document, node, "numeric", nullptr);
    const double speed = element.number("data", kInfinity);
    if (!(speed > 0.0)) element.fail("a speed limit must be > 0");
    spec.joints[joint->second.index].velocity = speed;
  }
}

// MuJoCo opens a model with a ctrlrange that is reversed or NaN, and does not apply it
Range control_range(const Context& context, const Element& element, const std::string& joint) {
  Range range = element.any_numbers("ctrlrange", 2, 2);
  if (holds(element, context.compiler, range, "ctrllimited")) return range;
  if (range && !((*range)[0] <= (*range)[1]))
    context.remarks.add("a ctrlrange that is reversed or not a number is ignored, of joint", joint);
  return std::nullopt;
}

// force = k (control - position): the control is the position to hold
bool is_position_servo(const Element& element) {
  const std::string_view kind = element.node().name();
  if (kind != "general") return kind == "position";
  const auto is_one_of = [&](const char* name, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), element.text(name)) != words.end();
  };
  if (!is_one_of("biastype", {"affine"}) || !is_one_of("gaintype", {"", "fixed"}) ||
      !is_one_of("dyntype", {"", "none", "filter", "filterexact"}))
    return false;
  const auto gain = element.any_numbers("gainprm", 1, 10), bias = element.any_numbers("biasprm", 1, 10);
  return gain && bias && bias->size() > 1 && gain->front() > 0.0 && bias->front() == 0.0 &&
         (*bias)[1] == -gain->front();
}

// what the position servos of a joint can be told to hold, of all together
struct Commands {
  double lower = kInfinity, upper = -kInfinity;

  void add(const Range& control, double gear) {
    const double a = control ? (*control)[0] / gear : -kInfinity;
    const double b = control ? (*control)[1] / gear : kInfinity;
    lower = std::min({lower, a, b});
    upper = std::max({upper, a, b});
  }
};

// A servo cannot be told to leave its range: without one of the joint a motion could wind up beyond it.
void take_servo_ranges(const Context& context, const std::map<std::size_t, Commands>& servos,
                       ModelSpec& spec) {
  for (const auto& [index, commands] : servos) {
    Joint& joint = spec.joints[index];
    const bool lower = std::abs(commands.lower) < kMjcfNoLimit;
    const bool upper = std::abs(commands.upper) < kMjcfNoLimit;
    if (std::isfinite(joint.lower) || std::isfinite(joint.upper) || !(lower || upper)) continue;
    if (lower) joint.lower = commands.lower;
    if (upper) joint.upper = commands.upper;
    context.remarks.add("joints without a range take that of their position actuators", joint.name);
  }
}

}  // namespace

void add_actuator_limits(const Context& context, const KnownJoints& joints, ModelSpec& spec) {
  std::unordered_map<std::string, double> efforts;  // sums; infinite where an actuator has no limit
  std::map<std::size_t, Commands> servos;           // in the order of the joints, for the note
  for (const xml_node node : context.document.in_sections("actuator")) {
    const std::string_view kind = node.name();
    const Element element = in_main_or_own_class(context, node, "general");
    const auto found = joints.find(element.text(element.has("joint") ? "joint" : "jointinparent"));
    if (found == joints.end()) continue;
    Joint& joint = spec.joints[found->second.index];
    const auto gears = element.numbers("gear", 1, 6);
    const double gear = gears ? std::abs(gears->front()) : 1.0;
    const Range control = control_range(context, element, joint.name);
    auto force = reach_of(element, context.compiler, "forcerange", "forcelimited");
    if (!force && control && kind == "motor") force = reach(*control);
    efforts[joint.name] += force ? gear * *force : kInfinity;
    const bool speed = kind == "velocity" || kind == "intvelocity";
    if (speed && control && gear > 0.0 && reach(*control) / gear > 0.0)
      joint.velocity = std::min(joint.velocity, reach(*control) / gear);
    if (is_position_servo(element)) servos[found->second.index].add(control, gears ? gears->front() : 1.0);
  }
  for (const auto& [name, effort] : efforts) {
    Joint& joint = spec.joints[joints.at(name).index];
    if (std::isinf(joint.effort) && effort > 0.0) joint.effort = effort;
  }
  take_servo_ranges(context, servos, spec);
  add_written_speeds(context, joints, spec);
}

namespace {

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank && !in_word) ++count;
    in_word = !blank;
  }
  return count;
}

}  // namespace

std::vector<double> rest_values(const Context& context, const BodyList& bodies) {
  std::vector<Element> keys;
  for (const xml_node node : context.document.in_sections("keyframe"))
    if (std::string_view{node.name()} == "key" && node.attribute("qpos"))
      keys.emplace_back(context.document, node, "key", nullptr);
  if (keys.empty()) return {};
  const Element* chosen = nullptr;
  for (const char* name : {"home", "stand", "standing", "rest", "neutral", "default", "init"}) {
    for (const Element& key : keys)
      if (chosen == nullptr && key.text("name") == name) chosen = &key;
  }
  if (chosen == nullptr) chosen = &keys.front();
  const std::string label = chosen->has("name") ? chosen->text("name") : std::string("the first");
  const auto needed = static_cast<std::size_t>(bodies.qpos);
  const std::size_t found = count_words(chosen->node().attribute("qpos").value());
  if (found != needed) {
    context.remarks.add(fmt::format("a keyframe of {} values is ignored, the model needs {}", found, needed),
                        label);
    return {};
  }
  context.remarks.add("the rest pose is the keyframe", label);
  return chosen->numbers("qpos", needed, needed).value();
}

}  // namespace panto::io::mjcf
