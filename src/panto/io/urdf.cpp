#include "panto/io/urdf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <pugixml.hpp>
#include <unordered_map>
#include <unordered_set>

#include "panto/io/text_scanner.hpp"
#include "panto/io/urdf_document.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using pugi::xml_node;
using urdf::in_quotes;
using urdf::kXacroAdvice;
using urdf::UrdfDocument;

constexpr double kMostTurns = 12.6;    // [rad] joints rarely have more than two turns
constexpr double kLongestLink = 20.0;  // [m] links are rarely longer

// names of a root link that is the place where the robot is, not a part of it
constexpr std::array<std::string_view, 10> kWorlds{"world",  "world_link",  "world_frame", "map",
                                                   "odom",   "earth",       "ground",      "universe",
                                                   "origin", "static_world"};

class UrdfReader : private UrdfDocument {
 public:
  UrdfReader(std::string_view text, const std::string& name, const UrdfOptions& options)
      : UrdfDocument(text, name) {
    spec_.floating_base = options.floating_base;
    spec_.base_known = !options.floating_base;
  }

  ModelSpec read() {
    parse();
    read_robot();
    release_floating_base();
    check_tree();
    check_mimics();
    return std::move(spec_);
  }

  using UrdfDocument::remarks;

 private:
  struct FloatingJoint {
    xml_node node;
    std::string parent, child;
  };

  // --- links ---

  void read_robot() {
    if (const auto label = robot_.attribute("name"); label && *label.value() != '\0') {
      spec_.name = text_attribute(robot_, "name");
    } else {
      spec_.name = std::filesystem::path(name_).stem().string();
      remarks_.add("<robot> has no name; the name of the file is used", spec_.name);
    }
    for (const xml_node node : robot_.children()) {
      const std::string_view element = node.name();
      if (element == "link") {
        read_link(node);
      } else if (element == "joint") {
        read_joint(node);
      } else if (element.substr(0, 6) == "xacro:") {
        fail(node, std::string{kXacroAdvice});
      }
    }
    if (spec_.links.empty()) fail(robot_, "the robot has no <link>");
  }

  void read_link(xml_node node) {
    Link link;
    link.name = text_attribute(node, "name");
    if (spec_.links.size() == kUrdfMaxLinks) fail(node, fmt::format("more than {} links", kUrdfMaxLinks));
    if (const auto [first, is_new] = link_nodes_.emplace(link.name, node); !is_new) {
      fail(node, fmt::format("a link of this name is already on line {}", line_of(first->second)));
    }
    if (const xml_node inertial = only_child(node, "inertial")) read_inertial(inertial, link);
    spec_.links.push_back(std::move(link));
  }

  void read_inertial(xml_node inertial, Link& link) {
    const Pose pose = origin_of(inertial);
    link.com = pose.p;
    const xml_node mass = only_child(inertial, "mass");
    if (!mass) fail(inertial, "<mass value='...'> is missing");
    link.mass = number(mass, "value");
    if (link.mass < 0.0) fail(mass, fmt::format("value={} is negative", link.mass));
    const xml_node inertia = only_child(inertial, "inertia");
    if (!inertia) {
      remarks_.add("<inertial> without <inertia> is read as zero in links", link.name);
      return;
    }
    const double xx = number(inertia, "ixx"), yy = number(inertia, "iyy"), zz = number(inertia, "izz");
    const double xy = number(inertia, "ixy"), xz = number(inertia, "ixz"), yz = number(inertia, "iyz");
    Matrix3d I;
    I << xx, xy, xz,  //
        xy, yy, yz,   //
        xz, yz, zz;
    const Matrix3d turned = pose.R * I * pose.R.transpose();
    link.inertia = 0.5 * (turned + turned.transpose());
    if (!link.inertia.allFinite()) fail(inertia, "the inertia is too large for a double");
  }

  // --- joints ---

