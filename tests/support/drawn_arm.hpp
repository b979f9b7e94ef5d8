#pragma once
// Motions of the right arm drawn from the very process that a filter believes in, and what its five sensors
// feel: what tells whether an estimate knows how wrong it is. [Bar-Shalom, Li, Kirubarajan 2001, section 5.4]

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "panto/inertial/ball.hpp"
#include "panto/math/euler.hpp"
#include "panto/synthesis/random_numbers.hpp"
#include "tests/support/right_arm.hpp"

namespace panto::test {

inline constexpr double kDrawnInterval = 0.01;  // [s]
inline constexpr double kCertain = 3.29;  // standard deviations of a bound: one in a thousand lies outside

/// Quantile of chi-square over its degrees of freedom  [Wilson, Hilferty 1931]
inline double bound(double dof, double sigmas) {
  const double c = 2.0 / (9.0 * dof);
  return std::pow(1.0 - c + sigmas * std::sqrt(c), 3);
}

inline Eigen::Vector3d normals(std::mt19937_64& random) {
  Eigen::Vector3d v;
  for (int k = 0; k < 3; ++k) v[k] = normal(random);
  return v;
}

/// How far every unknown is from the rest pose: hinges by their angle, balls by the rotation vector from
/// there; of a base and of slides their value. (unknowns)
inline Eigen::VectorXd away_from_rest(const ChainLayout& layout, const ChainMotion& motion) {
  const Model& model = layout.model();
  StateAcceleration none;
  none.sddot = Eigen::VectorXd::Zero(model.dof());
  const ChainMotion rest = layout.motion(rest_state(model), none);
  Eigen::VectorXd away = motion.q;
  for (int i = 0; i < model.dof(); ++i) {
    const int u = model.nv() - model.dof() + i;
    if (model.joint(i).type == JointType::Revolute) away[u] -= rest.q[u];
  }
  for (const ChainLayout::Ball& ball : layout.balls()) {
    if (ball.group < 0) continue;
    const Eigen::Vector3d turn =
        so3::log(layout.rotation(ball, rest).transpose() * layout.rotation(ball, motion));
    for (int k = 0; k < 3; ++k) away[ball.unknown[at(k)]] = turn[k];
  }
  return away;
}

/// A chain that moves as its process says: balls return to zero after every step
class Drawn {
 public:
  Drawn(const ChainLayout& layout, const ChainProcess& process, std::mt19937_64& random)
      : layout_(layout),
        random_(random),
        over_(transition(process, kDrawnInterval)),
        L_(over_.Q.llt().matrixL()) {
    StateAcceleration none;
    none.sddot = Eigen::VectorXd::Zero(layout.model().dof());
    motion = layout.motion(rest_state(layout.model()), none);
    for (int i = 0; i < 400; ++i) step();  // until it forgot where it began
  }

  void step() {
    const Eigen::VectorXd from_rest = away_from_rest(layout_, motion);
    for (int u = 0; u < motion.q.size(); ++u) {
      const double away = from_rest[u];  // where tethers pull
      const Eigen::Vector3d before{away, motion.qdot[u], motion.qddot[u]};
      const Eigen::Vector3d now = over_.F * before + L_ * normals(random_);
      motion.q[u] += now[0] - away, motion.qdot[u] = now[1], motion.qddot[u] = now[2];
    }
    for (const ChainLayout::Ball& ball : layout_.balls()) rebase(ball);
  }

  ChainMotion motion;

 private:
  void rebase(const ChainLayout::Ball& ball) {
    const Eigen::Matrix3d R = layout_.rotation(ball, motion);
    Eigen::Vector3d q, qdot, qddot;
    for (int k = 0; k < 3; ++k) {
      const int u = ball.unknown[at(k)];
      q[k] = motion.q[u], qdot[k] = motion.qdot[u], qddot[k] = motion.qddot[u];
    }
    const ball::Rebased moved = ball::rebase(q, qdot, qddot);
    motion.reference[at(layout_.reference_of(ball))] = so3::project(R);
    for (int k = 0; k < 3; ++k) {
      const int u = ball.unknown[at(k)];
      motion.q[u] = 0.0, motion.qdot[u] = moved.qdot[k], motion.qddot[u] = moved.qddot[k];
    }
  }

