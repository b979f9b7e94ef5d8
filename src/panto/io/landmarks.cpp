#include "panto/io/landmarks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/keypoints/landmarks.hpp"
#include "panto/keypoints/point_geometry.hpp"
#include "panto/keypoints/point_sets.hpp"

namespace panto::io {
namespace {

constexpr double kNoBody = 0.6;  // mean misfit of limbs: bodies have 0.1, wrong orders 0.3
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kVideoRate = 30.0;
constexpr double kPixels = 10.0;   // points that spread wider than this are in no metres
constexpr double kUnsure = 1.5;    // some detectors' scores pass 1
constexpr double kInImage = 0.95;  // share of points with 0 < x, y < 1, that an image has
constexpr double kAtHips = 0.05;   // of the body's size: where depth is counted from

using keypoints::median;

class Maker {
 public:
  explicit Maker(LandmarkRows rows) : rows_(std::move(rows)) {
    count_ = rows_.points > 0 ? rows_.values.size() / (4 * rows_.points) : 0;
    clip_.name = rows_.name;
    clip_.notes = std::move(rows_.notes);
    clip_.incomplete = rows_.incomplete;
  }

  KeypointClip make(bool stamped) {
    if (count_ == 0) throw FormatError(rows_.name + ": no frame has landmarks");
    refuse_flat();
    name_points();
    refuse_image();
    if (stamped) set_times();
    return std::move(clip_);
  }

 private:
  [[nodiscard]] double value(std::size_t frame, std::size_t point, std::size_t component) const {
    return rows_.values[4 * (frame * rows_.points + point) + component];
  }

  // how far x and y of a frame's points spread, in the middle of the clip
  [[nodiscard]] double spread() const {
    std::vector<double> all;
    for (std::size_t k = 0; k < count_; ++k) {
      double most = kNone;
      for (const std::size_t axis : {0U, 1U}) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t j = 0; j < rows_.points; ++j) {
          const double v = value(k, j, axis);
          if (!std::isfinite(v)) continue;
          low = std::min(low, v);
          high = std::max(high, v);
        }
        if (high > low) most = std::fmax(most, high - low);
      }
      all.push_back(most);
    }
    return median(std::move(all));
  }

  void refuse_flat() const {
    bool depth = false, score = true;
    std::optional<double> first;
    for (std::size_t i = 0; i < count_ * rows_.points; ++i) {
      const double z = rows_.values[4 * i + 2];
      if (!std::isfinite(z)) continue;
      if (!first) first = z;
      depth = depth || z != *first;
      score = score && z >= 0.0 && z <= kUnsure;
    }
    if (!depth)
      throw FormatError(rows_.name + ": the points have no depth: they are of an image (2D). " +
                        flat_points_advice());
    if (score && spread() > kPixels)
      throw FormatError(rows_.name +
                        ": the third number of the points is a score, not a depth: they are pixels "
                        "of an image (2D). " +
                        flat_points_advice());
  }

  void name_points() {
    std::vector<double> positions(3 * count_ * rows_.points);
    for (std::size_t i = 0; i < count_ * rows_.points; ++i)
      std::copy_n(rows_.values.begin() + static_cast<std::ptrdiff_t>(4 * i), 3,
                  positions.begin() + static_cast<std::ptrdiff_t>(3 * i));
    if (rows_.names.empty()) {
      std::string problem;
      const keypoints::PointSet* set = keypoints::find_point_set(rows_.points, positions, problem);
      if (set == nullptr)
        throw FormatError(rows_.name + ": " + problem + "; give them names (in an .npz as 'names')");
      rows_.names = keypoints::names_of(*set);
      clip_.notes.push_back("the " + std::to_string(rows_.points) +
                            " points without names are taken as those of " + std::string(set->name));
    }
    if (rows_.names.size() != rows_.points)
      throw FormatError(rows_.name + ": " + counted(std::ssize(rows_.names), "name") + " for " +
                        counted(static_cast<std::int64_t>(rows_.points), "point"));
    if (const double off = keypoints::limb_misfit(rows_.names, positions);
        std::isfinite(off) && off > kNoBody)
      throw FormatError(rows_.name + ": the limbs between its points change length as no body's do; if its " +
                        "numbers are joint angles, they cannot be read as points");
    take_points();
  }

  // points without a name belong to faces and fingers
  void take_points() {
    std::vector<std::size_t> taken;
    for (std::size_t j = 0; j < rows_.points; ++j) {
      if (rows_.names[j].empty()) continue;
      taken.push_back(j);
      clip_.names.push_back(rows_.names[j]);
    }
    const double least = least_confidence();
    std::int64_t unsure = 0;
    clip_.positions.reserve(3 * count_ * taken.size());
    for (std::size_t k = 0; k < count_; ++k) {
      for (const std::size_t j : taken) {
        std::array<double, 3> p{value(k, j, 0), value(k, j, 1), value(k, j, 2)};
        const bool low = value(k, j, 3) < least;
        unsure += low ? 1 : 0;
        if (low || !std::isfinite(p[0] + p[1] + p[2])) p.fill(kNone);
        clip_.positions.insert(clip_.positions.end(), p.begin(), p.end());
      }
    }
    if (unsure > 0)
      clip_.notes.push_back(counted(unsure, "position") + " of a confidence below " + digits(least, 2) +
                            " taken as not visible");
  }

