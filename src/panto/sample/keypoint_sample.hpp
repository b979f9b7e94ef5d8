#pragma once
// Named points of a body over time as stored in a file: markers on the skin, joint centres, camera keypoints.
// Axes and unit of length are those of the file.

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/base/time.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// A clip of T frames of J points. Numbers are stored frame by frame, then point by point.
struct KeypointClip {
  std::string name;                ///< of the file, for messages
  std::vector<std::string> names;  ///< of the J points
  std::vector<Time> times;         ///< of the T frames, increasing
  double rate_hz = 0.0;            ///< nominal; 0 when unknown
  std::vector<double> positions;   ///< T x J x 3 [units]; NaN: not visible in that frame
  /// T x J x 4 quaternions (w, x, y, z) of the body parts at the points, in the file's axes, identity in the
  /// T-pose; NaN: unknown. Empty when no point has an orientation.
  std::vector<double> orientations;
  double unit = 0.0;               ///< [m per unit]; 0: the file does not say
  bool x_forward = false;          ///< if y is up, x is forward (OpenSim's ground) instead of z
  std::string up;                  ///< the up axis that the file states ("x" .. "-z"); empty: not stated
  std::vector<std::string> notes;  ///< oddities of the file, one sentence each
  bool incomplete = false;         ///< declared frames are missing, or the last line is cut off

  [[nodiscard]] int frames() const noexcept { return static_cast<int>(times.size()); }
  [[nodiscard]] int points() const noexcept { return static_cast<int>(names.size()); }

  /// Returns the position of a point; NaN when not visible.
  [[nodiscard]] Eigen::Map<const Eigen::Vector3d> position(int frame, int point) const noexcept {
    return Eigen::Map<const Eigen::Vector3d>(positions.data() + 3 * offset(frame, point));
  }
  /// Returns the orientation (w, x, y, z) of the part at a point; NaN when unknown.
  [[nodiscard]] Eigen::Vector4d orientation(int frame, int point) const noexcept {
    if (orientations.empty()) return Eigen::Vector4d::Constant(std::numeric_limits<double>::quiet_NaN());
    return Eigen::Map<const Eigen::Vector4d>(orientations.data() + 4 * offset(frame, point));
  }

 private:
  [[nodiscard]] std::size_t offset(int frame, int point) const noexcept {
    return at(frame) * names.size() + at(point);
  }
};

}  // namespace panto
