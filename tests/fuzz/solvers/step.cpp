// A random model and targets with any numbers through every method: a refusal leaves the State, an answer is
// a State within the limits.

#include <array>

#include "panto/ik/make_solver.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/fuzz/draws.hpp"
#include "tests/support/random_model.hpp"

namespace panto::fuzz {
namespace {

constexpr int kTargetRows = 3;

std::vector<Target> drawn_rows(const Model& model, Draws& draws) {
  std::vector<Target> rows;
  for (int i = 0; i < kTargetRows; ++i) {
    Target row;
    row.link = static_cast<int>(draws.below(static_cast<std::size_t>(model.link_count())));
    row.orientation_weight = draws.flag() ? 1.0 : std::abs(draws.number(10.0));
    row.position_weight = draws.flag() ? 0.0 : std::abs(draws.number(100.0));
    rows.push_back(row);
  }
  return rows;
}

Eigen::Vector3d drawn_vector(Draws& draws, double size) {
  const double x = draws.number(size), y = draws.number(size);
  return {x, y, draws.number(size)};
}

void draw_values(Draws& draws, Targets& targets) {
  targets.t += static_cast<Time>(draws.word(draws.flag() ? 4 : 3));
  for (Target& row : targets.rows) {
    const auto flags = static_cast<unsigned>(draws.word(1));
    row.has_orientation = (flags & 1U) != 0;
    row.has_position = (flags & 2U) != 0;
    row.has_angular_velocity = (flags & 4U) != 0;
    row.has_linear_velocity = (flags & 8U) != 0;
    row.R_WF = so3::exp(drawn_vector(draws, 2.0));
    row.p_WF = drawn_vector(draws, 2.0);
    row.w_WF = drawn_vector(draws, 3.0);
    row.v_WF = drawn_vector(draws, 3.0);
  }
}

bool same_state(const State& a, const State& b) { return a.t == b.t && state_hash(a) == state_hash(b); }

void check_answer(const Model& model, const State& state, StepStatus status, const StepReport& report) {
  promise(is_valid(state, model), "a State is one of the model");
  for (int i = 0; i < model.dof(); ++i)
    promise(state.s[i] >= model.lower()[i] - 1e-9 && state.s[i] <= model.upper()[i] + 1e-9,
            "joints keep their limits");
  promise(status != StepStatus::Saturated || report.active_bounds > 0, "a limit holds what it says");
  promise(report.fallback_level >= 0 && report.fallback_level <= 5, "a fallback is one of those");
}

void check_steps(Bytes bytes) {
  constexpr std::array kinds{SolverKind::Dynamical, SolverKind::Instantaneous, SolverKind::Pairwise,
                             SolverKind::DampedJacobian, SolverKind::Modular};
  Draws draws(bytes);
  const Model model = test::random_model(draws.word(2), {.min_joints = 1, .max_joints = 20});
  const SolverKind kind = kinds.at(draws.below(kinds.size()));
  Targets targets;
  targets.rows = drawn_rows(model, draws);
  const std::unique_ptr<Solver> solver = make_solver(kind, model, targets.rows);
  State state = rest_state(model);
  for (int k = 0; k < 20 && !draws.empty(); ++k) {
    draw_values(draws, targets);
    const State before = state;
    const StepStatus status = solver->step(targets, state);
    if (advanced(status)) {
      check_answer(model, state, status, solver->last_report());
      promise(state.t == targets.t, "the State has the targets' stamp");
    } else {
      promise(same_state(state, before), "a refusal leaves the State");
    }
  }
}

Seeds seeds_of_steps() {
  Seeds seeds;
  test::Random random(1);
  for (char kind = 0; kind < 5; ++kind) {
    std::string seed{static_cast<char>(kind + 1), '\0', kind};
    for (int i = 0; i < kTargetRows; ++i)
      seed += {static_cast<char>(i), '\1', i == 0 ? '\0' : '\1', '\x80', '\xc0', '\x7f'};
    while (seed.size() < 500) seed += static_cast<char>(test::pick(random, 244));
    seeds.push_back(seed);
  }
  return seeds;
}

const Registered steps_target("step", check_steps, seeds_of_steps);

}  // namespace
}  // namespace panto::fuzz
