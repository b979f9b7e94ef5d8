// Reads keypoint arrays from NumPy archives (.npz).

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/landmarks.hpp"
#include "panto/io/npy_array.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/keypoints/point_sets.hpp"

namespace panto::io {
namespace {

constexpr double kQuaternionNorm = 1e-2;  // tolerance for files
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Known names of members; the first one present is used.
constexpr std::array<std::string_view, 9> kPositions{
    "keypoints", "positions", "joints", "joint_positions", "points", "kp3d", "keypoints3d", "markers", "xyz"};
constexpr std::array<std::string_view, 6> kNames{"names",        "joint_names", "keypoint_names",
                                                 "marker_names", "labels",      "point_names"};
constexpr std::array<std::string_view, 5> kRates{"fps", "rate", "rate_hz", "frame_rate", "framerate"};
constexpr std::array<std::string_view, 4> kTimes{"times", "time", "t", "timestamps"};

class NpzReader {
 public:
  NpzReader(std::string_view bytes, const std::string& name) : name_(name) {
    if (bytes.starts_with(kNpyMagic)) {
      only_ = read_npy(std::string(bytes), name);
    } else {
      archive_.emplace(bytes, name);
    }
  }

  KeypointClip read() {
    clip_.name = name_;
    const NpyArray positions = only_ ? std::move(*only_) : find_positions();
    if (!is_points(positions)) refuse_shape(positions);
    read_positions(positions, read_names(positions));
    read_orientations();
    read_up();
    read_unit();
    read_times();
    return std::move(clip_);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const {
    return archive_ ? archive_->find(key) : std::nullopt;
  }
  template <typename Keys>
  [[nodiscard]] std::optional<std::size_t> find_first(const Keys& keys) const {
    return archive_ ? archive_->find_first(keys) : std::nullopt;
  }
  [[nodiscard]] NpyArray array(std::size_t member) const { return archive_->array(member); }

  [[nodiscard]] static bool is_points(const NpyArray& a) {
    return a.is_number() && a.shape.size() == 3 && (a.shape[2] == 3 || a.shape[2] == 4);
  }

  [[noreturn]] static void refuse_shape(const NpyArray& a) {
    if (a.is_number() && a.shape.size() == 3 && a.shape[2] == 2)
      throw FormatError(a.where + ": the points have no depth: they are of an image (2D). " +
                        flat_points_advice());
    throw FormatError(a.where + ": must be numbers of shape (frames, points, 3)");
  }

  NpyArray find_positions() {
    if (const auto member = find_first(kPositions)) return array(*member);
    // another array of the right shape, if there is only one
    std::optional<NpyArray> only;
    std::string others;
    for (std::size_t i = 0; i < archive_->members().size(); ++i) {
      others += (i == 0 ? "" : ", ") + archive_->members()[i];
      if (!archive_->members()[i].ends_with(".npy")) continue;
      NpyArray candidate;
      try {
        candidate = array(i);
      } catch (const FormatError&) {
        continue;  // not a candidate
      }
      if (!is_points(candidate) || candidate.shape[2] != 3) continue;
      if (only)
        throw FormatError(
            name_ + ": two arrays of shape (frames, points, 3): " + only->where.substr(name_.size() + 2) +
            " and " + in_quotes(archive_->members()[i]) + "; rename the right one to 'keypoints'");
      only = std::move(candidate);
    }
    if (!only)
      throw FormatError(name_ +
                        ": no array of shape (frames, points, 3); looked for keypoints, positions, joints, "
                        "points among " +
                        (others.empty() ? "nothing" : in_quotes(others)));
    clip_.notes.push_back("the positions are the array " + only->where.substr(name_.size() + 2) +
                          ", the only one of shape (frames, points, 3)");
    return std::move(*only);
  }

  [[nodiscard]] std::vector<std::string> read_names(const NpyArray& positions) const {
    const std::size_t points = positions.shape[1];
    std::vector<std::string> result;
    const auto member = find_first(kNames);
    if (!member) {
      if (keypoints::is_point_count(points)) return result;
      throw FormatError(name_ + ": the " + std::to_string(points) +
                        " points have no names; add an array 'names' of that many strings");
    }
    const NpyArray names = array(*member);
    if (!names.is_text() || names.shape.size() != 1 || names.count != points) {
      throw FormatError(names.where + ": must be " + counted(static_cast<std::int64_t>(points), "name") +
                        " in one dimension (an array of strings, not of objects)");
    }
    for (std::size_t j = 0; j < points; ++j) result.push_back(names.text(j));
    return result;
  }

  void read_positions(const NpyArray& a, std::vector<std::string> names) {
    const std::size_t frames = a.shape[0], points = a.shape[1], width = a.shape[2];
    if (frames == 0 || points == 0) throw FormatError(a.where + ": has no frames");
    if (width == 3 && !names.empty()) {
      clip_.names = std::move(names);
      clip_.positions.reserve(a.count);
      for (std::size_t i = 0; i < frames * points; ++i) {
        std::array<double, 3> p{a.number(3 * i), a.number(3 * i + 1), a.number(3 * i + 2)};
        if (!(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]))) p.fill(kNone);
        clip_.positions.insert(clip_.positions.end(), p.begin(), p.end());
      }
    } else {
      read_landmarks(a, std::move(names));
    }
    clip_.times.resize(frames);
  }

