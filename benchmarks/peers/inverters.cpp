// General solvers as their documentation suggests for speed: sizes known, warm starts, matrices updated in
// place, no preconditioner for a problem that is well scaled.

#include <Eigen/Cholesky>
#include <proxsuite/proxqp/dense/dense.hpp>

#include "benchmarks/peers/inverter.hpp"
#include "benchmarks/peers/osqp_step.h"
#include "benchmarks/peers/peer.hpp"
#ifdef PANTO_PEERS_NATIVE
#include <eiquadprog/eiquadprog-rt.hpp>
#else
#include <eiquadprog/eiquadprog-fast.hpp>
#endif

namespace panto_peers {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kBase = 6;

void form_normal_equations(Problem& problem) {
  problem.H.triangularView<Eigen::Lower>().setZero();
  problem.H.selfadjointView<Eigen::Lower>().rankUpdate(problem.J.transpose());
  problem.H.diagonal() += problem.damping;
  problem.H.triangularView<Eigen::StrictlyUpper>() = problem.H.transpose();
  problem.g.noalias() = -problem.J.transpose() * problem.wanted;
}

class Cholesky final : public Inverter {
 public:
  bool solve(Problem& problem, VectorXd& nu) override {
    form_normal_equations(problem);
    llt_.compute(problem.H);
    nu = -problem.g;
    llt_.solveInPlace(nu);
    return llt_.info() == Eigen::Success;
  }

 private:
  Eigen::LLT<MatrixXd> llt_;
};

class ProxQp final : public Inverter {
 public:
  ProxQp(int n, proxsuite::proxqp::DenseBackend backend, double tolerance, bool gap = false)
      : qp_(n, 0, 0, true, proxsuite::proxqp::HessianType::Dense, backend) {
    qp_.settings.eps_abs = tolerance;
    qp_.settings.eps_rel = 0.0;
    qp_.settings.check_duality_gap = gap;  // without it a wrong active set may pass
    qp_.settings.eps_duality_gap_abs = tolerance;
    qp_.settings.eps_duality_gap_rel = 0.0;
    qp_.settings.initial_guess = proxsuite::proxqp::InitialGuessStatus::WARM_START_WITH_PREVIOUS_RESULT;
  }
  bool solve(Problem& problem, VectorXd& nu) override {
    form_normal_equations(problem);
    using proxsuite::nullopt;
    if (first_) {
      qp_.init(problem.H, problem.g, nullopt, nullopt, nullopt, nullopt, nullopt, problem.lower,
               problem.upper, false);
      first_ = false;
    } else {
      qp_.update(problem.H, problem.g, nullopt, nullopt, nullopt, nullopt, nullopt, problem.lower,
                 problem.upper, false);
    }
    qp_.solve();
    nu = qp_.results.x;
    return qp_.results.info.status == proxsuite::proxqp::QPSolverOutput::PROXQP_SOLVED;
  }

 private:
  proxsuite::proxqp::dense::QP<double> qp_;
  bool first_ = true;
};

// Bounds of the joints as rows of C nu + c >= 0.
class Eiquadprog final : public Inverter {
 public:
#ifdef PANTO_PEERS_NATIVE
  static constexpr int kVars = 72, kRows = 132;
  bool solve(Problem& problem, VectorXd& nu) override {
    form_normal_equations(problem);
    H_ = problem.H;
    g_ = problem.g;
    c_.head(kRows / 2) = -problem.lower.tail(kRows / 2);
    c_.tail(kRows / 2) = problem.upper.tail(kRows / 2);
    const auto status = solver_.solve_quadprog(H_, g_, CE_, ce_, C_, c_, x_);
    nu = x_;
    return status == eiquadprog::solvers::RT_EIQUADPROG_OPTIMAL;
  }
  explicit Eiquadprog(int) {
    C_.setZero();
    for (int i = 0; i < kRows / 2; ++i) {
      C_(i, kBase + i) = 1.0;
      C_(kRows / 2 + i, kBase + i) = -1.0;
    }
  }

 private:
  template <int N>
  using Vector = Eigen::Matrix<double, N, 1>;
  eiquadprog::solvers::RtEiquadprog<kVars, 0, kRows> solver_;
  RtMatrixX<kVars, kVars>::d H_;
  RtVectorX<kVars>::d g_, x_;
  RtMatrixX<0, kVars>::d CE_;
  RtVectorX<0>::d ce_;
  RtMatrixX<kRows, kVars>::d C_;
  RtVectorX<kRows>::d c_;
#else
  explicit Eiquadprog(int n)
      : joints_(n - kBase), CE_(0, n), ce_(0), C_(MatrixXd::Zero(2 * joints_, n)), c_(2 * joints_) {
    solver_.reset(static_cast<std::size_t>(n), 0, static_cast<std::size_t>(2 * joints_));
    for (int i = 0; i < joints_; ++i) {
      C_(i, kBase + i) = 1.0;
      C_(joints_ + i, kBase + i) = -1.0;
    }
  }
  bool solve(Problem& problem, VectorXd& nu) override {
    form_normal_equations(problem);
    c_.head(joints_) = -problem.lower.tail(joints_);
    c_.tail(joints_) = problem.upper.tail(joints_);
    return solver_.solve_quadprog(problem.H, problem.g, CE_, ce_, C_, c_, nu) ==
           eiquadprog::solvers::EIQUADPROG_FAST_OPTIMAL;
  }

 private:
  eiquadprog::solvers::EiquadprogFast solver_;
  int joints_;
  MatrixXd CE_;
  VectorXd ce_;
  MatrixXd C_;
  VectorXd c_;
#endif
};

// min |e|^2 / 2 + damping, J nu - wanted = e, bounds: the sparse form that OSQP does better with.
class Osqp final : public Inverter {
 public:
  Osqp(double tolerance, int check_every) { osqp_step_begin(tolerance, check_every); }
  bool solve(Problem& problem, VectorXd& nu) override {
    const int status = osqp_step_solve(
        problem.J.data(), static_cast<int>(problem.J.rows()), static_cast<int>(problem.J.cols()),
        problem.wanted.data(), problem.damping.data(), problem.lower.data(), problem.upper.data(), nu.data());
    return status != 0;
  }
};

}  // namespace

std::unique_ptr<Inverter> make_inverter(int kind, int n) {
  using proxsuite::proxqp::DenseBackend;
  switch (kind) {
    case kCholesky:
      return std::make_unique<Cholesky>();
    case kProxQpPrimalDual:
      return std::make_unique<ProxQp>(n, DenseBackend::PrimalDualLDLT, 1e-6);
    case kProxQpPrimal:
      return std::make_unique<ProxQp>(n, DenseBackend::PrimalLDLT, 1e-6);
    case kProxQpLoose:
      return std::make_unique<ProxQp>(n, DenseBackend::PrimalDualLDLT, 1e-3);
    case kProxQpGap:
      return std::make_unique<ProxQp>(n, DenseBackend::PrimalDualLDLT, 1e-6, true);
    case kOsqp:
      return std::make_unique<Osqp>(1e-3, 25);
    case kOsqpOften:
      return std::make_unique<Osqp>(1e-3, 5);
    case kOsqpTight:
      return std::make_unique<Osqp>(1e-6, 25);
    case kEiquadprog:
      return std::make_unique<Eiquadprog>(n);
    default:
      return nullptr;
  }
}

}  // namespace panto_peers
