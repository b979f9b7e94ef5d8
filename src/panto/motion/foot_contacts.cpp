#include "panto/motion/foot_contacts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/motion/contact_evidence.hpp"
#include "panto/motion/line_fit.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kFloorQuantile =
    0.10;                              // quantile of a slow point's heights: below the median, above outliers
constexpr double kLongestStep = 0.25;  // [s] between frames of one motion; longer: a cut
constexpr double kLeastKept = 0.7;     // least share of a contact that trimming its ends must keep
constexpr int kSlowerRounds = 2;       // halvings of the contact speed
constexpr double kSwingQuantile = 0.95;  // quantile of a point's speeds that counts as its swing speed
constexpr std::size_t kFewFrames = 5;    // fewer slow frames do not show a floor
constexpr double kStillRaised = 0.3;     // [s], shortest stillness of a raised foot that is noted
constexpr double kNotableRaised = 0.05;  // share of the frames

using Run = PlantedInterval;

using detail::kReferenceLeg;
using Thresholds = detail::ContactLimits;

// One sole point with its measured motion.
struct Point {
  const std::vector<Time>* t = nullptr;
  const std::vector<Vector3d>* p = nullptr;
  const std::vector<signed char>* given = nullptr;  // null: none
  const std::vector<int>* part = nullptr;           // by frame: number of the part between cuts
  std::vector<double> height, speed;                // fitted; NaN where not measured
  std::vector<double> faster;                       // >= 1, of the speed limits, by the swings around
  Thresholds limits;
  double level = 0.0;

  [[nodiscard]] int size() const { return static_cast<int>(t->size()); }
  [[nodiscard]] double time(int k) const { return to_seconds((*t)[at(k)]); }
};

std::vector<int> parts_of(const FootTrack& track) {
  std::vector<int> cuts = track.cuts;
  for (std::size_t k = 1; k < track.t.size(); ++k)
    if (to_seconds(track.t[k] - track.t[k - 1]) > kLongestStep) cuts.push_back(static_cast<int>(k));
  return detail::parts_between(track.t.size(), cuts);
}

// Fits a straight line through the positions around frame k: height and speed there.
void fit(Point& point, int k, double window) {
  const auto usable = [&](int j) {
    return j >= 0 && j < point.size() && (*point.part)[at(j)] == (*point.part)[at(k)] &&
           (*point.p)[at(j)].allFinite();
  };
  if (!usable(k)) return;
  const detail::LineFit line = detail::fit_line(*point.t, *point.p, k, window, usable);
  point.height[at(k)] = line.mean.z();
  point.speed[at(k)] = line.slope.norm();
}

// Returns the quantile of the finite numbers; NaN when there are fewer than `fewest`.
double quantile(const std::vector<double>& values, double share, std::size_t fewest) {
  std::vector<double> finite;
  for (const double value : values)
    if (std::isfinite(value)) finite.push_back(value);
  if (finite.size() < fewest) return kNaN;
  const auto nth =
      finite.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(finite.size() - 1));
  std::nth_element(finite.begin(), nth, finite.end());
  return *nth;
}

// Returns the limits of a point that swings slowly.
Thresholds thresholds_of(const ContactOptions& options) { return detail::contact_limits(options, 0.0); }

// Sets by how much the swings around each frame raise its speed limits. Only they count: what else the clip
// holds, or where it is cut, must not change a contact.
void set_faster(Point& point, const ContactOptions& options) {
  point.faster.assign(point.speed.size(), 1.0);
  std::vector<double> near;
  int first = 0, last = -1;
  for (int k = 0; k < point.size(); ++k) {
    while (point.time(k) - point.time(first) > options.swing_window || k - first > detail::kMostNear) ++first;
    while (last + 1 < point.size() && last - k < detail::kMostNear &&
           point.time(last + 1) - point.time(k) <= options.swing_window)
      ++last;
    near.assign(point.speed.begin() + first, point.speed.begin() + last + 1);
    const double swing = quantile(near, kSwingQuantile, 1);
    point.faster[at(k)] = std::fmax(1.0, options.swing_share * swing / point.limits.speed_off);
  }
}

