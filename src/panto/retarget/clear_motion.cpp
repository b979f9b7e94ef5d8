#include "panto/retarget/clear_motion.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/ease.hpp"
#include "panto/model/speed_limit.hpp"
#include "panto/motion/path_band.hpp"
#include "panto/retarget/giving_rows.hpp"

namespace panto {
namespace {

using Index = Eigen::Index;

constexpr double kNear = 0.04;        // [m] pairs within it are rows
constexpr double kApart = 0.06;       // [m] distances up to it are measured once
constexpr double kMet = 0.0005;       // [m] of an overlap that is left
constexpr double kFirm = 1.0;         // weight of a frame that must change ..
constexpr double kLoose = 0.02;       // .. and of any other
constexpr double kReach = 12.0;       // times `time`: frames farther from an overlap keep their bits
constexpr double kHard = 0.01;        // [m] of `extra` at which a frame that must change weighs twice as much
constexpr double kPinned = 1e6;       // weight of a joint that must not change
constexpr double kMostChange = 0.3;   // [rad] of a joint in one round
constexpr double kFarthest = 1.2;     // [rad] of a leg's joint in all: farther off is worse than an overlap
constexpr double kMostGain = 0.03;    // [m] of distance that a round asks for
constexpr double kDear = 0.02;        // [m/rad] of overlap that a change may be worth
constexpr double kHarm = 0.01;        // [m] by which a round did harm: a frame is deeper than it was ..
constexpr double kLeastTrust = 0.05;  // .. and takes smaller steps from there, at least this share
constexpr double kMostExtra = 0.06;   // [m] beyond the margin, to make up for smoothing
constexpr int kMoving = 2;            // rounds in which a frame is moved without more
constexpr double kRelief = 0.3;       // share of what it gets too much that a round takes back
constexpr double kLittle = 0.003;     // [m] less is not taken back
constexpr double kFade = 3.0;         // times `time`: a hand that may not turn back fades to it
constexpr double kEasily = 2.5;       // times as long as at its speed limit a joint is led back
constexpr double kSinks = 0.005;      // [m] by which a foot may sink
constexpr int kRounds = 4;            // in which a change that did harm is taken back
constexpr double kKept = 0.85;        // share of a change that the next round begins with

// Frames that are solved together.
struct Stretch {
  std::size_t first, last;
  [[nodiscard]] std::size_t count() const { return last - first + 1; }
};

// A pair that was near.
struct SeenPair {
  int key = 0;  // `BodyGap::key`
  double distance = 0.0;
};

class Clearer {
 public:
  Clearer(const Model& model, const ClearBody& body, const std::vector<LinkContacts>& feet,
          const ClearMotionOptions& options, const std::vector<int>& cuts, Motion& motion)
      : model_(model),
        options_(options),
        motion_(motion),
        frame_(model, body.body, options.obstacles, body.giving),
        rows_(model, frame_.joints()),
        joined_(motion.states.size(), true),
        size_(static_cast<Index>(frame_.joints().size())),
        lower_(size_),
        upper_(size_),
        wish_(size_),
        now_(size_),
        levers_(size_),
        kinematics_(model) {
    for (const LimbLinks& arm : body.arms) arms_.emplace_back(model, arm);
    const Eigen::VectorXd levers = frame_.body().levers();
    for (Index j = 0; j < size_; ++j) levers_[j] = levers[dof(j)];
    if (!joined_.empty()) joined_.front() = false;
    for (const int cut : cuts)
      if (cut >= 0 && at(cut) < joined_.size()) joined_[at(cut)] = false;
    for (const LinkContacts& foot : feet) add_foot(foot, body.soles);
  }

  ClearMotionReport run() {
    ClearMotionReport report;
    if (!frame_.able()) return report;
    find_overlaps(report);
    for (const Stretch& stretch : stretches_) clear(stretch, report);
    for (const Stretch& stretch : stretches_)
      for (std::size_t k = stretch.first; k <= stretch.last; ++k) judge(states()[k], report);
    return report;
  }

