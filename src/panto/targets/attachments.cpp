#include "panto/targets/attachments.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numbers>

#include "panto/math/four_lanes.hpp"
#include "panto/math/gather.hpp"
#include "panto/math/lanes.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"

namespace panto {

AttachmentMap mvn_attachments(MvnArms arms) {
  const bool hanging = arms == MvnArms::Hanging;
  using enum HumanSegment::Index;
  AttachmentMap map;
  map.source = hanging ? "mvnx 3" : "mvnx 4";
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    Attachment a;
    a.segment = a.link = std::string(kHumanSegmentNames[static_cast<std::size_t>(i)]);
    a.position = i == Pelvis;
    const bool right = i >= RightUpperArm && i <= RightHand, left = i >= LeftUpperArm && i <= LeftHand;
    if (hanging && (right || left)) a.R_SF = so3::about_axis(0, (right ? 0.5 : -0.5) * std::numbers::pi);
    map.attachments.push_back(std::move(a));
  }
  return map;
}

namespace {

constexpr double kOrthonormal = 1e-14;  // largest entry of M'M - I of a matrix that needs no projection

double positive(const std::optional<double>& own, double fallback, const std::string& link) {
  const double value = own.value_or(fallback);
  if (!(std::isfinite(value) && value > 0.0)) {
    throw ConfigError("attachment of link '" + link + "': weight " + std::to_string(value) +
                      " must be finite and > 0");
  }
  return value;
}

// Projects M to the nearest rotation if M is one within 1e-2 (NaN or infinity is not): R (I - E/2 + 3/8 E^2)
// with E = M'M - I.
bool project(const Eigen::Matrix3d& M, Eigen::Matrix3d& R) noexcept {
  const Eigen::Matrix3d E = M.transpose() * M - Eigen::Matrix3d::Identity();
  const double error = E.cwiseAbs().maxCoeff();
  const bool near = error <= 1e-2 && M.col(0).cross(M.col(1)).dot(M.col(2)) > 0.0 && std::isfinite(E.sum());
  if (!near) return false;
  R = M;
  if (error > kOrthonormal) R -= M * (0.5 * E - 0.375 * E * E);
  if (error > 1e-6) R = so3::polar_step(R);
  if (error > 1e-3) R = so3::polar_step(R);
  return true;
}

// larger values, in metres or radians (per second), are damage and not motion; their squares stay finite
constexpr double kLargest = 1e9;

// false for NaN too
bool plausible(const Eigen::Vector3d& v) noexcept { return v.squaredNorm() <= kLargest * kLargest; }

bool plausible(const SegmentMotion& m) noexcept {
  return (!m.has_position || plausible(m.p_WS)) && (!m.has_angular_velocity || plausible(m.w_WS)) &&
         (!m.has_linear_velocity || plausible(m.v_WS));
}

// Sets 1 by lane if the matrix is a rotation without projection; the matrices by lane.
[[gnu::always_inline]] inline void find_rotations(const double* const (&rows)[kLanes], Chunk<9>& R,
                                                  double (&rotation)[kLanes]) noexcept {
  FourLanes<9> first, last;
  gather({rows[0], rows[1], rows[2], rows[3]}, first);
  gather({rows[4], rows[5], rows[6], rows[7]}, last);
  store(first, last, R.v);
#pragma GCC ivdep
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Mat3 M = mat3(R, l);
    const double xx = dot(M.x, M.x) - 1.0, yy = dot(M.y, M.y) - 1.0, zz = dot(M.z, M.z) - 1.0;
    const double xy = dot(M.x, M.y), xz = dot(M.x, M.z), yz = dot(M.y, M.z);
    double good = dot(cross(M.x, M.y), M.z) > 0.0 ? 1.0 : 0.0;
    const auto small = [&](double e) { good = std::abs(e) <= kOrthonormal ? good : 0.0; };
    small(xx), small(yy), small(zz), small(xy), small(xz), small(yz);
    rotation[l] = good;
  }
}