  void read_joint(xml_node node) {
    Joint joint;
    joint.name = text_attribute(node, "name");
    if (const auto [first, is_new] = joint_nodes_.emplace(joint.name, node); !is_new) {
      fail(node, fmt::format("a joint of this name is already on line {}", line_of(first->second)));
    }
    if (joint_nodes_.size() > kUrdfMaxLinks) fail(node, fmt::format("more than {} joints", kUrdfMaxLinks));
    const std::string type = text_attribute(node, "type");
    const xml_node parent = only_child(node, "parent"), child = only_child(node, "child");
    if (!parent) fail(node, "<parent link='...'> is missing");
    if (!child) fail(node, "<child link='...'> is missing");
    joint.parent = text_attribute(parent, "link");
    joint.child = text_attribute(child, "link");
    const Pose pose = origin_of(node);
    if (pose.p.norm() > kLongestLink)
      remarks_.add("its origin is more than 20 m away: URDF uses metres, and this looks like millimetres",
                   joint.name);
    joint.R_PJ = pose.R;
    joint.p_PJ = pose.p;

    if (type == "floating") {
      floating_.push_back({node, joint.parent, joint.child});
      return;
    }
    if (type == "revolute" || type == "continuous") {
      joint.type = JointType::Revolute;
    } else if (type == "prismatic") {
      joint.type = JointType::Prismatic;
    } else if (type == "planar") {
      fail(node, "planar joints are not supported; replace them by two prismatic joints and a revolute one");
    } else if (type != "fixed") {
      fail(node, fmt::format("type={} is unknown; expected revolute, continuous, prismatic, fixed or "
                             "floating",
                             in_quotes(type)));
    }
    if (joint.type != JointType::Fixed) {
      joint.axis = axis_of(node);
      read_limits(node, type != "continuous", joint);
    }
    read_mimic(node, joint);
    spec_.joints.push_back(std::move(joint));
  }

  Vector3d axis_of(xml_node node) {
    const xml_node element = only_child(node, "axis");
    if (!element) return Vector3d::UnitX();
    if (!element.attribute("xyz")) fail(element, "attribute 'xyz' is missing");
    Vector3d axis = vector_or(element, "xyz", Vector3d::UnitX(), kInfinity);
    const double largest = axis.cwiseAbs().maxCoeff();
    if (!(largest > 0.0)) fail(element, "the axis is zero; it needs a direction, such as xyz='0 0 1'");
    // a unit vector is kept to the bit, so that written models read back unchanged
    if (std::abs(axis.squaredNorm() - 1.0) < 1e-15) return axis;
    return (axis / largest).normalized();
  }

  void read_limits(xml_node node, bool bounded, Joint& joint) {
    const xml_node limit = only_child(node, "limit");
    if (!limit && bounded) {
      fail(node, fmt::format("<limit lower='..' upper='..' effort='..' velocity='..'/> is missing{}",
                             joint.type == JointType::Revolute
                                 ? "; a revolute joint without limits has type='continuous'"
                                 : ""));
    }
    const auto or_none = [](double value) {
      return std::abs(value) < kUrdfNoLimit ? value : std::copysign(kInfinity, value);
    };
    if (bounded) {
      joint.lower = or_none(number_or(limit, "lower", 0.0));
      joint.upper = or_none(number_or(limit, "upper", 0.0));
      if (!limit.attribute("lower") && !limit.attribute("upper")) {
        remarks_.add("<limit> without lower and upper fixes a joint at 0, as URDF defines", joint.name);
      }
      if (joint.lower > joint.upper || joint.lower == kInfinity || joint.upper == -kInfinity) {
        fail(limit, fmt::format("lower={} is above upper={}", joint.lower, joint.upper));
      }
      const auto turns = [](double value) { return std::isfinite(value) && std::abs(value) > kMostTurns; };
      if (joint.type == JointType::Revolute && (turns(joint.lower) || turns(joint.upper)))
        remarks_.add("a limit exceeds two turns: URDF uses radians, and this looks like degrees", joint.name);
    }
    joint.velocity = or_none(number_or(limit, "velocity", 0.0));
    joint.effort = or_none(number_or(limit, "effort", kInfinity));
    if (joint.velocity < 0.0) fail(limit, fmt::format("velocity={} is negative", joint.velocity));
    if (joint.velocity == 0.0) {
      remarks_.add("a missing or zero speed limit is read as none", joint.name);
      joint.velocity = kInfinity;
    }
    if (joint.velocity >= kUrdfNoSpeed && std::isfinite(joint.velocity)) {
      remarks_.add(fmt::format("a speed limit of {:g} or more is read as none", kUrdfNoSpeed), joint.name);
      joint.velocity = kInfinity;
    }
  }

