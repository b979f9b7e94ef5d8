#include "panto/motion/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/line_fit.hpp"

namespace panto {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check(const std::vector<Time>& t, const std::vector<PointTrack>& points, const SegmentationOptions& o,
           const std::vector<int>& cuts) {
  check_finite("segmentation", {{"speed_on", o.speed_on},
                                {"speed_off", o.speed_off},
                                {"turn_on", o.turn_on},
                                {"turn_off", o.turn_off},
                                {"window", o.window},
                                {"min_duration", o.min_duration},
                                {"min_pause", o.min_pause},
                                {"pad", o.pad},
                                {"longest_gap", o.longest_gap}});
  if (!(o.speed_off > 0.0 && o.speed_on >= o.speed_off))
    throw ConfigError("segmentation: speeds must be > 0, and speed_on (" + digits(o.speed_on, 4) +
                      ") must not be below speed_off (" + digits(o.speed_off, 4) + ")");
  if (!(o.turn_off > 0.0 && o.turn_on >= o.turn_off))
    throw ConfigError("segmentation: rates of turn must be > 0, and turn_on (" + digits(o.turn_on, 4) +
                      ") must not be below turn_off (" + digits(o.turn_off, 4) + ")");
  if (!(o.window >= 0.0 && o.min_duration >= 0.0 && o.min_pause >= 0.0 && o.pad >= 0.0 &&
        o.longest_gap > 0.0))
    throw ConfigError("segmentation: durations must be >= 0 and the longest gap > 0");
  for (std::size_t k = 1; k < t.size(); ++k)
    if (t[k] <= t[k - 1])
      throw ConfigError("segmentation: the stamp of frame " + std::to_string(k) +
                        " is not after the one before it");
  for (std::size_t i = 0; i < cuts.size(); ++i)
    if (cuts[i] < 1 || cuts[i] >= static_cast<int>(t.size()) || (i > 0 && cuts[i] <= cuts[i - 1]))
      throw ConfigError("segmentation: a cut at frame " + std::to_string(cuts[i]) + " of " +
                        std::to_string(t.size()) + "; cuts must increase and come after the first frame");
  for (const PointTrack& point : points) {
    const std::size_t turns = point.R.empty() ? t.size() : point.R.size();
    for (const std::size_t frames : {point.p.size(), turns})
      if (frames != t.size())
        throw ConfigError("segmentation: " + point.name + " has " +
                          counted(static_cast<std::int64_t>(frames), "frame") + ", but the clip has " +
                          std::to_string(t.size()));
  }
}

// Sums the turns from frame to frame [rad]: a path whose speed is the rate of turn. It restarts after frames
// that are not measured; no speed is taken across them.
std::vector<Eigen::Vector3d> summed_turns(const std::vector<Eigen::Matrix3d>& R) {
  std::vector<Eigen::Vector3d> path(R.size(), Eigen::Vector3d::Constant(kNaN));
  for (std::size_t k = 0; k < R.size(); ++k) {
    if (!R[k].allFinite()) continue;
    path[k].setZero();
    if (k > 0 && path[k - 1].allFinite()) path[k] = path[k - 1] + so3::log(R[k - 1].transpose() * R[k]);
  }
  return path;
}

// Speeds of several paths by frame, and the fastest of them.
struct Speeds {
  std::vector<std::vector<double>> each;  // by path; NaN: not measured
  std::vector<double> most;               // NaN: none is measured
  std::vector<int> of;

  Speeds(std::size_t paths, std::size_t frames)
      : each(paths, std::vector<double>(frames, kNaN)), most(frames, kNaN), of(frames, 0) {}
};

// Cuts a clip into gestures.
class Segmenter {
 public:
  Segmenter(const std::vector<Time>& t, const std::vector<PointTrack>& points,
            const SegmentationOptions& options, const std::vector<int>& cuts)
      : t_(t),
        points_(points),
        options_(options),
        cuts_(cuts),
        speed_(points.size(), t.size()),
        turn_(points.size(), t.size()) {
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
      add_speeds(points[at(i)].p, i, speed_);
      if (!points[at(i)].R.empty()) add_speeds(summed_turns(points[at(i)].R), i, turn_);
    }
    for (Speeds* speeds : {&speed_, &turn_}) {
      for (std::vector<double>& path : speeds->each) bridge(path);
      find_fastest(*speeds);
    }
  }

