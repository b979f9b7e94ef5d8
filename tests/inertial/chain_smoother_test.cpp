#include "panto/inertial/chain_smoother.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "tests/support/drawn_arm.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/smoothed_body.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// what the smoother says of every state that a filter left, first one first
std::vector<ChainState> smoothed(const ChainEkf& ekf, const std::vector<ChainState>& filtered,
                                 bool covariance = true) {
  ChainSmoother smoother(ekf, {covariance});
  std::vector<ChainState> result(filtered.size());
  for (std::size_t k = filtered.size(); k-- > 0;) {
    if (k + 1 == filtered.size()) {
      smoother.begin(filtered[k]);
    } else {
      EXPECT_TRUE(smoother.step_back(filtered[k])) << k;
      EXPECT_TRUE(smoother.covariance_smoothed()) << k;
    }
    result[k] = smoother.state();
  }
  return result;
}

VectorXd vector_of(const ChainEkf& ekf, const ChainState& state) {
  VectorXd x(ekf.columns());
  ekf.to_vector(state, x);
  return x;
}

// largest difference of two covariances in parts of their standard deviations
double difference(const MatrixXd& a, const MatrixXd& b) {
  const VectorXd scale = b.diagonal().cwiseSqrt().cwiseInverse();
  return (scale.asDiagonal() * (a - b) * scale.asDiagonal()).cwiseAbs().maxCoeff();
}

// A slide with a hinge about the same vertical axis: whatever a gyroscope feels on the hinge and an
// accelerometer on the slide is linear in the unknowns and the biases.
struct Linear {
  Model model;
  ChainLayout layout{model};
  ImuModel imus{
      layout,
      {{"slid", "slid", so3::exp({0.4, -0.2, 0.9})}, {"turned", "turned", so3::exp({1.0, 0.3, 0.2})}}};
  std::vector<ChainProcess> processes{{ChainProcess::Kind::Tethered, 2.0, 0.5},
                                      {ChainProcess::Kind::Singer, 3.0, 0.4}};
  ChainEkfOptions options = told();
  ChainEkf ekf{imus, processes, options};

  Linear() : model(spec()) {}

  static ModelSpec spec() {
    ModelSpec spec;
    spec.floating_base = false;
    for (const char* name : {"room", "slid", "turned"}) spec.links.emplace_back().name = name;
    Joint slide;
    slide.name = "slide", slide.type = JointType::Prismatic, slide.axis = Vector3d::UnitZ();
    slide.parent = "room", slide.child = "slid";
    Joint hinge = slide;
    hinge.name = "hinge", hinge.type = JointType::Revolute;
    hinge.parent = "slid", hinge.child = "turned";
    spec.joints = {slide, hinge};
    return spec;
  }

  static ChainEkfOptions told() {
    ChainEkfOptions o;
    o.gyro = 0.03, o.acc = 0.2;
    o.mounting = o.changing = o.wobble = 0.0;
    o.bias_walk = 0.01;
    o.huber = 1e6;
    o.limit.reset();
    o.magnetic = MagneticUse::Off;
    return o;
  }

  // anything: a filter that is linear smooths whatever it is given
  static ImuSample sample(int k, Time t, test::Random& random) {
    ImuSample result{t, std::vector<ImuReading>(2)};
    result.imus[0].gyro = test::random_vector(random, 0.1);
    result.imus[0].acc = test::random_vector(random, 12.0);
    result.imus[1].gyro = test::random_vector(random, 1.0);
    result.imus[0].has_gyro = true;
    result.imus[0].has_acc = k % 7 != 3;
    result.imus[1].has_gyro = k % 5 != 2;
    return result;
  }
};

