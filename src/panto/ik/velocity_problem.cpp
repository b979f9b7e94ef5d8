#include "panto/ik/velocity_problem.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/index.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kRelaxedWeight = 1e4;  // of a row that cannot be met, against the heaviest target

Eigen::Vector3d group_angles(const Tree& tree, const JointGroup& group, const Eigen::VectorXd& s) noexcept {
  return {s[tree.dof[at(group.body[0])]], s[tree.dof[at(group.body[1])]], s[tree.dof[at(group.body[2])]]};
}

void check_row(const Target& row, std::size_t index, const Model& model) {
  const std::string who = "target " + std::to_string(index) + ": ";
  if (row.link < 0 || row.link >= model.link_count()) {
    throw ConfigError(who + "link index " + std::to_string(row.link) + " is not in 0.." +
                      std::to_string(model.link_count() - 1));
  }
  const auto check = [&](double value, const char* name) {
    if (!(std::isfinite(value) && value >= 0.0)) {
      throw ConfigError(who + name + " of link '" + model.links()[at(row.link)].name + "' is " +
                        std::to_string(value) + ", must be finite and >= 0");
    }
  };
  check(row.orientation_weight, "orientation weight");
  check(row.position_weight, "position weight");
  check(row.orientation_gain, "orientation gain");
  check(row.position_gain, "position gain");
}

}  // namespace

double triple_damping(double det, const DampingOptions& options) noexcept {
  const double x = std::clamp(
      (std::abs(det) - options.singular_below) / (options.regular_above - options.singular_below), 0.0, 1.0);
  return options.singular * (1.0 - x * x * (3.0 - 2.0 * x));
}

Eigen::Vector3d triple_rates(const JointGroup& group, const TripleAngles& at, const Eigen::Vector3d& w_PC_P,
                             double lambda) noexcept {
  // S in the triple's own axes: columns x, R_x y, R_x R_y z
  const Eigen::Vector3d w = group.plain ? w_PC_P : Eigen::Vector3d(group.A * w_PC_P);
  const double last = (at.cos_a * w.z() - at.sin_a * w.y()) * at.cos_b / (at.cos_b * at.cos_b + lambda);
  return {w.x() - last * at.sin_b, at.cos_a * w.y() + at.sin_a * w.z(), last};
}

VelocityProblem::VelocityProblem(const Model& model, const std::vector<Target>& rows,
                                 const DampingOptions& damping, bool balls)
    : tree(model.tree(), model.floating_base()), model_(&model), damping_(damping) {
  const Tree& bodies = model.tree();
  std::vector<unsigned char> targeted(at(bodies.size()), 0);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    check_row(rows[j], j, model);
    targeted[at(model.frame(rows[j].link).body)] = 1;
    point_of_row_.push_back(rows[j].position_weight > 0.0 ? static_cast<int>(tree.points.size()) : -1);
    if (rows[j].position_weight > 0.0) {
      tree.points.emplace_back();
      tree.points.back().body = model.frame(rows[j].link).body;
    }
  }
  oriented_.assign(at(bodies.size()), 0);
  add_coupled_rows(rows);
  for (const JointGroup& group : bodies.groups) {
    bool between = false, limited = false;
    for (int k = 0; k < group.count; ++k) {
      const int dof = bodies.dof[at(group.body[at(k)])];
      between = between || (k + 1 < group.count && targeted[at(group.body[at(k)])] != 0);
      limited = limited || model.lower()[dof] > -kInfinity || model.upper()[dof] < kInfinity ||
                model.velocity_limit()[dof] < kInfinity;
    }
    joined_.push_back(between ? 0 : 1);
    triple_.push_back(group.spherical && !between ? 1 : 0);
    ball_.push_back(balls && triple_.back() != 0 && !limited && coupled_[ball_.size()] == 0 ? 1 : 0);
    if (ball_.back() != 0) {
      tree.balls.push_back(group.body);
      for (int k = 0; k < 3; ++k) tree.angular[at(group.body[at(k)])] = Eigen::Vector3d::Unit(k);
    }
    rest_rotation_.push_back(Eigen::Matrix3d::Identity());
    if (ball_.back() != 0) {
      Eigen::Vector3d rest = group_angles(bodies, group, model.rest());
      rest[1] += group.mu;
      rest_rotation_.back() =
          group.A.transpose() * euler::to_rotation(rest, euler::XYZ) * group.B.transpose();
    }
  }
}

// The model's rows over the rates of the joints' entries.
void VelocityProblem::add_coupled_rows(const std::vector<Target>& targets) {
  const Tree& bodies = model_->tree();
  coupled_.assign(bodies.groups.size(), 0);
  std::vector<int> body_of(at(model_->dof()), 0);
  for (int k = 1; k < bodies.size(); ++k) body_of[at(bodies.dof[at(k)])] = k;
  for (const CoupledRow& row : model_->rows()) {
    std::vector<std::pair<int, double>> terms;
    for (const CoupledRow::Term& term : row.terms) {
      const int body = body_of[at(model_->joint_index(term.joint))];
      terms.emplace_back(body, term.coefficient);
      coupled_[at(bodies.group[at(body)])] = 1;
    }
    tree.rows.add(terms, -kInfinity, kInfinity);
  }
  double heaviest = 0.0;
  for (const Target& target : targets)
    heaviest = std::max({heaviest, target.orientation_weight, target.position_weight});
  if (heaviest > 0.0) tree.relaxed_weight = kRelaxedWeight * heaviest;
}

