#include "panto/synthesis/human_motion.hpp"

#include <algorithm>
#include <cmath>

#include "panto/math/degrees.hpp"
#include "panto/model/human.hpp"

namespace panto::detail {
namespace {

using Eigen::Vector3d;

State posture(const Model& model) {
  State state;
  state.s = Eigen::VectorXd::Zero(model.dof());
  state.sdot = state.s;
  return state;
}

/// Smallest and largest value over one period.
std::pair<double, double> range(const Curve& curve, double period) {
  constexpr int samples = 512;
  double low = curve.at(0.0).value, high = low;
  for (int i = 1; i < samples; ++i) {
    const double value = curve.at(period * i / samples).value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return {low, high};
}

Curve inside(const Curve& curve, double lower, double upper, double period) {
  if (curve.waves().empty()) return Curve(std::clamp(curve.constant(), lower, upper));
  const double width = upper - lower;
  const double margin = std::isfinite(width) ? std::min(2.0 * kDegree, 0.05 * width) : 0.0;
  const double low = lower + margin, high = upper - margin;
  const auto [least, most] = range(curve, period);
  // scale about the mean only if the range itself is too wide
  const double factor = most - least > high - low ? (high - low) / (most - least) : 1.0;
  const double mean = curve.constant();
  const double bottom = mean + factor * (least - mean), top = mean + factor * (most - mean);
  // then shift only if it still exceeds a limit
  double shift = 0.0;
  if (bottom < low) shift = low - bottom;
  if (top > high) shift = high - top;
  return curve.scaled(factor, (1.0 - factor) * mean + shift);
}

}  // namespace

HumanCurves::HumanCurves(std::string_view motion, const Model& model) : model_(&model) {
  std::string who = "motion '";
  who.append(motion).append("' needs a human model; '").append(model.name()).append("' has no ");
  for (const std::string& segment : human_segment_names()) {
    if (!model.find_link(segment)) throw ConfigError(who.append("link '").append(segment).append("'"));
  }
  for (const char* joint : {"jRightShoulder_rotx", "jLeftShoulder_rotx", "jRightHip_roty", "jLeftHip_roty",
                            "jRightKnee_roty", "jLeftKnee_roty", "jRightAnkle_roty", "jLeftAnkle_roty"}) {
    if (!model.find_joint(joint)) throw ConfigError(who + "joint '" + joint + "'");
  }
  if (!model.floating_base() || model.links()[static_cast<std::size_t>(model.root_link())].name != "Pelvis") {
    throw ConfigError(who + "floating base 'Pelvis'");
  }
  curves_.resize(static_cast<std::size_t>(model.dof()));
}

void HumanCurves::set(const std::string& joint, const Curve& curve) {
  if (const auto index = model_->find_joint(joint)) curves_[static_cast<std::size_t>(*index)] = curve;
}

void HumanCurves::set_sides(std::string_view right_joint, char axis, const Curve& right, double delay) {
  std::string joint = std::string(right_joint) + "_rot" + axis;
  set(joint, right);
  joint.replace(joint.find("Right"), 5, "Left");
  // the mirror plane is x-z: turns about y keep their sign, the others change it
  set(joint, (axis == 'y' ? right : -right).delayed(delay));
}

void HumanCurves::fit_into_limits(double period) {
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    curves_[i] = inside(curves_[i], model_->lower()[k], model_->upper()[k], period);
  }
}

Sole::Sole(const Model& model, const std::string& side)
    : foot_(model.link_index(side + "Foot")), toe_(model.link_index(side + "Toe")) {
  Kinematics kinematics(model);
  kinematics.update(posture(model));
  const Vector3d ball = kinematics.p_WL(toe_) - kinematics.p_WL(foot_);
  tip_ = 2.0 * model.links()[static_cast<std::size_t>(toe_)].com;
  heel_ = Vector3d(-0.25 * (ball.x() + tip_.x()), 0.0, ball.z());
}

SolePoint Sole::lowest(const Kinematics& kinematics) const noexcept {
  const auto point = [&](int link, const Vector3d& p_L) {
    const Vector3d arm = kinematics.R_WL(link) * p_L;
    return SolePoint{kinematics.p_WL(link) + arm, kinematics.v_WL(link) + kinematics.w_WL(link).cross(arm)};
  };
  SolePoint lowest = point(foot_, heel_);
  for (const SolePoint& other : {point(toe_, Vector3d::Zero()), point(toe_, tip_)}) {
    if (other.p.z() < lowest.p.z()) lowest = other;
  }
  return lowest;
}

double standing_height(const Model& model) {
  Kinematics kinematics(model);
  kinematics.update_with_velocities(posture(model));
  return -std::min(Sole(model, "Right").lowest(kinematics).p.z(),
                   Sole(model, "Left").lowest(kinematics).p.z());
}

}  // namespace panto::detail
