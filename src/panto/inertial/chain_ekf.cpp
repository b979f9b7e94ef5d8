#include "panto/inertial/chain_ekf.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/low_rank.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kSettled = 0.01;  // change of the state below which a surprise has converged
constexpr double kFar = 0.003;     // [rad], [m] and
constexpr double kFull = 0.999;    // share of the range above which a reading is clipped
constexpr double kFast = 0.3;      // [rad/s], [m/s]: larger changes make the model nonlinear
constexpr double kLeastVariance = 1e-12;
constexpr double kLeastQuaternion = 1e-3;
constexpr double kRests = 1.5;  // [s] at rest before the gyroscope shows its bias
constexpr double kMost = 1e12;  // of any number of a state: beyond it the filter has diverged

bool finite(const ImuReading& reading) noexcept {
  return (!reading.has_gyro || reading.gyro.allFinite()) && (!reading.has_acc || reading.acc.allFinite()) &&
         (!reading.has_mag || reading.mag.allFinite()) &&
         (!reading.has_orientation ||
          (reading.wxyz_GI.allFinite() && reading.wxyz_GI.norm() > kLeastQuaternion));
}

bool finite(const ImuSample& sample) noexcept {
  return std::all_of(sample.imus.begin(), sample.imus.end(),
                     [](const ImuReading& reading) { return finite(reading); });
}

template <typename Numbers>
bool bounded(const Numbers& numbers) noexcept {
  return numbers.size() == 0 || numbers.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>() <= kMost;
}

bool bounded(const ImuMemory& memory) noexcept {
  const Eigen::Vector4d fields(memory.field.norm, memory.field.variance, memory.candidate.norm,
                               memory.candidate.variance);
  return bounded(memory.gyro) && bounded(memory.acc) && bounded(memory.wxyz_GI) && bounded(fields) &&
         std::isfinite(memory.lively.turning) && std::isfinite(memory.lively.shaking);
}

bool bounded(const ChainState& state) noexcept {
  const ChainMotion& motion = state.motion;
  return bounded(state.P) && bounded(motion.q) && bounded(motion.qdot) && bounded(motion.qddot) &&
         bounded(motion.p_W) && bounded(state.bias) && bounded(state.mounting) &&
         bounded(state.shape.place) && bounded(state.shape.length) && bounded(state.good_field) &&
         bounded(state.heading_age) && bounded(state.standing) &&
         std::all_of(motion.reference.begin(), motion.reference.end(),
                     [](const Matrix3d& R) { return bounded(R); }) &&
         std::all_of(state.memory.begin(), state.memory.end(),
                     [](const ImuMemory& memory) { return bounded(memory); });
}

}  // namespace

bool ChainEkf::fits(const ChainState& state) const noexcept {
  return state.P.rows() == columns() && state.P.cols() == columns() &&
         state.motion.q.size() == work_.motion.q.size() && state.bias.size() == work_.bias.size() &&
         state.motion.reference.size() == work_.motion.reference.size() &&
         state.shape.place.size() == work_.shape.place.size() &&
         state.shape.length.size() == work_.shape.length.size() &&
         state.mounting.size() == work_.mounting.size() && state.memory.size() == work_.memory.size() &&
         state.good_field.size() == work_.good_field.size() &&
         state.heading_age.size() == work_.heading_age.size() &&
         state.standing.size() == work_.standing.size() && state.strength.size() == strength_.size();
}