  // the least confidence of a point that is seen, if the fourth numbers are confidences
  [[nodiscard]] double least_confidence() const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < count_ * rows_.points; ++i) {
      const double c = rows_.values[4 * i + 3];
      if (!std::isfinite(c)) continue;
      low = std::min(low, c);
      high = std::max(high, c);
    }
    // other measures of trust: what is not above 0 is not seen
    if (low < 0.0 || high > kUnsure) return std::numeric_limits<double>::min();
    return keypoints::least_confidence(keypoints::read_landmark_names(clip_.names).family);
  }

  // MediaPipe gives every pose twice: in metres around the hips, and in the image, with a depth from the hips
  void refuse_image() const {
    const auto names = keypoints::read_landmark_names(clip_.names);
    if (names.family != "mediapipe") return;
    using keypoints::Landmark;
    std::array<std::ptrdiff_t, 2> hip{};
    for (const int side : {0, 1}) {
      const auto found =
          std::find(names.landmark.begin(), names.landmark.end(), keypoints::sided(Landmark::HipJoint, side));
      if (found == names.landmark.end()) return;
      hip[at(side)] = found - names.landmark.begin();
    }
    std::vector<double> depth, place;
    std::int64_t inside = 0, seen = 0;
    for (int k = 0; k < static_cast<int>(count_); ++k) {
      const Eigen::Vector3d middle =
          0.5 * (clip_.position(k, static_cast<int>(hip[0])) + clip_.position(k, static_cast<int>(hip[1])));
      depth.push_back(std::abs(middle.z()));
      place.push_back(middle.head<2>().norm());
      for (int j = 0; j < clip_.points(); ++j) {
        const auto p = clip_.position(k, j);
        seen += p.allFinite() ? 1 : 0;
        inside += p.x() > -0.5 && p.x() < 1.5 && p.y() > -0.5 && p.y() < 1.5 ? 1 : 0;
      }
    }
    const double size = spread();
    if (!(median(depth) < kAtHips * size && median(place) > kAtHips * size)) return;
    const bool share = static_cast<double>(inside) > kInImage * static_cast<double>(seen);
    if (share || size > kPixels)
      throw FormatError(
          rows_.name + ": the points are places in an image (" +
          (share ? "x and y between 0 and 1" : "pixels") +
          "), whose lengths change with the distance; save MediaPipe's pose_world_landmarks instead "
          "of pose_landmarks");
  }

  void set_times() {
    clip_.rate_hz = rows_.rate_hz;
    std::vector<double> seconds = std::move(rows_.seconds);
    if (seconds.empty()) {
      if (!(clip_.rate_hz > 1e-3 && clip_.rate_hz < 1e6)) {
        clip_.rate_hz = kVideoRate;
        clip_.notes.push_back(
            "the file has neither a rate ('fps') nor times; 30 frames per second are assumed");
      }
      const double first = rows_.frames.empty() ? 0.0 : rows_.frames.front();
      for (std::size_t k = 0; k < count_; ++k)
        seconds.push_back((rows_.frames.empty() ? static_cast<double>(k) : rows_.frames[k] - first) /
                          clip_.rate_hz);
    }
    for (std::size_t k = 0; k < count_; ++k) {
      const auto before = k > 0 ? std::optional(clip_.times.back()) : std::nullopt;
      std::string refusal = "the time is not a number in range";
      if (std::abs(seconds[k]) < 4e9) refusal = refusal_of_stamp(from_seconds(seconds[k]), before);
      if (!refusal.empty()) throw FormatError(rows_.name + ": frame " + std::to_string(k) + ": " + refusal);
      clip_.times.push_back(from_seconds(seconds[k]));
    }
    clip_.rate_hz = settle_rate(clip_.times, clip_.rate_hz, clip_.notes);
  }

  LandmarkRows rows_;
  KeypointClip clip_;
  std::size_t count_ = 0;
};

}  // namespace

const std::string& flat_points_advice() {
  static const std::string advice =
      "Panto needs points in space: MediaPipe's pose_world_landmarks, points of several cameras (Pose2Sim, "
      "OpenCap), or points lifted to 3D (MotionBERT)";
  return advice;
}

KeypointClip landmark_clip(LandmarkRows rows) { return Maker(std::move(rows)).make(true); }

KeypointClip unstamped_landmarks(LandmarkRows rows) { return Maker(std::move(rows)).make(false); }

}  // namespace panto::io
