// Set-up of the inertial filter: options, the first state, a state taken over from another filter.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/inertial/chain_ekf.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Vector3d;

namespace {

constexpr double kLongAgo = 1e6;  // [s]

void require(bool holds, const char* what) {
  if (!holds) throw ConfigError(std::string("inertial filter: ") + what);
}

void check(const ChainContactOptions& o) {
  require(positive(o.gyro) && positive(o.acc) && positive(o.speed) && positive(o.height) &&
              not_negative(o.settles),
          "`contact`: `gyro`, `acc`, `speed` and `height` must be finite and larger than 0, `settles` finite "
          "and not negative");
  require(!o.floor || std::isfinite(*o.floor), "`contact`: `floor` must be finite");
}

void check(const ChainEkfOptions& o) {
  require(positive(o.gyro) && positive(o.acc) && positive(o.mag),
          "`gyro`, `acc` and `mag` must be finite and larger than 0");
  require(not_negative(o.mounting) && not_negative(o.changing) && not_negative(o.wobble) &&
              not_negative(o.gyro_scale),
          "`mounting`, `changing`, `wobble` and `gyro_scale` must be finite and not negative");
  require(positive(o.bias) && not_negative(o.bias_walk),
          "`bias` must be finite and larger than 0, `bias_walk` finite and not negative");
  require(o.gyro_range > 0.0 && o.acc_range > 0.0, "`gyro_range` and `acc_range` must be larger than 0");
  require(positive(o.huber) && positive(o.surprise),
          "`huber` and `surprise` must be finite and larger than 0");
  require(o.iterations >= 1 && o.iterations <= 10, "`iterations` must be 1 to 10");
  require(not_negative(o.bend), "`bend` must be finite and not negative");
  for (const double sigma : o.start) require(positive(sigma), "`start` must be finite and larger than 0");
  for (const double sigma : o.joining) require(positive(sigma), "`joining` must be finite and larger than 0");
  require(!o.limit || positive(*o.limit), "`limit` must be finite and larger than 0");
  require(!o.resting || not_negative(*o.resting), "`resting` must be finite and not negative");
  require(not_negative(o.changing_memory), "`changing_memory` must be finite and not negative");
  require(
      not_negative(o.heading) && not_negative(o.heading_memory) && not_negative(o.heading_interval) &&
          not_negative(o.field_settles),
      "`heading`, `heading_memory`, `heading_interval` and `field_settles` must be finite and not negative");
  require(positive(o.orientation) && positive(o.orientation_noise) && not_negative(o.orientation_memory),
          "`orientation` and `orientation_noise` must be finite and larger than 0, `orientation_memory` "
          "finite and not negative");
  require(positive(o.field_norm) && positive(o.field_dip),
          "`field_norm` and `field_dip` must be finite and larger than 0");
  require(positive(o.watch.dead_after) && positive(o.watch.frozen_after),
          "`dead_after` and `frozen_after` must be finite and larger than 0");
  require(not_negative(o.refine.place) && not_negative(o.refine.length) && not_negative(o.refine.excited) &&
              not_negative(o.refine.interval),
          "`refine`: `place`, `length`, `excited` and `interval` must be finite and not negative");
  require(o.mounting_use != MountingUse::Consider || (o.refine.place == 0.0 && o.refine.length == 0.0),
          "`refine` cannot be combined with mounting_use `consider`; use `estimate` or `inflate`");
  check(o.contact);
}

template <typename Mount>
std::vector<std::string> names_of(const std::vector<Mount>& mounts) {
  std::vector<std::string> names;
  names.reserve(mounts.size());
  for (const Mount& mount : mounts) names.push_back(mount.name);
  return names;
}

// returns the position of a name, or -1
int find(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int require_name(const char* kind, const std::string& name, const std::vector<std::string>& names) {
  const int found = find(names, name);
  if (found < 0) throw ConfigError("contact: " + unknown_name(kind, name, "the inertial model", names));
  return found;
}

// returns the joint names of a ball, outermost first
std::array<std::string, 3> joints_of(const ChainLayout& layout, const ChainLayout::Ball& ball) {
  const Model& model = layout.model();
  std::array<std::string, 3> names;
  for (int k = 0; k < 3; ++k) {
    names[at(k)] = model.joint_names()[at(ball.unknown[at(k)] - (model.nv() - model.dof()))];
  }
  return names;
}

bool same_axes(const ChainLayout& a, const ChainLayout::Ball& in_a, const ChainLayout& b,
               const ChainLayout::Ball& in_b) {
  const JointGroup& left = a.model().tree().groups[at(in_a.group)];
  const JointGroup& right = b.model().tree().groups[at(in_b.group)];
  return left.A.isApprox(right.A, 1e-9) && left.B.isApprox(right.B, 1e-9) &&
         std::abs(left.mu - right.mu) < 1e-9;
}

// returns the unknowns that two layouts share as pairs (ours, theirs); balls only as a whole
std::vector<std::pair<int, int>> shared_unknowns(const ChainLayout& ours, const ChainLayout& theirs) {
  std::vector<std::pair<int, int>> shared;
  std::set<int> in_balls, in_their_balls;
  for (const ChainLayout::Ball& ball : ours.balls())
    in_balls.insert(ball.unknown.begin(), ball.unknown.end());
  for (const ChainLayout::Ball& ball : theirs.balls()) {
    in_their_balls.insert(ball.unknown.begin(), ball.unknown.end());
    if (ball.group < 0) continue;
    for (const ChainLayout::Ball& own : ours.balls()) {
      if (own.group < 0 || joints_of(ours, own) != joints_of(theirs, ball) ||
          !same_axes(ours, own, theirs, ball))
        continue;
      for (int k = 0; k < 3; ++k) shared.emplace_back(own.unknown[at(k)], ball.unknown[at(k)]);
    }
  }
  const Model &model = ours.model(), &other = theirs.model();
  if (model.floating_base() && other.floating_base()) {
    for (int k = 0; k < 6; ++k) shared.emplace_back(k, k);
  }
  for (int i = 0; i < model.dof(); ++i) {
    const auto j = other.find_joint(model.joint_names()[at(i)]);
    if (!j) continue;
    const int u = model.nv() - model.dof() + i, v = other.nv() - other.dof() + *j;
    if (in_balls.count(u) == 0 && in_their_balls.count(v) == 0) shared.emplace_back(u, v);
  }
  return shared;
}

// returns another chain's pose for joints of the same name; other joints are at rest
State pose_of(const ChainLayout& theirs, const ChainMotion& motion, const Model& model) {
  State from = rest_state(theirs.model()), result = rest_state(model);
  theirs.state(motion, from);
  result.p_WB = from.p_WB;
  result.R_WB = from.R_WB;
  if (model.floating_base()) {
    result.v_WB = from.v_WB;
    result.w_WB = from.w_WB;
  }
  for (int i = 0; i < model.dof(); ++i) {
    const auto j = theirs.model().find_joint(model.joint_names()[at(i)]);
    if (!j) continue;
    result.s[i] = from.s[*j];
    result.sdot[i] = from.sdot[*j];
  }
  return result;
}

}  // namespace

ChainEkf::ChainEkf(ImuModel model, const std::vector<ChainProcess>& processes, const ChainEkfOptions& options)
    : model_(std::move(model)), options_(options) {
  check(options);
  const int n = model_.layout().unknowns(), imus = static_cast<int>(model_.imus().size());
  if (static_cast<int>(processes.size()) != n) {
    throw ConfigError("inertial filter: " + std::to_string(processes.size()) + " processes for " +
                      std::to_string(n) + " unknowns");
  }
  for (const ChainProcess& process : processes) {
    require(process.size > 0.0 && process.time > 0.0, "`size` and `time` of a process must be larger than 0");
    const auto known = std::find(kinds_.begin(), kinds_.end(), process);
    kind_.push_back(static_cast<int>(known - kinds_.begin()));
    if (known == kinds_.end()) kinds_.push_back(process);
  }
  transitions_.resize(kinds_.size());
  find_showers();
  health_.resize(at(imus));
  sample_.imus.resize(at(imus));
  since_.assign(at(imus), 0.0);
  biases_ = 3 * Eigen::Index{n};
  turns_ = biases_ + 3 * Eigen::Index{imus};
  const bool turned = options.mounting_use != MountingUse::Inflate && options.mounting > 0.0;
  places_ = turns_ + (turned ? 3 * imus : 0);
  lengths_ = places_ + (options.refine.place > 0.0 ? 3 * imus : 0);
  const Eigen::Index size = lengths_ + (options.refine.length > 0.0 ? std::ssize(model_.lengths()) : 0);
  x_ = x_prior_ = around_ = Eigen::VectorXd::Zero(size);
  P_ = PaddedMatrix(size, size);
  transition_ = TripleTransition(size, n);
  add_stops();
  add_tethers(processes);
  add_contacts();
  find_free_turn();
  work_ = start(rest_state(model_.layout().model()));
  reserve_rows();
}

// Which sensor shows how an unknown moves: the first one after it. And whether the chain is of free balls
// alone: then nothing tells a sensor's turn on its segment from its segment's.
void ChainEkf::find_showers() {
  const std::size_t n = kind_.size(), imus = model_.imus().size();
  shower_.assign(n, -1);
  strength_ = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(n));
  alone_.assign(imus, 1);
  for (std::size_t k = 0; k < imus; ++k) {
    const std::vector<int>& path = model_.imu_path(static_cast<int>(k));
    for (const int u : path) {
      const int known = shower_[at(u)];
      if (known < 0 || path.size() < model_.imu_path(known).size()) shower_[at(u)] = static_cast<int>(k);
    }
  }
  std::vector<unsigned char> free(n, 0);  // slides, and balls without limits
  slides_.assign(n, 0);
  for (const ChainLayout::Step& step : model_.layout().steps())
    slides_[at(step.unknown)] = free[at(step.unknown)] = step.slides ? 1 : 0;
  const Model& model = model_.layout().model();
  const int base = model.nv() - model.dof();
  for (const ChainLayout::Ball& ball : model_.layout().balls()) {
    const bool limited = std::any_of(ball.unknown.begin(), ball.unknown.end(), [&](int u) {
      return u >= base && (std::isfinite(model.lower()[u - base]) || std::isfinite(model.upper()[u - base]));
    });
    for (const int u : ball.unknown) free[at(u)] = limited ? 0 : 1;
  }
  if (model.floating_base()) alone_.assign(imus, 0);  // a person, whose flesh moves
  for (std::size_t k = 0; k < imus; ++k) {
    for (const int u : model_.imu_path(static_cast<int>(k)))
      if (free[at(u)] == 0) std::fill(alone_.begin(), alone_.end(), 0);
  }
}