  void read_mimic(xml_node node, const Joint& joint) {
    const xml_node mimic = only_child(node, "mimic");
    if (!mimic) return;
    if (joint.type == JointType::Fixed) {
      remarks_.add("<mimic> on a fixed joint is ignored", joint.name);
      return;
    }
    spec_.mimics.push_back({joint.name, text_attribute(mimic, "joint"), number_or(mimic, "multiplier", 1.0),
                            number_or(mimic, "offset", 0.0)});
    mimic_nodes_.push_back(mimic);
  }

  // --- the tree ---

  // world --floating--> body: the body floats anyway, so the joint and the dummy link are removed
  void release_floating_base() {
    if (floating_.empty()) return;
    const xml_node node = floating_.front().node;
    const std::string &parent = floating_.front().parent, &child = floating_.front().child;
    const char* advice = "; a floating joint can only join the root link to its only child";
    if (floating_.size() > 1) fail(floating_[1].node, std::string{"a second floating joint"} + advice);
    for (const std::string* end : {&parent, &child}) {
      if (link_nodes_.count(*end) == 0) fail(node, fmt::format("unknown link {}", in_quotes(*end)));
    }
    if (parent == child) fail(node, "parent and child are the same link");
    for (const Joint& joint : spec_.joints) {
      for (const std::string* end : {&joint.parent, &joint.child}) {
        if (*end == parent)
          fail(node, fmt::format("joint {} is also attached to {}{}", in_quotes(joint.name),
                                 in_quotes(parent), advice));
      }
      if (joint.child == child) fail(node, fmt::format("link {} has two parents", in_quotes(child)));
    }
    const auto world = std::find_if(spec_.links.begin(), spec_.links.end(),
                                    [&parent = parent](const Link& link) { return link.name == parent; });
    spec_.links.erase(world);
    spec_.base_known = true;
    remarks_.add("a floating joint and the root link above it are read as the floating base",
                 node.attribute("name").value());
  }