// min |x_0 - m|^2 / P_0 + sum |x_k+1 - F x_k|^2 / Q + sum |y - H x|^2 / R over all samples at once, by QR
class LeastSquares {
 public:
  LeastSquares(const Linear& problem, const ChainState& start, const std::vector<ImuSample>& samples)
      : problem_(problem), n_(problem.ekf.columns()) {
    const Eigen::Index size = n_ * (std::ssize(samples) + 1);
    A_ = MatrixXd::Zero(size + 9 * std::ssize(samples), size);
    b_ = VectorXd::Zero(A_.rows());
    add(MatrixXd::Identity(n_, n_), -1, 0, vector_of(problem.ekf, start), start.P);
    Time before = start.t;
    for (Eigen::Index k = 0; k < std::ssize(samples); ++k) {
      const ImuSample& sample = samples[static_cast<std::size_t>(k)];
      add_process(k, to_seconds(sample.t - before));
      add_sample(k + 1, sample);
      before = sample.t;
    }
    const Eigen::HouseholderQR<MatrixXd> qr(A_.topRows(row_));
    const MatrixXd R = qr.matrixQR().topRows(size).triangularView<Eigen::Upper>();
    x_ = qr.solve(b_.head(row_));
    const MatrixXd inverse = R.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(size, size));
    P_ = inverse * inverse.transpose();
  }

  VectorXd x(std::size_t sample) const {
    return x_.segment(n_ * (static_cast<Eigen::Index>(sample) + 1), n_);
  }
  MatrixXd P(std::size_t sample) const {
    const Eigen::Index first = n_ * (static_cast<Eigen::Index>(sample) + 1);
    return P_.block(first, first, n_, n_);
  }

 private:
  // rows H x_k (+ F x_before) = y with covariance R
  void add(const MatrixXd& H, Eigen::Index before, Eigen::Index k, const VectorXd& y, const MatrixXd& R,
           const MatrixXd& F = {}) {
    const Eigen::LLT<MatrixXd> llt(R);
    A_.block(row_, n_ * k, H.rows(), n_) = llt.matrixL().solve(H);
    if (before >= 0) A_.block(row_, n_ * before, H.rows(), n_) = llt.matrixL().solve(F);
    b_.segment(row_, H.rows()) = llt.matrixL().solve(y);
    row_ += H.rows();
  }

  void add_process(Eigen::Index k, double T) {
    MatrixXd F = MatrixXd::Identity(n_, n_), Q = MatrixXd::Zero(n_, n_);
    for (int u = 0; u < 2; ++u) {
      const ChainTransition over = transition(problem_.processes[at(u)], T);
      F.block<3, 3>(3 * u, 3 * u) = over.F;
      Q.block<3, 3>(3 * u, 3 * u) = over.Q;
    }
    Q.diagonal().tail(6).setConstant(std::pow(problem_.options.bias_walk, 2) * T);
    add(MatrixXd::Identity(n_, n_), k, k + 1, VectorXd::Zero(n_), Q, -F);
  }

  void add_sample(Eigen::Index k, const ImuSample& sample) {
    const Vector3d g{0.0, 0.0, -9.80665};
    for (int i = 0; i < 2; ++i) {
      const ImuReading& reading = sample.imus[at(i)];
      const Eigen::Matrix3d R_IL = problem_.imus.imus()[at(i)].R_LI.transpose();
      MatrixXd H = MatrixXd::Zero(3, n_);
      if (reading.has_gyro) {
        H.middleCols<3>(6 + 3 * i).setIdentity();
        if (i == 1) H.col(4) = R_IL.col(2);  // the hinge's rate
        add(H, -1, k, reading.gyro, std::pow(problem_.options.gyro, 2) * MatrixXd::Identity(3, 3));
      }
      if (reading.has_acc) {
        H.setZero();
        H.col(2) = R_IL.col(2);  // the slide's acceleration
        add(H, -1, k, reading.acc + R_IL * g, std::pow(problem_.options.acc, 2) * MatrixXd::Identity(3, 3));
      }
    }
  }

  const Linear& problem_;
  Eigen::Index n_, row_ = 0;
  MatrixXd A_, P_;
  VectorXd b_, x_;
};

TEST(ChainSmoother, EqualsLeastSquaresOverTheWholeRecordingWhereEverythingIsLinear) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Linear problem;
    test::Random random(seed);
    const ChainState start = problem.ekf.start(rest_state(problem.model));
    ChainState state = start;
    std::vector<ImuSample> samples;
    std::vector<ChainState> filtered;
    for (int k = 0; k < 40; ++k) {
      const Time t = state.t + from_seconds(test::uniform(random, 0.05, 0.2));
      samples.push_back(problem.sample(k, t, random));
      ASSERT_EQ(problem.ekf.step(samples.back(), state), StepStatus::Solved);
      filtered.push_back(state);
    }
    const LeastSquares whole(problem, start, samples);
    const std::vector<ChainState> ours = smoothed(problem.ekf, filtered);
    double far = 0.0;
    for (std::size_t k = 0; k < ours.size(); ++k) {
      const VectorXd x = vector_of(problem.ekf, ours[k]);
      EXPECT_LT((x - whole.x(k)).cwiseAbs().maxCoeff(), 1e-9 * std::max(1.0, x.cwiseAbs().maxCoeff())) << k;
      EXPECT_LT(difference(ours[k].P, whole.P(k)), 1e-9) << k;
      far = std::max(far, (x - vector_of(problem.ekf, filtered[k])).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(far, 0.1) << "the filter itself is far from it";
  }
}

