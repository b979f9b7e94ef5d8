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
#include "panto/io/npy_array.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

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
  NpzReader(std::string_view bytes, const std::string& name) : name_(name), archive_(bytes, name) {}

  KeypointClip read() {
    clip_.name = name_;
    const NpyArray positions = find_positions();
    read_names(positions);
    read_positions(positions);
    read_orientations();
    read_up();
    read_unit();
    read_times();
    return std::move(clip_);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const { return archive_.find(key); }
  template <typename Keys>
  [[nodiscard]] std::optional<std::size_t> find_first(const Keys& keys) const {
    return archive_.find_first(keys);
  }
  [[nodiscard]] NpyArray array(std::size_t member) const { return archive_.array(member); }

  [[nodiscard]] static bool is_points(const NpyArray& a) {
    return a.is_number() && a.shape.size() == 3 && (a.shape[2] == 3 || a.shape[2] == 4);
  }

  NpyArray find_positions() {
    if (const auto member = find_first(kPositions)) {
      NpyArray found = array(*member);
      if (is_points(found)) return found;
      throw FormatError(found.where + ": must be numbers of shape (frames, points, 3)");
    }
    // another array of the right shape, if there is only one
    std::optional<NpyArray> only;
    std::string others;
    for (std::size_t i = 0; i < archive_.members().size(); ++i) {
      others += (i == 0 ? "" : ", ") + archive_.members()[i];
      if (!archive_.members()[i].ends_with(".npy")) continue;
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
            " and " + in_quotes(archive_.members()[i]) + "; rename the right one to 'keypoints'");
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

  void read_names(const NpyArray& positions) {
    const std::size_t points = positions.shape[1];
    const auto member = find_first(kNames);
    if (member) {
      const NpyArray names = array(*member);
      if (!names.is_text() || names.shape.size() != 1 || names.count != points) {
        throw FormatError(names.where + ": must be " + std::to_string(points) +
                          " names in one dimension (an array of strings, not of objects)");
      }
      for (std::size_t j = 0; j < points; ++j) clip_.names.push_back(names.text(j));
      return;
    }
    throw FormatError(name_ + ": the " + std::to_string(points) +
                      " points have no names; add an array 'names' of that many strings");
  }

  void read_positions(const NpyArray& a) {
    const std::size_t frames = a.shape[0], points = a.shape[1], width = a.shape[2];
    if (frames == 0 || points == 0) throw FormatError(a.where + ": has no frames");
    clip_.positions.reserve(frames * points * 3);
    std::size_t unsure = 0;
    for (std::size_t i = 0; i < frames * points; ++i) {
      std::array<double, 3> p{};
      for (std::size_t axis = 0; axis < 3; ++axis) p[axis] = a.number(width * i + axis);
      // a fourth number is a detector's confidence; 0 means not visible
      const bool unseen = width == 4 && !(a.number(width * i + 3) > 0.0);
      unsure += unseen ? 1 : 0;
      const bool finite = std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
      if (!finite || unseen) p.fill(kNone);
      clip_.positions.insert(clip_.positions.end(), p.begin(), p.end());
    }
    clip_.times.resize(frames);
    if (width == 4)
      clip_.notes.push_back("the fourth number of a point is taken as its confidence; " +
                            std::to_string(unsure) + " with 0 count as not visible");
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
      if (!(hz > 1e-3 && hz < 1e6))
        throw FormatError(rate.where + ": must be one number of frames per second between 0.001 and 1e6" +
                          (rate.is_number() && rate.count == 1 ? ", not " + digits(hz, 6) : ""));
      clip_.rate_hz = hz;
    }
    if (const auto member = find_first(kTimes)) {
      const NpyArray times = array(*member);
      if (!times.is_number() || times.count != frames)
        throw FormatError(times.where + ": must be " + std::to_string(frames) + " times in seconds");
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
  NpzArchive archive_;
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