  void check_tree() {
    std::unordered_map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < spec_.links.size(); ++i) index.emplace(spec_.links[i].name, i);
    const std::size_t none = spec_.links.size();
    std::vector<std::size_t> up(none, none);            // parent link of a link
    std::vector<const Joint*> joint_of(none, nullptr);  // the joint between them
    const auto find = [&](const Joint& joint, const char* end, const std::string& name) {
      const auto found = index.find(name);
      if (found == index.end()) {
        fail(joint_nodes_.at(joint.name).child(end), fmt::format("unknown link {}", in_quotes(name)));
      }
      return found->second;
    };
    for (const Joint& joint : spec_.joints) {
      const std::size_t parent = find(joint, "parent", joint.parent);
      const std::size_t child = find(joint, "child", joint.child);
      if (parent == child) fail(joint_nodes_.at(joint.name), "parent and child are the same link");
      if (joint_of[child] != nullptr) {
        fail(joint_nodes_.at(joint.name),
             fmt::format("link {} is already the child of joint {} on line {}", in_quotes(joint.child),
                         in_quotes(joint_of[child]->name), line_of(joint_nodes_.at(joint_of[child]->name))));
      }
      up[child] = parent;
      joint_of[child] = &joint;
    }
    check_no_cycle(up, joint_of);
    check_one_root(joint_of);
  }

  // walk from every link towards the root; stop at links that are already checked
  void check_no_cycle(const std::vector<std::size_t>& up, const std::vector<const Joint*>& joint_of) const {
    const std::size_t none = up.size();
    std::vector<std::size_t> walk_of(none, none);
    for (std::size_t start = 0; start < none; ++start) {
      std::size_t link = start;
      for (; link != none && walk_of[link] == none; link = up[link]) walk_of[link] = start;
      if (link == none || walk_of[link] != start) continue;
      std::string path = in_quotes(spec_.links[link].name);
      std::size_t above = up[link];
      for (int shown = 0; above != link && shown < 8; above = up[above], ++shown) {
        path += " <- " + in_quotes(spec_.links[above].name);
      }
      if (above != link) path += " <- ...";
      fail(joint_nodes_.at(joint_of[link]->name), "the joints form a cycle: " + path);
    }
  }

  void check_one_root(const std::vector<const Joint*>& joint_of) {
    const Link* root = nullptr;
    for (std::size_t i = 0; i < joint_of.size(); ++i) {
      if (joint_of[i] != nullptr) continue;
      const Link& link = spec_.links[i];
      if (root != nullptr) {
        fail(link_nodes_.at(link.name),
             fmt::format("a second root besides {} on line {}: every link but one is the child of a joint",
                         in_quotes(root->name), line_of(link_nodes_.at(root->name))));
      }
      root = &link;
    }
    if (!spec_.base_known && root != nullptr) bolt_to_world(*root);
  }

  // a root that is the world: named so, without mass; what hangs on it is bolted to it, or slides and turns
  // on it
  void bolt_to_world(const Link& root) {
    const bool world = std::any_of(kWorlds.begin(), kWorlds.end(), [&](std::string_view name) {
      return equal_ignoring_case(root.name, name);
    });
    if (!world || root.mass > 0.0 || spec_.joints.empty()) return;
    spec_.floating_base = false;
    spec_.base_known = true;
    remarks_.add("the base is fixed (`base` changes it): the root link is the world", root.name);
  }

  void check_mimics() const {
    std::unordered_set<std::string_view> movable;
    for (const Joint& joint : spec_.joints) {
      if (joint.type != JointType::Fixed) movable.insert(joint.name);
    }
    for (std::size_t i = 0; i < spec_.mimics.size(); ++i) {
      const Mimic& mimic = spec_.mimics[i];
      if (movable.count(mimic.source) == 0) {
        fail(mimic_nodes_[i], fmt::format("unknown movable joint {}", in_quotes(mimic.source)));
      }
      if (mimic.source == mimic.joint) fail(mimic_nodes_[i], "the joint mimics itself");
    }
  }

  ModelSpec spec_;
  std::unordered_map<std::string, xml_node> link_nodes_, joint_nodes_;
  std::vector<xml_node> mimic_nodes_;
  std::vector<FloatingJoint> floating_;
};

}  // namespace

ModelSpec read_urdf_spec(std::string_view text, const std::string& name, const UrdfOptions& options,
                         std::vector<std::string>* notes) {
  UrdfReader reader(text, name, options);
  ModelSpec spec = reader.read();
  if (notes != nullptr) reader.remarks().write(name, *notes);
  return spec;
}

Model read_urdf(std::string_view text, const std::string& name, const UrdfOptions& options,
                std::vector<std::string>* notes) {
  ModelSpec spec = read_urdf_spec(text, name, options, notes);
  try {
    return Model{std::move(spec)};
  } catch (const ModelError& error) {
    throw FormatError(name + ": " + error.what());
  }
}

Model read_urdf(const std::string& path, const UrdfOptions& options, std::vector<std::string>* notes) {
  return read_urdf(read_text_file(path, kUrdfMaxBytes), path, options, notes);
}

}  // namespace panto::io
