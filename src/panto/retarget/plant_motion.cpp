#include "panto/retarget/plant_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/median.hpp"
#include "panto/model/speed_limit.hpp"
#include "panto/motion/base_path.hpp"
#include "panto/motion/contacts.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/retarget/body_outline.hpp"
#include "panto/retarget/feet_apart.hpp"
#include "panto/retarget/foot_rests.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

using plant_rules::kBelowSpeed;
using plant_rules::kBodyLift;
using plant_rules::kCarried;
using plant_rules::kFoot;
using plant_rules::kMissed;
using plant_rules::kOnFloor;

constexpr int kPlans = 4;                 // rounds of anchors, which depend on the base, and base
constexpr int kRests = 2;                 // more rounds where feet lie still
constexpr int kHelps = 3;                 // rounds in which the base helps legs that are too short
constexpr double kHelp = 4.0;             // weight of a foot that is missed
constexpr double kMostHelp = 0.03;        // [m] of one round
constexpr double kKeep = 0.05;            // weight of the base's place while it helps
constexpr double kStays = 1e-6;           // [m] a base that moved less leaves the legs where they are
constexpr double kReached = 0.002;        // [m] a foot this near is where it should be
constexpr double kLies = 0.1;             // weight of a foot that lies still, beside 1 in stance
constexpr double kLyingFirm = 1.0 / 6.0;  // of its orientation, beside 1 in stance
constexpr double kUnknown = 1e-6;         // weight of a frame without the foot's orientation

// One foot over the clip.
struct Foot {
  LimbSolver leg;
  std::size_t side;  // 0 right, 1 left
  FootMotion motion;
  FootContacts rests = {};            // while the body lies, sits or kneels
  std::vector<Vector3d> own = {};     // its way before it rests [m]
  std::vector<Vector3d> arm = {};     // from the base's origin to the foot's, before planting [m]
  std::vector<Vector3d> missed = {};  // from where the leg can put the foot to its plan [m]
  std::vector<double> off = {};       // how far it is from its plan, after it was kept above the floor [m]
  std::vector<double> firm = {};      // weight of its orientation [1/rad^2]

  [[nodiscard]] bool stands(std::size_t k) const {
    return motion.contacts.heel[k] != 0 || motion.contacts.ball[k] != 0;
  }
  [[nodiscard]] bool lies(std::size_t k) const { return rests.heel[k] != 0 || rests.ball[k] != 0; }
};

// Returns for every frame of the motion the one of `stamps` with its stamp; -1: none.
template <typename Stamp>
std::vector<int> frames_of(std::size_t count, const Stamp& stamp, const Motion& motion) {
  std::vector<int> frame(motion.states.size(), -1);
  for (std::size_t k = 0, j = 0; k < frame.size(); ++k) {
    while (j < count && stamp(j) < motion.states[k].t) ++j;
    if (j < count && stamp(j) == motion.states[k].t) frame[k] = static_cast<int>(j);
  }
  return frame;
}

class Planner {
 public:
  Planner(const Model& model, const robot::Skeleton& skeleton, const std::vector<BaseWish>& wishes,
          const PlantMotionOptions& options, const std::vector<int>& cuts, Motion& motion)
      : model_(model), options_(options), cuts_(cuts), motion_(motion), outline_(model, skeleton) {
    for (const State& state : states()) t_.push_back(state.t);
    joined_.assign(t_.size(), true);
    if (!joined_.empty()) joined_.front() = false;
    for (const int cut : cuts)
      if (cut >= 0 && at(cut) < joined_.size()) joined_[at(cut)] = false;
    const std::vector<int> frame = frames_of(
        wishes.size(), [&](std::size_t j) { return wishes[j].t; }, motion);
    for (std::size_t k = 0; k < t_.size(); ++k)
      wishes_.push_back(frame[k] >= 0 ? wishes[at(frame[k])]
                                      : BaseWish{t_[k], states()[k].p_WB, states()[k].p_WB.z()});
  }

