#include "panto/inertial/imu_model.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kRotationTolerance = 1e-6;
constexpr double kLeastLength = 0.02;  // [m]

void require_field(const Vector3d& field, const char* what) {
  if (field.allFinite() && field.norm() > 0.0) return;
  throw ConfigError(std::string("the ") + what + " must be finite and not zero");
}

}  // namespace

ImuModel::ImuModel(const ChainLayout& layout, std::vector<ImuMount> imus, std::vector<PointMount> points,
                   const Surroundings& surroundings)
    : layout_(&layout),
      imu_mounts_(std::move(imus)),
      point_mounts_(std::move(points)),
      surroundings_(surroundings) {
  require_field(surroundings.gravity_W, "gravity");
  require_field(surroundings.field_W, "magnetic field");
  const std::size_t steps = layout.steps().size();
  used_.assign(steps, 0);
  std::set<std::string> names;
  for (const ImuMount& mount : imu_mounts_) {
    if (!names.insert(mount.name).second) throw ConfigError("two sensors are named '" + mount.name + "'");
    if (!so3::is_rotation(mount.R_LI, kRotationTolerance)) {
      throw ConfigError("sensor '" + mount.name + "': its mounting R_LI is not a rotation");
    }
    if (!(mount.turn_sigma.value_or(1.0) > 0.0) || !(mount.position_sigma.value_or(1.0) > 0.0)) {
      throw ConfigError("sensor '" + mount.name +
                        "': `turn_sigma` and `position_sigma` must be larger than 0");
    }
    Sensor sensor;
    sensor.place = place("sensor", mount.name, mount.link, mount.p_LI);
    sensor.R_SL = layout.seat(layout.model().link_index(mount.link)).R_SL;
    sensor.R_SI = sensor.R_SL * mount.R_LI;
    sensor.p_S = sensor.place.p_S;
    const auto m = static_cast<Eigen::Index>(sensor.place.steps.size());
    sensor.rows.y.setZero();
    sensor.rows.H.setZero(9, 3 * m);
    sensor.rows.heading.setZero(m);
    sensors_.push_back(std::move(sensor));
  }
  names.clear();
  for (const PointMount& mount : point_mounts_) {
    if (!names.insert(mount.name).second) throw ConfigError("two points are named '" + mount.name + "'");
    places_.push_back(place("point", mount.name, mount.link, mount.p_LP));
  }
  const Vector3d zero = Vector3d::Zero();
  bodies_.assign(1 + steps, Body{Matrix3d::Identity(), zero, zero, zero, zero, zero});
  axes_.assign(steps, Axis{zero, zero, zero, zero, zero, zero});
  angle_.assign(steps, 0.0);
  sin_ = cos_ = angle_;
  add_lengths();
}

void ImuModel::add_lengths() {
  const Model& model = layout_->model();
  const int base = model.nv() - model.dof();  // unknowns of a floating base
  std::vector<int> length_of_step(layout_->steps().size(), -1);
  for (std::size_t i = 0; i < layout_->steps().size(); ++i) {
    const ChainLayout::Step& step = layout_->steps()[i];
    lever_.push_back(step.p_PJ);
    // lengths from the fixed root do not count
    if (used_[i] == 0 || step.parent < 0 || step.unknown < base || step.p_PJ.norm() < kLeastLength) continue;
    const Joint& joint = model.joint(step.unknown - base);
    length_of_step[i] = static_cast<int>(lengths_.size());
    lengths_.push_back({joint.name, joint.parent, step.p_PJ.norm(), static_cast<int>(i)});
  }
  for (Sensor& sensor : sensors_) {
    for (const int i : sensor.place.steps)
      if (length_of_step[at(i)] >= 0) sensor.lengths.push_back(length_of_step[at(i)]);
    sensor.rows.by_length.setZero(3, std::ssize(sensor.lengths));
  }
}

ImuModel::Place ImuModel::place(const std::string& what, const std::string& name, const std::string& link,
                                const Vector3d& p_L) {
  const std::string whose = what + " '" + name + "': ";
  const Model& model = layout_->model();
  const auto found = model.find_link(link);
  if (!found) {
    throw ConfigError(whose + unknown_name("link", link, "model '" + model.name() + "'", model.link_names()));
  }
  if (!p_L.allFinite()) throw ConfigError(whose + "its position is not finite");
  Place result;
  try {
    const ChainLayout::Seat seat = layout_->seat(*found);
    result.step = seat.step;
    result.p_S = seat.p_SL + seat.R_SL * p_L;
  } catch (const ModelError& error) {
    throw ConfigError(whose + error.what());
  }
  for (int i = result.step; i >= 0; i = layout_->steps()[at(i)].parent) {
    result.steps.push_back(i);
    result.path.push_back(layout_->steps()[at(i)].unknown);
    used_[at(i)] = 1;
  }
  std::reverse(result.steps.begin(), result.steps.end());
  std::reverse(result.path.begin(), result.path.end());
  const auto m = static_cast<Eigen::Index>(result.steps.size());
  result.rows.J.setZero(3, m);
  result.rows.Jdot.setZero(3, m);
  result.rows.Jddot.setZero(3, m);
  return result;
}

