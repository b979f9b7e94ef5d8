#include "panto/inertial/chain_ekf.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/inertial/ball.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/low_rank.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kSettled = 0.01;  // change of the state below which a surprise is worked off
constexpr double kFar = 0.003;     // [rad], [m] and
constexpr double kFull = 0.999;    // part of the range beyond which a reading is clipped
constexpr double kFast = 0.3;      // [rad/s], [m/s]: beyond these a change bends the model
constexpr double kLeastVariance = 1e-12;

bool finite(const ImuReading& reading) noexcept {
  return (!reading.has_gyro || reading.gyro.allFinite()) && (!reading.has_acc || reading.acc.allFinite()) &&
         (!reading.has_mag || reading.mag.allFinite());
}

}  // namespace

bool ChainEkf::fits(const ChainState& state) const noexcept {
  return state.P.rows() == columns() && state.P.cols() == columns() &&
         state.motion.q.size() == work_.motion.q.size() && state.bias.size() == work_.bias.size() &&
         state.motion.reference.size() == work_.motion.reference.size() &&
         state.mounting.size() == work_.mounting.size() && state.memory.size() == work_.memory.size() &&
         state.good_field.size() == work_.good_field.size() &&
         state.heading_age.size() == work_.heading_age.size() &&
         state.standing.size() == work_.standing.size();
}

StepStatus ChainEkf::step(const ImuSample& sample, ChainState& state) noexcept {
  if (sample.imus.size() != health_.size() || !fits(state)) return StepStatus::SizeMismatch;
  for (const ImuReading& reading : sample.imus) {
    if (!finite(reading)) return StepStatus::TargetNotFinite;
  }
  const double T = to_seconds(sample.t - state.t);
  if (!(T > 0.0)) return StepStatus::TimeNotAdvancing;

  // where the chain should be by now
  work_ = state;
  work_.t = sample.t;
  to_vector(work_, x_);
  predict(work_.motion, T, x_, work_.P);
  from_vector(x_, work_);
  model_.update(work_.motion);

  // who can be believed
  remember(sample, work_.memory);
  for (std::size_t k = 0; k < health_.size(); ++k) {
    health_[k] = {};
    health_[k].condition = condition(sample, work_.memory, k, options_.watch);
  }
  watch_fields(sample, T);
  watch_contacts(sample, T);

  // what was measured
  work_.heading_age.array() += T;
  converge(sample, T);
  for (std::size_t k = 0; k < health_.size(); ++k) {
    if (health_[k].heading_used) work_.heading_age[static_cast<Eigen::Index>(k)] = 0.0;
  }
  stop_at_limits();
  from_vector(x_, work_);
  rebase();
  if (!x_.allFinite() || !work_.P.allFinite()) return StepStatus::NumericalFailure;
  state = work_;
  return StepStatus::Solved;
}

// all sensors by the model linearised at the prediction; a sample that surprises or moves the state far is
// linearised anew (Gauss-Newton)
void ChainEkf::converge(const ImuSample& sample, double T) noexcept {
  x_prior_ = x_;
  P_prior_ = work_.P;
  for (int i = 0; i < options_.iterations; ++i) {
    around_ = x_;
    if (i > 0) {
      from_vector(around_, work_);
      x_ = x_prior_;
      work_.P = P_prior_;
    }
    pass(sample, work_.motion, T);
    double worst = 0.0;
    for (const ImuHealth& health : health_) worst = std::max({worst, health.nis_gyro, health.nis_acc});
    if ((worst < options_.surprise && !moved_far()) || (x_ - around_).cwiseAbs().maxCoeff() < kSettled) break;
  }
}

// the state has left the place where the model was linearised: what was left out is no longer small beside
// the noise. Without this the first samples after a start or a gap count too much (NEES 1.8 times what it
// says)
bool ChainEkf::moved_far() const noexcept {
  for (Eigen::Index u = 0; 3 * u < biases_; ++u) {
    if (std::abs(x_[3 * u] - around_[3 * u]) > kFar || std::abs(x_[3 * u + 1] - around_[3 * u + 1]) > kFast)
      return true;
  }
  return false;
}

