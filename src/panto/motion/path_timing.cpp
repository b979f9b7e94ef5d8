#include "panto/motion/path_timing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"

namespace panto {
namespace {

constexpr int kFewestCells = 1000;  // for any number of samples
constexpr double kMargin = 1e-9;    // share of the limits reserved for rounding
constexpr double kNoSlope = 1e-12;  // [rad/s] below which a joint is at rest in a cell
constexpr int kMostCuts = 60;       // iterations of the search for the fastest rate in a cell
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A line over x = (du/dt)^2.
struct Line {
  double at_zero = 0.0, slope = 0.0;
  [[nodiscard]] double operator()(double x) const { return at_zero + slope * x; }
};

// The range of w = d2u/dt2 in one cell that the acceleration limits allow for a given x at its beginning.
class Cell {
 public:
  double length = 0.0;  // of u

  // |w f + x g| <= limit for the three Bezier points of a joint's acceleration, a quadratic over the cell,
  // which lies within the hull of these points.
  void build(const JointCurves& curves, const PathLimits& limits, int k, double from, double to, double h) {
    length = (to - from) * h;
    lines_.clear();
    most_ = kInfinity;
    curves.at_share(k, from, first_);
    curves.at_share(k, 0.5 * (from + to), middle_);
    curves.at_share(k, to, last_);
    for (int i = 0; i < curves.joints(); ++i) {
      const double limit = limits.acceleration[i] * (1.0 - kMargin);
      if (!std::isfinite(limit)) continue;
      // acceleration = w (q' + 2 (u - u_k) q'') + x q'', x at the beginning
      const double f0 = first_.dq[i], fm = middle_.dq[i] + length * middle_.ddq[i],
                   f1 = last_.dq[i] + 2.0 * length * last_.ddq[i];
      const double g0 = first_.ddq[i], g1 = last_.ddq[i];
      add(f0, g0, limit);
      add(2.0 * fm - 0.5 * (f0 + f1), 0.5 * (g0 + g1), limit);
      add(f1, g1, limit);
    }
  }

  [[nodiscard]] Line highest(double x, Line end) const { return extreme(x, end, 1.0); }
  [[nodiscard]] Line lowest(double x, Line end) const { return extreme(x, end, -1.0); }

  // Returns the largest x <= most from which some w leads to an x of 0 .. `reach` at the end. The admissible
  // set is convex and contains x = w = 0, so a cut at the crossing of the two blocking lines never goes too
  // far.
  [[nodiscard]] double fastest(double most, double reach) const {
    double x = std::min(most, most_);
    const Line up{0.5 * reach / length, -0.5 / length}, down{0.0, -0.5 / length};
    for (int cut = 0; cut < kMostCuts; ++cut) {
      const Line high = highest(x, up), low = lowest(x, down);
      if (high(x) >= low(x)) return x;
      x = std::clamp((high.at_zero - low.at_zero) / (low.slope - high.slope), 0.0, std::nextafter(x, 0.0));
    }
    return halve(x, up, down);
  }

 private:
  struct Bound {
    double f, g, limit;  // f > 0
  };

  void add(double f, double g, double limit) {
    if (std::abs(f) < kNoSlope) {
      if (g != 0.0) most_ = std::min(most_, limit / std::abs(g));
    } else if (f > 0.0) {
      lines_.push_back({f, g, limit});
    } else {
      lines_.push_back({-f, -g, limit});
    }
  }

  // side 1: the lowest of the upper bounds of w at x; -1: the highest of the lower ones
  [[nodiscard]] Line extreme(double x, Line best, double side) const {
    double value = best(x);
    for (const Bound& b : lines_) {
      const double w = (side * b.limit - b.g * x) / b.f;
      if (side * w >= side * value) continue;
      value = w;
      best = {side * b.limit / b.f, -b.g / b.f};
    }
    return best;
  }

  [[nodiscard]] double halve(double x, Line up, Line down) const {
    double inside = 0.0;
    for (int i = 0; i < kMostCuts; ++i) {
      const double middle = 0.5 * (inside + x);
      (highest(middle, up)(middle) >= lowest(middle, down)(middle) ? inside : x) = middle;
    }
    return inside;
  }

