#pragma once
// A model as a chain for inertial tracking: one unknown (q, q', q'') per degree of freedom, base first.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/inertial/ball.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/model/state_acceleration.hpp"

namespace panto {

/// Where a chain is and how it moves: a plain value. Unknowns in the order of the generalised velocity:
/// (floating base only) three shifts of the base along the world's axes and its three error angles; then the
/// joints in State::s order.
struct ChainMotion {
  Eigen::VectorXd q;      ///< [m] or [rad], (nv); of balls the error angles about `reference`
  Eigen::VectorXd qdot;   ///< (nv)
  Eigen::VectorXd qddot;  ///< (nv)
  /// Rotations that the error angles count from, the base's first: R_WB = reference[0] R_x R_y R_z; a base
  /// that is fixed has no angles. Then one for every other ball of the layout.
  std::vector<Eigen::Matrix3d> reference;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  ///< what the base's shifts count from [m]
};

/// What is constant: a hinge about, or a slide along, an axis, joint by joint from the root outward.
///
/// A ball is three hinges about x, y, z through one point. The base's rotation is one; so are the model's
/// spherical triples unless `Triples::Hinges` leaves them three joints in series, which is singular where
/// their middle angle is at 90 deg. A ball's angles are errors about a reference that the filter keeps near
/// them, so no pose is singular.
class ChainLayout {
 public:
  enum class Triples : unsigned char { Balls, Hinges };

  /// One unknown. Frames are those of `parent`'s body, after its own motion.
  struct Step {
    int unknown = 0;  ///< position in ChainMotion::q
    int parent = -1;  ///< index into `steps()`; -1: the root, which does not move
    bool slides = false;
    Eigen::Matrix3d R_PJ = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p_PJ = Eigen::Vector3d::Zero();
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  ///< in J
    signed char axis_code = 0;                        ///< as in Tree
    int reference = -1;  ///< R_PJ is followed by ChainMotion::reference[this]; -1: by nothing
  };

  /// A ball: its unknowns, innermost rotation last, and the model's group; -1: the base.
  struct Ball {
    std::array<int, 3> unknown{0, 0, 0};
    int group = -1;
  };

  /// The model must outlive the layout.
  explicit ChainLayout(const Model& model, Triples triples = Triples::Balls);

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] int unknowns() const noexcept { return model_->nv(); }
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// The base's, if it floats, then the model's.
  [[nodiscard]] const std::vector<Ball>& balls() const noexcept { return balls_; }
  /// ChainMotion::reference of a ball.
  [[nodiscard]] int reference_of(const Ball& ball) const noexcept {
    return ball.group < 0 ? 0 : ball_of_group_[static_cast<std::size_t>(ball.group)];
  }

  /// Where a link sits: the step that moves it (-1: the root, held fast) and its pose on that step's body.
  struct Seat {
    int step = -1;
    Eigen::Matrix3d R_SL = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p_SL = Eigen::Vector3d::Zero();
  };
  /// @throws ModelError when the link sits inside a ball, between two of its joints.
  [[nodiscard]] Seat seat(int link) const;

  /// The motion of a State and its accelerations: balls re-based, so that their angles are zero.
  [[nodiscard]] ChainMotion motion(const State& state, const StateAcceleration& acceleration) const;
  /// The same without allocation, into a motion that this layout made.
  void motion(const State& state, const StateAcceleration& acceleration, ChainMotion& result) const noexcept;

  /// The other way, into a State of the model's size: triples on the branch nearest to what `result` holds. A
  /// base that is fixed is at rest. Where a triple is singular its rates are the smallest that fit. `ahead`
  /// [s], a few milliseconds: as it will be by then if accelerations stay.
  void state(const ChainMotion& motion, State& result, double ahead = 0.0) const noexcept;

  /// Rotation of a ball from its parent's side to its child's.
  [[nodiscard]] Eigen::Matrix3d rotation(const Ball& ball, const ChainMotion& motion) const noexcept;
  /// Error angles of a ball back to zero, its reference where it is: `motion` stays the same motion.
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
  std::vector<Eigen::Matrix3d> end_of_body_;  // turn from the step's body to the model's
  std::vector<unsigned char> in_ball_;        // by joint
  std::vector<int> ball_of_group_;            // index into ChainMotion::reference; -1: hinges
};

}  // namespace panto
