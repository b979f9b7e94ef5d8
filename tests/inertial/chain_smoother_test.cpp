#include "panto/inertial/chain_smoother.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "tests/support/drawn_arm.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/smoothed_states.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::smoothed, test::vector_of;

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
  ChainEkf ekf;

  // `adapts`: the hinge's process follows the data, and its gyroscope has an unknown scale
  explicit Linear(bool adapts) : model(spec()), ekf(adapting(adapts)) {}

  ChainEkf adapting(bool adapts) {
    processes[1].adapts = adapts;
    options.gyro_scale = adapts ? 0.05 : 0.0;
    return {imus, processes, options};
  }

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
  // `filtered` tells how strong the process was that led to each sample
  LeastSquares(const Linear& problem, const ChainState& start, const std::vector<ImuSample>& samples,
               const std::vector<ChainState>& filtered)
      : problem_(problem), n_(problem.ekf.columns()) {
    const Eigen::Index size = n_ * (std::ssize(samples) + 1);
    A_ = MatrixXd::Zero(size + 9 * std::ssize(samples), size);
    b_ = VectorXd::Zero(A_.rows());
    add(MatrixXd::Identity(n_, n_), -1, 0, vector_of(problem.ekf, start), start.P);
    Time before = start.t;
    for (Eigen::Index k = 0; k < std::ssize(samples); ++k) {
      const ImuSample& sample = samples[static_cast<std::size_t>(k)];
      add_process(k, to_seconds(sample.t - before), filtered[static_cast<std::size_t>(k)]);
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

  void add_process(Eigen::Index k, double T, const ChainState& led_to) {
    MatrixXd F = MatrixXd::Identity(n_, n_), Q = MatrixXd::Zero(n_, n_);
    for (int u = 0; u < 2; ++u) {
      const ChainTransition over = transition(problem_.processes[at(u)], T);
      F.block<3, 3>(3 * u, 3 * u) = over.F;
      Q.block<3, 3>(3 * u, 3 * u) = led_to.strength[u] * over.Q;
    }
    // an angle by a gyroscope whose scale is wrong for about a radian
    Q(3, 3) += 2.0 * std::pow(problem_.options.gyro_scale, 2) * led_to.memory[1].gyro.norm() * T;
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

class WhereEverythingIsLinear : public testing::TestWithParam<bool> {};

TEST_P(WhereEverythingIsLinear, EqualsLeastSquaresOverTheWholeRecording) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Linear problem(GetParam());
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
    const LeastSquares whole(problem, start, samples, filtered);
    const std::vector<ChainState> ours = smoothed(problem.ekf, filtered);
    double far = 0.0;
    for (std::size_t k = 0; k < ours.size(); ++k) {
      const VectorXd x = vector_of(problem.ekf, ours[k]);
      EXPECT_LT((x - whole.x(k)).cwiseAbs().maxCoeff(), 1e-9 * std::max(1.0, x.cwiseAbs().maxCoeff())) << k;
      EXPECT_LT(difference(ours[k].P, whole.P(k)), 1e-9) << k;
      far = std::max(far, (x - vector_of(problem.ekf, filtered[k])).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(far, 0.1) << "the filter itself is far from it";
    double least = 1e9, most = 0.0;
    for (const ChainState& at : filtered)
      least = std::min(least, at.strength[1]), most = std::max(most, at.strength[1]);
    EXPECT_EQ(most > 10.0 * least, GetParam()) << "strengths differ where the process adapts";
  }
}

// fixed processes, and one that follows the data
INSTANTIATE_TEST_SUITE_P(ChainSmoother, WhereEverythingIsLinear, testing::Bool());

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
    const VectorXd shift = to_rest(now.motion, known);
    x = known + C * G * (x - (F * (known + shift) - shift));
  }

  // what hinges lack to be counted from rest, where tethers pull them
  [[nodiscard]] VectorXd to_rest(const ChainMotion& motion, const VectorXd& known) const {
    const VectorXd away = test::away_from_rest(chain_.layout, motion);
    VectorXd shift = VectorXd::Zero(known.size());
    for (Eigen::Index u = 0; u < away.size(); ++u) shift[3 * u] = away[u] - known[3 * u];
    return shift;
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

}  // namespace
}  // namespace panto
