#include "panto/keypoints/clean_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/keypoints/landmarks.hpp"
#include "panto/keypoints/point_geometry.hpp"
#include "panto/keypoints/point_spline.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/directions.hpp"

namespace panto::keypoints {
namespace {

using enum Landmark::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kMostPoints = 256;  // with a meaning; a body has fewer
constexpr double kBridge = 0.2;   // [s] longest gap that a spline bridges
constexpr double kGuess = 2.0;  // [s] longest gap that is filled at all: what is lost longer was not measured
constexpr double kBeyond = 0.1;          // [s] longest gap at an end of the clip that it extends into
constexpr double kSeldom = 0.05;         // share of frames below which a point does not count as seen
constexpr double kFarthest = 1e9;        // [units] no position
constexpr double kQuiet = 1.5e-3;        // [m] noise below it is left: optical markers have 0.1 to 1 mm
constexpr double kMostNoise = 0.06;      // [m] more is no jitter: these points are no person's
constexpr double kQuietStrong = 0.3e-3;  // [m]
constexpr double kStrongShare = 0.5;     // of the cut-off
constexpr double kReach = 0.95;          // [m] from the middle of a standing person to the head and feet
constexpr std::size_t kListed = 3;       // spans that a note names

constexpr int kPlaneFrames = 300;  // sampled for the plane
constexpr double kFlat = 0.0025;   // thickness of a body's points over its size, below it they have no depth
constexpr int kPlanePoints = 6;    // fewer may lie in a plane

enum Origin : unsigned char { Seen, Bridged, Guessed, Unseen };

// typical distance of the farthest point from the middle of a frame's points [units]
double reach(const PointTable& table) {
  std::vector<double> reaches;
  const int step = std::max(1, table.frames / kPlaneFrames);
  for (int k = 0; k < table.frames; k += step) {
    Vector3d sum = Vector3d::Zero();
    int count = 0;
    for (int j = 0; j < table.points; ++j) {
      if (!table.seen(k, j)) continue;
      sum += table.at(k, j);
      ++count;
    }
    if (count < 2) continue;
    double farthest = 0.0;
    for (int j = 0; j < table.points; ++j)
      if (table.seen(k, j)) farthest = std::max(farthest, (table.at(k, j) - sum / count).norm());
    reaches.push_back(farthest);
  }
  return median(std::move(reaches));
}

class Cleaner {
 public:
  Cleaner(KeypointClip& clip, PointCleaning cleaning)
      : clip_(clip), strong_(cleaning == PointCleaning::Strong) {
    const LandmarkNames names = read_landmark_names(clip.names);
    for (int j = 0; j < clip.points() && std::ssize(column_) < kMostPoints; ++j) {
      if (names.landmark[at(j)] < 0) continue;
      column_.push_back(j);
      landmark_.push_back(names.landmark[at(j)]);
    }
    table_.frames = clip.frames();
    table_.points = static_cast<int>(column_.size());
    table_.p.reserve(at(table_.frames) * column_.size());
    for (int k = 0; k < table_.frames; ++k) {
      for (const int j : column_) {
        const Vector3d p = clip.position(k, j);
        table_.p.push_back(p.cwiseAbs().maxCoeff() < kFarthest && p.allFinite() ? p : no_point());
      }
    }
    metre_ = clip.unit > 0.0 ? 1.0 / clip.unit : reach(table_) / kReach;
  }

