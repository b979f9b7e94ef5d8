#include "panto/inertial/pose_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr double kApart = 0.5 * std::numbers::pi;  // [rad] between start poses
constexpr int kGrid = 3;                           // up to this many unknowns all combinations are tried
constexpr int kIterations = 30;
constexpr double kLargestStep = 1.0;  // [rad]
constexpr double kDone = 1e-3;        // decrease of the cost below which a fit has converged
constexpr double kSame = 0.1;         // [rad] within which two fits are the same
constexpr double kMoment = 1e-4;      // [s]
constexpr double kFirstDamping = 1e-3, kMostDamping = 1e6;

}  // namespace

void PoseSearch::Normal::add(const MatrixXd& slopes, const VectorXd& off, double sigma) {
  const double weight = 1.0 / (sigma * sigma);
  A += weight * slopes.transpose() * slopes;
  b += weight * slopes.transpose() * off;
  cost += weight * off.squaredNorm();
}

std::vector<LikelyPose> PoseSearch::poses(const ChainMotion& around, int imu,
                                          const std::vector<int>& unknowns, const FeltMotion& felt) {
  around_ = around;
  imu_ = imu;
  unknowns_ = unknowns;
  felt_ = felt;
  std::vector<LikelyPose> result;
  for (const VectorXd& start : starts()) {
    ChainMotion motion = around_;
    change(start, motion);
    LikelyPose found = fit(std::move(motion));
    const VectorXd where = turned(found.motion);
    const auto same = std::find_if(result.begin(), result.end(), [&](const LikelyPose& other) {
      return (turned(other.motion) - where).norm() < kSame;
    });
    if (same == result.end()) {
      result.push_back(std::move(found));
    } else if (found.cost < same->cost) {
      *same = std::move(found);
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const LikelyPose& a, const LikelyPose& b) { return a.cost < b.cost; });
  return result;
}

// Start poses of the fits: the present joints, and a quarter turn to either side of every angle; with many
// angles one at a time.
std::vector<VectorXd> PoseSearch::starts() const {
  std::vector<Index> angles;
  for (const ChainLayout::Step& step : model_.layout().steps()) {
    const auto found = std::find(unknowns_.begin(), unknowns_.end(), step.unknown);
    if (!step.slides && found != unknowns_.end()) angles.push_back(3 * (found - unknowns_.begin()));
  }
  std::vector<VectorXd> result{VectorXd::Zero(3 * std::ssize(unknowns_))};
  for (const Index angle : angles) {
    const std::size_t before = angles.size() <= kGrid ? result.size() : 1;
    for (std::size_t k = 0; k < before; ++k) {
      for (const double turn : {-kApart, kApart}) {
        result.push_back(result[k]);
        result.back()[angle] = turn;
      }
    }
  }
  return result;
}

// difference of the unknowns from their start: slides and hinges by their change, balls by a rotation vector
VectorXd PoseSearch::turned(const ChainMotion& motion) const {
  VectorXd result(std::ssize(unknowns_));
  for (std::size_t i = 0; i < unknowns_.size(); ++i)
    result[static_cast<Index>(i)] = motion.q[unknowns_[i]] - around_.q[unknowns_[i]];
  for (const ChainLayout::Ball& ball : model_.layout().balls()) {
    const Vector3d turn = so3::log(model_.layout().rotation(ball, around_).transpose() *
                                   model_.layout().rotation(ball, motion));
    for (int k = 0; k < 3; ++k) {
      const auto found = std::find(unknowns_.begin(), unknowns_.end(), ball.unknown[at(k)]);
      if (found != unknowns_.end()) result[found - unknowns_.begin()] = turn[k];
    }
  }
  return result;
}

void PoseSearch::change(const VectorXd& step, ChainMotion& motion) const {
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const auto from = 3 * static_cast<Index>(i);
    motion.q[unknowns_[i]] += step[from];
    motion.qdot[unknowns_[i]] += step[from + 1];
    motion.qddot[unknowns_[i]] += step[from + 2];
  }
  for (const ChainLayout::Ball& ball : model_.layout().balls()) {
    if (std::find(unknowns_.begin(), unknowns_.end(), ball.unknown[0]) != unknowns_.end())
      (void)model_.layout().rebase(ball, motion);
  }
}

// derivatives of the sensor's readings by the unknowns' (q, q', q''); (9 x 3m)
MatrixXd PoseSearch::slopes(const ChainMotion& motion) {
  model_.update(motion);
  const std::vector<int>& path = model_.imu_path(imu_);
  MatrixXd result(9, 3 * std::ssize(unknowns_));
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Index on_path = 3 * (std::find(path.begin(), path.end(), unknowns_[i]) - path.begin());
    result.middleCols<3>(3 * static_cast<Index>(i)) = model_.imu(imu_).H.middleCols<3>(on_path);
  }
  return result;
}