void VelocityProblem::set_rows(const Targets& targets, const Kinematics& kinematics) noexcept {
  std::fill(tree.orientation_weight.begin(), tree.orientation_weight.end(), 0.0);
  std::fill(oriented_.begin(), oriented_.end(), static_cast<unsigned char>(0));
  for (PointRow& point : tree.points) point.weight = 0.0;
  const Eigen::Vector3d& origin = kinematics.body_position()[0];
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    const LinkFrame& frame = model_->frame(row.link);
    if (row.has_orientation && row.orientation_weight > 0.0) {
      tree.orientation_weight[at(frame.body)] += row.orientation_weight;
      oriented_[at(frame.body)] = 1;
    }
    if (point_of_row_[j] >= 0 && row.has_position) {
      PointRow& point = tree.points[at(point_of_row_[j])];
      point.weight = row.position_weight;
      point.point = kinematics.body_position()[at(frame.body)] +
                    kinematics.body_rotation()[at(frame.body)] * frame.p_BL - origin;
    }
  }
  bool base_point = false;
  for (const PointRow& point : tree.points)
    base_point = base_point || (point.body == 0 && point.weight > 0.0);
  const double lost = damping_.uniform.value_or(damping_.undetermined), held = damping_.uniform.value_or(0.0);
  tree.base_linear_lambda = base_point ? held : lost;
  tree.base_angular_lambda = oriented_[0] != 0 ? held : lost;
}

void VelocityProblem::set_geometry(const Kinematics& kinematics, const State& state) noexcept {
  const Tree& bodies = model_->tree();
  const std::vector<Eigen::Vector3d>& p = kinematics.body_position();
  bool linear = false;  // a point away from the base origin moves with the joints
  for (const PointRow& point : tree.points) linear = linear || (point.weight > 0.0 && point.body > 0);
  for (std::size_t g = 0; g < bodies.groups.size(); ++g) {
    const JointGroup& group = bodies.groups[g];
    const bool by_last = joined_[g] != 0 && oriented_[at(group.last())] != 0;
    const bool triple = triple_[g] != 0, ball = ball_[g] != 0;

    // towards the rest pose, for a ball as one rotation
    Eigen::Vector3d ball_reference = Eigen::Vector3d::Zero();
    if (ball && !by_last && !damping_.uniform) {
      const Eigen::Matrix3d& R_WP = kinematics.body_rotation()[at(bodies.parent[at(group.body[0])])];
      const Eigen::Matrix3d R_PC = R_WP.transpose() * kinematics.body_rotation()[at(group.last())];
      ball_reference = damping_.rest_rate * (R_WP * so3::log(rest_rotation_[g] * R_PC.transpose()));
    }
    if (ball && by_last && !linear && !damping_.uniform) {
      for (const int body : group.body) tree.lambda[at(body)] = tree.reference[at(body)] = 0.0;
      continue;
    }
    double triple_lambda = 0.0;
    if (triple && !ball && by_last) {
      triple_lambda = triple_damping(sincos(state.s[bodies.dof[at(group.body[1])]] + group.mu).cos, damping_);
    }

    for (int k = 0; k < group.count; ++k) {
      const std::size_t i = at(group.body[at(k)]);
      const bool slider = bodies.type[i] == JointType::Prismatic;
      const Eigen::Vector3d axis =
          ball ? Eigen::Vector3d(Eigen::Vector3d::Unit(k)) : kinematics.joint_axis()[i];
      tree.angular[i] = slider ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : axis;
      if (linear) tree.linear[i] = slider ? axis : Eigen::Vector3d((p[i] - p[0]).cross(axis));

      const bool determined = !slider && (joined_[g] != 0 ? by_last : oriented_[i] != 0);
      const int dof = bodies.dof[i];
      if (damping_.uniform) {
        tree.lambda[i] = *damping_.uniform;
        tree.reference[i] = 0.0;
      } else if (determined) {
        tree.lambda[i] = ball ? 0.0 : triple ? triple_lambda : damping_.determined;
        tree.reference[i] = 0.0;
      } else {
        tree.lambda[i] = damping_.undetermined;
        tree.reference[i] =
            ball ? ball_reference[k] : damping_.rest_rate * (model_->rest()[dof] - state.s[dof]);
      }
    }
  }
}

void VelocityProblem::set_velocities(const std::vector<Eigen::Vector3d>& angular,
                                     const std::vector<Eigen::Vector3d>& linear,
                                     const Targets& targets) noexcept {
  for (Eigen::Vector3d& rhs : tree.orientation_rhs) rhs.setZero();
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    if (row.has_orientation)
      tree.orientation_rhs[at(model_->frame(row.link).body)] += row.orientation_weight * angular[j];
    if (point_of_row_[j] >= 0) tree.points[at(point_of_row_[j])].velocity = linear[j];
  }
}

void VelocityProblem::set_bounds(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) noexcept {
  const Tree& bodies = model_->tree();
  for (int k = 1; k < bodies.size(); ++k) {
    const bool ball = ball_[at(bodies.group[at(k)])] != 0;
    tree.lower[at(k)] = ball ? -kInfinity : lower[bodies.dof[at(k)]];
    tree.upper[at(k)] = ball ? kInfinity : upper[bodies.dof[at(k)]];
  }
}

}  // namespace panto
