#pragma once
// How a robot follows a person: which link follows which segment, how their frames sit in each other, and the
// pose that the robot rests in. Whether it came from a file or was found from the robot itself does not show.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/targets/attachment_map.hpp"

namespace panto {

/// What a robot's feet follow.
enum class FeetMode : unsigned char {
  Off,    ///< orientations of the person's feet only
  Soft,   ///< their positions too
  Plant,  ///< and feet in stance do not slide
};

}  // namespace panto

namespace panto::robot {

/// What of a foot touches the ground, seen from its link's origin in the axes of the segment: x forward, y
/// left, z up while the foot lies flat.
struct Sole {
  double down = 0.0;                                          ///< below the origin [m]
  double across = 0.0;                                        ///< y of its middle [m]
  std::optional<std::array<double, 2>> ahead = std::nullopt;  ///< x of its rear and front end [m]
};

/// What a robot keeps of how a person's hands touch.
struct RelativeTargets {
  bool hands = true;  ///< each other: a clap stays a clap
  bool body = false;  ///< the person's own head, trunk, pelvis and thighs
  bool firm = false;  ///< what touches outweighs where the arms' segments point
};

/// A robot's links onto the 23 segments of the human, whose frames at the T-pose are x forward, y left, z up.
/// An attachment that follows the position of a segment follows the origin that this segment has on the
/// robot's own skeleton posed like the person (robot_skeleton.hpp), not that of the person.
struct Map {
  std::string robot;          ///< the model's name
  AttachmentMap attachments;  ///< `segment`: one of `kHumanSegmentNames`; the root of the map comes first
  std::vector<std::pair<std::string, double>> rest;  ///< joint and position [rad] or [m]; others: see rest_of
  std::array<std::optional<Sole>, 2> soles = {};     ///< right, left; those not known are guessed
  RelativeTargets relative = {};
};

/// What a map that was found says beside the map itself.
struct MapReason {
  std::string why;  ///< one sentence: names, place in the tree, geometry
  /// How well the joints between this link and the link of the map before it turn it about the segment's x,
  /// y and z axis at rest: 1 freely, 0 not at all. The first link turns with the base.
  Eigen::Vector3d follows = Eigen::Vector3d::Ones();
};

/// Points on the surface of a link's shapes, in its frame [m].
struct LinkPoints {
  std::string link;
  std::vector<Eigen::Vector3d> points;
};

/// A map found from a robot, with reasons in the order of its attachments.
struct MapProposal {
  Map map;
  std::vector<MapReason> reasons;
  std::vector<std::string> notes;  ///< what was not found or guessed, one sentence each
};

/// Finds the map of a humanoid, or of part of one, from names, tree and geometry alone: left and right, arms,
/// legs, trunk and head, forward. @throws ModelError with the reason when there is no limb to follow or left
/// and right, or forward, cannot be told.
[[nodiscard]] MapProposal propose_robot_map(const Model& model);

/// What is wrong with a map for this model, one sentence each, errors first; empty: nothing.
struct MapFault {
  bool error = false;  ///< it cannot be used; else it can, but probably not as meant
  std::string text;
};
[[nodiscard]] std::vector<MapFault> check_robot_map(const Map& map, const Model& model);

/// The rest pose of a map by State::s, moved inside the limits; joints that it does not name: zero if that is
/// inside, else the middle. @throws ModelError naming a joint that is not there.
[[nodiscard]] Eigen::VectorXd rest_of(const Map& map, const Model& model);

}  // namespace panto::robot
