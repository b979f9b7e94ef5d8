#pragma once
// Finds which parts of a body overlap, and how deep.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/evaluation/capsules.hpp"

namespace panto {

/// Finds overlaps of a body's pairs. Capsules of one name are one part; parts that are far apart cost one
/// comparison.
class BodyOverlaps {
 public:
  explicit BodyOverlaps(CapsuleBody body);

  /// Returns the pairs of parts: "Left - Right".
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  /// Returns the depth of the deepest overlap of each pair of parts [m]; 0: none beyond a contact. Valid
  /// until the next call. `kinematics` must be up to date.
  [[nodiscard]] const std::vector<double>& depths(const Kinematics& kinematics);

 private:
  // Capsules of the same name on the same links, and the box around them.
  struct Cluster {
    std::vector<int> capsules;
    Eigen::Array3d low = Eigen::Array3d::Zero(), high = Eigen::Array3d::Zero();
  };
  // The pairs `first` to `last` - 1 are of these clusters.
  struct Group {
    int a, b, name;
    std::size_t first, last;
  };
  struct Ends {
    Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();
  };

  CapsuleBody body_;
  std::vector<Cluster> clusters_;
  std::vector<Group> groups_;
  std::vector<std::string> names_;
  std::vector<Ends> ends_;
  std::vector<double> depths_;
};

}  // namespace panto