  JointCurvePoint first_, middle_, last_;
  std::vector<Bound> lines_;
  double most_ = kInfinity;
};

// Position of a cell: shares of an interval between samples.
struct Place {
  int interval;
  double from, to;
};

std::vector<Place> grid_of(const JointCurves& curves) {
  const double longest = curves.duration() / kFewestCells;
  std::vector<Place> cells;
  for (int k = 0; k + 1 < curves.samples(); ++k) {
    const double h = curves.time(k + 1) - curves.time(k);
    const int count = std::max(1, static_cast<int>(std::ceil(h / longest - 1e-6)));
    for (int c = 0; c < count; ++c)
      cells.push_back({k, static_cast<double>(c) / count, static_cast<double>(c + 1) / count});
  }
  return cells;
}

void check(const JointCurves& curves, const PathLimits& limits) {
  if (limits.speed.size() != curves.joints() || limits.acceleration.size() != curves.joints())
    throw ConfigError("path timing: limits of " + counted(limits.speed.size(), "joint") + " for " +
                      std::to_string(curves.joints()));
  if (!((limits.speed.array() > 0.0).all() && (limits.acceleration.array() > 0.0).all()))
    throw ConfigError("path timing: limits of speed and acceleration must be > 0");
  if (!(limits.rate > 0.0 && std::isfinite(limits.rate)))
    throw ConfigError("path timing: the largest rate must be > 0 and finite");
}

// Returns the largest (du/dt)^2 that the speed limits allow at every grid point, for both neighbouring cells.
std::vector<double> speed_bounds(const JointCurves& curves, const PathLimits& limits,
                                 const std::vector<Place>& cells) {
  std::vector<double> bound(cells.size() + 1, limits.rate * limits.rate);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Place& cell = cells[c];
    for (int i = 0; i < curves.joints(); ++i) {
      const double peak = curves.peak_speed(i, cell.interval, cell.from, cell.to);
      const double rate = peak > 0.0 ? limits.speed[i] * (1.0 - kMargin) / peak : kInfinity;
      bound[c] = std::min(bound[c], rate * rate);
      bound[c + 1] = std::min(bound[c + 1], rate * rate);
    }
  }
  return bound;
}

}  // namespace

bool moves_at_end(const JointCurves& curves, const PathLimits& limits, int end) {
  JointCurvePoint point;
  curves.at_share(end == 0 ? 0 : curves.samples() - 2, end, point);
  for (int i = 0; i < curves.joints(); ++i)
    if (std::isfinite(limits.acceleration[i]) && point.dq[i] != 0.0) return true;
  return false;
}

PathTiming::PathTiming(double path_duration, double rate)
    : u_{0.0, path_duration}, rate_{rate, rate}, t_{0.0, path_duration / rate} {}

PathTiming::PathTiming(const JointCurves& curves, const PathLimits& limits) {
  check(curves, limits);
  const std::vector<Place> cells = grid_of(curves);
  std::vector<double> most = speed_bounds(curves, limits, cells);
  if (limits.rest_at_ends) {
    if (moves_at_end(curves, limits, 0)) most.front() = 0.0;
    if (moves_at_end(curves, limits, 1)) most.back() = 0.0;
  }
  Cell cell;
  const auto build = [&](std::size_t c) {
    const double h = curves.time(cells[c].interval + 1) - curves.time(cells[c].interval);
    cell.build(curves, limits, cells[c].interval, cells[c].from, cells[c].to, h);
  };

  // backward: the fastest rates from which the end can be reached
  for (std::size_t c = cells.size(); c-- > 0;) {
    build(c);
    most[c] = cell.fastest(most[c], most[c + 1]);
  }
  // forward: as fast as these rates allow
  double x = most.front();
  u_ = t_ = {0.0};
  rate_ = {std::sqrt(x)};
  for (std::size_t c = 0; c < cells.size(); ++c) {
    build(c);
    const double w = cell.highest(x, {0.5 * most[c + 1] / cell.length, -0.5 / cell.length})(x);
    x = std::clamp(x + 2.0 * cell.length * w, 0.0, most[c + 1]);
    u_.push_back(curves.time(cells[c].interval) +
                 cells[c].to * (curves.time(cells[c].interval + 1) - curves.time(cells[c].interval)));
    rate_.push_back(std::sqrt(x));
    t_.push_back(t_.back() + 2.0 * cell.length / (rate_[c] + rate_[c + 1]));
  }
}

PathPoint PathTiming::at(double t) const noexcept {
  const auto behind = std::upper_bound(t_.begin(), t_.end(), t);
  const auto c = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(behind - t_.begin() - 1, 0, static_cast<std::ptrdiff_t>(u_.size()) - 2));
  const double since = std::clamp(t - t_[c], 0.0, t_[c + 1] - t_[c]);
  const double length = u_[c + 1] - u_[c];
  const double w = 0.5 * (rate_[c + 1] * rate_[c + 1] - rate_[c] * rate_[c]) / length;
  if (since == t_[c + 1] - t_[c]) return {u_[c + 1], rate_[c + 1], w};
  return {u_[c] + since * (rate_[c] + 0.5 * w * since), rate_[c] + w * since, w};
}

UniformRate uniform_rate(const JointCurves& curves, const PathLimits& limits) {
  check(curves, limits);
  UniformRate slowest;
  const auto ask = [&](double rate, int joint, bool acceleration, double time) {
    if (rate < slowest.rate) slowest = {rate, joint, acceleration, time};
  };
  for (int i = 0; i < curves.joints(); ++i) {
    const CurvePeak speed = curves.peak_speed(i), acceleration = curves.peak_acceleration(i);
    if (speed.value > 0.0) ask(limits.speed[i] / speed.value, i, false, speed.time);
    if (acceleration.value > 0.0)
      ask(std::sqrt(limits.acceleration[i] / acceleration.value), i, true, acceleration.time);
  }
  return slowest;
}

}  // namespace panto