  // a detector's points: without names, or with a confidence as the fourth number
  void read_landmarks(const NpyArray& a, std::vector<std::string> names) {
    const std::size_t points = a.shape[1], width = a.shape[2];
    LandmarkRows rows;
    rows.name = a.where;
    rows.names = std::move(names);
    rows.points = points;
    rows.values.assign(4 * a.shape[0] * points, kNone);
    for (std::size_t i = 0; i < a.shape[0] * points; ++i) {
      for (std::size_t axis = 0; axis < width; ++axis) rows.values[4 * i + axis] = a.number(width * i + axis);
    }
    rows.notes = std::move(clip_.notes);
    if (width == 4) rows.notes.emplace_back("the fourth number of a point is taken as its confidence");
    clip_ = unstamped_landmarks(std::move(rows));
    clip_.name = name_;
  }

  void read_orientations() {
    const auto member = find("orientations");
    if (!member) return;
    const NpyArray a = array(*member);
    const std::vector<std::size_t> expected{clip_.times.size(), clip_.names.size(), 4};
    if (!a.is_number() || a.shape != expected)
      throw FormatError(a.where + ": must be quaternions (w, x, y, z) of shape (frames, points, 4)");
    clip_.orientations.resize(a.count, kNone);
    for (std::size_t i = 0; i < a.count / 4; ++i) {
      std::array<double, 4> q{};
      double squared = 0.0;
      for (std::size_t k = 0; k < 4; ++k) {
        q[k] = a.number(4 * i + k);
        squared += q[k] * q[k];
      }
      // NaN: none
      if (!std::isfinite(squared)) continue;
      if (!(std::abs(std::sqrt(squared) - 1.0) <= kQuaternionNorm)) {
        throw FormatError(a.where + ": frame " + std::to_string(i / clip_.names.size()) + ", point " +
                          in_quotes(clip_.names[i % clip_.names.size()]) + ": not a unit quaternion");
      }
      std::copy(q.begin(), q.end(), clip_.orientations.begin() + static_cast<std::ptrdiff_t>(4 * i));
    }
  }

  void read_up() {
    const auto member = find("up");
    if (!member) return;
    const NpyArray a = array(*member);
    clip_.up = a.is_text() && a.count == 1 ? a.text(0) : "";
    if (!is_file_axis(clip_.up))
      throw FormatError(a.where + ": must be one of 'x', 'y', 'z', '-x', '-y', '-z'");
  }

  void read_unit() {
    const auto member = find("unit");
    if (!member) return;
    const NpyArray a = array(*member);
    const std::string unit = a.is_text() && a.count == 1 ? a.text(0) : "";
    clip_.unit = unit == "m" ? 1.0 : unit == "cm" ? 1e-2 : unit == "mm" ? 1e-3 : 0.0;
    if (clip_.unit == 0.0) throw FormatError(a.where + ": must be 'm', 'cm' or 'mm'");
  }

  void read_times() {
    const std::size_t frames = clip_.times.size();
    if (const auto member = find_first(kRates)) {
      const NpyArray rate = array(*member);
      const double hz = rate.is_number() && rate.count == 1 ? rate.number(0) : kNone;
      if (!is_rate(hz))
        throw FormatError(rate.where + ": must be one number of frames per second between 0.001 and 10000" +
                          (rate.is_number() && rate.count == 1 ? ", not " + digits(hz, 6) : ""));
      clip_.rate_hz = hz;
    }
    if (const auto member = find_first(kTimes)) {
      const NpyArray times = array(*member);
      if (!times.is_number() || times.count != frames)
        throw FormatError(times.where + ": must be " + counted(static_cast<std::int64_t>(frames), "time") +
                          " in seconds");
      for (std::size_t k = 0; k < frames; ++k) {
        const double seconds = times.number(k);
        const std::string refusal =
            !(std::abs(seconds) < 9e9)
                ? "the time is not a number in range"
                : refusal_of_stamp(from_seconds(seconds),
                                   k > 0 ? std::optional(clip_.times[k - 1]) : std::nullopt);
        if (!refusal.empty())
          throw FormatError(times.where + ": frame " + std::to_string(k) + ": " + refusal);
        clip_.times[k] = from_seconds(seconds);
      }
      clip_.rate_hz = settle_rate(clip_.times, clip_.rate_hz, clip_.notes);
      return;
    }
    if (clip_.rate_hz == 0.0) {
      clip_.rate_hz = 30.0;
      clip_.notes.emplace_back(
          "the file has neither a rate ('fps') nor times; 30 frames per second are assumed");
    }
    for (std::size_t k = 0; k < frames; ++k)
      clip_.times[k] = frame_time(static_cast<std::int64_t>(k), clip_.rate_hz);
  }

  std::string name_;
  std::optional<NpzArchive> archive_;
  std::optional<NpyArray> only_;  // of a .npy file
  KeypointClip clip_;
};

}  // namespace

KeypointClip read_npz(const std::string& path) {
  return read_npz(read_text_file(path, kLargestNpzFile), path);
}

KeypointClip read_npz(std::string_view bytes, const std::string& name) {
  return NpzReader(bytes, name).read();
}

}  // namespace panto::io
