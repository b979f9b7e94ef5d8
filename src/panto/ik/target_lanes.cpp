#include "panto/ik/target_lanes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/four_lanes.hpp"
#include "panto/math/gather.hpp"
#include "panto/math/vector_math_inline.hpp"

namespace panto {
namespace {

bool is_finite(const Eigen::Vector3d& v) noexcept { return std::isfinite(v.sum()); }

// Whether the valid numbers except orientations and their rates are finite.
bool others_finite(const Target& row) noexcept {
  return (!row.has_position || is_finite(row.p_WF)) && (!row.has_linear_velocity || is_finite(row.v_WF)) &&
         (!row.has_angular_velocity || row.has_orientation || is_finite(row.w_WF));
}

}  // namespace

TargetLanes::TargetLanes(const Model& model, const Blocks& blocks, const std::vector<Target>& rows)
    : blocks_(blocks.lanes()), rows_(rows) {
  std::size_t lanes = blocks_;
  std::vector<unsigned char> taken(blocks_, 0);
  std::vector<Eigen::Matrix3d> R_FN;  // by row
  for (const Target& row : rows) {
    const LinkFrame& frame = model.frame(row.link);
    const std::size_t block = at(blocks.block_of(frame.body));
    block_of_row_.push_back(block);
    lane_of_row_.push_back(taken[block] == 0 ? block : lanes++);
    taken[block] = 1;
    R_FN.push_back(frame.R_BL.transpose() * blocks.B[block]);
  }
  own_ = before_ = {LaneArray<9>(lanes), LaneArray<3>(lanes), LaneArray<1>(lanes), LaneArray<1>(lanes)};
  now_ = &own_;
  points_.p.assign(rows.size(), Eigen::Vector3d::Zero());
  points_.v = points_.p;
  points_.placed.assign(rows.size(), 0);
  points_.moving = points_.placed;
  points_before_ = points_;
  N_ = R_FN_ = LaneArray<9>(lanes);
  for (std::size_t lane = 0; lane < N_.size(); ++lane)
    store(to_mat3(Eigen::Matrix3d::Identity()), R_FN_, lane);
  for (std::size_t j = 0; j < rows.size(); ++j) store(to_mat3(R_FN[j]), R_FN_, lane_of_row_[j]);
  row_of_lane_.assign(N_.size(), -1);
  wanted_ = rates_ = mean_ = LaneArray<3>(lanes);
  weight_ = gain_ = gain_now_ = regular_ = has_mean_ = versine_ = LaneArray<1>(lanes);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    weight_(0, lane_of_row_[j]) = rows[j].orientation_weight;
    gain_(0, lane_of_row_[j]) = rows[j].orientation_gain;
    row_of_lane_[lane_of_row_[j]] = static_cast<int>(j);
    turned_ = turned_ || !R_FN[j].isIdentity(0.0);
    if (lane_of_row_[j] >= blocks_) second_rows_.push_back(j);
  }
  point_gain_now_.assign(rows.size(), 0.0);
  linear_.assign(rows.size(), Eigen::Vector3d::Zero());
  linear_rates_ = linear_mean_ = linear_;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].position_weight > 0.0) placed_rows_.push_back(j);
  }
}

namespace {

// Copies orientations, rates and validity by lane; lanes without a row get those of `nothing`. Returns true
// if all valid numbers are finite: their sum is.
PANTO_WIDE bool take_lanes(const Target* rows, const Target& nothing, const int* row_of_lane, LaneArray<9>& N,
                           LaneArray<3>& w, LaneArray<1>& oriented, LaneArray<1>& turning) noexcept {
  Four sums[kLanes / 4] = {};
  for (std::size_t c = 0; c < N.chunk_count(); ++c) {
#pragma GCC unroll 2
    for (std::size_t first = 0; first < kLanes; first += 4) {
      const double *matrices[4], *rates[4];
      bool has[4], rate[4];
      for (std::size_t l = 0; l < 4; ++l) {
        const int j = row_of_lane[c * kLanes + first + l];
        const Target& row = j < 0 ? nothing : rows[j];
        matrices[l] = row.R_WF.data();
        rates[l] = row.w_WF.data();
        has[l] = row.has_orientation;
        rate[l] = row.has_orientation & row.has_angular_velocity;
      }
      FourLanes<9> R;
      FourLanes<3> v;
      gather(matrices, R);
      gather(rates, v);
      const Four oriented_here = {bit_of(has[0]), bit_of(has[1]), bit_of(has[2]), bit_of(has[3])};
      const Four turning_here = {bit_of(rate[0]), bit_of(rate[1]), bit_of(rate[2]), bit_of(rate[3])};
      store(R, N.chunk(c).v, first);
      store(v, w.chunk(c).v, first);
      std::memcpy(&oriented.chunk(c).v[0][first], &oriented_here, sizeof(Four));
      std::memcpy(&turning.chunk(c).v[0][first], &turning_here, sizeof(Four));

      const Four sum = (R.v[0] + R.v[1] + R.v[2]) + (R.v[3] + R.v[4] + R.v[5]) + (R.v[6] + R.v[7] + R.v[8]);
      const Four turn = v.v[0] + v.v[1] + v.v[2], zero = {};
      sums[first / 4] += (oriented_here != zero ? sum : zero) + (turning_here != zero ? turn : zero);
    }
  }
  double sum = 0.0;
  for (const Four& s : sums) {
    for (int l = 0; l < 4; ++l) sum += s[l];
  }
  return std::isfinite(sum);
}

}  // namespace

