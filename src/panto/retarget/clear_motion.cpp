#include "panto/retarget/clear_motion.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/motion/path_band.hpp"
#include "panto/retarget/body_gaps.hpp"
#include "panto/retarget/limb_solver.hpp"
#include "panto/retarget/nearest_change.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kNear = 0.04;      // [m] pairs within it are rows
constexpr double kMet = 0.0005;     // [m] of an overlap that is left
constexpr double kFirm = 1.0;       // weight of a frame with an overlap ..
constexpr double kLoose = 0.02;     // .. and of any other, which should not change
constexpr double kReach = 12.0;     // times `time`: frames this far from an overlap keep their bits
constexpr double kPinned = 1e6;     // weight of the ends of a stretch
constexpr double kMostChange = 0.3; // [rad] of a joint in one round
const double kKept = getenv("KEPT") ? atof(getenv("KEPT")) : 0.7;
const double kMostGain = getenv("GAIN") ? atof(getenv("GAIN")) : 0.03;
constexpr double kMostExtra = 0.04; // [m] of distance that a round asks for beyond the margin

// Frames that are solved together.
struct Stretch {
  std::size_t first, last;
};

class Clearer {
 public:
  Clearer(const Model& model, const CapsuleBody& body, const Eigen::VectorXd& costs,
          const ClearMotionOptions& options, const std::vector<int>& cuts, Motion& motion)
      : model_(model),
        options_(options),
        motion_(motion),
        gaps_(model, body),
        kinematics_(model),
        joined_(motion.states.size(), true),
        gradient_(model.dof()) {
    std::vector<double> cost;
    for (int j = 0; j < model.dof(); ++j) {
      if (!std::isfinite(costs[j])) continue;
      moving_.push_back(j);
      cost.push_back(costs[j]);
    }
    const auto n = static_cast<Eigen::Index>(cost.size());
    change_.emplace(Eigen::Map<const Eigen::VectorXd>(cost.data(), n));
    row_.resize(n);
    lower_.resize(n);
    upper_.resize(n);
    wish_.resize(n);
    if (!joined_.empty()) joined_.front() = false;
    for (const int cut : cuts)
      if (cut >= 0 && at(cut) < joined_.size()) joined_[at(cut)] = false;
  }

  ClearMotionReport run() {
    ClearMotionReport report;
    if (gaps_.empty() || moving_.empty()) return report;
    find_overlaps(report);
    for (const Stretch& stretch : stretches_) clear(stretch);
    conclude(report);
    return report;
  }

 private:
  using Index = Eigen::Index;

  [[nodiscard]] std::vector<State>& states() const noexcept { return motion_.states; }
  [[nodiscard]] double seconds(std::size_t k) const { return to_seconds(states()[k].t - states()[0].t); }

  // Returns the depth of the deepest overlap; negative: a distance.
  double deepest(const State& state, std::optional<RemainingOverlap>* named = nullptr) {
    kinematics_.update(state);
    double deepest = -kNear;
    for (const BodyGap& gap : gaps_.find(kinematics_, options_.margin + kMet)) {
      const double depth = options_.margin - gap.distance;
      if (depth > deepest && named != nullptr && depth > (*named ? (*named)->depth : kMet)) {
        const auto [a, b] = gaps_.body().pairs[at(gap.pair)];
        *named = RemainingOverlap{gaps_.body().capsules[at(a)].name, gaps_.body().capsules[at(b)].name, depth,
                                  state.t};
      }
      deepest = std::max(deepest, depth);
    }
    return deepest;
  }

  void find_overlaps(ClearMotionReport& report) {
    const double reach = kReach * options_.time;
    for (std::size_t k = 0; k < states().size(); ++k) {
      if (!(deepest(states()[k]) > kMet)) continue;
      ++report.frames;
      if (!stretches_.empty() && k <= stretches_.back().last) {
        extend(stretches_.back(), k, reach);
        continue;
      }
      Stretch stretch{k, k};
      while (joined_[stretch.first] && seconds(k) - seconds(stretch.first - 1) <= reach) --stretch.first;
      extend(stretch, k, reach);
      // overlapping stretches are one
      if (!stretches_.empty() && stretch.first <= stretches_.back().last)
        stretches_.back().last = stretch.last;
      else
        stretches_.push_back(stretch);
    }
  }

  void extend(Stretch& stretch, std::size_t k, double reach) const {
    std::size_t& last = stretch.last = std::max(stretch.last, k);
    while (last + 1 < states().size() && joined_[last + 1] && seconds(last + 1) - seconds(k) <= reach) ++last;
  }

