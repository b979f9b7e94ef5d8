#include "panto/motion/time_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/model/speed_limit.hpp"
#include "panto/motion/contacts.hpp"
#include "panto/motion/joint_curves.hpp"
#include "panto/motion/path_timing.hpp"
#include "panto/motion/resample.hpp"

namespace panto {
namespace {

using Eigen::VectorXd;

constexpr double kMostFrames = 1e6;
constexpr double kFreeFrames = 10'000.0, kFramesEach = 100.0;  // of the new motion, by frames of the old one
constexpr double kSameFrame = 1e-6;  // [frames], tolerance of an end that falls on a frame
constexpr double kFull = 1e-12;      // a rate of 1 up to rounding

void check(const Motion& motion, const Model& model, const TimeScalingOptions& o) {
  if (!(o.speed_limit > 0.0 && o.max_acceleration > 0.0))
    throw ConfigError("time scaling: limits must be > 0");
  check_finite("time scaling", {{"rest_speed", o.rest_speed}});
  if (!(o.rest_speed >= 0.0)) throw ConfigError("time scaling: rest_speed must be >= 0");
  if (o.rate_hz && !(*o.rate_hz > 0.0 && std::isfinite(*o.rate_hz)))
    throw ConfigError("time scaling: the rate is " + digits(*o.rate_hz, 6) + " Hz; it must be > 0");
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    if (!is_valid(motion.states[k], model))
      throw ModelError("time scaling: the state of frame " + std::to_string(k) +
                       " does not fit the model or is not finite");
    if (k > 0 && motion.states[k].t <= motion.states[k - 1].t)
      throw ConfigError("time scaling: the stamp of frame " + std::to_string(k) +
                        " is not after the one before it");
  }
}

// Coupled rows, including mimics.
std::vector<CurveRow> rows_of(const Model& model) {
  std::vector<CurveRow> rows;
  for (const CoupledRow& given : model.rows()) {
    rows.push_back({{}, given.lower, given.upper});
    for (const CoupledRow::Term& term : given.terms)
      rows.back().terms.emplace_back(model.joint_index(term.joint), term.coefficient);
  }
  return rows;
}

// Joints, then the base's position, which has no limits.
JointCurves curves_of(const Motion& motion, const Model& model, double rest_speed) {
  const int dof = model.dof();
  std::vector<Time> t;
  Eigen::MatrixXd q(dof + 3, static_cast<Eigen::Index>(motion.states.size()));
  for (const State& state : motion.states) {
    q.col(static_cast<Eigen::Index>(t.size())) << state.s, state.p_WB;
    t.push_back(state.t);
  }
  VectorXd lower = VectorXd::Constant(dof + 3, -kInfinity), upper = VectorXd::Constant(dof + 3, kInfinity);
  lower.head(dof) = model.lower();
  upper.head(dof) = model.upper();
  return {t, std::move(q), lower, upper, rest_speed, rows_of(model)};
}

PathLimits limits_of(const Model& model, const TimeScalingOptions& options) {
  PathLimits limits;
  limits.speed = limits.acceleration = VectorXd::Constant(model.dof() + 3, kInfinity);
  limits.acceleration.head(model.dof()).setConstant(options.max_acceleration);
  for (int i = 0; i < model.dof(); ++i) {
    limits.speed[i] = speed_limit_of(model, i, options.speed_limit);
  }
  limits.rest_at_ends = options.rest_at_ends;
  return limits;
}

// Scales a motion of at least two frames.
class TimeScaler {
 public:
  TimeScaler(const Motion& motion, const Model& model, const TimeScalingOptions& options)
      : before_(motion),
        model_(model),
        options_(options),
        curves_(curves_of(motion, model, options.rest_speed)),
        limits_(limits_of(model, options)),
        timing_(curves_.duration(), 1.0) {}

  TimeScaledMotion scale() {
    choose_timing();
    report();
    result_.motion.model_name = before_.model_name;
    result_.motion.joint_names = before_.joint_names;
    result_.motion.rate_hz = rate();
    const bool full = result_.report.rate_min >= 1.0 - kFull;
    if (full && !options_.rate_hz) {
      keep_frames();
    } else {
      sample();
    }
    std::vector<Time> stamps;
    for (const State& state : before_.states) stamps.push_back(state.t);
    result_.motion.contacts = contacts_at(before_.contacts, stamps, result_.from);
    return std::move(result_);
  }