StepStatus ChainEkf::step(const ImuSample& sample, ChainState& state) noexcept {
  if (sample.imus.size() != health_.size() || !fits(state)) return StepStatus::SizeMismatch;
  if (!finite(sample)) return StepStatus::TargetNotFinite;
  const double T = to_seconds(sample.t - state.t);
  if (!(T > 0.0)) return StepStatus::TimeNotAdvancing;

  // predict the chain
  keep(state);
  work_.t = sample.t;
  remember(sample, options_.gyro, work_.memory);
  to_vector(work_, x_);
  move_vector(work_.motion, T, x_);
  from_vector(x_, work_);
  predict_measurements();
  take_rates(sample, state);
  find_strengths(T);
  move_covariance(T, state.P);
  // which sensors are reliable
  for (std::size_t k = 0; k < health_.size(); ++k) {
    const double share = health_[k].field_share;  // holds until the next heading is due
    health_[k] = {};
    health_[k].field_share = share;
    health_[k].condition = condition(sample, work_.memory, k, options_.watch);
  }
  watch_fields(sample, T);
  face_the_field(sample);
  watch_contacts(sample_, T);
  // what was measured
  rows_.set_free(free_columns(T));
  work_.heading_age.array() += T;
  converge(sample_, T);
  for (std::size_t k = 0; k < health_.size(); ++k) {
    if (health_[k].heading_used || health_[k].orientation_used)
      work_.heading_age[static_cast<Eigen::Index>(k)] = 0.0;
  }
  rows_.whiten();
  stop_at_limits();
  rows_.downdate(P_);
  auto variances = P_.view().diagonal();
  if (!x_.allFinite() || !variances.allFinite()) return StepStatus::NumericalFailure;
  variances = variances.cwiseMax(kLeastVariance);
  from_vector(x_, work_);
  mirror_lower({P_.data(), P_.stride()}, columns(), {work_.P.data(), work_.P.outerStride()});
  carry(x_, work_.P);
  rebase(work_.P);
  if (!bounded(work_) || !bounded(strength_)) return StepStatus::NumericalFailure;
  state.P.swap(work_.P);
  give(state);
  return StepStatus::Solved;
}

// Sensors with fused orientations have no rates: take them from the change since the last orientation. If a
// sensor has rates, its orientation is not used, because it was computed from them.
void ChainEkf::take_rates(const ImuSample& sample, const ChainState& state) noexcept {
  for (std::size_t k = 0; k < health_.size(); ++k) {
    ImuReading& reading = sample_.imus[k] = sample.imus[k];
    reading.has_orientation = sample.imus[k].has_orientation && !sample.imus[k].has_gyro;
    since_[k] = 0.0;
    if (!difference(reading, sample.t, state.memory[k], reading.gyro)) continue;
    reading.has_gyro = true;
    since_[k] = to_seconds(sample.t - state.memory[k].changed);
  }
}

// copies a state without its covariance
void ChainEkf::keep(const ChainState& state) noexcept {
  work_.motion = state.motion;
  work_.bias = state.bias;
  work_.shape = state.shape;
  work_.mounting = state.mounting;
  work_.good_field = state.good_field;
  work_.heading_age = state.heading_age;
  work_.standing = state.standing;
  work_.memory = state.memory;
}

// copies the results of a step without the covariance
void ChainEkf::give(ChainState& state) noexcept {
  state.t = work_.t;
  state.motion = work_.motion;
  state.bias = work_.bias;
  state.shape = work_.shape;
  state.mounting = work_.mounting;
  state.good_field = work_.good_field;
  state.heading_age = work_.heading_age;
  state.standing = work_.standing;
  state.strength = strength_;
  state.memory = work_.memory;
}

void ChainEkf::predict_measurements() noexcept {
  if (refines()) {
    model_.update(work_.motion, work_.shape);
  } else {
    model_.update(work_.motion);
  }
}

// Updates by all sensors with the model linearised at the prediction. A surprising sample, or one that moves
// the state far, is linearised again (Gauss-Newton), unless the model proves linear.
void ChainEkf::converge(const ImuSample& sample, double T) noexcept {
  x_prior_ = around_ = x_;
  carried_ = x_;
  collect(sample, T);
  for (passes_ = 1;; ++passes_) {
    x_ = x_prior_;
    carry(around_, P_.view());
    take_rows();
    double worst = 0.0;
    for (const ImuHealth& health : health_)
      worst = std::max({worst, health.nis_gyro, health.nis_acc, health.nis_orientation});
    if ((worst < options_.surprise && !moved_far()) || (x_ - around_).cwiseAbs().maxCoeff() < kSettled ||
        passes_ == options_.iterations)
      return;
    rows_.expect(around_, x_);
    around_ = x_;
    from_vector(x_, work_);
    predict_measurements();
    collect(sample, T);
    if (rows_.left_out() < options_.bend) return;
  }
}

