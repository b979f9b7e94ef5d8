#include "panto/motion/smoothing.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/speed_limit.hpp"
#include "panto/motion/low_pass.hpp"

namespace panto {
namespace {

using detail::LowPass;
using detail::mean_step;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kTight = 1e-10;       // relative excess over a limit that is tolerated
constexpr double kEven = 2.5e-9;       // [s], because stamps are rounded to the nanosecond
constexpr double kLowestCutoff = 0.1;  // [Hz]
constexpr int kMostSteps = 10'000;     // of the low-pass: 0.5 Hz at 267 frames/s, 8 Hz at 4270
constexpr int kStepsBetween = 4;       // steps of the mean between checks of the limits
constexpr int kPatience = 12;          // checks without success before neighbourhoods grow
constexpr double kGrowth = 1.3;        // factor by which they grow
constexpr int kFirstReach = 4;         // frames around a violation that are smoothed at first
constexpr double kNarrow = 0.033;  // [s] the same where all joints are smoothed together, two frames at least
constexpr int kMostLooks = 20000;  // then the straight line ends the search

// Frames between two cuts.
struct Part {
  int first, last;
  double dt;
  [[nodiscard]] int size() const { return last - first + 1; }
};

// The first frame that does not come as long after its neighbour as the middle one of all.
int odd_frame(const Motion& motion, const Part& part) {
  const auto since = [&](int k) { return motion.states[at(k)].t - motion.states[at(k - 1)].t; };
  std::vector<Time> all;
  for (int k = part.first + 1; k <= part.last; ++k) all.push_back(since(k));
  std::nth_element(all.begin(), all.begin() + std::ssize(all) / 2, all.end());
  const Time usual = all[all.size() / 2];
  int k = part.first + 1;
  while (k < part.last && usual > 0 && std::abs(to_seconds(since(k) - usual)) <= kEven) ++k;
  return k;
}

std::vector<Part> parts_of(const Motion& motion, const std::vector<int>& cuts) {
  const int count = static_cast<int>(motion.states.size());
  std::vector<int> starts{0};
  starts.insert(starts.end(), cuts.begin(), cuts.end());
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  if (starts.front() < 0 || (count > 0 && starts.back() >= count))
    throw ConfigError("smoothing: a cut at frame " +
                      std::to_string(starts.front() < 0 ? starts.front() : starts.back()) +
                      " lies outside the motion, which has " + counted(count, "frame"));
  std::vector<Part> parts;
  for (std::size_t i = 0; i < starts.size() && count > 0; ++i) {
    Part part{starts[i], i + 1 < starts.size() ? starts[i + 1] - 1 : count - 1, 0.0};
    const auto time = [&](int k) { return to_seconds(motion.states[at(k)].t); };
    if (part.size() > 1) part.dt = (time(part.last) - time(part.first)) / (part.size() - 1);
    for (int k = part.first + 1; k <= part.last; ++k) {
      const double off = std::abs(time(k) - time(k - 1) - part.dt);
      if (!(part.dt > 0.0) || off > kEven)
        throw ConfigError("smoothing: the stamps are not evenly spaced at frame " +
                          std::to_string(odd_frame(motion, part)) + "; resample first");
    }
    parts.push_back(part);
  }
  return parts;
}

// A low-pass takes as many steps as its width in frames squared.
void check_width(const std::vector<Part>& parts, double cutoff_hz) {
  for (const Part& part : parts)
    if (part.size() > 2 && LowPass(cutoff_hz, part.dt).steps > kMostSteps)
      throw ConfigError(
          "smoothing: at " + digits(1.0 / part.dt, 6) + " frames/s a cut-off of " + digits(cutoff_hz, 3) +
          " Hz spans more than 70 frames; correct the frame time if it is wrong, else resample first or "
          "raise the cut-off");
}

void check(const Motion& motion, const Model& model, const SmoothingOptions& o) {
  if (!(o.cutoff_hz >= kLowestCutoff))
    throw ConfigError("smoothing: the cut-off must be at least " + decimals(kLowestCutoff, 1) + " Hz");
  for (const double value : {o.speed_limit, o.max_acceleration, o.max_jerk})
    if (!(value > 0.0)) throw ConfigError("smoothing: limits must be > 0");
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    if (!is_valid(motion.states[k], model))
      throw ModelError("smoothing: the state of frame " + std::to_string(k) +
                       " does not fit the model or is not finite");
}

// Joints that share coupled rows, directly or through others, move with the same weights.
std::vector<std::vector<int>> groups_of(const Model& model) {
  std::vector<int> group(at(model.dof()));
  std::iota(group.begin(), group.end(), 0);
  for (const CoupledRow& row : model.rows()) {
    if (row.terms.empty()) continue;
    const int keep = group[at(model.joint_index(row.terms.front().joint))];
    for (const CoupledRow::Term& term : row.terms) {
      const int gone = group[at(model.joint_index(term.joint))];
      std::replace(group.begin(), group.end(), gone, keep);
    }
  }
  std::vector<std::vector<int>> groups;
  for (int i = 0; i < model.dof(); ++i) {
    std::vector<int> members;
    for (int j = 0; j < model.dof(); ++j)
      if (group[at(j)] == i) members.push_back(j);
    if (!members.empty()) groups.push_back(std::move(members));
  }
  return groups;
}

// Limits of the first, second and third differences of one joint.
using Differences = std::array<double, 3>;

// Joints that move together, over one part.
class Group {
 public:
  Group(std::vector<std::vector<double>> x, std::vector<Differences> limits)
      : x_(std::move(x)), limits_(std::move(limits)), frames_(x_.front().size()) {
    touched_.assign(frames_, 0);
  }

