#pragma once
// The immutable kinematic tree. Users see the order and names of their file; kernels use `Tree`, the same
// joints in level (breadth-first) order in contiguous arrays.

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/error.hpp"

namespace panto {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class JointType : unsigned char { Fixed, Revolute, Prismatic };

[[nodiscard]] const char* to_string(JointType type) noexcept;

/// Part of a link's shape: all points within `radius` of the segment between two points of its frame [m].
struct LinkCapsule {
  Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();
  double radius = 0.0;  ///< > 0
};

/// A rigid link. Inertia about the centre of mass, in link axes.
struct Link {
  std::string name;
  double mass = 0.0;                                  ///< [kg], >= 0
  Eigen::Vector3d com = Eigen::Vector3d::Zero();      ///< centre of mass in the link frame [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< [kg m^2]
  std::vector<Eigen::Vector3d> corners = {};  ///< of the surface that touches the ground, as a sole's [m]
  std::vector<LinkCapsule> capsules = {};     ///< together the link's shape; none: unknown
};

/// A joint with at most one degree of freedom. At zero the child frame is the joint frame J; the joint turns
/// about, or slides along, `axis` (in J).
struct Joint {
  std::string name;
  JointType type = JointType::Fixed;
  std::string parent;                                  ///< parent link
  std::string child;                                   ///< child link
  Eigen::Matrix3d R_PJ = Eigen::Matrix3d::Identity();  ///< joint frame in the parent link
  Eigen::Vector3d p_PJ = Eigen::Vector3d::Zero();      ///< its origin [m]
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();     ///< unit, in J; ignored when fixed
  double lower = -kInfinity;                           ///< [rad] or [m]
  double upper = kInfinity;                            ///< [rad] or [m]; >= lower
  double velocity = kInfinity;                         ///< speed limit [rad/s] or [m/s]; > 0
  double effort = kInfinity;                           ///< [N m] or [N]; kept for writers, not used
};

/// One row of A s <= b over named joints, two-sided: lower <= sum(coefficient * s_joint) <= upper. An
/// equality has lower == upper. Units are those of the row.
struct CoupledRow {
  struct Term {
    std::string joint;
    double coefficient = 1.0;
  };
  std::string name;
  std::vector<Term> terms;
  double lower = -kInfinity;
  double upper = kInfinity;
};

/// `joint` = multiplier * `source` + offset. Stored as an equality row.
struct Mimic {
  std::string joint;
  std::string source;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// Says of two links whether their shapes must keep apart, whatever `link_pairs` finds.
struct LinkPairRule {
  std::string first, second;
  bool apart = true;  ///< false: they may be in each other
};

/// How the root link moves.
enum class BaseKind : unsigned char {
  Floating,  ///< freely: a body, a robot on legs
  Fixed,     ///< never: bolted to the world
  Rolling,   ///< on wheels: upright, at one height; its pose is given, so that solvers take it as fixed
};

/// Returns "floating", "fixed" or "rolling".
[[nodiscard]] std::string_view to_string(BaseKind base) noexcept;

/// What a reader or generator fills in; `Model`'s constructor checks it.
struct ModelSpec {
  std::string name;
  bool floating_base = true;  ///< false: State gives the pose of the root link, which solvers do not move
  bool rolling_base = false;  ///< it rolls on wheels; then `floating_base` is false
  bool base_known = false;  ///< the file says how the base moves; else legs and wheels tell (robot/base.hpp)
  std::vector<Link> links;
  std::vector<Joint> joints;  ///< including fixed joints, in the file's order
  std::vector<CoupledRow> rows;
  std::vector<Mimic> mimics;
  std::vector<LinkPairRule> pair_rules = {};  ///< the last one of a pair counts
  Eigen::VectorXd rest;  ///< rest pose of the movable joints in order; empty: zero, moved inside the limits
};

/// Up to three revolute joints in series through one point, without branches in between. `spherical` when
/// there are three and neighbouring axes are perpendicular; then
///   A R_PC B = R_x(s_1) R_y(s_2 + mu) R_z(s_3),
/// with R_PC the last body's orientation in the body before the first joint (Davenport's angles). The triple
/// is singular where cos(s_2 + mu) = 0.
struct JointGroup {
  int count = 1;
  std::array<int, 3> body{-1, -1, -1};  ///< tree bodies, proximal first
  bool spherical = false;
  Eigen::Matrix3d A = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d B = Eigen::Matrix3d::Identity();
  double mu = 0.0;
  bool plain = false;  ///< spherical with A and B the identity and mu zero
  [[nodiscard]] int last() const noexcept { return body[static_cast<std::size_t>(count - 1)]; }
};

/// The kernel's view: moving bodies in level order. Body 0 is the base; body i > 0 has one movable joint to
/// its parent. All vectors have `size()` elements; entry 0 of the joint arrays is unused.
struct Tree {
  std::vector<int> parent;      ///< parent[i] < i; -1 for the base
  std::vector<int> only_child;  ///< its only child; -1: none or several
  std::vector<int> level;       ///< joints between the base and body i
  std::vector<int> dof;         ///< position of the body's joint in State::s; -1 for the base
  std::vector<JointType> type;
  std::vector<Eigen::Matrix3d> R_PJ;  ///< joint frame in the parent body
  std::vector<Eigen::Vector3d> p_PJ;
  std::vector<Eigen::Vector3d> axis;      ///< in J
  std::vector<signed char> axis_code;     ///< +-1, +-2, +-3: the axis is +-x, +-y, +-z; 0: any other
  std::vector<unsigned char> aligned;     ///< R_PJ is the identity
  std::vector<unsigned char> coincident;  ///< p_PJ is zero
  std::vector<int> group;                 ///< index into `groups`; -1 for the base
  std::vector<JointGroup> groups;         ///< in level order of their first body
  [[nodiscard]] int size() const noexcept { return static_cast<int>(parent.size()); }
};

/// Where a link sits: a constant pose on a moving body.
struct LinkFrame {
  int body = 0;
  Eigen::Matrix3d R_BL = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_BL = Eigen::Vector3d::Zero();
  bool at_body = true;  ///< R_BL and p_BL are identity and zero
};

/// Immutable kinematic tree of revolute, prismatic and fixed joints.
class Model {
 public:
  /// Checks everything. @throws ModelError naming the item: no or several roots, cycle, unknown or duplicate
  /// name, non-finite number, lower > upper, zero axis, speed limit <= 0, negative mass, a row over unknown
  /// joints.
  explicit Model(ModelSpec spec);