Point point_of(const FootTrack& track, const std::vector<Vector3d>& p, const std::vector<signed char>& given,
               const std::vector<int>& part, const ContactOptions& options) {
  Point point{&track.t, &p, given.empty() ? nullptr : &given, &part, {}, {}, {}, {}};
  point.height.assign(p.size(), kNaN);
  point.speed.assign(p.size(), kNaN);
  for (int k = 0; k < point.size(); ++k) fit(point, k, options.window);
  point.limits = thresholds_of(options);
  set_faster(point, options);
  return point;
}

// Returns a low quantile of the heights at which the point is slow; NaN when it is hardly ever slow.
double floor_under(const Point& point) {
  std::vector<double> heights;
  for (std::size_t k = 0; k < point.height.size(); ++k)
    if (point.speed[k] < point.limits.speed_on * point.faster[k]) heights.push_back(point.height[k]);
  return quantile(heights, kFloorQuantile, kFewFrames);
}

std::vector<Run> runs_of(const std::vector<unsigned char>& flags, const std::vector<int>& part) {
  std::vector<Run> runs;
  for (int k = 0; k < static_cast<int>(flags.size()); ++k) {
    if (flags[at(k)] == 0) continue;
    const bool goes_on =
        !runs.empty() && runs.back().last == k - 1 && part[at(k)] == part[at(runs.back().last)];
    if (goes_on) {
      runs.back().last = k;
    } else {
      runs.push_back({k, k});
    }
  }
  return runs;
}

// Returns the time that a run covers: one interval per frame.
double length_of(const Point& point, const Run& run) {
  const int n = point.size();
  if (n < 2) return 0.0;
  const double step = (point.time(n - 1) - point.time(0)) / (n - 1);
  return point.time(run.last) - point.time(run.first) + std::min(step, kLongestStep);
}

// Finds frames that are surely in contact, and grows them both ways to where the point surely is not.
std::vector<unsigned char> stands(const Point& point, const Run& range, const Thresholds& limits) {
  std::vector<unsigned char> flags(at(range.last - range.first + 1), 0);
  const auto may = [&](int k) {
    const bool veto = point.given != nullptr && (*point.given)[at(k)] == 0;
    return !veto &&
           limits.slower(point.faster[at(k)]).may(point.height[at(k)] - point.level, point.speed[at(k)]);
  };
  const auto does = [&](int k) {
    const bool given = point.given != nullptr && (*point.given)[at(k)] == 1;
    return may(k) &&
           (given ||
            limits.slower(point.faster[at(k)]).surely(point.height[at(k)] - point.level, point.speed[at(k)]));
  };
  const auto same_part = [&](int j, int k) { return (*point.part)[at(j)] == (*point.part)[at(k)]; };
  bool standing = false;
  for (int k = range.first; k <= range.last; ++k) {
    standing = does(k) || (standing && may(k) && same_part(k - 1, k));
    flags[at(k - range.first)] = standing ? 1 : 0;
  }
  standing = false;
  for (int k = range.last; k >= range.first; --k) {
    standing = flags[at(k - range.first)] != 0 || (standing && may(k) && same_part(k, k + 1));
    flags[at(k - range.first)] = standing ? 1 : 0;
  }
  return flags;
}

double travel(const Point& point, const Run& run) {
  Vector3d low = (*point.p)[at(run.first)], high = low;
  for (int k = run.first; k <= run.last; ++k) {
    if (!(*point.p)[at(k)].allFinite()) continue;
    low = low.cwiseMin((*point.p)[at(k)]);
    high = high.cwiseMax((*point.p)[at(k)]);
  }
  return (high - low).head<2>().norm();
}

void close_gaps(const Point& point, std::vector<unsigned char>& flags, double shortest, double place) {
  const std::vector<Run> runs = runs_of(flags, *point.part);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const int from = runs[i - 1].last, to = runs[i].first;
    if ((*point.part)[at(from)] != (*point.part)[at(to)]) continue;
    if (point.time(to) - point.time(from) > shortest || travel(point, {from, to}) > place) continue;
    std::fill(flags.begin() + from, flags.begin() + to, static_cast<unsigned char>(1));
  }
}