  CleanReport run() {
    if (table_.frames < 2 || table_.points == 0 || !(metre_ > 0.0) || !std::isfinite(metre_)) return {};
    std::vector<double> steps;
    for (int k = 0; k + 1 < table_.frames; ++k)
      steps.push_back(to_seconds(clip_.times[at(k + 1)] - clip_.times[at(k)]));
    interval_ = median(std::move(steps));
    bones_ = find_bones(table_, landmark_);
    repair();
    origin_.assign(table_.p.size(), Seen);
    movable_.assign(table_.p.size(), 0);
    for (int j = 0; j < table_.points; ++j) follow(j);
    bones_ = find_bones(table_, landmark_);  // of the calmer points
    for (int round = 0; round < 3; ++round) carry();
    keep_lengths(table_, bones_, movable_);
    write();
    describe();
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::size_t index(int frame, int point) const {
    return at(frame) * at(table_.points) + at(point);
  }
  [[nodiscard]] std::span<const Time> times(int first, int end) const {
    return std::span<const Time>(clip_.times).subspan(at(first), at(end - first));
  }

  // ---- faults

  void repair() {
    const auto forget = [&](const std::vector<PointSpan>& spans) {
      for (const PointSpan& span : spans)
        for (int k = span.first; k <= span.last; ++k) table_.at(k, span.point) = no_point();
    };
    report_.frozen = frozen_points(table_, bones_, clip_.times, metre_);
    forget(report_.frozen);
    std::vector<int> mirror(column_.size(), -1);
    for (std::size_t i = 0; i < mirror.size(); ++i) {
      const int other = landmark_[i] < FirstSided  ? -1
                        : landmark_[i] < LastRight ? landmark_[i] + kSidedLandmarks
                                                   : landmark_[i] - kSidedLandmarks;
      const auto found = std::find(landmark_.begin(), landmark_.end(), other);
      if (found != landmark_.end()) mirror[i] = static_cast<int>(found - landmark_.begin());
    }
    report_.exchanged = exchanged_points(table_, bones_, clip_.times, mirror, metre_);
    for (const PointSpan& span : report_.exchanged)
      for (int k = span.first; k <= span.last; ++k)
        std::swap(table_.at(k, span.point), table_.at(k, span.other));
    report_.stray = stray_points(table_, bones_, metre_);
    forget(report_.stray);
  }

  // ---- gaps and jitter of one point

  void follow(int j) {
    std::vector<Vector3d> path(at(table_.frames));
    std::vector<int> seen;
    for (int k = 0; k < table_.frames; ++k) {
      path[at(k)] = table_.at(k, j);
      if (path[at(k)].allFinite())
        seen.push_back(k);
      else
        origin_[index(k, j)] = Unseen;
    }
    if (seen.size() < 2 || static_cast<double>(seen.size()) < kSeldom * table_.frames) return;
    const PathNoise noise = path_noise(clip_.times, path, interval_);
    const bool noisy = noise.cutoff_hz > 0.0 && noise.sigma > (strong_ ? kQuietStrong : kQuiet) * metre_ &&
                       noise.sigma < kMostNoise * metre_;
    if (noisy) {
      report_.filtered.push_back(j);
      noises_.push_back(noise.sigma / metre_);
      cutoffs_.push_back(noise.cutoff_hz * (strong_ ? kStrongShare : 1.0));
    }
    // pieces between long gaps
    for (std::size_t first = 0; first < seen.size();) {
      std::size_t last = first;
      while (last + 1 < seen.size() && between(seen[last], seen[last + 1]) <= kBridge + kSlack) ++last;
      if (last + 1 < seen.size() && seen[last + 1] - seen[last] > 1)
        report_.long_gaps.push_back({j, seen[last] + 1, seen[last + 1] - 1});
      bridge(j, path, seen[first], seen[last], noisy ? cutoffs_.back() : 0.0);
      first = last + 1;
    }
    add_end_gaps(j, seen);
  }

  // time in which a point is not seen [s]
  [[nodiscard]] double between(int last, int next) const {
    return to_seconds(clip_.times[at(next)] - clip_.times[at(last)]) - (next - last == 1 ? 0.0 : interval_);
  }

  void add_end_gaps(int j, const std::vector<int>& seen) {
    const auto lost = [&](int from, int to) {
      return to >= from && to_seconds(clip_.times[at(to)] - clip_.times[at(from)]) > kBridge;
    };
    if (lost(0, seen.front() - 1)) report_.long_gaps.push_back({j, 0, seen.front() - 1});
    if (lost(seen.back() + 1, table_.frames - 1))
      report_.long_gaps.push_back({j, seen.back() + 1, table_.frames - 1});
  }

  void bridge(int j, const std::vector<Vector3d>& path, int first, int last, double cutoff_hz) {
    if (last - first < 2) return;
    const auto near = [&](int k, int edge) {
      return std::abs(to_seconds(clip_.times[at(edge)] - clip_.times[at(k)])) <= kBeyond + kSlack;
    };
    int begin = first, end = last + 1;
    while (begin > 0 && !path[at(begin - 1)].allFinite() && near(begin - 1, first)) --begin;
    while (end < table_.frames && !path[at(end)].allFinite() && near(end, last)) ++end;
    if (begin > 0) begin = first;  // only at the ends of the clip
    if (end < table_.frames) end = last + 1;
    const std::vector<Vector3d> x = spline_path(
        times(begin, end), std::span(path).subspan(at(begin), at(end - begin)), interval_, cutoff_hz);
    for (int k = begin; k < end; ++k) {
      const bool seen = path[at(k)].allFinite();
      if (seen && cutoff_hz == 0.0) continue;
      if (!x[at(k - begin)].allFinite()) continue;
      table_.at(k, j) = x[at(k - begin)];
      movable_[index(k, j)] = 1;
      if (seen) continue;
      origin_[index(k, j)] = Bridged;
      ++report_.bridged;
    }
  }

  // ---- long gaps

  // axes that turn with the trunk; NaN where it is not seen
  [[nodiscard]] Matrix3d trunk(int k) const {
    const auto place = [&](int landmark) {
      const auto found = std::find(landmark_.begin(), landmark_.end(), landmark);
      return found == landmark_.end() ? no_point()
                                      : table_.at(k, static_cast<int>(found - landmark_.begin()));
    };
    const Vector3d hips = place(sided(HipJoint, 1)) - place(sided(HipJoint, 0));
    const Vector3d shoulders = place(sided(ShoulderJoint, 1)) - place(sided(ShoulderJoint, 0));
    const Vector3d up = 0.5 * (place(sided(ShoulderJoint, 1)) + place(sided(ShoulderJoint, 0)) -
                               place(sided(HipJoint, 1)) - place(sided(HipJoint, 0)));
    return frame_along(2, up, 1, hips + shoulders);
  }

  // Fills gaps of up to `kGuess` whose ends and neighbour are there: the bone turns evenly, against the
  // trunk, from how it was to how it will be.
  void carry() {
    for (const PointSpan& gap : report_.long_gaps) {
      if (gap.first == 0 || gap.last == table_.frames - 1) continue;
      if (to_seconds(clip_.times[at(gap.last + 1)] - clip_.times[at(gap.first - 1)]) > kGuess) continue;
      bool done = origin_[index(gap.first, gap.point)] != Unseen;
      for_bones_at(bones_, gap.point, [&](int other, const PointBone&) {
        if (!done && there(gap, other)) {
          carry(gap, other);
          done = true;
        }
      });
    }
  }

  [[nodiscard]] bool there(const PointSpan& gap, int other) const {
    for (int k = gap.first - 1; k <= gap.last + 1; ++k)
      if (!table_.seen(k, other)) return false;
    return true;
  }

  void carry(const PointSpan& gap, int other) {
    const int a = gap.first - 1, b = gap.last + 1;
    // a trunk that is lost with the point would turn it from one frame to the next
    bool turns = true;
    for (int k = a; k <= b && turns; ++k) turns = trunk(k).allFinite();
    const auto axes = [&](int k) -> Matrix3d { return turns ? trunk(k) : Matrix3d(Matrix3d::Identity()); };
    const Vector3d from = axes(a).transpose() * (table_.at(a, gap.point) - table_.at(a, other));
    const Vector3d to = axes(b).transpose() * (table_.at(b, gap.point) - table_.at(b, other));
    if (!(from.norm() > 0.0) || !(to.norm() > 0.0)) return;
    const Matrix3d turn = least_turn(from.normalized(), to.normalized());
    for (int k = gap.first; k <= gap.last; ++k) {
      const double t = to_seconds(clip_.times[at(k)] - clip_.times[at(a)]) /
                       to_seconds(clip_.times[at(b)] - clip_.times[at(a)]);
      const double share = t * t * (3.0 - 2.0 * t);
      const double length = (1.0 - share) * from.norm() + share * to.norm();
      const Vector3d bone = length * (part_of_turn(Matrix3d::Identity(), turn, share) * from.normalized());
      table_.at(k, gap.point) = table_.at(k, other) + axes(k) * bone;
      origin_[index(k, gap.point)] = Guessed;
      movable_[index(k, gap.point)] = 1;
      ++report_.guessed;
    }
  }

  // ---- results

  void write() {
    for (int k = 0; k < table_.frames; ++k) {
      for (int j = 0; j < table_.points; ++j) {
        const Vector3d& p = table_.at(k, j);
        double* to = clip_.positions.data() + 3 * (at(k) * clip_.names.size() + at(column_[at(j)]));
        std::copy_n(p.data(), 3, to);
      }
    }
    const auto name = [&](std::vector<PointSpan>& spans) {
      for (PointSpan& span : spans) {
        span.point = column_[at(span.point)];
        if (span.other >= 0) span.other = column_[at(span.other)];
      }
    };
    for (auto* spans : {&report_.frozen, &report_.exchanged, &report_.stray, &report_.long_gaps})
      name(*spans);
    for (int& j : report_.filtered) j = column_[at(j)];
    if (cutoffs_.empty()) return;
    report_.noise = median(noises_);
    report_.lowest_cutoff_hz = *std::min_element(cutoffs_.begin(), cutoffs_.end());
    report_.highest_cutoff_hz = *std::max_element(cutoffs_.begin(), cutoffs_.end());
  }

  [[nodiscard]] std::string span_text(const PointSpan& span) const {
    const std::string other = span.other < 0 ? "" : " and " + clip_.names[at(span.other)];
    return clip_.names[at(span.point)] + other + " from " +
           decimals(to_seconds(clip_.times[at(span.first)]), 2) + " to " +
           decimals(to_seconds(clip_.times[at(span.last)]), 2) + " s";
  }

  void describe(const std::string& what, const std::vector<PointSpan>& spans) {
    if (spans.empty()) return;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < spans.size() && i <= kListed; ++i) words.push_back(span_text(spans[i]));
    words.resize(spans.size());
    report_.notes.push_back(what + ": " + listed(words, kListed));
  }

