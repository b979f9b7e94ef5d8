#pragma once
// A series of States of one model.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/state.hpp"

namespace panto {

/// Where a link is held in the world.
struct Anchor {
  Eigen::Vector3d p_WL = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Matrix3d R_WL = Eigen::Matrix3d::Identity();
};

/// Contacts of one foot with the floor. All lists go by frame of the motion.
struct LinkContacts {
  std::string link;                                ///< the foot's link in the model
  std::vector<unsigned char> heel, ball;           ///< 1 where this end of the sole is in contact
  std::vector<std::optional<Anchor>> anchor = {};  ///< where the link is held in stance; unset in swing; an
                                                   ///< empty list: the foot is not held

  /// Returns whether the foot is in stance.
  [[nodiscard]] bool stands(std::size_t frame) const { return heel[frame] != 0 || ball[frame] != 0; }
};

/// A recorded or computed motion. `states` have increasing stamps.
struct Motion {
  std::string model_name;
  std::vector<std::string> joint_names;  ///< order of State::s
  double rate_hz = 0.0;                  ///< nominal rate; the stamps decide
  std::vector<State> states;
  std::vector<LinkContacts> contacts = {};  ///< of the feet; empty: unknown
};

}  // namespace panto
