#pragma once
// A base that never jumps: what a filter learns late about the way so far is not added to it in one frame.
// docs/algorithms/chain_ekf.md

#include <Eigen/Core>

namespace panto {

/// A filter's answer for a base: position [m], velocity [m/s], acceleration [m/s^2].
struct BaseAnswer {
  Eigen::Vector3d p, v, a;
};

/// What is published less the filter's answer.
struct BaseOffset {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< [m/s]
};

/// Which coordinates of the base's position something measures.
struct MeasuredPlace {
  bool level = false;  ///< x and y
};

/// Returns the offset after a step of `T` [s] > 0 from one answer to the next: it takes up what their
/// velocities and accelerations do not explain, so that the published path goes on smoothly. Then it fades
/// like a critically damped spring. A place that nothing measures is found again more slowly than its
/// velocity, since feet that stand slide meanwhile.
[[nodiscard]] BaseOffset carried_on(const BaseOffset& before, const BaseAnswer& was, const BaseAnswer& is,
                                    double T, const MeasuredPlace& measured) noexcept;

}  // namespace panto