// the state is far from the point of linearisation, and the remainder is no longer small against the noise.
// Without this the first samples after a start or a gap count too much (NEES 1.8 times the expected)
bool ChainEkf::moved_far() const noexcept {
  for (Eigen::Index u = 0; 3 * u < biases_; ++u) {
    if (std::abs(x_[3 * u] - around_[3 * u]) > kFar || std::abs(x_[3 * u + 1] - around_[3 * u + 1]) > kFast)
      return true;
  }
  return false;
}

void ChainEkf::predict(const ChainMotion& from, double T, Eigen::VectorXd& x, Eigen::MatrixXd& P) noexcept {
  move_vector(from, T, x);
  move_covariance(T, P);
  P = P_.view();
}

void ChainEkf::move_vector(const ChainMotion& from, double T, Eigen::VectorXd& x) noexcept {
  const auto n = static_cast<int>(kind_.size());
  if (T != interval_) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) transitions_[k] = panto::transition(kinds_[k], T);
    for (int u = 0; u < n; ++u) transition_.set(u, transition_of(u));
    interval_ = T;
  }
  // tethered joints count from rest during the prediction
  find_shifts(from);
  const auto shift_by = [&](double sign) {
    for (std::size_t k = 0; k < tethers_.size(); ++k)
      x[Eigen::Index{3} * tethers_[k].unknown] += sign * shift_[static_cast<Eigen::Index>(k)];
  };
  shift_by(1.0);
  for (int u = 0; u < n; ++u) {
    auto triple = x.segment<3>(Eigen::Index{3} * u);
    triple = (transition_of(u) * triple).eval();
  }
  shift_by(-1.0);
}

// P_ <- F P F^T + Q over the interval of the last `move_vector`
void ChainEkf::move_covariance(double T, const Eigen::MatrixXd& P) noexcept {
  transition_.move(P, P_);
  auto moved = P_.view();
  for (Eigen::Index u = 0; 3 * u < biases_; ++u)
    moved.block<3, 3>(3 * u, 3 * u) += strength_[u] * transitions_[at(kind_[static_cast<std::size_t>(u)])].Q;
  // what a gyroscope with a wrong scale cannot tell of an angle
  const double scale = 2.0 * options_.gyro_scale * options_.gyro_scale * T;
  for (std::size_t u = 0; scale > 0.0 && u < kind_.size(); ++u) {
    if (shower_[u] >= 0 && slides_[u] == 0)
      moved(static_cast<Eigen::Index>(3 * u), static_cast<Eigen::Index>(3 * u)) +=
          scale * work_.memory[at(shower_[u])].gyro.norm();
  }
  const double walk = options_.bias_walk * options_.bias_walk * T;
  moved.diagonal().segment(biases_, turns_ - biases_).array() += walk;
}

// updates by the collected rows
void ChainEkf::take_rows() noexcept {
  for (ImuHealth& health : health_) health.nis_gyro = health.nis_acc = health.nis_orientation = 0.0;
  rows_.move(around_, x_);
  rows_.project(P_);
  for (int block = 0; block < rows_.blocks(); ++block) count_in(block);
  rows_.change(x_);
}

// collects rows of all reliable sensors, each sensor's orientation or heading after its own rows
void ChainEkf::collect(const ImuSample& sample, double T) noexcept {
  rows_.clear();
  sources_.clear();
  for (int k = 0; k < static_cast<int>(sample.imus.size()); ++k) {
    ImuHealth& health = health_[at(k)];
    health.field_used = health.heading_used = health.orientation_used = false;
    if (!(work_.good_field[k] > options_.field_settles)) health.field_share = 0.0;
    if (health.condition != ImuCondition::Working) continue;
    const ImuReading& reading = sample.imus[at(k)];
    collect_imu(k, reading, T);
    if (options_.resting && work_.memory[at(k)].lively.still > kRests) collect_rest(k, reading, T);
    if (reading.has_orientation && options_.orientation_use != OrientationUse::Off) {
      collect_orientation(k, reading);
      continue;  // the field is included
    }
    if (options_.magnetic != MagneticUse::Heading || !reading.has_mag ||
        !(work_.good_field[k] > options_.field_settles))
      continue;
    health.field_used = true;
    if (heading_is_due(k, T)) collect_heading(k, reading);
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (work_.standing[static_cast<Eigen::Index>(c)] > options_.contact.settles)
      collect_contact(contacts_[c]);
  }
}

