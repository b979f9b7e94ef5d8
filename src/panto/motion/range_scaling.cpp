#include "panto/motion/range_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/motion/low_pass.hpp"
#include "panto/motion/range_map.hpp"

namespace panto {
namespace {

using detail::MapEnd;
using detail::RangeCurve;

constexpr double kLowestCutoff = 0.1;  // [Hz]
constexpr double kDensest = 0.002;     // [1/frames] lowest cut-off for dense frames: bounds the work
constexpr double kFarthest = 1e9;      // [rad], [m] of a sample: beyond it, steps are lost in rounding
constexpr double kSmoothBlend = 0.4;   // largest share of a swing over which the smooth map's slope changes

// A turning point of a joint: +1 from rising to falling.
struct Turn {
  int frame, kind;
};

// Frames outside one limit, with no turning point inside the limits between them.
struct Excursion {
  int side = 0;               // +1 beyond the upper limit, -1 beyond the lower one
  int first = 0, last = 0;    // first and last frame outside
  int peak = 0;               // frame furthest outside
  int from = -1, until = -1;  // turning points before and after, or ends of the clip inside; -1: none
  double slope = 1.0;         // shared by the smooth maps before and after the peak
};

void check(std::span<const Time> t, std::span<const double> q, double lower, double upper,
           const RangeScalingOptions& o) {
  check_finite("range scaling",
               {{"prominence", o.prominence}, {"end_blend", o.end_blend}, {"row_blend", o.row_blend}});
  if (!(o.turning_cutoff_hz >= kLowestCutoff))
    throw ConfigError("range scaling: the cut-off for turning points must be at least " +
                      decimals(kLowestCutoff, 1) + " Hz");
  if (!(o.prominence > 0.0)) throw ConfigError("range scaling: the prominence must be > 0");
  if (!(o.end_blend >= 0.0 && o.row_blend >= 0.0)) throw ConfigError("range scaling: blends must be >= 0 s");
  if (!(lower <= upper))
    throw ConfigError("range scaling: the limits are " + digits(lower, 6) + " and " + digits(upper, 6) +
                      "; the lower one must not be above the upper one");
  if (lower == kInfinity || upper == -kInfinity)
    throw ConfigError("range scaling: no value is inside limits of " + digits(lower, 6) + " and " +
                      digits(upper, 6));
  if (t.size() != q.size())
    throw ConfigError("range scaling: " + counted(static_cast<std::int64_t>(t.size()), "stamp") + " for " +
                      counted(static_cast<std::int64_t>(q.size()), "sample"));
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!(std::abs(q[k]) <= kFarthest))
      throw ConfigError("range scaling: the sample of frame " + std::to_string(k) +
                        " is not finite, or beyond 1e9");
    if (k > 0 && t[k] <= t[k - 1])
      throw ConfigError("range scaling: the stamp of frame " + std::to_string(k) +
                        " is not after the one before it");
  }
}

// Scales the samples of one joint.
class RangeScaler {
 public:
  RangeScaler(std::span<const Time> t, std::span<const double> q, double lower, double upper,
              const RangeScalingOptions& options)
      : t_(t), q_(q), lower_(lower), upper_(upper), options_(options) {
    result_.q.assign(q.begin(), q.end());
    result_.factor.assign(q.size(), 1.0);
  }

  ScaledRange scale() {
    const bool inside = std::all_of(q_.begin(), q_.end(), [&](double q) { return side_of(q) == 0; });
    if (inside) return std::move(result_);
    find_turns();
    find_excursions();
    for (std::size_t i = 0; i + 1 < excursions_.size(); ++i) part(excursions_[i], excursions_[i + 1]);
    open_ends();
    for (Excursion& e : excursions_)
      for (const int k : {e.from, e.until})
        if (k >= 0) e.slope = std::min(e.slope, mean_slope(k, e.peak));
    for (std::size_t i = 0; i < excursions_.size(); ++i) scale_one(i);
    return std::move(result_);
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(q_.size()); }
  [[nodiscard]] double q(int k) const { return q_[at(k)]; }
  [[nodiscard]] int side_of(double q) const { return q > upper_ ? 1 : q < lower_ ? -1 : 0; }
  [[nodiscard]] double limit(int side) const { return side > 0 ? upper_ : lower_; }

