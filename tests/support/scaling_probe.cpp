// panto_scaling_probe PROFILES GESTURES PACED: what range and time scaling promise, as far as random profiles
// of a joint and random gestures of olivia17 come to breaking it, as JSON for experiments/b7_scaling.py.
// PACED of the gestures are slowed down too. With named profiles before and behind, for the figure.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "panto/base/error.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/motion/time_scaling.hpp"
#include "tests/support/random_motion.hpp"
#include "tests/support/random_profile.hpp"

namespace {

using nlohmann::json;
using namespace panto;

constexpr double kRate = 80.0;

std::vector<Time> stamps(std::size_t count) {
  std::vector<Time> t;
  for (std::size_t k = 0; k < count; ++k) t.push_back(frame_time(static_cast<std::int64_t>(k), kRate));
  return t;
}

// The worst of every promise over profiles; nothing is above zero where they hold.
struct RangeWorst {
  int profiles = 0, with_swings = 0, several = 0, starts_outside = 0, all_outside = 0;
  double beyond = 0.0;    // a limit [rad]
  double longer = 0.0;    // a step than before: |dq_m| - |dq| [rad]
  double reversed = 0.0;  // a step against its direction [rad]
  double touched = 0.0;   // a frame outside the swings, changed by [rad]
};

void look(const test::RangeCase& drawn, const ScaledRange& scaled, RangeWorst& worst) {
  std::vector<bool> swings(drawn.q.size(), false);
  for (const ScaledSwing& swing : scaled.swings)
    for (int k = swing.first; k <= swing.last; ++k) swings[at(k)] = true;
  const auto outside = [&](double value) { return value < drawn.lower || value > drawn.upper; };
  for (std::size_t k = 0; k < drawn.q.size(); ++k) {
    worst.beyond = std::max({worst.beyond, drawn.lower - scaled.q[k], scaled.q[k] - drawn.upper});
    if (!swings[k]) worst.touched = std::max(worst.touched, std::abs(scaled.q[k] - drawn.q[k]));
    if (k == 0) continue;
    const double dq = drawn.q[k] - drawn.q[k - 1], dm = scaled.q[k] - scaled.q[k - 1];
    worst.longer = std::max(worst.longer, std::abs(dm) - std::abs(dq));
    if (dq * dm < 0.0) worst.reversed = std::max(worst.reversed, std::abs(dm));
  }
  ++worst.profiles;
  worst.with_swings += scaled.swings.empty() ? 0 : 1;
  worst.several += scaled.swings.size() > 2 ? 1 : 0;
  worst.starts_outside += outside(drawn.q.front()) ? 1 : 0;
  worst.all_outside += std::all_of(drawn.q.begin(), drawn.q.end(), outside) ? 1 : 0;
}

json range_battery(int profiles) {
  std::mt19937_64 engine(29);
  RangeWorst worst;
  for (int trial = 0; trial < profiles; ++trial) {
    const test::RangeCase drawn = test::random_range_case(trial, engine);
    look(drawn, scale_range(stamps(drawn.q.size()), drawn.q, drawn.lower, drawn.upper, drawn.options), worst);
  }
  return {{"profiles", worst.profiles},       {"with_swings", worst.with_swings},
          {"more_than_two", worst.several},   {"start_outside", worst.starts_outside},
          {"all_outside", worst.all_outside}, {"beyond_rad", worst.beyond},
          {"longer_rad", worst.longer},       {"reversed_rad", worst.reversed},
          {"touched_rad", worst.touched}};
}

// ---- gestures of all joints ----

double beyond_range(const Motion& motion, const Model& model) {
  double worst = -kInfinity;
  for (const State& state : motion.states)
    worst = std::max({worst, (model.lower() - state.s).maxCoeff(), (state.s - model.upper()).maxCoeff()});
  return worst;
}

struct PaceWorst {
  double beyond = -kInfinity;  // a position limit [rad]
  double speed = 0.0, acceleration = 0.0, displacement = 0.0, slower = 0.0, shortest = 1.0;
};

// Speeds and accelerations as shares of their limits, by differences, and what the motion says of its speed.
void look(const Motion& before, const Motion& after, const Model& model, double limit, PaceWorst& worst) {
  const double dt = 1.0 / after.rate_hz;
  worst.beyond = std::max(worst.beyond, beyond_range(after, model));
  worst.displacement = std::max(worst.displacement, ((after.states.back().s - after.states.front().s) -
                                                     (before.states.back().s - before.states.front().s))
                                                        .cwiseAbs()
                                                        .maxCoeff());
  for (std::size_t k = 0; k < after.states.size(); ++k) {
    const Eigen::ArrayXd v = model.velocity_limit().array();
    const Eigen::VectorXd& s = after.states[k].s;
    worst.speed = std::max(worst.speed, (after.states[k].sdot.array().abs() / v).maxCoeff());
    if (k == 0) continue;
    const Eigen::VectorXd& last = after.states[k - 1].s;
    worst.speed = std::max(worst.speed, ((s - last).array().abs() / (dt * v)).maxCoeff());
    if (k + 1 == after.states.size()) continue;
    const Eigen::VectorXd bend = after.states[k + 1].s - 2.0 * s + last;
    worst.acceleration = std::max(worst.acceleration, bend.cwiseAbs().maxCoeff() / (dt * dt * limit));
  }
}

json gesture_battery(int gestures, int paced) {
  const Model model = io::shipped_robot("olivia17");
  double beyond = -kInfinity;
  int swings = 0, slowed = 0;
  PaceWorst pace;
  for (int trial = 0; trial < gestures; ++trial) {
    const Motion motion = test::random_motion(model, 100 + trial % 61, 1.0 + 0.01 * (trial % 80),
                                              static_cast<std::uint64_t>(trial), true, kRate);
    const RangeScaledMotion inside = scale_range(motion, model);
    beyond = std::max(beyond, beyond_range(inside.motion, model));
    swings += static_cast<int>(inside.report.swings.size());
    if (trial >= paced) continue;
    TimeScalingOptions options;
    options.max_acceleration = 3.0 + trial % 30;
    const TimeScaledMotion optimal = scale_time(inside.motion, model, options);
    options.law = TimeLaw::Uniform;
    const TimeScaledMotion uniform = scale_time(inside.motion, model, options);
    for (const TimeScaledMotion* scaled : {&optimal, &uniform})
      look(inside.motion, scaled->motion, model, options.max_acceleration, pace);
    slowed += uniform.report.stretch > 1.0 ? 1 : 0;
    pace.slower = std::max(pace.slower, optimal.report.after - uniform.report.after);
    pace.shortest = std::min(pace.shortest, optimal.report.after / uniform.report.after);
  }
  return {{"gestures", gestures},
          {"swings", swings},
          {"beyond_rad", beyond},
          {"paced", paced},
          {"slowed", slowed},
          {"paced_beyond_rad", pace.beyond},
          {"speed_share", pace.speed},
          {"acceleration_share", pace.acceleration},
          {"displacement_rad", pace.displacement},
          {"optimal_slower_s", pace.slower},
          {"optimal_shortest", pace.shortest}};
}

// ---- theory 2.6 ----

// Two hinges whose speeds peak at 2.19 and 1.72 rad/s under limits of 2.0 and 1.5.
json theory_numbers() {
  ModelSpec spec;
  spec.name = "two";
  spec.links.resize(3);
  spec.links[0].name = "base";
  for (int i = 0; i < 2; ++i) {
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::Revolute;
    joint.parent = spec.links[at(i)].name;
    joint.child = spec.links[at(i + 1)].name = "link" + std::to_string(i);
    joint.velocity = i == 0 ? 2.0 : 1.5;
    spec.joints.push_back(joint);
  }
  const Model model(std::move(spec));
  Motion motion{model.name(), model.joint_names(), kRate, {}};
  State state = rest_state(model);
  for (int k = 0; k <= 800; ++k) {
    state.t = frame_time(k, kRate);
    const double t = to_seconds(state.t);
    state.s = Eigen::Vector2d(2.19 * std::sin(t), 0.86 * std::sin(2.0 * t));
    motion.states.push_back(state);
  }
  json table;
  for (const TimeLaw law : {TimeLaw::Uniform, TimeLaw::Optimal}) {
    TimeScalingOptions options;
    options.law = law;
    const TimeScaledMotion scaled = scale_time(motion, model, options);
    Eigen::Vector2d peak = Eigen::Vector2d::Zero();
    json t = json::array(), q = json::array();
    for (const State& s : scaled.motion.states) {
      peak = peak.cwiseMax(s.sdot.cwiseAbs());
      t.push_back(to_seconds(s.t));
      q.push_back(s.s[0]);
    }
    const Eigen::VectorXd off = (scaled.motion.states.back().s - motion.states.back().s);
    table[law == TimeLaw::Uniform ? "uniform" : "optimal"] = {{"scale", scaled.report.scale},
                                                              {"after_s", scaled.report.after},
                                                              {"peaks_rad_s", {peak[0], peak[1]}},
                                                              {"end_off_rad", off.cwiseAbs().maxCoeff()},
                                                              {"time_s", t},
                                                              {"q_rad", q}};
  }
  return table;
}

// ---- named profiles, in [-1, 1] ----

json named_profiles() {
  const auto ease = [](double u) {
    u = std::clamp(u, 0.0, 1.0);
    return u * u * u * (10.0 + u * (6.0 * u - 15.0));
  };
  const auto hump = [&](double t, double from, double length, double size) {
    return size * (ease(2.0 * (t - from) / length) - ease(2.0 * (t - from) / length - 1.0));
  };
  const std::vector<std::pair<const char*, std::function<double(double)>>> profiles{
      {"two violations", [&](double t) { return hump(t, 0.5, 2.5, 1.5) + hump(t, 4.0, 2.5, -1.4); }},
      {"several humps",
       [&](double t) { return hump(t, 0.5, 6.5, 1.2) + 0.25 * std::sin(5.0 * t) * hump(t, 1.0, 5.5, 1.0); }},
      {"plateau", [&](double t) { return 1.4 * (ease(t - 1.0) - ease(t - 5.0)); }},
      {"begins outside", [&](double t) { return 1.5 * std::cos(0.9 * t) * (1.0 - 0.6 * ease(0.25 * t)); }},
      {"an inner wiggle, then both sides",
       [&](double t) { return hump(t, 0.2, 3.0, -1.5) + hump(t, 1.2, 0.8, 0.9) + hump(t, 3.6, 3.0, 1.6); }},
      {"noise of 1e-3 rad", [&, engine = std::mt19937_64(3)](double t) mutable {
         std::normal_distribution<double> normal(0.0, 1e-3);
         return hump(t, 0.5, 2.5, 1.5) + hump(t, 4.0, 2.5, -1.4) + normal(engine);
       }}};
  json table = json::array();
  for (const auto& [name, profile] : profiles) {
    std::vector<double> q;
    for (int k = 0; k <= 7 * static_cast<int>(kRate); ++k) q.push_back(profile(k / kRate));
    json row{{"name", name}, {"rate_hz", kRate}, {"q", q}};
    for (const RangeMap map : {RangeMap::Linear, RangeMap::Smooth}) {
      RangeScalingOptions options;
      options.map = map;
      row[map == RangeMap::Linear ? "linear" : "smooth"] =
          scale_range(stamps(q.size()), q, -1.0, 1.0, options).q;
    }
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw ConfigError("usage: panto_scaling_probe PROFILES GESTURES PACED");
  std::puts(json{{"range", range_battery(std::atoi(argv[1]))},
                 {"gestures", gesture_battery(std::atoi(argv[2]), std::atoi(argv[3]))},
                 {"theory", theory_numbers()},
                 {"profiles", named_profiles()}}
                .dump()
                .c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