// a ball that all sensors are behind, first of all or behind three shifts along independent axes
void ChainEkf::find_free_turn() {
  by_turn_ = carried_ = Eigen::VectorXd::Zero(columns());
  const ChainLayout& layout = model_.layout();
  if (model_.imus().empty()) return;
  const std::vector<int>& path = model_.imu_path(0);
  FreeTurn turn;
  turn.imu = 0;
  turn.shifted = path.size() >= 6 && slides_[at(path[0])] + slides_[at(path[1])] + slides_[at(path[2])] == 3;
  const std::size_t first = turn.shifted ? 3 : 0;
  if (path.size() < first + 3) return;
  for (std::size_t k = 0; k < 3; ++k) {
    turn.shifts[k] = path[k];
    turn.turns[k] = path[k + first];
    turn.on_path[k] = static_cast<Eigen::Index>(k + first);
  }
  const bool ball = std::any_of(layout.balls().begin(), layout.balls().end(),
                                [&](const ChainLayout::Ball& b) { return b.unknown == turn.turns; });
  if (!ball) return;
  for (std::size_t k = 1; k < model_.imus().size(); ++k) {
    const std::vector<int>& other = model_.imu_path(static_cast<int>(k));
    if (other.size() < first + 3 ||
        !std::equal(path.begin(), path.begin() + static_cast<int>(first) + 3, other.begin()))
      return;
  }
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  // shifts turn nothing
  const auto step_of = [&layout](int unknown) {
    const auto& steps = layout.steps();
    return std::find_if(steps.begin(), steps.end(),
                        [&](const ChainLayout::Step& s) { return s.unknown == unknown; });
  };
  for (Eigen::Index k = 0; turn.shifted && k < 3; ++k) {
    const auto step = step_of(turn.shifts[static_cast<std::size_t>(k)]);
    R = R * step->R_PJ;
    axes.col(k) = R * step->axis;
  }
  turn.before = R * step_of(turn.turns[0])->R_PJ;
  if (!(axes * axes.transpose()).isIdentity(1e-6)) return;
  turn.spin = axes.transpose() * so3::hat(Vector3d::UnitZ()) * axes;
  free_turn_ = std::move(turn);
}

