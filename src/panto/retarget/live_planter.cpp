#include "panto/retarget/live_planter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/math/ease.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/speed_limit.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/motion/spring.hpp"
#include "panto/recording/person_reader.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr std::size_t kPast = 64;        // planned samples that are kept at most
constexpr double kPastTime = 0.09;       // [s] of them that are needed
constexpr double kHorizon = 0.24;        // [s] after the window, as its last sample, for the base
constexpr double kHorizonStep = 0.02;    // [s]
constexpr double kShortestStep = 0.001;  // [s] between points of the base's path
constexpr double kFixed = 1e12;          // weight of what is published
constexpr double kCalmReach = 0.06;      // [s] of neighbours with which smoothing is enough
constexpr double kFollow = 0.04;         // [s] of the spring that otherwise calms the path
constexpr double kFullAhead = 0.1;       // [s] of look-ahead with which feet land and a base moves as planned
constexpr double kSeenTime = 0.03;       // [s] `base_time` then
constexpr double kUsualTime = 1.0;       // [s] over which the usual height is found
constexpr double kReturn = 0.3;          // share of the base's correction that a step takes back
constexpr double kMostReturn = 0.03;     // [m] of one step
constexpr double kLongestStep = 0.1;     // [s] that counts for speeds of joints

// How much of what full look-ahead gives is missing, 1 to 0.
double blindness(double look_ahead) { return std::max(0.0, 1.0 - look_ahead / kFullAhead); }

// A foot that comes down is slow too late for a stance that is not seen coming.
ContactOptions live_stances(const SubjectDimensions& person, double look_ahead) {
  ContactOptions options = stance_options(person);
  options.speed_on *= 1.0 + blindness(look_ahead);
  options.speed_off *= 1.0 + blindness(look_ahead);
  return options;
}

}  // namespace

LivePlanter::LivePlanter(const Model& model, const robot::Skeleton& skeleton,
                         const std::vector<std::string>& segments, const SubjectDimensions& person,
                         const LivePlanterOptions& options)
    : model_(&model),
      options_(options),
      outline_(model, skeleton),
      kinematics_(model),
      contacts_(4, kMostPending + kPast, live_stances(person, options.look_ahead), options.floor),
      ring_(kMostPending + kPast) {
  for (const int side : {0, 1}) {
    entries_[at(side)] = entry_of(segments, plant_rules::kFoot[at(side)]);
    person_soles_[at(side)] = human_sole(person, side == 0);
    if (model.floating_base() && entries_[at(side)] && skeleton.sole(side).size() == 2)
      feet_.emplace_back(model, skeleton, side);
  }
  const double blind = blindness(options.look_ahead);
  options_.planting.base_time = blind * options.planting.base_time + (1.0 - blind) * kSeenTime;
  for (Frame& frame : ring_) frame.free = frame.out = rest_state(model);
  band_.reserve(ring_.size() + static_cast<std::size_t>(kHorizon / kHorizonStep) + 4);
  lower_ = upper_ = like_ = offset_ = calmed_ = Eigen::VectorXd::Zero(model.dof());
}

void LivePlanter::reset() noexcept {
  head_ = count_ = planned_ = published_ = 0;
  measured_ = false;
  offset_.setZero();
  contacts_.reset();
  for (LiveFoot& foot : feet_) foot.reset();
}

void LivePlanter::drop_old() noexcept {
  while (published_ > 2 && (count_ == ring_.size() || seconds(1, published_ - 1) > kPastTime)) {
    contacts_.pop();
    head_ = (head_ + 1) % ring_.size();
    --count_;
    --planned_;
    --published_;
  }
}

std::array<Vector3d, 4> LivePlanter::soles(const SegmentSample& person) const noexcept {
  std::array<Vector3d, 4> points;
  points.fill(Vector3d::Constant(std::numeric_limits<double>::quiet_NaN()));
  for (const LiveFoot& foot : feet_) {
    const SegmentMotion& m = person.segments[*entries_[foot.side()]];
    if (!m.has_orientation || !m.has_position) continue;
    const FootSole& sole = person_soles_[foot.side()];
    points[2 * foot.side()] = m.p_WS + m.R_WS * sole.heel;
    points[2 * foot.side() + 1] = m.p_WS + m.R_WS * sole.ball;
  }
  return points;
}

double LivePlanter::floor_under(const SegmentSample& person) noexcept {
  contacts_.begin(soles(person));
  return contacts_.ground();
}

