// Rows of the inertial filter beyond the sensors' own: headings of the field, contacts, joint limits.

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/inertial/ball.hpp"
#include "panto/inertial/chain_ekf.hpp"
#include "panto/inertial/contact_noise.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr double kLeastLevel = 0.2;  // horizontal share of the field's norm below which it has no heading
constexpr double kLeads = 60.0;      // [s]
constexpr double kFieldMemory = 5.0,
                 kFieldLearns = 20.0;  // [s] of a new field's mean; in motion before it is used
constexpr double kFieldTurns = 0.35;   // [rad/s]: in motion [as VQF]
constexpr double kSameHeading = 0.35;  // [rad] from a place's mean heading
constexpr double kRestMemory = 1.0;    // [s] for which a slow turn lasts
constexpr double kNoHeading = 1e6;     // [rad^2], variance of an unknown quantity
constexpr double kSingular =
    0.1;  // cosine of a triple's middle angle below which its angles are undetermined

double dip(const Vector3d& m) noexcept { return atan2(-m.z(), m.head<2>().norm()); }

double inside(double x, double lower, double upper) noexcept { return std::min(std::max(x, lower), upper); }

// returns the whole turns that bring an angle near its range
double near_range(double angle, double lower, double upper) noexcept {
  const double middle = 0.5 * (lower + upper);
  return std::isfinite(middle) ? euler::unwrap(angle, middle) : euler::unwrap(angle, 0.0);
}

// returns, of the two triples of angles of one rotation, the one less outside its limits
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

bool ChainEkf::same_field(double norm, double tilt, double of_norm, double of_tilt) const noexcept {
  return std::abs(norm / of_norm - 1.0) < options_.field_norm &&
         std::abs(tilt - of_tilt) < options_.field_dip;
}

// variance of a sensor's turn about the vertical, before measuring
double ChainEkf::heading_variance(int imu) const noexcept {
  const std::vector<int>& path = model_.imu_path(imu);
  const VectorXd& slopes = model_.imu(imu).heading;
  double sum = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i)
    for (std::size_t j = 0; j < path.size(); ++j)
      sum += slopes[static_cast<Eigen::Index>(i)] * slopes[static_cast<Eigen::Index>(j)] *
             P_(Eigen::Index{3} * path[i], Eigen::Index{3} * path[j]);
  return std::max(sum, 0.0);
}

// updates how long every sensor's field has matched the reference's norm and dip, or those it has learnt
void ChainEkf::watch_fields(const ImuSample& sample, double T) noexcept {
  const Vector3d& reference = model_.surroundings().field_W;
  for (int k = 0; k < static_cast<int>(sample.imus.size()); ++k) {
    const ImuReading& reading = sample.imus[at(k)];
    if (!reading.has_mag) continue;
    ImuMemory& memory = work_.memory[at(k)];
    const Vector3d m = model_.R_WI(k) * reading.mag;
    const bool known = same_field(m.norm(), dip(m), reference.norm(), dip(reference));
    const bool learnt = !known && memory.field.held > 0.0 &&
                        same_field(m.norm(), dip(m), memory.field.norm, memory.field.dip);
    if (learnt != memory.field_is_learnt) work_.good_field[k] = 0.0;
    memory.field_is_learnt = learnt;
    work_.good_field[k] = known || learnt ? work_.good_field[k] + T : 0.0;
    if (known || learnt) {
      memory.candidate.held = 0.0;
    } else if (options_.magnetic == MagneticUse::Heading) {
      learn_field(k, reading, T);
    }
  }
}