  std::vector<Gesture> segment() {
    std::vector<Gesture> gestures;
    for (int k = 0; k < size(); ++k) {
      if (!moves(k)) continue;
      Gesture g;
      g.onset = k;
      while (k + 1 < size() && moves(k + 1) && !apart(k)) ++k;
      g.offset = k;
      const bool more = !gestures.empty() && pause_is_short(gestures.back().offset, g.onset);
      if (more) {
        gestures.back().offset = g.offset;
      } else {
        gestures.push_back(g);
      }
    }
    std::erase_if(gestures, [&](Gesture& g) { return !is_gesture(g); });
    for (std::size_t i = 0; i < gestures.size(); ++i) finish(gestures, i);
    return gestures;
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(t_.size()); }
  [[nodiscard]] double seconds(int from, int to) const { return to_seconds(t_[at(to)] - t_[at(from)]); }
  /// Returns true when the clip is cut after frame k.
  [[nodiscard]] bool cut(int k) const { return std::binary_search(cuts_.begin(), cuts_.end(), k + 1); }
  /// Returns true when the stamps have a gap after frame k, or the clip is cut there.
  [[nodiscard]] bool apart(int k) const { return seconds(k, k + 1) > options_.longest_gap || cut(k); }
  [[nodiscard]] bool measured(int k) const {
    return !(std::isnan(speed_.most[at(k)]) && std::isnan(turn_.most[at(k)]));
  }
  [[nodiscard]] bool moves(int k) const {
    return speed_.most[at(k)] >= options_.speed_off || turn_.most[at(k)] >= options_.turn_off;
  }  // false: not measured

  void add_speeds(const std::vector<Eigen::Vector3d>& p, int index, Speeds& speeds) const {
    for (int k = 0; k < size(); ++k) {
      const auto usable = [&](int j) {
        if (j < 0 || j >= size() || !p[at(j)].allFinite()) return false;
        return j == k || !apart(j < k ? j : j - 1);
      };
      if (!usable(k) || (!usable(k - 1) && !usable(k + 1))) continue;  // a single frame has no speed
      speeds.each[at(index)][at(k)] = detail::fit_line(t_, p, k, options_.window, usable).slope.norm();
    }
  }

  // short stretches without measurement continue as they began
  void bridge(std::vector<double>& path) const {
    for (int k = 0; k < size(); ++k) {
      if (!std::isnan(path[at(k)])) continue;
      int behind = k;
      while (behind < size() && std::isnan(path[at(behind)])) ++behind;
      const auto next_cut = std::lower_bound(cuts_.begin(), cuts_.end(), k);
      const bool across = next_cut != cuts_.end() && *next_cut <= behind;
      if (k > 0 && behind < size() && seconds(k - 1, behind) <= options_.longest_gap && !across)
        std::fill(path.begin() + k, path.begin() + behind, path[at(k - 1)]);
      k = behind;
    }
  }

  static void find_fastest(Speeds& speeds) {
    for (std::size_t i = 0; i < speeds.each.size(); ++i) {
      for (std::size_t k = 0; k < speeds.most.size(); ++k) {
        const double speed = speeds.each[i][k];
        if (std::isnan(speed) || speeds.most[k] >= speed) continue;
        speeds.most[k] = speed;
        speeds.of[k] = static_cast<int>(i);
      }
    }
  }

  // Returns what moves at frame k: by position, or, when that is slow, by orientation.
  [[nodiscard]] const Speeds& moving(int k) const {
    return speed_.most[at(k)] >= options_.speed_off ? speed_ : turn_;
  }
  // Returns true when it is measured at another frame too.
  [[nodiscard]] bool own_is_measured(int k, int other) const {
    const Speeds& speeds = moving(k);
    return !std::isnan(speeds.each[at(speeds.of[at(k)])][at(other)]);
  }

  [[nodiscard]] bool pause_is_short(int offset, int onset) const {
    if (seconds(offset, onset) >= options_.min_pause) return false;
    for (int k = offset; k < onset; ++k)
      if (!own_is_measured(offset, k) || apart(k)) return false;
    return own_is_measured(onset, offset);
  }

  // fast and long enough; also records the speeds
  bool is_gesture(Gesture& g) const {
    for (int k = g.onset; k <= g.offset; ++k) {
      if (speed_.most[at(k)] > g.speed_max) {
        g.speed_max = speed_.most[at(k)];
        g.fastest = speed_.of[at(k)];
      }
      if (turn_.most[at(k)] > g.turn_max) {
        g.turn_max = turn_.most[at(k)];
        g.quickest = turn_.of[at(k)];
      }
    }
    return (g.speed_max >= options_.speed_on || g.turn_max >= options_.turn_on) &&
           seconds(g.onset, g.offset) >= options_.min_duration;
  }

