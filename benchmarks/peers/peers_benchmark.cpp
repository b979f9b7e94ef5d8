// The same targets on the same model by our step and by other software, in turns, on one core. `run.py` calls
// it.
//   peers_benchmark export DIR                  models, targets and patterns for the programs in other
//   languages peers_benchmark measure REPEATS LIBRARY...  prints one JSON object

#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/support/quiet_core.hpp"
#include "apps/support/scene_tracking.hpp"
#include "apps/support/step_timing.hpp"
#include "benchmarks/peers/kernel_velocity.hpp"
#include "benchmarks/peers/peer_library.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/urdf.hpp"

namespace panto {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr double kSettle = 2.0;  // [s] left out of the errors
constexpr int kCheckEvery = 10;  // steps between two comparisons of velocities
constexpr const char* kScenes[] = {"free", "few", "clamped", "positions"};
constexpr const char* kKinds[] = {"forward_kinematics", "target_jacobian", "cholesky",   "proxqp_primal_dual",
                                  "proxqp_primal",      "proxqp_1e-3",     "proxqp_gap", "osqp_1e-3",
                                  "osqp_often",         "osqp_1e-6",       "eiquadprog"};
static_assert(std::size(kKinds) == panto_peers::kPeerKinds);

/// A scene, its targets and our own answer to each.
struct Material {
  explicit Material(const char* name);

  Scene scene;
  DynamicalOptions options;
  Attachments attachments;
  PlainModel plain;
  std::vector<Targets> targets;
  std::vector<PlainTargets> plain_targets;
  std::vector<State> ours;
};

Material::Material(const char* name)
    : scene(make_scene(name)),
      options(scene_options(scene)),
      attachments(scene_attachments(scene), *scene.model, scene.links, {}),
      plain(*scene.model, attachments.rows()) {
  const auto tracker = make_tracker(solver_names().front(), scene);
  State state = rest_state(*scene.model);
  for (const SegmentSample& sample : scene_samples(scene)) {
    Targets now{0, attachments.rows()};
    if (attachments.apply(sample, now) != StepStatus::Solved || !usable(tracker->step(sample, state)))
      throw Error("scene '" + scene.name + "' could not be followed");
    plain_targets.emplace_back(now);
    targets.push_back(std::move(now));
    ours.push_back(state);
  }
}

double mean_angle_deg(const Material& m, const std::vector<State>& states) {
  Kinematics kinematics(*m.scene.model);
  OrientationError error(states.size() * m.targets.front().rows.size());
  for (std::size_t k = 0; k < states.size(); ++k) {
    if (m.targets[k].t < from_seconds(kSettle)) continue;
    kinematics.update(states[k]);
    for (const Target& row : m.targets[k].rows) error.add(row.R_WF, kinematics.R_WL(row.link));
  }
  return error.angle().mean().value_or(0.0) * 180.0 / 3.14159265358979323846;
}

/// Times of one peer over all repeats.
struct Row {
  double p50_us = std::numeric_limits<double>::infinity(), p99_us = p50_us;
  double angle_deg = 0.0;
  double largest_difference = 0.0,
         median_difference = 0.0;  ///< from our velocities, same states [rad/s, m/s]
  int failed = 0;
};

/// What a peer is given of step k from `state`.
class StepInput {
 public:
  StepInput(const Material& m, KernelVelocity& kernel) : m_(&m), kernel_(&kernel) {}

  const panto_peers::PeerStep& at_step(std::size_t k, const State& state, const Peer& peer) {
    const StepData data = kernel_->data(state, m_->targets[k].t);
    peer.reorder(data.lower, lower_);
    peer.reorder(data.upper, upper_);
    peer.reorder(kernel_->damping(m_->targets[k], state), damping_);
    step_ = {data.dt,
             data.gain,
             m_->plain_targets[k - 1].get(),
             m_->plain_targets[k].get(),
             lower_.data(),
             upper_.data(),
             damping_.data()};
    return step_;
  }