// A field that stays the same while the sensor turns is a place's own. Its heading is what the filter holds
// it to be.
void ChainEkf::learn_field(int imu, const ImuReading& reading, double T) noexcept {
  const Vector3d& reference = model_.surroundings().field_W;
  FieldMemory& candidate = work_.memory[at(imu)].candidate;
  const Heading measured = model_.heading(imu, reading.mag);
  const Vector3d m = model_.R_WI(imu) * reading.mag;
  const double turn = euler::unwrap(measured.angle - atan2(reference.y(), reference.x()), candidate.turn);
  const bool same = candidate.norm > 0.0 && same_field(m.norm(), dip(m), candidate.norm, candidate.dip) &&
                    std::abs(turn - candidate.turn) < kSameHeading;
  if (!same) {
    candidate = {m.norm(), dip(m), euler::unwrap(turn, 0.0), 0.0, 0.0};
    return;
  }
  const double weight = T / (T + kFieldMemory);
  candidate.norm += weight * (m.norm() - candidate.norm);
  candidate.dip += weight * (dip(m) - candidate.dip);
  candidate.turn += weight * (turn - candidate.turn);
  if (model_.w_WI(imu).norm() > kFieldTurns) candidate.held += T;
  if (candidate.held < kFieldLearns) return;
  candidate.variance = heading_variance(imu);
  work_.memory[at(imu)].field = candidate;
  candidate = {};
}

// A reading counts by the time in which such readings alone would lead the heading: a minute or less counts
// fully.
void ChainEkf::weigh_field(int imu, int row) noexcept {
  const double gain = rows_.expected(row) / (rows_.expected(row) + rows_.R(row));
  health_[at(imu)].field_share = std::min(1.0, kLeads * gain / std::max(options_.heading_interval, 1e-3));
}

// Returns true when an interval of time ended since the sample before, T ago.
bool ChainEkf::interval_ends(double length, Time shift, Time now, double T) noexcept {
  if (T >= length) return true;
  const Time interval = std::max<Time>(1, from_seconds(length));
  const Time since = ((now + shift) % interval + interval) % interval;
  return since < from_seconds(T);
}

// at another instant for every sensor
bool ChainEkf::heading_is_due(int imu, double T) const noexcept {
  const Time shift = from_seconds(options_.heading_interval) * imu / std::ssize(health_);
  return interval_ends(options_.heading_interval, shift, work_.t, T);
}

// A sensor that rests does not turn: its gyroscope reads its bias. How slowly it turns nevertheless lasts a
// while.
void ChainEkf::collect_rest(int imu, const ImuReading& reading, double T) noexcept {
  RowSource source;
  source.kind = RowSource::Kind::Rest;
  source.imu = imu;
  sources_.push_back(source);
  rows_.begin(3);
  const int row = rows_.row(rows_.blocks() - 1);
  for (int axis = 0; axis < 3; ++axis) {
    const int column = static_cast<int>(biases_) + 3 * imu + axis;
    rows_.add(column)[axis] = 1.0;
    rows_.nu(row + axis) = reading.gyro[axis] - around_[column];
    rows_.R(row + axis) =
        options_.gyro * options_.gyro + power(*options_.resting, 2) * (1.0 + 2.0 * kRestMemory / T);
  }
}

void ChainEkf::collect_heading(int imu, const ImuReading& reading) noexcept {
  const Vector3d& reference = model_.surroundings().field_W;
  const bool turned = places_ > turns_;
  const Vector3d mag =
      turned ? Vector3d(so3::exp(around_.segment<3>(turns_ + 3 * Eigen::Index{imu})) * reading.mag)
             : reading.mag;
  const Heading measured = model_.heading(imu, mag);
  if (measured.level < kLeastLevel * reference.norm()) {
    health_[at(imu)].field_used = false;
    return;
  }
  RowSource source;
  source.kind = RowSource::Kind::Heading;
  source.imu = imu;
  sources_.push_back(source);
  rows_.begin(1);
  const std::vector<int>& path = model_.imu_path(imu);
  for (std::size_t k = 0; k < path.size(); ++k)
    rows_.add(3 * path[k])[0] = model_.imu(imu).heading[static_cast<Eigen::Index>(k)];
  // a turn of the sensor about the vertical
  for (int axis = 0; turned && axis < 3; ++axis)
    rows_.add(static_cast<int>(turns_) + 3 * imu + axis)[0] = model_.R_WI(imu)(2, axis);
  const int row = rows_.row(rows_.blocks() - 1);
  const ImuMemory& memory = work_.memory[at(imu)];
  const double turn = memory.field_is_learnt ? memory.field.turn : 0.0;
  rows_.nu(row) = euler::unwrap(atan2(reference.y(), reference.x()) + turn - measured.angle, 0.0);
  const double sensor = atan2(options_.mag * reference.norm(), reference.head<2>().norm());
  const double place = options_.heading + (turned ? 0.0 : options_.mounting);
  // the local error persists: a reading soon after another adds little information
  rows_.R(row) =
      sensor * sensor + place * place * (1.0 + 2.0 * options_.heading_memory / work_.heading_age[imu]);
  if (memory.field_is_learnt)
    rows_.R(row) += memory.field.variance * 2.0 * kFieldMemory / work_.heading_age[imu];
  health_[at(imu)].heading_used = true;
}

