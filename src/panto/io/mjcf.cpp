#include "panto/io/mjcf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_set>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/io/mjcf_extras.hpp"
#include "panto/io/mjcf_geom.hpp"
#include "panto/io/mjcf_tree.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace mjcf {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using urdf::in_quotes;

constexpr const char* kWorld = "world";

// one joint of ours: a ball joint of the file has three
struct Hinge {
  Joint joint;  // name, type, axis and limits
  Vector3d anchor;
  double ref;
};

class RobotReader {
 public:
  explicit RobotReader(const Document& document) : context_(document, remarks_), assets_(context_) {}

  ModelSpec read() {
    name_the_robot();
    list_ = read_bodies(context_);
    choose_bodies();
    if (context_.compiler.scales_mass) remarks_.add("settotalmass is ignored", spec_.name);
    reserve_names();
    if (!spec_.floating_base) spec_.links.push_back(Link{kWorld});
    for (const Body& body : list_.bodies)
      if (is_robot(body)) add_body(body);
    add_equalities(context_, known_, spec_);
    add_tendons(context_, known_, spec_);
    add_actuator_limits(context_, known_, spec_);
    remove_unreachable(context_, spec_);
    add_excludes(context_, spec_);
    set_rest(rest_values(context_, list_));
    return std::move(spec_);
  }

  const urdf::Remarks& remarks() const { return remarks_; }
  RobotShapes& shapes() { return shapes_; }

 private:
  void name_the_robot() {
    const Document& document = context_.document;
    spec_.name = Element(document, document.root(), "mujoco", nullptr).text("model");
    if (!spec_.name.empty()) return;
    spec_.name = std::filesystem::path(document.name()).stem().string();
    remarks_.add("<mujoco> has no model name; the name of the file is used", spec_.name);
  }

  // --- which bodies are the robot ---

  void choose_bodies() {
    const Body* most = nullptr;
    for (const Body& body : list_.bodies) {
      if (body.parent >= 0) continue;
      const auto rank = [](const Body& b) { return 2 * b.moving + (b.floats() ? 1 : 0); };
      if (most == nullptr || rank(body) > rank(*most)) most = &body;
    }
    if (most == nullptr) context_.document.fail(context_.document.root(), "the model has no <body>");
    spec_.floating_base = most->floats();
    spec_.base_known = true;
    for (const Body& body : list_.bodies) {
      if (body.parent >= 0) continue;
      const bool second_arm =
          !spec_.floating_base && !body.floats() && body.moving == most->moving && most->moving > 0;
      if (&body == most || second_arm) {
        tops_.insert(body.top);
      } else {
        remarks_.add("bodies beside the robot are left out", body.name);
      }
    }
  }

  bool is_robot(const Body& body) const { return tops_.count(body.top) > 0; }

  void reserve_names() {
    links_.insert(kWorld);
    for (const Body& body : list_.bodies) {
      links_.insert(body.name);
      for (const BodyJoint& joint : body.joints) joints_.insert(joint.name);
    }
  }

  std::string new_link(const std::string& name) {
    return unused(name, [this](const std::string& n) { return links_.insert(n).second; });
  }
  std::string new_joint(const std::string& name) {
    return unused(name, [this](const std::string& n) { return joints_.insert(n).second; });
  }

  // --- links and joints ---

  void add_body(const Body& body) {
    Link link;
    link.name = body.name;
    set_inertia(body, context_, assets_, link);
    add_shapes(body, context_, assets_, shapes_);
    if (body.floats()) {
      spec_.links.push_back(std::move(link));
      return;
    }
    std::vector<Hinge> hinges;
    for (const BodyJoint& joint : body.joints) add_hinges(joint, hinges);
    const std::string parent =
        body.parent < 0 ? kWorld : list_.bodies[static_cast<std::size_t>(body.parent)].name;
    add_chain(hinges, body, parent);
    spec_.links.push_back(std::move(link));
  }

  // MuJoCo turns the body about each joint in turn. Our joints turn about the origin of their frame, so links
  // between them have the body's axes and the joint's anchor as origin.
  void add_chain(std::vector<Hinge>& hinges, const Body& body, std::string parent) {
    Vector3d at = Vector3d::Zero();  // origin of the last frame, in the body
    Pose pose = body.pose;           // of the body, in the parent; then of the last frame
    for (Hinge& hinge : hinges) {
      Joint& joint = hinge.joint;
      if (joint.type == JointType::Prismatic) hinge.anchor = at;
      joint.parent = std::move(parent);
      joint.p_PJ = pose.p + pose.R * (hinge.anchor - at);
      joint.R_PJ = pose.R;
      if (joint.type == JointType::Prismatic) joint.p_PJ -= pose.R * (hinge.ref * joint.axis);
      if (joint.type == JointType::Revolute && hinge.ref != 0.0)
        joint.R_PJ = pose.R * so3::exp(-hinge.ref * joint.axis);
      at = hinge.anchor;
      const bool ends = &hinge == &hinges.back() && at.isZero(0.0);
      joint.child = ends ? body.name : new_link(joint.name + "_link");
      if (!ends) spec_.links.push_back(Link{joint.child});
      parent = joint.child;
      pose = Pose{};
      spec_.joints.push_back(std::move(joint));
    }
    if (!hinges.empty() && parent == body.name) return;
    Joint fixed;
    fixed.name = new_joint(body.name + "_fixed");
    fixed.parent = std::move(parent);
    fixed.child = body.name;
    fixed.R_PJ = pose.R;
    fixed.p_PJ = pose.p - pose.R * at;
    spec_.joints.push_back(std::move(fixed));
  }

