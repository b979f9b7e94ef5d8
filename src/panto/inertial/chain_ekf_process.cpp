// Process of the inertial filter that follows the data: how strongly joints move, and what a change of the
// state does to its covariance.

#include <algorithm>
#include <array>

#include "panto/base/index.hpp"
#include "panto/inertial/chain_ekf.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kTurned = 0.35;       // [rad] from the field, beyond which a chain is turned as a whole
constexpr double kSudden = 1.0 / 3.0;  // share of the last change alone
// spectral density of angular jerk [rad^2/s^5]: of a machine that stands, of a body that walks, of an impact
constexpr double kLeastJerk = 10.0, kLeastJerkOfFlesh = 2000.0, kMostJerk = 1e10;

}  // namespace

// The spectral density of angular jerk that a sensor shows: by the changes of its rates, and by how far the
// rate is from the predicted one. White jerk of density D makes a rate uncertain by D T^3 / 3.
// A calm density makes accelerations late, in every stride alike. What a lever makes of that looks like a
// turn of the sensor on its segment, so where that turn is learnt, the density stays high.
double ChainEkf::shown_jerk(int imu, double T) const noexcept {
  const ImuLiveliness& lively = work_.memory[at(imu)].lively;
  double shown = std::max(lively.turning, kSudden * lively.turning_now);
  const ImuReading& reading = sample_.imus[at(imu)];
  if (reading.has_gyro && since_[at(imu)] == 0.0) {
    const Vector3d off =
        reading.gyro - work_.bias.segment<3>(3 * Eigen::Index{imu}) - model_.imu(imu).y.head<3>();
    const double noise_of_gyro =
        noise(imu, reading.has_acc ? reading.acc : model_.surroundings().gravity_W, T)[0];
    shown =
        std::max(shown, kSudden * std::max(0.0, off.squaredNorm() / 3.0 - noise_of_gyro) * 3.0 / (T * T * T));
  }
  const bool learns_turn = places_ > turns_ && alone_[at(imu)] == 0;
  return std::clamp(shown, learns_turn ? kLeastJerkOfFlesh : kLeastJerk, kMostJerk);
}

// How strongly adapting joints move, by the gyroscope that they carry; without one, as their kind does.
void ChainEkf::find_strengths(double T) noexcept {
  for (std::size_t u = 0; u < kind_.size(); ++u) {
    const ChainProcess& kind = kinds_[at(kind_[u])];
    if (!kind.adapts || shower_[u] < 0) continue;
    const ImuMemory& memory = work_.memory[at(shower_[u])];
    const bool oriented = memory.oriented && memory.gyro.isZero(0.0);
    strength_[static_cast<Eigen::Index>(u)] =
        oriented ? 1.0 : shown_jerk(shower_[u], T) * kind.time / (2.0 * kind.size * kind.size);
  }
}

void ChainEkf::move_as_before(const ChainState& later) noexcept {
  strength_ = later.strength;
  work_.memory = later.memory;
}

// Moves the covariance from where it was taken to `x`, so that it says the same about turns, angular
// velocities and angular accelerations of the balls, and about the turn of the whole chain about the
// vertical, which turns its shifts, rates and accelerations too and changes no reading. Without this the
// covariance takes the change of the linearisation for knowledge of the heading, and vibration drives it
// round. [Barrau, Bonnabel 2017]
void ChainEkf::carry(const Eigen::VectorXd& x,
                     // NOLINTNEXTLINE(performance-unnecessary-value-param): a view
                     Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> P) noexcept {
  if (!options_.carries || x == carried_) return;
  for (const ChainLayout::Ball& ball : model_.layout().balls()) {
    NineIndices index{};
    for (int k = 0; k < 9; ++k) index[at(k)] = 3 * ball.unknown[at(k % 3)] + k / 3;
    const auto motion = [&](const Eigen::VectorXd& of) {
      std::array<Vector3d, 3> m;
      for (int k = 0; k < 9; ++k) m[at(k / 3)][k % 3] = of[index[at(k)]];
      return ball::Motion{m[0], m[1], m[2]};
    };
    turn_nine(ball::carried(motion(carried_), motion(x), ball.unknown == free_turn_.turns), index, P);
  }
  if (free_turn_.imu >= 0 && free_turn_.shifted) turn_along(x, P);
  carried_ = x;
}

