#pragma once
// Predicts a joint's (q, q', q'') between samples. docs/algorithms/chain_ekf.md

#include <Eigen/Core>

namespace panto {

/// Prior model of one unknown's motion.
struct ChainProcess {
  enum class Kind : unsigned char {
    WhiteIncrements,  ///< (A) the paper's: acceleration steps by white noise of `size` at every sample
    WhiteJerk,        ///< (B) jerk of spectral density `size`^2; does not depend on the sample rate
    Singer,           ///< (C) acceleration of rms `size` that decays within `time`
    Tethered,         ///< (D) the same rms, with bounded position and velocity: triple pole at -1/`time`
  };
  Kind kind = Kind::Singer;
  double size = 50.0;  ///< [rad/s^2] or [m/s^2]; B: [rad/s^2.5]; > 0. Larger: follows faster, smooths less
  double time = 0.2;   ///< [s]; > 0; A and B do not use it. Larger: the acceleration lasts longer

  friend bool operator==(const ChainProcess&, const ChainProcess&) = default;
};

/// Transition: (q, q', q'') <- F (q, q', q''), covariance <- F P F^T + Q.
struct ChainTransition {
  Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d Q = Eigen::Matrix3d::Zero();
};

/// Returns the exact transition over any interval [s]. [Singer 1970; Van Loan 1978]
[[nodiscard]] ChainTransition transition(const ChainProcess& process, double interval) noexcept;

}  // namespace panto