  const ChainLayout& layout_;
  std::mt19937_64& random_;
  ChainTransition over_;
  Eigen::Matrix3d L_;
};

/// (q, q', q'') of every unknown of `truth`, balls counted from the references of `from`
inline Eigen::VectorXd seen_from(const ChainLayout& layout, const ChainMotion& truth,
                                 const ChainMotion& from) {
  Eigen::VectorXd x(3 * truth.q.size());
  for (int u = 0; u < truth.q.size(); ++u) x.segment<3>(3 * u) << truth.q[u], truth.qdot[u], truth.qddot[u];
  for (const ChainLayout::Ball& ball : layout.balls()) {
    Eigen::Vector3d w, qddot;
    for (int k = 0; k < 3; ++k)
      w[k] = truth.qdot[ball.unknown[at(k)]], qddot[k] = truth.qddot[ball.unknown[at(k)]];
    const Eigen::Vector3d alpha = qddot + ball::slopes(Eigen::Vector3d::Zero(), w).M * w;
    const Eigen::Matrix3d off =
        from.reference[at(layout.reference_of(ball))].transpose() * layout.rotation(ball, truth);
    const Eigen::Vector3d q = euler::from_rotation(off, euler::XYZ);
    const Eigen::Matrix3d back = ball::rates(q).inverse();
    const Eigen::Vector3d rates = back * w;
    const Eigen::Vector3d accelerations = back * (alpha - ball::slopes(q, rates).M * rates);
    for (int k = 0; k < 3; ++k) x.segment<3>(3 * ball.unknown[at(k)]) << q[k], rates[k], accelerations[k];
  }
  return x;
}

/// A start that is off by as much as its covariance says
inline void disturb(const ChainLayout& layout, const Eigen::VectorXd& error, ChainMotion& motion) {
  const ChainMotion truth = motion;
  for (int u = 0; u < motion.q.size(); ++u) motion.q[u] -= error[3 * u];
  for (const ChainLayout::Ball& ball : layout.balls()) {
    Eigen::Vector3d q;
    for (int k = 0; k < 3; ++k) {
      q[k] = error[3 * ball.unknown[at(k)]];
      motion.q[ball.unknown[at(k)]] = 0.0;
    }
    Eigen::Matrix3d& R = motion.reference[at(layout.reference_of(ball))];
    R = R * euler::to_rotation(q, euler::XYZ).transpose();
  }
  const Eigen::VectorXd seen = seen_from(layout, truth, motion);
  for (int u = 0; u < motion.q.size(); ++u) {
    motion.qdot[u] = seen[3 * u + 1] - error[3 * u + 1];
    motion.qddot[u] = seen[3 * u + 2] - error[3 * u + 2];
  }
}

/// No model error: the process, the noise and the mounting are those that the filter is told
inline ChainEkfOptions matched() {
  ChainEkfOptions o;
  o.gyro = 0.01, o.acc = 0.05, o.mag = 0.02;
  o.mounting = o.changing = o.wobble = 0.0;
  o.huber = 1e6;  // there are no outliers
  o.limit.reset();
  o.magnetic = MagneticUse::Vector;
  o.field_norm = o.field_dip = 100.0;
  o.field_settles = 0.0;
  return o;
}

/// Sensors of the truth: noise, biases that walk, and mounts, places and lengths that are off as the options
/// say
class Sensors {
 public:
  Sensors(const ChainLayout& layout, const ChainEkfOptions& options, double acc_noise,
          std::mt19937_64& random)
      : options_(options), acc_(acc_noise), random_(random), model_(layout, mounted(options.mounting)) {
    bias.resize(15);
    for (int k = 0; k < 5; ++k) bias.segment<3>(3 * k) = options.bias * normals(random);
    std::mt19937_64 apart = random;  // so that noise is the same whatever else is drawn
    apart.discard(1U << 20U);
    const auto drawn = [&apart](double sigma, std::size_t size) {
      Eigen::VectorXd off(sigma > 0.0 ? static_cast<Eigen::Index>(size) : 0);
      for (double& x : off) x = sigma * normal(apart);
      return off;
    };
    shape.place = drawn(options.refine.place, 15);
    shape.length = drawn(options.refine.length, model_.lengths().size());
  }

  ImuSample feel(const ChainMotion& motion, Time t) {
    model_.update(motion, shape);
    ImuSample sample;
    sample.t = t;
    for (int k = 0; k < 5; ++k) {
      const auto& y = model_.imu(k).y;
      bias.segment<3>(3 * k) += options_.bias_walk * std::sqrt(kDrawnInterval) * normals(random_);
      sample.imus.push_back({y.head<3>() + bias.segment<3>(3 * k) + options_.gyro * normals(random_),
                             y.segment<3>(3) + acc_ * normals(random_),
                             y.tail<3>() + options_.mag * normals(random_), true, true, true});
    }
    return sample;
  }

  Eigen::VectorXd bias, turn = Eigen::VectorXd::Zero(15);
  ChainShape shape;

 private:
  std::vector<ImuMount> mounted(double off) {
    std::vector<ImuMount> mounts = right_arm_mounts();
    for (int k = 0; k < 5; ++k) {
      turn.segment<3>(3 * k) = off * normals(random_);
      mounts[at(k)].R_LI = mounts[at(k)].R_LI * so3::exp(turn.segment<3>(3 * k));
    }
    return mounts;
  }

  const ChainEkfOptions& options_;
  double acc_;
  std::mt19937_64& random_;
  ImuModel model_;
};

}  // namespace panto::test
