#include "panto/retarget/led_motion.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/planted_leg.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kLongest = 60.0;   // [s]
constexpr double kFastest = 1e4;    // [Hz]
constexpr double kFade = 0.2;       // [s] in which what moves at an end of the motion comes to rest
constexpr double kLoopBlend = 1.0;  // [s] of a loop's end
constexpr double kHop = 0.02;       // [m] by which a sole is higher beyond an end, where it falls or climbs
constexpr double kLeastUp = 0.5;    // cosine of a trunk's tilt beyond which nothing stands
constexpr double kMostTurn = 0.79;  // [rad] between a loop's end and its beginning
constexpr double kOnFloor = 0.005;  // [m] of an end of a sole in contact
constexpr std::size_t kShortestLoop = 12;  // frames

// from 0 to 1, with zero slope and curvature at both: least jerk
double rise(double u) { return u * u * u * (10.0 + u * (6.0 * u - 15.0)); }

// Way at unit speed, `away` [s] beyond an end: speed fades to zero over `fade` [s], at first without a
// change.
double coasting(double away, double fade) {
  const double u = std::clamp(1.0 - away / fade, 0.0, 1.0);
  return fade * (0.5 - u * u * u * (1.0 - 0.5 * u));
}

int longer(int frames) { return static_cast<int>(1.1 * frames) + 1; }

// the time in which a speed fades within `room`
double fade_within(double room, double speed) {
  return std::abs(speed) * 0.5 * kFade > room ? std::max(2.0 * room / std::abs(speed), 1e-6) : kFade;
}

struct Foot {
  int link = 0;
  std::vector<Vector3d> corners, sole;
};

// An end of a motion, and how it goes on beyond it. Velocities point away from the motion.
struct End {
  State state;
  Eigen::VectorXd sdot, fade;
  Vector3d v = Vector3d::Zero(), w = Vector3d::Zero();
  double height = 0.0, climb = 0.0;                             // of the lowest sole [m], [m/s]
  std::size_t support = 0;                                      // the foot that holds its place
  Vector3d place = Vector3d::Zero(), slide = Vector3d::Zero();  // of its sole

  [[nodiscard]] State at(double away) const {
    State e = state;
    const double gone = coasting(away, kFade);
    e.p_WB += gone * v;
    e.R_WB = so3::exp(Vector3d(gone * w)) * state.R_WB;
    for (Eigen::Index j = 0; j < e.s.size(); ++j) e.s[j] += coasting(away, fade[j]) * sdot[j];
    return e;
  }
  [[nodiscard]] double sole_at(double away) const {
    return height + climb * coasting(away, fade_within(climb < 0.0 ? std::max(height, 0.0) : kHop, climb));
  }
};

class Leader {
 public:
  Leader(const Model& model, const robot::Skeleton& skeleton, const Motion& motion)
      : model_(model), skeleton_(skeleton), motion_(motion), body_(model), rate_(motion.rate_hz) {
    for (const int side : {0, 1})
      if (model.floating_base() && skeleton.sole(side).size() == 2)
        feet_.push_back({skeleton.link_of(plant_rules::kFoot[at(side)]), foot_corners(model, skeleton, side),
                         skeleton.sole(side)});
  }

  // Adds a way from standing to the first frame, or from the last frame to standing.
  void lead(bool in, double seconds, Motion& led, std::vector<std::string>& notes) {
    const char* name = in ? "lead-in" : "lead-out";
    const End end = end_of(in);
    const State standing = standing_near(end.state, name);
    const int asked = std::max(2, static_cast<int>(std::ceil(seconds * rate_ - 1e-9)));
    int n = asked;
    std::vector<State> way;
    int hurried = -1;
    for (;; n = longer(n)) {
      way.assign(1, end.state);
      for (int k = 1; k <= n; ++k) {
        const double share = rise(static_cast<double>(k) / n);
        way.push_back(stepped(end, k / rate_, share, standing));
      }
      const int fast = too_fast(way, end.sdot.cwiseAbs());
      if (fast < 0) break;
      hurried = fast;
      if (n > kLongest * rate_)
        throw ConfigError(std::string(name) + ": takes longer than 60 s, as " +
                          model_.joint_names()[at(hurried)] + " moves no faster");
    }
    if (n > asked)
      notes.push_back(std::string(name) + ": lasts " + digits(n / rate_, 3) + " s, not " +
                      digits(seconds, 3) + " s: " + model_.joint_names()[at(hurried)] + " moves no faster");
    put(way, in, led);
  }