// P <- F P F^T + Q, three rows and three columns at a time
void ChainEkf::predict(const ChainMotion& from, double T, Eigen::VectorXd& x, Eigen::MatrixXd& P) noexcept {
  if (T != interval_) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) transitions_[k] = transition(kinds_[k], T);
    interval_ = T;
  }
  // tethered joints are counted from rest meanwhile
  find_shifts(from);
  const auto shift_by = [&](double sign) {
    for (std::size_t k = 0; k < tethers_.size(); ++k)
      x[Eigen::Index{3} * tethers_[k].unknown] += sign * shift_[static_cast<Eigen::Index>(k)];
  };
  shift_by(1.0);
  const auto n = static_cast<Eigen::Index>(kind_.size());
  for (Eigen::Index u = 0; u < n; ++u) {
    const Matrix3d& F = transitions_[at(kind_[static_cast<std::size_t>(u)])].F;
    x.segment<3>(3 * u) = (F * x.segment<3>(3 * u)).eval();
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      P.block<3, 1>(3 * u, j) = (F * P.block<3, 1>(3 * u, j)).eval();
    }
  }
  for (Eigen::Index u = 0; u < n; ++u) {
    const ChainTransition& over = transitions_[at(kind_[static_cast<std::size_t>(u)])];
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      P.block<1, 3>(i, 3 * u) = (P.block<1, 3>(i, 3 * u) * over.F.transpose()).eval();
    }
    P.block<3, 3>(3 * u, 3 * u) += over.Q;
  }
  shift_by(-1.0);
  const double walk = options_.bias_walk * options_.bias_walk * T;
  P.diagonal().segment(biases_, turns_ - biases_).array() += walk;
}

void ChainEkf::pass(const ImuSample& sample, const ChainMotion& around, double T) noexcept {
  model_.update(around);
  for (int k = 0; k < static_cast<int>(sample.imus.size()); ++k) {
    ImuHealth& health = health_[at(k)];
    health.nis_gyro = health.nis_acc = 0.0;
    health.field_used = health.heading_used = false;
    if (health.condition != ImuCondition::Working) continue;
    const ImuReading& reading = sample.imus[at(k)];
    update_imu(k, reading, T);
    if (options_.magnetic == MagneticUse::Heading && reading.has_mag &&
        work_.good_field[k] > options_.field_settles) {
      update_heading(k, reading);
    }
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (work_.standing[static_cast<Eigen::Index>(c)] > options_.contact.settles) update_contact(contacts_[c]);
  }
  flush();
}

// the state's columns that a sensor depends on: its path, its own bias and turn
void ChainEkf::select(int imu) noexcept {
  columns_.clear();
  for (const int unknown : model_.imu_path(imu)) {
    for (int k = 0; k < 3; ++k) columns_.push_back(3 * unknown + k);
  }
  for (int k = 0; k < 3; ++k) columns_.push_back(static_cast<int>(biases_) + 3 * imu + k);
  if (columns() == turns_) return;
  for (int k = 0; k < 3; ++k) columns_.push_back(static_cast<int>(turns_) + 3 * imu + k);
}

// variances of gyroscope, accelerometer and magnetometer with model error  [inertial tracking, section 1.5]
Vector3d ChainEkf::noise(int imu, const Vector3d& acc, double T) const noexcept {
  const ChainEkfOptions& o = options_;
  const double g = model_.surroundings().gravity_W.norm();
  const double rate = model_.w_WI(imu).norm(), off = std::abs(acc.norm() - g);
  const double mounting =
      o.mounting_use == MountingUse::Inflate ? o.mounting : std::min(o.changing, o.mounting);
  const double wobble = o.wobble * model_.angular_acceleration(imu).norm() + mounting * off;
  const double turn = mounting * rate, tilt = mounting * g;
  const double lasts = 1.0 + 2.0 * o.changing_memory / T;
  // a wrong scale stays wrong for about a radian: white noise of the same spectral density
  return {o.gyro * o.gyro + lasts * turn * turn + 2.0 * o.gyro_scale * o.gyro_scale * rate / T,
          o.acc * o.acc + lasts * (tilt * tilt + wobble * wobble),
          o.mag * o.mag + lasts * mounting * mounting};
}