  // Finds sign changes of the smoothed samples' differences with at least `prominence` on either side; a
  // plateau counts as its first frame. Departure: the printed |q'| < eps misses turning points or finds them
  // in noise.
  void find_turns() {
    std::vector<double> y(q_.begin(), q_.end());
    if (std::isfinite(options_.turning_cutoff_hz) && size() > 2) {
      const double dt = to_seconds(t_.back() - t_.front()) / (size() - 1);
      const detail::LowPass low_pass(std::max(options_.turning_cutoff_hz, kDensest / dt), dt);
      low_pass.apply(y);
      reach_ = static_cast<int>(std::ceil(2.0 * low_pass.width())) + 1;
    }
    int high = 0, low = 0, direction = 0;
    const auto turn = [&](int frame, int kind) {
      if (frame > 0) turns_.push_back({frame, kind});
      direction = -kind;
    };
    for (int k = 1; k < size(); ++k) {
      if (direction >= 0 && y[at(k)] > y[at(high)]) high = k;
      if (direction <= 0 && y[at(k)] < y[at(low)]) low = k;
      if (direction >= 0 && y[at(high)] - y[at(k)] >= options_.prominence) {
        turn(high, 1);
        low = k;
      } else if (direction <= 0 && y[at(k)] - y[at(low)] >= options_.prominence) {
        turn(low, -1);
        high = k;
      }
    }
  }

  // Returns the first or last turning point of a kind strictly between two frames, moved to the extremum of
  // the raw samples around it; -1: none.
  [[nodiscard]] int turn_between(int after, int before, int kind, bool last) const {
    const auto begin = std::lower_bound(turns_.begin(), turns_.end(), after + 1,
                                        [](const Turn& turn, int k) { return turn.frame < k; });
    std::optional<std::size_t> found;
    for (auto it = begin; it != turns_.end() && it->frame < before; ++it) {
      if (it->kind != kind) continue;
      found = static_cast<std::size_t>(it - turns_.begin());
      if (!last) break;
    }
    if (!found) return -1;
    // at most half way to the next turning point
    const int centre = turns_[*found].frame;
    int from = std::max(centre - reach_, after + 1), until = std::min(centre + reach_, before - 1);
    if (*found > 0) from = std::max(from, (turns_[*found - 1].frame + centre + 2) / 2);
    if (*found + 1 < turns_.size()) until = std::min(until, (turns_[*found + 1].frame + centre) / 2);
    int best = std::clamp(centre, after + 1, before - 1);
    for (int k = from; k <= until; ++k)
      if (kind * q(k) > kind * q(best)) best = k;
    return best;
  }

  void find_excursions() {
    for (int k = 0; k < size(); ++k) {
      const int side = side_of(q(k));
      if (side == 0) continue;
      const bool more =
          !excursions_.empty() && excursions_.back().side == side &&
          (excursions_.back().last + 1 == k || turn_between(excursions_.back().last, k, -side, false) < 0);
      if (!more) excursions_.push_back({side, k, k, k, -1, -1, 1.0});
      Excursion& e = excursions_.back();
      e.last = k;
      if (side * q(k) > side * q(e.peak)) e.peak = k;
    }
  }

  // Finds turning points between two excursions, where all samples are inside. Without any, the two
  // excursions share the range from peak to peak. Departure: the printed sets admit turning points outside
  // the other limit, so that scaled stretches overlap and values jump where they do.
  void part(Excursion& a, Excursion& b) const {
    const int first = turn_between(a.last, b.first, -a.side, false);
    const int last = turn_between(a.last, b.first, -b.side, true);
    const bool apart = first >= 0 && last >= first;
    a.until = apart ? first : b.peak;
    b.from = apart ? last : a.peak;
  }

  void open_ends() {
    Excursion &a = excursions_.front(), &b = excursions_.back();
    if (a.first > 0) {
      const int turn = turn_between(-1, a.first, -a.side, true);
      a.from = std::max(turn, 0);
    }
    if (b.last + 1 < size()) {
      const int turn = turn_between(b.last, size(), -b.side, false);
      b.until = turn >= 0 ? turn : size() - 1;
    }
  }