 private:
  struct Leg {
    const LinkContacts* contacts;
    std::vector<bool> has;                 // by giving joint
    int foot = 0;                          // its link
    std::vector<Eigen::Vector3d> corners;  // of its sole, in it [m]
  };

  [[nodiscard]] std::vector<State>& states() const noexcept { return motion_.states; }
  [[nodiscard]] double seconds(std::size_t k) const { return to_seconds(states()[k].t - states()[0].t); }
  // The joint's position in State::s.
  [[nodiscard]] int dof(Index j) const noexcept { return frame_.joints()[static_cast<std::size_t>(j)]; }
  [[nodiscard]] double& joint(std::size_t k, Index j) const noexcept { return states()[k].s[dof(j)]; }

  void add_foot(const LinkContacts& foot, const std::vector<FootCorners>& soles) {
    const std::optional<int> link = model_.find_link(foot.link);
    if (!link || foot.heel.size() != states().size() || foot.ball.size() != states().size()) return;
    Leg leg{&foot, std::vector<bool>(frame_.joints().size(), false), *link, {}};
    for (const FootCorners& sole : soles)
      if (sole.link == *link) leg.corners = sole.corners;
    for (int body = model_.frame(*link).body; body > 0; body = model_.tree().parent[at(body)])
      for (std::size_t j = 0; j < leg.has.size(); ++j)
        if (frame_.joints()[j] == model_.tree().dof[at(body)]) leg.has[j] = true;
    legs_.push_back(std::move(leg));
  }

  [[nodiscard]] bool is_leg(Index j) const {
    return std::any_of(legs_.begin(), legs_.end(),
                       [&](const Leg& leg) { return leg.has[static_cast<std::size_t>(j)]; });
  }
  // A leg in stance keeps its foot where it is.
  [[nodiscard]] bool pinned(std::size_t k, Index j) const {
    return std::any_of(legs_.begin(), legs_.end(), [&](const Leg& leg) {
      return leg.has[static_cast<std::size_t>(j)] && leg.contacts->stands(k);
    });
  }

  void done(std::size_t frame, bool found) const {  // to find overlaps is a third of the work
    const auto count = static_cast<std::int64_t>(frame) + 1;
    if (options_.progress) options_.progress(found ? (std::ssize(states()) + 2 * count) / 3 : count / 3);
  }

  void find_overlaps(ClearMotionReport& report) {
    for (std::size_t k = 0; k < states().size(); ++k) {
      done(k, false);
      if (!(frame_.update(states()[k], options_.margin) < options_.margin - kMet)) continue;
      ++report.before;
      const double reach = kReach * options_.time;
      const bool in = !stretches_.empty() && k <= stretches_.back().last;  // of the stretch before
      Stretch stretch{k, in ? stretches_.back().last : k};
      const auto before = [&] { return !stretches_.empty() && stretch.first <= stretches_.back().last; };
      while (!before() && joined_[stretch.first] && seconds(k) - seconds(stretch.first - 1) <= reach)
        --stretch.first;
      while (stretch.last + 1 < states().size() && joined_[stretch.last + 1] &&
             seconds(stretch.last + 1) - seconds(k) <= reach)
        ++stretch.last;
      if (before())
        stretches_.back().last = stretch.last;
      else
        stretches_.push_back(stretch);
    }
  }