// as many rows as a sample can have
void ChainEkf::reserve_rows() {
  const Eigen::Index size = x_.size();
  int blocks = 0, rows = 0;
  std::size_t slots = 0;
  const auto add = [&](int of_rows, const std::vector<int>& path, const std::vector<int>& lengths) {
    ++blocks;
    rows += of_rows;
    slots += 3 * path.size() + lengths.size() + 9;  // a bias, a place and a turn
  };
  for (int k = 0; k < static_cast<int>(model_.imus().size()); ++k) {
    add(9, model_.imu_path(k), model_.imu_lengths(k));
    add(3, {}, {});                  // its bias at rest
    add(3, model_.imu_path(k), {});  // its orientation
    add(1, model_.imu_path(k), {});  // its heading
  }
  for (const Contact& contact : contacts_) add(4, model_.point_path(contact.point), {});
  rows_ = RowStack(size, blocks, rows, static_cast<int>(slots));
  sources_.reserve(at(blocks));
}

// returns the model's ball of an unknown and its index within the ball; -1: none
std::pair<int, int> ChainEkf::ball_of(int unknown) const noexcept {
  const auto& balls = model_.layout().balls();
  for (std::size_t b = 0; b < balls.size(); ++b) {
    const auto& u = balls[b].unknown;
    const auto found = std::find(u.begin(), u.end(), unknown);
    if (balls[b].group >= 0 && found != u.end())
      return {static_cast<int>(b), static_cast<int>(found - u.begin())};
  }
  return {-1, 0};
}

