// panto_probe MODEL [STATES] [SEED]: poses, velocities and Jacobians of a model at random states, as JSON,
// for oracles in other languages. MODEL is a URDF, an MJCF, human66, human48, a shipped robot or random:SEED.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "panto/io/mjcf.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/urdf.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"

namespace {

using nlohmann::json;

// matrices row by row
template <typename Derived>
json to_json(const Eigen::MatrixBase<Derived>& M) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    json row = json::array();
    for (Eigen::Index j = 0; j < M.cols(); ++j) row.push_back(M(i, j));
    rows.push_back(std::move(row));
  }
  return M.cols() == 1 ? json(std::vector<double>(M.derived().data(), M.derived().data() + M.rows())) : rows;
}

panto::Model model_named(const std::string& name) {
  if (name == "human66") return panto::human66();
  if (name == "human48") return panto::human48();
  if (name.rfind("random:", 0) == 0) {
    return panto::test::random_model(std::strtoull(name.c_str() + 7, nullptr, 10));
  }
  const std::vector<std::string>& robots = panto::io::shipped_robots();
  if (std::find(robots.begin(), robots.end(), name) != robots.end()) return panto::io::shipped_robot(name);
  return name.ends_with(".xml") ? panto::io::read_mjcf(name).model : panto::io::read_urdf(name);
}

json snapshot(const panto::Model& model, const panto::State& state) {
  panto::Kinematics kinematics(model);
  kinematics.update_with_velocities(state);
  json links = json::object();
  Eigen::MatrixXd J;
  for (int link = 0; link < model.link_count(); ++link) {
    kinematics.jacobian(link, J);
    links[model.link_names()[static_cast<std::size_t>(link)]] = {
        {"R", to_json(kinematics.R_WL(link))},
        {"p", to_json(kinematics.p_WL(link))},
        {"w", to_json(kinematics.w_WL(link))},
        {"v", to_json(kinematics.v_WL(link))},
        {"J", to_json(J)},
    };
  }
  return {{"p_WB", to_json(state.p_WB)}, {"R_WB", to_json(state.R_WB)}, {"s", to_json(state.s)},
          {"v_WB", to_json(state.v_WB)}, {"w_WB", to_json(state.w_WB)}, {"sdot", to_json(state.sdot)},
          {"links", std::move(links)}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fputs("usage: panto_probe URDF|MJCF|human66|human48|ROBOT|random:SEED [STATES] [SEED]\n", stderr);
    return 2;
  }
  const panto::Model model = model_named(argv[1]);
  const int count = argc > 2 ? std::atoi(argv[2]) : 1;
  panto::test::Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);

  json states = json::array();
  for (int i = 0; i < count; ++i) states.push_back(snapshot(model, panto::test::random_state(model, random)));
  const json result{{"name", model.name()},
                    {"root", model.link_names()[static_cast<std::size_t>(model.root_link())]},
                    {"joints", model.joint_names()},
                    {"lower", to_json(model.lower())},
                    {"upper", to_json(model.upper())},
                    {"urdf", panto::io::write_urdf(model)},
                    {"states", std::move(states)}};
  std::puts(result.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