void drop_short(const Point& point, std::vector<unsigned char>& flags, double shortest) {
  for (const Run& run : runs_of(flags, *point.part)) {
    if (length_of(point, run) >= shortest) continue;
    std::fill(flags.begin() + run.first, flags.begin() + run.last + 1, static_cast<unsigned char>(0));
  }
}

// Median position of a point during a run, and the distance of a frame from it.
Eigen::Vector2d place_of(const Point& point, const Run& run) {
  Eigen::Vector2d place = Eigen::Vector2d::Zero();
  std::vector<double> values;
  for (int axis = 0; axis < 2; ++axis) {
    values.clear();
    for (int k = run.first; k <= run.last; ++k)
      if ((*point.p)[at(k)].allFinite()) values.push_back((*point.p)[at(k)][axis]);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (middle != values.end()) place[axis] = *middle;
  }
  return place;
}

// Returns the part of a run that stays in one place if it is most of the run; else an empty run.
Run at_one_place(const Point& point, const Run& run, double radius) {
  const Eigen::Vector2d place = place_of(point, run);
  const auto off = [&](int k) { return ((*point.p)[at(k)].head<2>() - place).norm() > radius; };
  Run kept = run;
  while (kept.first < kept.last && off(kept.first)) ++kept.first;
  while (kept.last > kept.first && off(kept.last)) --kept.last;
  for (int k = kept.first; k <= kept.last; ++k)
    if (off(k)) return {1, 0};
  const double length = run.last - run.first + 1, left = kept.last - kept.first + 1;
  return left >= kLeastKept * length ? kept : Run{1, 0};
}

// A run that leaves its place was a slide, or two contacts with a slow step in between: search again at lower
// speeds, a few times.
void keep_places(const Point& point, std::vector<unsigned char>& flags, const Thresholds& limits,
                 double radius, int rounds) {
  for (const Run& run : runs_of(flags, *point.part)) {
    const Run kept = at_one_place(point, run, radius);
    std::fill(flags.begin() + run.first, flags.begin() + run.last + 1, static_cast<unsigned char>(0));
    if (kept.first <= kept.last) {
      std::fill(flags.begin() + kept.first, flags.begin() + kept.last + 1, static_cast<unsigned char>(1));
    } else if (rounds > 0) {
      const Thresholds slower = limits.slower(0.5);
      std::vector<unsigned char> again(flags.size(), 0);
      const std::vector<unsigned char> part = stands(point, run, slower);
      std::copy(part.begin(), part.end(), again.begin() + run.first);
      keep_places(point, again, slower, radius, rounds - 1);
      std::copy(again.begin() + run.first, again.begin() + run.last + 1, flags.begin() + run.first);
    }
  }
}

void check(const std::vector<FootTrack>& feet, const ContactOptions& o) {
  const auto demand = [](bool good, const char* what) {
    if (!good) throw ConfigError(std::string("contacts: ") + what);
  };
  demand(positive(o.leg_length), "leg_length must be finite and > 0");
  demand(o.height_on > 0.0 && o.height_off >= o.height_on && positive(o.height_off),
         "heights must be finite, 0 < height_on <= height_off");
  demand(o.speed_on > 0.0 && o.speed_off >= o.speed_on && positive(o.speed_off),
         "speeds must be finite, 0 < speed_on <= speed_off");
  demand(positive(o.place), "place must be finite and > 0");
  demand(not_negative(o.level_spread) && not_negative(o.swing_share) && not_negative(o.swing_window),
         "level_spread, swing_share and swing_window must be finite and not negative");
  demand(not_negative(o.window) && not_negative(o.shortest_gap) && not_negative(o.shortest_stand),
         "window, shortest_gap and shortest_stand must be finite and not negative");
  for (const FootTrack& foot : feet) {
    const std::size_t n = foot.t.size();
    const auto fits = [n](std::size_t size, bool optional) { return size == n || (optional && size == 0); };
    if (!fits(foot.heel.size(), false) || !fits(foot.ball.size(), false) ||
        !fits(foot.heel_given.size(), true) || !fits(foot.ball_given.size(), true))
      throw ConfigError("contacts: the lists of " + foot.name + " differ in length");
    for (std::size_t k = 1; k < n; ++k) {
      if (foot.t[k] <= foot.t[k - 1])
        throw ConfigError("contacts: the stamps of " + foot.name + " do not increase at frame " +
                          std::to_string(k));
    }
  }
}

