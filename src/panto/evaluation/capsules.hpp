#pragma once
// Models a body as capsules (segments with a radius) to detect limbs that penetrate each other.

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "panto/model/capsule.hpp"
#include "panto/model/human.hpp"
#include "panto/motion/foot_contacts.hpp"

namespace panto {

/// Capsules and the pairs of them that must not overlap, as indices.
struct CapsuleBody {
  std::vector<Capsule> capsules;
  std::vector<std::pair<int, int>> pairs;
  int shapes = 0;        ///< so many of the first capsules are shapes of links; the others are guesses
  double contact = 0.0;  ///< [m] overlaps up to this depth are contacts
  std::vector<std::string> notes;  ///< unchecked pairs and the reason, one sentence each
};

/// A link that follows a segment of the human.
struct SegmentLink {
  int segment = HumanSegment::Pelvis;  ///< HumanSegment
  int link = 0;
};

/// A foot of a robot.
struct RobotFoot {
  std::string name;  ///< for messages and keys: "LeftFoot"
  int link = 0;
  FootSole sole;  ///< in the link's frame
  std::vector<Eigen::Vector3d> corners =
      {};  ///< of the sole, in the link's frame [m]; empty: those of `sole`
};

/// [m] The fit of capsules is not finer, and people touch themselves.
inline constexpr double kShapeContact = 0.01;

/// Default radii of guesses. Thin on purpose: overlapping capsules really touch.
struct CapsuleOptions {
  double limb_radius = 0.09;   ///< relative to a limb's length, > 0
  double trunk_radius = 0.30;  ///< relative to the distance between the shoulders, > 0
  double foot_radius = 0.15;   ///< relative to the sole's length, > 0
  bool pairs = true;           ///< false: no pair is chosen, which costs most
};

/// Returns the capsules of all links, with their names, and the pairs that must not overlap (`link_pairs` at
/// `rest`); empty for a model without capsules. @throws ModelError as `link_pairs`.
[[nodiscard]] CapsuleBody link_body(const Model& model, const Eigen::VectorXd& rest, bool pairs = true);

/// Takes the `link_body`, its capsules named as the segment that the link, or the nearest one before it,
/// follows; overlaps up to `kShapeContact` are contacts.
///
/// Where links have none it guesses: builds capsules from hips to shoulders, from each limb's link to the
/// next that follows a segment, and along each sole; the last link of an arm and the head include their
/// descendants. Checks all pairs of these except neighbours and those that already overlap at `rest` (by
/// State::s). @throws ModelError for unknown links, ConfigError for options out of range.
[[nodiscard]] CapsuleBody body_capsules(const Model& model, const std::vector<SegmentLink>& links,
                                        const std::vector<RobotFoot>& feet, const Eigen::VectorXd& rest,
                                        const CapsuleOptions& options = {});

}  // namespace panto