  void clear(const Stretch& stretch, ClearMotionReport& report) {
    const std::size_t count = stretch.count();
    before_.resize(size_, static_cast<Index>(count));
    wishes_.setZero(size_, static_cast<Index>(count));
    weight_.assign(count, kLoose);
    extra_.assign(count, 0.0);
    apart_.assign(count, -1.0);
    seen_.setZero(size_, static_cast<Index>(count));
    pairs_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      for (Index j = 0; j < size_; ++j) before_(j, static_cast<Index>(i)) = joint(stretch.first + i, j);
    trust_.assign(count, 1.0);
    overlap_.assign(count, 0.0);
    least_.assign(count, kInfinity);
    bool cleared = false;  // `best_` is clear
    double least = kInfinity;
    for (int round = 0;; ++round) {
      double deepest = -kNear, all = 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        done(stretch.first, true);
        const double depth = wish(round, stretch.first + i, i);
        deepest = std::max(deepest, depth);
        const double change = kDear * now_.lpNorm<Eigen::Infinity>();
        all += overlap_[i] * overlap_[i] + change * change;
      }
      if (deepest <= kMet) {  // from here on it only becomes nearer to what it was
        cleared = true;
        keep_best(stretch);
        if (*std::max_element(extra_.begin(), extra_.end()) < kLittle) break;
      } else if (!cleared && all < least) {
        keep_best(stretch);
        least = all;
      }
      if (round == options_.rounds) break;
      for (Index j = 0; j < size_; ++j) smooth(stretch, j);
      keep_rows(stretch);
    }
    for (std::size_t i = 0; i < count; ++i)
      for (Index j = 0; j < size_; ++j) joint(stretch.first + i, j) = best_(j, static_cast<Index>(i));
    for (Index j = 0; j < size_; ++j) keep_speed(stretch, j);
    take_back(stretch, rows_.has(),
              [&](const State& base, const State& now) { return rows_.breaks(base.s, now.s); });
    for (const Leg& leg : legs_)
      if (!leg.corners.empty())
        take_back(stretch, leg.has,
                  [&](const State& base, const State& now) { return sinks(leg, base, now); });
    for (LimbSolver& arm : arms_) turn_back(stretch, arm);
    for (Index j = 0; j < size_; ++j) {
      keep_speed(stretch, j);
      for (std::size_t i = 0; i < count; ++i)
        report.change_max_rad = std::max(
            report.change_max_rad, std::abs(joint(stretch.first + i, j) - before_(j, static_cast<Index>(i))));
    }
  }

  void keep_best(const Stretch& stretch) {
    best_.resize(size_, static_cast<Index>(stretch.count()));
    for (std::size_t i = 0; i < stretch.count(); ++i)
      for (Index j = 0; j < size_; ++j) best_(j, static_cast<Index>(i)) = joint(stretch.first + i, j);
  }

  // Sets the change that a frame needs, and returns how much nearer than the margin its parts are.
  double wish(int round, std::size_t k, std::size_t i) {
    const auto column = static_cast<Index>(i);
    for (Index j = 0; j < size_; ++j) now_[j] = joint(k, j) - before_(j, column);
    if (!now_.allFinite()) now_.setZero();  // a frame that is unknown changes no other
    if (apart_[i] - now_.cwiseAbs().dot(levers_) > options_.margin + kNear) {  // nothing can be near
      wishes_.col(column) = kKept * now_;
      weight_[i] = kLoose;
      overlap_[i] = 0.0;
      return -kNear;
    }
    const double depth = options_.margin - measure(k, i);
    overlap_[i] = frame_.overlap(options_.margin);
    const bool worse = overlap_[i] > least_[i] + kHarm;
    trust_[i] = worse ? std::max(0.5 * trust_[i], kLeastTrust) : std::min(2.0 * trust_[i], 1.0);
    least_[i] = std::min(least_[i], overlap_[i]);
    // early rounds still move; what they lack is not the smoothing's
    if (depth < 0.0)
      extra_[i] -= kRelief * std::min(extra_[i], -depth);
    else if (worse)
      extra_[i] *= 0.5;
    else if (round >= kMoving)
      extra_[i] = std::min(extra_[i] + 0.7 * depth, kMostExtra);
    weight_[i] = kLoose;
    wishes_.col(column) = kKept * now_;
    if (frame_.near_pairs().empty()) return depth;
    const double most = trust_[i] * kMostChange, gain = trust_[i] * kMostGain;
    for (Index j = 0; j < size_; ++j) {
      const int s = dof(j);
      const double base = before_(j, column), kept = wishes_(j, column);
      const double farthest = is_leg(j) ? kFarthest : kInfinity;
      lower_[j] = std::min(0.0, std::max({model_.lower()[s] - base, now_[j] - most, -farthest}) - kept);
      upper_[j] = std::max(0.0, std::min({model_.upper()[s] - base, now_[j] + most, farthest}) - kept);
      if (pinned(k, j)) lower_[j] = upper_[j] = 0.0;
    }
    frame_.change().clear();
    for (const BodyGap& gap : frame_.near_pairs()) {
      if (gap.distance >= options_.margin + kNear) continue;
      const Eigen::VectorXd& row = frame_.row(gap);
      const double changed = row.dot(now_);
      double wanted = options_.margin + extra_[i];
      if (gap.given) wanted = std::min(wanted, gap.distance - changed);
      frame_.change().add(row, std::min(wanted - gap.distance, gain) + (1.0 - kKept) * changed);
    }
    rows_.add(states()[k].s, wishes_.col(column) - now_, most, frame_.change());
    if (frame_.change().solve(lower_, upper_, wish_))
      weight_[i] = kFirm * (1.0 + extra_[i] * extra_[i] / (kHard * kHard));
    wishes_.col(column) += wish_;
    return depth;
  }