// Rows of a fused orientation, in axes of G: the turn of the model that makes both agree about up, then the
// turn about it. So a wrong heading never affects inclination.
void ChainEkf::collect_orientation(int imu, const ImuReading& reading) noexcept {
  const Matrix3d R_GW = model_.surroundings().R_WG.transpose();
  const Vector3d up = Vector3d::UnitZ(),
                 turn = places_ > turns_ ? Vector3d(around_.segment<3>(turns_ + 3 * Eigen::Index{imu}))
                                         : Vector3d(Vector3d::Zero());
  const Matrix3d model = R_GW * model_.R_WI(imu) * so3::exp(turn),
                 measured = so3::from_quaternion_wxyz(reading.wxyz_GI);
  const Matrix3d upright = least_turn(model * measured.transpose() * up, up);
  const Matrix3d about = measured * (upright * model).transpose();
  Vector3d off = so3::log(upright);
  off.z() = atan2(about(1, 0) - about(0, 1), about(0, 0) + about(1, 1));

  RowSource source;
  source.kind = RowSource::Kind::Orientation;
  source.imu = imu;
  sources_.push_back(source);
  rows_.begin(3);
  const std::vector<int>& path = model_.imu_path(imu);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Vector3d axis_I = model_.imu(imu).H.col(3 * static_cast<Eigen::Index>(k) + 1).head<3>();
    if (!axis_I.isZero(0.0)) rows_.add(3 * path[k]).head<3>() = R_GW * model_.R_WI(imu) * axis_I;
  }
  // R exp(turn + d) = R exp(turn) exp(J d)
  const Matrix3d J = Matrix3d::Identity() - 0.5 * so3::hat(turn);
  for (int axis = 0; places_ > turns_ && axis < 3; ++axis)
    rows_.add(static_cast<int>(turns_) + 3 * imu + axis).head<3>() = model * J.col(axis);

  const ChainEkfOptions& o = options_;
  const double flesh = o.mounting_use == MountingUse::Inflate ? o.mounting : std::min(o.changing, o.mounting);
  // persistent errors count once: the first orientation after a gap counts fully
  const auto lasting = [age = work_.heading_age[imu]](double sigma, double memory) {
    return sigma * sigma * (1.0 + 2.0 * memory / age);
  };
  const double inclination = lasting(o.orientation, o.orientation_memory) + lasting(flesh, o.changing_memory);
  const bool heading = o.orientation_use == OrientationUse::Full;
  const int row = rows_.row(rows_.blocks() - 1);
  for (int axis = 0; axis < 3; ++axis) {
    rows_.nu(row + axis) = off[axis];
    rows_.R(row + axis) = inclination;
  }
  rows_.R(row + 2) += heading ? lasting(o.heading, o.heading_memory) : kNoHeading;
  if (!heading) rows_.nu(row + 2) = 0.0;
  health_[at(imu)].orientation_used = true;
}

// Updates how long the sensors near every contact have been still, and how well each contact is known.
void ChainEkf::watch_contacts(const ImuSample& sample, double T) noexcept {
  const double g = model_.surroundings().gravity_W.norm();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    Contact& contact = contacts_[c];
    const ImuReading& reading = sample.imus[at(contact.sensor)];
    double& standing = work_.standing[static_cast<Eigen::Index>(c)];
    contact.variance = kInfinity;
    if (health_[at(contact.sensor)].condition == ImuCondition::Working && reading.has_gyro &&
        reading.has_acc) {
      const double turning = (reading.gyro - work_.bias.segment<3>(3 * Eigen::Index{contact.sensor})).norm();
      contact.variance =
          contact_variance(options_.contact, {turning, std::abs(reading.acc.norm() - g), standing}, T);
    }
    standing = std::isfinite(contact.variance) ? standing + T : 0.0;
  }
}

