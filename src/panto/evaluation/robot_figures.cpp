#include "panto/evaluation/robot_figures.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/math/median.hpp"
#include "panto/model/speed_limit.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kUnder = 1e-6;            // [m]; less is rounding
constexpr double kDeep = 5e-3;             // [m]; a sole that deep is seen
constexpr double kUpright = 0.6;           // of the usual height of the base: lower, feet need not stand
constexpr double kSwings = 1.0;            // [m/s]; a sole that is faster is on its way
constexpr double kNearFloor = 0.02;        // [m]; a sole this low may carry
constexpr double kEqualInterval = 2.5e-9;  // [s] stamps are rounded to the nanosecond
constexpr double kStampRounding = 1e-9;    // [s] of the time between two
constexpr double kRowRounding = 1e-8;      // of a coupled row between frames that keep it
constexpr double kMillimetres = 1e3;
constexpr double kGraze = 5.0;  // [mm] of depth in an obstacle; less is a touch

std::optional<double> in_mm(std::optional<double> metres) {
  if (metres) *metres *= kMillimetres;
  return metres;
}

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

void check_link(const Model& model, int link) {
  if (link < 0 || link >= model.link_count())
    throw ModelError("figures: no link " + std::to_string(link) + " in model '" + model.name() +
                     "', which has " + std::to_string(model.link_count()));
}

void check(const Model& model, const RobotParts& parts, const RobotFiguresOptions& options) {
  for (const RobotFoot& foot : parts.feet) check_link(model, foot.link);
  for (const LinkPoint& hand : parts.hands) check_link(model, hand.link);
  for (const LinkPoint& wrist : parts.wrists) check_link(model, wrist.link);
  for (const TouchLine& line : parts.lines) {
    check_link(model, line.from.link);
    check_link(model, line.to.link);
  }
  for (const Capsule& capsule : parts.body.capsules) {
    check_link(model, capsule.from.link);
    check_link(model, capsule.to.link);
  }
  const auto demand = [](bool good, const char* what) {
    if (!good) throw ConfigError(std::string("figures: ") + what);
  };
  demand(parts.idle.empty() || static_cast<int>(parts.idle.size()) == model.dof(),
         "idle joints must be marked for all joints or none");
  demand(parts.hands.empty() || parts.hands.size() == 2, "there must be two hands or none");
  const int capsules = static_cast<int>(parts.body.capsules.size());
  for (const auto& [a, b] : parts.body.pairs)
    demand(a >= 0 && b >= 0 && a < capsules && b < capsules, "a pair names capsules that do not exist");
  demand(std::isfinite(options.ground), "ground must be finite");
  demand(options.speed_limit > 0.0, "speed_limit must be > 0");
  demand(options.settle >= 0, "settle must not be negative");
  demand(options.on_limit >= 0.0, "on_limit must not be negative");
  demand(options.close_hands > 0.0, "close_hands must be > 0");
  demand(options.touch_down >= 0.0, "touch_down must not be negative");
}

RobotParts checked(const Model& model, RobotParts parts, const RobotFiguresOptions& options) {
  check(model, parts, options);
  return parts;
}

std::vector<std::string> names_of(const std::vector<LimbLine>& limbs) {
  std::vector<std::string> names;
  for (const LimbLine& limb : limbs) names.push_back(limb.name);
  return names;
}

bool is_revolute(const Model& model, int joint) { return model.joint(joint).type == JointType::Revolute; }

}  // namespace

RobotFiguresBuilder::Statistics::Statistics(const Model& model, const RobotParts& parts, double ground)
    : limbs(names_of(parts.limbs)),
      floor(parts.outline, ground),
      line_touches(parts.lines.size()),
      jerk(model) {}