  void loop(Motion& led, std::vector<std::string>& notes) {
    const State &first = motion_.states.front(), &last = motion_.states.back();
    const int count = static_cast<int>(motion_.states.size());
    const double turn = so3::distance(first.R_WB, last.R_WB);
    if (turn > kMostTurn)
      throw ConfigError(
          "loop: the motion ends turned by " + digits(turn * kToDegrees, 3) +
          " deg from its beginning; cut it where it heads and leans the same way, within 45 deg");
    End begin = end_of(true);
    const Vector3d round(last.p_WB.x() - first.p_WB.x(), last.p_WB.y() - first.p_WB.y(), 0.0);
    begin.state.p_WB += round;
    int n = std::clamp(static_cast<int>(kLoopBlend * rate_), 2, count / 3);
    for (;; n = longer(n)) {
      Eigen::VectorXd own = begin.sdot.cwiseAbs();
      for (int k = count - n; k < count; ++k)
        own = own.cwiseMax((motion_.states[at(k)].s - motion_.states[at(k - 1)].s).cwiseAbs() * rate_);
      std::vector<State> way{motion_.states[at(count - n - 1)]};
      for (int k = count - n; k < count; ++k) {
        const double away = (count - 1 - k) / rate_;
        const State& state = motion_.states[at(k)];
        const double share = rise(static_cast<double>(k + n + 1 - count) / n);
        way.push_back(mixed(state, begin.at(away), share));
        if (!feet_.empty())
          way.back().p_WB.z() +=
              (1.0 - share) * lowest(state) + share * begin.sole_at(away) - lowest(way.back());
      }
      const int fast = too_fast(way, own);
      if (fast >= 0 && 2 * n < count) continue;
      if (fast >= 0)
        throw ConfigError("loop: " + model_.joint_names()[at(fast)] +
                          " would be faster than its limit where the end turns into the beginning; cut the "
                          "motion where the two are nearer");
      std::copy(way.begin() + 1, way.end(), led.states.end() - n);
      break;
    }
    State &begins = led.states.front(), &ends = led.states.back();
    ends.s = begins.s;  // without rounding
    ends.R_WB = begins.R_WB;
    for (int k = count - n - 1; k < count - 1; ++k) derive(at(k), led);
    State next = led.states[1];  // of the next round
    next.p_WB += round;
    next.t += ends.t - begins.t;
    set_velocities(led.states[at(count - 2)], next, ends);
    begins.v_WB = ends.v_WB;
    begins.w_WB = ends.w_WB;
    begins.sdot = ends.sdot;
    find_contacts(at(count - n), at(count), led);
    notes.push_back("loop: the last " + digits(n / rate_, 3) +
                    " s turn into the first frame; every round moves on by " + digits(round.norm(), 3) +
                    " m");
  }

 private:
  double lowest(const State& state) {
    body_.update(state);
    double z = kInfinity;
    for (const Foot& foot : feet_) z = std::min(z, lowest_of(foot));
    return z;
  }
  // of the pose of `body_`
  [[nodiscard]] double lowest_of(const Foot& foot) const {
    double z = kInfinity;
    for (const Vector3d& corner : foot.corners)
      z = std::min(z, (body_.p_WL(foot.link) + body_.R_WL(foot.link) * corner).z());
    return z;
  }
  [[nodiscard]] Vector3d place_of(const Foot& foot) const {
    return body_.p_WL(foot.link) + body_.R_WL(foot.link) * (0.5 * (foot.sole[0] + foot.sole[1]));
  }

  // the first frame or the last one, with the speed of the step beside it
  [[nodiscard]] End end_of(bool first) {
    State state = first ? motion_.states.front() : motion_.states.back();
    const std::size_t next = first ? 1 : motion_.states.size() - 1;
    set_velocities(motion_.states[next - 1], motion_.states[next], state);
    const double sign = first ? -1.0 : 1.0;
    End end{state, sign * state.sdot, Eigen::VectorXd::Constant(state.s.size(), kFade)};
    end.v = sign * state.v_WB;
    end.w = sign * state.w_WB;
    limit_fades(end);
    if (feet_.empty()) return end;
    constexpr double kMoment = 1e-4, kPerSpeed = 0.1;  // [s]; [m] of height that a speed of 1 m/s counts as
    const State soon = end.at(kMoment);
    end.height = lowest(state);
    end.climb = (lowest(soon) - end.height) / kMoment;
    double best = kInfinity;
    for (std::size_t i = 0; i < feet_.size(); ++i) {
      body_.update(state);
      const Vector3d place = place_of(feet_[i]);
      const double z = lowest_of(feet_[i]);
      body_.update(soon);
      const Vector3d slide = (place_of(feet_[i]) - place) / kMoment;
      if (z + kPerSpeed * slide.norm() >= best) continue;
      best = z + kPerSpeed * slide.norm();
      end.support = i;
      end.place = place;
      end.slide = slide;
    }
    return end;
  }

