#pragma once
// What the filter learnt of a body while it tracked it: where sensors sit, how long segments are.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/sensor_setup.hpp"

namespace panto {

/// Where a sensor sits, on its link.
struct RefinedPlace {
  std::string sensor, link;
  Eigen::Vector3d position;  ///< [m]
  Eigen::Vector3d moved;     ///< from where it was said to sit [m]
  Eigen::Vector3d sigma;     ///< standard deviation along each axis [m]
  bool shown = false;        ///< the motion told more of it than was known before
};

/// How long a segment is, from the joint that moves it to one further out.
struct RefinedLength {
  std::string link, joint;
  double nominal = 0.0;  ///< the model's [m]
  double length = 0.0;   ///< [m]
  double sigma = 0.0;    ///< standard deviation [m]
  bool shown = false;
};

struct RefinedBody {
  std::vector<RefinedPlace> places;
  std::vector<RefinedLength> lengths;
  [[nodiscard]] bool empty() const noexcept { return places.empty() && lengths.empty(); }
};

/// Returns what a tracker knows of the body by now; empty where it refines nothing.
[[nodiscard]] RefinedBody refined_body(const InertialTracker& tracker);
/// Returns `file` with the places, turns and biases that a tracker knows by now, and how well.
[[nodiscard]] SensorSetup refined_file(SensorSetup file, const InertialTracker& tracker);

}  // namespace panto