  void clear(const Stretch& stretch) {
    const std::size_t count = stretch.last - stretch.first + 1;
    before_.resize(static_cast<Index>(moving_.size()), static_cast<Index>(count));
    wishes_.setZero(before_.rows(), before_.cols());
    weight_.assign(count, kLoose);
    extra_.assign(count, 0.0);
    std::vector<double> depth_dbg(count);
    int rounds = options_.rounds;
    if (getenv("RND")) rounds = atoi(getenv("RND"));
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < moving_.size(); ++j)
        before_(static_cast<Index>(j), static_cast<Index>(i)) = states()[stretch.first + i].s[moving_[j]];
    for (int round = 0; round < rounds; ++round) {
      double worst = 0.0;
      for (std::size_t i = 0; i < count; ++i) worst = std::max(worst, depth_dbg[i] = wish(stretch.first + i, i));
      if (getenv("DBG")) {
        int n = 0;
        for (std::size_t i = 0; i < count; ++i) n += depth_dbg[i] > 0.002;
        fprintf(stderr, "stretch %zu-%zu round %d worst %.1f mm, %d of %zu over 2 mm\n", stretch.first, stretch.last, round, 1e3*worst, n, count);
      }
      if (round > 0 && worst <= kMet) break;
      smooth(stretch);
    }
    keep_speed(stretch);
  }

  // Sets the change that a frame needs, and returns the depth of its deepest overlap.
  double wish(std::size_t k, std::size_t i) {
    const State& state = states()[k];
    kinematics_.update(state);
    double depth = -kNear;
    const std::span<const BodyGap> gaps = gaps_.find(kinematics_, options_.margin + kNear);
    for (const BodyGap& gap : gaps) depth = std::max(depth, options_.margin - gap.distance);
    if (std::isfinite(depth)) extra_[i] = std::clamp(extra_[i] + std::max(0.5 * depth, -0.1 * extra_[i]), 0.0, kMostExtra);
    if (gaps.empty()) {
      wishes_.col(static_cast<Index>(i)) *= kKept;
      weight_[i] = kLoose;
      return depth;
    }
    change_->clear();
    for (std::size_t j = 0; j < moving_.size(); ++j) {
      const auto c = static_cast<Index>(j);
      const double base = before_(c, static_cast<Index>(i)), now = state.s[moving_[j]] - base;
      const double kept = kKept * now;
      lower_[c] = std::min(0.0, std::max(model_.lower()[moving_[j]] - base, now - kMostChange) - kept);
      upper_[c] = std::max(0.0, std::min(model_.upper()[moving_[j]] - base, now + kMostChange) - kept);
    }
    for (const BodyGap& gap : gaps) {
      gaps_.gradient(gap, kinematics_, gradient_);
      double towards = 0.0;  // what is left of the distance if a part of the change is taken back
      for (std::size_t j = 0; j < moving_.size(); ++j) {
        const auto c = static_cast<Index>(j);
        row_[c] = gradient_[moving_[j]];
        towards += row_[c] * (1.0 - kKept) * (state.s[moving_[j]] - before_(c, static_cast<Index>(i)));
      }
      change_->add(row_, std::min(options_.margin + extra_[i] - gap.distance, kMostGain) + towards);
    }
    const bool holds = change_->solve(lower_, upper_, wish_);
    for (std::size_t j = 0; j < moving_.size(); ++j)
      wish_[j] += kKept * (state.s[moving_[j]] - before_(j, i));
    wishes_.col(static_cast<Index>(i)) = wish_;
    if (getenv("FRM") && k == (std::size_t)atoi(getenv("FRM"))) {
      fprintf(stderr, "frame %zu depth %.1f extra %.1f\n", k, 1e3*depth, 1e3*extra_[i]);
      for (const BodyGap& gap : gaps) { const auto [a, b] = gaps_.body().pairs[at(gap.pair)];
        fprintf(stderr, "   %s %s %.1f mm n %.2f %.2f %.2f\n", gaps_.body().capsules[at(a)].name.c_str(), gaps_.body().capsules[at(b)].name.c_str(), 1e3*gap.distance, gap.normal_W.x(), gap.normal_W.y(), gap.normal_W.z());
      }
      for (std::size_t j = 0; j < moving_.size(); ++j) fprintf(stderr, " %s now %.3f (%.2f..%.2f) change %.3f wish %.3f\n", model_.joint(moving_[j]).name.c_str(), state.s[moving_[j]], model_.lower()[moving_[j]], model_.upper()[moving_[j]], state.s[moving_[j]] - before_(j, i), wish_[j]);
    }
    weight_[i] = holds ? kFirm : kLoose;
    return depth;
  }

  // Moves the joints to their smoothed wishes.
  void smooth(const Stretch& stretch) {
    const std::size_t count = weight_.size();
    for (std::size_t j = 0; j < moving_.size(); ++j) {
      const auto c = static_cast<Index>(j);
      if (wishes_.row(c).isZero(0.0)) {
        for (std::size_t i = 0; i < count; ++i)
          states()[stretch.first + i].s[moving_[j]] = before_(c, static_cast<Index>(i));
        continue;
      }
      band_.clear();
      for (std::size_t i = 0; i < count; ++i) {
        const bool end = i == 0 ? joined_[stretch.first]
                                : i + 1 == count && stretch.last + 1 < states().size() && joined_[stretch.last + 1];
        band_.add(seconds(stretch.first + i) - seconds(stretch.first), end ? kPinned : weight_[i],
                  end ? 0.0 : wishes_(c, static_cast<Index>(i)));
      }
      band_.solve(options_.time);
      const double least = model_.lower()[moving_[j]], most = model_.upper()[moving_[j]];
      for (std::size_t i = 0; i < count; ++i) {
        const double base = before_(c, static_cast<Index>(i));
        // a motion that was over a limit is not pulled back here
        states()[stretch.first + i].s[moving_[j]] =
            std::clamp(base + band_.x[i], std::min(base, least), std::max(base, most));
      }
    }
  }

  // Joints that became too fast stop at their speed limit.
  void keep_speed(const Stretch& stretch) {
    for (const int j : moving_) {
      const double speed = std::min(model_.joint(j).velocity, options_.speed_limit);
      if (!std::isfinite(speed)) continue;
      for (std::size_t k = stretch.first; k <= stretch.last; ++k) {
        if (!joined_[k]) continue;
        const double most = speed * to_seconds(states()[k].t - states()[k - 1].t), from = states()[k - 1].s[j];
        states()[k].s[j] = std::clamp(states()[k].s[j], from - most, from + most);
      }
    }
  }

  void conclude(ClearMotionReport& report) {
    for (const Stretch& stretch : stretches_)
      for (std::size_t k = stretch.first; k <= stretch.last; ++k)
        if (deepest(states()[k], &report.deepest) > kMet) ++report.left;
  }

  const Model& model_;
  const ClearMotionOptions& options_;
  Motion& motion_;
  BodyGaps gaps_;
  Kinematics kinematics_;
  std::vector<bool> joined_;  // the frame continues the one before
  std::vector<int> moving_;   // joints, in State::s
  std::optional<NearestChange> change_;
  std::vector<Stretch> stretches_;
  Eigen::VectorXd gradient_, row_, lower_, upper_, wish_;
  // of one stretch, by joint and frame
  Eigen::MatrixXd before_, wishes_;
  std::vector<double> weight_;
  std::vector<double> extra_;  // distance beyond the margin that makes up for smoothing [m]
  detail::PathBand band_;
};

}  // namespace