  // Finds the pairs of a frame within `kNear`, and returns the smallest distance. Only pairs that were within
  // `kApart` can be, and only if the joints have moved by the rest of their distance, until they have moved
  // by the difference.
  double measure(std::size_t k, std::size_t i) {
    const auto column = static_cast<Index>(i);
    const double near = options_.margin + kNear, moved = (now_ - seen_.col(column)).cwiseAbs().dot(levers_);
    const bool first = apart_[i] < 0.0;
    if (!first && moved < kApart - kNear) {
      among_.clear();
      for (const SeenPair& pair : pairs_[i])
        if (pair.distance < near + moved) among_.push_back(pair.key);
      return frame_.update(states()[k], near, among_);
    }
    const double smallest = frame_.update(states()[k], options_.margin + kApart);
    if (first) apart_[i] = std::max(smallest, 0.0);
    seen_.col(column) = now_;
    pairs_[i].clear();
    for (const BodyGap& gap : frame_.near_pairs()) pairs_[i].push_back({gap.key, gap.distance});
    return first ? smallest : std::min(smallest, near);
  }

  // Moves a joint to its smoothed wishes.
  void smooth(const Stretch& stretch, Index j) {
    const std::size_t count = stretch.count(), after = stretch.last + 1;
    if (wishes_.row(j).isZero(0.0)) return;
    band_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = stretch.first + i;
      const bool end =
          (i == 0 && joined_[k]) || (i + 1 == count && after < states().size() && joined_[after]);
      const bool keeps = end || pinned(k, j);
      band_.add(seconds(k) - seconds(stretch.first), keeps ? kPinned : weight_[i],
                keeps ? 0.0 : wishes_(j, static_cast<Index>(i)));
    }
    band_.solve(options_.time);
    const int s = dof(j);
    for (std::size_t i = 0; i < count; ++i) {
      const double base = before_(j, static_cast<Index>(i));
      joint(stretch.first + i, j) =
          std::clamp(base + band_.x[i], std::min(base, model_.lower()[s]), std::max(base, model_.upper()[s]));
    }
  }

  // Keeps the rows that frames kept before.
  void keep_rows(const Stretch& stretch) {
    if (rows_.empty()) return;
    Eigen::VectorXd base;
    for (std::size_t i = 0; i < stretch.count(); ++i) {
      Eigen::VectorXd& s = states()[stretch.first + i].s;
      base = s;
      for (Index j = 0; j < size_; ++j) base[dof(j)] = before_(j, static_cast<Index>(i));
      rows_.keep(base, s);
    }
  }

  // An overlap is the lesser harm than a foot that was pushed under the floor.
  bool sinks(const Leg& leg, const State& base, const State& now) {
    const auto lowest = [&](const State& state) {
      kinematics_.update(state);
      double z = kInfinity;
      for (const Eigen::Vector3d& corner : leg.corners)
        z = std::min(z, (kinematics_.p_WL(leg.foot) + kinematics_.R_WL(leg.foot) * corner).z());
      return z;
    };
    return lowest(now) < std::min(lowest(base), 0.0) - kSinks;
  }

