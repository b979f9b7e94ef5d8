#pragma once
// What the comparison asks of other software, as plain memory: the peers are built twice, as any program and
// for the very processor, and Eigen's types differ between the two.

namespace panto_peers {

/// A tree on a floating base, in level order; joint i turns about an axis of its own frame.
struct PeerModel {
  int joints = 0;
  const int* parent = nullptr;        ///< of joint i: another joint, or -1 for the base
  const int* axis = nullptr;          ///< 0 x, 1 y, 2 z
  const double* placement = nullptr;  ///< 12 a joint: rotation by columns, origin [m], in the parent
  int rows = 0;
  const int* body = nullptr;                   ///< of row j: a joint, or -1 for the base
  const double* orientation_weight = nullptr;  ///< by row; 0: not followed
  const double* position_weight = nullptr;
};

/// What is measured of row j at one instant, in world axes: 9 (by columns), 3, 3 and 3 numbers a row.
struct PeerTargets {
  const double *R = nullptr, *p = nullptr, *w = nullptr, *v = nullptr;
};

/// One step. Arrays of joints are by joint.
struct PeerStep {
  double dt = 0.0;    ///< [s]
  double gain = 0.0;  ///< K_eff [1/s]
  PeerTargets before, now;
  const double *lower = nullptr, *upper = nullptr;  ///< bounds of the joints' rates
  const double* damping = nullptr;
};

enum PeerKind : int {
  kForwardKinematics,  ///< Pinocchio, nothing else
  kTargetJacobian,     ///< and joint Jacobians, and the stacked Jacobian of the targets
  kCholesky,           ///< a whole step by a dense LLT that ignores the bounds
  kProxQpPrimalDual,   ///< tolerance 1e-6, warm start
  kProxQpPrimal,
  kProxQpLoose,  ///< primal-dual, tolerance 1e-3
  kProxQpGap,    ///< primal-dual, 1e-6 of the duality gap too
  kOsqp,         ///< its default tolerance 1e-3, warm start
  kOsqpOften,    ///< which is looked at every 5 iterations instead of every 25
  kOsqpTight,    ///< 1e-6
  kEiquadprog,   ///< exact, no warm start
  kPeerKinds,
};

}  // namespace panto_peers

extern "C" {
/// Null where this build has not got that peer.
void* peer_make(int kind, const panto_peers::PeerModel* model);
void peer_free(void* peer);
/// State: base origin, base rotation by columns, joints.
void peer_set_state(void* peer, const double* p, const double* R, const double* s);
void peer_get_state(const void* peer, double* p, double* R, double* s);
/// Advances the state. False: the peer found no answer, and the state stays.
bool peer_step(void* peer, const panto_peers::PeerStep* step);
/// Velocities of the last step: base origin and angular velocity in world axes, joints.
void peer_get_velocity(const void* peer, double* v, double* w, double* sdot);
}
