#pragma once
// Smooths the path of a point and bridges its gaps with a cubic smoothing spline: a two-way filter without
// lag.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "panto/base/time.hpp"

namespace panto::keypoints {

/// Returns the path that minimises sum |x - y|^2 + lambda sum |x''|^2 over the frames in which `seen` is
/// finite, with values in the others too; lambda makes half of an oscillation of `cutoff_hz` pass (a two-way
/// filter of Butterworth, Woltring 1986). `cutoff_hz` 0: the path passes through all measured points.
/// Intervals far from `interval` count as at most four times longer or shorter. Fewer than two measured
/// points: returned unchanged.
[[nodiscard]] std::vector<Eigen::Vector3d> spline_path(std::span<const Time> times,
                                                       std::span<const Eigen::Vector3d> seen, double interval,
                                                       double cutoff_hz);

/// What the data say about the noise of a path.
struct PathNoise {
  double sigma = 0.0;      ///< standard deviation of one coordinate, of the path's unit; 0: unknown
  double cutoff_hz = 0.0;  ///< by generalised cross-validation (Craven and Wahba 1979); 0: none suits
};

/// Finds noise and cut-off of a path with the frame interval `interval` [s]; of a long one, from parts spread
/// over it.
[[nodiscard]] PathNoise path_noise(std::span<const Time> times, std::span<const Eigen::Vector3d> seen,
                                   double interval);

}  // namespace panto::keypoints