// rows of what a sensor measured; returns how many. Gyroscope first, field last
int ChainEkf::gather(int imu, const ImuReading& reading, double T) noexcept {
  const ImuRows& rows = model_.imu(imu);
  const bool field = options_.magnetic == MagneticUse::Vector && reading.has_mag &&
                     work_.good_field[imu] > options_.field_settles;
  const Vector3d variance = noise(imu, reading.has_acc ? reading.acc : model_.surroundings().gravity_W, T);
  const Eigen::Index width = rows.H.cols();
  const bool turned = columns() > turns_;
  const Vector3d bias = around_.segment<3>(biases_ + 3 * Eigen::Index{imu});
  const Vector3d turn =
      turned ? Vector3d(around_.segment<3>(turns_ + 3 * Eigen::Index{imu})) : Vector3d::Zero();
  const Matrix3d R_TI = turned ? Matrix3d(so3::exp(turn).transpose()) : Matrix3d::Identity();
  const std::array<bool, 3> used{reading.has_gyro, reading.has_acc, field};
  const std::array<Vector3d, 3> measured{reading.gyro - bias, reading.acc, reading.mag};
  int count = 0;
  for (int block = 0; block < 3; ++block) {
    if (!used[at(block)]) continue;
    const Eigen::Index row = 3 * static_cast<Eigen::Index>(block);
    // the field in parts of the reference's norm
    const double scale = block == 2 ? 1.0 / model_.surroundings().field_W.norm() : 1.0;
    const Vector3d felt = R_TI * rows.y.segment<3>(row);
    if (turned) {
      H_.block(count, 0, 3, width) = scale * R_TI.lazyProduct(rows.H.middleRows<3>(row));
      // R exp(turn + d) = R exp(turn) exp(J d), J = I - hat(turn) / 2 + ...
      H_.block<3, 3>(count, width + 3) =
          scale * so3::hat(felt) * (Matrix3d::Identity() - 0.5 * so3::hat(turn));
    } else {
      H_.block(count, 0, 3, width) = scale * rows.H.middleRows<3>(row);
    }
    H_.block<3, 3>(count, width).setZero();
    if (block == 0) H_.block<3, 3>(count, width).setIdentity();
    nu_.segment<3>(count) = scale * (measured[at(block)] - felt);
    const double range = block == 0 ? options_.gyro_range : block == 1 ? options_.acc_range : kInfinity;
    const Vector3d& raw = block == 0 ? reading.gyro : reading.acc;
    for (int axis = 0; axis < 3; ++axis) {
      const bool clipped = std::isfinite(range) && std::abs(raw[axis]) >= kFull * range;
      R_[count + axis] = clipped ? range * range : variance[block];
    }
    count += 3;
  }
  return count;
}

// P H^T from the lower half of P and what is still to be subtracted from it, and the innovation of the
// linearised model at the state reached so far
void ChainEkf::project(int rows) noexcept {
  const auto width = static_cast<Eigen::Index>(columns_.size());
  by_stack_.topLeftCorner(stacked_, rows).setZero();
  for (Eigen::Index c = 0; c < width; ++c) {
    const int column = columns_[static_cast<std::size_t>(c)];
    const Eigen::Index below = x_.size() - column;
    some_.col(c).head(column) = work_.P.row(column).head(column).transpose();
    some_.col(c).tail(below) = work_.P.col(column).tail(below);
    for (int r = 0; r < rows; ++r) {
      const double slope = H_(r, c);
      slopes_(c, r) = -slope;
      if (slope == 0.0) continue;
      by_stack_.col(r).head(stacked_) += slope * W_.row(column).head(stacked_).transpose();
      nu_[r] -= slope * (x_[column] - around_[column]);
    }
  }
  PHt_.leftCols(rows).setZero();
  subtract_product(some_.leftCols(width), slopes_.topLeftCorner(width, rows), PHt_.leftCols(rows));
  subtract_product(W_.leftCols(stacked_), by_stack_.topLeftCorner(stacked_, rows), PHt_.leftCols(rows));
}

// one entry of H P H^T + R
double ChainEkf::innovation(int a, int b) const noexcept {
  double sum = a == b ? R_[a] : 0.0;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    sum += H_(a, static_cast<Eigen::Index>(c)) * PHt_(columns_[c], b);
  return sum;
}

// squared innovation of three rows in standard deviations; beyond `huber` their noise is raised  [Huber]
double ChainEkf::weigh(int first) noexcept {
  Matrix3d S;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) S(a, b) = innovation(first + a, first + b);
  }
  const Vector3d nu = nu_.segment<3>(first);
  const double d2 = nu.dot(S.llt().solve(nu));
  R_.segment<3>(first) *= std::max(1.0, std::sqrt(d2) / options_.huber);
  return d2;
}

void ChainEkf::update_imu(int imu, const ImuReading& reading, double T) noexcept {
  select(imu);
  const int rows = gather(imu, reading, T);
  if (rows == 0) return;
  project(rows);
  ImuHealth& health = health_[at(imu)];
  int first = 0;
  if (reading.has_gyro) health.nis_gyro = weigh(first), first += 3;
  if (reading.has_acc) health.nis_acc = weigh(first), first += 3;
  if (first < rows) {
    (void)weigh(first);
    health.field_used = true;
  }
  update(rows);
}