// Both points of a foot during the search for contacts.
struct Foot {
  const FootTrack* track;
  std::vector<int> part;
  Point heel, ball;
  bool given_ignored = false;
};

// A list without any contact in the whole clip carries no information.
const std::vector<signed char>& useful(const std::vector<signed char>& given, bool& ignored) {
  static const std::vector<signed char> none;
  if (given.empty() || std::find(given.begin(), given.end(), 1) != given.end()) return given;
  ignored = ignored || std::find(given.begin(), given.end(), 0) != given.end();
  return none;
}

std::vector<unsigned char> contacts_of(const Point& point, const ContactOptions& options, double scale) {
  if (point.size() == 0) return {};
  const double place = options.place * scale;
  std::vector<unsigned char> flags = stands(point, {0, point.size() - 1}, point.limits);
  close_gaps(point, flags, options.shortest_gap, place);
  keep_places(point, flags, point.limits, place, kSlowerRounds);
  close_gaps(point, flags, options.shortest_gap, place);
  drop_short(point, flags, options.shortest_stand);
  return flags;
}

// Finds longer stretches in which the foot is still, but not on the floor.
double raised_share(const Foot& foot, const std::vector<unsigned char>& standing, double speed,
                    double measured) {
  std::vector<unsigned char> raised(standing.size(), 0);
  for (std::size_t k = 0; k < raised.size(); ++k)
    raised[k] = standing[k] == 0 && foot.heel.speed[k] < speed && foot.ball.speed[k] < speed ? 1 : 0;
  drop_short(foot.ball, raised, kStillRaised);
  return measured > 0.0 ? static_cast<double>(std::count(raised.begin(), raised.end(), 1)) / measured : 0.0;
}

// Counts how often height and speed alone agree with the recorded contacts.
std::optional<double> agreement(const Foot& foot, const ContactOptions& options, double scale) {
  double told = 0.0, same = 0.0;
  for (const Point* point : {&foot.heel, &foot.ball}) {
    if (point->given == nullptr) continue;
    Point alone = *point;
    alone.given = nullptr;
    const std::vector<unsigned char> flags = contacts_of(alone, options, scale);
    for (std::size_t k = 0; k < flags.size(); ++k) {
      const signed char given = (*point->given)[k];
      if (given < 0) continue;
      told += 1.0;
      if ((given != 0) == (flags[k] != 0)) same += 1.0;
    }
  }
  if (told == 0.0) return std::nullopt;
  return same / told;
}

FootContacts judge(const Foot& foot, const ContactOptions& options, double scale) {
  FootContacts result;
  result.name = foot.track->name;
  result.heel_level = foot.heel.level;
  result.ball_level = foot.ball.level;
  result.heel = contacts_of(foot.heel, options, scale);
  result.ball = contacts_of(foot.ball, options, scale);
  std::vector<unsigned char> either(result.heel.size(), 0);
  double measured = 0.0;
  for (std::size_t k = 0; k < either.size(); ++k) {
    either[k] = result.heel[k] | result.ball[k];
    if (std::isfinite(foot.heel.speed[k]) || std::isfinite(foot.ball.speed[k])) measured += 1.0;
  }
  // from the heel onto the ball and back without flight
  close_gaps(foot.ball, either, options.shortest_gap, options.place * scale);
  result.planted = runs_of(either, foot.part);
  const auto standing = static_cast<double>(std::count(either.begin(), either.end(), 1));
  if (measured > 0.0) result.stance_share = standing / measured;
  result.given_agreement = agreement(foot, options, scale);
  result.raised_share = raised_share(foot, either, 0.5 * options.speed_on * scale, measured);
  return result;
}

