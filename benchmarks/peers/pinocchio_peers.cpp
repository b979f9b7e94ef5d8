// Steps of the same problem by Pinocchio and a general solver of quadratic programs, written as Pinocchio's
// documentation suggests for speed: one pass for poses and Jacobians, entries outside a support never
// touched.

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/multibody.hpp>
#include <string>
#include <vector>

#include "benchmarks/peers/inverter.hpp"
#include "benchmarks/peers/peer.hpp"

namespace panto_peers {
namespace {

using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kNoBound = 1e20;

Map<const Matrix3d> matrix_at(const double* data, int i) { return Map<const Matrix3d>(data + 9 * i); }
Map<const Vector3d> vector_at(const double* data, int i) { return Map<const Vector3d>(data + 3 * i); }

struct Row {
  int joint = 0;                                    ///< of Pinocchio: 1 the base
  double orientation = 0.0, position = 0.0;         ///< roots of the weights
  int first_orientation = -1, first_position = -1;  ///< rows of J
  std::vector<int> columns;                         ///< that move it
};

class Peer {
 public:
  Peer(int kind, const PeerModel& model) : kind_(kind) {
    build(model);
    data_ = std::make_unique<pinocchio::Data>(model_);
    q_ = pinocchio::neutral(model_);
    const int n = model_.nv;
    q_before_ = q_;
    nu_ = VectorXd::Zero(n);
    problem_.J = MatrixXd::Zero(height_, n);
    problem_.wanted = VectorXd::Zero(height_);
    problem_.H = MatrixXd::Zero(n, n);
    problem_.g = problem_.damping = VectorXd::Zero(n);
    problem_.lower = VectorXd::Constant(n, -kNoBound);
    problem_.upper = VectorXd::Constant(n, kNoBound);
    inverter_ = make_inverter(kind, n);
  }

  [[nodiscard]] bool usable() const { return inverter_ != nullptr || kind_ <= kTargetJacobian; }

  void set_state(const double* p, const double* R, const double* s) {
    q_.head<3>() = Map<const Vector3d>(p);
    q_.segment<4>(3) = Eigen::Quaterniond(Matrix3d(Map<const Matrix3d>(R))).coeffs();
    for (std::size_t i = 0; i < joint_.size(); ++i) q_[model_.idx_qs[joint_[i]]] = s[i];
  }

  void get_state(double* p, double* R, double* s) const {
    Map<Vector3d>{p} = q_.head<3>();
    Map<Matrix3d>{R} = Eigen::Quaterniond(q_[6], q_[3], q_[4], q_[5]).toRotationMatrix();
    for (std::size_t i = 0; i < joint_.size(); ++i) s[i] = q_[model_.idx_qs[joint_[i]]];
  }

  void get_velocity(double* v, double* w, double* sdot) const {
    const Matrix3d R =
        Eigen::Quaterniond(q_before_[6], q_before_[3], q_before_[4], q_before_[5]).toRotationMatrix();
    Map<Vector3d>{v} = R * nu_.head<3>();
    Map<Vector3d>{w} = R * nu_.segment<3>(3);
    for (std::size_t i = 0; i < joint_.size(); ++i) sdot[i] = nu_[model_.idx_vs[joint_[i]]];
  }

  bool step(const PeerStep& step) {
    if (kind_ == kForwardKinematics) {
      pinocchio::forwardKinematics(model_, *data_, q_);
      return true;
    }
    pinocchio::computeJointJacobians(model_, *data_, q_);  // and the forward kinematics
    stack_jacobian();
    if (kind_ == kTargetJacobian) return true;
    correct_velocities(step);
    for (std::size_t i = 0; i < joint_.size(); ++i) {
      const int column = model_.idx_vs[joint_[i]];
      problem_.lower[column] = step.lower[i];
      problem_.upper[column] = step.upper[i];
      problem_.damping[column] = step.damping[i];
    }
    if (!inverter_->solve(problem_, nu_)) return false;
    q_before_ = q_;
    pinocchio::integrate(model_, q_before_, step.dt * nu_, q_);
    return true;
  }