// a point in contact has no velocity, and the floor's height if that is known
void ChainEkf::collect_contact(const Contact& contact) noexcept {
  const ChainContactOptions& o = options_.contact;
  const PointRows& point = model_.point(contact.point);
  RowSource source;
  source.kind = RowSource::Kind::Contact;
  sources_.push_back(source);
  rows_.begin(o.floor ? 4 : 3);
  const std::vector<int>& path = model_.point_path(contact.point);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    RowStack::Slopes& by_angle = rows_.add(3 * path[k]);
    by_angle.head<3>() = point.Jdot.col(column);
    if (o.floor) by_angle[3] = point.J(2, column);
    rows_.add(3 * path[k] + 1).head<3>() = point.J.col(column);
  }
  const int row = rows_.row(rows_.blocks() - 1);
  for (int axis = 0; axis < 3; ++axis) {
    rows_.nu(row + axis) = -point.v[axis];
    rows_.R(row + axis) = contact.variance;
  }
  if (!o.floor) return;
  rows_.nu(row + 3) = *o.floor - point.p.z();
  // it moves with the point while the contact settles
  rows_.R(row + 3) = o.height * o.height + contact.variance * o.settles * o.settles;
}

ChainEkf::StopValue ChainEkf::stop_value(const Stop& stop) const noexcept {
  StopValue result;
  if (stop.ball < 0) {
    result.columns[0] = 3 * stop.unknown;
    result.slopes[0] = 1.0;
    result.count = 1;
    result.value = x_[result.columns[0]];
    return result;
  }
  const ChainLayout& layout = model_.layout();
  const ChainLayout::Ball& ball = layout.balls()[at(stop.ball)];
  const double mu = layout.model().tree().groups[at(ball.group)].mu;
  Vector3d q;
  for (int k = 0; k < 3; ++k) q[k] = x_[result.columns[at(k)] = 3 * ball.unknown[at(k)]];
  const Matrix3d R =
      work_.motion.reference[at(layout.reference_of(ball))] * euler::to_rotation(q, euler::XYZ);
  const Vector3d principal = euler::from_rotation(R, euler::XYZ);
  const Vector3d s = less_outside(principal, mu, stop.lower, stop.upper);
  const Vector3d angles = s + Vector3d{0.0, mu, 0.0};
  result.value = s[stop.axis];
  // near its singularity a triple's angles are undetermined
  if (std::abs(sincos(angles[1]).cos) < kSingular) return result;
  // E(angles) d(angles) = E(q) dq
  const Matrix3d slope = ball::rates(angles).inverse() * ball::rates(q);
  for (int k = 0; k < 3; ++k) result.slopes[at(k)] = slope(stop.axis, k);
  result.count = 3;
  return result;
}

// During prediction tethered joints count from the rest pose: hinges from its angle; balls, whose error
// angles are zero here, by the rotation vector from rest, which shrinks straight back.
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

// Draws a joint beyond its limit back softly. This is not a measurement: a joint at its limit for a tenth of
// a second was not observed there ten times.
void ChainEkf::stop_at_limits() noexcept {
  for (const Stop& stop : stops_) {
    const int axis = stop.ball < 0 ? 0 : stop.axis;
    const StopValue at_x = stop_value(stop);
    const double allowed = inside(at_x.value, stop.lower[axis], stop.upper[axis]);
    if (at_x.count == 0 || allowed == at_x.value || !std::isfinite(at_x.value)) continue;
    rows_.draw(P_, at_x.columns.data(), at_x.slopes.data(), at_x.count, allowed - at_x.value,
               *options_.limit * *options_.limit, biases_, x_);
  }
}

void ChainEkf::read(const ChainState& state, State& result, double ahead) const noexcept {
  const ChainLayout& layout = model_.layout();
  layout.state(state.motion, result, ahead);
  result.t = state.t;
  const int first = layout.model().nv() - layout.model().dof();
  for (const Stop& stop : stops_) {
    const int axis = stop.ball < 0 ? 0 : stop.axis;
    double& s = result.s[stop.unknown - first];
    s = inside(s, stop.lower[axis], stop.upper[axis]);
  }
}

}  // namespace panto