RobotFiguresBuilder::RobotFiguresBuilder(const Model& model, RobotParts parts,
                                         const RobotFiguresOptions& options)
    : model_(&model),
      parts_(checked(model, std::move(parts), options)),
      options_(options),
      kinematics_(model),
      speed_(model.velocity_limit()),
      settling_(model, parts_, options.ground),
      settled_(model, parts_, options.ground),
      limits_(model, options.limit_tolerance),
      on_limit_(at(model.dof()), 0),
      moved_(at(model.dof()), 0),
      body_(options_.overlaps ? parts_.body : CapsuleBody{}) {
  for (RobotFoot& foot : parts_.feet) {
    if (!foot.corners.empty()) continue;
    for (const Vector3d& corner : corners(foot.sole)) foot.corners.push_back(corner);
  }
  for (int i = 0; i < model.dof(); ++i) speed_[i] = speed_limit_of(model, i, options_.speed_limit);
  for (const CoupledRow& row : model.rows()) {
    Row& own = rows_.emplace_back(Row{{}, row.lower, row.upper});
    for (const CoupledRow::Term& term : row.terms)
      own.terms.emplace_back(model.joint_index(term.joint), term.coefficient);
  }
  for (const std::string& name : body_.names()) overlaps_.push_back({name});
}

void RobotFiguresBuilder::interrupt() noexcept {
  before_ = 0;
  for (Statistics* statistics : {&settling_, &settled_}) {
    statistics->jerk.interrupt();
    statistics->base.interrupt();
    statistics->limbs.interrupt();
    statistics->floor.interrupt();
  }
}

void RobotFiguresBuilder::add(const State& state, const RobotFrame& frame) {
  if (!is_valid(state, *model_)) return interrupt();
  if (before_ > 0 && state.t <= last_[0].t) interrupt();
  if (!first_) first_ = state.t;
  ++counts_.frames;
  kinematics_.update(state);
  Statistics& statistics = state.t < settling_end(*first_, options_.settle) ? settling_ : settled_;
  ++statistics.frames;
  judge_body(frame, state.t, statistics);
  judge_feet(frame, state.t, statistics);
  judge_hands(frame, statistics);
  judge_touches(frame, statistics);
  judge_acceleration(state, statistics);
  statistics.jerk.add(state);
  judge_limits(state);
  judge_rows(state);
  judge_overlaps();
  judge_obstacle(frame);
  std::swap(last_[0], last_[1]);
  last_[0] = state;
  before_ = std::min(before_ + 1, 2);
}

void RobotFiguresBuilder::judge_body(const RobotFrame& frame, Time t, Statistics& statistics) {
  if (parts_.base >= 0 && frame.base)
    statistics.base.add(
        {t, kinematics_.p_WL(parts_.base), frame.base->p, kinematics_.R_WL(parts_.base), frame.base->R});
  for (std::size_t i = 0; i < std::min(parts_.limbs.size(), frame.limbs.size()); ++i)
    statistics.limbs.add(t, i, place(parts_.limbs[i].to) - place(parts_.limbs[i].from), frame.limbs[i]);
  statistics.floor.add(t, kinematics_);
}