  PlantMotionReport run(const robot::Skeleton& skeleton, const PersonFeet& person) {
    PlantMotionReport report;
    add_feet(skeleton, person);
    report.still = motion_.contacts;
    if (feet_.empty() || t_.empty()) return report;
    calm();
    measure();
    set_contacts(person);
    for (int round = 0; round < kPlans; ++round) {
      plan_feet();
      plan_base();
    }
    plan_feet();
    keep_rests();
    move_legs(false);
    for (int round = 0; round < kHelps; ++round) {
      const bool sunk = find_sunk();
      if (!sunk && !(farthest_miss() > kReached)) break;
      help_legs();
      move_legs(true);
    }
    outline_.raise_hands(motion_, cuts_);
    keep_limits();
    derive_velocities(motion_, cuts_);
    for (const Foot& foot : feet_)
      for (std::size_t k = 0; k < t_.size(); ++k)
        if (foot.stands(k)) report.feet_missed_m = std::max(report.feet_missed_m, foot.off[k]);
    motion_.contacts.clear();
    for (std::size_t i = 0; i < feet_.size(); ++i)
      motion_.contacts.push_back(
          contacts_of(model_.link_names()[at(feet_[i].leg.end())], feet_[i].motion.contacts, &plan_.feet[i]));
    report.still = motion_.contacts;
    for (std::size_t i = 0; i < feet_.size(); ++i)
      for (std::size_t k = 0; k < t_.size(); ++k)
        if (feet_[i].lies(k)) report.still[i].heel[k] = 1;
    return report;
  }

 private:
  [[nodiscard]] std::vector<State>& states() const noexcept { return motion_.states; }

  void add_feet(const robot::Skeleton& skeleton, const PersonFeet& person) {
    for (std::size_t i = 0; i < person.sides.size(); ++i) {
      const int side = person.sides[i];
      if (skeleton.sole(side).size() != 2) continue;
      const FootSole sole = robot_sole(skeleton, side);
      Foot foot{leg_solver(model_, skeleton, side), at(side), {}};
      foot.motion.name = person.contacts.feet[i].name;
      foot.motion.sole = sole;
      foot.motion.corners = foot_corners(model_, skeleton, side);
      foot.motion.contacts = person.contacts.feet[i];
      foot.rests = person.rests[i];
      feet_.push_back(std::move(foot));
    }
  }

  // Applies `smooth_path` to one number of every frame. `weights`: of the frames; empty: 1.
  template <typename Number>
  void smooth(const Number& number, const std::vector<double>& weights = {}) {
    PathWishes wishes{{}, weights.empty() ? std::vector<double>(t_.size(), 1.0) : weights};
    for (std::size_t k = 0; k < t_.size(); ++k) wishes.value.push_back(number(k));
    const std::vector<double> path = smooth_path(t_, wishes, options_.calm, cuts_);
    for (std::size_t k = 0; k < t_.size(); ++k) number(k) = path[k];
  }

  // The same for a rotation of every frame. `turn(k)` points to it; null: the frame has none.
  template <typename Turn>
  void smooth_turns(const Turn& turn) {
    std::vector<Eigen::Vector4d> q;
    std::vector<double> known;
    for (std::size_t k = 0; k < t_.size(); ++k) {
      const Eigen::Matrix3d* R = turn(k);
      known.push_back(R != nullptr ? 1.0 : kUnknown);
      Eigen::Vector4d now = q.empty() ? Eigen::Vector4d::UnitW() : q.back();
      if (R != nullptr) now = Eigen::Quaterniond(*R).coeffs();
      q.push_back(!q.empty() && now.dot(q.back()) < 0.0 ? Eigen::Vector4d(-now) : now);
    }
    for (int i = 0; i < 4; ++i) smooth([&](std::size_t k) -> double& { return q[k][i]; }, known);
    for (std::size_t k = 0; k < t_.size(); ++k)
      if (Eigen::Matrix3d* R = turn(k)) *R = Eigen::Quaterniond(q[k].normalized()).toRotationMatrix();
  }