void ImuModel::update(const ChainMotion& motion) noexcept {
  if (shaped_) take({});
  predict(motion);
}

void ImuModel::update(const ChainMotion& motion, const ChainShape& shape) noexcept {
  take(shape);
  predict(motion);
  for (Sensor& sensor : sensors_) feel_shape(sensor);
}

// the body's levers and the sensors' places
void ImuModel::take(const ChainShape& shape) noexcept {
  shaped_ = shape.place.size() > 0 || shape.length.size() > 0;
  for (std::size_t k = 0; k < lengths_.size(); ++k) {
    const double off = shape.length.size() > 0 ? shape.length[static_cast<Eigen::Index>(k)] : 0.0;
    const Vector3d& nominal = layout_->steps()[at(lengths_[k].step)].p_PJ;
    lever_[at(lengths_[k].step)] = nominal + off / lengths_[k].nominal * nominal;
  }
  for (std::size_t k = 0; k < sensors_.size(); ++k) {
    Sensor& sensor = sensors_[k];
    sensor.place.p_S = sensor.p_S;
    if (shape.place.size() > 0)
      sensor.place.p_S += sensor.R_SL * shape.place.segment<3>(3 * static_cast<Eigen::Index>(k));
  }
}

void ImuModel::predict(const ChainMotion& motion) noexcept {
  const auto& steps = layout_->steps();
  for (std::size_t i = 0; i < steps.size(); ++i) angle_[i] = motion.q[steps[i].unknown];
  sincos(angle_.data(), angle_.size(), sin_.data(), cos_.data());

  // the root: the world for a floating base, else the base itself
  bodies_[0].p = motion.p_W;
  if (!layout_->model().floating_base()) bodies_[0].R = motion.reference[0];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (used_[i] != 0) move(static_cast<int>(i), motion);
  }
  for (Sensor& sensor : sensors_) {
    differentiate(sensor.place);
    feel(sensor);
  }
  for (Place& place : places_) differentiate(place);
}

// one joint outward; K u = alpha x u + w x (w x u) is the second derivative of a vector u fixed in the body
void ImuModel::move(int i, const ChainMotion& motion) noexcept {
  const ChainLayout::Step& step = layout_->steps()[at(i)];
  const Body& up = body(step.parent);
  Body& here = bodies_[at(i + 1)];
  Axis& axis = axes_[at(i)];
  const double rate = motion.qdot[step.unknown], acceleration = motion.qddot[step.unknown];
  const auto turning = [&up](const Vector3d& u) -> Vector3d { return up.w.cross(u); };

  Matrix3d R_WJ = up.R * step.R_PJ;
  if (step.reference >= 0) R_WJ = R_WJ * motion.reference[at(step.reference)];
  const Vector3d lever = up.R * lever_[at(i)], lever_dot = turning(lever);
  axis.p = up.p + lever;
  axis.v = up.v + lever_dot;
  axis.a = up.a + up.alpha.cross(lever) + turning(lever_dot);
  axis.u = R_WJ * step.axis;
  axis.udot = turning(axis.u);
  axis.uddot = up.alpha.cross(axis.u) + turning(axis.udot);

  here.p = axis.p, here.v = axis.v, here.a = axis.a;
  here.w = up.w, here.alpha = up.alpha;
  if (step.slides) {
    const double s = angle_[at(i)];
    here.R = R_WJ;
    here.p += s * axis.u;
    here.v += s * axis.udot + rate * axis.u;
    here.a += s * axis.uddot + 2.0 * rate * axis.udot + acceleration * axis.u;
  } else {
    here.R = rotated(R_WJ, step.axis_code, step.axis, sin_[at(i)], cos_[at(i)]);
    here.w += rate * axis.u;
    here.alpha += acceleration * axis.u + rate * axis.udot;
  }
}

// position r(q) has a symmetric Hessian and d/dt commutes with d/dq: J, J', J'' are those of a x d
void ImuModel::differentiate(Place& place) const noexcept {
  PointRows& rows = place.rows;
  const Body& on = body(place.step);
  const Vector3d lever = on.R * place.p_S, lever_dot = on.w.cross(lever);
  rows.p = on.p + lever;
  rows.v = on.v + lever_dot;
  rows.a = on.a + on.alpha.cross(lever) + on.w.cross(lever_dot);
  for (std::size_t k = 0; k < place.steps.size(); ++k) {
    const Axis& axis = axes_[at(place.steps[k])];
    const auto column = static_cast<Eigen::Index>(k);
    if (layout_->steps()[at(place.steps[k])].slides) {
      rows.J.col(column) = axis.u;
      rows.Jdot.col(column) = axis.udot;
      rows.Jddot.col(column) = axis.uddot;
      continue;
    }
    const Vector3d d = rows.p - axis.p, d1 = rows.v - axis.v, d2 = rows.a - axis.a;
    rows.J.col(column) = axis.u.cross(d);
    rows.Jdot.col(column) = axis.udot.cross(d) + axis.u.cross(d1);
    rows.Jddot.col(column) = axis.uddot.cross(d) + 2.0 * axis.udot.cross(d1) + axis.u.cross(d2);
  }
}