  [[nodiscard]] const std::string& name() const noexcept { return spec_.name; }
  [[nodiscard]] bool floating_base() const noexcept { return spec_.floating_base; }
  [[nodiscard]] BaseKind base() const noexcept {
    return spec_.floating_base  ? BaseKind::Floating
           : spec_.rolling_base ? BaseKind::Rolling
                                : BaseKind::Fixed;
  }

  /// Returns links and all joints (also fixed ones) as given.
  [[nodiscard]] const std::vector<Link>& links() const noexcept { return spec_.links; }
  [[nodiscard]] const std::vector<Joint>& all_joints() const noexcept { return spec_.joints; }
  [[nodiscard]] const ModelSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] int link_count() const noexcept { return static_cast<int>(spec_.links.size()); }
  [[nodiscard]] int root_link() const noexcept { return root_; }

  /// Movable joints, in the order of State::s.
  [[nodiscard]] int dof() const noexcept { return static_cast<int>(movable_.size()); }
  [[nodiscard]] const Joint& joint(int dof) const {
    return spec_.joints[static_cast<std::size_t>(movable_[static_cast<std::size_t>(dof)])];
  }
  [[nodiscard]] const std::vector<std::string>& joint_names() const noexcept { return joint_names_; }
  [[nodiscard]] const std::vector<std::string>& link_names() const noexcept { return link_names_; }

  /// Returns the length of the generalised velocity: 6 (floating base only) + dof().
  [[nodiscard]] int nv() const noexcept { return (floating_base() ? 6 : 0) + dof(); }

  /// Returns the index of a link, or of a movable joint in State::s.
  [[nodiscard]] std::optional<int> find_link(std::string_view name) const noexcept;
  [[nodiscard]] std::optional<int> find_joint(std::string_view name) const noexcept;
  /// The same. @throws ModelError that lists the valid names and the nearest.
  [[nodiscard]] int link_index(std::string_view name) const;
  [[nodiscard]] int joint_index(std::string_view name) const;

  /// Returns the limits in State::s order; +-infinity without a limit.
  [[nodiscard]] const Eigen::VectorXd& lower() const noexcept { return lower_; }
  [[nodiscard]] const Eigen::VectorXd& upper() const noexcept { return upper_; }
  [[nodiscard]] const Eigen::VectorXd& velocity_limit() const noexcept { return velocity_; }
  /// Returns a pose inside all box limits.
  [[nodiscard]] const Eigen::VectorXd& rest() const noexcept { return rest_; }

  /// Returns the coupled rows: those given, then mimics as equalities. `DynamicalSolver` and `Aligner`
  /// enforce them.
  [[nodiscard]] const std::vector<CoupledRow>& rows() const noexcept { return rows_; }
  /// Checks a row over this model's joints. @throws ModelError when it has no terms, names an unknown joint,
  /// has a number that is not finite or lower > upper, or when no pose within the joints' ranges can meet it
  /// (with both ranges).
  void check(const CoupledRow& row) const;

  [[nodiscard]] const Tree& tree() const noexcept { return tree_; }
  [[nodiscard]] const LinkFrame& frame(int link) const { return frames_[static_cast<std::size_t>(link)]; }
  [[nodiscard]] double total_mass() const noexcept;

 private:
  void check_reach(const CoupledRow& row) const;

  ModelSpec spec_;
  int root_ = 0;
  std::vector<int> movable_;
  std::vector<std::string> joint_names_, link_names_;
  std::vector<int> links_by_name_, joints_by_name_;  // sorted, for look-up
  Eigen::VectorXd lower_, upper_, velocity_, rest_;
  std::vector<CoupledRow> rows_;
  std::vector<LinkFrame> frames_;
  Tree tree_;
};

/// Returns the model with another base, as its file said.
[[nodiscard]] Model with_base(const Model& model, BaseKind base);

}  // namespace panto
