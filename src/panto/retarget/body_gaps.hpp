#pragma once
// Distances between the parts of a robot's body, and how joints change them (docs/algorithms/clearance.md).

#include <Eigen/Core>
#include <span>
#include <vector>

#include "panto/evaluation/capsules.hpp"
#include "panto/model/capsule.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// Two capsules that are near each other.
struct BodyGap {
  int pair = 0;                                           ///< index in CapsuleBody::pairs
  double distance = 0.0;                                  ///< between their surfaces; negative: overlap [m]
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();    ///< unit, from the first to the second
  NearestPoints points;                                   ///< of their axes, in the world
};

/// Finds near pairs of a body's capsules. No allocation after construction.
class BodyGaps {
 public:
  /// The model must outlive it. @throws ModelError for links or pairs that do not exist.
  BodyGaps(const Model& model, CapsuleBody body);

  [[nodiscard]] const CapsuleBody& body() const noexcept { return body_; }
  [[nodiscard]] bool empty() const noexcept { return body_.pairs.empty(); }

  /// Returns the pairs nearer than `near` [m], by pair; valid until the next call. `kinematics` must be up to
  /// date.
  [[nodiscard]] std::span<const BodyGap> find(const Kinematics& kinematics, double near) noexcept;

  /// Sets `change` (State::s order) to the derivative of a gap's distance with respect to the joints. Exact
  /// where the nearest points are unique.
  void gradient(const BodyGap& gap, const Kinematics& kinematics, Eigen::VectorXd& change) const noexcept;

 private:
  struct Ball {
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();
    double reach = 0.0;
  };
  struct Ends {
    Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();
  };

  void add(const Kinematics& kinematics, int link, int stop, const Eigen::Vector3d& point_W,
           const Eigen::Vector3d& push, Eigen::VectorXd& change) const noexcept;
  void add(const Kinematics& kinematics, const Capsule& capsule, int stop, double share,
           const Eigen::Vector3d& point_W, const Ends& ends, const Eigen::Vector3d& push,
           Eigen::VectorXd& change) const noexcept;

  const Model* model_;
  CapsuleBody body_;
  std::vector<int> stop_;  // by pair: the last body that carries both
  std::vector<Ends> ends_;
  std::vector<Ball> balls_;
  std::vector<BodyGap> gaps_;
};

}  // namespace panto