  void describe() {
    describe("points that freeze while the body moves, taken as not seen", report_.frozen);
    describe("swapped points, swapped back", report_.exchanged);
    if (!report_.stray.empty())
      report_.notes.push_back(counted(std::ssize(report_.stray), "position") +
                              " that jumped for one frame, taken as not seen: first " +
                              span_text(report_.stray.front()));
    if (report_.bridged > 0)
      report_.notes.push_back("gaps of up to 0.2 s bridged: " + counted(report_.bridged, "position"));
    std::vector<PointSpan> carried, unseen;
    for (const PointSpan& gap : report_.long_gaps) {
      const auto own = std::find(column_.begin(), column_.end(), gap.point) - column_.begin();
      (origin_[index(gap.first, static_cast<int>(own))] == Guessed ? carried : unseen).push_back(gap);
    }
    describe("warning: points not seen for over 0.2 s, guessed from their neighbours", carried);
    describe("points not seen for over 0.2 s, left out", unseen);
    if (report_.filtered.empty()) return;
    report_.notes.push_back("jitter of " + digits(1e3 * report_.noise, 2) + " mm (median) filtered in " +
                            counted(std::ssize(report_.filtered), "point") + ", two-way, above " +
                            decimals(report_.lowest_cutoff_hz, 1) + " to " +
                            decimals(report_.highest_cutoff_hz, 1) + " Hz");
  }