// Whether any target in lanes is on.
bool TargetLanes::any(const TurningFacts& facts, const std::vector<Target>& rows) const noexcept {
  double count[kLanes] = {};
  for (std::size_t c = 0; c < facts.oriented.chunk_count(); ++c) {
    for (std::size_t l = 0; l < kLanes; ++l) count[l] += facts.oriented.chunk(c).v[0][l];
  }
  return sum_of(count) > 0.0 || any_placed(rows);
}

bool TargetLanes::any_placed(const std::vector<Target>& rows) const noexcept {
  return std::any_of(placed_rows_.begin(), placed_rows_.end(),
                     [&](std::size_t j) { return rows[j].has_position; });
}

// Copies the rows to lanes. Returns true if any target is on; `finite`: all its numbers are finite.
bool TargetLanes::take(const std::vector<Target>& rows, bool& finite) noexcept {
  finite =
      take_lanes(rows.data(), nothing_, row_of_lane_.data(), own_.R, own_.w, own_.oriented, own_.turning);
  bool any = false;
  for (const Target& row : rows) {
    any |= row.has_orientation;
    const bool lone_rate = row.has_angular_velocity & !row.has_orientation;
    if (row.has_position | row.has_linear_velocity | lone_rate) finite = finite && others_finite(row);
  }
  return any || any_placed(rows);
}

StepStatus TargetLanes::read(const Targets& targets) noexcept {
  if (targets.rows.size() != rows_.size()) return StepStatus::SizeMismatch;
  bool finite = true;
  const bool by_lane = targets.by_lane.R.size() == own_.R.size();
  const bool asked = by_lane ? any(targets.by_lane, targets.rows) : take(targets.rows, finite);
  now_ = by_lane ? &targets.by_lane : &own_;
  if (turned_) {
    if (by_lane) own_ = targets.by_lane;
    now_ = &own_;
    multiply_lanes(own_.R, R_FN_);
  }
  for (const std::size_t j : placed_rows_) {
    const Target& row = targets.rows[j];
    points_.placed[j] = row.has_position ? 1 : 0;
    points_.moving[j] = row.has_position && row.has_linear_velocity ? 1 : 0;
    points_.p[j] = row.p_WF;
    points_.v[j] = row.v_WF;
  }
  if (!finite) return StepStatus::TargetNotFinite;
  return asked ? StepStatus::Solved : StepStatus::NoTarget;
}

void TargetLanes::keep(Time t) noexcept {
  if (now_ == &own_) {
    std::swap(own_, before_);
  } else {
    before_ = *now_;
  }
  now_ = &before_;
  std::swap(points_, points_before_);
  kept_ = true;
  t_before_ = t;
}

// The model's orientations, for every row.
const LaneArray<9>& TargetLanes::spread(const LaneArray<9>& by_block) noexcept {
  if (second_rows_.empty()) return by_block;
  std::copy(by_block.data(), by_block.data() + by_block.flat_size(), N_.data());
  for (const std::size_t j : second_rows_) store(mat3(by_block, block_of_row_[j]), N_, lane_of_row_[j]);
  return N_;
}

void TargetLanes::set_gains(double dt, GainLaw law) noexcept {
  if (dt == gain_dt_) return;
  gain_dt_ = dt;
  // most rows have the same gain
  double known = -1.0, effective = 0.0;
  const auto now = [&](double gain) {
    if (gain != known) effective = effective_gain(gain, dt, law);
    known = gain;
    return effective;
  };
  for (const std::size_t lane : lane_of_row_) gain_now_(0, lane) = now(gain_(0, lane));
  for (const std::size_t j : placed_rows_) point_gain_now_[j] = now(rows_[j].position_gain);
}