// what the sensors of a chain feel on a smooth motion, both `size` times what is usual
ImuSample felt(ImuModel& imus, const State& start, double t, double size, test::Random& random) {
  State state = start;
  StateAcceleration acceleration;
  acceleration.sddot = VectorXd::Zero(start.s.size());
  for (int i = 0; i < start.s.size(); ++i) {
    const double w = 2.0 + 0.05 * i;
    state.s[i] = start.s[i] + 0.3 * size * std::sin(w * t);
    state.sdot[i] = 0.3 * size * w * std::cos(w * t);
    acceleration.sddot[i] = -0.3 * size * w * w * std::sin(w * t);
  }
  imus.update(imus.layout().motion(state, acceleration));
  ImuSample sample;
  sample.t = from_seconds(t);
  for (int k = 0; k < static_cast<int>(imus.imus().size()); ++k) {
    const auto& y = imus.imu(k).y;
    sample.imus.push_back({y.head<3>() + test::random_vector(random, 0.002 * size),
                           y.segment<3>(3) + test::random_vector(random, 0.07 * size),
                           y.tail<3>() + test::random_vector(random, 0.02 * size), true, true, true});
  }
  return sample;
}

struct Chain {
  Model model;
  ChainLayout layout{model};
  ImuModel imus;
  std::vector<ChainProcess> processes;
  ChainEkf ekf;
  State start;
  std::vector<ChainState> filtered;

  Chain(std::uint64_t seed, const ChainEkfOptions& options, int steps, double size)
      : model(test::random_chain(seed, seed % 2 == 0)),
        imus(place(layout, seed)),
        processes(at(layout.unknowns()), ChainProcess{ChainProcess::Kind::Tethered, 6.0, 0.25}),
        ekf(imus, processes, options),
        start(rest_state(model)) {
    test::Random random(seed);
    ChainState state = ekf.start(start);
    for (int i = 1; i <= steps; ++i) {
      EXPECT_EQ(ekf.step(felt(imus, start, 0.01 * i, size, random), state), StepStatus::Solved);
      filtered.push_back(state);
    }
  }

  static ImuModel place(const ChainLayout& layout, std::uint64_t seed) {
    test::Random random(seed);
    const ImuModel placed = test::random_imus(layout, random);
    return {layout, placed.imus()};
  }
};

ChainEkfOptions plain() {
  ChainEkfOptions o;
  o.magnetic = MagneticUse::Vector;
  o.field_settles = 0.0;
  o.field_norm = o.field_dip = 100.0;
  o.limit.reset();
  o.mounting = 0.02;
  return o;
}

// The textbook: dense F, Q and G (re-basing of balls after a step), gain by an inverse, Joseph's form.
// Everything in the error angles that the filter has at k.
class Dense {
 public:
  explicit Dense(Chain& chain) : chain_(chain) {}

  // x and P at k in the filter's angles there, from those at k + 1
  void back(std::size_t k, VectorXd& x, MatrixXd& P) {
    const ChainState &now = chain_.filtered[k], &later = chain_.filtered[k + 1];
    const Eigen::Index n = chain_.ekf.columns();
    const double T = to_seconds(later.t - now.t);
    MatrixXd F = MatrixXd::Identity(n, n), Q = MatrixXd::Zero(n, n), G = F;
    for (int u = 0; u < chain_.layout.unknowns(); ++u) {
      const ChainTransition over = transition(chain_.processes[at(u)], T);
      F.block<3, 3>(3 * u, 3 * u) = over.F;
      Q.block<3, 3>(3 * u, 3 * u) = over.Q;
    }
    Q.diagonal().segment(3 * chain_.layout.unknowns(), later.bias.size()).setConstant(25e-10 * T);
    rebase(later.motion, now.motion, G);
    const MatrixXd predicted = G * (F * now.P * F.transpose() + Q) * G.transpose();
    const MatrixXd C = now.P * F.transpose() * G.transpose() * predicted.fullPivLu().inverse();
    const MatrixXd A = MatrixXd::Identity(n, n) - C * G * F;
    P = A * now.P * A.transpose() + C * (G * Q * G.transpose() + P) * C.transpose();
    // differences in the angles of k, which G takes to those of k + 1 to first order
    const VectorXd known = vector_of(chain_.ekf, now);
    x = known + C * G * (x - F * known);
  }