  // Smooths joints, base and the feet's orientations alike, so that a foot that is still stays so.
  void calm() {
    if (!(options_.calm > 0.0)) return;
    for (int axis = 0; axis < 3; ++axis)
      smooth([&](std::size_t k) -> double& { return wishes_[k].person[axis]; });
    smooth_turns([&](std::size_t k) { return &states()[k].R_WB; });
    for (const std::size_t side : {0U, 1U})
      smooth_turns([&](std::size_t k) { return wishes_[k].foot[side] ? &*wishes_[k].foot[side] : nullptr; });
    for (int j = 0; j < model_.dof(); ++j)
      if (!in_row(model_, j)) smooth([&](std::size_t k) -> double& { return states()[k].s[j]; });
    keep_limits();
  }

  // The joint's speed limit [rad/s], with a little to spare.
  [[nodiscard]] double speed(int j) const {
    return kBelowSpeed * speed_limit_of(model_, j, options_.speed_limit);
  }

  // Joints that swung over a limit of position or speed stop there.
  void keep_limits() {
    for (int j = 0; j < model_.dof(); ++j) {
      if (in_row(model_, j)) continue;
      for (std::size_t k = 0; k < t_.size(); ++k) {
        double& s = states()[k].s[j];
        s = std::clamp(s, model_.lower()[j], model_.upper()[j]);
        if (!joined_[k]) continue;
        const double most = speed(j) * to_seconds(t_[k] - t_[k - 1]), before = states()[k - 1].s[j];
        s = std::clamp(s, before - most, before + most);
      }
    }
  }

  // Measures the motion before planting. The base begins at the height that puts the soles where the person's
  // are.
  void measure() {
    Kinematics kinematics(model_);
    std::vector<double> above;
    for (std::size_t k = 0; k < t_.size(); ++k) {
      State& state = states()[k];
      for (Foot& foot : feet_) {
        if (const auto& R_WF = wishes_[k].foot[foot.side]) foot.leg.turn_end(*R_WF, state);
      }
      kinematics.update(state);
      for (Foot& foot : feet_) {
        const int link = foot.leg.end();
        foot.arm.push_back(kinematics.p_WL(link) - state.p_WB);
        foot.motion.R_WF.push_back(kinematics.R_WL(link));
      }
      free_.push_back(state.s);
      low_.push_back(outline_.lowest(kinematics) - state.p_WB.z());
      above.push_back(wishes_[k].on_soles - wishes_[k].person.z());
    }
    const double usual = median(std::move(above));
    for (BaseWish& wish : wishes_) {
      wish.person.z() += usual;
      base_.push_back({wish.person.x(), wish.person.y(), wish.on_soles});
    }
  }

  // A foot stands only under a body that it carries, not under one that lies, sits or kneels.
  void set_contacts(const PersonFeet& person) {
    const std::vector<int> frame = frames_of(
        person.t.size(), [&](std::size_t j) { return person.t[j]; }, motion_);
    const auto carried = [&](std::size_t k) { return base_[k].z() + low_[k] >= kCarried; };
    for (Foot& foot : feet_) {
      foot.motion.contacts = contacts_at(foot.motion.contacts, frame, carried);
      foot.rests = contacts_at(foot.rests, frame, [&](std::size_t k) { return !carried(k); });
    }
    for (Foot& foot : feet_) set_firmness(foot);
  }

  // The orientation of a foot counts more and more as a stance comes near, less where the foot only lies.
  void set_firmness(Foot& foot) const {
    const std::vector<double> stance = away([&](std::size_t k) { return foot.stands(k); });
    const std::vector<double> rest = away([&](std::size_t k) { return foot.lies(k); });
    for (std::size_t k = 0; k < t_.size(); ++k)
      foot.firm.push_back(std::max(foot_firmness(stance[k]), kLyingFirm * foot_firmness(rest[k])));
  }