// The measured numbers of a segment and of a target have the same order without gaps: orientation, origin,
// the two rates, then the four flags.
constexpr std::size_t kNumbers = 18;
template <typename T>
constexpr bool stand_together(std::size_t R, std::size_t p, std::size_t w, std::size_t v) {
  return p == R + 9 * sizeof(double) && w == p + 3 * sizeof(double) && v == w + 3 * sizeof(double) &&
         offsetof(T, has_orientation) == v + 3 * sizeof(double) &&
         offsetof(T, has_position) == offsetof(T, has_orientation) + 1 &&
         offsetof(T, has_angular_velocity) == offsetof(T, has_orientation) + 2 &&
         offsetof(T, has_linear_velocity) == offsetof(T, has_orientation) + 3;
}
static_assert(stand_together<SegmentMotion>(offsetof(SegmentMotion, R_WS), offsetof(SegmentMotion, p_WS),
                                            offsetof(SegmentMotion, w_WS), offsetof(SegmentMotion, v_WS)));
static_assert(stand_together<Target>(offsetof(Target, R_WF), offsetof(Target, p_WF), offsetof(Target, w_WF),
                                     offsetof(Target, v_WF)));

// The four flags as one number.
using Flags = Following::Flags;
static_assert(sizeof(Flags) == 4 * sizeof(bool) && std::endian::native == std::endian::little);
constexpr Flags kOriented = 1u, kPlaced = kOriented << 8, kTurning = kOriented << 16, kMoving = kPlaced << 16;

[[gnu::always_inline]] inline Flags flags_of(const SegmentMotion& m) noexcept {
  Flags flags = 0;
  std::memcpy(&flags, reinterpret_cast<const std::byte*>(&m) + offsetof(SegmentMotion, has_orientation),
              sizeof flags);
  return flags;
}

// Quantities that are measured and followed; a rate without its pose has nothing to correct towards.
[[gnu::always_inline]] inline Flags facts_of(const SegmentMotion& m, const Following& following) noexcept {
  const Flags followed = flags_of(m) & following.flags;
  return followed & (followed << 16 | kPlaced | kOriented);
}

[[gnu::always_inline]] inline void put_flags(Flags flags, Target& row) noexcept {
  std::memcpy(reinterpret_cast<std::byte*>(&row) + offsetof(Target, has_orientation), &flags, sizeof flags);
}

// The numbers of a segment as they are copied: eight, eight and two.
struct Numbers {
  using Eight = double __attribute__((vector_size(64)));
  using Two = double __attribute__((vector_size(16)));
  static_assert(kNumbers * sizeof(double) == 2 * sizeof(Eight) + sizeof(Two));
  Eight first, second;
  Two last;

  PANTO_INLINE void take(const SegmentMotion& m) noexcept {
    const auto* from = reinterpret_cast<const std::byte*>(&m) + offsetof(SegmentMotion, R_WS);
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&second, from + sizeof first, sizeof second);
    std::memcpy(&last, from + 2 * sizeof first, sizeof last);
  }
  PANTO_INLINE void put(Target& row) const noexcept {
    auto* to = reinterpret_cast<std::byte*>(&row) + offsetof(Target, R_WF);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + sizeof first, &second, sizeof second);
    std::memcpy(to + 2 * sizeof first, &last, sizeof last);
  }
};

// The sum of the squares of origins and rates, and of one number of every matrix.
struct Squares {
  Numbers::Eight a = {};
  Numbers::Two b = {};

  PANTO_INLINE void add(const Numbers& numbers) noexcept {
    a += numbers.second * numbers.second;
    b += numbers.last * numbers.last;
  }
  [[nodiscard]] double sum() const noexcept {
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])) + (b[0] + b[1]);
  }
};

// A chunk of `TurningFacts`; null if nothing is kept by lane.
struct TurningChunk {
  Chunk<9>* R = nullptr;
  Chunk<3>* w = nullptr;
  Chunk<1>*oriented = nullptr, *turning = nullptr;
};

