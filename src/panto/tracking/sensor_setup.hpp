#pragma once
// What is known of inertial sensors before anything is measured.

#include <string>

#include "panto/tracking/inertial_tracker.hpp"

namespace panto {

/// Where sensors sit, and what else a file of them says.
struct SensorSetup {
  InertialSetup setup;
  bool has_field = false;    ///< a reference field is given; without, `setup.filter.magnetic` is Off
  bool says_refine = false;  ///< `places` or `lengths` stand under `[refine]`
  bool soles = false;        ///< `contacts = "soles"`: those of a human's feet, found by who has the model
  /// Trembling faster than this is taken out of the recording before anything is tracked [s]; 0: it is not.
  double steadied = 0.0;
  std::string name = "the sensor setup";  ///< stands for its file in messages
};

}  // namespace panto
