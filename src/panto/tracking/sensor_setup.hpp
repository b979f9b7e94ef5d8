#pragma once
// What is known of inertial sensors before tracking.

#include <string>

#include "panto/tracking/inertial_tracker.hpp"

namespace panto {

/// Where sensors sit, and other contents of a sensor file.
struct SensorSetup {
  InertialSetup setup;
  bool has_field = false;    ///< a reference field is given; if not, `setup.filter.magnetic` is Off
  bool says_refine = false;  ///< `places` or `lengths` are given under `[refine]`
  bool soles = false;        ///< `contacts = "soles"`: those of a human's feet, found once the model is known
  /// Removes trembling faster than this from the recording before tracking [s]; 0: off.
  double steadied = 0.0;
  std::string name = "the sensor setup";  ///< names its file in messages
};

}  // namespace panto
