#include "panto/motion/live_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/error.hpp"
#include "panto/math/elementary.hpp"
#include "panto/motion/contact_evidence.hpp"
#include "panto/motion/line_fit.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kFromStart = 1.5;    // times `place`: a stance may lie on either side of its first place
constexpr double kSlowest = 0.25;     // least factor of the speeds
constexpr double kSinkTime = 0.05;    // [s] in which a level falls to a lower point
constexpr double kRiseTime = 2.0;     // and rises to a higher one
constexpr double kFloorSpeed = 0.1;   // [m/s] of the estimated floor
constexpr double kSwingTime = 5.0;    // [s] in which a swing's speed fades
constexpr double kSwingShare = 0.8;   // the 95 % quantile over the highest speed
constexpr double kLongestStep = 0.1;  // [s] that counts for the estimates

}  // namespace

LiveContacts::LiveContacts(std::size_t points, std::size_t frames, const ContactOptions& options,
                           std::optional<double> floor)
    : options_(options), floor_(floor), scale_(options.leg_length / detail::kReferenceLeg), points_(points) {
  if (floor && !std::isfinite(*floor)) throw ConfigError("contacts: the floor must be finite");
  t_.reserve(frames);
  joined_.reserve(frames);
  for (Point& point : points_) {
    point.p.reserve(frames);
    point.height.reserve(frames);
    point.speed.reserve(frames);
    point.flag.reserve(frames);
  }
  reset();
}

void LiveContacts::reset() noexcept {
  t_.clear();
  joined_.clear();
  for (Point& point : points_) {
    point.p.clear();
    point.height.clear();
    point.speed.clear();
    point.flag.clear();
    point.memory = {};
    point.levelled = false;
    point.swing = 0.0;
  }
  ground_ = floor_.value_or(0.0);
  grounded_ = floor_.has_value();
}

void LiveContacts::begin(std::span<const Vector3d> points) noexcept {
  if (grounded_) return;
  double lowest = kInfinity;
  for (const Vector3d& point : points)
    if (point.allFinite()) lowest = std::min(lowest, point.z());
  if (!std::isfinite(lowest)) return;
  ground_ = lowest;
  grounded_ = true;
}

void LiveContacts::push(Time t, bool joined, std::span<const Vector3d> points) noexcept {
  const bool first = t_.empty();
  begin(points);
  const double dt = first ? 0.0 : std::min(to_seconds(t - t_.back()), kLongestStep);
  t_.push_back(t);
  joined_.push_back(joined && !first ? 1 : 0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Point& point = points_[i];
    point.p.push_back(points[i]);
    point.height.push_back(std::numeric_limits<double>::quiet_NaN());
    point.speed.push_back(std::numeric_limits<double>::quiet_NaN());
    point.flag.push_back(0);
    for (std::size_t k = t_.size(); k-- > 0;) {  // frames whose neighbours were not all known
      fit(point, k);
      if (joined_[k] == 0 || to_seconds(t - t_[k]) > options_.window) break;
    }
  }
  for (Point& point : points_) find_level(point, dt);
  find_ground(dt);
}

void LiveContacts::fit(Point& point, std::size_t k) const noexcept {
  const auto usable = [&](int j) {
    if (j < 0 || at(j) >= t_.size() || !point.p[at(j)].allFinite()) return false;
    for (std::size_t i = std::min(at(j), k) + 1; i <= std::max(at(j), k); ++i)
      if (joined_[i] == 0) return false;
    return true;
  };
  if (!usable(static_cast<int>(k))) return;
  const detail::LineFit line = detail::fit_line(t_, point.p, static_cast<int>(k), options_.window, usable);
  point.height[k] = line.mean.z();
  point.speed[k] = line.slope.norm();
}

// Follows the height at which a point is slow, down fast and up slowly.
void LiveContacts::find_level(Point& point, double dt) noexcept {
  const double height = point.height.back(), speed = point.speed.back();
  point.swing *= exp(-dt / kSwingTime);
  if (speed > point.swing) point.swing = speed;
  const detail::ContactLimits limits = detail::contact_limits(options_, kSwingShare * point.swing);
  const double usual = point.levelled ? point.level : ground_;
  if (!limits.surely(height - usual, speed)) return;
  if (!point.levelled) point.level = height;
  point.levelled = true;
  point.level += std::min(dt / (height < point.level ? kSinkTime : kRiseTime), 1.0) * (height - point.level);
}

// The floor is the lowest level.
void LiveContacts::find_ground(double dt) noexcept {
  if (floor_) return;
  double lowest = kInfinity;
  for (const Point& point : points_)
    if (point.levelled) lowest = std::min(lowest, point.level);
  if (std::isfinite(lowest))
    ground_ = std::clamp(lowest, ground_ - kFloorSpeed * dt, ground_ + kFloorSpeed * dt);
}