// Finds the contact height of each point, and the floor: the lowest of them.
void find_floor(std::vector<Foot>& feet, double spread, ClipContacts& result) {
  double lowest = kNaN;
  std::vector<Point*> points;
  for (Foot& foot : feet) {
    for (Point* point : {&foot.heel, &foot.ball}) {
      point->level = floor_under(*point);
      lowest = std::fmin(lowest, point->level);
      points.push_back(point);
    }
  }
  if (!std::isfinite(lowest)) {
    result.notes.emplace_back(
        "no foot is ever in stance: the lowest point of the soles is taken as the floor");
    for (const Point* point : points)
      for (const double height : point->height) lowest = std::fmin(lowest, height);
    if (!std::isfinite(lowest)) lowest = 0.0;
  }
  for (Point* point : points) {
    const double level = std::isfinite(point->level) ? point->level : lowest;
    point->level = std::min(level, lowest + spread);
  }
  result.ground = lowest;
}

void note_oddities(const std::vector<Foot>& feet, ClipContacts& result) {
  for (std::size_t i = 0; i < feet.size(); ++i) {
    const FootContacts& contacts = result.feet[i];
    if (feet[i].given_ignored)
      result.notes.push_back(contacts.name + ": the recorded contacts are never set; they are ignored");
    if (contacts.given_agreement)
      result.notes.push_back(contacts.name +
                             ": the recorded contacts are used; height and speed alone agree with " +
                             decimals(100.0 * *contacts.given_agreement, 1) + " % of them");
    if (contacts.raised_share > kNotableRaised)
      result.notes.push_back(contacts.name + ": motionless above the floor for " +
                             decimals(100.0 * contacts.raised_share, 0) +
                             " % of the time (on a step or box, or held up); it is not planted there");
  }
}

}  // namespace

FootSole human_sole(const SubjectDimensions& subject, bool right) {
  const int toe = right ? HumanSegment::RightToe : HumanSegment::LeftToe;
  const Vector3d ball = subject.origin[at(toe)];
  const double length = ball.x() + std::max(subject.end[at(toe)].x(), 0.0);
  return {Vector3d(-0.25 * length, 0.0, ball.z()), ball};
}

std::array<Eigen::Vector3d, 4> corners(const FootSole& sole) {
  const Eigen::Vector3d side = sole.half_width * sole.up.cross(sole.ball - sole.heel).normalized();
  return {sole.heel - side, sole.heel + side, sole.ball - side, sole.ball + side};
}

FootTrack foot_track(std::string name, const std::vector<SegmentSample>& samples, int segment,
                     const FootSole& sole) {
  FootTrack track;
  track.name = std::move(name);
  for (const SegmentSample& sample : samples) {
    if (sample.cut) track.cuts.push_back(static_cast<int>(track.t.size()));
    Vector3d heel = Vector3d::Constant(kNaN), ball = heel;
    if (segment >= 0 && at(segment) < sample.segments.size()) {
      const SegmentMotion& foot = sample.segments[at(segment)];
      if (foot.has_position && foot.has_orientation) {
        heel = foot.p_WS + foot.R_WS * sole.heel;
        ball = foot.p_WS + foot.R_WS * sole.ball;
      }
    }
    track.t.push_back(sample.t);
    track.heel.push_back(heel);
    track.ball.push_back(ball);
  }
  return track;
}

ClipContacts find_contacts(const std::vector<FootTrack>& tracks, const ContactOptions& options) {
  check(tracks, options);
  const double scale = options.leg_length / kReferenceLeg;
  std::vector<Foot> feet(tracks.size());
  for (std::size_t i = 0; i < feet.size(); ++i) {
    Foot& foot = feet[i];
    const FootTrack& track = tracks[i];
    foot.track = &track;
    foot.part = parts_of(track);
    foot.heel = point_of(track, track.heel, useful(track.heel_given, foot.given_ignored), foot.part, options);
    foot.ball = point_of(track, track.ball, useful(track.ball_given, foot.given_ignored), foot.part, options);
  }
  ClipContacts result;
  find_floor(feet, options.level_spread * scale, result);
  for (const Foot& foot : feet) result.feet.push_back(judge(foot, options, scale));
  note_oddities(feet, result);
  return result;
}

}  // namespace panto
