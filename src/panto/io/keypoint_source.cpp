// Keypoints as a source of body segments.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/keypoints/clean_points.hpp"
#include "panto/keypoints/hip_centred.hpp"
#include "panto/keypoints/keypoints.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"

namespace panto::io {
namespace {

constexpr double kFarthest = 1e6;  // [m] from the origin; no recording reaches that far

// Marks impossible positions as not visible: beyond 1000 km, or zero in all coordinates if that is rare for
// the point or several points share it. Many programs write zeros for a lost point.
void drop_impossible(KeypointClip& clip) {
  const int frames = clip.frames(), points = clip.points();
  const auto is_zero = [&](int frame, int point) { return clip.position(frame, point).isZero(0.0); };
  std::vector<int> zeros_of_point(clip.names.size());
  for (int k = 0; k < frames; ++k) {
    for (int j = 0; j < points; ++j) zeros_of_point[at(j)] += is_zero(k, j) ? 1 : 0;
  }
  const double limit = kFarthest / (clip.unit > 0.0 ? clip.unit : 1e-3);
  std::int64_t zeros = 0, far = 0;
  std::string first_far;
  for (int k = 0; k < frames; ++k) {
    int zeros_now = 0;
    for (int j = 0; j < points; ++j) zeros_now += is_zero(k, j) ? 1 : 0;
    for (int j = 0; j < points; ++j) {
      const bool lost = is_zero(k, j) && (zeros_now > 1 || zeros_of_point[at(j)] < frames);
      const bool is_far = clip.position(k, j).cwiseAbs().maxCoeff() > limit;
      if (is_far && far++ == 0)
        first_far = "first of " + in_quotes(clip.names[at(j)]) + " in frame " + std::to_string(k + 1);
      zeros += lost ? 1 : 0;
      if (!lost && !is_far) continue;
      const std::size_t row = 3 * (at(k) * clip.names.size() + at(j));
      std::fill_n(clip.positions.begin() + static_cast<std::ptrdiff_t>(row), 3,
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
  if (far > 0)
    clip.notes.push_back(counted(far, "position") + " beyond 1000 km (" + first_far +
                         ") taken as not visible");
  if (zeros > 0)
    clip.notes.push_back(counted(zeros, "position") + " of zero in all coordinates taken as not visible");
}

// MVN's attachments of the measured segments.
AttachmentMap measured_attachments(const keypoints::KeypointBody& body) {
  AttachmentMap map = mvn_attachments();
  map.source = "keypoints";
  std::erase_if(map.attachments,
                [&](const Attachment& a) { return !body.measured(find_human_segment(a.segment)); });
  return map;
}

class BodyFile final : public Recording {
 public:
  BodyFile(KeypointClip clip, std::string format) : body_(std::move(clip)) {
    info_.path = body_.clip().name;
    info_.format = std::move(format) + " (" + body_.family() + ")";
    info_.rate_hz = body_.clip().rate_hz;
    info_.frames = body_.clip().frames();
    info_.subject = body_.subject();
    info_.up = rig::to_string(body_.up());
    info_.attachments = measured_attachments(body_);
    info_.notes = body_.clip().notes;
    info_.incomplete = body_.clip().incomplete;
    info_.notes.insert(info_.notes.end(), body_.notes().begin(), body_.notes().end());
  }

  const std::vector<std::string>& names() const noexcept override { return human_segment_names(); }
  const RecordingInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }
  void rewind() override {
    next_ = 0;
    problem_.clear();
  }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= body_.clip().frames()) return ReadStatus::EndOfMotion;
    sample.t = body_.clip().times[at(next_)];
    body_.segments(next_, sample.segments);
    ++next_;
    return ReadStatus::Sample;
  }

 private:
  keypoints::KeypointBody body_;
  RecordingInfo info_;
  std::string problem_;
  int next_ = 0;
};

// Points without a known body: read unchanged, for inspection and conversion.
class PointFile final : public Recording {
 public:
  PointFile(KeypointClip clip, std::string format, std::string reason) : clip_(std::move(clip)) {
    info_.path = clip_.name;
    info_.format = std::move(format);
    info_.rate_hz = clip_.rate_hz;
    info_.frames = clip_.frames();
    info_.notes = clip_.notes;
    info_.incomplete = clip_.incomplete;
    info_.untrackable = std::move(reason);
    // y is up in marker files
    if (!clip_.up.empty() || clip_.x_forward) {
      R_WF_ = keypoints::world_axes(clip_, rig::parse_file_axis(clip_.up.empty() ? "y" : clip_.up));
    } else {
      info_.notes.emplace_back("the up axis is unknown; the axes are those of the file");
    }
    if (clip_.unit > 0.0) {
      unit_ = clip_.unit;
    } else {
      info_.notes.emplace_back("the unit of length is unknown; lengths are those of the file");
    }
  }

  const std::vector<std::string>& names() const noexcept override { return clip_.names; }
  const RecordingInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }
  void rewind() override {
    next_ = 0;
    problem_.clear();
  }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= clip_.frames()) return ReadStatus::EndOfMotion;
    sample.t = clip_.times[at(next_)];
    sample.segments.assign(clip_.names.size(), {});
    for (int j = 0; j < clip_.points(); ++j) {
      SegmentMotion& segment = sample.segments[at(j)];
      const Eigen::Vector3d p = unit_ * (R_WF_ * clip_.position(next_, j));
      const Eigen::Vector4d q = clip_.orientation(next_, j);
      if (p.allFinite()) {
        segment.p_WS = p;
        segment.has_position = true;
      }
      if (q.allFinite() && q.norm() > 0.5) {
        segment.R_WS = R_WF_ * so3::from_quaternion_wxyz(q) * R_WF_.transpose();
        segment.has_orientation = true;
      }
    }
    ++next_;
    return ReadStatus::Sample;
  }

 private:
  KeypointClip clip_;
  RecordingInfo info_;
  std::string problem_;
  Eigen::Matrix3d R_WF_ = Eigen::Matrix3d::Identity();
  double unit_ = 1.0;
  int next_ = 0;
};

}  // namespace

bool is_file_axis(std::string_view text) {
  try {
    (void)rig::parse_file_axis(std::string(text));
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

// Of the hints, points need only how to clean them.
std::unique_ptr<Recording> open_keypoints(KeypointClip clip, std::string format,
                                          const RecordingHints& hints) {
  drop_impossible(clip);
  std::string reason;
  try {
    keypoints::check_depth(clip);
    KeypointClip cleaned = clip;
    const keypoints::CleanReport report = keypoints::clean_points(cleaned, hints.clean);
    // a filter would give noise the bones of a person, so that is judged as measured
    if (!report.filtered.empty() || report.bridged > 0) (void)keypoints::KeypointBody(clip);
    cleaned.notes.insert(cleaned.notes.end(), report.notes.begin(), report.notes.end());
    if (keypoints::is_hip_centred(clip))
      if (std::string note = keypoints::give_path(cleaned); !note.empty())
        cleaned.notes.push_back(std::move(note));
    return std::make_unique<BodyFile>(std::move(cleaned), format);
  } catch (const FormatError& error) {
    reason = error.what();
  }
  return std::make_unique<PointFile>(std::move(clip), std::move(format), std::move(reason));
}

}  // namespace panto::io