  // Returns the time of every frame from the nearest one in which `is` is true [s].
  template <typename Is>
  [[nodiscard]] std::vector<double> away(const Is& is) const {
    std::vector<double> away(t_.size(), kInfinity);
    const auto visit = [&](std::size_t k, std::optional<Time>& nearest) {
      if (is(k)) nearest = t_[k];
      if (nearest) away[k] = std::min(away[k], std::abs(to_seconds(t_[k] - *nearest)));
    };
    std::optional<Time> before, after;
    for (std::size_t k = 0; k < t_.size(); ++k) visit(k, before);
    for (std::size_t k = t_.size(); k-- > 0;) visit(k, after);
    return away;
  }

  void plan_feet() {
    std::vector<FootMotion> motions;
    for (Foot& foot : feet_) {
      foot.motion.p_WF.clear();
      for (std::size_t k = 0; k < t_.size(); ++k) foot.motion.p_WF.push_back(base_[k] + foot.arm[k]);
      motions.push_back(foot.motion);
    }
    const std::size_t right = feet_.front().side == 0 ? 0 : 1;
    for (std::size_t i = 0; i < motions.size(); ++i) move_stances(shifts_[i == right ? 0 : 1], motions[i]);
    plan_ = plant_feet(t_, motions, {.ground = 0.0}, cuts_);
    if (feet_.size() == 2)
      part_stances(feet_[right].motion, feet_[1 - right].motion, plan_.feet[right], plan_.feet[1 - right],
                   shifts_);
    for (std::size_t i = 0; resting_ && i < feet_.size(); ++i)
      keep_still(t_, feet_[i].own, feet_[i].motion.contacts, feet_[i].rests, feet_[i].motion.sole.ball,
                 options_.base_time, cuts_, plan_.feet[i]);
  }

  // Plans again with feet that lie still, each near its way so far.
  void keep_rests() {
    resting_ =
        std::any_of(feet_.begin(), feet_.end(), [](const Foot& foot) { return !foot.rests.planted.empty(); });
    if (!resting_) return;
    for (std::size_t i = 0; i < feet_.size(); ++i) feet_[i].own = plan_.feet[i].p_WF;
    for (int round = 0; round < kRests; ++round) {
      plan_feet();
      plan_base();
    }
    plan_feet();
  }

  // Plans the base that feet in stance ask for: the person's way with a smooth correction.
  void plan_base() {
    for (int axis = 0; axis < 3; ++axis) {
      PathWishes wishes;
      for (std::size_t k = 0; k < t_.size(); ++k) {
        const double way = wishes_[k].person[axis];
        double weight = options_.pull, sum = 0.0;
        const auto wish = [&](double value, double share) {
          weight += share;
          sum += share * (value - way);
        };
        if (axis == 2) wish(wishes_[k].on_soles, options_.lift);
        if (axis == 2 && base_[k].z() + low_[k] < kOnFloor) wish(-low_[k], kBodyLift);
        for (std::size_t i = 0; i < feet_.size(); ++i)
          if (feet_[i].stands(k) || (resting_ && axis != 2 && feet_[i].lies(k)))
            wish(plan_.feet[i].p_WF[k][axis] - feet_[i].arm[k][axis], feet_[i].stands(k) ? 1.0 : kLies);
        wishes.weight.push_back(weight);
        wishes.value.push_back(sum / weight);
      }
      const std::vector<double> correction = smooth_path(t_, wishes, options_.base_time, cuts_);
      for (std::size_t k = 0; k < t_.size(); ++k) base_[k][axis] = wishes_[k].person[axis] + correction[k];
    }
  }

  // Finds how far legs that keep lying feet still have pushed the body under the floor; returns if they have.
  bool find_sunk() {
    Kinematics kinematics(model_);
    sunk_.assign(t_.size(), 0.0);
    bool any = false;
    for (std::size_t k = 0; k < t_.size(); ++k) {
      if (std::none_of(feet_.begin(), feet_.end(), [&](const Foot& foot) { return foot.lies(k); })) continue;
      kinematics.update(states()[k]);
      sunk_[k] = std::max(-outline_.lowest(kinematics), 0.0);
      any = any || sunk_[k] > kOnFloor;
    }
    return any;
  }