void RobotFiguresBuilder::judge_feet(const RobotFrame& frame, Time t, Statistics& statistics) {
  const bool known = frame.contacts.size() == parts_.feet.size();
  std::vector<Vector3d> soles;
  double deepest = 0.0;
  bool any_low = false, any_stands = false;
  for (std::size_t i = 0; i < parts_.feet.size(); ++i) {
    const RobotFoot& foot = parts_.feet[i];
    const SoleContact now = known ? frame.contacts[i] : SoleContact{};
    const SoleContact then = before_ > 0 && !contacts_.empty() ? contacts_[i] : SoleContact{};
    double lowest = kInfinity, slowest = kInfinity;
    for (const Vector3d& corner : foot.corners)
      lowest = std::min(lowest, place({foot.link, corner}).z() - options_.ground);
    deepest = std::max(deepest, -lowest);
    for (const bool heel : {true, false}) {
      const Vector3d p = place({foot.link, heel ? foot.sole.heel : foot.sole.ball});
      soles.push_back(p);
      const bool follows = before_ > 0 && soles.size() <= soles_.size();
      const double way = follows ? (p - soles_[soles.size() - 1]).head<2>().norm() : 0.0;
      const double speed = follows ? way / to_seconds(t - last_[0].t) : 0.0;
      slowest = std::min(slowest, speed);
      if (heel ? now.heel && then.heel : now.ball && then.ball) statistics.skate.add(speed);
    }
    ++statistics.soles;
    if (lowest < kNearFloor) ++statistics.near_floor;
    any_low = any_low || (lowest < kNearFloor && slowest < kSwings);
    any_stands = any_stands || now.heel || now.ball;
    if (-lowest > kUnder) statistics.depth.add(-lowest);
    if (!known) continue;
    ++statistics.judged_contacts;
    if (!now.heel && !now.ball) continue;
    ++statistics.standing;
    statistics.height.add(lowest);
    if (before_ > 0 && !contacts_.empty() && !then.heel && !then.ball) statistics.touch_downs.push_back(t);
  }
  if (deepest > kDeep) ++statistics.deep;
  if (known && !parts_.feet.empty()) {
    const double height = kinematics_.p_WL(std::max(parts_.base, 0)).z() - options_.ground;
    statistics.heights.push_back(height);
    if (any_low && !any_stands) statistics.unplanted.push_back(height);
  }
  soles_ = std::move(soles);
  contacts_ = known ? frame.contacts : std::vector<SoleContact>{};
}

Vector3d RobotFiguresBuilder::place(const LinkPoint& point) const {
  return kinematics_.p_WL(point.link) + kinematics_.R_WL(point.link) * point.p_L;
}

void RobotFiguresBuilder::judge_hands(const RobotFrame& frame, Statistics& statistics) {
  if (parts_.hands.size() != 2 || !frame.hand_distance) return;
  const double distance = (place(parts_.hands[0]) - place(parts_.hands[1])).norm();
  const double error = std::abs(distance - *frame.hand_distance);
  statistics.hands.add(error);
  if (*frame.hand_distance < options_.close_hands) statistics.close_hands.add(error);
}

void RobotFiguresBuilder::judge_touches(const RobotFrame& frame, Statistics& statistics) {
  for (const WristTouch& touch : frame.touches) {
    const TouchLine& line = parts_.lines.at(at(touch.line));
    const Vector3d from = place(line.from), on_line = from + touch.share * (place(line.to) - from);
    const double distance = (place(parts_.wrists.at(at(touch.wrist))) - on_line).norm();
    statistics.touches.add(std::abs(distance - touch.distance));
    statistics.line_touches[at(touch.line)].add(std::abs(distance - touch.distance));
  }
}

void RobotFiguresBuilder::judge_acceleration(const State& state, Statistics& statistics) {
  if (before_ < 2) return;
  const double dt = to_seconds(state.t - last_[0].t), older = to_seconds(last_[0].t - last_[1].t);
  if (std::abs(dt - older) > kEqualInterval) return;
  double largest = 0.0;
  for (int i = 0; i < model_->dof(); ++i) {
    if (!is_revolute(*model_, i)) continue;
    const double second = (state.s[i] - last_[0].s[i]) - (last_[0].s[i] - last_[1].s[i]);
    const double acceleration = std::abs(second) / (dt * dt);
    largest = std::max(largest, acceleration);
    statistics.joint_acceleration.add(acceleration * acceleration);
    statistics.hardest.keep(acceleration, last_[0].t, model_->joint_names()[at(i)]);
  }
  statistics.acceleration.emplace_back(last_[0].t, largest);
}