void ChainEkf::add_tethers(const std::vector<ChainProcess>& processes) {
  const Model& model = model_.layout().model();
  const int first = model.nv() - model.dof();
  const State rest = rest_state(model);
  StateAcceleration none;
  none.sddot = Eigen::VectorXd::Zero(model.dof());
  const ChainMotion at_rest = model_.layout().motion(rest, none);
  for (int i = 0; i < model.dof(); ++i) {
    if (processes[at(first + i)].kind != ChainProcess::Kind::Tethered ||
        model.joint(i).type != JointType::Revolute)
      continue;
    Tether tether;
    tether.unknown = first + i;
    tether.rest = rest.s[i];
    std::tie(tether.ball, tether.axis) = ball_of(tether.unknown);
    if (tether.ball >= 0) {
      const ChainLayout::Ball& ball = model_.layout().balls()[at(tether.ball)];
      tether.R_rest = at_rest.reference[at(model_.layout().reference_of(ball))];
    }
    tethers_.push_back(tether);
  }
  shift_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(tethers_.size()));
}

void ChainEkf::add_stops() {
  const ChainLayout& layout = model_.layout();
  const Model& model = layout.model();
  const int first = model.nv() - model.dof();
  for (int i = 0; options_.limit && i < model.dof(); ++i) {
    if (!std::isfinite(model.lower()[i]) && !std::isfinite(model.upper()[i])) continue;
    Stop stop;
    stop.unknown = first + i;
    stop.lower = Vector3d::Constant(model.lower()[i]);
    stop.upper = Vector3d::Constant(model.upper()[i]);
    std::tie(stop.ball, stop.axis) = ball_of(stop.unknown);
    for (int k = 0; stop.ball >= 0 && k < 3; ++k) {
      const auto& u = layout.balls()[at(stop.ball)].unknown;
      stop.lower[k] = model.lower()[u[at(k)] - first];
      stop.upper[k] = model.upper()[u[at(k)] - first];
    }
    stops_.push_back(stop);
  }
}