 private:
  [[nodiscard]] double rate() const {
    if (options_.rate_hz) return *options_.rate_hz;
    if (before_.rate_hz > 0.0) return before_.rate_hz;
    return static_cast<double>(before_.states.size() - 1) / curves_.duration();
  }
  [[nodiscard]] Time stamp(double path_time) const {
    return before_.states.front().t + from_seconds(path_time);
  }

  void choose_timing() {
    const UniformRate uniform = uniform_rate(curves_, limits_);
    result_.report.joint = uniform.joint;
    result_.report.joint_at = stamp(uniform.time);
    result_.report.by_acceleration = uniform.acceleration;
    timing_ = PathTiming(curves_.duration(), uniform.rate);
    if (options_.law == TimeLaw::Uniform) return;
    PathTiming optimal(curves_, limits_);
    // rounding, or a grid too coarse for the path; but a uniform time law may not rest at its ends
    if (timing_.duration() < optimal.duration() && at_rest()) return;
    timing_ = std::move(optimal);
    result_.report.law = TimeLaw::Optimal;
    blame();
  }

  // The limiting joint at one instant.
  struct Bound {
    int joint = -1;
    bool acceleration = false;
    double used = 0.0;  // share of the limit
  };
  [[nodiscard]] Bound bound_at(const PathPoint& here) {
    const int k = curves_.interval(here.u);
    curves_.at_share(
        k, std::clamp((here.u - curves_.time(k)) / (curves_.time(k + 1) - curves_.time(k)), 0.0, 1.0),
        point_);
    Bound most;
    for (int i = 0; i < model_.dof(); ++i) {
      const double speed = std::abs(point_.dq[i]) * here.rate / limits_.speed[i];
      const double acceleration =
          std::abs(point_.dq[i] * here.rate_dot + point_.ddq[i] * here.rate * here.rate) /
          limits_.acceleration[i];
      if (speed > most.used) most = {i, false, speed};
      if (acceleration > most.used) most = {i, true, acceleration};
    }
    return most;
  }

