#pragma once
// Distances between the parts of a robot's body, and from obstacles, and how joints change them
// (docs/algorithms/clearance.md).

#include <Eigen/Core>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "panto/evaluation/capsules.hpp"
#include "panto/model/capsule.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/retarget/obstacle.hpp"

namespace panto {

/// A capsule that is near another one or an obstacle.
struct BodyGap {
  int pair = -1;           ///< index in CapsuleBody::pairs; -1: an obstacle
  int obstacle = -1;       ///< its index; -1: a pair
  int capsule = -1;        ///< near the obstacle; -1: a pair
  double distance = 0.0;   ///< between the surfaces; negative: overlap [m]
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, to the pair's second capsule, or the capsule
  NearestPoints points;    ///< of the axes, in the world; of an obstacle: `b` and `on_b` alone
};

/// Finds near pairs of a body's capsules, and capsules near obstacles. No allocation after construction.
class BodyGaps {
 public:
  /// The model must outlive it. @throws ModelError for links or pairs that do not exist.
  BodyGaps(const Model& model, CapsuleBody body, std::vector<Obstacle> obstacles = {});

  [[nodiscard]] const CapsuleBody& body() const noexcept { return body_; }
  [[nodiscard]] bool empty() const noexcept {
    return body_.pairs.empty() && (obstacles_.empty() || body_.capsules.empty());
  }
  /// Returns the names of what is near, for people.
  [[nodiscard]] std::pair<std::string, std::string> names(const BodyGap& gap) const;

  /// Returns what is nearer than `near` [m]; valid until the next call. `kinematics` must be up to date.
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

  void place(const Kinematics& kinematics) noexcept;
  void find_pair(std::size_t k, double near) noexcept;
  void find_obstacles(std::size_t capsule, double near) noexcept;
  void add(const Kinematics& kinematics, int link, int stop, const Eigen::Vector3d& point_W,
           const Eigen::Vector3d& push, Eigen::VectorXd& change) const noexcept;
  void add(const Kinematics& kinematics, const Capsule& capsule, int stop, double share,
           const Eigen::Vector3d& point_W, const Ends& ends, const Eigen::Vector3d& push,
           Eigen::VectorXd& change) const noexcept;

  const Model* model_;
  CapsuleBody body_;
  std::vector<Obstacle> obstacles_;
  std::vector<int> stop_;  // by pair: the last body that carries both
  std::vector<Ends> ends_;
  std::vector<Ball> balls_;
  std::vector<BodyGap> gaps_;
};

}  // namespace panto