void ChainEkf::add_contacts() {
  const auto sensors = names_of(model_.imus()), points = names_of(model_.points());
  for (const ChainContact& contact : options_.contact.points) {
    contacts_.push_back(
        {require_name("point", contact.point, points), require_name("sensor", contact.sensor, sensors)});
  }
}

ChainState ChainEkf::start(const State& state) const {
  const ChainLayout& layout = model_.layout();
  StateAcceleration none;
  none.sddot = Eigen::VectorXd::Zero(layout.model().dof());
  ChainState result;
  result.t = state.t;
  result.motion = layout.motion(state, none);
  const Eigen::Index imus = std::ssize(model_.imus());
  result.bias = Eigen::VectorXd::Zero(3 * imus);
  result.shape.place = Eigen::VectorXd::Zero(lengths_ - places_);
  result.shape.length = Eigen::VectorXd::Zero(columns() - lengths_);
  result.mounting = Eigen::VectorXd::Zero(places_ - turns_);
  result.good_field = Eigen::VectorXd::Zero(imus);
  result.heading_age = Eigen::VectorXd::Constant(imus, kLongAgo);
  result.standing = Eigen::VectorXd::Zero(std::ssize(contacts_));
  result.strength = Eigen::VectorXd::Ones(strength_.size());
  result.memory.assign(static_cast<std::size_t>(imus), {state.t, state.t});
  result.P = Eigen::MatrixXd::Zero(columns(), columns());
  for (Eigen::Index i = 0; i < biases_; ++i) {
    const double sigma = options_.start[static_cast<std::size_t>(i % 3)];
    result.P(i, i) = sigma * sigma;
  }
  result.P.diagonal().segment(biases_, 3 * imus).setConstant(options_.bias * options_.bias);
  const auto by_mount = [&](Eigen::Index from, Eigen::Index end, const auto& sigma_of) {
    for (Eigen::Index i = from; i < end; ++i)
      result.P(i, i) = power(sigma_of(model_.imus()[static_cast<std::size_t>((i - from) / 3)]), 2);
  };
  by_mount(places_, lengths_,
           [this](const ImuMount& m) { return m.position_sigma.value_or(options_.refine.place); });
  by_mount(turns_, places_, [this](const ImuMount& m) {
    const bool alone = alone_[static_cast<std::size_t>(&m - model_.imus().data())] != 0;
    return alone ? 0.0 : m.turn_sigma.value_or(options_.mounting);
  });
  result.P.diagonal().segment(lengths_, columns() - lengths_).setConstant(power(options_.refine.length, 2));
  return result;
}

ChainShape ChainEkf::shape_deviation(const ChainState& state) const {
  const Eigen::VectorXd sigma = state.P.diagonal().cwiseMax(0.0).cwiseSqrt();
  return {sigma.segment(places_, lengths_ - places_), sigma.tail(columns() - lengths_)};
}

