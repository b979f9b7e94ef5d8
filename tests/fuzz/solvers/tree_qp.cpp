// Velocity problems with rows, some of whose numbers are any: what is solved is finite and inside its bounds.

#include "panto/tree_qp/active_set.hpp"
#include "tests/fuzz/draws.hpp"
#include "tests/support/random_problem.hpp"

namespace panto::fuzz {
namespace {

// Exchanges a number of the problem for any other. Bounds stay in order.
void exchange(Draws& draws, TreeProblem& problem, const std::vector<std::size_t>& slots) {
  const std::size_t slot = slots[static_cast<std::size_t>(draws.word(2)) % slots.size()];
  const double value = draws.number(1.0);
  switch (draws.below(6)) {
    case 0:
      problem.reference[slot] = value;
      break;
    case 1:
      problem.lambda[slot] = std::abs(value);
      break;
    case 2:
      problem.rhs[slot] = value;
      break;
    case 3:
      if (value <= problem.upper[slot]) problem.lower[slot] = value;
      break;
    case 4:
      if (!problem.rows.coefficient.empty())
        problem.rows.coefficient[slot % problem.rows.coefficient.size()] = value;
      break;
    default:
      if (!problem.points.empty()) problem.points[slot % problem.points.size()].velocity.setConstant(value);
  }
}

void check_solution(const TreeProblem& problem, const ActiveSetSolver& solver, TreeStatus status,
                    const TreeSolution& solution, const std::vector<std::size_t>& slots, bool usual) {
  if (status == TreeStatus::Failed) return;
  for (const std::size_t slot : slots) {
    const double rate = solution.rate[slot];
    promise(std::isfinite(rate), "a rate is finite");
    promise(rate >= problem.lower[slot] && rate <= problem.upper[slot], "a rate is inside its bounds");
  }
  for (int r = 0; usual && r < problem.rows.size() && status == TreeStatus::Exact; ++r) {
    const double value = problem.rows.value(r, solution.rate.data());
    double terms = 1.0;
    for (auto k = static_cast<std::size_t>(problem.rows.begin[at(r)]);
         k < static_cast<std::size_t>(problem.rows.begin[at(r) + 1]); ++k)
      terms += std::abs(problem.rows.coefficient[k] *
                        solution.rate[static_cast<std::size_t>(problem.rows.entry[k])]);
    promise(value <= problem.rows.upper[at(r)] + 1e-6 * terms &&
                value >= problem.rows.lower[at(r)] - 1e-6 * terms,
            "a row is met");
  }
  for (const double multiplier : solver.row_multiplier())
    promise(std::isfinite(multiplier) || status != TreeStatus::Exact, "a multiplier is finite");
}

void check_problems(Bytes bytes) {
  Draws draws(bytes);
  test::Random random(draws.word(3));
  const auto kind = static_cast<unsigned>(draws.word(1));
  TreeProblem problem = test::random_problem(random, {.bounded = (kind & 1U) != 0,
                                                      .sparse = (kind & 2U) != 0,
                                                      .awkward = (kind & 4U) != 0,
                                                      .rows = static_cast<int>(kind >> 3U & 7U),
                                                      .costs = static_cast<int>(kind >> 6U)});
  const std::vector<std::size_t> slots = test::joint_slots(problem);
  ActiveSetSolver solver(problem);
  TreeSolution solution(problem);
  bool usual = true;  // no number was exchanged
  for (int solve = 0; solve < 8 && !draws.empty() && !slots.empty(); ++solve) {
    check_solution(problem, solver, solver.solve(problem, solution), solution, slots, usual);
    for (std::size_t left = draws.below(4); left > 0; --left) exchange(draws, problem, slots), usual = false;
  }
}

Seeds seeds_of_problems() {
  Seeds seeds;
  for (unsigned kind = 0; kind < 256; kind += 23) {
    std::string seed{static_cast<char>(kind), '\5', '\0', static_cast<char>(kind)};
    for (int k = 0; k < 8; ++k)
      seed += std::string{'\1', static_cast<char>(k), '\0', '\x20', '\x80', '\x90', static_cast<char>(k)};
    seeds.push_back(seed);
  }
  return seeds;
}

const Registered problems_target("tree_qp", check_problems, seeds_of_problems);

}  // namespace
}  // namespace panto::fuzz
