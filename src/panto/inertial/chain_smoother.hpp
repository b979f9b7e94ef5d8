#pragma once
// Smooths a whole recording, backwards over the states of the chain filter. docs/algorithms/chain_smoother.md

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "panto/inertial/chain_ekf.hpp"

namespace panto {

struct ChainSmootherOptions {
  bool covariance = true;  ///< also computes the smoothed covariance: doubles the time, changes nothing else
};

/// Fixed-interval smoother [Rauch, Tung, Striebel 1965]. It needs only the states of a `ChainEkf`, the last
/// first, and no measurements; so weights, limits and contacts of the filter are kept. Not for real time: it
/// allocates, and a step costs N^3 in the size N of the state.
class ChainSmoother {
 public:
  /// The layout of the filter must outlive the smoother.
  explicit ChainSmoother(const ChainEkf& filter, const ChainSmootherOptions& options = {});

  /// Begins a stretch with its last state of the filter. @throws ConfigError when the state does not belong
  /// to the filter.
  void begin(const ChainState& last);

  /// Steps one sample back: `filtered` is the filter's state one step before the last one given. Returns
  /// false when the gain could not be computed; `state()` then is `filtered`, as if the stretch ended there.
  /// @throws ConfigError when the state does not belong to the filter or is not earlier, or without `begin`.
  bool step_back(const ChainState& filtered);

  /// Returns the smoothed state of the sample given last. Its P is empty unless the options request it; parts
  /// that are not estimated (good fields, memories) are the filter's.
  [[nodiscard]] const ChainState& state() const noexcept { return smoothed_; }
  /// Returns false when the covariance of `state()` is the filter's, because the smoothed one was not
  /// positive.
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
  ChainMotion later_;    // the filter's motion there
  // its covariance; for balls of turn, velocity and acceleration in the axes after them
  Eigen::MatrixXd S_;
  Eigen::MatrixXd P_;                // predicted
  Eigen::VectorXd scale_;            // of its unknowns, and
  Eigen::LLT<Eigen::MatrixXd> llt_;  // its factor
};

}  // namespace panto