 private:
  const Material* m_;
  KernelVelocity* kernel_;
  std::vector<double> lower_, upper_, damping_;
  panto_peers::PeerStep step_;
};

// One lap in a closed loop of the peer's own; kinds that do not step are led along our states.
void time_lap(const Material& m, const PeerLibrary& library, int kind, Row& row) {
  Peer peer(library, kind, m.plain);
  KernelVelocity kernel(*m.scene.model, m.attachments.rows(), m.options);
  StepInput input(m, kernel);
  const bool steps = kind > panto_peers::kTargetJacobian;
  SampleStatistics us(m.targets.size());
  std::vector<State> states{m.ours.front()};
  peer.set_state(m.ours.front());
  row.failed = 0;
  for (std::size_t k = 1; k < m.targets.size(); ++k) {
    State state = states.back();
    const panto_peers::PeerStep& step = input.at_step(k, state, peer);
    if (!steps) peer.set_state(m.ours[k]);
    const Clock::time_point start = Clock::now();
    const bool found = peer.step(step);
    const Clock::time_point end = Clock::now();
    us.add(std::chrono::duration<double, std::micro>(end - start).count());
    row.failed += found ? 0 : 1;
    peer.get_state(state);
    state.t = m.targets[k].t;
    states.push_back(state);
  }
  row.p50_us = std::min(row.p50_us, us.percentile(0.5).value_or(0.0));
  row.p99_us = std::min(row.p99_us, us.percentile(0.99).value_or(0.0));
  row.angle_deg = mean_angle_deg(m, states);
}

// How far the peer's velocities are from ours, from the same states.
void compare_velocities(const Material& m, const PeerLibrary& library, int kind, Row& row) {
  Peer peer(library, kind, m.plain);
  KernelVelocity kernel(*m.scene.model, m.attachments.rows(), m.options);
  StepInput input(m, kernel);
  Velocity theirs;
  theirs.sdot = Eigen::VectorXd::Zero(m.scene.model->dof());
  SampleStatistics difference;
  for (std::size_t k = kCheckEvery; k < m.targets.size(); k += kCheckEvery) {
    const State& state = m.ours[k - 1];
    const Velocity ours = kernel.solve(m.targets[k - 1], m.targets[k], state);
    peer.set_state(state);
    if (!peer.step(input.at_step(k, state, peer))) continue;
    peer.get_velocity(theirs.v_WB, theirs.w_WB, theirs.sdot);
    difference.add(std::max({(ours.sdot - theirs.sdot).cwiseAbs().maxCoeff(),
                             (ours.v_WB - theirs.v_WB).cwiseAbs().maxCoeff(),
                             (ours.w_WB - theirs.w_WB).cwiseAbs().maxCoeff()}));
  }
  row.largest_difference = difference.max().value_or(0.0);
  row.median_difference = difference.percentile(0.5).value_or(0.0);
}

Json measure_scene(const char* name, int repeats, const std::map<std::string, PeerLibrary>& libraries) {
  const Material m(name);
  std::map<std::pair<int, std::string>, Row> rows;
  std::map<std::string, StepTiming> ours;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const std::string& solver : solver_names()) {
      const StepTiming lap = time_steps(m.scene, solver, 1);
      StepTiming& best = ours.try_emplace(solver, lap).first->second;
      best.p50_us = std::min(best.p50_us, lap.p50_us);
      best.p99_us = std::min(best.p99_us, lap.p99_us);
    }
    for (int kind = 0; kind < panto_peers::kPeerKinds; ++kind) {
      for (const auto& [path, library] : libraries) {
        if (Peer(library, kind, m.plain).exists()) time_lap(m, library, kind, rows[{kind, path}]);
      }
    }
  }
  Json result{{"scene", name}, {"ours", Json::array()}, {"peers", Json::array()}};
  for (const auto& [solver, timing] : ours) {
    result["ours"].push_back({{"solver", solver},
                              {"p50_us", timing.p50_us},
                              {"p99_us", timing.p99_us},
                              {"angle_mean_deg", timing.card.angle_mean_deg.value_or(0.0)},
                              {"active_mean", timing.active_mean}});
  }
  for (auto& [key, row] : rows) {
    const auto& [kind, path] = key;
    if (kind > panto_peers::kTargetJacobian) compare_velocities(m, libraries.at(path), kind, row);
    result["peers"].push_back({{"kind", kKinds[kind]},
                               {"build", path.find("native") == std::string::npos ? "portable" : "native"},
                               {"p50_us", row.p50_us},
                               {"p99_us", row.p99_us},
                               {"angle_mean_deg", row.angle_deg},
                               {"failed", row.failed},
                               {"largest_difference", row.largest_difference},
                               {"median_difference", row.median_difference}});
  }
  return result;
}

