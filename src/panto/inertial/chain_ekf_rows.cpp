// Rows of the inertial filter beyond the sensors' own: headings of the field, points that stand, joint
// limits.

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/inertial/ball.hpp"
#include "panto/inertial/chain_ekf.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kLeastLevel = 0.2;  // part of the field's norm below which it has no heading
constexpr double kSingular = 0.1;    // cosine of a triple's middle angle below which its angles say nothing

double dip(const Vector3d& m) noexcept { return atan2(-m.z(), m.head<2>().norm()); }

double inside(double x, double lower, double upper) noexcept { return std::min(std::max(x, lower), upper); }

// the whole turns that bring an angle near its range
double near_range(double angle, double lower, double upper) noexcept {
  const double middle = 0.5 * (lower + upper);
  return std::isfinite(middle) ? euler::unwrap(angle, middle) : euler::unwrap(angle, 0.0);
}

// of the two triples of angles that are one rotation, the one that is less outside its limits
Vector3d less_outside(const Vector3d& angles, double mu, const Vector3d& lower,
                      const Vector3d& upper) noexcept {
  constexpr double pi = std::numbers::pi;
  std::array<Vector3d, 2> both{angles, Vector3d{angles[0] + pi, pi - angles[1], angles[2] + pi}};
  std::array<double, 2> outside{0.0, 0.0};
  for (std::size_t i = 0; i < 2; ++i) {
    both[i][1] -= mu;
    for (int k = 0; k < 3; ++k) {
      both[i][k] = near_range(both[i][k], lower[k], upper[k]);
      outside[i] += std::abs(both[i][k] - inside(both[i][k], lower[k], upper[k]));
    }
  }
  return both[outside[1] < outside[0] ? 1 : 0];
}

}  // namespace

// how long every sensor's field has had the reference's norm and dip
void ChainEkf::watch_fields(const ImuSample& sample, double T) noexcept {
  const Vector3d& reference = model_.surroundings().field_W;
  for (int k = 0; k < static_cast<int>(sample.imus.size()); ++k) {
    const ImuReading& reading = sample.imus[at(k)];
    if (!reading.has_mag) continue;
    const Vector3d m = model_.R_WI(k) * reading.mag;
    const bool good = std::abs(m.norm() / reference.norm() - 1.0) < options_.field_norm &&
                      std::abs(dip(m) - dip(reference)) < options_.field_dip;
    work_.good_field[k] = good ? work_.good_field[k] + T : 0.0;
  }
}

void ChainEkf::update_heading(int imu, const ImuReading& reading) noexcept {
  const Vector3d& reference = model_.surroundings().field_W;
  const bool turned = columns() > turns_;
  const Vector3d mag =
      turned ? Vector3d(so3::exp(around_.segment<3>(turns_ + 3 * Eigen::Index{imu})) * reading.mag)
             : reading.mag;
  const Heading measured = model_.heading(imu, mag);
  if (measured.level < kLeastLevel * reference.norm()) return;
  const ImuRows& rows = model_.imu(imu);
  select(imu);
  H_.row(0).head(static_cast<Eigen::Index>(columns_.size())).setZero();
  for (Eigen::Index k = 0; k < rows.heading.size(); ++k) H_(0, 3 * k) = rows.heading[k];
  // a turn of the sensor about the vertical
  if (turned) H_.block<1, 3>(0, 3 * rows.heading.size() + 3) = model_.R_WI(imu).row(2);
  nu_[0] = euler::unwrap(atan2(reference.y(), reference.x()) - measured.angle, 0.0);
  const double sensor = atan2(options_.mag * reference.norm(), reference.head<2>().norm());
  const double place = options_.heading + (turned ? 0.0 : options_.mounting);
  // the place's error stays for a while: what comes soon after another reading tells little that is new
  R_[0] = sensor * sensor + place * place * (1.0 + 2.0 * options_.heading_memory / work_.heading_age[imu]);
  project(1);
  R_[0] *= std::max(1.0, std::abs(nu_[0]) / std::sqrt(innovation(0, 0)) / options_.huber);
  update(1);
  health_[at(imu)].field_used = health_[at(imu)].heading_used = true;
}

// how long the sensors near every contact have been still
void ChainEkf::watch_contacts(const ImuSample& sample, double T) noexcept {
  const double g = model_.surroundings().gravity_W.norm();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const int sensor = contacts_[c].sensor;
    const ImuReading& reading = sample.imus[at(sensor)];
    const Vector3d bias = work_.bias.segment<3>(3 * Eigen::Index{sensor});
    const bool still = health_[at(sensor)].condition == ImuCondition::Working && reading.has_gyro &&
                       reading.has_acc && (reading.gyro - bias).norm() < options_.contact.gyro &&
                       std::abs(reading.acc.norm() - g) < options_.contact.acc;
    double& standing = work_.standing[static_cast<Eigen::Index>(c)];
    standing = still ? standing + T : 0.0;
  }
}