  [[nodiscard]] std::vector<std::vector<double>>& joints() { return x_; }
  [[nodiscard]] std::int64_t touched() const {
    return std::count(touched_.begin(), touched_.end(), 1) * static_cast<std::int64_t>(x_.size());
  }

  // Takes steps around frames that exceed a limit until none does. This ends: no step raises the largest
  // speed, and endless smoothing would leave the straight line from end to end. Returns whether it took any.
  bool enforce_limits(double reach = kFirstReach) {
    int look = 1;
    for (; mark(); ++look) {
      if (look > kMostLooks) {
        straighten();
        return true;
      }
      const std::vector<double> weight = weights(reach);
      for (int i = 0; i < std::max(kStepsBetween, static_cast<int>(reach)); ++i)
        for (std::vector<double>& joint : x_) mean_step(joint, weight);
      if (look % kPatience == 0) reach = std::min(kGrowth * reach, static_cast<double>(frames_));
    }
    return look > 1;
  }

 private:
  // Marks the frames of differences that are too large; false when there is none.
  bool mark() {
    marked_.assign(frames_, 0);
    bool any = false;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const std::vector<double>& x = x_[i];
      const auto judge = [&](std::size_t k, std::size_t order, double difference) {
        if (!(std::abs(difference) > limits_[i][order - 1] * (1.0 + kTight))) return;
        std::fill(marked_.begin() + static_cast<std::ptrdiff_t>(k),
                  marked_.begin() + static_cast<std::ptrdiff_t>(k + order + 1),
                  static_cast<unsigned char>(1));
        any = true;
      };
      for (std::size_t k = 0; k + 1 < frames_; ++k) {
        judge(k, 1, x[k + 1] - x[k]);
        if (k + 2 < frames_) judge(k, 2, (x[k + 2] - x[k + 1]) - (x[k + 1] - x[k]));
        if (k + 3 < frames_) judge(k, 3, (x[k + 3] - x[k]) - 3.0 * (x[k + 2] - x[k + 1]));
      }
    }
    return any;
  }

  // Gives full weight to marked frames, falling to zero at distance `reach`.
  [[nodiscard]] std::vector<double> weights(double reach) {
    std::vector<double> weight(frames_, 0.0), away(frames_, kInfinity);
    double last = -kInfinity;
    const auto visit = [&](std::size_t k) {
      const auto here = static_cast<double>(k);
      if (marked_[k] != 0) last = here;
      away[k] = std::min(away[k], std::abs(here - last));
    };
    for (std::size_t k = 0; k < frames_; ++k) visit(k);
    last = kInfinity;
    for (std::size_t k = frames_; k-- > 0;) visit(k);
    for (std::size_t k = 0; k < frames_; ++k) {
      if (away[k] > reach) continue;
      weight[k] = 0.5 * detail::kMeanStep * (1.0 + sincos(std::numbers::pi * away[k] / (reach + 1.0)).cos);
      touched_[k] = 1;
    }
    return weight;
  }