void write_numbers(const std::string& path, const std::vector<double>& numbers) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(double)));
  file.close();
  if (!file) throw Error(path + " could not be written");
}

void write_pattern(const std::string& path, const Eigen::MatrixXd& J) {
  std::ofstream file(path);
  file << J.format(Eigen::IOFormat(1, Eigen::DontAlignCols, ",", "\n")) << "\n";
  file.close();
  if (!file) throw Error(path + " could not be written");
}

// DIR/<scene>.urdf; .json: links, weights, joints, sizes; .targets: R by rows, p, w, v of every row of every
// step; .states: p, R by rows, s of our answer at every step; .bounds: speed limit and position limits by
// joint
void export_scene(const std::string& folder, const char* name) {
  const Material m(name);
  const Model& model = *m.scene.model;
  const std::string stem = folder + "/" + name;
  io::write_urdf_file(model, stem + ".urdf");
  Json rows = Json::array();
  for (const Target& row : m.attachments.rows())
    rows.push_back({{"link", model.links()[at(row.link)].name},
                    {"orientation_weight", row.orientation_weight},
                    {"position_weight", row.position_weight}});
  std::ofstream(stem + ".json") << Json{{"steps", m.targets.size()},
                                        {"rate_hz", m.scene.rate_hz},
                                        {"gain", m.options.orientation_gain},
                                        {"tanh_gain", m.scene.tanh_gain.value_or(0.0)},
                                        {"joints", model.joint_names()},
                                        {"rows", rows}}
                                       .dump(1);
  std::vector<double> targets, states, bounds;
  const auto append = [](std::vector<double>& to, const auto& matrix) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) to.push_back(matrix(i, j));
    }
  };
  for (std::size_t k = 0; k < m.targets.size(); ++k) {
    for (const Target& row : m.targets[k].rows) {
      append(targets, row.R_WF);
      append(targets, row.p_WF);
      append(targets, row.w_WF);
      append(targets, row.v_WF);
    }
    append(states, m.ours[k].p_WB);
    append(states, m.ours[k].R_WB);
    append(states, m.ours[k].s);
  }
  append(bounds, model.velocity_limit());
  append(bounds, model.lower());
  append(bounds, model.upper());
  write_numbers(stem + ".targets", targets);
  write_numbers(stem + ".states", states);
  write_numbers(stem + ".bounds", bounds);
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "export") {
    for (const char* scene : kScenes) export_scene(words[1], scene);
    write_pattern(words[1] + "/orientations.csv", Material("free").plain.pattern());
    write_pattern(words[1] + "/positions.csv", Material("positions").plain.pattern());
    return 0;
  }
  if (words.size() >= 3 && words[0] == "measure") {
    std::map<std::string, PeerLibrary> libraries;
    for (std::size_t i = 2; i < words.size(); ++i) libraries.emplace(words[i], PeerLibrary(words[i]));
    const auto core = stay_on_one_core();
    Json result{
        {"core", core ? Json(*core) : Json()}, {"clock_ns", clock_cost_ns()}, {"scenes", Json::array()}};
    for (const char* scene : kScenes) {
      std::fprintf(stderr, "peers: %s\n", scene);
      result["scenes"].push_back(measure_scene(scene, std::stoi(words[1]), libraries));
    }
    std::printf("%s\n", result.dump(1).c_str());
    return 0;
  }
  std::fprintf(stderr, "usage: peers_benchmark export DIR | measure REPEATS LIBRARY...\n");
  return 2;
}

}  // namespace
}  // namespace panto

int main(int argc, char** argv) {
  try {
    return panto::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "peers: %s\n", error.what());
    return 3;
  }
}
