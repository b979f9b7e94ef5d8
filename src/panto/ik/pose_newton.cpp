#include "panto/ik/pose_newton.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr double kStiffer = 1e7;  // stiffness of a held row relative to the potential

}  // namespace

PoseNewton::PoseNewton(const Model& model)
    : model_(&model),
      first_(model.floating_base() ? 6 : 0),
      curvature_(at(model.tree().size()), Eigen::Matrix3d::Zero()),
      column_(curvature_.size()),
      H_(Eigen::MatrixXd::Zero(model.nv(), model.nv())),
      factor_(H_),
      step_(Eigen::VectorXd::Zero(model.nv())),
      right_(step_) {
  free_.reserve(at(model.nv()));
}

// Derivatives for a pose moved by inner coordinate k and then by outer coordinate i: R -> Rot(a_i) Rot(a_k)
// R. With A = R R_target', the second derivative of 1 - cos(theta) is a_i' B a_k, B = (tr(A) I - A)/2; that
// of a point is a_i x (a_k x (x - p_k)).
void PoseNewton::update(const Targets& targets, const Kinematics& kinematics) noexcept {
  const Tree& tree = model_->tree();
  for (std::size_t i = 0; i < column_.size(); ++i) {
    curvature_[i].setZero();
    column_[i] = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  }
  base_.fill(column_[0]);
  weight_ = 0.0;
  for (const Target& row : targets.rows) {
    if (row.has_orientation && row.orientation_weight > 0.0) {
      const Eigen::Matrix3d A = kinematics.R_WL(row.link) * row.R_WF.transpose();
      const Eigen::Matrix3d B = A.trace() * Eigen::Matrix3d::Identity() - A;
      curvature_[at(model_->frame(row.link).body)] += 0.5 * row.orientation_weight * B;
    }
    if (row.has_position && row.position_weight > 0.0) add_position(row, kinematics);
  }
  H_.setZero();
  for (int body = tree.size() - 1; body > 0; --body) {
    fill_column(body, kinematics);
    curvature_[at(tree.parent[at(body)])] += curvature_[at(body)];
  }
  if (first_ == 6) fill_base();
  largest_ = H_.size() == 0 ? 0.0 : H_.diagonal().cwiseAbs().maxCoeff();
}

// Adds the row's part to every column on its way to the base.
void PoseNewton::add_position(const Target& row, const Kinematics& kinematics) noexcept {
  const Tree& tree = model_->tree();
  const std::vector<Eigen::Vector3d>& p = kinematics.body_position();
  const Eigen::Vector3d x = kinematics.p_WL(row.link), r = x - p[0];
  const Eigen::Vector3d force = row.position_weight * (x - row.p_WF);
  const auto add = [&](const Eigen::Vector3d& moved, Column& column) {
    column.force += row.position_weight * moved;
    column.moment += row.position_weight * r.cross(moved) + moved.cross(force);
  };
  for (int i = model_->frame(row.link).body; i > 0; i = tree.parent[at(i)]) {
    const Eigen::Vector3d& axis = kinematics.joint_axis()[at(i)];
    const bool slider = tree.type[at(i)] == JointType::Prismatic;
    add(slider ? axis : Eigen::Vector3d(axis.cross(x - p[at(i)])), column_[at(i)]);
  }
  for (int k = 0; k < 3; ++k) add(Eigen::Vector3d::Unit(k).cross(r), base_[at(k)]);
  weight_ += row.position_weight;
}

// The derivatives by a joint and by all coordinates before it.
void PoseNewton::fill_column(int body, const Kinematics& kinematics) noexcept {
  const Tree& tree = model_->tree();
  const std::vector<Eigen::Vector3d>& p = kinematics.body_position();
  Column column = column_[at(body)];
  if (tree.type[at(body)] == JointType::Revolute)
    column.moment += curvature_[at(body)] * kinematics.joint_axis()[at(body)];
  const Eigen::Index k = first_ + tree.dof[at(body)];
  for (int i = body; i > 0; i = tree.parent[at(i)]) {
    const Eigen::Vector3d& axis = kinematics.joint_axis()[at(i)];
    const Eigen::Index j = first_ + tree.dof[at(i)];
    const bool slider = tree.type[at(i)] == JointType::Prismatic;
    const double value =
        slider ? axis.dot(column.force) : axis.dot(column.moment - (p[at(i)] - p[0]).cross(column.force));
    H_(j, k) = H_(k, j) = value;
  }
  if (first_ != 6) return;
  H_.block<3, 1>(0, k) = column.force;
  H_.block<3, 1>(3, k) = column.moment;
  H_.block<1, 6>(k, 0) = H_.block<6, 1>(0, k).transpose();
}

// For two rotations of the base, the mean of both orders: the derivatives by one rotation vector.
void PoseNewton::fill_base() noexcept {
  Eigen::Matrix3d turn = curvature_[0], shift;
  for (int k = 0; k < 3; ++k) {
    turn.col(k) += base_[at(k)].moment;
    shift.col(k) = base_[at(k)].force;
  }
  H_.block<3, 3>(0, 0) = weight_ * Eigen::Matrix3d::Identity();
  H_.block<3, 3>(0, 3) = shift;
  H_.block<3, 3>(3, 0) = shift.transpose();
  H_.block<3, 3>(3, 3) = 0.5 * (turn + turn.transpose());
}

// A spring along the row, far stiffer than the potential. It has no part in the gradient.
void PoseNewton::hold(const Eigen::VectorXd& row) noexcept {
  const double stiffness = kStiffer * largest_ / row.squaredNorm();
  for (Eigen::Index j = 0; j < row.size(); ++j) {
    if (row[j] == 0.0) continue;
    for (Eigen::Index i = 0; i < row.size(); ++i) H_(first_ + i, first_ + j) += stiffness * row[i] * row[j];
  }
}

bool PoseNewton::solve(const Eigen::Vector3d& base_linear, const Eigen::Vector3d& base_angular,
                       const Eigen::VectorXd& joints, const std::vector<unsigned char>& held,
                       double shift) noexcept {
  right_.tail(model_->dof()) = -joints;
  if (first_ == 6) right_.head<6>() << -base_linear, -base_angular;
  step_.setZero();
  free_.clear();
  for (Eigen::Index i = 0; i < step_.size(); ++i) {
    // a coordinate that no target depends on has an empty row: it rests
    const bool moves = H_(i, i) != 0.0 && (i < first_ || held[at(static_cast<int>(i - first_))] == 0);
    if (moves) free_.push_back(i);
  }
  const auto n = static_cast<Eigen::Index>(free_.size());
  if (n == 0) return false;
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index column = free_[static_cast<std::size_t>(j)];
    for (Eigen::Index i = j; i < n; ++i) factor_(i, j) = H_(free_[static_cast<std::size_t>(i)], column);
    factor_(j, j) += shift;
    right_[j] = right_[column];
  }
  Eigen::Ref<Eigen::MatrixXd> block = factor_.topLeftCorner(n, n);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> cholesky(block);
  if (cholesky.info() != Eigen::Success) return false;
  auto x = right_.head(n);
  cholesky.solveInPlace(x);
  for (Eigen::Index j = 0; j < n; ++j) step_[free_[static_cast<std::size_t>(j)]] = right_[j];
  return step_.allFinite();
}

}  // namespace panto