  // Takes back the change of the joints of `has` where it is `bad(base, now)`, and around. What is half taken
  // back, or late for its speed limit, may be bad too: so several times, each time more slowly.
  template <typename Bad>
  void take_back(const Stretch& stretch, const std::vector<bool>& has, const Bad& bad) {
    if (std::find(has.begin(), has.end(), true) == has.end()) return;
    State base;
    for (int round = 1; round <= kRounds; ++round) {
      share_.assign(stretch.count(), 1.0);
      for (std::size_t i = 0; i < stretch.count(); ++i) {
        const State& now = states()[stretch.first + i];
        base = now;
        for (Index j = 0; j < size_; ++j) base.s[dof(j)] = before_(j, static_cast<Index>(i));
        if (bad(base, now)) share_[i] = 0.0;
      }
      if (std::find(share_.begin(), share_.end(), 0.0) == share_.end()) return;
      spread(stretch, round * time_back(stretch, has));
      for (Index j = 0; j < size_; ++j) {
        if (!has[static_cast<std::size_t>(j)]) continue;
        for (std::size_t i = 0; i < stretch.count(); ++i) {
          double& s = joint(stretch.first + i, j);
          if (share_[i] != 1.0) s += (1.0 - share_[i]) * (before_(j, static_cast<Index>(i)) - s);
        }
        keep_speed(stretch, j);
      }
    }
  }

  // Returns in which time joints that go back where they have no share keep their speed limits [s].
  [[nodiscard]] double time_back(const Stretch& stretch, const std::vector<bool>& has) const {
    double time = 0.0;
    for (std::size_t i = 0; i < stretch.count(); ++i)
      for (Index j = 0; j < size_; ++j) {
        if (!has[static_cast<std::size_t>(j)] || share_[i] != 0.0) continue;
        const int s = dof(j);
        const double way = std::abs(joint(stretch.first + i, j) - before_(j, static_cast<Index>(i)));
        time = std::max(time, kEasily * way / speed_limit_of(model_, s, options_.speed_limit));
      }
    return time;
  }

  // Turns a hand to where it pointed before its arm gave way, where nothing comes nearer by it.
  void turn_back(const Stretch& stretch, LimbSolver& arm) {
    const std::size_t count = stretch.count();
    turns_.setZero(static_cast<Index>(arm.joints().size()), static_cast<Index>(count));
    share_.assign(count, 1.0);
    const std::vector<int> hand = frame_.body().moved_by(arm.turning());
    State state;
    for (std::size_t i = 0; i < count; ++i) {
      const State& now = states()[stretch.first + i];
      state = now;
      for (Index j = 0; j < size_; ++j) state.s[dof(j)] = before_(j, static_cast<Index>(i));
      const auto same = [&](int s) { return state.s[s] == now.s[s]; };
      if (std::all_of(arm.joints().begin(), arm.joints().end(), same)) continue;
      kinematics_.update(state);
      const Eigen::Matrix3d R_WH = kinematics_.R_WL(arm.end());
      state = now;
      arm.turn_end(R_WH, state);
      for (std::size_t j = 0; j < arm.joints().size(); ++j)
        turns_(static_cast<Index>(j), static_cast<Index>(i)) =
            state.s[arm.joints()[j]] - now.s[arm.joints()[j]];
      const double depth = options_.margin - frame_.update(now, options_.margin, hand);
      const double turned = options_.margin - frame_.update(state, options_.margin, hand);
      if (turned > std::max(depth, 0.0)) share_[i] = 0.0;
    }
    spread(stretch, 0.0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < arm.joints().size(); ++j)
        states()[stretch.first + i].s[arm.joints()[j]] +=
            share_[i] * turns_(static_cast<Index>(j), static_cast<Index>(i));
  }