  // the slopes of angles counted from where `motion` is by those counted from the references of `from`
  void rebase(const ChainMotion& motion, const ChainMotion& from, MatrixXd& G) const {
    const VectorXd x = test::seen_from(chain_.layout, motion, from);
    for (const ChainLayout::Ball& ball : chain_.layout.balls()) {
      Eigen::Matrix3d parts;  // columns q, q', q''
      for (int k = 0; k < 3; ++k) parts.row(k) = x.segment<3>(3 * ball.unknown[at(k)]).transpose();
      const ball::Rebased moved = ball::rebase(parts.col(0), parts.col(1), parts.col(2));
      const auto index = [&ball](int i) { return 3 * ball.unknown[at(i % 3)] + i / 3; };
      for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) G(index(i), index(j)) = moved.jacobian(i, j);
      }
    }
  }

 private:
  Chain& chain_;
};

// a smoothed state's vector, balls counted from the references of `from`
VectorXd seen_from(const Chain& chain, const ChainState& state, const ChainMotion& from) {
  VectorXd x = vector_of(chain.ekf, state);
  x.head(3 * chain.layout.unknowns()) = test::seen_from(chain.layout, state.motion, from);
  return x;
}

// slopes of turns, velocities and accelerations behind balls by a state's vector; of all else the identity
MatrixXd behind(const ChainEkf& ekf, const ChainState& state) {
  MatrixXd A = MatrixXd::Identity(ekf.columns(), ekf.columns());
  const VectorXd x = vector_of(ekf, state);
  for (const ChainLayout::Ball& ball : ekf.model().layout().balls()) {
    Eigen::Matrix3d parts;  // columns q, q', q''
    for (int k = 0; k < 3; ++k) parts.row(k) = x.segment<3>(3 * ball.unknown[at(k)]).transpose();
    const auto slopes = ball::slopes_behind(parts.col(0), parts.col(1), parts.col(2));
    const auto index = [&ball](int i) { return 3 * ball.unknown[at(i % 3)] + i / 3; };
    for (int i = 0; i < 9; ++i) {
      for (int j = 0; j < 9; ++j) A(index(i), index(j)) = slopes(i, j);
    }
  }
  return A;
}

TEST(ChainSmoother, CovarianceEqualsTheDenseTextbookSmoothers) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Chain chain(seed, plain(), 30, 1.0);
    Dense dense(chain);
    const std::vector<ChainState> ours = smoothed(chain.ekf, chain.filtered);
    MatrixXd P = chain.filtered.back().P;
    VectorXd x = vector_of(chain.ekf, chain.filtered.back());
    double worst = 0.0;
    for (std::size_t k = chain.filtered.size() - 1; k-- > 0;) {
      dense.back(k, x, P);
      // both as covariances of turns, velocities and accelerations behind the balls
      const MatrixXd A = behind(chain.ekf, ours[k]), B = behind(chain.ekf, chain.filtered[k]);
      worst = std::max(worst, difference(A * ours[k].P * A.transpose(), B * P * B.transpose()));
      EXPECT_LT(ours[k].P.trace(), chain.filtered[k].P.trace());
    }
    EXPECT_LT(worst, 1e-9) << "seed " << seed;
  }
}