namespace {

// Mean of the rates at both ends plus K times the residual at the interval's start, for lanes with all data
// at both ends (`regular`); `cosine` of the residual's angle.
PANTO_WIDE bool correct_regular(const LaneArray<9>& N, const LaneArray<9>& target, const LaneArray<3>& w0,
                                const LaneArray<3>& w1, const LaneArray<1>& gain, const LaneArray<1>& needed,
                                const LaneArray<1>& has0, const LaneArray<1>& has1, LaneArray<3>& wanted,
                                LaneArray<1>& regular) noexcept {
  double missing[kLanes] = {};
  for (std::size_t c = 0; c < N.chunk_count(); ++c) {
    const Chunk<9>&model = N.chunk(c), &goal = target.chunk(c);
    const Chunk<3>&a = w0.chunk(c), &b = w1.chunk(c);
    const Chunk<1>&k = gain.chunk(c), &want = needed.chunk(c), &first = has0.chunk(c), &last = has1.chunk(c);
    Chunk<3>& out = wanted.chunk(c);
    Chunk<1>& good = regular.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Mat3 R = mat3(model, l), T = mat3(goal, l);
      const Vec3 r = 0.5 * (cross(R.x, T.x) + cross(R.y, T.y) + cross(R.z, T.z));
      const double cosine = 0.5 * (dot(R.x, T.x) + dot(R.y, T.y) + dot(R.z, T.z) - 1.0);
      const double near = cosine > kCos150 ? first.v[0][l] * last.v[0][l] : 0.0;
      store(0.5 * (vec3(a, l) + vec3(b, l)) + k.v[0][l] * r, out, l);
      good.v[0][l] = near;
      missing[l] += want.v[0][l] != 0.0 ? 1.0 - near : 0.0;
    }
  }
  return sum_of(missing) == 0.0;
}

// Mean rates of an interval of `dt` [s] from the targets at its ends: from the measured rates if both exist
// (`measured`), else log(N1 N0') / dt. `has` is 0 if an end is missing or the rotation is too large for the
// series.
PANTO_WIDE void find_means(const LaneArray<9>& N0, const LaneArray<9>& N1, const LaneArray<3>& w0,
                           const LaneArray<3>& w1, const LaneArray<1>& turning0, const LaneArray<1>& turning1,
                           const LaneArray<1>& oriented0, bool measured, double dt, LaneArray<3>& mean,
                           LaneArray<1>& has) noexcept {
  constexpr double kLargestSquare = kLargestSmallTangent * kLargestSmallTangent;  // of the turn's tangent
  const double use = measured ? 1.0 : 0.0, rate = 1.0 / dt;
  for (std::size_t c = 0; c < N0.chunk_count(); ++c) {
    const Chunk<9>&first = N0.chunk(c), &last = N1.chunk(c);
    const Chunk<3>&a = w0.chunk(c), &b = w1.chunk(c);
    const Chunk<1>&has_a = turning0.chunk(c), &has_b = turning1.chunk(c), &there = oriented0.chunk(c);
    Chunk<3>& out = mean.chunk(c);
    Chunk<1>& good = has.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Mat3 A = mat3(first, l), B = mat3(last, l);
      const Vec3 v = 0.5 * (cross(A.x, B.x) + cross(A.y, B.y) + cross(A.z, B.z));  // sin(angle) axis
      const double cosine = 0.5 * (dot(A.x, B.x) + dot(A.y, B.y) + dot(A.z, B.z) - 1.0);
      const double along = cosine > 0.5 ? cosine : 1.0, square = dot(v, v) / (along * along);
      const double near = cosine > 0.5 ? 1.0 : 0.0, small = square <= kLargestSquare ? near : 0.0;
      const double z = small != 0.0 ? square : 0.0;
      const Vec3 turned = (rate * (1.0 - vector_math::atan_tail_of_square(z)) / along) * v;
      const Vec3 measured_mean = 0.5 * (vec3(a, l) + vec3(b, l));
      const bool own = use * has_a.v[0][l] * has_b.v[0][l] != 0.0;
      store({own ? measured_mean.x : turned.x, own ? measured_mean.y : turned.y,
             own ? measured_mean.z : turned.z},
            out, l);
      good.v[0][l] = own ? there.v[0][l] : small * there.v[0][l];
    }
  }
}

}  // namespace

// A lane as a row of targets, for rare cases: the same law one by one.
Target TargetLanes::row_of(const TurningFacts& facts, std::size_t lane) const noexcept {
  Target row;
  row.orientation_gain = gain_(0, lane);
  row.R_WF = to_eigen(mat3(facts.R, lane));
  row.w_WF = to_eigen(vec3(facts.w, lane));
  row.has_orientation = facts.oriented(0, lane) != 0.0;
  row.has_angular_velocity = facts.turning(0, lane) != 0.0;
  return row;
}

