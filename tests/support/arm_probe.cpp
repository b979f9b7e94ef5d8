// panto_arm_probe follow METHOD MOTION SECONDS FIRST LAST EVERY [EPSILON]: how well the arm tee7 is followed,
// as
//   JSON, for experiments/b2_singularities.py and b4_noise.py. METHOD: paper, drift-free, jacobian-printed or
//   jacobian-tuned. One run for each seed from FIRST to LAST; seed 0 is clean and has measured velocities. Of
//   EVERY frames the largest error of each joint, and where the arm is at their end.
// panto_arm_probe regulariser METHOD COUNT: Eq. (10) for s up to 0.3, for experiments/b1_regularisation.py.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>

#include "panto/base/error.hpp"
#include "panto/ik/modular.hpp"
#include "panto/ik/module_laws.hpp"
#include "tests/support/paper_arm.hpp"

namespace {

using nlohmann::json;
using namespace panto;

constexpr double kDegree = std::numbers::pi / 180.0;

struct Method {
  SolverKind kind = SolverKind::Modular;
  SolverOptions options;
  std::vector<Target> rows;
};

Method method_of(const std::string& name, const Model& model, std::optional<double> epsilon) {
  Method method{SolverKind::Modular, {}, test::paper_rows(model)};
  if (name == "paper") {
    method.options = test::rates(5.0, 2.0);
  } else if (name == "jacobian-printed" || name == "jacobian-tuned") {
    const bool printed = name == "jacobian-printed";
    method.kind = SolverKind::DampedJacobian;
    method.rows = test::paper_rows(model, printed ? 0.3 : 1.0);
    test::damp_as_printed(method.rows, printed ? 0.1 : 1e-4, printed ? 10.0 : 1e-4, method.options);
  } else if (name != "drift-free") {
    throw ConfigError("METHOD is paper, drift-free, jacobian-printed or jacobian-tuned");
  }
  if (epsilon) method.options.modular.epsilon = epsilon;
  return method;
}

// Lists of numbers, one for each joint or module.
template <typename Vector>
void append(json& lists, const Vector& values) {
  if (lists.is_null())
    lists = json(std::vector<json>(static_cast<std::size_t>(values.size()), json::array()));
  for (Eigen::Index i = 0; i < values.size(); ++i) lists[static_cast<std::size_t>(i)].push_back(values[i]);
}

json follow(const std::string& name, const char* motion, double seconds, std::uint64_t seed, int every,
            std::optional<double> epsilon) {
  test::Arm arm(motion, seed);
  const Method method = method_of(name, arm.model(), epsilon);
  const Regularisation regularisation = regularisation_of(method.options.modular);
  json run{{"seed", seed}, {"time_s", json::array()}};
  Eigen::VectorXd worst = Eigen::VectorXd::Zero(arm.model().dof());
  double largest = 0.0;
  int frames = 0, unusable = 0;
  test::follow(arm, method.kind, method.options, method.rows, seconds,
               [&](StepStatus status, const State& state, const State& truth) {
                 unusable += usable(status) ? 0 : 1;
                 worst = worst.cwiseMax((state.s - truth.s).cwiseAbs() / kDegree);
                 if (++frames % every != 0) return;
                 const Eigen::Vector3d s = test::arm_s(truth.s);
                 run["time_s"].push_back(to_seconds(truth.t));
                 append(run["error_deg"], worst);
                 append(run["q_deg"], (state.s / kDegree).eval());
                 append(run["truth_deg"], (truth.s / kDegree).eval());
                 append(run["s"], s);
                 append(run["epsilon"],
                        s.unaryExpr([&](double x) { return regulariser(x, regularisation); }).eval());
                 largest = std::max(largest, worst.maxCoeff());
                 worst.setZero();
               });
  run["largest_deg"] = largest;
  run["unusable"] = unusable;
  return run;
}

json shape(const std::string& name, int count) {
  const Regularisation r =
      regularisation_of(method_of(name, io::shipped_robot("tee7"), std::nullopt).options.modular);
  json table{{"epsilon_0", r.epsilon}, {"beta_1", r.inner}, {"beta_2", r.outer}};
  for (int k = 0; k <= count; ++k) {
    const double s = 0.3 * k / count;
    table["s"].push_back(s);
    table["epsilon"].push_back(regulariser(s, r));
    table["confidence"].push_back(confidence(s, r));
  }
  constexpr double h = 1e-7;
  for (const double end : {r.inner, r.outer}) {
    table["ends"].push_back({{"s", end},
                             {"epsilon", regulariser(end, r)},
                             {"slope_inside", (regulariser(end, r) - regulariser(end - h, r)) / h},
                             {"slope_outside", (regulariser(end + h, r) - regulariser(end, r)) / h}});
  }
  return table;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "regulariser" && argc == 4) {
    std::puts(shape(argv[2], std::atoi(argv[3])).dump().c_str());
    return 0;
  }
  if (verb != "follow" || argc < 8) throw ConfigError("usage: see the head of tests/support/arm_probe.cpp");
  const std::optional<double> epsilon = argc > 8 ? std::optional(std::atof(argv[8])) : std::nullopt;
  json runs = json::array();
  for (std::uint64_t seed = std::strtoull(argv[5], nullptr, 10); seed <= std::strtoull(argv[6], nullptr, 10);
       ++seed)
    runs.push_back(follow(argv[2], argv[3], std::atof(argv[4]), seed, std::atoi(argv[7]), epsilon));
  std::puts(json{{"runs", std::move(runs)}}.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
