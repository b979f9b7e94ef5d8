// panto_step_probe human66|human48 [STEPS] [SEED] [full|missing|sparse]: a model, a sequence of samples and
// the State after each step of DynamicalSolver, as JSON, for the reference in python/reference. It starts
// away from the first sample and is not aligned.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "panto/ik/dynamical.hpp"
#include "panto/io/urdf.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/eigen_json.hpp"
#include "tests/support/random_model.hpp"

namespace {

using nlohmann::json;
using panto::test::Random;
using panto::test::to_json;

// Sums of two sines per joint, further than the limits go; derivatives are exact.
class Motion {
 public:
  Motion(const panto::Model& model, Random& random) : state_(panto::rest_state(model)), kinematics_(model) {
    for (int i = 0; i < model.dof() + 6; ++i) {
      const double size = i < 3 ? 0.3 : i < 6 ? 0.6 : 1.2;
      waves_.push_back({panto::test::uniform(random, 0.2, size), panto::test::uniform(random, 1.0, 8.0),
                        panto::test::uniform(random, 0.0, 6.0)});
    }
  }

  /// Poses and velocities of all links at `t` [s].
  const panto::Kinematics& at(double t) {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d w = Eigen::Vector3d::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      // one turn after the other about the base's own axes
      const Eigen::Vector3d unit = Eigen::Vector3d::Unit(axis);
      w += R * unit * rate(3 + axis, t);
      R = R * panto::so3::exp(unit * value(3 + axis, t));
      state_.p_WB[axis] = value(axis, t);
      state_.v_WB[axis] = rate(axis, t);
    }
    state_.R_WB = R;
    state_.w_WB = w;
    for (Eigen::Index i = 0; i < state_.s.size(); ++i) {
      state_.s[i] = value(static_cast<int>(i) + 6, t);
      state_.sdot[i] = rate(static_cast<int>(i) + 6, t);
    }
    kinematics_.update_with_velocities(state_);
    return kinematics_;
  }

 private:
  struct Wave {
    double size, frequency, phase;
  };
  [[nodiscard]] double value(int i, double t) const {
    const Wave& wave = waves_[static_cast<std::size_t>(i)];
    return wave.size * std::sin(wave.frequency * t + wave.phase);
  }
  [[nodiscard]] double rate(int i, double t) const {
    const Wave& wave = waves_[static_cast<std::size_t>(i)];
    return wave.size * wave.frequency * std::cos(wave.frequency * t + wave.phase);
  }

  panto::State state_;
  panto::Kinematics kinematics_;
  std::vector<Wave> waves_;
};

// Every fact of a row on its own: it stays away for some steps and comes back.
void drop_facts(std::vector<panto::Target>& rows, Random& random) {
  for (panto::Target& row : rows) {
    row.has_orientation = panto::test::chance(random, row.has_orientation ? 0.93 : 0.3);
    row.has_position = panto::test::chance(random, row.has_position ? 0.95 : 0.5);
    row.has_angular_velocity = row.has_orientation && panto::test::chance(random, 0.8);
    row.has_linear_velocity = row.has_position && panto::test::chance(random, 0.8);
  }
}

json state_json(const panto::State& state) {
  return {{"t_ns", state.t},
          {"p_WB", to_json(state.p_WB)},
          {"R_WB", to_json(state.R_WB)},
          {"s", to_json(state.s)},
          {"v_WB", to_json(state.v_WB)},
          {"w_WB", to_json(state.w_WB)},
          {"sdot", to_json(state.sdot)}};
}

json row_json(const panto::Model& model, const panto::Target& row) {
  json out{{"link", model.link_names()[static_cast<std::size_t>(row.link)]}};
  if (row.has_orientation) out["R"] = to_json(row.R_WF);
  if (row.has_position && row.position_weight > 0.0) out["p"] = to_json(row.p_WF);
  if (row.has_orientation && row.has_angular_velocity) out["w"] = to_json(row.w_WF);
  if (row.has_position && row.position_weight > 0.0 && row.has_linear_velocity) out["v"] = to_json(row.v_WF);
  return out;
}

std::vector<panto::Target> make_rows(const panto::Model& model, bool sparse) {
  std::vector<panto::Target> rows;
  for (const std::string_view name : panto::kHumanSegmentNames) {
    // sparse: the seven segments of a small suit
    const bool kept = name == "Pelvis" || name == "Head" || name.find("Hand") != name.npos ||
                      name.find("Foot") != name.npos || name == "T8";
    if (sparse && !kept) continue;
    panto::Target row;
    row.link = model.link_index(name);
    row.position_weight = name == "Pelvis" || (sparse && kept) ? 25.0 : 0.0;
    row.has_orientation = row.has_position = row.has_angular_velocity = row.has_linear_velocity = true;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : "human66", scene = argc > 4 ? argv[4] : "full";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
  Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const panto::Model model = name == "human48" ? panto::human48() : panto::human66();

  Motion motion(model, random);
  std::vector<panto::Target> rows = make_rows(model, scene == "sparse");
  panto::DynamicalOptions options;
  options.align = false;
  panto::DynamicalSolver solver(model, rows, options);

  panto::State state = panto::rest_state(model);
  state.R_WB = panto::so3::exp({0.2, -0.1, 0.3});
  for (int i = 0; i < model.dof(); ++i) {
    const double s = state.s[i] + panto::test::uniform(random, -0.2, 0.2);
    state.s[i] = std::clamp(s, model.lower()[i], model.upper()[i]);
  }
  json sequence = json::array();
  const json start = state_json(state);
  panto::Time t = 0;
  for (int step = 0; step < steps; ++step) {
    t += static_cast<panto::Time>(1e6 * panto::test::uniform(random, 4.0, step % 10 == 9 ? 95.0 : 30.0));
    const panto::Kinematics& truth = motion.at(panto::to_seconds(t));
    for (panto::Target& row : rows) {
      row.R_WF = truth.R_WL(row.link);
      row.p_WF = truth.p_WL(row.link);
      row.w_WF = truth.w_WL(row.link);
      row.v_WF = truth.v_WL(row.link);
    }
    if (scene == "missing") drop_facts(rows, random);
    const panto::StepStatus status = solver.step({t, rows}, state);
    json targets = json::array();
    for (const panto::Target& row : rows) targets.push_back(row_json(model, row));
    sequence.push_back({{"t_ns", t},
                        {"targets", std::move(targets)},
                        {"status", to_string(status)},
                        {"active", solver.last_report().active_bounds},
                        {"fallback", solver.last_report().fallback_level},
                        {"state", state_json(state)}});
  }
  json weights = json::object();
  for (const panto::Target& row : rows) {
    weights[model.link_names()[static_cast<std::size_t>(row.link)]] = {
        {"orientation_weight", row.orientation_weight},
        {"position_weight", row.position_weight},
        {"orientation_gain", row.orientation_gain},
        {"position_gain", row.position_gain}};
  }
  const json result{{"urdf", panto::io::write_urdf(model)},
                    {"joints", model.joint_names()},
                    {"rest", to_json(model.rest())},
                    {"targets", weights},
                    {"start", start},
                    {"steps", std::move(sequence)}};
  std::puts(result.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