Target TargetLanes::point_of(const Points& points, std::size_t j) const noexcept {
  Target row;
  row.position_gain = rows_[j].position_gain;
  row.p_WF = points.p[j];
  row.v_WF = points.v[j];
  row.has_position = points.placed[j] != 0;
  row.has_linear_velocity = points.moving[j] != 0;
  return row;
}

void TargetLanes::correct_lane(const Mat3& N, std::size_t lane, double dt, bool from_before,
                               const DynamicalOptions& options) noexcept {
  const Target now = row_of(*now_, lane), before = row_of(before_, lane);
  store(to_vec3(mean_angular_velocity(now, from_before ? &before : nullptr, dt, options)), mean_, lane);
  store(to_vec3(corrected_angular_velocity(now, from_before ? &before : nullptr, to_eigen(N), dt, options)),
        wanted_, lane);
}

// As for orientations: all at once if both ends have a position, else one by one.
void TargetLanes::correct_points(const std::vector<Eigen::Vector3d>& p, double dt, bool from_before,
                                 bool measured, const DynamicalOptions& options) noexcept {
  for (const std::size_t j : placed_rows_) {
    if (points_.placed[j] == 0) continue;
    if (from_before && options.pairing == Pairing::SameInterval && points_before_.placed[j] != 0) {
      const bool moving = measured && (points_.moving[j] & points_before_.moving[j]) != 0;
      const Eigen::Vector3d mean = moving ? Eigen::Vector3d(0.5 * (points_before_.v[j] + points_.v[j]))
                                          : Eigen::Vector3d((points_.p[j] - points_before_.p[j]) / dt);
      linear_mean_[j] = mean;
      linear_[j] = mean + point_gain_now_[j] * (points_before_.p[j] - p[j]);
      continue;
    }
    const Target now = point_of(points_, j), before = point_of(points_before_, j);
    linear_mean_[j] = mean_linear_velocity(now, from_before ? &before : nullptr, dt, options);
    linear_[j] = corrected_linear_velocity(now, from_before ? &before : nullptr, p[j], dt, options);
  }
}

namespace {

// Whether every needed lane has a rate at both ends.
PANTO_WIDE bool all_turn(const LaneArray<1>& needed, const LaneArray<1>& first,
                         const LaneArray<1>& last) noexcept {
  double missing[kLanes] = {};
  for (std::size_t c = 0; c < needed.chunk_count(); ++c) {
    const Chunk<1>&want = needed.chunk(c), &a = first.chunk(c), &b = last.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) missing[l] += want.v[0][l] * (1.0 - a.v[0][l] * b.v[0][l]);
  }
  return sum_of(missing) == 0.0;
}

}  // namespace

void TargetLanes::correct(const BlockKinematics& pose, const std::vector<Eigen::Vector3d>& p, double dt,
                          bool from_before, const DynamicalOptions& options) noexcept {
  const LaneArray<9>& N = spread(pose.frames());
  set_gains(dt, options.gain_law);
  const bool both_ends = from_before && options.pairing == Pairing::SameInterval,
             measured = options.velocity == VelocitySource::Measured && dt <= options.max_extrapolation;
  correct_points(p, dt, from_before, measured, options);
  found_means_ = false;
  if (both_ends && measured && all_turn(now_->oriented, before_.turning, now_->turning) &&
      correct_regular(N, before_.R, before_.w, now_->w, gain_now_, now_->oriented, before_.turning,
                      now_->turning, wanted_, regular_))
    return;
  found_means_ = true;
  if (both_ends) {
    find_means(before_.R, now_->R, before_.w, now_->w, before_.turning, now_->turning, before_.oriented,
               measured, dt, mean_, has_mean_);
    if (correct_regular(N, before_.R, mean_, mean_, gain_now_, now_->oriented, has_mean_, has_mean_, wanted_,
                        regular_))
      return;
  }
  for (const std::size_t lane : lane_of_row_) {
    if (now_->oriented(0, lane) != 0.0 && !(both_ends && regular_(0, lane) != 0.0))
      correct_lane(mat3(N, lane), lane, dt, from_before, options);
  }
}