  [[nodiscard]] double value_of(const CoupledRow& row, const Eigen::VectorXd& s) const {
    double value = 0.0;
    for (const auto& [joint, coefficient] : row.terms) value += coefficient * s[model_.joint_index(joint)];
    return value;
  }

  // joints come to rest within their limits, those of a row together within the row's
  void limit_fades(End& end) const {
    for (int j = 0; j < model_.dof(); ++j) {
      const double v = end.sdot[j];
      const double room = v > 0.0 ? model_.upper()[j] - end.state.s[j] : end.state.s[j] - model_.lower()[j];
      end.fade[j] = fade_within(std::max(room, 0.0), v);
    }
    for (std::size_t pass = 0; pass <= model_.rows().size(); ++pass)  // a joint may be in several
      for (const CoupledRow& row : model_.rows()) {
        const double value = value_of(row, end.state.s), speed = value_of(row, end.sdot);
        double fade = kFade;
        for (const auto& [joint, coefficient] : row.terms)
          fade = std::min(fade, end.fade[model_.joint_index(joint)]);
        const double room = speed > 0.0 ? row.upper - value : value - row.lower;
        if (row.upper > row.lower) fade = std::min(fade, fade_within(std::max(room, 0.0), speed));
        for (const auto& [joint, coefficient] : row.terms) end.fade[model_.joint_index(joint)] = fade;
      }
  }

  // The rest pose, upright, where `state` is and as it heads. Joints of rows that it breaks stay as they are.
  [[nodiscard]] State standing_near(const State& state, const std::string& name) const {
    State standing = state;
    standing.s = model_.rest();
    for (std::size_t pass = 0; pass < model_.rows().size(); ++pass)
      for (const CoupledRow& row : model_.rows()) {
        const double value = value_of(row, standing.s);
        if (value >= row.lower && value <= row.upper) continue;
        for (const auto& [joint, coefficient] : row.terms)
          standing.s[model_.joint_index(joint)] = state.s[model_.joint_index(joint)];
      }
    if (!model_.floating_base()) return standing;
    const bool pelvis = skeleton_.link_of(HumanSegment::Pelvis) == model_.root_link();
    const Vector3d up = state.R_WB * (pelvis ? skeleton_.up(HumanSegment::Pelvis) : Vector3d::UnitZ());
    if (up.z() < kLeastUp)
      throw ConfigError(name + ": the robot leans by " + digits(acos(up.z()) * kToDegrees, 3) +
                        " deg there; it can lead to standing within 60 deg");
    const Vector3d axis = up.cross(Vector3d::UnitZ());
    if (axis.norm() > 1e-9) standing.R_WB = so3::exp(Vector3d(acos(up.z()) * axis.normalized())) * state.R_WB;
    return standing;
  }

  static State mixed(const State& a, const State& b, double share) {
    State state = a;
    state.s += share * (b.s - a.s);
    state.p_WB += share * (b.p_WB - a.p_WB);
    state.R_WB = so3::project(so3::exp(Vector3d(share * so3::log(b.R_WB * a.R_WB.transpose()))) * a.R_WB);
    return state;
  }

  // A pose of a lead: the supporting foot holds its place, the lowest sole is on the floor.
  State stepped(const End& end, double away, double share, const State& standing) {
    State state = mixed(end.at(away), standing, share);
    if (feet_.empty()) return state;
    state.p_WB.z() += (1.0 - share) * end.sole_at(away) - lowest(state);
    const Vector3d place = end.place + coasting(away, kFade) * end.slide;
    state.p_WB.head<2>() += (place - place_of(feet_[end.support])).head<2>();
    return state;
  }

  // the joint that is faster than its limit, and than `own`, by most; -1: none
  [[nodiscard]] int too_fast(const std::vector<State>& way, const Eigen::VectorXd& own) const {
    int joint = -1;
    double most = 1.0 + 1e-9;
    for (int j = 0; j < model_.dof(); ++j)
      for (std::size_t k = 1; k < way.size(); ++k) {
        const double speed = std::abs(way[k].s[j] - way[k - 1].s[j]) * rate_;
        const double limit = std::max(model_.joint(j).velocity, own[j]);
        if (speed > most * limit) (joint = j, most = speed / limit);
      }
    return joint;
  }