double LiveContacts::level(const Point& point) const noexcept {
  return point.levelled ? std::min(point.level, ground_ + options_.level_spread * scale_) : ground_;
}

void LiveContacts::pop() noexcept {
  t_.erase(t_.begin());
  joined_.erase(joined_.begin());
  for (Point& point : points_) {
    point.p.erase(point.p.begin());
    point.height.erase(point.height.begin());
    point.speed.erase(point.speed.begin());
    point.flag.erase(point.flag.begin());
  }
}

void LiveContacts::judge(std::size_t first) noexcept {
  for (Point& point : points_) {
    grow_forwards(point, first);
    grow_backwards(point, first);
    close_gaps(point, first);
    drop_short(point, first);
  }
}

// A contact begins where the point surely is in contact, and goes on while it may be, near its first place.
void LiveContacts::grow_forwards(Point& point, std::size_t first) const noexcept {
  const detail::ContactLimits usual = detail::contact_limits(options_, kSwingShare * point.swing);
  const double ground = level(point), radius = kFromStart * options_.place * scale_;
  Memory now = point.memory;
  for (std::size_t k = first; k < t_.size(); ++k) {
    const double height = point.height[k] - ground, speed = point.speed[k];
    if (!usual.may(height, speed)) now.factor = 1.0;
    const detail::ContactLimits limits = usual.slower(now.factor);
    const bool goes_on = now.standing && joined_[k] != 0 && limits.may(height, speed);
    const bool left = goes_on && (point.p[k].head<2>() - now.place).norm() > radius;
    if (left) now.factor = std::max(0.5 * now.factor, kSlowest);
    const bool begins = !goes_on && limits.surely(height, speed);
    if (begins) now.place = point.p[k].head<2>();
    now.standing = begins || (goes_on && !left);
    point.flag[k] = now.standing ? 1 : 0;
  }
}

void LiveContacts::grow_backwards(Point& point, std::size_t first) const noexcept {
  const detail::ContactLimits limits = detail::contact_limits(options_, kSwingShare * point.swing);
  const double ground = level(point), radius = kFromStart * options_.place * scale_;
  std::size_t start = t_.size();
  for (std::size_t k = t_.size(); k-- > first;) {
    if (point.flag[k] != 0) {
      start = k;
    } else if (k + 1 < t_.size() && point.flag[k + 1] != 0 && joined_[k + 1] != 0 &&
               limits.may(point.height[k] - ground, point.speed[k]) &&
               (point.p[k] - point.p[start]).head<2>().norm() <= radius) {
      point.flag[k] = 1;
    }
  }
}

void LiveContacts::close_gaps(Point& point, std::size_t first) const noexcept {
  bool stood = point.memory.standing;
  Time since = point.memory.stood;
  std::size_t begin = first;  // of the gap
  for (std::size_t k = first; k < t_.size(); ++k) {
    if (joined_[k] == 0) stood = false;
    if (point.flag[k] == 0) continue;
    if (stood && begin < k && to_seconds(t_[k] - since) <= options_.shortest_gap)
      std::fill(point.flag.begin() + static_cast<std::ptrdiff_t>(begin),
                point.flag.begin() + static_cast<std::ptrdiff_t>(k), static_cast<unsigned char>(1));
    stood = true;
    since = t_[k];
    begin = k + 1;
  }
}

// Contacts that end before the window does are seen whole.
void LiveContacts::drop_short(Point& point, std::size_t first) const noexcept {
  for (std::size_t k = first; k < t_.size();) {
    std::size_t end = k;
    while (end < t_.size() && point.flag[end] != 0 && (end == k || joined_[end] != 0)) ++end;
    if (end == k) {
      ++k;
      continue;
    }
    const bool begun = k == first && point.memory.standing && joined_[k] != 0;
    if (!begun && end < t_.size() && to_seconds(t_[end] - t_[k]) < options_.shortest_stand)
      std::fill(point.flag.begin() + static_cast<std::ptrdiff_t>(k),
                point.flag.begin() + static_cast<std::ptrdiff_t>(end), static_cast<unsigned char>(0));
    k = end;
  }
}

void LiveContacts::decide(std::size_t k) noexcept {
  for (Point& point : points_) {
    const detail::ContactLimits usual = detail::contact_limits(options_, kSwingShare * point.swing);
    Memory& memory = point.memory;
    const bool standing = point.flag[k] != 0, may = usual.may(point.height[k] - level(point), point.speed[k]);
    if (!may) memory.factor = 1.0;
    if (memory.standing && !standing && may) memory.factor = std::max(0.5 * memory.factor, kSlowest);
    if (standing && (!memory.standing || joined_[k] == 0)) memory.place = point.p[k].head<2>();
    if (standing) memory.stood = t_[k];
    memory.standing = standing;
  }
}

}  // namespace panto