// x += P H^T S^-1 nu, and P - P H^T S^-1 H P as a symmetric downdate: S = L L^T, W = L^-1 H P. The W of many
// measurements are subtracted together: P is far larger than what is near the processor.
void ChainEkf::update(int rows) noexcept {
  if (stacked_ + rows > kStack) flush();
  Eigen::Matrix<double, 9, 9> S = Eigen::Matrix<double, 9, 9>::Identity();
  for (int a = 0; a < rows; ++a) {
    for (int b = 0; b <= a; ++b) S(a, b) = S(b, a) = innovation(a, b);
  }
  const Eigen::LLT<Eigen::Matrix<double, 9, 9>> llt(S);
  const Eigen::Matrix<double, 9, 9> L = llt.matrixL();
  Eigen::Matrix<double, 9, 1> whitened = Eigen::Matrix<double, 9, 1>::Zero();
  auto W = W_.middleCols(stacked_, rows);
  for (int r = 0; r < rows; ++r) {
    whitened[r] = nu_[r];
    W.col(r) = PHt_.col(r);
    for (int k = 0; k < r; ++k) {
      whitened[r] -= L(r, k) * whitened[k];
      W.col(r) -= L(r, k) * W.col(k);
    }
    whitened[r] /= L(r, r);
    W.col(r) /= L(r, r);
    x_.head(fixed_) += whitened[r] * W.col(r).head(fixed_);
  }
  stacked_ += rows;
}

// The lower half of P; `rebase` fills the other in the end. What is only considered keeps its own block.
void ChainEkf::flush() noexcept {
  if (stacked_ == 0) return;
  downdate_lower(W_.leftCols(stacked_), fixed_, work_.P);
  auto variances = work_.P.diagonal().head(fixed_);
  variances = variances.cwiseMax(kLeastVariance);
  stacked_ = 0;
}

// error angles back to zero; the covariance follows by the exact Jacobian
void ChainEkf::rebase() noexcept {
  work_.P.triangularView<Eigen::StrictlyUpper>() = work_.P.transpose();
  for (const ChainLayout::Ball& ball : model_.layout().balls()) {
    ChainMotion& motion = work_.motion;
    Vector3d q, qdot, qddot;
    for (int k = 0; k < 3; ++k) {
      const int u = ball.unknown[at(k)];
      q[k] = motion.q[u], qdot[k] = motion.qdot[u], qddot[k] = motion.qddot[u];
    }
    Matrix3d& reference = motion.reference[at(model_.layout().reference_of(ball))];
    reference = so3::polar_step(reference * euler::to_rotation(q, euler::XYZ));
    const ball::Rebased rebased = ball::rebase(q, qdot, qddot);
    std::array<int, 9> index{};  // of (q, q', q'') of the three, in the Jacobian's order
    for (int k = 0; k < 9; ++k) index[at(k)] = 3 * ball.unknown[at(k % 3)] + k / 3;
    for (int k = 0; k < 3; ++k) {
      const int u = ball.unknown[at(k)];
      motion.q[u] = 0.0, motion.qdot[u] = rebased.qdot[k], motion.qddot[u] = rebased.qddot[k];
    }
    Eigen::Matrix<double, 9, 1> entries;
    for (Eigen::Index j = 0; j < work_.P.cols(); ++j) {
      for (int k = 0; k < 9; ++k) entries[k] = work_.P(index[at(k)], j);
      entries = (rebased.jacobian * entries).eval();
      for (int k = 0; k < 9; ++k) work_.P(index[at(k)], j) = entries[k];
    }
    for (Eigen::Index i = 0; i < work_.P.rows(); ++i) {
      for (int k = 0; k < 9; ++k) entries[k] = work_.P(i, index[at(k)]);
      entries = (rebased.jacobian * entries).eval();
      for (int k = 0; k < 9; ++k) work_.P(i, index[at(k)]) = entries[k];
    }
  }
}

void ChainEkf::to_vector(const ChainState& state, Eigen::VectorXd& x) const noexcept {
  const ChainMotion& motion = state.motion;
  for (Eigen::Index u = 0; u < motion.q.size(); ++u)
    x.segment<3>(3 * u) << motion.q[u], motion.qdot[u], motion.qddot[u];
  x.segment(biases_, state.bias.size()) = state.bias;
  x.tail(state.mounting.size()) = state.mounting;
}

void ChainEkf::from_vector(const Eigen::VectorXd& x, ChainState& state) const noexcept {
  ChainMotion& motion = state.motion;
  for (Eigen::Index u = 0; u < motion.q.size(); ++u)
    motion.q[u] = x[3 * u], motion.qdot[u] = x[3 * u + 1], motion.qddot[u] = x[3 * u + 2];
  state.bias = x.segment(biases_, state.bias.size());
  state.mounting = x.tail(state.mounting.size());
}

}  // namespace panto