// The textbook's differences of angles and ours of rotations are the same to first order: what is between
// them shrinks with the square of the corrections.
TEST(ChainSmoother, StateEqualsTheDenseTextbookSmoothersToFirstOrder) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Chain chain(seed, plain(), 30, 1e-3);
    Dense dense(chain);
    const std::vector<ChainState> ours = smoothed(chain.ekf, chain.filtered);
    MatrixXd P = chain.filtered.back().P;
    double far = 0.0, apart = 0.0;
    for (std::size_t k = chain.filtered.size() - 1; k-- > 0;) {
      VectorXd x = seen_from(chain, ours[k + 1], chain.filtered[k].motion);
      MatrixXd unused = P;
      dense.back(k, x, unused);
      const VectorXd here = seen_from(chain, ours[k], chain.filtered[k].motion);
      const VectorXd sigma = chain.filtered[k].P.diagonal().cwiseSqrt();
      apart = std::max(apart, (here - x).cwiseQuotient(sigma).cwiseAbs().maxCoeff());
      far = std::max(
          far, (here - vector_of(chain.ekf, chain.filtered[k])).cwiseQuotient(sigma).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(far, 1e-4);
    EXPECT_LT(apart, 1e-4 * far) << "seed " << seed;
  }
}

// A run of the drawn arm: what the filter left, and the truth
struct Drawing {
  std::vector<ChainState> filtered;
  std::vector<ChainMotion> truth;
  std::vector<VectorXd> bias;
  VectorXd turn;
};

// the arm, its filter, and everything that both are told
struct DrawnArm {
  Model model = dh_model(test::right_arm_tree(PANTO_CHAINS));
  ChainLayout layout{model};
  ChainProcess process{ChainProcess::Kind::Tethered, 10.0, 0.25};
  ChainEkfOptions options;
  ChainEkf ekf;

  explicit DrawnArm(const ChainEkfOptions& told)
      : options(told),
        ekf(ImuModel(layout, test::right_arm_mounts()),
            std::vector<ChainProcess>(at(layout.unknowns()), process), told) {}

  Drawing draw(int run, int steps) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run) + 1);
    test::Drawn truth(layout, process, random);
    test::Sensors sensors(layout, options, options.acc, random);
    ChainState state = ekf.start(rest_state(model));
    state.motion = truth.motion;
    VectorXd error(3 * layout.unknowns());
    for (Eigen::Index i = 0; i < error.size(); ++i) error[i] = std::sqrt(state.P(i, i)) * normal(random);
    test::disturb(layout, error, state.motion);
    Drawing result;
    for (int i = 1; i <= steps; ++i) {
      truth.step();
      EXPECT_EQ(ekf.step(sensors.feel(truth.motion, from_seconds(test::kDrawnInterval * i)), state),
                StepStatus::Solved);
      result.filtered.push_back(state);
      result.truth.push_back(truth.motion);
      result.bias.push_back(sensors.bias);
    }
    result.turn = sensors.turn;
    return result;
  }

  // the truth minus what is known, in the angles of what is known
  VectorXd error(const Drawing& drawing, std::size_t k, const ChainState& known) const {
    VectorXd off(known.bias.size() + known.mounting.size() + 3 * layout.unknowns());
    const VectorXd there = test::seen_from(layout, known.motion, known.motion);
    off.head(there.size()) = test::seen_from(layout, drawing.truth[k], known.motion) - there;
    off.segment(there.size(), known.bias.size()) = drawing.bias[k] - known.bias;
    if (known.mounting.size() > 0) off.tail(known.mounting.size()) = drawing.turn - known.mounting;
    return off;
  }
};

constexpr std::array<std::size_t, 6> kLooked{0, 9, 29, 99, 199, 289};  // samples of 300 that are judged

struct Judged {
  std::array<double, kLooked.size()> nees{}, nees_filtered{};  // means over runs and degrees of freedom
  double angles = 0.0, angles_filtered = 0.0;                  // root mean square errors [rad]
  double dof = 0.0;
};