  // Finds the joint that cost most of the added time, and where the motion is slowest for it.
  void blame() {
    const std::vector<double>&u = timing_.grid(), &t = timing_.times();
    VectorXd added = VectorXd::Zero(model_.dof());
    double slowest = 1.0;
    std::vector<Bound> bounds(at(timing_.cells()));
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      const double lost = (t[c + 1] - t[c]) - (u[c + 1] - u[c]);
      if (lost <= kFull) continue;
      bounds[c] = bound_at(timing_.at(0.5 * (t[c] + t[c + 1])));
      if (bounds[c].joint >= 0) added[bounds[c].joint] += lost;
    }
    Eigen::Index most = 0;
    if (model_.dof() == 0 || !(added.maxCoeff(&most) > 0.0)) return;
    result_.report.joint = static_cast<int>(most);
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      const double pace = (u[c + 1] - u[c]) / (t[c + 1] - t[c]);
      if (bounds[c].joint != most || pace >= slowest) continue;
      slowest = pace;
      result_.report.joint_at = stamp(0.5 * (u[c] + u[c + 1]));
      result_.report.by_acceleration = bounds[c].acceleration;
    }
  }

  // Returns true when the path itself is at rest where the motion must be.
  [[nodiscard]] bool at_rest() const {
    return !options_.rest_at_ends ||
           !(moves_at_end(curves_, limits_, 0) || moves_at_end(curves_, limits_, 1));
  }

  void report() {
    TimeScalingReport& report = result_.report;
    report.before = curves_.duration();
    report.after = timing_.duration();
    report.scale = report.before / report.after;
    report.stretch = report.after / report.before;
    const auto slowest = inner_slowest();
    report.rate_min = timing_.rates()[slowest];
    report.slowest_at = stamp(timing_.grid()[slowest]);
    for (int i = 0; i < model_.dof(); ++i) {
      const CurvePeak peak = curves_.peak_speed(i);
      if (peak.value > limits_.speed[i])
        report.fast.push_back({i, peak.value, limits_.speed[i], stamp(peak.time)});
    }
  }

  // at the ends it may rest
  [[nodiscard]] std::size_t inner_slowest() const {
    const std::vector<double>& rates = timing_.rates();
    if (rates.size() < 3) return 0;
    return static_cast<std::size_t>(std::min_element(rates.begin() + 1, rates.end() - 1) - rates.begin());
  }

  void keep_frames() {
    result_.motion.states = before_.states;
    for (const State& state : before_.states) result_.from.push_back(state.t);
    for (int k = 0; k < curves_.samples(); ++k) {
      State& state = result_.motion.states[at(k)];
      const bool last = k + 1 == curves_.samples();
      curves_.at_share(last ? k - 1 : k, last ? 1.0 : 0.0, point_);
      state.sdot = point_.dq.head(model_.dof());
    }
  }

  void sample() {
    const double frames = std::ceil(timing_.duration() * rate() - kSameFrame);
    const double most =
        std::min(kMostFrames, kFreeFrames + kFramesEach * static_cast<double>(before_.states.size()));
    if (!(frames <= most))
      throw ConfigError("time scaling: the slowed motion would last " + digits(timing_.duration(), 4) +
                        " s at " + digits(rate(), 6) + " Hz, more than " + digits(most, 7) + " frames" +
                        slowest_joint());
    const auto last = static_cast<std::int64_t>(frames);
    // A motion that does not end at rest is slowed slightly so that it ends on a frame; else it would stop
    // within the last one.
    double slower = 1.0;
    if (timing_.rates().back() > 0.0 && moves_at_end(curves_, limits_, 1))
      slower = std::min(1.0, timing_.duration() * rate() / frames);
    for (std::int64_t k = 0; k <= last; ++k) {
      const double t = to_seconds(frame_time(k, rate())) * slower;
      // after its end the path is at rest
      const bool over = t > timing_.duration() + kSameFrame / rate();
      PathPoint here = timing_.at(k == last ? timing_.duration() : t);
      here.rate *= over ? 0.0 : slower;
      result_.from.push_back(stamp(here.u));
      result_.motion.states.push_back(state_at(here, before_.states.front().t + frame_time(k, rate())));
    }
  }

  [[nodiscard]] std::string slowest_joint() const {
    if (result_.report.joint < 0) return "";
    return "; joint '" + model_.joint_names()[at(result_.report.joint)] + "' exceeds its limit most";
  }

  State state_at(const PathPoint& here, Time t) {
    const int k = curves_.interval(here.u), dof = model_.dof();
    const double share =
        std::clamp((here.u - curves_.time(k)) / (curves_.time(k + 1) - curves_.time(k)), 0.0, 1.0);
    curves_.at_share(k, share, point_);
    const State &a = before_.states[at(k)], &b = before_.states[at(k + 1)];
    State state = a;
    interpolate(a, b, a.t + static_cast<Time>(std::llround(share * static_cast<double>(b.t - a.t))), state);
    state.t = t;
    // clamped: rounding
    for (int i = 0; i < dof; ++i)
      state.s[i] = std::clamp(point_.q[i], std::min({model_.lower()[i], a.s[i], b.s[i]}),
                              std::max({model_.upper()[i], a.s[i], b.s[i]}));
    state.sdot = here.rate * point_.dq.head(dof);
    state.p_WB = point_.q.tail<3>();
    state.v_WB = here.rate * point_.dq.tail<3>();
    state.w_WB *= here.rate;
    return state;
  }

  const Motion& before_;
  const Model& model_;
  const TimeScalingOptions& options_;
  JointCurves curves_;
  PathLimits limits_;
  PathTiming timing_;
  JointCurvePoint point_;
  TimeScaledMotion result_;
};

}  // namespace

TimeScaledMotion scale_time(const Motion& motion, const Model& model, const TimeScalingOptions& options) {
  check(motion, model, options);
  if (motion.states.size() < 2) {
    TimeScaledMotion still{motion, {}, {}};
    for (State& state : still.motion.states) {
      still.from.push_back(state.t);
      state.sdot.setZero();
      state.v_WB.setZero();
      state.w_WB.setZero();
    }
    return still;
  }
  return TimeScaler(motion, model, options).scale();
}

}  // namespace panto
