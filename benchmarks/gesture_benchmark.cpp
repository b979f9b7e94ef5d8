// A gesture of 10 s at 80 Hz, 17 joints, brought within a robot's limits: range scaling, then time scaling,
// uniform and time-optimal. Prints one CSV row a step: times in ms, stretch and a hash of the outcome.
//
// gesture_benchmark steps: what one step of the modular and of the dynamical solver costs on it, following
// eight links, in us, with the largest error and a hash.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/timing.hpp"
#include "panto/base/index.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/range_scaling.hpp"
#include "panto/motion/time_scaling.hpp"
#include "tests/support/random_motion.hpp"

namespace {

std::uint64_t hash_of(const panto::Motion& motion) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const panto::State& state : motion.states) hash = panto::state_hash(state, hash);
  return hash;
}

void print(const char* step, const panto::bench::Times& times, double stretch, const panto::Motion& motion) {
  std::printf("%s,%.3f,%.3f,%.3f,%.4f,%016llx\n", step, 1e3 * times.p50, 1e3 * times.p99, 1e3 * times.max,
              stretch, static_cast<unsigned long long>(hash_of(motion)));
}

// Orientations and angular velocities of the links that a person's segments lead.
std::vector<panto::Targets> targets_of(const panto::Model& robot, const panto::Motion& motion) {
  panto::Targets targets;
  for (const char* link : {"torso", "head", "right_upper_arm", "right_forearm", "right_hand",
                           "left_upper_arm", "left_forearm", "left_hand"}) {
    targets.rows.emplace_back();
    targets.rows.back().link = robot.link_index(link);
    targets.rows.back().position_weight = 0.0;
    targets.rows.back().has_orientation = targets.rows.back().has_angular_velocity = true;
  }
  panto::Kinematics kinematics(robot);
  std::vector<panto::Targets> all;
  for (const panto::State& state : motion.states) {
    kinematics.update_with_velocities(state);
    targets.t = state.t;
    for (panto::Target& row : targets.rows) {
      row.R_WF = kinematics.R_WL(row.link);
      row.w_WF = kinematics.w_WL(row.link);
    }
    all.push_back(targets);
  }
  return all;
}

// All of the gesture, step by step; the solver without what is around it.
void time_steps(panto::SolverKind kind, const panto::Model& robot, const panto::Motion& motion) {
  const std::vector<panto::Targets> targets = targets_of(robot, motion);
  panto::SolverOptions options;
  options.dynamical = panto::robot_options();
  const auto solver = panto::make_solver(kind, robot, targets.front().rows, options);
  panto::Kinematics kinematics(robot);
  std::uint64_t hash = 0;
  double worst = 0.0;
  const auto run = [&](bool look) {
    panto::State state = motion.states.front();
    solver->prime(targets.front());
    for (std::size_t k = 1; k < targets.size(); ++k) {
      if (!panto::usable(solver->step(targets[k], state))) worst = panto::kInfinity;
      if (!look) continue;
      hash = panto::state_hash(state, hash);
      kinematics.update(state);
      for (const panto::Target& row : targets[k].rows)
        worst = std::max(worst, panto::so3::distance(row.R_WF, kinematics.R_WL(row.link)));
    }
  };
  run(true);
  const panto::bench::Times times = panto::bench::time([&] { run(false); });
  const double steps = 1e-6 * static_cast<double>(targets.size() - 1);
  std::printf("%s,%.3f,%.3f,%.3f,%.4f,%016llx\n", panto::to_string(kind), times.p50 / steps,
              times.p99 / steps, times.max / steps, worst * 57.29577951308232,
              static_cast<unsigned long long>(hash));
}

}  // namespace

int main(int argc, char** argv) {
  const panto::Model robot = panto::io::shipped_robot("olivia17");
  if (argc > 1 && std::string(argv[1]) == "steps") {
    const panto::Motion followed = panto::test::random_motion(robot, 800, 0.5, 3, true);
    std::printf("solver,p50_us,p99_us,max_us,error_max_deg,state_hash\n");
    for (const panto::SolverKind kind : {panto::SolverKind::Modular, panto::SolverKind::Dynamical})
      time_steps(kind, robot, followed);
    return 0;
  }
  const panto::Motion gesture = panto::test::random_motion(robot, 800, 1.3, 3, true);
  std::printf("step,p50_ms,p99_ms,max_ms,stretch,state_hash\n");
  panto::RangeScaledMotion inside;
  for (const panto::RangeMap map : {panto::RangeMap::Linear, panto::RangeMap::Smooth}) {
    panto::RangeScalingOptions options;
    options.map = map;
    const auto times = panto::bench::time([&] { inside = panto::scale_range(gesture, robot, options); });
    print(map == panto::RangeMap::Linear ? "range linear" : "range smooth", times, 1.0, inside.motion);
  }
  for (const panto::TimeLaw law : {panto::TimeLaw::Uniform, panto::TimeLaw::Optimal}) {
    panto::TimeScalingOptions options;
    options.law = law;
    options.max_acceleration = 15.0;
    panto::TimeScaledMotion slow;
    const auto times = panto::bench::time([&] { slow = panto::scale_time(inside.motion, robot, options); });
    print(law == panto::TimeLaw::Uniform ? "time uniform" : "time optimal", times, slow.report.stretch,
          slow.motion);
  }
}
