#pragma once
// The quadratic program of one step, and who solves it.

#include <Eigen/Core>
#include <memory>

namespace panto_peers {

/// What is minimised over the velocities nu = (base in its own axes, joints).
struct Problem {
  Eigen::MatrixXd J;       ///< rows times the root of their weight
  Eigen::VectorXd wanted;  ///< likewise
  Eigen::VectorXd damping, lower, upper;
  Eigen::MatrixXd H;  ///< J'J + damping
  Eigen::VectorXd g;  ///< -J' wanted
};

class Inverter {
 public:
  Inverter() = default;
  Inverter(const Inverter&) = delete;
  Inverter& operator=(const Inverter&) = delete;
  virtual ~Inverter() = default;
  /// False: no answer.
  virtual bool solve(Problem& problem, Eigen::VectorXd& nu) = 0;
};

/// For one of the kinds of peer.hpp and `n` velocities; null for the kinds that invert nothing.
std::unique_ptr<Inverter> make_inverter(int kind, int n);

}  // namespace panto_peers