  // Moves the base towards feet in stance that the legs do not reach, and out of the floor.
  void help_legs() {
    for (int axis = 0; axis < 3; ++axis) {
      PathWishes wishes;
      for (std::size_t k = 0; k < t_.size(); ++k) {
        double weight = kKeep, sum = 0.0;
        for (const Foot& foot : feet_) {
          if (!foot.stands(k) || foot.missed[k].norm() < kReached) continue;
          weight += kHelp;
          sum += kHelp * std::clamp(foot.missed[k][axis], -kMostHelp, kMostHelp);
        }
        if (axis == 2 && sunk_[k] > kOnFloor) {
          weight += kHelp;
          sum += kHelp * std::min(sunk_[k], kMostHelp);
        }
        wishes.weight.push_back(weight);
        wishes.value.push_back(sum / weight);
      }
      const std::vector<double> change = smooth_path(t_, wishes, options_.base_time, cuts_);
      for (std::size_t k = 0; k < t_.size(); ++k) base_[k][axis] += change[k];
    }
  }

  [[nodiscard]] double farthest_miss() const {
    double farthest = 0.0;
    for (const Foot& foot : feet_)
      for (std::size_t k = 0; k < t_.size(); ++k)
        if (foot.stands(k)) farthest = std::max(farthest, foot.missed[k].norm());
    return farthest;
  }

  // Moves the base to its plan and the legs to theirs, within limits of position and speed. `again`: the legs
  // begin where they were moved to before, and stay there where the base does.
  void move_legs(bool again) {
    Eigen::VectorXd lower, upper, moved, offset = Eigen::VectorXd::Zero(model_.dof());
    for (Foot& foot : feet_) {
      foot.missed.resize(t_.size());
      foot.off.resize(t_.size());
    }
    for (std::size_t k = 0; k < t_.size(); ++k) {
      State& state = states()[k];
      const bool stays = again && (base_[k] - state.p_WB).norm() < kStays;
      if (!stays) state.p_WB = base_[k];
      moved = state.s;
      state.s = free_[k];
      lower = model_.lower();
      upper = model_.upper();
      const bool joined = joined_[k];
      const double dt = joined ? to_seconds(t_[k] - t_[k - 1]) : 0.0;
      for (std::size_t i = 0; i < feet_.size(); ++i) {
        bool bounded = false;
        for (const int j : feet_[i].leg.joints()) {
          if (joined) {
            lower[j] = std::max(lower[j], states()[k - 1].s[j] - speed(j) * dt);
            upper[j] = std::min(upper[j], states()[k - 1].s[j] + speed(j) * dt);
          }
          const double start = again ? moved[j] : joined ? state.s[j] + offset[j] : state.s[j];
          state.s[j] = std::clamp(start, lower[j], upper[j]);
          bounded = bounded || state.s[j] != start;
        }
        if (!stays || bounded) move_leg(i, k, lower, upper, state);
        for (const int j : feet_[i].leg.joints()) offset[j] = state.s[j] - free_[k][j];
      }
      if (options_.progress)
        options_.progress(((again ? std::ssize(states()) : 0) + static_cast<std::int64_t>(k) + 1) / 2);
    }
  }

  void move_leg(std::size_t i, std::size_t k, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                State& state) {
    Foot& foot = feet_[i];
    LimbWish wish;
    wish.p_WL = plan_.feet[i].p_WF[k];
    wish.R_WL = plan_.feet[i].R_WF[k];
    wish.orientation = foot.firm[k];
    foot.missed[k] = meet_plan(foot.leg, wish, foot.motion.corners, free_[k], {lower, upper}, state);
    foot.off[k] = (wish.p_WL - foot.leg.p_WL()).norm();
  }