// Copies eight rows at once; -1: no row, with segment `nothing`. Returns true if all have an orientation, are
// rotations without projection, and have numbers so small together that no single check is needed. If not,
// `rotation` marks the rotations.
PANTO_WIDE bool take_rows(const SegmentMotion* segments, const SegmentMotion& nothing,
                          const Following* following, const int* order, double (&rotation)[kLanes],
                          Target* rows, const TurningChunk& turning) noexcept {
  const SegmentMotion* from[kLanes];
  const double* matrices[kLanes];
  Flags all = kOriented;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const int j = order[l];
    from[l] = j < 0 ? &nothing : segments + following[j].segment;
    matrices[l] = from[l]->R_WS.data();
    all &= j < 0 ? kOriented : flags_of(*from[l]);
  }
  Chunk<9> own;
  find_rotations(matrices, turning.R != nullptr ? *turning.R : own, rotation);
  if (all == 0 || sum_of(rotation) != 8.0) return false;

  Squares squares;
  Flags flags[kLanes] = {};
  for (std::size_t l = 0; l < kLanes; ++l) {
    const int j = order[l];
    if (j < 0) continue;
    Numbers numbers;
    numbers.take(*from[l]);
    squares.add(numbers);
    const bool placed = (following[j].flags & kPlaced) != 0;
    if (placed || turning.R == nullptr) numbers.put(rows[j]);
    flags[l] = facts_of(*from[l], following[j]);
    put_flags(flags[l], rows[j]);
  }
  if (turning.R != nullptr) {
    FourLanes<3> first, last;
    const auto rates = [&](std::size_t l) PANTO_INLINE_LAMBDA { return from[l]->w_WS.data(); };
    gather({rates(0), rates(1), rates(2), rates(3)}, first);
    gather({rates(4), rates(5), rates(6), rates(7)}, last);
    store(first, last, turning.w->v);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      turning.oriented->v[0][l] = bit_of((flags[l] & kOriented) != 0);
      turning.turning->v[0][l] = bit_of((flags[l] & kTurning) != 0);
    }
  }
  // then no single number is too large, however the sum is rounded
  return squares.sum() <= 0.25 * kLargest * kLargest;
}

}  // namespace

Attachments::Attachments(const AttachmentMap& map, const Model& model,
                         const std::vector<std::string>& segments, const TargetDefaults& defaults)
    : segment_count_(segments.size()) {
  if (map.attachments.empty())
    throw ConfigError("the attachment map is empty: attach at least one segment to a link");
  for (const Attachment& a : map.attachments) {
    const auto found = std::find(segments.begin(), segments.end(), a.segment);
    if (found == segments.end())
      throw ConfigError(unknown_name("segment", a.segment, "the source", segments));
    if (!so3::is_rotation(a.R_SF, 1e-6))
      throw ConfigError("attachment of link '" + a.link + "': R_SF is not a rotation");
    if (!a.orientation && !a.position)
      throw ConfigError("attachment of link '" + a.link + "' follows neither orientation nor position");
    Target row;
    row.link = model.link_index(a.link);
    row.orientation_weight =
        a.orientation ? positive(a.orientation_weight, defaults.orientation_weight, a.link) : 0.0;
    row.position_weight = a.position ? positive(a.position_weight, defaults.position_weight, a.link) : 0.0;
    if (a.gain && !(std::isfinite(*a.gain) && *a.gain >= 0.0))
      throw ConfigError("attachment of link '" + a.link + "': gain " + std::to_string(*a.gain) +
                        " must be finite and >= 0");
    row.orientation_gain = a.gain.value_or(defaults.orientation_gain);
    row.position_gain = a.gain.value_or(defaults.position_gain);
    for (const Target& other : rows_) {
      if (other.link == row.link) throw ConfigError("link '" + a.link + "' is attached twice");
    }
    rows_.push_back(row);
    const Flags flags = (row.orientation_weight > 0.0 ? kOriented | kTurning : 0u) |
                        (row.position_weight > 0.0 ? kPlaced | kMoving : 0u);
    following_.push_back({static_cast<int>(found - segments.begin()), flags});
    R_SF_.push_back(a.R_SF);
    if (!a.R_SF.isIdentity(0.0)) turned_rows_.push_back(rows_.size() - 1);
  }
  for (std::size_t j = 0; j < rows_.size(); ++j) order_.push_back(static_cast<int>(j));
  order_.resize((order_.size() + kLanes - 1) / kLanes * kLanes, -1);
}

