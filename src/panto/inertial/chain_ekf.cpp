#include "panto/inertial/chain_ekf.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/inertial/ball.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kSettled = 1e-9;    // change of the state below which a surprise is worked off
constexpr double kLeastLevel = 0.2;  // part of the field's norm below which it has no heading
constexpr double kLeastVariance = 1e-12;

void require(bool holds, const char* what) {
  if (!holds) throw ConfigError(std::string("inertial filter: ") + what);
}

void check(const ChainEkfOptions& o) {
  require(o.gyro > 0.0 && o.acc > 0.0 && o.mag > 0.0, "`gyro`, `acc` and `mag` must be larger than 0");
  require(o.mounting >= 0.0 && o.wobble >= 0.0 && o.gyro_scale >= 0.0,
          "`mounting`, `wobble` and `gyro_scale` must not be negative");
  require(o.bias > 0.0 && o.bias_walk >= 0.0, "`bias` must be larger than 0, `bias_walk` not negative");
  require(o.huber > 0.0 && o.surprise > 0.0, "`huber` and `surprise` must be larger than 0");
  require(o.iterations >= 1 && o.iterations <= 10, "`iterations` must be 1 to 10");
  for (const double sigma : o.start) require(sigma > 0.0, "`start` must be larger than 0");
  require(o.heading >= 0.0 && o.heading_memory >= 0.0 && o.field_settles >= 0.0,
          "`heading`, `heading_memory` and `field_settles` must not be negative");
  require(o.field_norm > 0.0 && o.field_dip > 0.0, "`field_norm` and `field_dip` must be larger than 0");
}

bool finite(const ImuReading& reading) noexcept {
  return (!reading.has_gyro || reading.gyro.allFinite()) && (!reading.has_acc || reading.acc.allFinite()) &&
         (!reading.has_mag || reading.mag.allFinite());
}

double dip(const Vector3d& m) noexcept { return atan2(-m.z(), m.head<2>().norm()); }

}  // namespace

ChainEkf::ChainEkf(ImuModel model, const std::vector<ChainProcess>& processes, const ChainEkfOptions& options)
    : model_(std::move(model)), options_(options) {
  check(options);
  const int n = model_.layout().unknowns(), imus = static_cast<int>(model_.imus().size());
  if (static_cast<int>(processes.size()) != n) {
    throw ConfigError("inertial filter: " + std::to_string(processes.size()) + " processes for " +
                      std::to_string(n) + " unknowns");
  }
  for (const ChainProcess& process : processes) {
    require(process.size > 0.0 && process.time > 0.0, "a process needs a `size` and a `time` larger than 0");
    const auto known = std::find(kinds_.begin(), kinds_.end(), process);
    kind_.push_back(static_cast<int>(known - kinds_.begin()));
    if (known == kinds_.end()) kinds_.push_back(process);
  }
  transitions_.resize(kinds_.size());
  health_.resize(at(imus));
  const int size = 3 * n + 3 * imus;
  x_ = x_prior_ = around_ = column_ = Eigen::VectorXd::Zero(size);
  P_prior_ = Eigen::MatrixXd::Zero(size, size);
  State rest = rest_state(model_.layout().model());
  work_ = start(rest);
  columns_.reserve(at(size));
  H_.setZero(9, size);
  PHt_.setZero(size, 9);
  W_.setZero(size, 9);
}

ChainState ChainEkf::start(const State& state) const {
  const ChainLayout& layout = model_.layout();
  StateAcceleration none;
  none.sddot = Eigen::VectorXd::Zero(layout.model().dof());
  ChainState result;
  result.t = state.t;
  result.motion = layout.motion(state, none);
  const Eigen::Index n = layout.unknowns(), imus = std::ssize(model_.imus());
  result.bias = Eigen::VectorXd::Zero(3 * imus);
  result.good_field = Eigen::VectorXd::Zero(imus);
  result.P = Eigen::MatrixXd::Zero(3 * (n + imus), 3 * (n + imus));
  for (Eigen::Index i = 0; i < 3 * n; ++i) {
    const double sigma = options_.start[static_cast<std::size_t>(i % 3)];
    result.P(i, i) = sigma * sigma;
  }
  result.P.diagonal().tail(3 * imus).setConstant(options_.bias * options_.bias);
  return result;
}

