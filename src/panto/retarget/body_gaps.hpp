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

/// Two links that are near each other, or a capsule near an obstacle.
struct BodyGap {
  int first = -1, second = -1;  ///< capsules that are nearest; `first` < 0: an obstacle
  int obstacle = -1;            ///< its index; -1: two links
  int key = 0;                  ///< below `keys()`: the same for the same links or obstacle in every call
  bool given = false;           ///< as `Obstacle::given`
  int stop = 0;                 ///< the last body of the tree that carries both
  double distance = 0.0;        ///< between the surfaces; negative: overlap, of hulls where it is deep [m]
  double capsules = 0.0;        ///< the same of the nearest capsules themselves [m]
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, towards `second`
  NearestPoints points;  ///< on the capsules' axes, in the world; of an obstacle: `b` and `on_b` alone
};

/// Finds links that are near each other or obstacles. No allocation after construction.
///
/// The distance of two links is that of their nearest capsules. Links that overlap by more than a few
/// millimetres are led apart as the convex hulls of their capsules, in the direction between their long axes:
/// it changes slowly where that of the nearest capsules would jump.
class BodyGaps {
 public:
  /// The model must outlive it. @throws ModelError for links or pairs that do not exist.
  BodyGaps(const Model& model, CapsuleBody body, std::vector<Obstacle> obstacles = {});

  [[nodiscard]] const CapsuleBody& body() const noexcept { return body_; }
  [[nodiscard]] bool empty() const noexcept {
    return body_.pairs.empty() && (obstacles_.empty() || body_.capsules.empty());
  }
  [[nodiscard]] std::size_t keys() const noexcept {
    return groups_.size() + obstacles_.size() * body_.capsules.size();
  }
  /// Returns the names of what is near, for people.
  [[nodiscard]] std::pair<std::string, std::string> names(const BodyGap& gap) const;

  /// Returns what is nearer than `near` [m]; valid until the next call. `kinematics` must be up to date.
  [[nodiscard]] std::span<const BodyGap> find(const Kinematics& kinematics, double near) noexcept;
  /// The same of those that had one of these keys, in that order.
  [[nodiscard]] std::span<const BodyGap> find(const Kinematics& kinematics, double near,
                                              std::span<const int> among) noexcept;
  /// Returns the keys of what a joint of `dofs` (positions in State::s) brings nearer or farther.
  [[nodiscard]] std::vector<int> moved_by(std::span<const int> dofs) const;
  /// Returns by how much each joint (State::s order) changes a distance at most [m/rad, m/m].
  [[nodiscard]] Eigen::VectorXd levers() const;

  /// Sets `change` (State::s order) to the derivative of a gap's distance with respect to the joints. Exact
  /// where the nearest points are unique.
  void gradient(const BodyGap& gap, const Kinematics& kinematics, Eigen::VectorXd& change) const noexcept;

 private:
  struct Ends {
    Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();
  };
  struct Ball {
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();
    double reach = 0.0;
  };
  // Capsules of the same links, with a ball around them.
  struct Cluster {
    int from_link, to_link;
    std::vector<int> capsules;
    Ball ball_L;  // of one link, in its frame
    Ends core_L;  // its long axis
    Ball ball;
    bool surrounded = false;  // the ball is where it is now ..
    bool placed = false;      // .. and its capsules
  };
  // The pairs `first` to `last` - 1 are of these clusters.
  struct Group {
    int a, b, stop;  // `stop`: the last body that carries both
    std::size_t first, last;
    std::size_t nearest;  // of the last call: begins near the answer, does not change it
  };

  [[nodiscard]] bool moves(std::span<const int> dofs, int link, int stop) const;
  void add_clusters();
  [[nodiscard]] Ends long_axis(const std::vector<int>& capsules, const Eigen::Vector3d& centre) const;
  void add_groups();
  void surround(Cluster& cluster, const Kinematics& kinematics) noexcept;
  void place(Cluster& cluster, const Kinematics& kinematics) noexcept;
  [[nodiscard]] Ends core(const Cluster& cluster, const Kinematics& kinematics) const noexcept;
  [[nodiscard]] NearestPoints points_of(std::size_t pair) const noexcept;
  [[nodiscard]] double radii_of(std::size_t pair) const noexcept;
  [[nodiscard]] BodyGap nearest(Group& group, double near) const noexcept;
  [[nodiscard]] BodyGap along(const Group& group, const Eigen::Vector3d& normal_W) const noexcept;
  void lead_apart(const Group& group, const Kinematics& kinematics, BodyGap& gap) const noexcept;
  void forget() noexcept;
  void find_links(Group& group, const Kinematics& kinematics, double near) noexcept;
  void find_obstacle(std::size_t o, int capsule, double near) noexcept;
  void add(const Kinematics& kinematics, int link, int stop, const Eigen::Vector3d& point_W,
           const Eigen::Vector3d& push, Eigen::VectorXd& change) const noexcept;
  void add(const Kinematics& kinematics, const Capsule& capsule, int stop, double share,
           const Eigen::Vector3d& point_W, const Ends& ends, const Eigen::Vector3d& push,
           Eigen::VectorXd& change) const noexcept;

  const Model* model_;
  CapsuleBody body_;
  std::vector<Obstacle> obstacles_;
  std::vector<Cluster> clusters_;
  std::vector<int> cluster_of_;  // by capsule
  std::vector<Group> groups_;
  std::vector<Ends> ends_;
  std::vector<Ball> balls_;
  std::vector<BodyGap> gaps_;
};

}  // namespace panto
