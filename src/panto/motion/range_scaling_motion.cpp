// Scales all joints of a motion: limits shared through mimics and rows, and coupled rows.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/motion/range_scaling.hpp"

namespace panto {
namespace {

constexpr double kRounding = 1e-9;  // [rad], [m] beyond a limit: moved inside without a note

bool is_swing(const ScaledSwing& swing) { return std::abs(swing.before - swing.after) > kRounding; }

using Eigen::VectorXd;

constexpr double kRowMet = 1e-9;  // a row is violated by more than this share of its largest term
constexpr int kRounds = 20;       // of rows and boxes alternating

// joint = multiplier * source + offset; `source` is not a mimic
struct Follower {
  int joint, source;
  double multiplier, offset;
};

// A coupled row over joints that are not mimics.
struct Row {
  int index;  // in the model's rows
  std::vector<std::pair<int, double>> terms;
  double lower, upper, norm2;

  [[nodiscard]] double value(const VectorXd& s) const {
    double sum = 0.0;
    for (const auto& [joint, coefficient] : terms) sum += coefficient * s[joint];
    return sum;
  }
  // by how much `s` is outside; 0 up to rounding
  [[nodiscard]] double violation(const VectorXd& s) const {
    double largest = 1.0;
    for (const auto& [joint, coefficient] : terms)
      largest = std::max(largest, std::abs(coefficient * s[joint]));
    const double y = value(s), out = std::max(lower - y, y - upper);
    return out > kRowMet * largest ? out : 0.0;
  }
};

struct Group {
  std::vector<Row> rows;
  std::vector<int> joints;
};

// Limits of a model's joints beside their boxes.
class JointGroups {
 public:
  JointGroups(const Model& model, const std::vector<std::string>& joints)
      : chosen(at(model.dof()), joints.empty()), lower(model.lower()), upper(model.upper()) {
    for (const std::string& name : joints) chosen[at(model.joint_index(name))] = true;
    take_mimics(model);
    take_rows(model);
  }

  std::vector<bool> chosen;
  VectorXd lower, upper;            // a source includes those of its mimics
  std::vector<Follower> followers;  // of selected sources
  std::vector<Group> groups;

 private:
  void tighten(int joint, double coefficient, double low, double high, const std::string& owner) {
    if (coefficient == 0.0) return;
    double a = low / coefficient, b = high / coefficient;
    if (coefficient < 0.0) std::swap(a, b);
    lower[joint] = std::max(lower[joint], a);
    upper[joint] = std::min(upper[joint], b);
    if (lower[joint] > upper[joint])
      throw ConfigError("range scaling: " + owner +
                        " conflicts with the limits of its joint: no value is inside all of them");
  }

  void take_mimics(const Model& model) {
    for (const Mimic& mimic : model.spec().mimics) {
      Follower f{model.joint_index(mimic.joint), model.joint_index(mimic.source), mimic.multiplier,
                 mimic.offset};
      // a mimic of a mimic; more steps than mimics would be a cycle
      for (std::size_t step = 0; step < model.spec().mimics.size(); ++step) {
        const auto next =
            std::find_if(model.spec().mimics.begin(), model.spec().mimics.end(),
                         [&](const Mimic& m) { return m.joint == model.joint_names()[at(f.source)]; });
        if (next == model.spec().mimics.end()) break;
        f.source = model.joint_index(next->source);
        f.offset += f.multiplier * next->offset;
        f.multiplier *= next->multiplier;
      }
      chosen[at(f.joint)] = false;  // follows its source
      if (!chosen[at(f.source)]) continue;
      followers.push_back(f);
      tighten(f.source, f.multiplier, model.lower()[f.joint] - f.offset, model.upper()[f.joint] - f.offset,
              "mimic '" + mimic.joint + "'");
    }
  }