StepStatus ChainEkf::step(const ImuSample& sample, ChainState& state) noexcept {
  if (sample.imus.size() != health_.size() || state.P.rows() != x_.size() || state.P.cols() != x_.size() ||
      state.motion.q.size() != work_.motion.q.size() ||
      state.motion.reference.size() != work_.motion.reference.size() ||
      state.bias.size() != work_.bias.size() || state.good_field.size() != work_.good_field.size())
    return StepStatus::SizeMismatch;
  for (const ImuReading& reading : sample.imus) {
    if (!finite(reading)) return StepStatus::TargetNotFinite;
  }
  const double T = to_seconds(sample.t - state.t);
  if (!(T > 0.0)) return StepStatus::TimeNotAdvancing;

  // where the chain should be by now
  work_ = state;
  work_.t = sample.t;
  to_vector(work_.motion, work_.bias, x_);
  predict(T);
  x_prior_ = x_;
  P_prior_ = work_.P;

  // all sensors by the model linearised there; a sample that surprises is linearised anew  (Gauss-Newton)
  from_vector(x_, work_.motion, work_.bias);
  model_.update(work_.motion);
  watch_fields(sample, T);
  for (int i = 0; i < options_.iterations; ++i) {
    around_ = x_;
    if (i > 0) {
      from_vector(around_, work_.motion, work_.bias);
      x_ = x_prior_;
      work_.P = P_prior_;
    }
    pass(sample, work_.motion, T);
    double worst = 0.0;
    for (const ImuHealth& health : health_) worst = std::max({worst, health.nis_gyro, health.nis_acc});
    if (worst < options_.surprise || (x_ - around_).cwiseAbs().maxCoeff() < kSettled) break;
  }
  from_vector(x_, work_.motion, work_.bias);
  rebase();
  if (!work_.motion.q.allFinite() || !work_.motion.qdot.allFinite() || !work_.motion.qddot.allFinite() ||
      !work_.P.allFinite())
    return StepStatus::NumericalFailure;
  state = work_;
  return StepStatus::Solved;
}

// P <- F P F^T + Q, three rows and three columns at a time
void ChainEkf::predict(double T) noexcept {
  if (T != interval_) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) transitions_[k] = transition(kinds_[k], T);
    interval_ = T;
  }
  const auto n = static_cast<Eigen::Index>(kind_.size());
  for (Eigen::Index u = 0; u < n; ++u) {
    const Matrix3d& F = transitions_[at(kind_[static_cast<std::size_t>(u)])].F;
    x_.segment<3>(3 * u) = (F * x_.segment<3>(3 * u)).eval();
    for (Eigen::Index j = 0; j < x_.size(); ++j) {
      work_.P.block<3, 1>(3 * u, j) = (F * work_.P.block<3, 1>(3 * u, j)).eval();
    }
  }
  for (Eigen::Index u = 0; u < n; ++u) {
    const ChainTransition& over = transitions_[at(kind_[static_cast<std::size_t>(u)])];
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      work_.P.block<1, 3>(i, 3 * u) = (work_.P.block<1, 3>(i, 3 * u) * over.F.transpose()).eval();
    }
    work_.P.block<3, 3>(3 * u, 3 * u) += over.Q;
  }
  const double walk = options_.bias_walk * options_.bias_walk * T;
  work_.P.diagonal().tail(x_.size() - 3 * n).array() += walk;
}