  void add_hinges(const BodyJoint& source, std::vector<Hinge>& hinges) {
    const Element& element = source.placed.element;
    Hinge hinge;
    hinge.joint.name = source.name;
    hinge.joint.type = source.motion == Motion::Slide ? JointType::Prismatic : JointType::Revolute;
    hinge.anchor = source.placed.frame.p + source.placed.frame.R * element.vector("pos", Vector3d::Zero());
    if (!(hinge.anchor.cwiseAbs().maxCoeff() <= kMaxPosition))
      element.fail(fmt::format("pos is beyond {:g} m", kMaxPosition));
    read_limits(source, hinge.joint);
    const double unit = source.motion == Motion::Hinge ? context_.compiler.angle_unit : 1.0;
    hinge.ref = source.motion == Motion::Ball ? 0.0 : unit * element.number("ref", 0.0);
    if (!(std::abs(hinge.ref) <= kMaxPosition)) element.fail(fmt::format("ref is beyond {:g}", kMaxPosition));
    if (source.motion == Motion::Ball) {
      remarks_.add("a ball joint is read as three hinges _x, _y, _z", source.name);
      for (int axis = 0; axis < 3; ++axis) {
        Hinge one = hinge;
        one.joint.name =
            new_joint(source.name + std::array{"_x", "_y", "_z"}[static_cast<std::size_t>(axis)]);
        one.joint.axis = Vector3d::Unit(axis);
        add_value(source, axis);
        hinges.push_back(std::move(one));
      }
      return;
    }
    const Vector3d axis = element.vector("axis", Vector3d::UnitZ());
    if (!(axis.norm() > kShortestAxis))
      element.fail("the axis is zero; it needs a direction, such as axis='0 0 1'");
    hinge.joint.axis = (source.placed.frame.R * axis).normalized();
    known_.emplace(source.name, KnownJoint{spec_.joints.size() + hinges.size(), hinge.ref});
    add_value(source, -1);
    hinges.push_back(std::move(hinge));
  }

  void read_limits(const BodyJoint& source, Joint& joint) {
    const Element& element = source.placed.element;
    const auto range = element.numbers("range", 2, 2);
    const int limited = element.choice("limited", {"false", "true", "auto"}, 2);
    if (range && limited == 2 && !context_.compiler.autolimits && ((*range)[0] != 0.0 || (*range)[1] != 0.0))
      element.fail("range needs limited='true', as the compiler has autolimits='false'");
    const bool rising = range && (*range)[0] < (*range)[1];
    if (limited == 1 && !rising) element.fail("a limited joint needs range='lower upper' with lower < upper");
    if (limited == 2 && range && !rising && (*range)[0] != (*range)[1])
      remarks_.add("a range whose lower end is above its upper end is read as no limit", joint.name);
    if (limited != 0 && rising) {
      const double unit = source.motion == Motion::Slide ? 1.0 : context_.compiler.angle_unit;
      if ((*range)[0] > -kMjcfNoLimit) joint.lower = unit * (*range)[0];
      if ((*range)[1] < kMjcfNoLimit) joint.upper = unit * (*range)[1];
      if (source.motion == Motion::Ball) {
        if (joint.lower != 0.0) element.fail("the range of a ball joint must begin with 0");
        joint.lower = -joint.upper;
        remarks_.add("the range of a ball joint is read as that of each of its hinges", joint.name);
      }
    }
    if (const auto effort = reach_of(element, context_.compiler, "actuatorfrcrange", "actuatorfrclimited"))
      joint.effort = *effort;
  }

  // --- the rest pose ---

  // where a movable joint finds its value in <key qpos>; `axis`: of a ball joint
  struct Value {
    int qpos, axis;
  };
  void add_value(const BodyJoint& source, int axis) { values_.push_back({source.qpos, axis}); }

  void set_rest(const std::vector<double>& qpos) {
    if (qpos.empty() || values_.empty()) return;
    spec_.rest.resize(static_cast<Eigen::Index>(values_.size()));
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Value& value = values_[i];
      const double* q = qpos.data() + value.qpos;
      const auto angles = [&] {
        return euler::from_rotation(so3::from_quaternion_wxyz({q[0], q[1], q[2], q[3]}), euler::XYZ);
      };
      spec_.rest[static_cast<Eigen::Index>(i)] = value.axis < 0 ? *q : angles()[value.axis];
    }
  }

  urdf::Remarks remarks_;
  Context context_;
  Assets assets_;
  BodyList list_;
  ModelSpec spec_;
  RobotShapes shapes_;
  KnownJoints known_;
  std::vector<Value> values_;  // of the movable joints
  std::unordered_set<int> tops_;
  std::unordered_set<std::string> links_, joints_;  // names in use
};

}  // namespace
}  // namespace mjcf

MjcfRobot read_mjcf_robot(std::string_view text, const std::string& name, const OpenInclude& open,
                          std::vector<std::string>* notes) {
  const mjcf::Document document(text, name, open);
  mjcf::RobotReader reader(document);
  ModelSpec spec = reader.read();
  reader.shapes().path = name;
  if (notes != nullptr) reader.remarks().write(name, *notes);
  try {
    return {Model{std::move(spec)}, std::move(reader.shapes())};
  } catch (const ModelError& error) {
    throw FormatError(name + ": " + error.what());
  }
}

MjcfRobot read_mjcf(const std::string& path, std::vector<std::string>* notes) {
  return read_mjcf_robot(read_text_file(path, kMjcfMaxBytes), path, includes_beside(path), notes);
}

}  // namespace panto::io
