#pragma once
// What the filter estimated of a body while tracking: sensor positions and segment lengths.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/sensor_setup.hpp"

namespace panto {

/// Estimated position of a sensor on its link.
struct RefinedPlace {
  std::string sensor, link;
  Eigen::Vector3d position;  ///< [m]
  Eigen::Vector3d moved;     ///< from its nominal position [m]
  Eigen::Vector3d sigma;     ///< standard deviation along each axis [m]
  bool shown = false;        ///< the motion improved the estimate notably
};

/// Estimated length of a segment, from the joint that moves it to one further out.
struct RefinedLength {
  std::string link, joint;
  double nominal = 0.0;  ///< in the model [m]
  double length = 0.0;   ///< [m]
  double sigma = 0.0;    ///< standard deviation [m]
  bool shown = false;
};

struct RefinedBody {
  std::vector<RefinedPlace> places;
  std::vector<RefinedLength> lengths;
  [[nodiscard]] bool empty() const noexcept { return places.empty() && lengths.empty(); }
};

/// Returns the tracker's current estimate of the body; empty if it refines nothing.
[[nodiscard]] RefinedBody refined_body(const InertialTracker& tracker);
/// Returns `file` with the tracker's current positions, orientations and biases, and their uncertainty.
[[nodiscard]] SensorSetup refined_file(SensorSetup file, const InertialTracker& tracker);

}  // namespace panto
