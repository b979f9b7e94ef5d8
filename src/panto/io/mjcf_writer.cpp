#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "panto/io/append.hpp"
#include "panto/io/mjcf.hpp"
#include "panto/io/mjcf_tree.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/capsule.hpp"
#include "panto/model/link_pairs.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNoLimit = 1e10;       // written for the open side of a range
constexpr double kThin = 0.015;         // [m] radius of a link without a shape
constexpr double kCornerRadius = 1e-3;  // [m] of the balls at a sole's corners
constexpr double kShortest = 1e-3;      // [m] shorter capsules are balls
constexpr std::size_t kDeepest = 40;    // indentation

constexpr std::string_view kHead =
    "  <compiler angle=\"radian\" autolimits=\"true\" balanceinertia=\"true\" boundmass=\"1e-4\" "
    "boundinertia=\"1e-7\"/>\n"
    "  <default>\n"
    "    <!-- the robot's shapes touch the floor and not each other: give them conaffinity=\"1\" for that "
    "-->\n"
    "    <geom type=\"capsule\" contype=\"1\" conaffinity=\"0\" mass=\"0\" rgba=\"0.7 0.72 0.76 1\"/>\n"
    "    <default class=\"bone\">\n"
    "      <geom contype=\"0\" group=\"2\" rgba=\"0.6 0.65 0.7 1\"/>\n"
    "    </default>\n"
    "  </default>\n\n"
    "  <worldbody>\n"
    "    <light pos=\"0 0 4\" dir=\"0 0 -1\" directional=\"true\"/>\n"
    "    <geom name=\"floor\" type=\"plane\" size=\"0 0 0.05\" conaffinity=\"1\" rgba=\"0.35 0.38 0.42 "
    "1\"/>\n";

