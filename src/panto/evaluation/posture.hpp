#pragma once
// Tells from a person's joints whether sensors are mounted as their file says: a shank that bends sideways,
// thighs that swing past the pelvis. docs/algorithms/imu_check.md

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// Watches a human model that sensors drive. Constant memory.
class PostureWatch {
 public:
  /// Looks at the joints between two of `links` (names of human segments) alone; at none of a model without
  /// human segments. The model must outlive this object.
  PostureWatch(const Model& model, const std::vector<std::string>& links);

  /// Adds a pose. No allocation.
  void add(const State& state) noexcept;

  /// Returns findings, the worst first; none before two seconds at 100 Hz.
  [[nodiscard]] std::vector<PostureFinding> findings() const;

 private:
  // counts of an angle by whole degrees
  class Degrees {
   public:
    void add(double radians) noexcept;
    [[nodiscard]] double percentile(double share) const noexcept;

   private:
    std::array<std::int64_t, 361> counts_{};
    std::int64_t total_ = 0;
  };
  struct Joint {
    std::size_t rule = 0;  // of the table of rules
    bool left = false;
    int parent = -1, child = -1;      // links
    std::array<Degrees, 3> angles{};  // flexion, sideways, twist
  };

  void add_joint(Joint& joint) noexcept;
  void add_ranges(const Joint& joint, std::vector<PostureFinding>& findings) const;
  void add_sides(std::vector<PostureFinding>& findings) const;
  void add_swing(std::vector<PostureFinding>& findings) const;

  Kinematics kinematics_;
  std::vector<Joint> joints_;
  std::int64_t poses_ = 0;
  // of the thighs' directions, seen from above in the pelvis' axes: sums of x, y, and their products
  struct Swing {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    Eigen::Matrix2d squares = Eigen::Matrix2d::Zero();
  };
  std::array<Swing, 2> swings_{};  // right, left
};

}  // namespace panto
