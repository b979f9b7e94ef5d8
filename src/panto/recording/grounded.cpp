#include "panto/recording/grounded.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/median.hpp"
#include "panto/model/human.hpp"
#include "panto/motion/foot_contacts.hpp"
#include "panto/recording/person_reader.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSlow = 0.3;        // [m/s] a sole at rest
constexpr std::size_t kFewest = 10;  // soles at rest that show a floor
constexpr double kLow = 0.06;        // [m] above the tenth percentile: those on the floor
constexpr double kExtent = 1.0;      // [m] of the way over a floor whose slope shows
constexpr double kLeastSlope = 0.5 * kDegree, kMostSlope = 15.0 * kDegree;
constexpr int kRounds = 6;         // of the fit without outliers
constexpr double kOutlier = 0.02;  // [m] from the plane
constexpr double kOff = 0.03;      // [m] above the floor: a sole is off it ...
constexpr double kFloats = 0.08;   // ... and floats
constexpr double kOften = 0.1;     // share of frames from which a recording floats
constexpr double kFlight = 1.0;    // [s] longest flight of a person
constexpr double kFall = -5.0;     // [m/s^2] a body in flight falls at -9.8
constexpr double kCalm = 0.1;      // [s] half width of the mean over drops
constexpr double kStands = 0.6;    // of the usual height of the pelvis over the lowest sole: it stands ...
constexpr double kSquats = 0.46;   // ... or squats; less: it lies
constexpr double kSaid = 0.10;     // [m] of a height that a note names
constexpr double kSaidSlope = 1.0 * kDegree;

double legs(const SoleFrame& frame) { return frame.root - frame.lowest.z(); }

// height of the pelvis over the lowest sole of a person who stands
double usual_legs(const std::vector<SoleFrame>& frames) {
  std::vector<double> heights;
  for (const SoleFrame& frame : frames)
    if (std::isfinite(legs(frame))) heights.push_back(legs(frame));
  return heights.empty() ? 0.0 : quantile(std::move(heights), 0.95);
}

// soles at rest of a body that stands on them
std::vector<Vector3d> resting(const std::vector<SoleFrame>& frames) {
  const double least = kStands * usual_legs(frames);
  std::vector<Vector3d> slow;
  for (std::size_t k = 1; k + 1 < frames.size(); ++k) {
    const double dt = to_seconds(frames[k + 1].t - frames[k - 1].t);
    const Vector3d move = frames[k + 1].lowest - frames[k - 1].lowest;
    const bool stands = legs(frames[k]) > least;
    if (stands && dt > 0.0 && move.norm() < kSlow * dt) slow.push_back(frames[k].lowest);
  }
  return slow;
}

// those near the lowest level
std::vector<Vector3d> lowest(std::vector<Vector3d> points) {
  std::vector<double> heights;
  for (const Vector3d& p : points) heights.push_back(p.z());
  const double low = quantile(std::move(heights), 0.1);
  std::erase_if(points, [&](const Vector3d& p) { return p.z() > low + kLow; });
  return points;
}

// z = plane . (1, x, y), by least squares that turn from outliers
Vector3d fit_plane(const std::vector<Vector3d>& points, bool slopes) {
  std::vector<double> heights;
  for (const Vector3d& p : points) heights.push_back(p.z());
  Vector3d plane(median(std::move(heights)), 0.0, 0.0);
  if (!slopes) return plane;
  for (int round = 0; round < kRounds; ++round) {
    Matrix3d A = Matrix3d::Zero();
    Vector3d b = Vector3d::Zero();
    for (const Vector3d& p : points) {
      const Vector3d row(1.0, p.x(), p.y());
      const double off = (row.dot(plane) - p.z()) / kOutlier;
      const double weight = 1.0 / (1.0 + off * off);
      A += weight * row * row.transpose();
      b += weight * p.z() * row;
    }
    const Vector3d next = solve_symmetric(A, b);
    if (!next.allFinite()) return plane;
    plane = next;
  }
  return plane;
}