  static constexpr double kSlack = 1e-6;  // [s] rounding of stamps

  KeypointClip& clip_;
  bool strong_;
  std::vector<int> column_, landmark_;  // of the clip, by point of the table
  PointTable table_;
  double metre_ = 1.0;     // in the clip's unit
  double interval_ = 0.0;  // [s] between frames, median
  std::vector<PointBone> bones_;
  std::vector<Origin> origin_;
  std::vector<unsigned char> movable_;  // may be moved to keep lengths
  std::vector<double> noises_, cutoffs_;
  CleanReport report_;
};

}  // namespace

CleanReport clean_points(KeypointClip& clip, PointCleaning cleaning) {
  if (cleaning == PointCleaning::Off) return {};
  return Cleaner(clip, cleaning).run();
}

void check_depth(const KeypointClip& clip) {
  Matrix3d sum = Matrix3d::Zero();
  int count = 0, most = 0;
  const int step = std::max(1, clip.frames() / kPlaneFrames);
  for (int k = 0; k < clip.frames(); k += step) {
    std::vector<Vector3d> seen;
    Vector3d middle = Vector3d::Zero();
    for (int j = 0; j < clip.points(); ++j) {
      const Vector3d p = clip.position(k, j);
      if (!p.allFinite() || !(p.cwiseAbs().maxCoeff() < kFarthest)) continue;
      seen.push_back(p);
      middle += p;
    }
    if (seen.empty()) continue;
    middle /= static_cast<double>(seen.size());
    for (const Vector3d& p : seen) sum += (p - middle) * (p - middle).transpose();
    count += static_cast<int>(seen.size());
    most = std::max(most, static_cast<int>(seen.size()));
  }
  if (most < kPlanePoints) return;
  const Vector3d spread = symmetric_eigen(Matrix3d(sum / count)).values;
  const auto thin = [&](int axis) { return !(spread[axis] > kFlat * kFlat * spread[2]); };
  if (!(spread[2] > 0.0) || !thin(0) || thin(1)) return;
  throw FormatError(
      clip.name +
      ": all points lie in one plane, as of one camera: nothing shows depth, so no pose can be found; "
      "use points in three dimensions, from several cameras or a pose estimator that gives depth");
}

}  // namespace panto::keypoints