// in W, from the joint that moves it to the one further out
Vector3d ImuModel::direction(const ChainLength& length) const noexcept {
  const ChainLayout::Step& step = layout_->steps()[at(length.step)];
  return body(step.parent).R * (step.p_PJ / length.nominal);
}

double ImuModel::turning_of(int length) const noexcept {
  const ChainLength& of = lengths_[at(length)];
  return body(layout_->steps()[at(of.step)].parent).w.cross(direction(of)).norm();
}

// Derivative of the accelerometer by an offset u fixed in a body: the sensor's, or a segment's that carries
// everything further out. [docs/algorithms/imu_model.md]
void ImuModel::feel_shape(Sensor& sensor) const noexcept {
  const auto felt = [&sensor](const Body& on, const Vector3d& u) -> Vector3d {
    return sensor.R_WI.transpose() * (on.alpha.cross(u) + on.w.cross(on.w.cross(u)));
  };
  const Body& on = body(sensor.place.step);
  const Matrix3d R_WL = on.R * sensor.R_SL;
  for (int axis = 0; axis < 3; ++axis) sensor.rows.by_place.col(axis) = felt(on, R_WL.col(axis));
  for (std::size_t k = 0; k < sensor.lengths.size(); ++k) {
    const ChainLength& length = lengths_[at(sensor.lengths[k])];
    sensor.rows.by_length.col(static_cast<Eigen::Index>(k)) =
        felt(body(layout_->steps()[at(length.step)].parent), direction(length));
  }
}

void ImuModel::feel(Sensor& sensor) const noexcept {
  const Place& place = sensor.place;
  const Body& on = body(place.step);
  sensor.R_WI = on.R * sensor.R_SI;
  const Matrix3d R_IW = sensor.R_WI.transpose();
  const Vector3d f = place.rows.a - surroundings_.gravity_W;
  ImuRows& rows = sensor.rows;
  rows.y << R_IW * on.w, R_IW * f, R_IW * surroundings_.field_W;
  for (std::size_t k = 0; k < place.steps.size(); ++k) {
    const Axis& axis = axes_[at(place.steps[k])];
    const auto from = static_cast<Eigen::Index>(k);
    auto columns = rows.H.middleCols<3>(3 * from);
    columns.block<3, 1>(3, 0) = R_IW * place.rows.Jddot.col(from);
    columns.block<3, 1>(3, 1) = 2.0 * (R_IW * place.rows.Jdot.col(from));
    columns.block<3, 1>(3, 2) = R_IW * place.rows.J.col(from);
    // a slide causes no rotation: its other rows stay zero
    if (layout_->steps()[at(place.steps[k])].slides) continue;
    columns.block<3, 1>(0, 0) = R_IW * axis.udot;
    columns.block<3, 1>(0, 1) = R_IW * axis.u;
    columns.block<3, 1>(3, 0) -= R_IW * axis.u.cross(f);
    columns.block<3, 1>(6, 0) = -(R_IW * axis.u.cross(surroundings_.field_W));
    rows.heading[from] = axis.u.z();
  }
}

const std::vector<int>& ImuModel::imu_path(int imu) const noexcept { return sensors_[at(imu)].place.path; }
const std::vector<int>& ImuModel::point_path(int point) const noexcept { return places_[at(point)].path; }
const std::vector<int>& ImuModel::imu_lengths(int imu) const noexcept { return sensors_[at(imu)].lengths; }
const ImuRows& ImuModel::imu(int imu) const noexcept { return sensors_[at(imu)].rows; }
const PointRows& ImuModel::point(int point) const noexcept { return places_[at(point)].rows; }
const Matrix3d& ImuModel::R_WI(int imu) const noexcept { return sensors_[at(imu)].R_WI; }
const Vector3d& ImuModel::w_WI(int imu) const noexcept { return body(sensors_[at(imu)].place.step).w; }
const Vector3d& ImuModel::angular_acceleration(int imu) const noexcept {
  return body(sensors_[at(imu)].place.step).alpha;
}

Heading ImuModel::heading(int imu, const Vector3d& mag_I) const noexcept {
  const Vector3d m = sensors_[at(imu)].R_WI * mag_I;
  return {atan2(m.y(), m.x()), m.head<2>().norm()};
}

}  // namespace panto