// the smallest extent of the places on the floor, of eight directions [m]: a straight walk has none across
double extent(const std::vector<Vector3d>& points) {
  constexpr double kLong = 0.92388, kShort = 0.38268, kEqual = 0.70711;  // of 22.5 and 45 degrees
  const std::array<Eigen::Vector2d, 8> directions{{{1, 0},
                                                   {kLong, kShort},
                                                   {kEqual, kEqual},
                                                   {kShort, kLong},
                                                   {0, 1},
                                                   {-kShort, kLong},
                                                   {-kEqual, kEqual},
                                                   {-kLong, kShort}}};
  double least = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector2d& along : directions) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vector3d& p : points) {
      low = std::min(low, along.dot(p.head<2>()));
      high = std::max(high, along.dot(p.head<2>()));
    }
    least = std::min(least, high - low);
  }
  return least;
}

// whether the body falls freely between two frames
bool flies(const std::vector<SoleFrame>& frames, std::size_t first, std::size_t last) {
  const double half = 0.5 * to_seconds(frames[last].t - frames[first].t);
  if (2.0 * half > kFlight || last < first + 2 || !(half > 0.0)) return last < first + 2;
  const double bend = frames[first].root - 2.0 * frames[(first + last) / 2].root + frames[last].root;
  return bend / (half * half) < kFall;
}

std::vector<double> calmed(const std::vector<SoleFrame>& frames, const std::vector<double>& drop) {
  std::vector<double> result(drop.size());
  double sum = 0.0;
  std::size_t begin = 0, end = 0;
  for (std::size_t k = 0; k < drop.size(); ++k) {
    for (; end < drop.size() && to_seconds(frames[end].t - frames[k].t) <= kCalm; ++end) sum += drop[end];
    for (; to_seconds(frames[k].t - frames[begin].t) > kCalm; ++begin) sum -= drop[begin];
    result[k] = sum / static_cast<double>(end - begin);
  }
  return result;
}

// what keeps soles on the floor, but for flights, in which it changes evenly
void find_drops(const std::vector<SoleFrame>& frames, FloorFit& floor) {
  const double least = kSquats * usual_legs(frames);
  std::vector<double> drop;
  for (const SoleFrame& frame : frames) {
    const double height = floor.up.dot(frame.lowest - floor.height * Vector3d::UnitZ());
    const bool stands = std::isfinite(height) && legs(frame) > least;
    drop.push_back(stands ? height : drop.empty() ? 0.0 : drop.back());
  }
  std::vector<double> floating;
  for (std::size_t k = 0; k < drop.size();) {
    if (drop[k] <= kOff) {
      ++k;
      continue;
    }
    std::size_t end = k;
    while (end < drop.size() && drop[end] > kOff) ++end;
    const std::size_t first = k > 0 ? k - 1 : k, last = end < drop.size() ? end : end - 1;
    if (flies(frames, first, last)) {
      const double from = drop[first], to = drop[last];
      for (std::size_t i = k; i < end; ++i)
        drop[i] = from + (to - from) * static_cast<double>(i - first) / static_cast<double>(last - first);
    } else {
      for (std::size_t i = k; i < end; ++i)
        if (drop[i] > kFloats) floating.push_back(drop[i]);
    }
    k = end;
  }
  floor.floating_share = static_cast<double>(floating.size()) / static_cast<double>(frames.size());
  if (floor.floating_share < kOften) return;
  floor.floats = median(std::move(floating));
  floor.drop = calmed(frames, drop);
}

// Moves every sample of another recording.
class GroundedRecording final : public Recording {
 public:
  GroundedRecording(std::unique_ptr<Recording> recording, FloorFit floor)
      : recording_(std::move(recording)),
        info_(recording_->info()),
        floor_(std::move(floor)),
        turn_(least_turn(floor_.up, Vector3d::UnitZ())) {
    if (!floor_.drop.empty()) info_.has_linear_velocity = false;
    info_.notes.push_back("put on the floor: moved by " + decimals(-floor_.height, 3) + " m" +
                          (floor_.drop.empty() ? std::string()
                                               : ", and down by " + decimals(floor_.floats, 2) +
                                                     " m (median) where the soles float"));
  }