  // Returns the mean slope between a peak and point `k` before or after it, which is inside the limits or a
  // peak.
  [[nodiscard]] double mean_slope(int k, int peak) const {
    return RangeCurve::mean_slope({q(k), inside(k)}, {q(peak), inside(peak)}) + 0.0;  // no -0
  }
  [[nodiscard]] double inside(int k) const { return std::clamp(q(k), lower_, upper_); }

  // Returns the share of the way from an end of the clip that is covered in `end_blend`.
  [[nodiscard]] double end_share(int end, int peak) const {
    int k = end;
    const int step = peak > end ? 1 : -1;
    while (k != peak && std::abs(to_seconds(t_[at(k)] - t_[at(end)])) < options_.end_blend) k += step;
    return std::clamp((q(k) - q(end)) / (q(peak) - q(end)), 0.0, 1.0);
  }

  // Applies the map between the peak of excursion `i` and `k`, a turning point or the neighbour's peak.
  [[nodiscard]] RangeCurve curve(std::size_t i, int k) const {
    const Excursion& e = excursions_[i];
    MapEnd inner{q(k), inside(k), 1.0, 0.0}, outer{q(e.peak), limit(e.side), 1.0, 0.0};
    const bool other_peak = side_of(q(k)) != 0;
    if (options_.map == RangeMap::Smooth) {
      inner.blend = outer.blend = kSmoothBlend;
      outer.slope = e.slope;
      if (other_peak) inner.slope = excursions_[k > e.peak ? i + 1 : i - 1].slope;
    } else if (!other_peak && (k == 0 || k == size() - 1)) {
      inner.blend = end_share(k, e.peak);
    }
    return {inner, outer};
  }

  // A clip that is outside throughout: shifted by a constant, and scaled only if it then exceeds the other
  // limit.
  [[nodiscard]] RangeCurve shift(const Excursion& e) const {
    const auto [low, high] = std::minmax_element(q_.begin(), q_.end());
    const double slope = *high > *low ? std::min(1.0, (upper_ - lower_) / (*high - *low)) : 1.0;
    const double peak = q(e.peak), away = limit(e.side);
    return {{peak - e.side, away - e.side * slope}, {peak, away}};
  }

  void scale_one(std::size_t i) {
    const Excursion& e = excursions_[i];
    const int first = e.from >= 0 ? e.from : 0, last = e.until >= 0 ? e.until : size() - 1;
    ScaledSwing swing{first, last, e.peak, q(e.peak), limit(e.side), 1.0, 1.0};
    if (e.from < 0 && e.until < 0) {
      const RangeCurve map = shift(e);
      apply(map, first, last);
      swing.scale_before = swing.scale_behind = map.slope(q(e.peak));
    } else {
      const int before = e.from >= 0 ? e.from : e.until, behind = e.until >= 0 ? e.until : e.from;
      // shared with the excursion before: already mapped
      if (e.from < 0 || side_of(q(e.from)) == 0) apply(curve(i, before), first, e.peak);
      apply(curve(i, behind), e.peak, last);
      swing.scale_before = mean_slope(before, e.peak);
      swing.scale_behind = mean_slope(behind, e.peak);
    }
    result_.q[at(e.peak)] = limit(e.side);
    result_.swings.push_back(swing);
  }

  void apply(const RangeCurve& map, int first, int last) {
    for (int k = first; k <= last; ++k) {
      result_.factor[at(k)] = std::min(result_.factor[at(k)], map.slope(q(k)));
      // clamped: rounding
      result_.q[at(k)] = std::clamp(map(q(k)), lower_, upper_);
    }
  }

  std::span<const Time> t_;
  std::span<const double> q_;
  double lower_, upper_;
  const RangeScalingOptions& options_;
  int reach_ = 1;  // frames around a turn of the smoothed samples that contain the turn of the raw samples
  std::vector<Turn> turns_;
  std::vector<Excursion> excursions_;
  ScaledRange result_;
};

}  // namespace

ScaledRange scale_range(std::span<const Time> t, std::span<const double> q, double lower, double upper,
                        const RangeScalingOptions& options) {
  check(t, q, lower, upper, options);
  return RangeScaler(t, q, lower, upper, options).scale();
}

}  // namespace panto