Judged judge(const ChainEkfOptions& options, int runs) {
  DrawnArm arm(options);
  Judged result;
  double count = 0.0;
  for (int run = 0; run < runs; ++run) {
    const Drawing drawing = arm.draw(run, 300);
    const std::vector<ChainState> ours = smoothed(arm.ekf, drawing.filtered);
    for (std::size_t i = 0; i < kLooked.size(); ++i) {
      const std::size_t k = kLooked[i];
      const VectorXd off = arm.error(drawing, k, ours[k]);
      const VectorXd off_filtered = arm.error(drawing, k, drawing.filtered[k]);
      result.nees[i] += off.dot(ours[k].P.ldlt().solve(off));
      result.nees_filtered[i] += off_filtered.dot(drawing.filtered[k].P.ldlt().solve(off_filtered));
      result.dof = static_cast<double>(off.size());
      for (int u = 0; u < arm.layout.unknowns(); ++u) {
        result.angles += off[3 * u] * off[3 * u];
        result.angles_filtered += off_filtered[3 * u] * off_filtered[3 * u];
        count += 1.0;
      }
    }
  }
  for (double& nees : result.nees) nees /= runs * result.dof;
  for (double& nees : result.nees_filtered) nees /= runs * result.dof;
  result.angles = std::sqrt(result.angles / count);
  result.angles_filtered = std::sqrt(result.angles_filtered / count);
  return result;
}

void expect_errors_as_stated(const Judged& found, int runs) {
  const double low = test::bound(runs * found.dof, -test::kCertain),
               high = test::bound(runs * found.dof, test::kCertain);
  for (std::size_t i = 0; i < kLooked.size(); ++i) {
    std::printf("NEES per degree of freedom at %.2f s: %.4f (filter %.4f), within %.4f .. %.4f\n",
                test::kDrawnInterval * static_cast<double>(kLooked[i] + 1), found.nees[i],
                found.nees_filtered[i], low, high);
    EXPECT_GT(found.nees[i], low) << "sample " << kLooked[i];
    EXPECT_LT(found.nees[i], high) << "sample " << kLooked[i];
  }
  std::printf("joints: %.4f deg smoothed, %.4f deg filtered\n", found.angles / test::kDegree,
              found.angles_filtered / test::kDegree);
}

TEST(ChainSmoother, ErrorsAreAsLargeAsItSaysAndSmallerThanTheFilters) {
  const int runs = test::scaled(5);  // 50 at PANTO_TEST_SCALE=10
  const Judged found = judge(test::matched(), runs);
  expect_errors_as_stated(found, runs);
  EXPECT_LT(found.angles, 0.8 * found.angles_filtered);
}

TEST(ChainSmoother, ErrorsAreAsLargeAsItSaysWithMountsThatAreEstimated) {
  const int runs = test::scaled(5);
  ChainEkfOptions options = test::matched();
  options.mounting = 0.5 * test::kDegree;
  options.mounting_use = MountingUse::Estimate;
  const Judged found = judge(options, runs);
  expect_errors_as_stated(found, runs);
  EXPECT_LT(found.angles, 0.8 * found.angles_filtered);
}

TEST(ChainSmoother, TheBoundsNoticeACovarianceThatIsHalfAsLarge) {
  const Judged found = judge(test::matched(), 5);
  for (const double nees : found.nees) EXPECT_GT(2.0 * nees, test::bound(5 * found.dof, test::kCertain));
}

TEST(ChainSmoother, WhatIsConsideredIsNeverChanged) {
  ChainEkfOptions options = test::matched();
  options.mounting = 0.2 * test::kDegree;
  options.mounting_use = MountingUse::Consider;
  DrawnArm arm(options);
  const Drawing drawing = arm.draw(0, 100);
  const std::vector<ChainState> ours = smoothed(arm.ekf, drawing.filtered);
  const Eigen::Index c = drawing.turn.size();
  for (const ChainState& state : ours) {
    EXPECT_EQ(state.mounting, VectorXd::Zero(c));
    EXPECT_EQ(state.P.bottomRightCorner(c, c), drawing.filtered[0].P.bottomRightCorner(c, c));
  }
}

TEST(ChainSmoother, ConstantsAreKnownEverywhereAsAtTheEnd) {
  ChainEkfOptions options = test::matched();
  options.mounting = 0.5 * test::kDegree;
  DrawnArm arm(options);
  const Drawing drawing = arm.draw(0, 100);
  const std::vector<ChainState> ours = smoothed(arm.ekf, drawing.filtered);
  const Eigen::Index c = drawing.turn.size();
  const ChainState& last = drawing.filtered.back();
  EXPECT_NE(drawing.filtered[0].mounting, last.mounting) << "the filter learned them";
  for (const ChainState& state : ours) {
    EXPECT_EQ(state.mounting, last.mounting);
    EXPECT_EQ(state.P.bottomRightCorner(c, c), last.P.bottomRightCorner(c, c));
  }
}

