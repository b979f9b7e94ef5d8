#pragma once
// A recording smoothed as a whole: backward over what the chain filter knew after every sample.
// docs/algorithms/chain_smoother.md

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "panto/inertial/chain_ekf.hpp"

namespace panto {

struct ChainSmootherOptions {
  bool covariance = true;  ///< the smoothed covariance too: takes twice as long, changes nothing else
};

/// What a whole recording says of each of its samples: a fixed-interval smoother.
/// [Rauch, Tung, Striebel 1965] It needs the states that a `ChainEkf` left, last one first, and nothing of
/// what was measured; so it smooths whatever the filter did with weights, limits and contacts. Not for real
/// time: it allocates, and a step costs N^3 in the size N of the state.
class ChainSmoother {
 public:
  /// The layout behind the filter must outlive the smoother.
  explicit ChainSmoother(const ChainEkf& filter, const ChainSmootherOptions& options = {});

  /// A stretch ends with this state of the filter: nothing later is known.
  /// @throws ConfigError when it is not one of the filter.
  void begin(const ChainState& last);

  /// One sample back: `filtered` is what the filter knew one step before the state given last.
  /// False: the gain could not be found and `state()` is `filtered`, as if the stretch ended there.
  /// @throws ConfigError when it is not one of the filter or not earlier, or nothing was begun.
  bool step_back(const ChainState& filtered);

  /// What is known now of the sample given last. Its P is empty unless the options ask for it; what is not
  /// estimated (good fields, memories) is as the filter left it.
  [[nodiscard]] const ChainState& state() const noexcept { return smoothed_; }
  /// False: the covariance of `state()` is the filter's, since the smoothed one was not positive.
  [[nodiscard]] bool covariance_smoothed() const noexcept { return covariance_smoothed_; }

 private:
  void require_state(const ChainState& state) const;
  [[nodiscard]] Eigen::VectorXd difference(const ChainMotion& predicted, const Eigen::VectorXd& x) const;
  [[nodiscard]] bool factorise(const Eigen::MatrixXd& P);
  template <typename Columns>
  [[nodiscard]] Columns solve(const Columns& right) const;
  void correct(const ChainState& filtered, const Eigen::VectorXd& change);
  void smooth_covariance(const ChainState& filtered, const ChainMotion& predicted);
  void take_covariance(const Eigen::MatrixXd& P, const ChainMotion& motion);

  ChainEkf filter_;
  ChainSmootherOptions options_;
  bool begun_ = false, covariance_smoothed_ = true;
  ChainState smoothed_;  // at the sample given last, and
  ChainMotion later_;    // what the filter had there
  // its covariance; of balls that of turn, velocity and acceleration in the axes behind them
  Eigen::MatrixXd S_;
  Eigen::MatrixXd P_;                // predicted
  Eigen::VectorXd scale_;            // of its unknowns, and
  Eigen::LLT<Eigen::MatrixXd> llt_;  // what is left of it
};

}  // namespace panto
