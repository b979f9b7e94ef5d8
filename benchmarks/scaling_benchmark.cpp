// The cost of one step against the number of joints: chains and trees of hinges and of spherical triples,
// every link followed, by our step and by a textbook one. Prints comma-separated values; plot_scaling.py
// draws them.
//   scaling_benchmark [REPEATS]

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "apps/support/quiet_core.hpp"
#include "apps/support/scene_tracking.hpp"
#include "apps/support/step_timing.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/ik/dynamical.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace panto;

constexpr int kJoints[] = {6, 12, 18, 24, 36, 48, 66, 90, 120, 150, 180, 210, 240, 270, 300};
constexpr int kBranches = 2;     // of a tree's links
constexpr double kLength = 0.1;  // [m] of a link

/// `per_link` joints about x, y, z in turn between two followed links: 1 hinges, 3 spherical triples.
struct Shape {
  const char* name;
  int per_link;
  bool tree;
};
constexpr Shape kShapes[] = {{"chain of hinges", 1, false},
                             {"tree of hinges", 1, true},
                             {"chain of triples", 3, false},
                             {"tree of triples", 3, true}};

struct Body {
  ModelSpec spec;
  std::vector<std::string> followed;
};

Body make_body(const Shape& shape, int joints) {
  Body body;
  body.spec.name = std::string(shape.name) + ", " + std::to_string(joints);
  body.spec.links.push_back({"link0"});
  body.followed.push_back("link0");
  for (int i = 0; i < joints; ++i) {
    const int link = i / shape.per_link + 1, part = i % shape.per_link;
    const bool first = part == 0, last = part == shape.per_link - 1;
    const std::string name = "link" + std::to_string(link);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::Revolute;
    joint.parent = first ? "link" + std::to_string(shape.tree ? (link - 1) / kBranches : link - 1)
                         : name + "_" + std::to_string(part);
    joint.child = last ? name : name + "_" + std::to_string(part + 1);
    if (first) joint.p_PJ = Eigen::Vector3d(kLength, 0.0, 0.0);
    joint.axis = Eigen::Vector3d::Unit(i % 3);
    body.spec.links.push_back({joint.child});
    if (last) body.followed.push_back(joint.child);
    body.spec.joints.push_back(std::move(joint));
  }
  return body;
}

/// Forward kinematics, Jacobians of all targets, normal equations, LLT: no bounds, no structure used. Ours
/// for comparison; what it stands for is any method that forms the normal matrix.
class DenseStep {
 public:
  DenseStep(const Model& model, const std::vector<Target>& rows)
      : model_(&model), kinematics_(model), J_(0, model.nv()), wanted_(0), H_(model.nv(), model.nv()) {
    Eigen::Index height = 0;
    for (const Target& row : rows) height += row.position_weight > 0.0 ? 6 : 3;
    J_.setZero(height, model.nv());
    wanted_.setZero(height);
  }

  void step(const Targets& before, const Targets& now, State& state) {
    kinematics_.update(state);
    const double dt = to_seconds(now.t - before.t);
    Eigen::Index r = 0;
    for (std::size_t j = 0; j < now.rows.size(); ++j) {
      const Target &from = before.rows[j], &to = now.rows[j];
      kinematics_.jacobian(to.link, link_J_);
      J_.middleRows(r, 3) = link_J_.bottomRows(3);
      wanted_.segment<3>(r) =
          to.w_WF + to.orientation_gain * orientation_residual(from.R_WF, kinematics_.R_WL(to.link));
      r += 3;
      if (to.position_weight == 0.0) continue;
      const double root = std::sqrt(to.position_weight);
      J_.middleRows(r, 3) = root * link_J_.topRows(3);
      wanted_.segment<3>(r) = root * (to.v_WF + to.position_gain * (from.p_WF - kinematics_.p_WL(to.link)));
      r += 3;
    }
    H_.setZero();
    H_.selfadjointView<Eigen::Lower>().rankUpdate(J_.transpose());
    H_.diagonal().array() += DampingOptions{}.determined;
    nu_.noalias() = J_.transpose() * wanted_;
    llt_.compute(H_);
    llt_.solveInPlace(nu_);
    state.s += dt * nu_.tail(model_->dof());
    state.p_WB += dt * nu_.head<3>();
    state.R_WB = so3::exp(dt * nu_.segment<3>(3)) * state.R_WB;
    state.t = now.t;
  }

 private:
  const Model* model_;
  Kinematics kinematics_;
  Eigen::MatrixXd J_, link_J_;
  Eigen::VectorXd wanted_, nu_;
  Eigen::MatrixXd H_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

/// Median [us] and the mean angle that is left [deg]: it must follow, else it is no comparison.
struct DenseTiming {
  double p50_us = 0.0, angle_deg = 0.0;
};

DenseTiming time_dense(const Scene& scene, int steps) {
  const Attachments attachments(scene_attachments(scene), *scene.model, scene.links, {});
  const std::vector<SegmentSample> samples = scene_samples(scene);
  Targets before{0, attachments.rows()}, now = before;
  State state = scene.motion.state(0);
  DenseStep dense(*scene.model, attachments.rows());
  Kinematics kinematics(*scene.model);
  SampleStatistics us, angle;
  if (attachments.apply(samples.front(), before) != StepStatus::Solved)
    throw Error("a scene's sample is no sample");
  for (int k = 1; k <= steps && at(k) < samples.size(); ++k) {
    if (attachments.apply(samples[at(k)], now) != StepStatus::Solved)
      throw Error("a scene's sample is no sample");
    const Clock::time_point start = Clock::now();
    dense.step(before, now, state);
    us.add(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    kinematics.update(state);
    for (const Target& row : now.rows) angle.add(so3::distance(row.R_WF, kinematics.R_WL(row.link)));
    std::swap(before, now);
  }
  return {us.percentile(0.5).value_or(0.0), angle.mean().value_or(0.0) * 180.0 / 3.14159265358979323846};
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc == 2 ? std::atoi(argv[1]) : 5;
  if (argc > 2 || repeats < 1) {
    std::fprintf(stderr, "usage: scaling_benchmark [REPEATS]\n");
    return 2;
  }
  (void)stay_on_one_core();
  std::printf(
      "shape,joints,panto_p50_us,panto_p99_us,panto_angle_deg,dense_p50_us,dense_angle_deg,allocations,state_"
      "hash\n");
  for (const Shape& shape : kShapes) {
    for (const int joints : kJoints) {
      Body body = make_body(shape, joints);
      const Scene scene = wandering_scene(Model(std::move(body.spec)), std::move(body.followed));
      const StepTiming timing = time_steps(scene, solver_names().front(), repeats);
      const DenseTiming dense = time_dense(scene, joints > 100 ? 60 : 300);
      std::printf("%s,%d,%.3f,%.3f,%.2e,%.3f,%.2e,%lld,%s\n", shape.name, joints, timing.p50_us,
                  timing.p99_us, timing.card.angle_mean_deg.value_or(-1.0), dense.p50_us, dense.angle_deg,
                  static_cast<long long>(timing.allocations),
                  hash_text(timing.card.state_hash.value_or(0)).c_str());
      std::fflush(stdout);
    }
  }
  return 0;
}
