#pragma once
// Named points of a body over time, as somebody's file has them: markers on the skin, joint centres, whatever
// a camera network guessed. Axes and unit of length are the file's own.

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/base/time.hpp"

namespace panto {

/// A clip of T frames of J points. Numbers lie frame by frame, point by point.
struct KeypointClip {
  std::string name;                ///< of the file, for messages
  std::vector<std::string> names;  ///< of the J points
  std::vector<Time> times;         ///< of the T frames, increasing
  double rate_hz = 0.0;            ///< nominal; 0 when unknown
  std::vector<double> positions;   ///< T x J x 3 [units]; NaN: not seen in that frame
  /// T x J x 4 quaternions (w, x, y, z) of the body parts behind the points, seen from the file's axes and
  /// the identity in the T-pose; NaN: none. Empty when no point has any.
  std::vector<double> orientations;
  double unit = 0.0;       ///< [m per unit]; 0: the file does not say
  bool x_forward = false;  ///< where y turns out to be up, x is forward (OpenSim's ground) and not z
  std::string up;          ///< the axis that the file itself says is up ("x" .. "-z"); empty: it does not say
  std::vector<std::string> notes;  ///< what was odd in the file, one sentence each
  bool incomplete = false;         ///< frames are missing that the file declares, or its last line is cut

  [[nodiscard]] int frames() const noexcept { return static_cast<int>(times.size()); }
  [[nodiscard]] int points() const noexcept { return static_cast<int>(names.size()); }

  /// Position of a point; NaN where it was not seen.
  [[nodiscard]] Eigen::Map<const Eigen::Vector3d> position(int frame, int point) const noexcept {
    return Eigen::Map<const Eigen::Vector3d>(positions.data() + 3 * offset(frame, point));
  }
  /// Orientation (w, x, y, z) of the part behind a point; NaN where there is none.
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