// Reads what the sample asks of the base; a base on its way to the person stays on it.
bool LivePlanter::measured(const LiveSolved& solved, const robot::Skeleton& skeleton, Frame& now) noexcept {
  const auto wish = base_wish(solved.person, solved.posed, skeleton, entries_, contacts_.ground());
  now.wish = wish.value_or(BaseWish{});
  now.way = solved.free.p_WB;
  now.on_soles = solved.free.p_WB.z();
  if (!wish || solved.returning) return false;
  now.way = wish->person;
  now.on_soles = wish->on_soles;
  return true;
}

void LivePlanter::push(const LiveSolved& solved, const robot::Skeleton& skeleton) noexcept {
  drop_old();
  contacts_.push(solved.free.t, solved.joined && !solved.gap, soles(solved.person));
  const bool first = count_ == 0;
  Frame& now = frame(count_++);
  now.status = solved.status;
  now.joined = solved.joined && !first;
  now.returning = solved.returning;
  now.free = solved.free;
  now.out.t = solved.free.t;
  if (measured(solved, skeleton, now)) {
    const double dt = first ? 0.0 : seconds(count_ - 2, count_ - 1);
    const double above = now.on_soles - now.way.z();
    above_ = measured_ ? above_ + std::min(dt / kUsualTime, 1.0) * (above - above_) : above;
    measured_ = true;
    now.way.z() += above_;
  }
  now.path = now.way;
  now.base = {now.way.x(), now.way.y(), now.on_soles};
  if (!first) now.base = now.way + frame(count_ - 2).base - frame(count_ - 2).path;
  now.out = now.free;
  if (options_.look_ahead > 0.0) measure(now);  // else it is planned at once
}

// Turns the feet as the person's, and measures feet and body of `out` from its base.
void LivePlanter::measure(Frame& now) noexcept {
  for (LiveFoot& foot : feet_)
    if (const auto& R_WF = now.wish.foot[foot.side()]) foot.leg().turn_end(*R_WF, now.out);
  kinematics_.update(now.out);
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    const int link = feet_[i].leg().end();
    now.feet[i].arm = kinematics_.p_WL(link) - now.out.p_WB;
    now.feet[i].R_WF = kinematics_.R_WL(link);
  }
  now.low = outline_.lowest(kinematics_) - now.out.p_WB.z();
}

// Smooths a frame with as many neighbours on either side as are known.
void LivePlanter::calm(std::size_t k) noexcept {
  const double scale = std::sqrt(2.0) * options_.planting.calm;
  std::size_t wide = 0;
  while (wide + 1 <= k && k + wide + 1 < count_ && frame(k - wide).joined && frame(k + wide + 1).joined &&
         seconds(k - wide - 1, k) <= kPastTime - 0.005 && seconds(k, k + wide + 1) <= kPastTime - 0.005)
    ++wide;
  const double share = ease(std::min(seconds(k, k + wide) / kCalmReach, 1.0));
  if (k > 0 && frame(k).joined && share < 1.0) follow(k);
  if (wide == 0 || !(scale > 0.0)) return;
  Frame& now = frame(k);
  Eigen::Vector4d turn = Eigen::Vector4d::Zero();
  const Eigen::Vector4d q_now = Eigen::Quaterniond(now.free.R_WB).coeffs();
  double sum = 0.0;
  now.out.s.setZero();
  Vector3d path = Vector3d::Zero();
  for (std::size_t j = k - wide; j <= k + wide; ++j) {
    const double away = std::abs(seconds(k, j)) / scale;
    const SinCos wave = sincos(away);
    const double span = seconds(j > k - wide ? j - 1 : j, j < k + wide ? j + 1 : j);
    const double weight = exp(-away) * (wave.cos + wave.sin) * span;
    const Eigen::Vector4d q = Eigen::Quaterniond(frame(j).free.R_WB).coeffs();
    turn += (q.dot(q_now) < 0.0 ? -weight : weight) * q;
    now.out.s += weight * frame(j).free.s;
    path += weight * frame(j).way;
    sum += weight;
  }
  now.out.s = (now.out.s / sum).cwiseMax(model_->lower()).cwiseMin(model_->upper());
  now.path += share * (path / sum - now.path);
  now.out.R_WB = Eigen::Quaterniond(turn.normalized()).toRotationMatrix();
}

// A mean over a window that grows and shrinks may be faster than what it is of: from calmed frame to calmed
// frame joints keep their speed limits.
void LivePlanter::keep_speed(double dt, State& state) const noexcept {
  for (int j = 0; j < model_->dof(); ++j) {
    const double most = dt * speed_limit_of(*model_, j, options_.planting.speed_limit);
    state.s[j] = std::clamp(state.s[j], calmed_[j] - most, calmed_[j] + most);
  }
}