void ChainEkf::turn_along(const Eigen::VectorXd& x,
                          Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> P) noexcept {
  const FreeTurn& turn = free_turn_;
  Matrix3d change;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Eigen::Index column = 3 * Eigen::Index{turn.shifts[static_cast<std::size_t>(k)]};
    change.row(k) = (x - carried_).segment<3>(column);
  }
  change = (turn.spin * change).eval();
  const Eigen::VectorXd& heading = model_.imu(turn.imu).heading;
  by_turn_.setZero();
  double variance = 0.0;
  for (std::size_t k = 0; k < 3; ++k)
    by_turn_ += heading[turn.on_path[k]] * P.col(3 * Eigen::Index{turn.turns[k]});
  for (std::size_t k = 0; k < 3; ++k)
    variance += heading[turn.on_path[k]] * by_turn_[3 * Eigen::Index{turn.turns[k]}];
  const auto column = [&](int i) { return 3 * Eigen::Index{turn.shifts[at(i / 3)]} + i % 3; };
  for (int i = 0; i < 9; ++i) {
    P.col(column(i)) += change(i / 3, i % 3) * by_turn_;
    P.row(column(i)) += change(i / 3, i % 3) * by_turn_.transpose();
  }
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j)
      P(column(i), column(j)) += variance * change(i / 3, i % 3) * change(j / 3, j % 3);
}

// Returns the turn about the vertical that every sensor with a settled field asks for at least, the known
// field's; 0: they do not agree, or half of them do not know.
double ChainEkf::asked_turn(const ImuSample& sample) const noexcept {
  const double north = atan2(model_.surroundings().field_W.y(), model_.surroundings().field_W.x());
  int magnetometers = 0, settled = 0;
  double least = 0.0, most = 0.0;
  for (int k = 0; k < static_cast<int>(sample.imus.size()); ++k) {
    const ImuReading& reading = sample.imus[at(k)];
    if (!reading.has_mag) continue;
    ++magnetometers;
    if (health_[at(k)].condition != ImuCondition::Working || work_.memory[at(k)].field_is_learnt ||
        !(work_.good_field[k] > options_.field_settles))
      continue;
    const double off = euler::unwrap(north - model_.heading(k, reading.mag).angle, most);
    least = settled == 0 ? off : std::min(least, off);
    most = settled == 0 ? off : std::max(most, off);
    ++settled;
  }
  if (2 * settled <= magnetometers) return 0.0;
  return least > 0.0 ? least : std::min(most, 0.0);
}

// Turns the chain as a whole to the field where all of it is far from it. Such a turn changes no other
// reading; linear updates, sensor by sensor, would bend the joints instead.
void ChainEkf::face_the_field(const ImuSample& sample) noexcept {
  const FreeTurn& free = free_turn_;
  if (options_.magnetic != MagneticUse::Heading || free.imu < 0) return;
  const double angle = asked_turn(sample);
  if (std::abs(angle) < kTurned || angle * angle > 9.0 * heading_variance(free.imu)) return;
  const Matrix3d before = free.before;
  for (const ChainLayout::Ball& ball : model_.layout().balls()) {
    if (ball.unknown != free.turns) continue;
    Matrix3d& reference = work_.motion.reference[at(model_.layout().reference_of(ball))];
    reference = (before.transpose() * so3::about_axis(2, angle) * before * reference).eval();
  }
  if (free.shifted) {
    const SinCos by = sincos(angle);
    const Matrix3d turn = Matrix3d::Identity() + by.sin * free.spin + (1.0 - by.cos) * free.spin * free.spin;
    auto P = P_.view();
    for (int order = 1; order < 3; ++order) {
      std::array<Eigen::Index, 3> rows{};
      for (std::size_t k = 0; k < 3; ++k) rows[k] = 3 * Eigen::Index{free.shifts[k]} + order;
      x_(rows) = (turn * x_(rows)).eval();
      P(rows, Eigen::all) = (turn * P(rows, Eigen::all)).eval();
      P(Eigen::all, rows) = (P(Eigen::all, rows) * turn.transpose()).eval();
    }
  }
  from_vector(x_, work_);
  predict_measurements();
}

}  // namespace panto