  void straighten() {
    for (std::vector<double>& x : x_) {
      const double from = x.front(), step = (x.back() - from) / static_cast<double>(frames_ - 1);
      for (std::size_t k = 1; k + 1 < frames_; ++k) x[k] = from + step * static_cast<double>(k);
    }
    touched_.assign(frames_, 1);
  }

  std::vector<std::vector<double>> x_;
  std::vector<Differences> limits_;
  std::size_t frames_;
  std::vector<unsigned char> marked_, touched_;
};

// Smooths a motion.
class Smoother {
 public:
  Smoother(const Motion& motion, const Model& model, const SmoothingOptions& options)
      : model_(model), options_(options), before_(motion), result_{motion, {}} {}

  SmoothedMotion smooth() {
    clamp_all();
    const std::vector<std::vector<int>> groups = groups_of(model_);
    std::int64_t touched = 0;
    const std::vector<Part> parts = parts_of(before_, options_.cuts);
    check_width(parts, options_.cutoff_hz);
    for (const Part& part : parts) {
      if (part.size() > 2) {
        for (const std::vector<int>& group : groups) touched += smooth_joints(part, group);
        if (options_.base && model_.floating_base()) smooth_base(part);
        if (options_.together) touched += enforce_together(part);
      }
      set_velocities(part);
    }
    const auto all = static_cast<double>(before_.states.size()) * model_.dof();
    if (all > 0.0) result_.report.limited_share = static_cast<double>(touched) / all;
    compare();
    return std::move(result_);
  }

 private:
  [[nodiscard]] State& state(int k) { return result_.motion.states[at(k)]; }

  void clamp_all() {
    for (State& s : result_.motion.states) {
      for (int i = 0; i < model_.dof(); ++i) {
        const double inside = std::clamp(s.s[i], model_.lower()[i], model_.upper()[i]);
        if (inside != s.s[i]) ++result_.report.clamped;
        s.s[i] = inside;
      }
    }
  }

  [[nodiscard]] Differences limits_of(int joint, const Part& part) {
    double speed = speed_limit_of(model_, joint, options_.speed_limit) * part.dt;
    const double needed =
        std::abs(state(part.last).s[joint] - state(part.first).s[joint]) / (part.size() - 1);
    if (needed > speed * (1.0 + kTight)) {
      result_.report.notes.push_back(
          model_.joint_names()[at(joint)] + " needs more than its speed limit from frame " +
          std::to_string(part.first) + " to " + std::to_string(part.last) + ": " +
          decimals(needed / part.dt, 2) + " on average; its speed is not limited there");
      speed = kInfinity;
    }
    return {speed, options_.max_acceleration * part.dt * part.dt,
            options_.max_jerk * part.dt * part.dt * part.dt};
  }

  std::int64_t smooth_joints(const Part& part, const std::vector<int>& group) {
    const LowPass low_pass(options_.cutoff_hz, part.dt);
    std::vector<std::vector<double>> x;
    std::vector<Differences> limits;
    for (const int joint : group) {
      x.emplace_back();
      for (int k = part.first; k <= part.last; ++k) x.back().push_back(state(k).s[joint]);
      low_pass.apply(x.back());
      limits.push_back(limits_of(joint, part));
    }
    Group joints(std::move(x), std::move(limits));
    if (!options_.together) joints.enforce_limits();
    for (std::size_t i = 0; i < group.size(); ++i) {
      const int joint = group[i];
      for (int k = part.first + 1; k < part.last; ++k)  // clamped: rounding
        state(k).s[joint] =
            std::clamp(joints.joints()[i][at(k - part.first)], model_.lower()[joint], model_.upper()[joint]);
    }
    return joints.touched();
  }

  // The numbers of a base's pose that are averaged: place and quaternion.
  static constexpr int kBase = 7;