void Attachments::set_lanes(std::vector<int> row_of_lane) {
  lanes_ = !row_of_lane.empty();
  if (!lanes_) return;
  order_ = std::move(row_of_lane);
  R_SF_by_lane_ = LaneArray<9>(order_.size());
  for (std::size_t lane = 0; lane < order_.size(); ++lane) {
    const int j = order_[lane];
    store(to_mat3(j < 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : R_SF_[static_cast<std::size_t>(j)]),
          R_SF_by_lane_, lane);
  }
}

Targets Attachments::targets() const {
  Targets result{0, rows_};
  if (lanes_) {
    result.by_lane = {LaneArray<9>(order_.size()), LaneArray<3>(order_.size()), LaneArray<1>(order_.size()),
                      LaneArray<1>(order_.size())};
  }
  return result;
}

StepStatus Attachments::apply(const SegmentSample& sample, Targets& targets) const noexcept {
  if (sample.segments.size() != segment_count_ || targets.rows.size() != rows_.size())
    return StepStatus::SizeMismatch;
  targets.t = sample.t;
  const bool lanes = lanes_ && targets.by_lane.R.size() == order_.size();
  for (std::size_t first = 0; first < order_.size(); first += kLanes) {
    if (!apply_rows(sample, first, lanes, targets)) return StepStatus::TargetNotFinite;
  }
  if (turned_rows_.empty()) return StepStatus::Solved;
  if (lanes) {
    multiply_lanes(targets.by_lane.R, R_SF_by_lane_);
  } else {
    for (const std::size_t j : turned_rows_) {
      if (segment_motion(sample, j).has_orientation) targets.rows[j].R_WF = targets.rows[j].R_WF * R_SF_[j];
    }
  }
  return StepStatus::Solved;
}

void Attachments::complete(Targets& targets) const noexcept {
  const TurningFacts& facts = targets.by_lane;
  if (!lanes_ || facts.R.size() != order_.size()) return;
  for (std::size_t lane = 0; lane < order_.size(); ++lane) {
    if (order_[lane] < 0) continue;
    Target& row = targets.rows[static_cast<std::size_t>(order_[lane])];
    if (facts.oriented(0, lane) != 0.0) row.R_WF = to_eigen(mat3(facts.R, lane));
    if (facts.turning(0, lane) != 0.0) row.w_WF = to_eigen(vec3(facts.w, lane));
  }
}

// Fills the rows of the eight lanes from `first` on that are not yet rotated.
bool Attachments::apply_rows(const SegmentSample& sample, std::size_t first, bool lanes,
                             Targets& targets) const noexcept {
  TurningFacts& facts = targets.by_lane;
  TurningChunk turning;
  if (lanes) {
    const std::size_t c = first / kLanes;
    turning = {&facts.R.chunk(c), &facts.w.chunk(c), &facts.oriented.chunk(c), &facts.turning.chunk(c)};
  }
  double rotation[kLanes];
  const bool regular = take_rows(sample.segments.data(), nothing_, following_.data(), &order_[first],
                                 rotation, targets.rows.data(), turning);
  if (regular) return true;
  for (std::size_t lane = first; lane < first + kLanes; ++lane) {
    if (order_[lane] < 0) continue;
    const auto j = static_cast<std::size_t>(order_[lane]);
    const SegmentMotion& m = segment_motion(sample, j);
    Target& row = targets.rows[j];
    if (!apply_row(m, j, rotation[lane - first] != 0.0, row)) return false;
    if (!lanes) continue;
    store(to_mat3(row.R_WF), facts.R, lane);
    store(to_vec3(row.w_WF), facts.w, lane);
    facts.oriented(0, lane) = bit_of(row.has_orientation);
    facts.turning(0, lane) = bit_of(row.has_angular_velocity);
  }
  return true;
}

// Fills one row with all checks. Returns false if a valid number is no measurement.
bool Attachments::apply_row(const SegmentMotion& m, std::size_t j, bool is_rotation,
                            Target& row) const noexcept {
  if (!plausible(m)) return false;
  put_flags(facts_of(m, following_[j]), row);
  if (m.has_orientation) {
    if (is_rotation) {
      row.R_WF = m.R_WS;
    } else if (!project(m.R_WS, row.R_WF)) {
      return false;
    }
  }
  row.p_WF = m.p_WS;
  row.w_WF = m.w_WS;
  row.v_WF = m.v_WS;
  return true;
}

}  // namespace panto