void ChainEkf::pass(const ImuSample& sample, const ChainMotion& around, double T) noexcept {
  model_.update(around);
  for (int k = 0; k < static_cast<int>(sample.imus.size()); ++k) {
    health_[at(k)] = {};
    const ImuReading& reading = sample.imus[at(k)];
    update_imu(k, reading, T);
    if (options_.magnetic == MagneticUse::Heading && reading.has_mag &&
        work_.good_field[k] > options_.field_settles) {
      update_heading(k, reading, T);
    }
  }
  work_.P.triangularView<Eigen::StrictlyUpper>() = work_.P.transpose();
}

// the state's columns that a sensor depends on: its path and its own bias
void ChainEkf::select(int imu) noexcept {
  columns_.clear();
  for (const int unknown : model_.imu_path(imu)) {
    for (int k = 0; k < 3; ++k) columns_.push_back(3 * unknown + k);
  }
  for (int k = 0; k < 3; ++k) columns_.push_back(3 * static_cast<int>(kind_.size()) + 3 * imu + k);
}

// variances of gyroscope, accelerometer and magnetometer with model error  [inertial tracking, section 1.5]
Vector3d ChainEkf::noise(int imu, const Vector3d& acc, double T) const noexcept {
  const ChainEkfOptions& o = options_;
  const double g = model_.surroundings().gravity_W.norm();
  const double rate = model_.w_WI(imu).norm(), off = std::abs(acc.norm() - g);
  const double wobble = o.wobble * model_.angular_acceleration(imu).norm() + o.mounting * off;
  const double turn = o.mounting * rate, tilt = o.mounting * g;
  // a wrong scale stays wrong for about a radian: white noise of the same spectral density
  return {o.gyro * o.gyro + turn * turn + 2.0 * o.gyro_scale * o.gyro_scale * rate / T,
          o.acc * o.acc + tilt * tilt + wobble * wobble, o.mag * o.mag + o.mounting * o.mounting};
}

// rows of what a sensor measured; returns how many. Gyroscope first, field last
int ChainEkf::gather(int imu, const ImuReading& reading, double T) noexcept {
  const ImuRows& rows = model_.imu(imu);
  const bool field = options_.magnetic == MagneticUse::Vector && reading.has_mag &&
                     work_.good_field[imu] > options_.field_settles;
  const Vector3d variance = noise(imu, reading.has_acc ? reading.acc : model_.surroundings().gravity_W, T);
  const auto width = static_cast<Eigen::Index>(columns_.size());
  const Vector3d bias = around_.segment<3>(3 * (Eigen::Index{model_.layout().unknowns()} + imu));
  const std::array<bool, 3> used{reading.has_gyro, reading.has_acc, field};
  const std::array<Vector3d, 3> measured{reading.gyro - bias, reading.acc, reading.mag};
  int count = 0;
  for (int block = 0; block < 3; ++block) {
    if (!used[at(block)]) continue;
    const Eigen::Index row = 3 * static_cast<Eigen::Index>(block);
    // the field in parts of the reference's norm
    const double scale = block == 2 ? 1.0 / model_.surroundings().field_W.norm() : 1.0;
    H_.block(count, 0, 3, width - 3) = scale * rows.H.middleRows<3>(row);
    H_.block(count, width - 3, 3, 3).setZero();
    if (block == 0) H_.block(count, width - 3, 3, 3).setIdentity();
    nu_.segment<3>(count) = scale * (measured[at(block)] - rows.y.segment<3>(row));
    R_.segment<3>(count).setConstant(variance[block]);
    count += 3;
  }
  return count;
}

// P H^T from the lower half of P, and the innovation of the linearised model at the state reached so far
void ChainEkf::project(int rows) noexcept {
  PHt_.leftCols(rows).setZero();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const int column = columns_[c];
    const Eigen::Index below = x_.size() - column;
    column_.head(column) = work_.P.row(column).head(column).transpose();
    column_.tail(below) = work_.P.col(column).tail(below);
    for (int r = 0; r < rows; ++r) {
      const double slope = H_(r, static_cast<Eigen::Index>(c));
      if (slope == 0.0) continue;
      PHt_.col(r) += slope * column_;
      nu_[r] -= slope * (x_[column] - around_[column]);
    }
  }
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