  // Puts a way, which begins at the motion's end, before or after it.
  void put(std::vector<State>& way, bool in, Motion& led) {
    const std::size_t n = way.size() - 1, frames = led.states.size();
    const Time begin = in ? led.states.front().t : led.states.back().t;
    const auto stamp = [&](std::size_t k) { return begin + frame_time(static_cast<std::int64_t>(k), rate_); };
    for (std::size_t k = 1; k <= n; ++k) way[k].t = stamp(in ? n - k : k);
    if (in) {
      const Time later = stamp(n) - begin;
      for (State& state : led.states) state.t += later;
      led.states.insert(led.states.begin(), way.rbegin(), way.rend() - 1);
    } else {
      led.states.insert(led.states.end(), way.begin() + 1, way.end());
    }
    for (LinkContacts& foot : led.contacts) {
      for (auto* on : {&foot.heel, &foot.ball}) on->insert(in ? on->begin() : on->end(), n, 0);
      if (!foot.anchor.empty())
        foot.anchor.insert(in ? foot.anchor.begin() : foot.anchor.end(), n, std::nullopt);
    }
    const std::size_t from = in ? 0 : frames, to = from + n;
    for (std::size_t k = in ? 1 : from - 1; k < (in ? to + 1 : to - 1); ++k) derive(k, led);
    State& rest = in ? led.states.front() : led.states.back();
    rest.v_WB.setZero();
    rest.w_WB.setZero();
    rest.sdot.setZero();
    find_contacts(from, to, led);
  }

  static void derive(std::size_t k, Motion& led) {
    set_velocities(led.states[k - 1], led.states[k + 1], led.states[k]);
  }

  // contacts of new frames: ends of soles on the floor
  void find_contacts(std::size_t from, std::size_t to, Motion& led) {
    for (LinkContacts& contacts : led.contacts)
      for (const Foot& foot : feet_)
        for (std::size_t k = from; k < to && model_.find_link(contacts.link) == foot.link; ++k) {
          body_.update(led.states[k]);
          for (const std::size_t part : {0U, 1U})
            (part == 0 ? contacts.heel : contacts.ball)[k] =
                (body_.p_WL(foot.link) + body_.R_WL(foot.link) * foot.sole[part]).z() < kOnFloor ? 1 : 0;
          if (!contacts.anchor.empty()) contacts.anchor[k].reset();
        }
  }

  const Model& model_;
  const robot::Skeleton& skeleton_;
  const Motion& motion_;
  Kinematics body_;
  double rate_;
  std::vector<Foot> feet_;
};

void check_motion(const Motion& motion, const LeadOptions& options) {
  if (!(motion.rate_hz > 0.0)) throw ConfigError("lead-in, lead-out or loop: the motion's rate is not known");
  if (motion.rate_hz > kFastest)
    throw ConfigError("lead-in, lead-out or loop: " + digits(motion.rate_hz, 6) +
                      " frames a second; at most 10000 are led");
  const std::size_t least = options.loop ? kShortestLoop : 2;
  if (motion.states.size() < least)
    throw ConfigError("lead-in, lead-out or loop: the motion has " +
                      counted(std::ssize(motion.states), "frame") + "; " + std::to_string(least) +
                      " are needed");
}

}  // namespace

void check_leads(const LeadOptions& options) {
  for (const double seconds : {options.in, options.out})
    if (!(seconds >= 0.0 && seconds <= kLongest))
      throw ConfigError("lead-in and lead-out: " + digits(seconds, 6) + " s; give 0 to 60");
  if (options.loop && (options.in > 0.0 || options.out > 0.0))
    throw ConfigError("a loop has no lead-in and no lead-out: it never begins or ends");
}

Motion led_motion(const Model& model, const robot::Skeleton& skeleton, const Motion& motion,
                  const LeadOptions& options, std::vector<std::string>& notes) {
  Motion led = motion;
  if (!options.any()) return led;
  check_leads(options);
  check_motion(motion, options);
  Leader leader(model, skeleton, motion);
  if (options.loop) leader.loop(led, notes);
  if (options.in > 0.0) leader.lead(true, options.in, led, notes);
  if (options.out > 0.0) leader.lead(false, options.out, led, notes);
  return led;
}

}  // namespace panto
