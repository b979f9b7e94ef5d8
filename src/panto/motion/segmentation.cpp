#include "panto/motion/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/line_fit.hpp"

namespace panto {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check(const std::vector<Time>& t, const std::vector<PointTrack>& points, const SegmentationOptions& o) {
  if (!(o.speed_off > 0.0 && o.speed_on >= o.speed_off))
    throw ConfigError("segmentation: speeds must be > 0, and the one that makes a gesture (" +
                      digits(o.speed_on, 4) + ") not below the one that ends it (" + digits(o.speed_off, 4) +
                      ")");
  if (!(o.window >= 0.0 && o.min_duration >= 0.0 && o.min_pause >= 0.0 && o.pad >= 0.0 &&
        o.longest_gap > 0.0))
    throw ConfigError("segmentation: durations must be >= 0, the longest gap > 0");
  for (std::size_t k = 1; k < t.size(); ++k)
    if (t[k] <= t[k - 1])
      throw ConfigError("segmentation: the stamp of frame " + std::to_string(k) +
                        " is not after the one before it");
  for (const PointTrack& point : points)
    if (point.p.size() != t.size())
      throw ConfigError("segmentation: " + point.name + " has " +
                        counted(static_cast<std::int64_t>(point.p.size()), "frame") + ", the clip " +
                        std::to_string(t.size()));
}

// A clip while it is being cut.
class Segmenter {
 public:
  Segmenter(const std::vector<Time>& t, const std::vector<PointTrack>& points,
            const SegmentationOptions& options)
      : t_(t), points_(points), options_(options) {
    speed_.assign(t.size(), kNaN);
    fastest_.assign(t.size(), 0);
    for (int i = 0; i < static_cast<int>(points.size()); ++i) add_speeds(i);
    bridge();
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
  /// A gap of the stamps behind frame k.
  [[nodiscard]] bool apart(int k) const { return seconds(k, k + 1) > options_.longest_gap; }
  [[nodiscard]] bool measured(int k) const { return !std::isnan(speed_[at(k)]); }
  [[nodiscard]] bool moves(int k) const {
    return speed_[at(k)] >= options_.speed_off;
  }  // false: not measured

  void add_speeds(int index) {
    const std::vector<Eigen::Vector3d>& p = points_[at(index)].p;
    for (int k = 0; k < size(); ++k) {
      const auto usable = [&](int j) {
        if (j < 0 || j >= size() || !p[at(j)].allFinite()) return false;
        return j == k || !apart(j < k ? j : j - 1);
      };
      if (!usable(k) || (!usable(k - 1) && !usable(k + 1))) continue;  // a single frame has no speed
      const double speed = detail::fit_line(t_, p, k, options_.window, usable).slope.norm();
      if (speed_[at(k)] >= speed) continue;
      speed_[at(k)] = speed;
      fastest_[at(k)] = index;
    }
  }

  // short stretches without measurement go on as they began
  void bridge() {
    for (int k = 0; k < size(); ++k) {
      if (measured(k)) continue;
      int behind = k;
      while (behind < size() && !measured(behind)) ++behind;
      const bool bridged = k > 0 && behind < size() && seconds(k - 1, behind) <= options_.longest_gap;
      for (; k < behind && bridged; ++k) {
        speed_[at(k)] = speed_[at(k - 1)];
        fastest_[at(k)] = fastest_[at(k - 1)];
      }
      k = behind;
    }
  }

  [[nodiscard]] bool pause_is_short(int offset, int onset) const {
    if (seconds(offset, onset) >= options_.min_pause) return false;
    for (int k = offset; k < onset; ++k)
      if (!measured(k) || apart(k)) return false;
    return true;
  }

  // fast enough and long enough; how fast, on the way
  bool is_gesture(Gesture& g) const {
    for (int k = g.onset; k <= g.offset; ++k) {
      if (!(speed_[at(k)] > g.speed_max)) continue;
      g.speed_max = speed_[at(k)];
      g.fastest = fastest_[at(k)];
    }
    return g.speed_max >= options_.speed_on && seconds(g.onset, g.offset) >= options_.min_duration;
  }

  // Rest before and behind, up to half way to the neighbours; and the sentence.
  void finish(std::vector<Gesture>& gestures, std::size_t i) const {
    Gesture& g = gestures[i];
    const int from = i > 0 ? (gestures[i - 1].offset + g.onset) / 2 + 1 : 0;
    const int until = i + 1 < gestures.size() ? (g.offset + gestures[i + 1].onset) / 2 : size() - 1;
    g.begin = end_of(g.onset, -1);
    g.end = end_of(g.offset, 1);
    g.first = g.onset;
    g.last = g.offset;
    const auto rests = [&](int k) { return measured(k) && !moves(k); };
    while (g.first > from && rests(g.first - 1) && !apart(g.first - 1) &&
           seconds(g.first - 1, g.onset) <= options_.pad)
      --g.first;
    while (g.last < until && rests(g.last + 1) && !apart(g.last) &&
           seconds(g.offset, g.last + 1) <= options_.pad)
      ++g.last;
    g.reason = points_[at(g.fastest)].name + " moves at up to " + decimals(g.speed_max, 2) + " m/s; begins " +
               said(g.begin, "before") + ", ends " + said(g.end, "behind");
  }

  [[nodiscard]] GestureEnd end_of(int k, int step) const {
    const int next = k + step;
    if (next < 0 || next >= size()) return GestureEnd::ClipEnd;
    if (!measured(next) || apart(std::min(k, next))) return GestureEnd::NotMeasured;
    return GestureEnd::Rest;
  }

  [[nodiscard]] std::string said(GestureEnd end, const char* side) const {
    switch (end) {
      case GestureEnd::ClipEnd:
        return "with the clip, in motion";
      case GestureEnd::NotMeasured:
        return std::string("in motion, nothing is measured ") + side;
      case GestureEnd::Rest:
        break;
    }
    return "below " + decimals(options_.speed_off, 2) + " m/s";
  }

  const std::vector<Time>& t_;
  const std::vector<PointTrack>& points_;
  const SegmentationOptions& options_;
  std::vector<double> speed_;  // of the fastest point; NaN: none is measured
  std::vector<int> fastest_;
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
  }
  return "?";
}

std::vector<Gesture> segment_gestures(const std::vector<Time>& t, const std::vector<PointTrack>& points,
                                      const SegmentationOptions& options) {
  check(t, points, options);
  return Segmenter(t, points, options).segment();
}

std::vector<Gesture> segment_gestures(const Motion& motion, const Model& model,
                                      const std::vector<std::string>& links, const std::string& relative_to,
                                      const SegmentationOptions& options) {
  std::vector<int> indices;
  std::vector<PointTrack> points;
  for (const std::string& link : links) {
    indices.push_back(model.link_index(link));
    points.push_back({link, {}});
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
      if (seen_from >= 0) p = kinematics.R_WL(seen_from).transpose() * (p - kinematics.p_WL(seen_from));
      points[i].p.push_back(p);
    }
  }
  return segment_gestures(t, points, options);
}

Motion cut_out(const Motion& motion, const Gesture& gesture) {
  const int count = static_cast<int>(motion.states.size());
  if (gesture.first < 0 || gesture.last < gesture.first || gesture.last >= count)
    throw ConfigError("segmentation: a gesture from frame " + std::to_string(gesture.first) + " to " +
                      std::to_string(gesture.last) + " of a motion of " + counted(count, "frame"));
  Motion part{motion.model_name, motion.joint_names, motion.rate_hz, {}};
  part.states.assign(motion.states.begin() + gesture.first, motion.states.begin() + gesture.last + 1);
  const Time start = part.states.front().t;
  for (State& state : part.states) state.t -= start;
  return part;
}

}  // namespace panto