  const Model& model_;
  const PlantMotionOptions& options_;
  const std::vector<int>& cuts_;
  Motion& motion_;
  BodyOutline outline_;
  std::vector<Time> t_;
  std::vector<bool> joined_;  // the frame continues the one before
  std::vector<BaseWish> wishes_;
  std::vector<Foot> feet_;
  std::vector<Eigen::VectorXd> free_;  // joints before planting
  std::vector<double> low_;            // lowest point of the body above the base's origin [m]
  bool resting_ = false;               // feet that lie keep their places
  std::vector<double> sunk_;           // how far it should rise after the legs have moved [m]
  std::vector<Vector3d> base_;         // the plan of the base
  PlantedFeet plan_;
  StanceShifts shifts_;  // so that feet are not in each other
};

}  // namespace

std::vector<BaseWish> base_wishes(RobotRecording& recording, double floor) {
  recording.rewind();
  std::vector<BaseWish> wishes;
  SegmentSample sample;
  const robot::Skeleton& skeleton = recording.skeleton();
  std::array<std::optional<std::size_t>, 2> entry;
  for (const std::size_t side : {0U, 1U}) entry[side] = entry_of(recording.names(), kFoot[side]);
  for (ReadStatus read{}; (read = recording.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed) break;
    if (read != ReadStatus::Sample || (!wishes.empty() && sample.t <= wishes.back().t)) continue;
    if (const auto wish = base_wish(recording.person(), sample, skeleton, entry, floor))
      wishes.push_back(*wish);
  }
  recording.rewind();
  return wishes;
}

PersonFeet feet_at(const PersonFeet& person, const std::vector<Time>& recorded, const std::vector<Time>& t) {
  PersonFeet feet = person;
  feet.t = t;
  feet.cuts.clear();
  const std::vector<int> frame = nearest_frames(person.t, recorded);
  for (std::vector<FootContacts>* all : {&feet.contacts.feet, &feet.rests})
    for (FootContacts& foot : *all) foot = contacts_at(foot, frame, [](std::size_t) { return true; });
  return feet;
}

std::vector<BaseWish> wishes_at(const std::vector<BaseWish>& wishes, const std::vector<Time>& recorded,
                                const std::vector<Time>& t) {
  std::vector<BaseWish> result;
  for (std::size_t k = 0; k < t.size() && !wishes.empty(); ++k) {
    const auto after = std::lower_bound(wishes.begin(), wishes.end(), recorded[k],
                                        [](const BaseWish& wish, Time instant) { return wish.t < instant; });
    const BaseWish& b = after == wishes.end() ? wishes.back() : *after;
    const BaseWish& a = after == wishes.begin() ? b : *std::prev(after);
    const double share =
        b.t > a.t ? std::clamp(to_seconds(recorded[k] - a.t) / to_seconds(b.t - a.t), 0.0, 1.0) : 0.0;
    BaseWish wish{t[k], a.person + share * (b.person - a.person),
                  a.on_soles + share * (b.on_soles - a.on_soles)};
    for (const std::size_t side : {0U, 1U})
      if (a.foot[side] && b.foot[side]) wish.foot[side] = part_of_turn(*a.foot[side], *b.foot[side], share);
    result.push_back(wish);
  }
  return result;
}

std::string let_go_note(const PlantMotionReport& report) {
  if (!(report.feet_missed_m > kMissed)) return "";
  return "feet on the ground miss their places by up to " + tenths_above(1e3 * report.feet_missed_m) +
         " mm where the legs do not reach them";
}

PlantMotionReport plant_motion(const Model& model, const robot::Skeleton& skeleton, const PersonFeet& person,
                               const std::vector<BaseWish>& wishes, const PlantMotionOptions& options,
                               const std::vector<int>& cuts, Motion& motion) {
  check_finite("planted motion", {{"calm", options.calm},
                                  {"base_time", options.base_time},
                                  {"pull", options.pull},
                                  {"lift", options.lift}});
  if (!(options.calm >= 0.0) || !(options.base_time > 0.0) || !(options.pull > 0.0) || !(options.lift > 0.0))
    throw ConfigError("planted motion: need calm >= 0, and base_time, pull and lift above 0");
  return Planner(model, skeleton, wishes, options, cuts, motion).run(skeleton, person);
}

}  // namespace panto