// adds a block of rows with the noise that its innovations, given all before it, require
void ChainEkf::count_in(int block) noexcept {
  rows_.condition(block);
  const RowSource& source = sources_[at(block)];
  const double huber = options_.huber;
  int row = rows_.row(block);
  if (source.kind == RowSource::Kind::Imu) {
    ImuHealth& health = health_[at(source.imu)];
    if (source.gyro) health.nis_gyro = rows_.weigh(row, 3, huber), row += 3;
    if (source.acc) health.nis_acc = rows_.weigh(row, 3, huber), row += 3;
    if (source.field) (void)rows_.weigh(row, 3, huber);
  } else if (source.kind == RowSource::Kind::Orientation) {
    health_[at(source.imu)].nis_orientation = rows_.weigh(row, 3, huber);
  } else if (source.kind == RowSource::Kind::Heading) {
    (void)rows_.weigh(row, 1, huber);
    weigh_field(source.imu, row);
  } else {
    (void)rows_.weigh(row, 3, huber);
  }
  rows_.factor(block);
}

// variances of gyroscope, accelerometer and magnetometer with model error  [docs/algorithms/chain_ekf.md]
Vector3d ChainEkf::noise(int imu, const Vector3d& acc, double T) const noexcept {
  const ChainEkfOptions& o = options_;
  const double g = model_.surroundings().gravity_W.norm();
  const double rate = model_.w_WI(imu).norm(), off = std::abs(acc.norm() - g);
  const double mounting = alone_[at(imu)] != 0                     ? 0.0
                          : o.mounting_use == MountingUse::Inflate ? o.mounting
                                                                   : std::min(o.changing, o.mounting);
  const double turns = model_.angular_acceleration(imu).norm();
  // uncertainty of the position: (alpha x + w x w x) of it; if refined, the state contains it
  const double unknown = shows_place(imu) ? 0.0 : model_.imus()[at(imu)].position_sigma.value_or(0.0);
  const double place = unknown * (turns + rate * rate);
  const double wobble = o.wobble * turns + mounting * off + place;
  const double turn = mounting * rate, tilt = mounting * g;
  const double lasts = 1.0 + 2.0 * o.changing_memory / T;
  const double since = since_[at(imu)];
  const double gyro = since > 0.0 ? std::sqrt(2.0) * o.orientation_noise / since : o.gyro;
  const double acc2 =
      o.acc_adapts ? std::max(o.acc * o.acc, work_.memory[at(imu)].lively.shaking) : o.acc * o.acc;
  return {gyro * gyro + lasts * turn * turn, acc2 + lasts * (tilt * tilt + wobble * wobble),
          o.mag * o.mag + lasts * mounting * mounting};
}

// adds the rows of a sensor: gyroscope first, field last
void ChainEkf::collect_imu(int imu, const ImuReading& reading, double T) noexcept {
  RowSource used;
  used.imu = imu;
  used.gyro = reading.has_gyro, used.acc = reading.has_acc;
  used.field = options_.magnetic == MagneticUse::Vector && reading.has_mag &&
               work_.good_field[imu] > options_.field_settles;
  const int count = 3 * (int{used.gyro} + int{used.acc} + int{used.field});
  if (count == 0) return;
  const bool turned = places_ > turns_;
  const Matrix3d R_TI =
      turned ? Matrix3d(so3::exp(around_.segment<3>(turns_ + 3 * Eigen::Index{imu})).transpose())
             : Matrix3d::Identity();
  sources_.push_back(used);
  rows_.begin(count);
  add_innovations(imu, reading, used, T, R_TI, rows_.row(rows_.blocks() - 1));
  add_slopes(imu, used, R_TI);
  health_[at(imu)].field_used = used.field;
  if (used.field) health_[at(imu)].field_share = 1.0;
}