void RobotFiguresBuilder::judge_limits(const State& state) {
  limits_.add(state);
  if (!begun_at_) begun_at_ = state.s;
  bool any = false;
  for (int i = 0; i < model_->dof(); ++i) {
    if (state.s[i] != (*begun_at_)[i]) moved_[at(i)] = 1;
    double speed = std::abs(state.sdot[i]), tolerance = options_.limit_tolerance * (1.0 + speed_[i]);
    if (before_ > 0) {
      const double dt = to_seconds(state.t - last_[0].t);
      speed = std::max(speed, std::abs(state.s[i] - last_[0].s[i]) / dt);
      tolerance += speed_[i] * kStampRounding / dt;
    }
    const double beyond = speed - speed_[i];
    if (beyond > tolerance) {
      ++counts_.velocity_violations;
      if (is_revolute(*model_, i))
        counts_.velocity_violation_max_rad_s = std::max(counts_.velocity_violation_max_rad_s, beyond);
    }
    const double left = std::min(state.s[i] - model_->lower()[i], model_->upper()[i] - state.s[i]);
    if (left > options_.on_limit && beyond < -options_.on_limit) continue;
    if (!parts_.idle.empty() && parts_.idle[at(i)] && moved_[at(i)] == 0) continue;  // a gripper at rest
    ++on_limit_[at(i)];
    any = true;
  }
  if (any) ++any_on_limit_;
}

void RobotFiguresBuilder::judge_rows(const State& state) {
  for (const Row& row : rows_) {
    double sum = 0.0;
    for (const auto& [joint, coefficient] : row.terms) sum += coefficient * state.s[joint];
    const double outside = std::max(row.lower - sum, sum - row.upper);
    if (!(outside > kRowRounding + options_.limit_tolerance)) continue;
    ++counts_.row_violations;
    counts_.row_violation_max = std::max(counts_.row_violation_max, outside);
  }
}

void RobotFiguresBuilder::judge_overlaps() {
  const std::vector<double>& depths = body_.depths(kinematics_);
  bool any = false;
  for (std::size_t i = 0; i < overlaps_.size(); ++i) {
    if (!(depths[i] > 0.0)) continue;
    any = true;
    ++overlaps_[i].frames;
    overlaps_[i].max_mm = std::max(overlaps_[i].max_mm, kMillimetres * depths[i]);
  }
  if (any) ++counts_.overlap_frames;
}

void RobotFiguresBuilder::judge_obstacle(const RobotFrame& frame) {
  if (!frame.obstacle) return;
  const double depth_mm = kMillimetres * frame.obstacle->depth;
  if (depth_mm > kGraze) ++in_obstacle_;
  counts_.obstacle_share = share(in_obstacle_, counts_.frames);
  if (!(depth_mm > counts_.obstacle_max_mm.value_or(0.0))) return;
  counts_.obstacle_max_mm = depth_mm;
  counts_.obstacle_max_pair = frame.obstacle->pair;
}

void RobotFiguresBuilder::report_limits(RobotFigures& figures) const {
  figures.limit_violations = limits_.count();
  figures.limit_violation_max_rad = limits_.max_angle();
  figures.on_limit_share = share(any_on_limit_, figures.frames);
  for (std::size_t i = 0; i < on_limit_.size(); ++i) {
    const double joint = share(on_limit_[i], figures.frames).value_or(0.0);
    figures.joint_on_limit_share.push_back(joint);
    if (moved_[i] == 0 && figures.joint_on_limit_max_share) continue;
    const double now = moved_[i] == 0 ? 0.0 : joint;
    if (figures.joint_on_limit_max_share && !(now > *figures.joint_on_limit_max_share)) continue;
    figures.joint_on_limit_max_share = now;
    figures.joint_on_limit_max_joint = now > 0.0 ? model_->joint_names()[i] : "";
  }
  figures.joint_moved = moved_;
}

void RobotFiguresBuilder::report_overlaps(RobotFigures& figures) const {
  for (const RobotFigures::Overlap& pair : overlaps_) {
    if (pair.frames == 0) continue;
    figures.overlaps.push_back(pair);
    figures.overlap_max_mm = std::max(figures.overlap_max_mm, pair.max_mm);
  }
  std::stable_sort(figures.overlaps.begin(), figures.overlaps.end(),
                   [](const auto& a, const auto& b) { return a.max_mm > b.max_mm; });
  if (!overlaps_.empty()) figures.overlap_share = share(figures.overlap_frames, figures.frames);
}