// x += P H^T S^-1 nu, P -= P H^T S^-1 H P as a symmetric downdate: S = L L^T, W = L^-1 H P
void ChainEkf::update(int rows) noexcept {
  Eigen::Matrix<double, 9, 9> S = Eigen::Matrix<double, 9, 9>::Identity();
  for (int a = 0; a < rows; ++a) {
    for (int b = 0; b <= a; ++b) S(a, b) = S(b, a) = innovation(a, b);
  }
  const Eigen::LLT<Eigen::Matrix<double, 9, 9>> llt(S);
  const Eigen::Matrix<double, 9, 9> L = llt.matrixL();
  Eigen::Matrix<double, 9, 1> whitened = Eigen::Matrix<double, 9, 1>::Zero();
  for (int r = 0; r < rows; ++r) {
    whitened[r] = nu_[r];
    W_.col(r) = PHt_.col(r);
    for (int k = 0; k < r; ++k) {
      whitened[r] -= L(r, k) * whitened[k];
      W_.col(r) -= L(r, k) * W_.col(k);
    }
    whitened[r] /= L(r, r);
    W_.col(r) /= L(r, r);
    x_ += whitened[r] * W_.col(r);
  }
  // the lower half; `pass` fills the other in the end
  const Eigen::Index n = x_.size();
  for (Eigen::Index j = 0; j < n; ++j) {
    auto column = work_.P.col(j).tail(n - j);
    const auto W = W_.bottomRows(n - j);
    int r = 0;
    for (; r + 3 <= rows; r += 3) {
      column -= W(0, r) * W.col(r) + W(0, r + 1) * W.col(r + 1) + W(0, r + 2) * W.col(r + 2);
    }
    for (; r < rows; ++r) column -= W(0, r) * W.col(r);
    column[0] = std::max(column[0], kLeastVariance);
  }
}

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

void ChainEkf::update_heading(int imu, const ImuReading& reading, double T) noexcept {
  const Vector3d& reference = model_.surroundings().field_W;
  const Heading measured = model_.heading(imu, reading.mag);
  if (measured.level < kLeastLevel * reference.norm()) return;
  const ImuRows& rows = model_.imu(imu);
  select(imu);
  const auto width = static_cast<Eigen::Index>(columns_.size());
  H_.row(0).head(width).setZero();
  for (Eigen::Index k = 0; k < rows.heading.size(); ++k) H_(0, 3 * k) = rows.heading[k];
  nu_[0] = euler::unwrap(atan2(reference.y(), reference.x()) - measured.angle, 0.0);
  const double sensor = atan2(options_.mag * reference.norm(), reference.head<2>().norm());
  const double place = options_.mounting + options_.heading;
  R_[0] = sensor * sensor + place * place * (1.0 + 2.0 * options_.heading_memory / T);
  project(1);
  R_[0] *= std::max(1.0, std::abs(nu_[0]) / std::sqrt(innovation(0, 0)) / options_.huber);
  update(1);
  health_[at(imu)].field_used = true;
}

// error angles back to zero; the covariance follows by the exact Jacobian
void ChainEkf::rebase() noexcept {
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

void ChainEkf::to_vector(const ChainMotion& motion, const Eigen::VectorXd& bias,
                         Eigen::VectorXd& x) const noexcept {
  const Eigen::Index n = motion.q.size();
  for (Eigen::Index u = 0; u < n; ++u) x.segment<3>(3 * u) << motion.q[u], motion.qdot[u], motion.qddot[u];
  x.tail(bias.size()) = bias;
}

void ChainEkf::from_vector(const Eigen::VectorXd& x, ChainMotion& motion,
                           Eigen::VectorXd& bias) const noexcept {
  const Eigen::Index n = motion.q.size();
  for (Eigen::Index u = 0; u < n; ++u) {
    motion.q[u] = x[3 * u], motion.qdot[u] = x[3 * u + 1], motion.qddot[u] = x[3 * u + 2];
  }
  bias = x.tail(bias.size());
}

}  // namespace panto