  void take_rows(const Model& model) {
    std::vector<Row> rows;
    for (std::size_t r = 0; r < model.spec().rows.size(); ++r) {
      const CoupledRow& given = model.spec().rows[r];
      Row row{static_cast<int>(r), {}, given.lower, given.upper, 0.0};
      VectorXd sum = VectorXd::Zero(model.dof());
      bool all = true;
      for (const CoupledRow::Term& term : given.terms)
        all = add(model.joint_index(term.joint), term.coefficient, row, sum) && all;
      for (int i = 0; i < model.dof(); ++i) {
        if (sum[i] == 0.0) continue;
        row.terms.emplace_back(i, sum[i]);
        row.norm2 += sum[i] * sum[i];
      }
      if (!all || row.terms.empty()) continue;
      if (row.terms.size() == 1) {
        tighten(row.terms[0].first, row.terms[0].second, row.lower, row.upper, "row '" + given.name + "'");
      } else {
        rows.push_back(std::move(row));
      }
    }
    group(model, rows);
  }

  // Replaces a mimic's term by one of its source. False: the joint is not selected.
  bool add(int joint, double coefficient, Row& row, VectorXd& sum) const {
    for (const Follower& f : followers) {
      if (f.joint != joint) continue;
      row.lower -= coefficient * f.offset;
      row.upper -= coefficient * f.offset;
      sum[f.source] += coefficient * f.multiplier;
      return true;
    }
    sum[joint] += coefficient;
    return chosen[at(joint)];
  }

  // rows that share joints, directly or through others
  void group(const Model& model, const std::vector<Row>& rows) {
    std::vector<int> label(at(model.dof()));
    std::iota(label.begin(), label.end(), 0);
    for (const Row& row : rows) {
      for (const auto& term : row.terms) {
        const int gone = label[at(term.first)], keep = label[at(row.terms.front().first)];
        std::replace(label.begin(), label.end(), gone, keep);
      }
    }
    for (int i = 0; i < model.dof(); ++i) {
      Group members;
      for (const Row& row : rows)
        if (label[at(row.terms.front().first)] == i) members.rows.push_back(row);
      for (int j = 0; j < model.dof(); ++j)
        if (label[at(j)] == i) members.joints.push_back(j);
      if (!members.rows.empty()) groups.push_back(std::move(members));
    }
  }
};

// Scales a motion.
class MotionScaler {
 public:
  MotionScaler(const Motion& motion, const Model& model, const RangeScalingOptions& options,
               const std::vector<std::string>& joints)
      : model_(model), options_(options), before_(motion), groups_(model, joints), result_{motion, {}} {}

  RangeScaledMotion scale() {
    for (const State& state : before_.states) t_.push_back(state.t);
    for (int i = 0; i < model_.dof(); ++i)
      if (groups_.chosen[at(i)]) scale_joint(i);
    for (const Group& group : groups_.groups) enforce_limits(group);
    follow();
    compare();
    return std::move(result_);
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(t_.size()); }
  [[nodiscard]] State& state(int k) { return result_.motion.states[at(k)]; }
  [[nodiscard]] const std::string& name_of(const Row& row) const {
    return model_.spec().rows[at(row.index)].name;
  }

  [[nodiscard]] ScaledRange scaled(double lower, double upper, const std::string& what) const {
    try {
      return scale_range(t_, q_, lower, upper, options_);
    } catch (const ConfigError& error) {
      throw ConfigError(what + ": " + error.what());
    }
  }

  void scale_joint(int joint) {
    q_.clear();
    for (const State& s : result_.motion.states) q_.push_back(s.s[joint]);
    const ScaledRange range =
        scaled(groups_.lower[joint], groups_.upper[joint], "joint '" + model_.joint_names()[at(joint)] + "'");
    if (range.swings.empty()) return;
    for (int k = 0; k < size(); ++k) {
      state(k).s[joint] = range.q[at(k)];
      state(k).sdot[joint] *= range.factor[at(k)];
    }
    for (const ScaledSwing& swing : range.swings)
      if (is_swing(swing)) result_.report.swings.push_back({swing, joint});
  }