  const std::vector<std::string>& names() const noexcept override { return recording_->names(); }
  const RecordingInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return recording_->problem(); }
  GivenContacts contacts() const noexcept override { return recording_->contacts(); }
  void rewind() override {
    recording_->rewind();
    next_ = 0;
  }

  ReadStatus read(SegmentSample& sample) noexcept override {
    const ReadStatus status = recording_->read(sample);
    if (status != ReadStatus::Sample) return status;
    const double drop = next_ < floor_.drop.size() ? floor_.drop[next_] : 0.0;
    ++next_;
    for (SegmentMotion& segment : sample.segments) {
      segment.p_WS = turn_ * (segment.p_WS - Vector3d(0.0, 0.0, floor_.height)) - Vector3d(0.0, 0.0, drop);
      segment.R_WS = turn_ * segment.R_WS;
      segment.w_WS = turn_ * segment.w_WS;
      segment.v_WS = turn_ * segment.v_WS;
      if (!floor_.drop.empty()) segment.has_linear_velocity = false;
    }
    return status;
  }

 private:
  std::unique_ptr<Recording> recording_;
  RecordingInfo info_;
  FloorFit floor_;
  Matrix3d turn_;
  std::size_t next_ = 0;
};

}  // namespace

FloorFit find_floor(const std::vector<SoleFrame>& frames) {
  FloorFit floor;
  const std::vector<Vector3d> points = resting(frames);
  if (points.size() < kFewest) return floor;
  floor.found = true;
  Vector3d plane = fit_plane(points, extent(points) > kExtent);
  Vector3d up = Vector3d(-plane[1], -plane[2], 1.0).normalized();
  const double slope = angle_between(up, Vector3d::UnitZ());
  if (slope < kLeastSlope || slope > kMostSlope) {
    plane = fit_plane(lowest(points), false);
    up = Vector3d::UnitZ();
  }
  floor.height = plane[0];
  floor.up = up;
  find_drops(frames, floor);
  return floor;
}

std::vector<SoleFrame> read_soles(Recording& recording) {
  std::vector<SoleFrame> frames;
  if (!recording.info().untrackable.empty()) return frames;
  PersonReader reader(recording);
  const SubjectDimensions subject = recording.info().subject.value_or(scaled_subject(1.75));
  const auto pelvis = entry_of(reader.names(), Pelvis);
  std::vector<std::pair<std::size_t, FootSole>> soles;
  for (const bool right : {true, false})
    if (const auto foot = entry_of(reader.names(), right ? RightFoot : LeftFoot))
      soles.emplace_back(*foot, human_sole(subject, right));
  if (!pelvis || soles.empty()) return frames;
  SegmentSample sample;
  const Vector3d nowhere = Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  for (ReadStatus status{}; (status = reader.read(sample)) != ReadStatus::EndOfMotion;) {
    if (status == ReadStatus::Malformed) break;
    if (status != ReadStatus::Sample) continue;
    SoleFrame frame{sample.t, nowhere, sample.segments[*pelvis].p_WS.z()};
    for (const auto& [entry, sole] : soles) {
      const SegmentMotion& foot = sample.segments[entry];
      if (!foot.has_position || !foot.has_orientation) continue;
      for (const Vector3d& end : {sole.heel, sole.ball}) {
        const Vector3d p = foot.p_WS + foot.R_WS * end;
        if (!(p.z() >= frame.lowest.z())) frame.lowest = p;
      }
    }
    frames.push_back(frame);
  }
  recording.rewind();
  return frames;
}

std::string floor_note(const FloorFit& floor) {
  if (!floor.found) return {};
  if (!floor.drop.empty())
    return "the soles float " + decimals(floor.floats, 2) + " m over the floor (median) in " +
           decimals(100.0 * floor.floating_share, 0) + " % of the frames";
  const double slope = angle_between(floor.up, Vector3d::UnitZ());
  if (slope > kSaidSlope) return "the floor slopes by " + decimals(slope / kDegree, 1) + " deg";
  if (std::abs(floor.height) < kSaid) return {};
  return std::string("the soles stand ") + (floor.height > 0.0 ? "over" : "under") + " the floor z = 0, by " +
         decimals(std::abs(floor.height), 2) + " m";
}

std::string off_floor_note(Recording& recording) {
  const RecordingInfo& info = recording.info();
  if (!info.rig && info.attachments.source != "keypoints") return {};
  const std::string note = floor_note(find_floor(read_soles(recording)));
  return note.empty() ? note : note + "; turn on ground to correct it";
}

std::unique_ptr<Recording> grounded(std::unique_ptr<Recording> recording) {
  FloorFit floor = find_floor(read_soles(*recording));
  if (!floor.found) return recording;
  return std::make_unique<GroundedRecording>(std::move(recording), std::move(floor));
}

}  // namespace panto