// innovations and their noise
void ChainEkf::add_innovations(int imu, const ImuReading& reading, const RowSource& used, double T,
                               const Matrix3d& R_TI, int row) noexcept {
  const Vector3d variance = noise(imu, reading.has_acc ? reading.acc : model_.surroundings().gravity_W, T);
  const std::array<bool, 3> given{used.gyro, used.acc, used.field};
  std::array<Vector3d, 3> measured{reading.gyro, reading.acc, reading.mag};
  if (const double since = since_[at(imu)]; since > 0.0) {
    // the mean of an interval is valid in its middle
    measured[0] += 0.5 * since * R_TI * model_.R_WI(imu).transpose() * model_.angular_acceleration(imu);
  } else {
    measured[0] -= around_.segment<3>(biases_ + 3 * Eigen::Index{imu});
  }
  for (int part = 0; part < 3; ++part) {
    if (!given[at(part)]) continue;
    const Vector3d off =
        part_scale(part) * (measured[at(part)] - R_TI * model_.imu(imu).y.segment<3>(Eigen::Index{3} * part));
    const double range = part == 0 ? options_.gyro_range : part == 1 ? options_.acc_range : kInfinity;
    const Vector3d& raw = part == 0 ? reading.gyro : reading.acc;
    for (int axis = 0; axis < 3; ++axis, ++row) {
      const bool clipped = std::isfinite(range) && std::abs(raw[axis]) >= kFull * range;
      rows_.nu(row) = off[axis];
      rows_.R(row) = clipped ? range * range : variance[part];
    }
  }
}

// derivatives by the state's numbers that a sensor depends on: its path, bias and turn. Accelerations come
// last; the gyroscope does not depend on them, but the mean of an interval does.
void ChainEkf::add_slopes(int imu, const RowSource& used, const Matrix3d& R_TI) noexcept {
  const ImuRows& model = model_.imu(imu);
  const std::array<bool, 3> given{used.gyro, used.acc, used.field};
  const double since = since_[at(imu)];
  const auto rates_of = [&](std::size_t k) {
    return Vector3d(R_TI * model.H.col(3 * static_cast<Eigen::Index>(k) + 1).head<3>());
  };
  const auto by_path = [&](int order) {
    const std::vector<int>& path = model_.imu_path(imu);
    for (std::size_t k = 0; k < path.size(); ++k) {
      const auto from = model.H.col(3 * static_cast<Eigen::Index>(k) + order);
      if (from.isZero(0.0)) continue;  // of the base's shifts only the acceleration is measurable
      RowStack::Slopes& slopes = rows_.add(3 * path[k] + order);
      Eigen::Index row = 0;
      for (int part = 0; part < 3; ++part) {
        if (!given[at(part)]) continue;
        slopes.segment<3>(row) = part_scale(part) * R_TI.lazyProduct(from.segment<3>(Eigen::Index{3} * part));
        row += 3;
      }
      if (order == 2 && since > 0.0) slopes.head<3>() = -0.5 * since * rates_of(k);
    }
  };
  by_path(0);
  by_path(1);
  const bool rates = used.gyro && !(since > 0.0);  // measured by a gyroscope
  if (rates) {
    for (int axis = 0; axis < 3; ++axis) rows_.add(static_cast<int>(biases_) + 3 * imu + axis)[axis] = 1.0;
  }
  if (places_ > turns_) add_turn(imu, given, R_TI);
  rows_.narrow(rates ? 3 : 0);
  by_path(2);
  if (used.acc && refines()) add_shape(imu, R_TI, used.gyro ? 3 : 0);
}

