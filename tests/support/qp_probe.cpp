// panto_qp_probe [COUNT] [SEED]: velocity problems with our answers as JSON, one per line, for solvers of
// dense quadratic programs in other languages. COUNT problems on random trees, and one third as many of each
// kind that DynamicalSolver meets on the human models.
//
//   minimise x'Hx/2 - f'x   under   lower <= x <= upper,  row_lower <= A x <= row_upper        (null: no
//   bound)

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "panto/ik/dynamical.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/eigen_json.hpp"
#include "tests/support/random_problem.hpp"

namespace {

using nlohmann::json;
using panto::TreeProblem;
using panto::TreeSolution;
using panto::TreeStatus;

json bounds(const panto::test::DenseProblem& dense, const panto::LaneArray<3>& by_slot) {
  json values = json::array();
  for (Eigen::Index i = 0; i < dense.first; ++i) values.push_back(nullptr);
  for (const std::size_t slot : dense.slots) {
    values.push_back(std::isfinite(by_slot[slot]) ? json(by_slot[slot]) : json(nullptr));
  }
  return values;
}

json bounds(const std::vector<double>& by_row) {
  json values = json::array();
  for (const double value : by_row) values.push_back(std::isfinite(value) ? json(value) : json(nullptr));
  return values;
}

void print(const std::string& kind, const TreeProblem& problem, const TreeSolution& solution,
           TreeStatus status, const std::vector<double>& row_multiplier = {}) {
  const panto::test::DenseProblem dense(problem);
  const Eigen::VectorXd x = dense.unpack(problem, solution);
  const json line{{"kind", kind},
                  {"H", panto::test::to_json(dense.H)},
                  {"f", panto::test::to_json(dense.f)},
                  {"lower", bounds(dense, problem.lower)},
                  {"upper", bounds(dense, problem.upper)},
                  {"A", panto::test::to_json(dense.A)},
                  {"row_lower", bounds(problem.rows.lower)},
                  {"row_upper", bounds(problem.rows.upper)},
                  {"row_multiplier", row_multiplier},
                  {"x", panto::test::to_json(x)},
                  {"cost", dense.cost(x)},
                  {"active", solution.active},
                  {"status", status == TreeStatus::Exact      ? "exact"
                             : status == TreeStatus::Feasible ? "feasible"
                                                              : "failed"}};
  std::puts(line.dump().c_str());
}

void print_random(int count, panto::test::Random& random) {
  for (int i = 0; i < count; ++i) {
    panto::test::RandomProblemOptions options;
    options.bounded = i % 10 != 0;
    options.sparse = i % 4 == 1;
    options.rows = i % 3 == 2 ? 6 : 0;
    const TreeProblem problem = panto::test::random_problem(random, options);
    panto::ActiveSetSolver solver(problem);
    TreeSolution solution(problem);
    const TreeStatus status = solver.solve(problem, solution);
    const char* kind = options.rows > 0 ? "random with rows" : options.sparse ? "random sparse" : "random";
    print(kind, problem, solution, status, solver.row_multiplier());
  }
}

panto::State random_pose(const panto::Model& model, panto::test::Random& random) {
  panto::State state = panto::rest_state(model);
  state.p_WB = panto::test::random_vector(random, 1.0);
  state.R_WB = panto::test::random_rotation(random);
  for (int i = 0; i < model.dof(); ++i) {
    state.s[i] =
        panto::test::uniform(random, std::max(model.lower()[i], -1.5), std::min(model.upper()[i], 1.5));
  }
  return state;
}

// What DynamicalSolver solves while it goes to random poses. The first steps after a change of targets run
// into limits; every second step is kept.
void print_tracking(const std::string& kind, const panto::Model& model, int count, double oriented,
                    double positioned, panto::test::Random& random) {
  std::vector<panto::Target> rows;
  for (const std::string_view name : panto::kHumanSegmentNames) {
    const bool first = rows.empty();
    panto::Target row;
    row.link = model.link_index(name);
    row.orientation_weight = first || panto::test::chance(random, oriented) ? 1.0 : 0.0;
    row.position_weight = first || panto::test::chance(random, positioned) ? 25.0 : 0.0;
    if (row.orientation_weight > 0.0 || row.position_weight > 0.0) rows.push_back(row);
  }
  panto::DynamicalOptions options;
  options.keep_problem = true;
  panto::DynamicalSolver solver(model, rows, options);
  panto::Kinematics kinematics(model);
  panto::State state = random_pose(model, random);
  for (int step = 0, printed = 0; printed < count; ++step) {
    if (step % 8 == 0) {
      kinematics.update(random_pose(model, random));
      for (panto::Target& row : rows) {
        row.R_WF = kinematics.R_WL(row.link);
        row.p_WF = kinematics.p_WL(row.link);
        row.has_orientation = row.orientation_weight > 0.0;
        row.has_position = row.position_weight > 0.0;
      }
    }
    const panto::StepStatus status = solver.step({state.t + 20'000'000, rows}, state);
    if (!panto::usable(status)) throw panto::Error(std::string("a step was ") + to_string(status));
    if (step % 2 != 0) continue;
    print(kind, solver.last_problem(), solver.last_solution(),
          solver.last_report().fallback_level <= 1 ? TreeStatus::Exact : TreeStatus::Feasible);
    ++printed;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const int count = argc > 1 ? std::atoi(argv[1]) : 210;
  panto::test::Random random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const panto::Model human66 = panto::human66(), human48 = panto::human48();
  print_random(count, random);
  print_tracking("human48", human48, count / 3, 1.0, 0.0, random);
  print_tracking("human66 with positions", human66, count / 3, 1.0, 0.5, random);
  print_tracking("human48 sparse", human48, count / 6, 0.3, 0.0, random);
  print_tracking("human48 sparse with positions", human48, count / 6, 0.2, 0.3, random);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
