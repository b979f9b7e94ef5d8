#include "panto/motion/foot_plant.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/median.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/motion/parts.hpp"
#include "panto/motion/path_band.hpp"
#include "panto/motion/sole_frame.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

using detail::heading;
using detail::kSoftPitch;
using detail::soft_positive;
using detail::SoleFrame;

constexpr double kBlendGrowth = 1.4;    // from one tried blend length to the next
constexpr double kStay = 0.03;          // [s], settling time of an offset at the end of a clip
constexpr double kTolerated = 0.003;    // [m] under the floor that a blend may leave uncorrected
constexpr double kShortestSole = 0.01;  // [m]

constexpr double kLeast = 1e-12;  // keeps a stretch without neighbours determined

using Offset = Eigen::Matrix<double, 6, 1>;  // position, then rotation vector, in world axes
using Band = std::vector<std::array<double, 4>>;

/// Rises from 0 at u <= 0 to 1 at u >= 1, twice continuously differentiable.
double smooth_step(double u) {
  u = std::clamp(u, 0.0, 1.0);
  return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

// Plants one foot.
class Planter {
 public:
  Planter(const std::vector<Time>& t, const std::vector<int>& part, const FootMotion& foot, double ground,
          const PlantOptions& options)
      : t_(t),
        part_(part),
        foot_(foot),
        ground_(ground),
        options_(options),
        sole_(detail::sole_frame(foot.sole)),
        corners_(foot.corners) {
    if (corners_.empty())
      for (const Vector3d& corner : corners(foot.sole)) corners_.push_back(corner);
    targets_.p_WF = foot.p_WF;
    targets_.R_WF = foot.R_WF;
    for (int k = 0; k < size(); ++k) lift(k);
    free_ = targets_;
    offset_.assign(t.size(), Offset::Zero());
    settled_.assign(t.size(), 0);
  }

  FootTargets plant() {
    for (const PlantedInterval& interval : foot_.contacts.planted) stand(interval);
    for (int k = 0; k < size();) {
      if (settled_[at(k)] != 0) {
        ++k;
        continue;
      }
      int last = k;
      while (last + 1 < size() && settled_[at(last + 1)] == 0 && part_[at(last + 1)] == part_[at(k)]) ++last;
      swing(k, last);
      k = last + 1;
    }
    add_rates();
    return std::move(targets_);
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(t_.size()); }
  [[nodiscard]] double time(int k) const { return to_seconds(t_[at(k)]); }

  // Raises a sole that would be under the floor onto it.
  void lift(int k) {
    targets_.p_WF[at(k)].z() +=
        detail::sole_rise(corners_, options_.clearance, ground_, targets_.p_WF[at(k)], targets_.R_WF[at(k)]);
  }

  [[nodiscard]] double yaw(int k) const { return detail::sole_yaw(foot_.R_WF[at(k)], sole_); }
  [[nodiscard]] double pitch(int k) const { return detail::sole_pitch(foot_.R_WF[at(k)], sole_); }

  // Returns the headings during a stance: a constant one, or, where the foot turns, its own rates on one
  // point alone.
  [[nodiscard]] std::vector<double> headings(const PlantedInterval& interval) const {
    std::vector<double> own;
    for (int k = interval.first; k <= interval.last; ++k) {
      const double now = yaw(k), before = own.empty() ? now : own.back();
      own.push_back(before + std::remainder(now - before, 2.0 * std::numbers::pi));
    }
    const auto [low, high] = std::minmax_element(own.begin(), own.end());
    if (*high - *low <= options_.turn) return std::vector<double>(own.size(), median(own));
    const auto both = [&](int k) {
      return foot_.contacts.heel[at(k)] != 0 && foot_.contacts.ball[at(k)] != 0;
    };
    std::vector<double> since = times_from(interval, both), turned(own.size(), 0.0), off(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i > 0)
        turned[i] = turned[i - 1] + smooth_step(since[i] / options_.level_time) * (own[i] - own[i - 1]);
      off[i] = own[i] - turned[i];
    }
    const double start = median(off);
    for (double& angle : turned) angle += start;
    return turned;
  }

  // Returns the time from every frame of an interval to the nearest frame that meets the condition [s];
  // infinity when none does.
  template <typename Is>
  [[nodiscard]] std::vector<double> times_from(const PlantedInterval& interval, const Is& is) const {
    std::vector<double> away(at(interval.last - interval.first + 1), kInfinity);
    double nearest = -kInfinity;
    const auto visit = [&](int k) {
      if (is(k)) nearest = time(k);
      double& value = away[at(k - interval.first)];
      value = std::min(value, std::abs(time(k) - nearest));
    };
    for (int k = interval.first; k <= interval.last; ++k) visit(k);
    nearest = kInfinity;
    for (int k = interval.last; k >= interval.first; --k) visit(k);
    return away;
  }

  // Finds what a foot rolls over in each frame: -1 the heel, 1 the ball, 0 neither (it lies flat). While both
  // are in contact, it first still rolls off the heel and at last begins to roll over the ball. A frame with
  // neither (a closed gap) repeats the one before.
  struct Rolling {
    std::vector<int> side;
    std::vector<double> share;  // share of its pitch that the foot keeps
  };
  [[nodiscard]] Rolling rolling(const PlantedInterval& interval) const {
    const int count = interval.last - interval.first + 1;
    std::vector<int> alone;
    for (int k = interval.first; k <= interval.last; ++k) {
      const bool heel = foot_.contacts.heel[at(k)] != 0, ball = foot_.contacts.ball[at(k)] != 0;
      alone.push_back(heel == ball ? (heel || alone.empty() ? 0 : alone.back()) : ball ? 1 : -1);
    }
    // nearest frame on one point alone, after and before; none beyond the ends of the stance
    std::vector<int> behind(at(count), count);
    for (int i = count - 1; i >= 0; --i)
      behind[at(i)] = alone[at(i)] != 0 ? i : i + 1 < count ? behind[at(i + 1)] : count;
    int before = -1;
    const auto when = [&](int i) { return time(interval.first + i); };
    Rolling result{alone, {}};
    std::vector<unsigned char> flat(at(count), 0);
    for (int i = 0; i < count; ++i) {
      if (i > 0 && alone[at(i)] * alone[at(i - 1)] < 0) flat[at(i)] = 1;
      if (alone[at(i)] != 0) {
        before = i;
        continue;
      }
      const int after = behind[at(i)];
      const double since = before >= 0 ? when(i) - when(before) : kInfinity;
      const double until = after < count ? when(after) - when(i) : kInfinity;
      const double enough = std::min(options_.level_time, (since + until) / 3.0);
      if (since >= enough && until >= enough) flat[at(i)] = 1;
      const int nearer = since < until ? before : after;
      result.side[at(i)] = nearer >= 0 && nearer < count ? alone[at(nearer)] : 0;
    }
    result.share = times_from(interval, [&](int k) { return flat[at(k - interval.first)] != 0; });
    for (double& share : result.share) share = smooth_step(0.5 * share / options_.level_time);
    return result;
  }

  void stand(const PlantedInterval& interval) {
    const std::vector<double> yaws = headings(interval);
    const auto [side, share] = rolling(interval);
    std::vector<double> angles;
    for (int k = interval.first; k <= interval.last; ++k) {
      const std::size_t i = at(k - interval.first);
      double angle = pitch(k);
      if (side[i] != 0) angle = side[i] * soft_positive(side[i] * angle, kSoftPitch);
      angles.push_back(angle * share[i]);
    }
    // Path of the ball while the contact point is fixed: constant unless the foot turns about its heel. The
    // median gives its place: the ball's position, or its position seen from the heel.
    std::vector<Vector3d> way(yaws.size(), Vector3d::Zero());
    std::array<std::vector<double>, 2> places;
    for (int k = interval.first; k <= interval.last; ++k) {
      const std::size_t i = at(k - interval.first);
      const bool on_heel = foot_.contacts.heel[at(k)] != 0 && foot_.contacts.ball[at(k)] == 0;
      if (i > 0)
        way[i] = way[i - 1] + (on_heel ? sole_.length : 0.0) * (heading(yaws[i]) - heading(yaws[i - 1]));
      const Vector3d ball = on_heel ? Vector3d(point(k, foot_.sole.heel) + sole_.length * heading(yaws[i]))
                                    : point(k, foot_.sole.ball);
      for (std::size_t axis = 0; axis < 2; ++axis)
        places[axis].push_back((ball - way[i])[static_cast<int>(axis)]);
    }
    const Vector3d start(median(places[0]), median(places[1]), ground_);

    for (int k = interval.first; k <= interval.last; ++k) {
      const std::size_t i = at(k - interval.first);
      detail::FootPose pose = detail::standing_pose(foot_.sole, sole_, start + way[i], yaws[i], angles[i]);
      if (side[i] != 0) pose = detail::with_own_roll(pose, foot_.sole, sole_, foot_.R_WF[at(k)], share[i]);
      set(k, pose.p_WF, pose.R_WF);
    }
  }

  [[nodiscard]] Vector3d point(int k, const Vector3d& p_F) const {
    return foot_.p_WF[at(k)] + foot_.R_WF[at(k)] * p_F;
  }

  void set(int k, const Vector3d& p, const Matrix3d& R) {
    targets_.p_WF[at(k)] = p;
    targets_.R_WF[at(k)] = R;
    offset_[at(k)] << p - free_.p_WF[at(k)], so3::log(R * free_.R_WF[at(k)].transpose());
    settled_[at(k)] = 1;
  }

  // Corrects a swing: picks the shortest blends within the allowed acceleration, else those with the least
  // acceleration.
  void swing(int first, int last) {
    const bool before = joined(first), after = joined(last + 1);
    if (!before && !after) return;
    std::vector<Offset> best;
    double least = kInfinity;
    for (double blend = options_.blend; least > options_.most_acceleration;) {
      const std::vector<Offset> tried = blended(first, last, before, after, blend);
      const double cost = acceleration(first, last, tried);
      if (cost < least) {
        least = cost;
        best = tried;
      }
      if (blend >= options_.longest_blend) break;
      blend = std::min(kBlendGrowth * blend, options_.longest_blend);
    }
    if (best.empty()) best = blended(first, last, before, after, options_.blend);
    for (int k = first; k <= last; ++k) {
      apply(k, best[at(k - first)]);
      // where the blend itself would go under the floor
      double depth = 0.0;
      for (const Vector3d& point : corners_)
        depth = std::max(depth, ground_ - (targets_.p_WF[at(k)] + targets_.R_WF[at(k)] * point).z());
      const double beyond = std::max(depth - kTolerated, 0.0);
      if (beyond > 0.0) targets_.p_WF[at(k)].z() += beyond * beyond / (beyond + 0.5 * kTolerated);
    }
  }

  void apply(int k, const Offset& offset) {
    offset_[at(k)] = offset;
    settled_[at(k)] = 1;
    targets_.p_WF[at(k)] = free_.p_WF[at(k)] + offset.head<3>();
    targets_.R_WF[at(k)] = so3::exp(offset.tail<3>()) * free_.R_WF[at(k)];
  }

  // Zero farther than `blend` from a stance; in between, the least third differences.
  [[nodiscard]] std::vector<Offset> blended(int first, int last, bool before, bool after,
                                            double blend) const {
    std::vector<Offset> result(at(last - first + 1), Offset::Zero());
    const auto is_zero = [&](int k) {
      return !(before && time(k) - time(first - 1) < blend) && !(after && time(last + 1) - time(k) < blend);
    };
    for (int k = first; k <= last;) {
      if (is_zero(k)) {
        ++k;
        continue;
      }
      int end = k;
      while (end + 1 <= last && !is_zero(end + 1)) ++end;
      const auto values = least_jerk(k, end, [&](int j) -> const Offset* {
        if (j < first || j > last) return settled_[at(j)] != 0 ? &offset_[at(j)] : nullptr;
        return j < k || is_zero(j) ? &result[at(j - first)] : nullptr;
      });
      std::copy(values.begin(), values.end(), result.begin() + (k - first));
      k = end + 1;
    }
    return result;
  }

  // Returns the values of frames first .. last that minimise the sum of squared third divided differences,
  // given the neighbours from `known`. `known` is null for frames beyond a short stance whose correction is
  // still unknown; they are left out.
  template <typename Known>
  [[nodiscard]] std::vector<Offset> least_jerk(int first, int last, const Known& known) const {
    const std::size_t count = at(last - first + 1);
    Band H(count, {kLeast, 0.0, 0.0, 0.0});
    std::vector<Offset> values(count, Offset::Zero());
    const double step = std::max(1e-6, (time(size() - 1) - time(0)) / std::max(1, size() - 1));
    for (int start = first - 3; start <= last; ++start) {
      if (start < 0 || start + 3 >= size() || part_[at(start)] != part_[at(start + 3)]) continue;
      std::array<double, 4> c{};
      for (int i = 0; i < 4; ++i) {
        c[at(i)] = 6.0;
        for (int j = 0; j < 4; ++j)
          if (j != i) c[at(i)] *= step / (time(start + i) - time(start + j));
      }
      Offset fixed = Offset::Zero();
      const auto is_free = [&](int k) { return k >= first && k <= last; };
      bool all_known = true;
      for (int i = 0; i < 4 && all_known; ++i) {
        if (is_free(start + i)) continue;
        const Offset* value = known(start + i);
        all_known = value != nullptr;
        if (all_known) fixed += c[at(i)] * *value;
      }
      if (!all_known) continue;
      for (int i = 0; i < 4; ++i) {
        if (!is_free(start + i)) continue;
        values[at(start + i - first)] -= c[at(i)] * fixed;
        for (int j = i; j < 4; ++j)
          if (is_free(start + j)) H[at(start + i - first)][at(j - i)] += c[at(i)] * c[at(j)];
      }
    }
    if (is_open(first, last)) stay(first, last, step, known, H, values);
    detail::solve_band(H, values);
    return values;
  }

  [[nodiscard]] bool joined(int k) const { return k > 0 && k < size() && part_[at(k - 1)] == part_[at(k)]; }
  [[nodiscard]] bool is_open(int first, int last) const { return !joined(first) || !joined(last + 1); }

  // At the ends of the clip the values are undetermined: first differences get a small weight too.
  template <typename Known>
  void stay(int first, int last, double step, const Known& known, Band& H, std::vector<Offset>& b) const {
    const double weight = power(step / kStay, 4);
    for (int k = first; k <= last + 1; ++k) {  // frames k - 1 and k
      if (!joined(k)) continue;
      const std::size_t i = at(k - first);
      if (k <= last) H[i][0] += weight;
      if (k > first) H[i - 1][0] += weight;
      if (k > first && k <= last) {
        H[i - 1][1] -= weight;
      } else if (const Offset* value = known(k > last ? k : k - 1)) {
        b[k > last ? i - 1 : i] += weight * *value;
      }
    }
  }

  // Returns the largest acceleration around a stretch with these corrections, as a multiple of the one
  // without planting; the larger of position and rotation.
  [[nodiscard]] double acceleration(int first, int last, const std::vector<Offset>& offsets) const {
    std::array<double, 2> with{}, without{};
    const auto position = [&](int k) -> Vector3d {
      if (k < first || k > last) return targets_.p_WF[at(k)];
      return free_.p_WF[at(k)] + offsets[at(k - first)].head<3>();
    };
    const auto rotation = [&](int k) -> Matrix3d {
      if (k < first || k > last) return targets_.R_WF[at(k)];
      return so3::exp(offsets[at(k - first)].tail<3>()) * free_.R_WF[at(k)];
    };
    for (int k = std::max(first - 1, 1); k <= std::min(last + 1, size() - 2); ++k) {
      if (part_[at(k - 1)] != part_[at(k + 1)] || (k + 1 > last && settled_[at(k + 1)] == 0)) continue;
      const double a = time(k) - time(k - 1), b = time(k + 1) - time(k), mean = 0.5 * (a + b);
      const auto linear = [&](const Vector3d& p0, const Vector3d& p1, const Vector3d& p2) {
        return ((p2 - p1) / b - (p1 - p0) / a).norm() / mean;
      };
      const auto angular = [&](const Matrix3d& R0, const Matrix3d& R1, const Matrix3d& R2) {
        return (so3::log(R2 * R1.transpose()) / b - so3::log(R1 * R0.transpose()) / a).norm() / mean;
      };
      with[0] = std::max(with[0], linear(position(k - 1), position(k), position(k + 1)));
      with[1] = std::max(with[1], angular(rotation(k - 1), rotation(k), rotation(k + 1)));
      without[0] =
          std::max(without[0], linear(foot_.p_WF[at(k - 1)], foot_.p_WF[at(k)], foot_.p_WF[at(k + 1)]));
      without[1] =
          std::max(without[1], angular(foot_.R_WF[at(k - 1)], foot_.R_WF[at(k)], foot_.R_WF[at(k + 1)]));
    }
    // less than 1 m/s^2 and 5 rad/s^2 is harmless
    return std::max(with[0] / std::max(without[0], 1.0), with[1] / std::max(without[1], 5.0));
  }

  void add_rates() {
    targets_.v_WF.assign(t_.size(), Vector3d::Zero());
    targets_.w_WF.assign(t_.size(), Vector3d::Zero());
    for (int k = 0; k < size(); ++k) {
      const int a = joined(k) ? k - 1 : k, b = joined(k + 1) ? k + 1 : k;
      if (a == b) continue;
      const double dt = time(b) - time(a);
      targets_.v_WF[at(k)] = (targets_.p_WF[at(b)] - targets_.p_WF[at(a)]) / dt;
      targets_.w_WF[at(k)] = so3::log(targets_.R_WF[at(b)] * targets_.R_WF[at(a)].transpose()) / dt;
    }
  }

  const std::vector<Time>& t_;
  const std::vector<int>& part_;
  const FootMotion& foot_;
  double ground_;
  const PlantOptions& options_;
  SoleFrame sole_;
  std::vector<Vector3d> corners_;
  FootTargets targets_, free_;  // `free_`: without planting, above the floor
  std::vector<Offset> offset_;
  std::vector<unsigned char> settled_;  // frames with known correction
};

