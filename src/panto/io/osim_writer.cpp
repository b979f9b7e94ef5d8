#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/append.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/osim.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/euler.hpp"
#include "panto/model/capsule.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kBone = 0.02;          // [m] radius of a link without a shape
constexpr double kShortest = 1e-3;      // [m] shorter shapes are balls
constexpr double kLeastMass = 1e-4;     // [kg] of a massless link, which OpenSim cannot accelerate
constexpr double kLeastInertia = 1e-6;  // [kg m^2]
constexpr double kOpenTurn = std::numbers::pi, kOpenSlide = 10.0;  // shown for the open side of a range

constexpr std::string_view kIllegal = "\\/*+ \t\r\n";  // OpenSim uses them in paths

// -0 becomes 0
std::string triple(const Vector3d& v) {
  return fmt::format("{} {} {}", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

// OpenSim turns about x, y, z of the moving frame
std::string turned(const Matrix3d& R) { return triple(euler::from_rotation(R, euler::XYZ)); }

// Joints that become one of OpenSim's: those of a ball joint in the order of their turns, or a single one.
struct OsimJoint {
  std::vector<const Joint*> parts;
  [[nodiscard]] const std::string& parent() const { return parts.front()->parent; }
  [[nodiscard]] const std::string& child() const { return parts.back()->child; }
};

// one of the six axes of a joint; no coordinate: held at zero
struct Axis {
  std::string coordinate;
  Vector3d direction;
};

class OsimWriter {
 public:
  OsimWriter(const Model& model, std::vector<std::string>* notes)
      : model_(model),
        spec_(model.spec()),
        notes_(notes),
        labels_(opensim_labels(model)),
        outboard_(spec_.links.size()) {
    for (const Joint& joint : spec_.joints) outboard_[at(model.link_index(joint.parent))].push_back(&joint);
    order_.push_back(model.root_link());
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (const Joint* joint : outboard_[at(order_[i])]) order_.push_back(model.link_index(joint->child));
  }

  std::string write() {
    join_joints();
    append(text_,
           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OpenSimDocument Version=\"40000\">\n"
           "<Model name=\"{}\">\n<credits>written by Panto</credits>\n"
           "<length_units>meters</length_units>\n<force_units>N</force_units>\n"
           "<gravity>0 -9.80665 0</gravity>\n<ground>\n<Ground name=\"ground\"/>\n</ground>\n",
           named(model_.name().empty() ? "model" : model_.name()));
    write_bodies();
    write_joints();
    write_constraints();
    text_ += "</Model>\n</OpenSimDocument>\n";
    note_limits();
    return std::move(text_);
  }

 private:
  void note(const std::string& what) {
    if (notes_ != nullptr) notes_->push_back("OpenSim model of '" + model_.name() + "': " + what);
  }

  // the name as OpenSim allows it, ready for XML
  std::string named(std::string name) {
    const std::string before = name;
    for (char& c : name)
      if (kIllegal.find(c) != std::string_view::npos) c = '_';
    if (name != before && renamed_.insert(before).second)
      note("'" + before + "' is called '" + name + "': OpenSim's names have no blanks and none of / \\ * +");
    return xml_text(name);
  }

  // --- which joints make one

  [[nodiscard]] bool links_only(const Joint& outer) const {
    const std::size_t index = at(model_.link_index(outer.parent));
    const Link& link = spec_.links[index];
    return !(link.mass > 0.0) && link.corners.empty() && link.capsules.empty() &&
           outboard_[index].size() == 1;
  }

  // whether OpenSim's joint can take `next` after its last part
  [[nodiscard]] bool continues(const OsimJoint& joint, const Joint& next) const {
    if (joint.parts.size() == 3 || next.type != JointType::Revolute || !next.p_PJ.isZero(0.0)) return false;
    if (joint.parts.back()->type != JointType::Revolute || joint.child() != next.parent) return false;
    Matrix3d R = Matrix3d::Identity();
    Vector3d last = joint.parts.front()->axis;
    for (std::size_t i = 1; i < joint.parts.size(); ++i) {
      R *= joint.parts[i]->R_PJ;
      last = R * joint.parts[i]->axis;
    }
    return links_only(next) && std::abs(last.dot(R * next.R_PJ * next.axis)) < 0.99;
  }

  void join_joints() {
    std::unordered_map<std::string, std::size_t> ends_at;  // by child: position in joints_
    for (const int link : order_) {
      for (const Joint* joint : outboard_[at(link)]) {
        const auto before = ends_at.find(joint->parent);
        std::size_t own = joints_.size();
        if (before != ends_at.end() && continues(joints_[before->second], *joint)) {
          gone_.insert(joint->parent);
          own = before->second;
          joints_[own].parts.push_back(joint);
        } else {
          joints_.push_back({{joint}});
        }
        ends_at[joint->child] = own;
      }
    }
  }

  // --- bodies

  void write_bodies() {
    text_ += "<BodySet name=\"bodyset\">\n<objects>\n";
    for (const int link : order_)
      if (!gone_.contains(spec_.links[at(link)].name)) write_body(spec_.links[at(link)]);
    text_ += "</objects>\n</BodySet>\n";
    if (massless_ > 0) note("massless links get 1e-4 kg: " + std::to_string(massless_));
  }

  void write_body(const Link& link) {
    append(text_, "<Body name=\"{}\">\n", named(link.name));
    std::string shapes;
    int count = 0;
    const auto add = [&](const Vector3d& from, const Vector3d& to, double radius, bool bone) {
      shapes += shape(link.name, ++count, from, to, radius, bone);
    };
    for (const LinkCapsule& capsule : link.capsules) add(capsule.from, capsule.to, capsule.radius, false);
    if (link.capsules.empty()) {
      for (const Joint* joint : outboard_[at(model_.link_index(link.name))])
        add(Vector3d::Zero(), joint->p_PJ, kBone, true);
      if (count == 0 && link.mass > 0.0) add(Vector3d::Zero(), 2.0 * link.com, kBone, true);
    }
    if (!shapes.empty()) text_ += "<components>\n" + shapes + "</components>\n";
    write_inertia(link);
    text_ += "</Body>\n";
  }

  void write_inertia(const Link& link) {
    double mass = link.mass;
    Matrix3d I = link.inertia;
    if (!(mass > 0.0)) {
      mass = kLeastMass;
      ++massless_;
    }
    if (mass > 0.0 && !(symmetric_eigen(I).values[0] > 1e-14)) {
      I = kLeastInertia * Matrix3d::Identity();
      if (link.mass > 0.0) note("link '" + link.name + "' has no inertia and gets 1e-6 kg m^2");
    }
    append(text_, "<mass>{}</mass>\n<mass_center>{}</mass_center>\n<inertia>{} {}</inertia>\n", mass,
           triple(link.com), triple(I.diagonal()), triple({I(0, 1), I(0, 2), I(1, 2)}));
  }

  // a frame in the middle, its y along the shape
  std::string shape(const std::string& link, int number, const Vector3d& from, const Vector3d& to,
                    double radius, bool bone) {
    const Vector3d along = to - from;
    const double length = along.norm();
    if (bone && length < kShortest) return {};
    std::string geometry, R;
    if (length < kShortest) {
      R = "0 0 0";
      geometry = fmt::format("<Sphere name=\"shape\">\n<radius>{}</radius>\n", radius);
    } else {
      R = turned(least_turn(Vector3d::UnitY(), along / length));
      geometry =
          bone
              ? fmt::format(
                    "<Ellipsoid name=\"shape\">\n<radii>{}</radii>\n",
                    triple({std::min(radius, 0.5 * length), 0.5 * length, std::min(radius, 0.5 * length)}))
              : fmt::format("<Cylinder name=\"shape\">\n<radius>{}</radius>\n<half_height>{}</half_height>\n",
                            radius, 0.5 * length + radius);
    }
    const std::string kind = geometry.substr(1, geometry.find(' ') - 1);
    return fmt::format(
        "<PhysicalOffsetFrame name=\"shape{}\">\n<attached_geometry>\n{}<socket_frame>..</socket_frame>\n"
        "<Appearance><color>0.7 0.72 0.76</color></Appearance>\n</{}>\n</attached_geometry>\n"
        "<socket_parent>/bodyset/{}</socket_parent>\n<translation>{}</translation>\n"
        "<orientation>{}</orientation>\n</PhysicalOffsetFrame>\n",
        number, geometry, kind, named(link), triple(0.5 * (from + to)), R);
  }

  // --- joints

  void write_joints() {
    text_ += "<JointSet name=\"jointset\">\n<objects>\n";
    write_base();
    for (const OsimJoint& joint : joints_) write_joint(joint);
    text_ += "</objects>\n</JointSet>\n";
  }

  void open_joint(std::string_view type, const std::string& name) {
    append(text_,
           "<{} name=\"{}\">\n<socket_parent_frame>parent</socket_parent_frame>\n"
           "<socket_child_frame>child</socket_child_frame>\n",
           type, name);
  }

  void write_frames(const std::string& parent, const Vector3d& p, const Matrix3d& R, const std::string& child,
                    const Matrix3d& R_child) {
    text_ += "<frames>\n";
    const auto add = [&](std::string_view name, const std::string& of, const Vector3d& at_p,
                         const Matrix3d& at_R) {
      append(text_,
             "<PhysicalOffsetFrame name=\"{}\">\n<socket_parent>{}</socket_parent>\n"
             "<translation>{}</translation>\n<orientation>{}</orientation>\n</PhysicalOffsetFrame>\n",
             name, of, triple(at_p), turned(at_R));
    };
    add("parent", parent, p, R);
    add("child", child, Vector3d::Zero(), R_child);
    text_ += "</frames>\n";
  }

  void write_coordinate(const std::string& name, double value, double lower, double upper, double open,
                        bool locked) {
    const bool clamped = std::isfinite(lower) && std::isfinite(upper);
    append(text_,
           "<Coordinate name=\"{}\">\n<default_value>{}</default_value>\n<range>{} {}</range>\n"
           "<clamped>{}</clamped>\n<locked>{}</locked>\n</Coordinate>\n",
           xml_text(name), value + 0.0, std::isfinite(lower) ? lower : -open,
           std::isfinite(upper) ? upper : open, clamped, locked);
  }

  void write_transform(const std::array<Axis, 6>& axes) {
    text_ += "<SpatialTransform>\n";
    for (std::size_t i = 0; i < 6; ++i) {
      const Axis& axis = axes[i];
      append(text_, "<TransformAxis name=\"{}{}\">\n<coordinates>{}</coordinates>\n<axis>{}</axis>\n",
             i < 3 ? "rotation" : "translation", i % 3 + 1, xml_text(axis.coordinate),
             triple(axis.direction));
      text_ +=
          axis.coordinate.empty()
              ? "<Constant name=\"function\">\n<value>0</value>\n</Constant>\n"
              : "<LinearFunction name=\"function\">\n<coefficients>1 0</coefficients>\n</LinearFunction>\n";
      text_ += "</TransformAxis>\n";
    }
    text_ += "</SpatialTransform>\n</CustomJoint>\n";
  }

  // The ground's axes are x forward, y up, z right. The base's are ours, and turned likewise for the joint,
  // so that all six are zero at the origin; a base that does not float is locked.
  void write_base() {
    const Matrix3d R_BC = R_OW().transpose();
    const bool locked = model_.base() == BaseKind::Fixed;
    open_joint("CustomJoint", "ground_" + named(spec_.links[at(model_.root_link())].name));
    text_ += "<coordinates>\n";
    for (std::size_t i = 0; i < 6; ++i)
      write_coordinate(
          labels_[i], i == 4 && model_.floating_base() ? 0.0 - lowest_point(model_, rest_state(model_)) : 0.0,
          -kInfinity, kInfinity, i < 3 ? kOpenTurn : kOpenSlide, locked);
    text_ += "</coordinates>\n";
    write_frames("/ground", Vector3d::Zero(), Matrix3d::Identity(),
                 "/bodyset/" + named(spec_.links[at(model_.root_link())].name), R_BC);
    const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
    write_transform({{{labels_[0], z},
                      {labels_[1], x},
                      {labels_[2], y},
                      {labels_[3], x},
                      {labels_[4], y},
                      {labels_[5], z}}});
  }

  // what the names of its parts have in common, "jRightHip" of jRightHip_rotx, _roty, _rotz
  [[nodiscard]] static std::string name_of(const OsimJoint& joint) {
    std::string name = joint.parts.front()->name;
    for (const Joint* part : joint.parts)
      while (!part->name.starts_with(name)) name.pop_back();
    if (joint.parts.size() > 1 && name.ends_with("_rot")) name.resize(name.size() - 4);
    return name.empty() ? joint.parts.front()->name : name;
  }

  void write_joint(const OsimJoint& joint) {
    const Joint& first = *joint.parts.front();
    const bool moves = first.type != JointType::Fixed;
    open_joint(moves ? "CustomJoint" : "WeldJoint", named(name_of(joint)));
    if (moves) text_ += "<coordinates>\n";
    for (const Joint* part : joint.parts)
      if (moves)
        write_coordinate(part->name, model_.rest()[model_.joint_index(part->name)], part->lower, part->upper,
                         part->type == JointType::Prismatic ? kOpenSlide : kOpenTurn,
                         part->lower == part->upper);
    if (moves) text_ += "</coordinates>\n";
    // R(a1) R_2 R(a2) R_3 R(a3) = R(a1) R(R_2 a2) R(R_2 R_3 a3) R_2 R_3
    Matrix3d R = Matrix3d::Identity();
    std::vector<Axis> turns;
    for (const Joint* part : joint.parts) {
      if (part != &first) R *= part->R_PJ;
      if (part->type == JointType::Revolute) turns.push_back({part->name, (R * part->axis).normalized()});
    }
    write_frames("/bodyset/" + named(joint.parent()), first.p_PJ, first.R_PJ,
                 "/bodyset/" + named(joint.child()), R.transpose());
    if (!moves) {
      text_ += "</WeldJoint>\n";
      return;
    }
    write_transform(axes_of(first, std::move(turns)));
  }

  [[nodiscard]] static std::array<Axis, 6> axes_of(const Joint& first, std::vector<Axis> turns) {
    const Vector3d main = first.axis.normalized();
    std::array<Axis, 6> axes{{{"", main},
                              {"", across(main)},
                              {"", main.cross(across(main))},
                              {"", main},
                              {"", across(main)},
                              {"", main.cross(across(main))}}};
    if (first.type == JointType::Prismatic) axes[3].coordinate = first.name;
    if (turns.size() == 2) turns.push_back({"", turns[0].direction.cross(turns[1].direction).normalized()});
    std::move(turns.begin(), turns.end(), axes.begin());
    return axes;
  }

  // --- what coordinates must keep together

  void write_constraints() {
    std::string text;
    int count = 0, lost = 0;
    for (const CoupledRow& row : model_.rows()) {
      if (row.lower != row.upper || row.terms.size() < 2 || row.terms.front().coefficient == 0.0) {
        ++lost;
        continue;
      }
      const CoupledRow::Term& last = row.terms.front();
      std::string others, coefficients;
      for (std::size_t i = 1; i < row.terms.size(); ++i) {
        others += (i > 1 ? " " : "") + xml_text(row.terms[i].joint);
        coefficients += fmt::format("{} ", -row.terms[i].coefficient / last.coefficient);
      }
      text += fmt::format(
          "<CoordinateCouplerConstraint name=\"coupled{}\">\n<coupled_coordinates_function>\n"
          "<LinearFunction>\n<coefficients>{}{}</coefficients>\n</LinearFunction>\n"
          "</coupled_coordinates_function>\n<independent_coordinate_names>{}</independent_coordinate_names>\n"
          "<dependent_coordinate_name>{}</dependent_coordinate_name>\n</CoordinateCouplerConstraint>\n",
          ++count, coefficients, row.lower / last.coefficient, others, xml_text(last.joint));
    }
    if (!text.empty())
      text_ +=
          "<ConstraintSet name=\"constraintset\">\n<objects>\n" + text + "</objects>\n</ConstraintSet>\n";
    if (lost > 0) note("left out: " + counted(lost, "limit") + " that several joints share");
  }

  void note_limits() {
    const auto limited = [](const Joint& j) {
      return j.type != JointType::Fixed && (std::isfinite(j.velocity) || std::isfinite(j.effort));
    };
    if (std::any_of(spec_.joints.begin(), spec_.joints.end(), limited))
      note("left out: limits of speed and effort, which coordinates do not have");
  }

  const Model& model_;
  const ModelSpec& spec_;
  std::vector<std::string>* notes_;
  std::vector<std::string> labels_;
  std::vector<std::vector<const Joint*>> outboard_;  // of every link
  std::vector<int> order_;                           // of links, parents first
  std::vector<OsimJoint> joints_;
  std::unordered_set<std::string> gone_;  // links within a joint
  std::unordered_set<std::string> renamed_;
  std::string text_;
  int massless_ = 0;  // bodies
};

}  // namespace

std::string write_osim(const Model& model, std::vector<std::string>* notes) {
  return OsimWriter(model, notes).write();
}

void write_osim_file(const Model& model, const std::string& path, std::vector<std::string>* notes) {
  write_file(path, write_osim(model, notes));
}

}  // namespace panto::io