// a point that stands has no velocity, and the floor's height where that is known
void ChainEkf::update_contact(const Contact& contact) noexcept {
  const ChainContactOptions& o = options_.contact;
  const PointRows& rows = model_.point(contact.point);
  columns_.clear();
  for (const int unknown : model_.point_path(contact.point)) {
    for (int k = 0; k < 3; ++k) columns_.push_back(3 * unknown + k);
  }
  const int count = o.floor ? 4 : 3;
  H_.topLeftCorner(count, static_cast<Eigen::Index>(columns_.size())).setZero();
  for (Eigen::Index k = 0; k < rows.J.cols(); ++k) {
    H_.block<3, 1>(0, 3 * k) = rows.Jdot.col(k);
    H_.block<3, 1>(0, 3 * k + 1) = rows.J.col(k);
    if (o.floor) H_(3, 3 * k) = rows.J(2, k);
  }
  nu_.head<3>() = -rows.v;
  R_.head<3>().setConstant(o.speed * o.speed);
  if (o.floor) {
    nu_[3] = *o.floor - rows.p.z();
    R_[3] = o.height * o.height;
  }
  project(count);
  (void)weigh(0);
  update(count);
}

// where a joint is; its slope by the unknowns `columns_` in row 0 of H_
double ChainEkf::stop_value(const Stop& stop) noexcept {
  columns_.clear();
  if (stop.ball < 0) {
    columns_.push_back(3 * stop.unknown);
    H_(0, 0) = 1.0;
    return x_[Eigen::Index{3} * stop.unknown];
  }
  const ChainLayout& layout = model_.layout();
  const ChainLayout::Ball& ball = layout.balls()[at(stop.ball)];
  const double mu = layout.model().tree().groups[at(ball.group)].mu;
  Vector3d q;
  for (int k = 0; k < 3; ++k) {
    columns_.push_back(3 * ball.unknown[at(k)]);
    q[k] = x_[columns_.back()];
  }
  const Matrix3d R =
      work_.motion.reference[at(layout.reference_of(ball))] * euler::to_rotation(q, euler::XYZ);
  const Vector3d principal = euler::from_rotation(R, euler::XYZ);
  const Vector3d s = less_outside(principal, mu, stop.lower, stop.upper);
  const Vector3d angles = s + Vector3d{0.0, mu, 0.0};
  if (std::abs(sincos(angles[1]).cos) < kSingular)
    return inside(0.0, stop.lower[stop.axis], stop.upper[stop.axis]);
  // E(angles) d(angles) = E(q) dq
  const Matrix3d slope = ball::rates(angles).inverse() * ball::rates(q);
  H_.block<1, 3>(0, 0) = slope.row(stop.axis);
  return s[stop.axis];
}

// Tethered joints are counted from the rest pose while they are predicted: hinges from its angle, balls,
// whose error angles are zero here, by the rotation vector from rest: its shrinking turns the ball straight
// back.
void ChainEkf::find_shifts(const ChainMotion& motion) noexcept {
  const ChainLayout& layout = model_.layout();
  for (std::size_t k = 0; k < tethers_.size(); ++k) {
    const Tether& tether = tethers_[k];
    double& shift = shift_[static_cast<Eigen::Index>(k)];
    shift = -tether.rest;
    if (tether.ball < 0) continue;
    const Matrix3d& R = motion.reference[at(layout.reference_of(layout.balls()[at(tether.ball)]))];
    shift = so3::log(tether.R_rest.transpose() * R)[tether.axis];
  }
}

// a joint beyond its limit is measured to be there, softly, while it lasts
void ChainEkf::stop_at_limits() noexcept {
  for (const Stop& stop : stops_) {
    const int axis = stop.ball < 0 ? 0 : stop.axis;
    const double value = stop_value(stop);
    const double allowed = inside(value, stop.lower[axis], stop.upper[axis]);
    if (allowed == value || !std::isfinite(value)) continue;
    around_ = x_;
    nu_[0] = allowed - value;
    R_[0] = *options_.limit * *options_.limit;
    project(1);
    update(1);
  }
  flush();
}

void ChainEkf::read(const ChainState& state, State& result) const noexcept {
  const ChainLayout& layout = model_.layout();
  layout.state(state.motion, result);
  result.t = state.t;
  const int first = layout.model().nv() - layout.model().dof();
  for (const Stop& stop : stops_) {
    const int axis = stop.ball < 0 ? 0 : stop.axis;
    double& s = result.s[stop.unknown - first];
    s = inside(s, stop.lower[axis], stop.upper[axis]);
  }
}

}  // namespace panto
