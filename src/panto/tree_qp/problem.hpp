#pragma once
// Input and output of the kernel (solver.hpp).
//
// A block is up to three hinges through one point, or a slider (model/blocks.hpp). Vectors are in world axes;
// a body's velocity is (v of its block's point, omega). Arrays are by lane, those of joints by slot: number k
// of lane b is joint k of block b. A slot without a joint has a zero axis, lambda 1, reference 0, no bounds.

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "panto/math/lanes.hpp"
#include "panto/model/blocks.hpp"
#include "panto/tree_qp/sparse_rows.hpp"

namespace panto {

/// One position target: weight |v_point - velocity|^2.
struct PointRow {
  int block = 0;                                        ///< [1/m^2], >= 0; 0: off
  double weight = 0.0;                                  ///< [1/m^2], >= 0; 0: left out
  Eigen::Vector3d point = Eigen::Vector3d::Zero();      ///< from the base origin, world axes [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();   ///< wanted [m/s]
  Eigen::Vector3d companion = Eigen::Vector3d::Zero();  ///< the same for `TreeProblem::companion`
};

/// Costs weight (value - wanted)^2 that couple joints of several bodies or weight directions differently,
/// which points and orientations of single bodies cannot express. A row's value is a sum over its joints'
/// rates and the base's velocity. The joints of a row are fixed; all numbers may change with every solve.
struct CostRows {
  std::vector<int> begin{0};             ///< row r has the terms begin[r] .. begin[r + 1] - 1
  std::vector<int> entry;                ///< slot
  std::vector<double> coefficient;       ///< of its rate
  std::vector<Eigen::Vector3d> linear;   ///< by row: of the base's v
  std::vector<Eigen::Vector3d> angular;  ///< by row: of the base's omega
  std::vector<double> weight;            ///< by row, >= 0; 0: off
  std::vector<double> wanted;            ///< by row: the wanted value
  std::vector<double> companion;         ///< the same for `TreeProblem::companion`

  [[nodiscard]] int size() const noexcept { return static_cast<int>(weight.size()); }
  [[nodiscard]] bool empty() const noexcept { return weight.empty(); }
  /// Returns whether any row has a weight > 0.
  [[nodiscard]] bool any() const noexcept {
    return std::any_of(weight.begin(), weight.end(), [](double w) { return w > 0.0; });
  }
  /// Appends a row over `slots`, each named once; its weight is 0.
  void add(const std::vector<int>& slots);
};

/// Returns true for a point that moves with the base's linear velocity alone.
[[nodiscard]] inline bool sits_on_base_origin(const PointRow& row, std::size_t base) noexcept {
  return static_cast<std::size_t>(row.block) == base && row.point.isZero(0.0);
}

/// The data of one solve. Lanes as in Blocks: block b is lane b, the base is lane `base`.
struct TreeProblem {
  /// Makes a problem without targets, bounds or damping.
  explicit TreeProblem(const Blocks& blocks, bool floating_base, std::size_t point_rows = 0);

  bool floating_base = true;
  std::size_t base = 0;
  std::vector<int> parent;            ///< by lane: the parent's lane, or the base; the base's own is the base
  std::vector<unsigned char> slider;  ///< by lane
  LaneArray<3> joint;                 ///< 1 in slots that have one, else 0
  LaneArray<9> axes;                  ///< columns: the joints' axes; zero where there is none
  LaneArray<3> centre;                ///< the block's point from the base origin [m]; unused without points
  LaneArray<3> lambda;                ///< damping, >= 0; > 0 wherever no target determines the joint
  LaneArray<3> reference;             ///< reference velocity of the damping
  LaneArray<3> lower, upper;          ///< velocity bounds, lower <= upper; +-infinity allowed
  LaneArray<1> weight;                ///< w of the body's orientation targets; 0: none
  LaneArray<3> rhs;                   ///< w c
  LaneArray<3> companion;  ///< w c of a second question: `reference` zero, everything else the same
  std::vector<PointRow> points;
  double base_linear_lambda = 0.0;
  double base_angular_lambda = 0.0;
  SparseRows rows;                ///< coupled rows over the rates, by slot
  CostRows costs;                 ///< costs over the rates, by slot
  double relaxed_weight = 2.5e5;  ///< of a row that cannot be met [weight per squared rate]; > 0
};

/// A rate this close to its bound, relative to 1 + its size, is inside.
inline constexpr double kBoundTolerance = 1e-12;
/// Returns whether any of `count` values is beyond its bounds by more than that.
[[nodiscard]] bool leaves(const double* value, const double* lower, const double* upper,
                          std::size_t count) noexcept;
/// Clips values to their bounds.
void clip(const double* lower, const double* upper, std::size_t count, double* value) noexcept;

/// The answer: velocities and statistics.
struct TreeSolution {
  explicit TreeSolution(const TreeProblem& problem);

  LaneArray<3> rate;  ///< q' by slot
  /// By slot: the coordinate's own optimum with everything else fixed. For a free joint this is its rate; for
  /// a held one, curvature (rate - rho) is the multiplier of half the cost.
  LaneArray<3> rho;
  LaneArray<3> omega;  ///< angular velocity of every block's last body [rad/s]
  LaneArray<3> v;  ///< velocity of the block's point [m/s]; only for the base and bodies with points outwards
  int active = 0;  ///< joints, and inequality rows, held by a bound
  int solves = 0;  ///< number of sweeps
  bool monotone = false;  ///< block pivoting cycled, the monotone method finished

  /// Adds `factor` times the velocities and rho of `other`: solutions on one working set are linear.
  void add(double factor, const TreeSolution& other) noexcept;
};

}  // namespace panto