// maps our columns to those of another filter's covariance; -1: missing there
std::vector<int> ChainEkf::shared_columns(const ChainEkf& other) const {
  std::vector<int> source(static_cast<std::size_t>(columns()), -1);
  const auto share = [&source](Eigen::Index ours, Eigen::Index theirs) {
    for (int k = 0; k < 3; ++k) source[static_cast<std::size_t>(ours + k)] = static_cast<int>(theirs) + k;
  };
  for (const auto& [ours, theirs] : shared_unknowns(model_.layout(), other.model_.layout())) {
    share(Eigen::Index{3} * ours, Eigen::Index{3} * theirs);
  }
  const auto names = names_of(other.model_.imus());
  for (int k = 0; k < static_cast<int>(model_.imus().size()); ++k) {
    const int theirs = find(names, model_.imus()[at(k)].name);
    if (theirs < 0) continue;
    share(biases_ + 3 * Eigen::Index{k}, other.biases_ + 3 * Eigen::Index{theirs});
    if (lengths_ > places_ && other.lengths_ > other.places_)
      share(places_ + 3 * Eigen::Index{k}, other.places_ + 3 * Eigen::Index{theirs});
    if (places_ > turns_ && other.places_ > other.turns_)
      share(turns_ + 3 * Eigen::Index{k}, other.turns_ + 3 * Eigen::Index{theirs});
  }
  for (Eigen::Index k = 0; k < columns() - lengths_; ++k) {
    for (Eigen::Index l = 0; l < other.columns() - other.lengths_; ++l) {
      if (model_.lengths()[static_cast<std::size_t>(k)].joint ==
          other.model_.lengths()[static_cast<std::size_t>(l)].joint)
        source[static_cast<std::size_t>(lengths_ + k)] = static_cast<int>(other.lengths_ + l);
    }
  }
  return source;
}

ChainState ChainEkf::take_over(const ChainEkf& other, const ChainState& state) const {
  require(state.P.rows() == other.columns() && state.memory.size() == other.health_.size() &&
              state.motion.q.size() == other.work_.motion.q.size(),
          "`take_over`: the state does not belong to the other filter");
  ChainState result = start(pose_of(other.model_.layout(), state.motion, model_.layout().model()));
  result.t = state.t;
  for (Eigen::Index i = 0; i < biases_; ++i) {
    const double sigma = options_.joining[static_cast<std::size_t>(i % 3)];
    result.P(i, i) = sigma * sigma;
  }
  for (ImuMemory& memory : result.memory) memory.seen = memory.changed = state.t;

  take_columns(other, state, result);
  take_memory(other, state, result);
  return result;
}

// the shared part with its covariance; balls count from the same rotations
void ChainEkf::take_columns(const ChainEkf& other, const ChainState& state, ChainState& result) const {
  const ChainLayout &layout = model_.layout(), &theirs = other.model_.layout();
  const std::vector<int> source = shared_columns(other);
  Eigen::VectorXd ours(columns()), known(other.columns());
  to_vector(result, ours);
  other.to_vector(state, known);
  for (Eigen::Index i = 0; i < columns(); ++i) {
    const int from = source[static_cast<std::size_t>(i)];
    if (from < 0) continue;
    ours[i] = known[from];
    for (Eigen::Index j = 0; j < columns(); ++j) {
      const int column = source[static_cast<std::size_t>(j)];
      if (column >= 0) result.P(i, j) = state.P(from, column);
    }
  }
  from_vector(ours, result);
  for (const ChainLayout::Ball& ball : layout.balls()) {
    const int from = source[at(3 * ball.unknown[0])];
    for (const ChainLayout::Ball& known_ball : theirs.balls()) {
      if (from < 0 || known_ball.unknown[0] != from / 3) continue;
      result.motion.reference[at(layout.reference_of(ball))] =
          state.motion.reference[at(theirs.reference_of(known_ball))];
    }
  }
  if (layout.model().floating_base() && theirs.model().floating_base()) result.motion.p_W = state.motion.p_W;
}

// the memory of sensors and contacts
void ChainEkf::take_memory(const ChainEkf& other, const ChainState& state, ChainState& result) const {
  const auto names = names_of(other.model_.imus());
  for (std::size_t k = 0; k < result.memory.size(); ++k) {
    const int from = find(names, model_.imus()[k].name);
    if (from < 0) continue;
    result.memory[k] = state.memory[at(from)];
    result.good_field[static_cast<Eigen::Index>(k)] = state.good_field[from];
    result.heading_age[static_cast<Eigen::Index>(k)] = state.heading_age[from];
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    for (std::size_t d = 0; d < other.contacts_.size(); ++d) {
      if (other.options_.contact.points[d].point == options_.contact.points[c].point)
        result.standing[static_cast<Eigen::Index>(c)] = state.standing[static_cast<Eigen::Index>(d)];
    }
  }
}

}  // namespace panto