  // Adds rest before and after, up to half way to the neighbours, and writes the reason.
  void finish(std::vector<Gesture>& gestures, std::size_t i) const {
    Gesture& g = gestures[i];
    const int from = i > 0 ? (gestures[i - 1].offset + g.onset) / 2 + 1 : 0;
    const int until = i + 1 < gestures.size() ? (g.offset + gestures[i + 1].onset) / 2 : size() - 1;
    g.begin = end_of(g.onset, -1);
    g.end = end_of(g.offset, 1);
    g.first = g.onset;
    g.last = g.offset;
    const auto rests = [&](int k) { return measured(k) && !moves(k); };
    while (g.begin == GestureEnd::Rest && g.first > from && rests(g.first - 1) && !apart(g.first - 1) &&
           seconds(g.first - 1, g.onset) <= options_.pad)
      --g.first;
    while (g.end == GestureEnd::Rest && g.last < until && rests(g.last + 1) && !apart(g.last) &&
           seconds(g.offset, g.last + 1) <= options_.pad)
      ++g.last;
    const bool moved = g.speed_max >= options_.speed_on;
    const std::string limit =
        moved ? decimals(options_.speed_off, 2) + " m/s" : decimals(options_.turn_off, 2) + " rad/s";
    g.reason =
        (moved ? points_[at(g.fastest)].name + " moves at up to " + decimals(g.speed_max, 2) + " m/s"
               : points_[at(g.quickest)].name + " turns at up to " + decimals(g.turn_max, 2) + " rad/s") +
        "; begins " + said(g.begin, g.onset, -1, limit) + ", ends " + said(g.end, g.offset, 1, limit);
  }

  [[nodiscard]] GestureEnd end_of(int k, int step) const {
    const int next = k + step;
    if (next < 0 || next >= size()) return GestureEnd::ClipEnd;
    if (cut(std::min(k, next))) return GestureEnd::Cut;
    if (!own_is_measured(k, next) || apart(std::min(k, next))) return GestureEnd::NotMeasured;
    return GestureEnd::Rest;
  }

  [[nodiscard]] std::string said(GestureEnd end, int k, int step, const std::string& limit) const {
    if (end == GestureEnd::ClipEnd) return "with the clip, still moving";
    if (end == GestureEnd::Cut) return "at a cut, still moving";
    if (end == GestureEnd::NotMeasured) {
      const bool other = measured(k + step) && !apart(std::min(k, k + step));
      return "still moving, " +
             (other ? points_[at(moving(k).of[at(k)])].name + " is not measured" : "nothing is measured") +
             (step < 0 ? " before" : " after");
    }
    return "below " + limit;
  }

  const std::vector<Time>& t_;
  const std::vector<PointTrack>& points_;
  const SegmentationOptions& options_;
  const std::vector<int>& cuts_;
  Speeds speed_, turn_;  // [m/s], [rad/s]
};

}  // namespace

const char* to_string(GestureEnd end) noexcept {
  switch (end) {
    case GestureEnd::Rest:
      return "rest";
    case GestureEnd::ClipEnd:
      return "clip end";
    case GestureEnd::NotMeasured:
      return "not measured";
    case GestureEnd::Cut:
      return "cut";
  }
  return "?";
}

std::vector<Gesture> segment_gestures(const std::vector<Time>& t, const std::vector<PointTrack>& points,
                                      const SegmentationOptions& options, const std::vector<int>& cuts) {
  check(t, points, options, cuts);
  return Segmenter(t, points, options, cuts).segment();
}

std::vector<Gesture> segment_gestures(const Motion& motion, const Model& model,
                                      const std::vector<std::string>& links, const std::string& relative_to,
                                      const SegmentationOptions& options) {
  std::vector<int> indices;
  std::vector<PointTrack> points;
  for (const std::string& link : links) {
    indices.push_back(model.link_index(link));
    points.push_back({link, {}, {}});
  }
  const int seen_from = relative_to.empty() ? -1 : model.link_index(relative_to);
  std::vector<Time> t;
  Kinematics kinematics(model);
  for (const State& state : motion.states) {
    if (!is_valid(state, model))
      throw ModelError("segmentation: the state of frame " + std::to_string(t.size()) +
                       " does not fit the model or is not finite");
    t.push_back(state.t);
    kinematics.update(state);
    for (std::size_t i = 0; i < points.size(); ++i) {
      Eigen::Vector3d p = kinematics.p_WL(indices[i]);
      Eigen::Matrix3d R = kinematics.R_WL(indices[i]);
      if (seen_from >= 0) {
        p = kinematics.R_WL(seen_from).transpose() * (p - kinematics.p_WL(seen_from));
        R = kinematics.R_WL(seen_from).transpose() * R;
      }
      points[i].p.push_back(p);
      points[i].R.push_back(R);
    }
  }
  return segment_gestures(t, points, options);
}

}  // namespace panto