  // Scales the row's sum like a joint and distributes the change to the joints by their coefficients, the
  // nearest such change. The combined step of these joints does not grow.
  void scale_row(const Row& row) {
    q_.clear();
    for (const State& s : result_.motion.states) q_.push_back(row.value(s.s));
    const ScaledRange range = scaled(row.lower, row.upper, "row '" + name_of(row) + "'");
    for (int k = 0; k < size(); ++k) {
      const double change = (range.q[at(k)] - q_[at(k)]) / row.norm2;
      const double slower = (range.factor[at(k)] - 1.0) * row.value(state(k).sdot) / row.norm2;
      if (change == 0.0 && slower == 0.0) continue;
      for (const auto& [joint, coefficient] : row.terms) {
        state(k).s[joint] += coefficient * change;
        state(k).sdot[joint] += coefficient * slower;
      }
    }
    for (const ScaledSwing& swing : range.swings)
      if (is_swing(swing)) result_.report.rows.push_back({swing, row.index});
  }

  // mimics that do not already match their sources
  void follow() {
    for (const Follower& f : groups_.followers) {
      for (State& s : result_.motion.states) {
        const double there = f.multiplier * s.s[f.source] + f.offset;
        if (std::abs(there - s.s[f.joint]) <= kRowMet) continue;
        s.s[f.joint] = std::clamp(there, model_.lower()[f.joint], model_.upper()[f.joint]);  // rounding
        s.sdot[f.joint] = f.multiplier * s.sdot[f.source];
      }
    }
  }

  [[nodiscard]] int first_violated(const Row& row, int from) {
    for (int k = from; k < size(); ++k)
      if (row.violation(state(k).s) > 0.0) return k;
    return -1;
  }

  // Alternates rows and boxes until all hold; pulls violations left in a corner between them inside.
  void enforce_limits(const Group& group) {
    for (int round = 0; round < kRounds; ++round) {
      bool any = false;
      for (const Row& row : group.rows) {
        const int k = first_violated(row, 0);
        if (k < 0) continue;
        if (row.lower == row.upper)
          throw ConfigError("range scaling: row '" + name_of(row) +
                            "' fixes a sum of joints, and the sum is wrong in frame " + std::to_string(k) +
                            (row.violation(before_.states[at(k)].s) > 0.0
                                 ? "; solve with limits on"
                                 : " after its joints are moved into their limits; solve with limits on"));
        any = true;
        scale_row(row);
        for (const auto& term : row.terms) scale_joint(term.first);
      }
      if (!any) return;
    }
    for (int k = 0; k < size(); ++k)
      if (violated(group, k)) k = pull(group, k);
  }

  [[nodiscard]] bool violated(const Group& group, int k) {
    return std::any_of(group.rows.begin(), group.rows.end(),
                       [&](const Row& row) { return row.violation(state(k).s) > 0.0; });
  }

  // Returns the pose towards which joints of a group are pulled: the rest pose.
  [[nodiscard]] VectorXd inside_pose(const Group& group) const {
    VectorXd pose = model_.rest();
    for (int i = 0; i < model_.dof(); ++i) pose[i] = std::clamp(pose[i], groups_.lower[i], groups_.upper[i]);
    for (const Row& row : group.rows)
      if (row.violation(pose) > 0.0)
        throw ConfigError(
            "range scaling: rows of coupled joints are violated and cannot be mended: the rest pose of '" +
            model_.name() + "' violates row '" + name_of(row) + "'");
    return pose;
  }

  // Returns the share of the way from `pose`, which meets all rows, to `s` that still meets them.
  [[nodiscard]] static double reach(const Group& group, const VectorXd& pose, const VectorXd& s) {
    double g = 1.0;
    for (const Row& row : group.rows) {
      if (row.violation(s) == 0.0) continue;
      const double from = row.value(pose), to = row.value(s);
      const double bound = to > row.upper ? row.upper : row.lower;
      g = std::min(g, std::clamp((bound - from) / (to - from), 0.0, 1.0));
    }
    return g;
  }

