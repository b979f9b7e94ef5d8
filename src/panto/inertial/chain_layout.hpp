#pragma once
// Describes a model as a chain for inertial tracking: one unknown (q, q', q'') per degree of freedom, base
// first.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/inertial/ball.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/model/state_acceleration.hpp"

namespace panto {

/// Position and motion of a chain: a plain value. Unknowns in the order of the generalised velocity:
/// (floating base only) three shifts of the base along the world's axes and its three error angles; then the
/// joints in State::s order.
struct ChainMotion {
  Eigen::VectorXd q;      ///< [m] or [rad], (nv); for balls the error angles about `reference`
  Eigen::VectorXd qdot;   ///< (nv)
  Eigen::VectorXd qddot;  ///< (nv)
  /// Rotations from which the error angles count, the base's first: R_WB = reference[0] R_x R_y R_z; a fixed
  /// base has no angles. Then one for every other ball of the layout.
  std::vector<Eigen::Matrix3d> reference;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  ///< origin of the base's shifts [m]
};

/// The constant part: a hinge about, or a slide along, an axis, joint by joint from the root outward.
///
/// A ball is three hinges about x, y, z through one point. The base's rotation is one; so are the model's
/// spherical triples, unless `Triples::Hinges` keeps them as three joints in series, which are singular at a
/// middle angle of 90 deg. A ball's angles are errors about a nearby reference, so no pose is singular.
class ChainLayout {
 public:
  enum class Triples : unsigned char { Balls, Hinges };

  /// One unknown. Frames are those of `parent`'s body, after its own motion.
  struct Step {
    int unknown = 0;  ///< position in ChainMotion::q
    int parent = -1;  ///< index into `steps()`; -1: the fixed root
    bool slides = false;
    Eigen::Matrix3d R_PJ = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p_PJ = Eigen::Vector3d::Zero();
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  ///< in J
    signed char axis_code = 0;                        ///< as in Tree
    int reference = -1;                               ///< ChainMotion::reference[this] follows R_PJ; -1: none
  };

  /// A ball: its unknowns, innermost rotation last, and the model's group; -1: the base.
  struct Ball {
    std::array<int, 3> unknown{0, 0, 0};
    int group = -1;
  };

  /// Builds the layout. The model must outlive it.
  explicit ChainLayout(const Model& model, Triples triples = Triples::Balls);

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] int unknowns() const noexcept { return model_->nv(); }
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// The base's ball, if it floats, then the model's.
  [[nodiscard]] const std::vector<Ball>& balls() const noexcept { return balls_; }
  /// Returns the index of a ball in ChainMotion::reference.
  [[nodiscard]] int reference_of(const Ball& ball) const noexcept {
    return ball.group < 0 ? 0 : ball_of_group_[static_cast<std::size_t>(ball.group)];
  }

  /// Position of a link: the step that moves it (-1: the fixed root) and its pose on that step's body.
  struct Seat {
    int step = -1;
    Eigen::Matrix3d R_SL = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p_SL = Eigen::Vector3d::Zero();
  };
  /// Returns the place of a link. @throws ModelError when the link lies inside a ball, between two of its
  /// joints.
  [[nodiscard]] Seat seat(int link) const;

  /// Returns the motion of a State and its accelerations: balls re-based, so that their angles are zero.
  [[nodiscard]] ChainMotion motion(const State& state, const StateAcceleration& acceleration) const;
  /// The same without allocation, into a motion of this layout.
  void motion(const State& state, const StateAcceleration& acceleration, ChainMotion& result) const noexcept;

  /// Converts back to a State of the model's size: triples on the branch nearest to `result`. A fixed base is
  /// at rest. A singular triple gets the smallest rates that fit. `ahead` [s], a few milliseconds:
  /// extrapolates with constant accelerations.
  void state(const ChainMotion& motion, State& result, double ahead = 0.0) const noexcept;

  /// Returns the rotation of a ball from its parent's side to its child's.
  [[nodiscard]] Eigen::Matrix3d rotation(const Ball& ball, const ChainMotion& motion) const noexcept;
  /// Resets a ball's error angles to zero and moves its reference; the motion stays the same.
  ball::Rebased rebase(const Ball& ball, ChainMotion& motion) const noexcept;

 private:
  void add_base();
  void add_body(int body);
  void add_ball(int group);
  [[nodiscard]] bool is_ball(int group) const noexcept;

  const Model* model_;
  Triples triples_;
  std::vector<Step> steps_;
  std::vector<Ball> balls_;
  std::vector<int> step_of_body_;             // -2: inside a ball
  std::vector<Eigen::Matrix3d> end_of_body_;  // turn from the step's body to the model's body
  std::vector<unsigned char> in_ball_;        // by joint
  std::vector<int> ball_of_group_;            // index into ChainMotion::reference; -1: hinges
};

}  // namespace panto
