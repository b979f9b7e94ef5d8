#pragma once
// Ways into and out of a motion: from standing to its first frame, from its last one back, or from its end
// into its beginning (docs/formats/layouts.md).

#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/motion/motion.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// What is added to a motion.
struct LeadOptions {
  double in = 0.0;    ///< [s], 0 to 60: from standing to the first frame; 0: nothing
  double out = 0.0;   ///< [s], 0 to 60: from the last frame to standing; 0: nothing
  bool loop = false;  ///< the end turns into the beginning; not with the other two
  [[nodiscard]] bool any() const noexcept { return in != 0.0 || out != 0.0 || loop; }
};

/// @throws ConfigError for options out of range or in contradiction.
void check_leads(const LeadOptions& options);

/// Returns the motion with them, at its own steady rate. Positions and velocities are continuous, positions
/// keep their limits, velocities of new frames are derivatives. Standing is the model's rest pose, upright,
/// at rest. A lead changes no frame of the motion; it lasts longer, with a note, where a joint would be too
/// fast. A loop blends its last second, or more, with its first frame, which is also its last, moved in the
/// plane by the way of one round. `skeleton`: with the soles of the robot.
/// @throws ConfigError as `check_leads`, and for a motion that is too short, or that
/// cannot be led so: it begins lying, or ends turned away from its beginning.
[[nodiscard]] Motion led_motion(const Model& model, const robot::Skeleton& skeleton, const Motion& motion,
                                const LeadOptions& options, std::vector<std::string>& notes);

}  // namespace panto
