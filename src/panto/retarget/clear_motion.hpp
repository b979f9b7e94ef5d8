#pragma once
// Moves the parts of a robot's body out of each other, over a whole clip (docs/algorithms/clearance.md).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/retarget/clear_frame.hpp"
#include "panto/retarget/foot_plan.hpp"

namespace panto {

struct ClearMotionOptions {
  double margin = 0.0;             ///< [m], >= 0: smallest distance; 0: parts may touch
  double time = 0.05;              ///< [s], > 0: larger: a calmer change, which begins earlier
  int rounds = 12;                 ///< > 0: corrections at most
  double speed_limit = kInfinity;  ///< of joints whose model has none [rad/s]
  std::vector<Obstacle> obstacles = {};
  /// Receives the frames done of every pass; what it throws ends the work. May be empty.
  std::function<void(std::int64_t)> progress = {};
};

/// What must be clear.
struct ClearBody {
  CapsuleBody body;
  GivingJoints giving;
  std::vector<LimbLinks> arms = {};     ///< whose hands turn back to where they pointed
  std::vector<FootCorners> soles = {};  ///< that are not pushed under the floor
};

/// The deepest overlap of a motion.
struct DeepestOverlap {
  std::string first, second;  ///< names of the capsules, or of an obstacle
  double depth = 0.0;         ///< [m]
  Time t = 0;
};

struct ClearMotionReport {
  std::int64_t before = 0, after = 0;     ///< frames with an overlap; after: with more than a contact
  double change_max_rad = 0.0;            ///< of a joint
  std::optional<DeepestOverlap> deepest;  ///< of those that remain
};

/// Returns a note about what was changed and what remains; empty: nothing.
[[nodiscard]] std::string clear_note(const ClearMotionReport& report);

/// Changes joints so that no pair of `body` is nearer than the margin: a small change in every frame, smooth
/// over time; hands then turn back as far as wrists can and nothing comes nearer, and soles come up again.
/// Joints between the base and a link of `feet` give way only where it is not in contact. Frames far from
/// overlaps keep their bits; positions keep their limits. Velocities are not set. `cuts`: frames that do not
/// continue the one before.
/// @throws ConfigError for options out of range, ModelError for joints or capsules that do not fit.
ClearMotionReport clear_motion(const Model& model, const ClearBody& body,
                               const std::vector<LinkContacts>& feet, const ClearMotionOptions& options,
                               const std::vector<int>& cuts, Motion& motion);

}  // namespace panto