 private:
  void build(const PeerModel& model) {
    const pinocchio::JointIndex base =
        model_.addJoint(0, pinocchio::JointModelFreeFlyer(), pinocchio::SE3::Identity(), "base");
    for (int i = 0; i < model.joints; ++i) {
      const double* placement = model.placement + 12 * i;
      const pinocchio::SE3 M(Matrix3d(Map<const Matrix3d>(placement)),
                             Vector3d(Map<const Vector3d>(placement + 9)));
      const pinocchio::JointIndex parent =
          model.parent[i] < 0 ? base : joint_[static_cast<std::size_t>(model.parent[i])];
      const std::string name = "joint" + std::to_string(i);
      joint_.push_back(model.axis[i] == 0   ? model_.addJoint(parent, pinocchio::JointModelRX(), M, name)
                       : model.axis[i] == 1 ? model_.addJoint(parent, pinocchio::JointModelRY(), M, name)
                                            : model_.addJoint(parent, pinocchio::JointModelRZ(), M, name));
    }
    for (int j = 0; j < model.rows; ++j) {
      Row row;
      row.joint =
          static_cast<int>(model.body[j] < 0 ? base : joint_[static_cast<std::size_t>(model.body[j])]);
      row.orientation = std::sqrt(model.orientation_weight[j]);
      row.position = std::sqrt(model.position_weight[j]);
      if (row.orientation > 0.0) row.first_orientation = height_, height_ += 3;
      if (row.position > 0.0) row.first_position = height_, height_ += 3;
      for (pinocchio::JointIndex joint = static_cast<pinocchio::JointIndex>(row.joint); joint > 0;
           joint = model_.parents[joint]) {
        for (int k = 0; k < model_.nvs[joint]; ++k) row.columns.push_back(model_.idx_vs[joint] + k);
      }
      rows_.push_back(row);
    }
  }

  // Pinocchio's columns are spatial, about the world's origin; entries outside a row's support stay zero
  void stack_jacobian() {
    for (const Row& row : rows_) {
      const Vector3d& p = data_->oMi[static_cast<std::size_t>(row.joint)].translation();
      for (const int column : row.columns) {
        const auto linear = data_->J.col(column).head<3>();
        const auto angular = data_->J.col(column).tail<3>();
        if (row.first_orientation >= 0)
          problem_.J.block<3, 1>(row.first_orientation, column) = row.orientation * angular;
        if (row.first_position >= 0)
          problem_.J.block<3, 1>(row.first_position, column) = row.position * (linear + angular.cross(p));
      }
    }
  }

  // v* = mean rate of the interval + K r, r of the sample before
  void correct_velocities(const PeerStep& step) {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const Row& row = rows_[j];
      const int i = static_cast<int>(j);
      const pinocchio::SE3& pose = data_->oMi[static_cast<std::size_t>(row.joint)];
      if (row.first_orientation >= 0) {
        const Matrix3d& R = pose.rotation();
        const auto target = matrix_at(step.before.R, i);
        const Vector3d r = 0.5 * (R.col(0).cross(target.col(0)) + R.col(1).cross(target.col(1)) +
                                  R.col(2).cross(target.col(2)));
        const Vector3d w = 0.5 * (vector_at(step.before.w, i) + vector_at(step.now.w, i));
        problem_.wanted.segment<3>(row.first_orientation) = row.orientation * (w + step.gain * r);
      }
      if (row.first_position >= 0) {
        const Vector3d v = 0.5 * (vector_at(step.before.v, i) + vector_at(step.now.v, i));
        problem_.wanted.segment<3>(row.first_position) =
            row.position * (v + step.gain * (vector_at(step.before.p, i) - pose.translation()));
      }
    }
  }

  int kind_;
  pinocchio::Model model_;
  std::unique_ptr<pinocchio::Data> data_;
  std::vector<pinocchio::JointIndex> joint_;
  std::vector<Row> rows_;
  int height_ = 0;
  VectorXd q_, q_before_, nu_;
  Problem problem_;
  std::unique_ptr<Inverter> inverter_;
};

}  // namespace
}  // namespace panto_peers

extern "C" {
void* peer_make(int kind, const panto_peers::PeerModel* model) {
  auto peer = std::make_unique<panto_peers::Peer>(kind, *model);
  return peer->usable() ? peer.release() : nullptr;
}
void peer_free(void* peer) { delete static_cast<panto_peers::Peer*>(peer); }
void peer_set_state(void* peer, const double* p, const double* R, const double* s) {
  static_cast<panto_peers::Peer*>(peer)->set_state(p, R, s);
}
void peer_get_state(const void* peer, double* p, double* R, double* s) {
  static_cast<const panto_peers::Peer*>(peer)->get_state(p, R, s);
}
bool peer_step(void* peer, const panto_peers::PeerStep* step) {
  return static_cast<panto_peers::Peer*>(peer)->step(*step);
}
void peer_get_velocity(const void* peer, double* v, double* w, double* sdot) {
  static_cast<const panto_peers::Peer*>(peer)->get_velocity(v, w, sdot);
}
}