void check(const std::vector<Time>& t, const std::vector<FootMotion>& feet, const PlantOptions& o) {
  const auto demand = [](bool good, const std::string& what) {
    if (!good) throw ConfigError("planting: " + what);
  };
  check_finite("planting", {{"blend", o.blend},
                            {"longest_blend", o.longest_blend},
                            {"most_acceleration", o.most_acceleration},
                            {"turn", o.turn},
                            {"level_time", o.level_time},
                            {"clearance", o.clearance}});
  demand(!o.ground || std::isfinite(*o.ground), "ground must be finite");
  demand(o.blend > 0.0 && o.longest_blend >= o.blend, "blend must be above 0 and at most longest_blend");
  demand(o.most_acceleration >= 1.0, "most_acceleration must be >= 1");
  demand(o.turn >= 0.0, "turn must not be negative");
  demand(o.level_time > 0.0 && o.clearance > 0.0, "level_time and clearance must be > 0");
  for (std::size_t k = 1; k < t.size(); ++k)
    demand(t[k] > t[k - 1], "the stamps do not increase at frame " + std::to_string(k));
  for (const FootMotion& foot : feet) {
    for (const std::size_t length :
         {foot.p_WF.size(), foot.R_WF.size(), foot.contacts.heel.size(), foot.contacts.ball.size()})
      demand(length == t.size(), "the lists of " + foot.name + " differ in length");
    demand((foot.sole.ball - foot.sole.heel).norm() >= kShortestSole &&
               foot.sole.up.cross(foot.sole.ball - foot.sole.heel).norm() > 1e-6,
           "the sole of " + foot.name + " has no length or no side");
    int before = -1;
    for (const PlantedInterval& interval : foot.contacts.planted) {
      demand(interval.first > before && interval.last >= interval.first &&
                 interval.last < static_cast<int>(t.size()),
             "planted frames of " + foot.name + " overlap or lie outside the clip");
      before = interval.last;
    }
  }
}

double floor_of(const std::vector<FootMotion>& feet) {
  std::vector<double> heights;
  for (const FootMotion& foot : feet) {
    for (std::size_t k = 0; k < foot.p_WF.size(); ++k) {
      if (foot.contacts.heel[k] != 0) heights.push_back((foot.p_WF[k] + foot.R_WF[k] * foot.sole.heel).z());
      if (foot.contacts.ball[k] != 0) heights.push_back((foot.p_WF[k] + foot.R_WF[k] * foot.sole.ball).z());
    }
  }
  return median(std::move(heights));
}

}  // namespace

PlantedFeet plant_feet(const std::vector<Time>& t, const std::vector<FootMotion>& feet,
                       const PlantOptions& options, const std::vector<int>& cuts) {
  check(t, feet, options);
  const std::vector<int> part = detail::parts_between(t.size(), cuts);
  PlantedFeet result;
  result.ground = options.ground.value_or(floor_of(feet));
  for (const FootMotion& foot : feet)
    result.feet.push_back(Planter(t, part, foot, result.ground, options).plant());
  return result;
}

}  // namespace panto
