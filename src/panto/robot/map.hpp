#pragma once
// How a robot follows a person: which link follows which segment, their frame offsets, and the robot's rest
// pose. The same for maps from files and maps found from the robot itself.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/motion/passes.hpp"
#include "panto/targets/attachment_map.hpp"

namespace panto {

/// Chooses what a robot's feet follow.
enum class FeetMode : unsigned char {
  Off,    ///< orientations of the person's feet only
  Soft,   ///< their positions too
  Plant,  ///< feet in stance do not slide: feet and base are planned over the clip
  Hold,   ///< as before, for comparison: feet in stance are held frame by frame, and the base gives way
};

}  // namespace panto

namespace panto::robot {

/// The part of a foot that touches the ground, relative to its link's origin in the axes of the segment: x
/// forward, y left, z up while the foot is flat.
struct Sole {
  double down = 0.0;                                          ///< below the origin [m]
  double across = 0.0;                                        ///< y of its middle [m]
  std::optional<std::array<double, 2>> ahead = std::nullopt;  ///< x of its rear and front end [m]
  std::optional<double> half_width = std::nullopt;            ///< from its middle to either side [m]
};

/// Which contacts of a person's hands a robot keeps.
struct RelativeTargets {
  bool hands = true;  ///< with each other: a clap stays a clap
  bool body = false;  ///< with the person's own head, trunk, pelvis and thighs
  bool firm = false;  ///< contacts take precedence over the directions of the arm segments
};

/// Maps a robot's links to the 23 human segments, whose frames in the T-pose are x forward, y left, z up. An
/// attachment that follows the position of a segment follows the segment's origin on the robot's own skeleton
/// posed like the person (robot_skeleton.hpp), not the person's own origin.
struct Map {
  std::string robot;          ///< the model's name
  AttachmentMap attachments;  ///< `segment`: one of `kHumanSegmentNames`; the map's root comes first
  std::vector<std::pair<std::string, double>> rest;  ///< joint and position [rad] or [m]; others: see rest_of
  std::array<std::optional<Sole>, 2> soles = {};     ///< right, left; unknown ones are guessed
  std::optional<BaseKind> base = std::nullopt;       ///< unset: told from the model, `find_base`
  double base_height = 0.0;  ///< of the root link over the floor, if the base is fixed or rolls [m]
  RelativeTargets relative = {};
  /// Shapes of links instead of their files'; without capsules: no shape.
  std::vector<std::pair<std::string, std::vector<LinkCapsule>>> shapes = {};
  std::vector<LinkPairRule> pair_rules = {};  ///< links that keep apart, or may be in each other
  std::vector<Obstacle> obstacles = {};       ///< that the body keeps out of
};

/// Explanation of one entry of a map that was found.
struct MapReason {
  std::string why;  ///< one sentence: names, place in the tree, geometry
  /// How well the joints between this link and the previous link of the map rotate it about the segment's x,
  /// y and z axis at rest: 1 freely, 0 not at all. The first link moves with the base.
  Eigen::Vector3d follows = Eigen::Vector3d::Ones();
};

/// Points on the surface of a link's shapes, in its frame [m].
struct LinkPoints {
  std::string link;
  std::vector<Eigen::Vector3d> points;
};

/// Capsules fitted to a link's shapes, and how well.
struct LinkFit {
  std::string link;
  std::vector<LinkCapsule> capsules;
  double outside_max = 0.0;  ///< [m] largest distance of the link's surface from the capsules
  double excess_max = 0.0;   ///< [m] how far a capsule sticks out of the surface at most
  double gap_mean = 0.0;     ///< [m] mean distance between the surfaces
};

/// A map found from a robot, with reasons in the order of its attachments.
struct MapProposal {
  Map map;
  std::vector<MapReason> reasons;
  std::vector<std::string> notes;  ///< what was missing or guessed, one sentence each
};

/// Finds the map of a humanoid, or of part of one, from names, tree and geometry alone: left and right, arms,
/// legs, trunk and head, forward. @throws ModelError with the reason if there is no limb to follow, or if
/// left and right or forward are unknown.
[[nodiscard]] MapProposal propose_robot_map(const Model& model);

/// A problem of a map for this model, one sentence; errors come first.
struct MapFault {
  bool error = false;  ///< the map cannot be used; else it can, but may not do what was intended
  std::string text;
};
[[nodiscard]] std::vector<MapFault> check_robot_map(const Map& map, const Model& model);

/// Returns the rest pose of a map in State::s order, clamped to the limits. Joints without an entry: zero if
/// within limits, else the middle. @throws ModelError naming an unknown joint.
[[nodiscard]] Eigen::VectorXd rest_of(const Map& map, const Model& model);

}  // namespace panto::robot