// Without enough look-ahead the path follows the person's way as a critically damped spring does, without
// lag at constant velocity.
void LivePlanter::follow(std::size_t k) noexcept {
  const double dt = seconds(k - 1, k);
  const Frame& before = frame(k - 1);
  if (k < 2 || !before.joined) return;
  const Vector3d velocity = (before.path - frame(k - 2).path) / seconds(k - 2, k - 1);
  Vector3d off = before.path - before.way, rate = velocity - (frame(k).way - before.way) / dt;
  detail::settle(kFollow, dt, off, rate);
  frame(k).path = frame(k).way + off;
}

std::size_t LivePlanter::end_of_part(std::size_t k) const noexcept {
  std::size_t end = k + 1;
  while (end < count_ && frame(end).joined) ++end;
  return end;
}

void LivePlanter::mark_stances(std::size_t k) noexcept {
  contacts_.judge(k);
  contacts_.decide(k);
  for (std::size_t j = k; j < count_; ++j) {
    Frame& now = frame(j);
    const bool carried = !now.returning && now.base.z() + now.low >= plant_rules::kCarried;
    for (std::size_t i = 0; i < feet_.size(); ++i) {
      now.feet[i].heel = carried && contacts_.stands(2 * feet_[i].side(), j);
      now.feet[i].ball = carried && contacts_.stands(2 * feet_[i].side() + 1, j);
      now.feet[i].placed = false;
    }
  }
}

// Finds the next stance of a foot and chooses its place: the mean of where its ball would be.
TouchDown LivePlanter::find_stance(std::size_t k, std::size_t i) noexcept {
  LiveFoot& foot = feet_[i];
  const std::size_t end = end_of_part(k);
  TouchDown next;
  std::size_t j = k;
  while (j < end && !frame(j).feet[i].stands()) ++j;
  if (j > k) foot.forget_place();
  std::size_t last = j;
  Vector3d ball = Vector3d::Zero();
  for (; last < end && frame(last).feet[i].stands(); ++last) {
    frame(last).feet[i].placed = true;
    if (j > k) ball += foot.ball(foot.free_pose(frame(last).base, frame(last).feet[i]));
  }
  if (j == k || j == end) return next;
  const auto pose = [&](std::size_t at) { return foot.free_pose(frame(at).base, frame(at).feet[i]); };
  next.known = true;
  next.in = seconds(k, j) + (k > 0 && frame(k).joined ? seconds(k - 1, k) : 0.0);
  next.free = pose(j);
  next.velocity = (next.free.p_WF - pose(j - 1).p_WF) / seconds(j - 1, j);
  foot.choose_place(ball / static_cast<double>(last - j), foot.yaw(pose((j + last) / 2)));
  land_beside(j, i);
  return next;
}

// Moves the place where a foot will land so that its sole is not in that of the other, which stands.
void LivePlanter::land_beside(std::size_t k, std::size_t i) noexcept {
  if (feet_.size() != 2) return;
  LiveFoot& foot = feet_[i];
  const LiveFoot& other = feet_[1 - i];
  if (!other.stood() || !frame(k).feet[1 - i].stands()) return;
  const SolePlace own = foot.sole_at(foot.standing(frame(k).feet[i]));
  const SolePlace still = other.sole_at(other.standing(frame(k).feet[1 - i]));
  foot.move_place(foot.side() == 0 ? Eigen::Vector2d(-way_apart(own, still)) : way_apart(still, own));
}

void LivePlanter::add_wish(std::size_t k, int axis, double instant) noexcept {
  const Frame& now = frame(k);
  const double way = now.path[axis];
  double weight = options_.planting.pull, sum = 0.0;
  const auto wish = [&](double value, double share) {
    weight += share;
    sum += share * (value - way);
  };
  if (axis == 2) wish(now.on_soles, options_.planting.lift);
  if (axis == 2 && now.base.z() + now.low < plant_rules::kOnFloor) wish(-now.low, plant_rules::kBodyLift);
  for (std::size_t i = 0; i < feet_.size(); ++i)
    if (now.feet[i].placed) wish(feet_[i].standing(now.feet[i]).p_WF[axis] - now.feet[i].arm[axis], 1.0);
  band_.add(instant, weight, sum / weight);
}