RobotFigures RobotFiguresBuilder::report() const {
  const Statistics& statistics = settled_.frames > 0 ? settled_ : settling_;
  RobotFigures figures = counts_;
  figures.base = statistics.base.report();
  figures.limbs = statistics.limbs.report();
  figures.floor = statistics.floor.report();
  figures.foot_skate_median_mm_s = in_mm(statistics.skate.percentile(0.5));
  figures.foot_skate_p95_mm_s = in_mm(statistics.skate.percentile(0.95));
  figures.foot_skate_max_mm_s = in_mm(statistics.skate.max());
  if (statistics.soles > 0) {
    figures.foot_penetration_mean_mm = in_mm(statistics.depth.mean().value_or(0.0));
    figures.foot_penetration_max_mm = in_mm(statistics.depth.max().value_or(0.0));
    figures.foot_penetration_share =
        share(static_cast<std::int64_t>(statistics.depth.count()), statistics.soles);
  }
  if (statistics.soles > 0) figures.foot_under_5mm_share = share(statistics.deep, statistics.frames);
  figures.foot_float_median_mm = in_mm(statistics.height.percentile(0.5));
  figures.foot_float_max_mm = in_mm(statistics.height.max());
  figures.stance_share = share(statistics.standing, statistics.judged_contacts);
  if (statistics.soles > 0) figures.foot_near_floor_share = share(statistics.near_floor, statistics.soles);
  if (!statistics.heights.empty()) {
    const double upright = kUpright * quantile(statistics.heights, 0.9);
    const auto low = std::count_if(statistics.unplanted.begin(), statistics.unplanted.end(),
                                   [&](double height) { return height >= upright; });
    figures.foot_unplanted_share = share(low, std::ssize(statistics.heights));
  }
  figures.hand_distance_error_mean_mm = in_mm(statistics.hands.mean());
  figures.hand_distance_error_max_mm = in_mm(statistics.hands.max());
  figures.hand_distance_close_max_mm = in_mm(statistics.close_hands.max());

  figures.hand_body_frames = static_cast<std::int64_t>(statistics.touches.count());
  figures.hand_body_error_mean_mm = in_mm(statistics.touches.mean());
  figures.hand_body_error_max_mm = in_mm(statistics.touches.max());
  for (std::size_t i = 0; i < parts_.lines.size(); ++i) {
    const SampleStatistics& line = statistics.line_touches[i];
    if (line.count() == 0) continue;
    figures.hand_body.push_back({parts_.lines[i].name, static_cast<std::int64_t>(line.count()),
                                 *in_mm(line.mean()), *in_mm(line.max())});
  }
  figures.jerk_rms_rad_s3 = statistics.jerk.rms();
  figures.jerk_max_rad_s3 = statistics.jerk.most();
  figures.joint_acceleration_rms_rad_s2 = statistics.joint_acceleration.value();
  figures.joint_acceleration_max_rad_s2 = statistics.hardest.value;
  figures.joint_acceleration_max_at_s = statistics.hardest.at_s;
  figures.joint_acceleration_max_joint = statistics.hardest.name;
  for (const auto& [t, value] : statistics.acceleration) {
    const bool near = std::any_of(
        statistics.touch_downs.begin(), statistics.touch_downs.end(),
        [&, when = t](Time down) { return std::abs(to_seconds(when - down)) <= options_.touch_down; });
    if (near)
      figures.touch_down_acceleration_max_rad_s2 =
          std::max(figures.touch_down_acceleration_max_rad_s2.value_or(0.0), value);
  }

  report_limits(figures);
  report_overlaps(figures);
  return figures;
}

}  // namespace panto