  // Enforces the limits on all joints with the base.
  std::int64_t enforce_together(const Part& part) {
    const int dof = model_.dof();
    std::vector<std::vector<double>> x(at(dof + kBase));
    std::vector<Differences> limits;
    for (int j = 0; j < dof; ++j) limits.push_back(limits_of(j, part));
    limits.resize(x.size(), {kInfinity, kInfinity, kInfinity});
    Eigen::Vector4d before = Eigen::Vector4d::Zero();
    for (int k = part.first; k <= part.last; ++k) {
      Eigen::Vector4d q = Eigen::Quaterniond(state(k).R_WB).coeffs();
      if (q.dot(before) < 0.0) q = -q;
      before = q;
      for (int j = 0; j < dof; ++j) x[at(j)].push_back(state(k).s[j]);
      for (int i = 0; i < 3; ++i) x[at(dof + i)].push_back(state(k).p_WB[i]);
      for (int i = 0; i < 4; ++i) x[at(dof + 3 + i)].push_back(q[i]);
    }
    Group all(std::move(x), std::move(limits));
    if (!all.enforce_limits(std::max(2.0, std::round(kNarrow / part.dt)))) return 0;
    for (int k = part.first + 1; k < part.last; ++k) {
      const auto number = [&](int i) { return all.joints()[at(i)][at(k - part.first)]; };
      for (int j = 0; j < dof; ++j)  // clamped: rounding
        state(k).s[j] = std::clamp(number(j), model_.lower()[j], model_.upper()[j]);
      if (!model_.floating_base()) continue;
      for (int i = 0; i < 3; ++i) state(k).p_WB[i] = number(dof + i);
      const Eigen::Vector4d q(number(dof + 3), number(dof + 4), number(dof + 5), number(dof + 6));
      state(k).R_WB = Eigen::Quaterniond(q.normalized()).toRotationMatrix();
    }
    return all.touched() - all.touched() / (dof + kBase) * kBase;
  }

  void smooth_base(const Part& part) {
    const LowPass low_pass(options_.cutoff_hz, part.dt);
    std::vector<double> x(at(part.size()));
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = part.first; k <= part.last; ++k) x[at(k - part.first)] = state(k).p_WB[axis];
      low_pass.apply(x);
      for (int k = part.first; k <= part.last; ++k) state(k).p_WB[axis] = x[at(k - part.first)];
    }
    std::vector<Matrix3d> R;
    for (int k = part.first; k <= part.last; ++k) R.push_back(state(k).R_WB);
    low_pass.apply(R);
    for (int k = part.first; k <= part.last; ++k) state(k).R_WB = R[at(k - part.first)];
  }

  void set_velocities(const Part& part) {
    for (int k = part.first; k <= part.last; ++k) {
      const int a = std::max(k - 1, part.first), b = std::min(k + 1, part.last);
      State& now = state(k);
      const double share = b > a ? 1.0 / ((b - a) * part.dt) : 0.0;
      now.sdot = share * (state(b).s - state(a).s);
      now.v_WB = share * (state(b).p_WB - state(a).p_WB);
      now.w_WB = share * so3::log(state(b).R_WB * state(a).R_WB.transpose());
    }
  }

  void compare() {
    SmoothingReport& report = result_.report;
    double joints = 0.0, base = 0.0, turn = 0.0;
    std::int64_t count = 0;
    for (std::size_t k = 0; k < before_.states.size(); ++k) {
      const State &a = before_.states[k], &b = result_.motion.states[k];
      for (int i = 0; i < model_.dof(); ++i) {
        if (model_.joint(i).type != JointType::Revolute) continue;
        const double change = std::abs(b.s[i] - a.s[i]);
        joints += change * change;
        ++count;
        report.joint_change_max_rad = std::max(report.joint_change_max_rad, change);
      }
      const double moved = (b.p_WB - a.p_WB).norm(), turned = so3::distance(a.R_WB, b.R_WB);
      base += moved * moved;
      turn += turned * turned;
      report.base_change_max_m = std::max(report.base_change_max_m, moved);
      report.base_turn_max_rad = std::max(report.base_turn_max_rad, turned);
    }
    const double frames = std::max(1.0, static_cast<double>(before_.states.size()));
    if (count > 0) report.joint_change_rms_rad = std::sqrt(joints / static_cast<double>(count));
    report.base_change_rms_m = std::sqrt(base / frames);
    report.base_turn_rms_rad = std::sqrt(turn / frames);
  }

  const Model& model_;
  const SmoothingOptions& options_;
  const Motion& before_;
  SmoothedMotion result_;
};

}  // namespace

SmoothedMotion smooth_motion(const Motion& motion, const Model& model, const SmoothingOptions& options) {
  check(motion, model, options);
  return Smoother(motion, model, options).smooth();
}

}  // namespace panto