// Plans the base from frame k on: the person's way with a smooth correction that continues what is published
// and goes on after the window as its last sample asks.
void LivePlanter::plan_base(std::size_t k) noexcept {
  const std::size_t end = end_of_part(k);
  std::size_t begin = k;
  while (begin > 0 && frame(begin).joined && k - begin < 2) --begin;
  for (int axis = 0; axis < 3; ++axis) {
    band_.clear();
    double instant = 0.0;
    for (std::size_t j = begin; j < end; ++j) {
      if (j > begin) instant = std::max(seconds(begin, j), instant + kShortestStep);
      if (j < k) {
        band_.add(instant, kFixed, frame(j).base[axis] - frame(j).path[axis]);
      } else {
        add_wish(j, axis, instant);
      }
    }
    const double weight = band_.weight.back(), value = band_.x.back();
    for (int step = 1; step * kHorizonStep < kHorizon; ++step)
      band_.add(instant + step * kHorizonStep, weight, value);
    band_.solve(options_.planting.base_time);
    for (std::size_t j = k; j < end; ++j) frame(j).base[axis] = frame(j).path[axis] + band_.x[j - begin];
  }
}

void LivePlanter::plan(std::size_t k) noexcept {
  calm(k);
  Frame& now = frame(k);
  const bool joined = now.joined && k > 0;
  if (joined) keep_speed(seconds(k - 1, k), now.out);
  calmed_ = now.out.s;
  measure(now);
  mark_stances(k);
  std::array<TouchDown, 2> next;
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    next[i] = find_stance(k, i);
    feet_[i].begin(now.feet[i], feet_[i].free_pose(now.base, now.feet[i]), joined);
  }
  plan_base(k);
  Vector3d swing = -kReturn * (now.base - now.path);
  swing.z() = 0.0;
  swing *= std::min(1.0, kMostReturn / std::max(swing.norm(), 1e-9));
  const double dt = joined ? seconds(k - 1, k) : 0.0;
  for (std::size_t i = 0; i < feet_.size(); ++i)
    feet_[i].plan(now.feet[i], feet_[i].free_pose(now.base, now.feet[i]), next[i], dt, joined, swing);
  move_legs(k);
  if (options_.clearer != nullptr)
    options_.clearer->clear(joined ? &frame(k - 1).out : nullptr, dt, false, now.out);
  planned_ = k + 1;
}

// Moves the legs to their plans, within limits of position and speed.
void LivePlanter::move_legs(std::size_t k) noexcept {
  Frame& now = frame(k);
  State& state = now.out;
  state.p_WB = now.base;
  lower_ = model_->lower();
  upper_ = model_->upper();
  const bool joined = now.joined && k > 0;
  const double dt = joined ? std::min(seconds(k - 1, k), kLongestStep) : 0.0;
  like_ = state.s;
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    LiveFoot& foot = feet_[i];
    for (const int j : foot.leg().joints()) {
      if (joined) {
        const double most =
            dt * plant_rules::kBelowSpeed * speed_limit_of(*model_, j, options_.planting.speed_limit);
        const double before = frame(k - 1).out.s[j];
        lower_[j] = std::max(lower_[j], before - most);
        upper_[j] = std::min(upper_[j], before + most);
      }
      state.s[j] = std::clamp(joined ? state.s[j] + offset_[j] : state.s[j], lower_[j], upper_[j]);
    }
    const LimbWish wish{foot.target().p_WF, foot.target().R_WF, LimbWish{}.position, foot.firmness()};
    const Vector3d missed = meet_plan(foot.leg(), wish, foot.corners(), like_, {lower_, upper_}, state);
    for (const int j : foot.leg().joints()) offset_[j] = state.s[j] - like_[j];
    if (now.feet[i].stands() && missed.norm() > plant_rules::kMissed && foot.let_go(missed)) ++let_go_;
  }
}

// Sets the velocities of frame k: of what is published, central where the next frame is planned.
void LivePlanter::derive(std::size_t k) noexcept {
  State& state = frame(k).out;
  const std::size_t a = k > 0 && frame(k).joined ? k - 1 : k;
  const std::size_t b = k + 1 < planned_ && frame(k + 1).joined ? k + 1 : k;
  if (a == b) {
    state.v_WB.setZero();
    state.w_WB.setZero();
    state.sdot.setZero();
    return;
  }
  set_velocities(frame(a).out, frame(b).out, state);
}

StepStatus LivePlanter::publish(State& state) noexcept {
  const std::size_t k = published_;
  if (planned_ <= k) plan(k);
  if (k + 1 < count_ && frame(k + 1).joined && planned_ <= k + 1) plan(k + 1);
  derive(k);
  ++published_;
  state = frame(k).out;
  return frame(k).status;
}

}  // namespace panto