Eigen::VectorXd giving_costs(const Model& model, const robot::Skeleton& skeleton) {
  constexpr double kArm = 1.0, kWrist = 0.15;
  Eigen::VectorXd costs = Eigen::VectorXd::Constant(model.dof(), kInfinity);
  const int trunk = skeleton.link_of(T8);
  const auto add = [&](int forearm, int hand) {
    const int end = hand >= 0 ? hand : forearm;
    if (end < 0) return;
    const Tree& tree = model.tree();
    const int root = trunk < 0 ? 0 : model.frame(trunk).body, lower = forearm < 0 ? -1 : model.frame(forearm).body;
    bool wrist = lower >= 0;
    for (int body = model.frame(end).body; body > 0 && body != root; body = tree.parent[at(body)]) {
      if (body == lower) wrist = false;
      if (!in_row(model, tree.dof[at(body)])) costs[tree.dof[at(body)]] = wrist ? kWrist : kArm;
    }
  };
  add(skeleton.link_of(RightForeArm), skeleton.link_of(RightHand));
  add(skeleton.link_of(LeftForeArm), skeleton.link_of(LeftHand));
  return costs;
}

ClearMotionReport clear_motion(const Model& model, const CapsuleBody& body, const Eigen::VectorXd& costs,
                               const ClearMotionOptions& options, const std::vector<int>& cuts,
                               Motion& motion) {
  if (!(options.margin >= 0.0 && std::isfinite(options.margin)) || !(options.time > 0.0) || options.rounds < 1)
    throw ConfigError("clear motion: need margin >= 0, time > 0 and rounds > 0");
  if (costs.size() != model.dof() || !(costs.array() > 0.0).all())
    throw ModelError("clear motion: need a cost > 0 for each of the model's joints");
  return Clearer(model, body, costs, options, cuts, motion).run();
}

}  // namespace panto