// Errors of the model persist for a while: between the samples that count, the shape is only considered.
Eigen::Index ChainEkf::free_columns(double T) const noexcept {
  if (options_.mounting_use == MountingUse::Consider) return turns_;
  return interval_ends(options_.refine.interval, 0, work_.t, T) ? columns() : places_;
}

bool ChainEkf::shows_place(int imu) const noexcept {
  return lengths_ > places_ && model_.w_WI(imu).norm() >= options_.refine.excited;
}

// derivatives by the shape, if the body moves enough for its sensors to show it
void ChainEkf::add_shape(int imu, const Matrix3d& R_TI, Eigen::Index acc_row) noexcept {
  const ImuRows& model = model_.imu(imu);
  if (shows_place(imu)) {
    for (int axis = 0; axis < 3; ++axis)
      rows_.add(static_cast<int>(places_) + 3 * imu + axis).segment<3>(acc_row) =
          R_TI * model.by_place.col(axis);
  }
  const std::vector<int>& lengths = model_.imu_lengths(imu);
  for (std::size_t k = 0; columns() > lengths_ && k < lengths.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    if (model_.turning_of(lengths[k]) < options_.refine.excited) continue;
    rows_.add(static_cast<int>(lengths_) + lengths[k]).segment<3>(acc_row) =
        R_TI * model.by_length.col(column);
  }
}

// R exp(turn + d) = R exp(turn) exp(J d), J = I - hat(turn) / 2 + ...
void ChainEkf::add_turn(int imu, const std::array<bool, 3>& given, const Matrix3d& R_TI) noexcept {
  const Vector3d turn = around_.segment<3>(turns_ + 3 * Eigen::Index{imu});
  const Matrix3d J = Matrix3d::Identity() - 0.5 * so3::hat(turn);
  for (int axis = 0; axis < 3; ++axis) {
    RowStack::Slopes& slopes = rows_.add(static_cast<int>(turns_) + 3 * imu + axis);
    Eigen::Index row = 0;
    for (int part = 0; part < 3; ++part) {
      if (!given[at(part)]) continue;
      const Vector3d felt = R_TI * model_.imu(imu).y.segment<3>(Eigen::Index{3} * part);
      slopes.segment<3>(row) = part_scale(part) * felt.cross(J.col(axis));
      row += 3;
    }
  }
}

// resets error angles to zero; the exact Jacobian transforms the covariance
void ChainEkf::rebase(Eigen::MatrixXd& P) noexcept {
  for (const ChainLayout::Ball& ball : model_.layout().balls()) {
    const ball::Rebased rebased = model_.layout().rebase(ball, work_.motion);
    NineIndices index{};  // of (q, q', q'') of the three, in the Jacobian's order
    for (int k = 0; k < 9; ++k) index[at(k)] = 3 * ball.unknown[at(k % 3)] + k / 3;
    turn_nine(rebased.jacobian, index, P);
  }
}

void ChainEkf::to_vector(const ChainState& state, Eigen::VectorXd& x) const noexcept {
  const ChainMotion& motion = state.motion;
  for (Eigen::Index u = 0; u < motion.q.size(); ++u)
    x.segment<3>(3 * u) << motion.q[u], motion.qdot[u], motion.qddot[u];
  x.segment(biases_, state.bias.size()) = state.bias;
  x.segment(places_, state.shape.place.size()) = state.shape.place;
  x.segment(lengths_, state.shape.length.size()) = state.shape.length;
  x.segment(turns_, state.mounting.size()) = state.mounting;
}

void ChainEkf::from_vector(const Eigen::VectorXd& x, ChainState& state) const noexcept {
  ChainMotion& motion = state.motion;
  for (Eigen::Index u = 0; u < motion.q.size(); ++u)
    motion.q[u] = x[3 * u], motion.qdot[u] = x[3 * u + 1], motion.qddot[u] = x[3 * u + 2];
  state.bias = x.segment(biases_, state.bias.size());
  state.shape.place = x.segment(places_, state.shape.place.size());
  state.shape.length = x.segment(lengths_, state.shape.length.size());
  state.mounting = x.segment(turns_, state.mounting.size());
}

}  // namespace panto