namespace {

// Takes measured rates, else `others`. Returns true if any is measured.
PANTO_WIDE bool take_measured(const LaneArray<3>& w, const LaneArray<1>& turning, const LaneArray<3>& others,
                              LaneArray<3>& rates) noexcept {
  double count[kLanes] = {};
  for (std::size_t c = 0; c < w.chunk_count(); ++c) {
    const Chunk<3>& measured = w.chunk(c);
    const Chunk<1>& has = turning.chunk(c);
    const Chunk<3>& instead = others.chunk(c);
    Chunk<3>& out = rates.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) {
      const bool there = has.v[0][l] != 0.0;
      const Vec3 own = vec3(measured, l), other = vec3(instead, l);
      store({there ? own.x : other.x, there ? own.y : other.y, there ? own.z : other.z}, out, l);
      count[l] += has.v[0][l];
    }
  }
  return sum_of(count) != 0.0;
}

}  // namespace

bool TargetLanes::take_rates(const DynamicalOptions& options, bool others_zero) noexcept {
  if (options.velocity != VelocitySource::Measured) return false;
  if (others_zero) mean_.fill(0.0);
  // without means, every oriented lane has its own rate, and the others are not needed
  bool any = take_measured(now_->w, now_->turning, found_means_ || others_zero ? mean_ : wanted_, rates_);
  for (const std::size_t j : placed_rows_) {
    if (points_.moving[j] != 0) {
      linear_rates_[j] = points_.v[j];
      any = true;
    } else {
      linear_rates_[j] = others_zero ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : linear_mean_[j];
    }
  }
  return any;
}

namespace {

PANTO_WIDE void weigh(const LaneArray<3>& wanted, const LaneArray<1>& weight, const LaneArray<1>& valid,
                      LaneArray<3>& rhs) noexcept {
  for (std::size_t c = 0; c < rhs.chunk_count(); ++c) {
    const Chunk<3>& v = wanted.chunk(c);
    const Chunk<1>&w = weight.chunk(c), &has = valid.chunk(c);
    Chunk<3>& out = rhs.chunk(c);
#pragma GCC ivdep
#pragma GCC unroll 1
    for (std::size_t l = 0; l < kLanes; ++l) {
      const bool there = has.v[0][l] != 0.0;
      const Vec3 pull = w.v[0][l] * vec3(v, l);
      store({there ? pull.x : 0.0, there ? pull.y : 0.0, there ? pull.z : 0.0}, out, l);
    }
  }
}

// 1 - cos of the angle between two orientations; NaN if one is missing.
PANTO_WIDE void measure(const LaneArray<9>& N, const LaneArray<9>& target, const LaneArray<1>& valid,
                        LaneArray<1>& versine) noexcept {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t c = 0; c < N.chunk_count(); ++c) {
    const Chunk<9>&model = N.chunk(c), &goal = target.chunk(c);
    const Chunk<1>& has = valid.chunk(c);
    Chunk<1>& out = versine.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Mat3 R = mat3(model, l), T = mat3(goal, l);
      const double v = 0.5 * (3.0 - (dot(R.x, T.x) + dot(R.y, T.y) + dot(R.z, T.z)));
      const double above = v > 0.0 ? v : 0.0;
      out.v[0][l] = has.v[0][l] != 0.0 ? above : unknown;
    }
  }
}

}  // namespace

void TargetLanes::load(const LaneArray<3>& v, LaneArray<3>& rhs) const noexcept {
  weigh(v, weight_, now_->oriented, rhs);
  for (const std::size_t j : second_rows_) {
    const std::size_t lane = lane_of_row_[j];
    if (now_->oriented(0, lane) == 0.0) continue;
    const Vec3 pull = weight_(0, lane) * vec3(v, lane);
    store(vec3(rhs, block_of_row_[j]) + pull, rhs, block_of_row_[j]);
  }
}

double TargetLanes::stillness(double dt, double speed) noexcept {
  measure(before_.R, now_->R, now_->oriented, versine_);
  double square = 0.0;  // of the longest way
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const std::size_t lane = lane_of_row_[j];
    if (now_->oriented(0, lane) * before_.oriented(0, lane) != 0.0)
      square = std::max(square, 2.0 * versine_(0, lane));
  }
  for (const std::size_t j : placed_rows_) {
    if ((points_.placed[j] & points_before_.placed[j]) != 0)
      square = std::max(square, (points_.p[j] - points_before_.p[j]).squaredNorm());
  }
  const double way = speed * dt;
  return way * way / (way * way + square);
}

void TargetLanes::versines(const BlockKinematics& pose, std::vector<double>& by_row) noexcept {
  measure(spread(pose.frames()), now_->R, now_->oriented, versine_);
  for (std::size_t j = 0; j < rows_.size(); ++j) by_row[j] = versine_.data()[lane_of_row_[j]];
}

}  // namespace panto
