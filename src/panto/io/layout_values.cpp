#include "panto/io/layout_values.hpp"

#include "panto/base/index.hpp"
#include "panto/io/joint_orders.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void append3(const Vector3d& v, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), v.begin(), v.end());
}

// The centre of mass of all links that move with `link`, in its frame: simulators merge fixed joints.
Vector3d merged_com(const Model& model, int link) {
  const LinkFrame& own = model.frame(link);
  double mass = 0.0;
  Vector3d moment = Vector3d::Zero();
  for (int i = 0; i < model.link_count(); ++i) {
    const LinkFrame& frame = model.frame(i);
    const Link& part = model.links()[at(i)];
    if (frame.body != own.body || !(part.mass > 0.0)) continue;
    mass += part.mass;
    moment += part.mass * (frame.p_BL + frame.R_BL * part.com);
  }
  if (!(mass > 0.0)) return Vector3d::Zero();
  return own.R_BL.transpose() * (moment / mass - own.p_BL);
}

}  // namespace

LayoutValues::LayoutValues(const Model& model, const RobotLayout& layout)
    : model_(&model),
      layout_(&layout),
      body_(model),
      joints_(layout.breadth_first ? breadth_first(model) : depth_first(model)),
      links_{model.root_link()} {
  for (const std::int64_t dof : joints_) {
    const Joint& joint = model.joint(static_cast<int>(dof));
    joint_names_.push_back(joint.name);
    links_.push_back(model.link_index(joint.child));
  }
  if (layout.world) body_names_.emplace_back("world");
  for (const int link : links_) {
    body_names_.push_back(model.links()[at(link)].name);
    coms_.push_back(merged_com(model, link));
  }
}

std::string LayoutValues::shape(LayoutPart part) const {
  const std::string joints = std::to_string(joints_.size()), bodies = std::to_string(body_names_.size());
  switch (part) {
    case LayoutPart::BasePlace:
    case LayoutPart::BaseAngles:
      return "3";
    case LayoutPart::BaseTurn:
      return "4";
    case LayoutPart::Joints:
    case LayoutPart::JointRates:
      return joints;
    case LayoutPart::Pose:
      return std::to_string(7 + joints_.size());
    case LayoutPart::PoseRates:
      return std::to_string(6 + joints_.size());
    case LayoutPart::BodyTurns:
      return bodies + ", 4";
    default:
      return bodies + ", 3";
  }
}

void LayoutValues::append_turn(const Matrix3d& R, std::vector<double>& numbers) const {
  const Eigen::Vector4d wxyz = so3::to_quaternion_wxyz(R);
  if (!layout_->xyzw) numbers.push_back(wxyz[0]);
  for (int k = 1; k < 4; ++k) numbers.push_back(wxyz[k]);
  if (layout_->xyzw) numbers.push_back(wxyz[0]);
}

void LayoutValues::append_joints(const Eigen::VectorXd& values, std::vector<double>& numbers) const {
  for (const std::int64_t dof : joints_) {
    const bool turns = model_->joint(static_cast<int>(dof)).type != JointType::Prismatic;
    const double unit = !layout_->centimetres_degrees ? 1.0 : turns ? kToDegrees : 100.0;
    numbers.push_back(unit * values[dof]);
  }
}

void LayoutValues::append_body(LayoutPart part, int link, const Vector3d& com,
                               std::vector<double>& numbers) const {
  switch (part) {
    case LayoutPart::BodyPlaces:
      return append3(body_.p_WL(link), numbers);
    case LayoutPart::BodyTurns:
      return append_turn(body_.R_WL(link), numbers);
    case LayoutPart::BodyTurnRates:
      return append3(body_.w_WL(link), numbers);
    case LayoutPart::MassVelocities:
      return append3(body_.v_WL(link) + body_.w_WL(link).cross(body_.R_WL(link) * com), numbers);
    default:
      return append3(body_.v_WL(link), numbers);
  }
}

void LayoutValues::append_world(LayoutPart part, std::vector<double>& numbers) const {
  if (part == LayoutPart::BodyTurns)
    append_turn(Matrix3d::Identity(), numbers);
  else
    append3(Vector3d::Zero(), numbers);
}

void LayoutValues::append(LayoutPart part, std::vector<double>& numbers) const {
  const double length = layout_->centimetres_degrees ? 100.0 : 1.0;
  switch (part) {
    case LayoutPart::Rate:
    case LayoutPart::RateList:
    case LayoutPart::JointNames:
    case LayoutPart::BodyNames:
    case LayoutPart::Description:
    case LayoutPart::FrameNumber:
      return;
    case LayoutPart::BasePlace:
      return append3(length * state_->p_WB, numbers);
    case LayoutPart::BaseTurn:
      return append_turn(state_->R_WB, numbers);
    case LayoutPart::BaseAngles:
      return append3(kToDegrees * euler::roll_pitch_yaw(state_->R_WB), numbers);
    case LayoutPart::Joints:
      return append_joints(state_->s, numbers);
    case LayoutPart::JointRates:
      return append_joints(state_->sdot, numbers);
    case LayoutPart::Pose:
      append3(state_->p_WB, numbers);
      append_turn(state_->R_WB, numbers);
      return append_joints(state_->s, numbers);
    case LayoutPart::PoseRates:
      append3(state_->v_WB, numbers);
      append3(state_->R_WB.transpose() * state_->w_WB, numbers);
      return append_joints(state_->sdot, numbers);
    default:
      break;
  }
  if (layout_->world) append_world(part, numbers);
  for (std::size_t i = 0; i < links_.size(); ++i) append_body(part, links_[i], coms_[i], numbers);
}

}  // namespace panto::io