  // Lets `share_` fall to 0 smoothly, in `time` [s] or more, before a frame that has none, and rise after it.
  void spread(const Stretch& stretch, double time) {
    const std::vector<double> given = share_;
    const double fade = std::max(kFade * options_.time, time);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] != 0.0) continue;
      const double now = seconds(stretch.first + i);
      for (std::size_t k = i; k > 0 && now - seconds(stretch.first + k - 1) < fade; --k)
        share_[k - 1] = std::min(share_[k - 1], ease((now - seconds(stretch.first + k - 1)) / fade));
      for (std::size_t k = i; k < given.size() && seconds(stretch.first + k) - now < fade; ++k)
        share_[k] = std::min(share_[k], ease((seconds(stretch.first + k) - now) / fade));
    }
  }

  // A joint that became too fast stops at its speed limit, until it is where it was.
  void keep_speed(const Stretch& stretch, Index j) {
    const int s = dof(j);
    const double speed = speed_limit_of(model_, s, options_.speed_limit);
    if (!std::isfinite(speed)) return;
    bool late = false;
    for (std::size_t k = stretch.first; k < states().size() && (k <= stretch.last || late); ++k) {
      if (!joined_[k] && k == stretch.first) continue;
      if (!joined_[k]) break;
      const double most = speed * to_seconds(states()[k].t - states()[k - 1].t), from = joint(k - 1, j);
      const double kept = std::clamp(joint(k, j), from - most, from + most);
      late = kept != joint(k, j);
      joint(k, j) = kept;
    }
  }

  // Counts what a report of overlaps counts too: what is deeper than a contact.
  void judge(const State& state, ClearMotionReport& report) {
    if (!(frame_.update(state, options_.margin) < options_.margin - kMet)) return;
    bool any = false;
    for (const BodyGap& gap : frame_.near_pairs()) {
      const double depth = options_.margin - gap.capsules;
      if (!frame_.counts(gap) || !(depth > kShapeContact)) continue;
      any = true;
      if (report.deepest && depth <= report.deepest->depth) continue;
      const auto [first, second] = frame_.body().names(gap);
      report.deepest = DeepestOverlap{first, second, depth, state.t};
    }
    if (any) ++report.after;
  }

  const Model& model_;
  const ClearMotionOptions& options_;
  Motion& motion_;
  ClearFrame frame_;
  GivingRows rows_;
  std::vector<bool> joined_;  // the frame continues the one before
  std::vector<Leg> legs_;
  std::vector<Stretch> stretches_;
  Index size_;  // joints that give way
  Eigen::VectorXd lower_, upper_, wish_, now_, levers_;
  // of one stretch, by joint and frame
  Eigen::MatrixXd before_, wishes_, best_;
  std::vector<double> weight_;
  std::vector<double> extra_;
  std::vector<double> trust_;  // share of `kMostChange` and `kMostGain`: less where a round did harm
  std::vector<double> overlap_, least_;  // of a frame in this round, and the least of all [m]
  std::vector<double> apart_;            // smallest distance before, up to `kApart`; negative: unknown [m]
  std::vector<std::vector<SeenPair>> pairs_;  // within `kApart` ..
  Eigen::MatrixXd seen_;                      // .. where joints had changed by this
  std::vector<int> among_;
  std::vector<LimbSolver> arms_;
  Kinematics kinematics_;
  Eigen::MatrixXd turns_;      // of one arm's joints by frame, to be added [rad]
  std::vector<double> share_;  // of it that is
  detail::PathBand band_;
};

}  // namespace

std::string clear_note(const ClearMotionReport& report) {
  if (report.before == 0) return "";
  std::string note = "limbs moved out of the body in " + counted(report.before, "frame") +
                     ", joints by up to " + digits(report.change_max_rad * kToDegrees, 3) + " deg";
  if (report.deepest)
    note += "; limbs still overlap in " + counted(report.after, "frame") + ", " + report.deepest->first +
            " and " + report.deepest->second + " most: " + digits(1e3 * report.deepest->depth, 3) +
            " mm at " + digits(to_seconds(report.deepest->t), 4) + " s";
  return note;
}

ClearMotionReport clear_motion(const Model& model, const ClearBody& body,
                               const std::vector<LinkContacts>& feet, const ClearMotionOptions& options,
                               const std::vector<int>& cuts, Motion& motion) {
  check_finite("clear motion", {{"margin", options.margin}, {"time", options.time}});
  if (!(options.margin >= 0.0) || !(options.time > 0.0) || options.rounds < 1)
    throw ConfigError("clear motion: need margin >= 0, time > 0 and rounds > 0");
  return Clearer(model, body, feet, options, cuts, motion).run();
}

}  // namespace panto