  // Pulls one stretch from its first violated frame on, including those that follow so soon that blends would
  // meet. Returns its last changed frame.
  int pull(const Group& group, int begin) {
    int end = begin;
    const auto apart = [&](int a, int b) { return to_seconds(t_[at(b)] - t_[at(a)]); };
    for (int k = begin + 1; k < size() && apart(end, k) <= 2.0 * options_.row_blend; ++k)
      if (violated(group, k)) end = k;
    const VectorXd pose = inside_pose(group);
    PulledJoints pulled{group.joints, begin, end, 1.0};
    for (int k = begin; k <= end; ++k)
      pulled.factor = std::min(pulled.factor, reach(group, pose, state(k).s));
    while (pulled.first > 0 && apart(pulled.first - 1, begin) < options_.row_blend) --pulled.first;
    while (pulled.last + 1 < size() && apart(end, pulled.last + 1) < options_.row_blend) ++pulled.last;
    for (int k = pulled.first; k <= pulled.last; ++k) {
      const double away = k < begin ? -apart(k, begin) : k > end ? apart(end, k) : 0.0;
      move(group.joints, pose, state(k), pulled.factor, away);
    }
    result_.report.pulled.push_back(pulled);
    return pulled.last;
  }

  // Computes s = pose + g (s - pose); `away` [s] from the stretch, negative before it, g returns to 1 with
  // continuous accelerations.
  void move(const std::vector<int>& joints, const VectorXd& pose, State& s, double factor,
            double away) const {
    const double u = options_.row_blend > 0.0 ? std::min(std::abs(away) / options_.row_blend, 1.0) : 0.0;
    const double g = factor + (1.0 - factor) * u * u * u * (10.0 + u * (6.0 * u - 15.0));
    double rate = 0.0;
    if (u > 0.0) {
      rate = (1.0 - factor) * 30.0 * u * u * (1.0 - u) * (1.0 - u) / options_.row_blend;
      if (away < 0.0) rate = -rate;
    }
    for (const int i : joints) {
      const double off = s.s[i] - pose[i];
      s.s[i] = std::clamp(pose[i] + g * off, model_.lower()[i], model_.upper()[i]);  // rounding
      s.sdot[i] = g * s.sdot[i] + rate * off;
    }
  }

  void compare() {
    const auto earlier = [](const JointSwing& a, const JointSwing& b) {
      return std::tie(a.joint, a.first) < std::tie(b.joint, b.first);
    };
    std::stable_sort(result_.report.swings.begin(), result_.report.swings.end(), earlier);
    std::int64_t changed = 0;
    for (int k = 0; k < size(); ++k) {
      for (int i = 0; i < model_.dof(); ++i) {
        const double change = std::abs(state(k).s[i] - before_.states[at(k)].s[i]);
        if (change > 0.0) ++changed;
        result_.report.change_max = std::max(result_.report.change_max, change);
      }
    }
    const double all = static_cast<double>(size()) * model_.dof();
    if (all > 0.0) result_.report.scaled_share = static_cast<double>(changed) / all;
  }

  const Model& model_;
  const RangeScalingOptions& options_;
  const Motion& before_;
  JointGroups groups_;
  std::vector<Time> t_;
  std::vector<double> q_;
  RangeScaledMotion result_;
};

}  // namespace

RangeScaledMotion scale_range(const Motion& motion, const Model& model, const RangeScalingOptions& options,
                              const std::vector<std::string>& joints) {
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    if (!is_valid(motion.states[k], model))
      throw ModelError("range scaling: the state of frame " + std::to_string(k) +
                       " does not fit the model or is not finite");
  return MotionScaler(motion, model, options, joints).scale();
}

}  // namespace panto