// -0 becomes 0
std::string triple(const Vector3d& v) {
  return fmt::format("{} {} {}", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

std::string quat_of(const Matrix3d& R) {
  if (R.isIdentity(0.0)) return {};
  const Eigen::Vector4d q = so3::to_quaternion_wxyz(R);
  return fmt::format(" quat=\"{} {} {} {}\"", q[0], q[1], q[2], q[3]);
}

std::string pose_of(const Matrix3d& R, const Vector3d& p) {
  return (p.isZero(0.0) ? std::string() : fmt::format(" pos=\"{}\"", triple(p))) + quat_of(R);
}

class Writer {
 public:
  Writer(const Model& model, std::vector<std::string>* notes)
      : model_(model), spec_(model.spec()), notes_(notes), children_(spec_.links.size()) {
    for (std::size_t j = 0; j < spec_.joints.size(); ++j)
      children_[static_cast<std::size_t>(model.link_index(spec_.joints[j].parent))].push_back(j);
    for (const Joint& joint : spec_.joints) joint_names_.insert(joint.name);
    state_ = rest_state(model);
    if (model.floating_base()) state_.p_WB.z() = 0.0 - lowest_point(model, state_);
  }

  std::string write() {
    if (model_.base() == BaseKind::Rolling) note("a base that rolls is written as fixed");
    append(text_, "<mujoco model=\"{}\">\n{}", xml_text(model_.name()), kHead);
    write_bodies();
    text_ += "  </worldbody>\n";
    write_rows();
    write_excludes();
    write_actuators();
    write_rest();
    text_ += "</mujoco>\n";
    return std::move(text_);
  }

 private:
  void note(const std::string& what) {
    if (notes_ != nullptr) notes_->push_back("MJCF of '" + model_.name() + "': " + what);
  }

  // --- bodies ---

  std::string indent() const { return std::string(std::min(4 + 2 * depth_, kDeepest), ' '); }

  // depth first without recursion; a null joint closes a body
  void write_bodies() {
    const auto root = static_cast<std::size_t>(model_.root_link());
    const bool in_world = !model_.floating_base() && spec_.links[root].name == "world";
    std::vector<const Joint*> open;
    const auto push_children = [&](std::size_t link) {
      for (std::size_t n = children_[link].size(); n-- > 0;)
        open.push_back(&spec_.joints[children_[link][n]]);
    };
    if (!in_world) {
      append(text_, "{}<body name=\"{}\"{}>\n", indent(), xml_text(spec_.links[root].name),
             pose_of(Matrix3d::Identity(), state_.p_WB));
      ++depth_;
      if (model_.floating_base()) {
        rest_ = triple(state_.p_WB) + " 1 0 0 0";
        append(text_, "{}<freejoint name=\"{}\"/>\n", indent(), xml_text(free_joint()));
      }
    }
    write_link(root);
    push_children(root);
    while (!open.empty()) {
      const Joint* joint = open.back();
      open.pop_back();
      if (joint == nullptr) {
        close_body();
        continue;
      }
      const auto child = static_cast<std::size_t>(model_.link_index(joint->child));
      open_body(*joint);
      write_link(child);
      open.push_back(nullptr);
      push_children(child);
    }
    if (!in_world) close_body();
  }

  void open_body(const Joint& joint) {
    append(text_, "{}<body name=\"{}\"{}>\n", indent(), xml_text(joint.child),
           pose_of(joint.R_PJ, joint.p_PJ));
    ++depth_;
    if (joint.type == JointType::Fixed) return;
    append(rest_, "{}{}", rest_.empty() ? "" : " ", state_.s[model_.joint_index(joint.name)]);
    append(text_, "{}<joint name=\"{}\"{} axis=\"{}\"", indent(), xml_text(joint.name),
           joint.type == JointType::Prismatic ? " type=\"slide\"" : "", triple(joint.axis));
    if (joint.lower < joint.upper && (std::isfinite(joint.lower) || std::isfinite(joint.upper)))
      append(text_, " range=\"{} {}\"", std::max(joint.lower, -kNoLimit), std::min(joint.upper, kNoLimit));
    if (std::isfinite(joint.effort) && joint.effort > 0.0)
      append(text_, " actuatorfrcrange=\"{} {}\"", -joint.effort, joint.effort);
    text_ += "/>\n";
  }

  void close_body() {
    --depth_;
    append(text_, "{}</body>\n", indent());
  }

  std::string free_joint() const {
    return mjcf::unused("floating_base_joint",
                        [this](const std::string& name) { return !joint_names_.contains(name); });
  }

  void write_link(std::size_t index) {
    const Link& link = spec_.links[index];
    write_inertia(link);
    for (const LinkCapsule& capsule : link.capsules) write_capsule(capsule, "");
    for (const Vector3d& corner : link.corners)
      append(text_, "{}<geom type=\"sphere\" pos=\"{}\" size=\"{}\"/>\n", indent(), triple(corner),
             kCornerRadius);
    if (!link.capsules.empty()) return;
    for (const std::size_t j : children_[index])
      write_capsule({Vector3d::Zero(), spec_.joints[j].p_PJ, kThin}, " class=\"bone\"");
  }

  // MuJoCo needs a mass and positive inertias of what moves; `boundmass` gives them to massless links
  void write_inertia(const Link& link) {
    if (!(link.mass > 0.0)) return;
    const Matrix3d& I = link.inertia;
    append(text_, "{}<inertial pos=\"{}\" mass=\"{}\" ", indent(), triple(link.com), link.mass);
    if (symmetric_eigen(I).values[0] > 1e-14) {
      append(text_, "fullinertia=\"{} {} {} {} {} {}\"/>\n", I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2),
             I(1, 2));
    } else {
      text_ += "diaginertia=\"1e-6 1e-6 1e-6\"/>\n";
      note("link '" + link.name + "' has no inertia and gets 1e-6 kg m^2");
    }
  }

  void write_capsule(const LinkCapsule& capsule, std::string_view extra) {
    if ((capsule.to - capsule.from).norm() < kShortest) {
      append(text_, "{}<geom type=\"sphere\"{} pos=\"{}\" size=\"{}\"/>\n", indent(), extra,
             triple(0.5 * (capsule.from + capsule.to)), capsule.radius);
    } else {
      append(text_, "{}<geom{} fromto=\"{} {}\" size=\"{}\"/>\n", indent(), extra, triple(capsule.from),
             triple(capsule.to), capsule.radius);
    }
  }

  // --- what joints must keep together ---

  void write_rows() {
    std::string tendons, equalities;
    for (std::size_t i = 0; i < spec_.rows.size(); ++i) {
      const CoupledRow& row = spec_.rows[i];
      const std::string name = xml_text(row.name.empty() ? fmt::format("row{}", i + 1) : row.name);
      const bool equal = row.lower == row.upper;
      tendons += fmt::format("    <fixed name=\"{}\"", name);
      if (!equal)
        tendons +=
            fmt::format(" range=\"{} {}\"", std::max(row.lower, -kNoLimit), std::min(row.upper, kNoLimit));
      tendons += ">\n";
      for (const CoupledRow::Term& term : row.terms)
        tendons +=
            fmt::format("      <joint joint=\"{}\" coef=\"{}\"/>\n", xml_text(term.joint), term.coefficient);
      tendons += "    </fixed>\n";
      if (equal)
        equalities += fmt::format("    <tendon tendon1=\"{}\" polycoef=\"{} 0 0 0 0\"/>\n", name, row.lower);
    }
    for (const Mimic& mimic : spec_.mimics)
      equalities +=
          fmt::format("    <joint joint1=\"{}\" joint2=\"{}\" polycoef=\"{} {} 0 0 0\"/>\n",
                      xml_text(mimic.joint), xml_text(mimic.source), mimic.offset, mimic.multiplier);
    for (const Joint& joint : spec_.joints)
      if (joint.type != JointType::Fixed && joint.lower == joint.upper)
        equalities += fmt::format("    <joint joint1=\"{}\" polycoef=\"{} 0 0 0 0\"/>\n",
                                  xml_text(joint.name), joint.lower);
    if (!tendons.empty()) text_ += "\n  <tendon>\n" + tendons + "  </tendon>\n";
    if (!equalities.empty()) text_ += "\n  <equality>\n" + equalities + "  </equality>\n";
  }

  void write_excludes() {
    std::string excludes;
    bool apart = false;
    for (const LinkPairRule& rule : last_rules(spec_.pair_rules)) {
      apart |= rule.apart;
      if (!rule.apart)
        excludes += fmt::format("    <exclude body1=\"{}\" body2=\"{}\"/>\n", xml_text(rule.first),
                                xml_text(rule.second));
    }
    if (apart) note("pairs of links that keep apart are left out: MJCF can only exclude contacts");
    if (!excludes.empty()) text_ += "\n  <contact>\n" + excludes + "  </contact>\n";
  }

  // --- actuators, speeds, the rest pose ---

  void write_actuators() {
    std::string motors, speeds;
    for (const Joint& joint : spec_.joints) {
      if (joint.type == JointType::Fixed) continue;
      const std::string name = xml_text(joint.name);
      if (std::isfinite(joint.effort) && joint.effort > 0.0)
        motors += fmt::format("    <motor name=\"{}\" joint=\"{}\" ctrlrange=\"{} {}\"/>\n", name, name,
                              -joint.effort, joint.effort);
      if (std::isfinite(joint.velocity))
        speeds +=
            fmt::format("    <numeric name=\"{}{}\" data=\"{}\"/>\n", kMjcfSpeedLimit, name, joint.velocity);
    }
    if (!motors.empty()) text_ += "\n  <actuator>\n" + motors + "  </actuator>\n";
    if (!speeds.empty())
      text_ += "\n  <custom>  <!-- of joints [rad/s], [m/s] -->\n" + speeds + "  </custom>\n";
  }

  void write_rest() {
    text_ += "\n  <keyframe>\n    <key name=\"rest\" qpos=\"" + rest_ + "\"/>\n  </keyframe>\n";
  }

  const Model& model_;
  const ModelSpec& spec_;
  std::vector<std::string>* notes_;
  std::vector<std::vector<std::size_t>> children_;  // joints, by parent link
  std::unordered_set<std::string> joint_names_;
  State state_;       // the keyframe ..
  std::string rest_;  // .. and its values, in the order of the bodies
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string write_mjcf(const Model& model, std::vector<std::string>* notes) {
  return Writer(model, notes).write();
}

void write_mjcf_file(const Model& model, const std::string& path, std::vector<std::string>* notes) {
  write_file(path, write_mjcf(model, notes));
}

}  // namespace panto::io