// Derivatives of alpha = w', in I: by q (dw/dq)', by q' (dw/dq')' + dw/dq, by q'' dw/dq'. Time derivatives
// are finite differences.
MatrixXd PoseSearch::alpha_slopes(const ChainMotion& motion) {
  const auto after = [&](double t) {
    ChainMotion moved = motion;
    moved.q += t * motion.qdot;
    moved.qdot += t * motion.qddot;
    return MatrixXd(slopes(moved).topRows<3>());
  };
  const MatrixXd by_time = (after(kMoment) - after(-kMoment)) / (2.0 * kMoment), now = after(0.0);
  MatrixXd result(3, now.cols());
  for (Index k = 0; k < now.cols(); k += 3)
    result.middleCols<3>(k) << by_time.col(k), by_time.col(k + 1) + now.col(k), now.col(k + 1);
  return result;
}

PoseSearch::Normal PoseSearch::normal(const ChainMotion& motion) {
  const MatrixXd by_alpha = felt_.alpha_I ? alpha_slopes(motion) : MatrixXd(), all = slopes(motion);
  const ImuRows& rows = model_.imu(imu_);
  Normal result{MatrixXd::Zero(all.cols(), all.cols()), VectorXd::Zero(all.cols())};
  const ImuReading& reading = felt_.reading;
  result.add(all.topRows<3>(), reading.gyro - rows.y.head<3>(), options_.gyro);
  result.add(all.middleRows<3>(3), reading.acc - rows.y.segment<3>(3), options_.acc);
  if (options_.mag && reading.has_mag) {
    const double norm = model_.surroundings().field_W.norm();
    result.add(all.bottomRows<3>() / norm, (reading.mag - rows.y.tail<3>()) / norm, *options_.mag);
  }
  if (felt_.alpha_I) {
    const Vector3d alpha_I = model_.R_WI(imu_).transpose() * model_.angular_acceleration(imu_);
    result.add(by_alpha, *felt_.alpha_I - alpha_I, options_.alpha);
  }
  add_prior(motion, result);
  return result;
}

// prior: the joints' start, at rest, and hinges inside their limits
void PoseSearch::add_prior(const ChainMotion& motion, Normal& result) const {
  const VectorXd turn = turned(motion);
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const int u = unknowns_[i];
    const std::array<double, 3> off{turn[static_cast<Index>(i)], motion.qdot[u], motion.qddot[u]};
    for (int order = 0; order < 3; ++order) {
      const Index k = 3 * static_cast<Index>(i) + order;
      const double weight = power(options_.prior[at(order)], -2);
      result.A(k, k) += weight;
      result.b[k] -= weight * off[at(order)];
      result.cost += weight * off[at(order)] * off[at(order)];
    }
  }
  const Model& model = model_.layout().model();
  for (std::size_t i = 0; options_.limit && i < unknowns_.size(); ++i) {
    const int joint = unknowns_[i] - (model.nv() - model.dof());
    if (joint < 0 || in_ball(unknowns_[i])) continue;
    const double q = motion.q[unknowns_[i]];
    const double beyond = q - std::clamp(q, model.lower()[joint], model.upper()[joint]);
    if (beyond == 0.0) continue;
    const Index k = 3 * static_cast<Index>(i);
    const double weight = power(*options_.limit, -2);
    result.A(k, k) += weight;
    result.b[k] -= weight * beyond;
    result.cost += weight * beyond * beyond;
  }
}

bool PoseSearch::in_ball(int unknown) const {
  const auto& balls = model_.layout().balls();
  return std::any_of(balls.begin(), balls.end(), [unknown](const ChainLayout::Ball& ball) {
    return std::find(ball.unknown.begin(), ball.unknown.end(), unknown) != ball.unknown.end();
  });
}

// Levenberg and Marquardt
LikelyPose PoseSearch::fit(ChainMotion motion) {
  Normal here = normal(motion);
  double damping = kFirstDamping;
  for (int k = 0; k < kIterations && damping < kMostDamping; ++k) {
    MatrixXd damped = here.A;
    damped.diagonal() *= 1.0 + damping;
    VectorXd step = solve_symmetric(damped, here.b);
    double largest = 0.0;
    for (Index i = 0; i < step.size(); i += 3) largest = std::max(largest, std::abs(step[i]));
    if (largest > kLargestStep) step *= kLargestStep / largest;
    ChainMotion next = motion;
    change(step, next);
    Normal there = normal(next);
    if (!(there.cost < here.cost)) {
      damping *= 8.0;
      continue;
    }
    const bool done = here.cost - there.cost < kDone;
    motion = std::move(next);
    here = std::move(there);
    damping *= 0.2;
    if (done) break;
  }
  return {std::move(motion), here.cost};
}

}  // namespace panto