TEST(ChainSmoother, WithoutCovarianceTheStatesHaveTheSameBits) {
  DrawnArm arm(test::matched());
  const Drawing drawing = arm.draw(3, 50);
  const std::vector<ChainState> with = smoothed(arm.ekf, drawing.filtered);
  const std::vector<ChainState> without = smoothed(arm.ekf, drawing.filtered, false);
  for (std::size_t k = 0; k < with.size(); ++k) {
    EXPECT_EQ(without[k].P.size(), 0);
    EXPECT_EQ(vector_of(arm.ekf, with[k]), vector_of(arm.ekf, without[k]));
    EXPECT_EQ(with[k].motion.reference, without[k].motion.reference);
  }
}

TEST(ChainSmoother, WhereThereIsNoGainTheFiltersStateStands) {
  DrawnArm arm(test::matched());
  Drawing drawing = arm.draw(3, 50);
  // a covariance that is none: two angles that are more alike than the same
  MatrixXd& P = drawing.filtered[20].P;
  P(0, 3) = P(3, 0) = 2.0 * std::sqrt(P(0, 0) * P(3, 3));
  ChainSmoother smoother(arm.ekf);
  smoother.begin(drawing.filtered[49]);
  for (std::size_t k = 49; k-- > 0;) {
    EXPECT_EQ(smoother.step_back(drawing.filtered[k]), k != 20) << k;
    const ChainState& state = smoother.state();
    EXPECT_TRUE(vector_of(arm.ekf, state).allFinite() && state.P.allFinite());
    if (k != 20) continue;
    EXPECT_EQ(state.motion.q, drawing.filtered[k].motion.q);
    EXPECT_EQ(state.motion.qdot, drawing.filtered[k].motion.qdot);
  }
  // the samples before are smoothed by what came up to it
  std::vector<ChainState> until(drawing.filtered.begin(), drawing.filtered.begin() + 20);
  ChainSmoother again(arm.ekf);
  again.begin(drawing.filtered[20]);
  for (std::size_t k = 20; k-- > 0;) EXPECT_TRUE(again.step_back(until[k]));
  EXPECT_EQ(vector_of(arm.ekf, again.state()), vector_of(arm.ekf, smoother.state()));
}

TEST(ChainSmoother, RefusesStatesThatAreNotTheFiltersOrNotEarlier) {
  DrawnArm arm(test::matched());
  const Drawing drawing = arm.draw(3, 3);
  ChainSmoother smoother(arm.ekf);
  EXPECT_THROW((void)smoother.step_back(drawing.filtered[0]), ConfigError) << "nothing was begun";
  EXPECT_THROW(smoother.begin(ChainState{}), ConfigError);
  smoother.begin(drawing.filtered[1]);
  EXPECT_THROW((void)smoother.step_back(drawing.filtered[1]), ConfigError);
  EXPECT_THROW((void)smoother.step_back(drawing.filtered[2]), ConfigError);
  EXPECT_TRUE(smoother.step_back(drawing.filtered[0]));
}

// docs/results/inertial.md has the figures of 30 seeds
TEST(ChainSmoother, IsNearerToAnArmAtWorkThanTheFilter) {
  const Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  for (const ChainEkfOptions& options : {test::suit_options(), test::exact_options()}) {
    double ours = 0.0, theirs = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const test::FollowedBody found =
          test::follow_body(test::arm_at_work(arm, seed), test::right_arm_mounts(), seed, 10.0, options,
                            test::Followed::Smoothed);
      std::printf("mounting %.3f, seed %d: %.4f deg smoothed, %.4f deg filtered\n", options.mounting,
                  static_cast<int>(seed), found.smoothed.joints, found.filtered.joints);
      EXPECT_LT(found.smoothed.joints, found.filtered.joints) << "seed " << seed;
      EXPECT_EQ(found.counts.kept, 0);
      ours += found.smoothed.joints;
      theirs += found.filtered.joints;
    }
    // told that sensors may be turned, the filter's errors are those of the turns, which stay
    EXPECT_LT(ours, (options.mounting > 0.0 ? 0.9 : 0.7) * theirs);
  }
}

}  // namespace
}  // namespace panto
