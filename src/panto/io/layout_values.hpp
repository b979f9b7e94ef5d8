#pragma once
// The numbers of a motion as layouts arrange them. Internal.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/io/robot_layout.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::io {

/// Fills the parts of a layout frame by frame.
class LayoutValues {
 public:
  LayoutValues(const Model& model, const RobotLayout& layout);

  /// Moves to a frame.
  void move_to(const State& state) noexcept { (state_ = &state), body_.update_with_velocities(state); }
  /// Appends the numbers of a part in this frame; of names, rates and descriptions none.
  void append(LayoutPart part, std::vector<double>& numbers) const;
  /// Returns the shape of a part after its frames, as NumPy prints it: "30, 3".
  [[nodiscard]] std::string shape(LayoutPart part) const;

  [[nodiscard]] const std::vector<std::string>& joint_names() const noexcept { return joint_names_; }
  [[nodiscard]] const std::vector<std::string>& body_names() const noexcept { return body_names_; }

 private:
  void append_turn(const Eigen::Matrix3d& R, std::vector<double>& numbers) const;
  void append_body(LayoutPart part, int link, const Eigen::Vector3d& com, std::vector<double>& numbers) const;
  void append_world(LayoutPart part, std::vector<double>& numbers) const;
  void append_joints(const Eigen::VectorXd& values, std::vector<double>& numbers) const;

  const Model* model_;
  const RobotLayout* layout_;
  Kinematics body_;
  const State* state_ = nullptr;
  std::vector<std::int64_t> joints_;   // in the layout's order, positions in State::s
  std::vector<int> links_;             // of the bodies
  std::vector<Eigen::Vector3d> coms_;  // of all that moves with them, in the link's frame
  std::vector<std::string> joint_names_, body_names_;
};

}  // namespace panto::io
