// Keypoints as a source of body segments.

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/ik/keypoints.hpp"
#include "panto/io/motion_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human_segments.hpp"

namespace panto::io {
namespace {

// MVN's attachments of the segments that are measured.
AttachmentMap measured_attachments(const KeypointBody& body) {
  AttachmentMap map = mvn_attachments();
  map.source = "keypoints";
  std::erase_if(map.attachments,
                [&](const Attachment& a) { return !body.measured(find_human_segment(a.segment)); });
  return map;
}

class BodyFile final : public MotionFile {
 public:
  BodyFile(KeypointClip clip, std::string format, const MotionFileOptions& options)
      : body_(std::move(clip), options.rig) {
    info_.path = body_.clip().name;
    info_.format = std::move(format) + " (" + body_.family() + ")";
    info_.rate_hz = body_.clip().rate_hz;
    info_.frames = body_.clip().frames();
    info_.subject = body_.subject();
    info_.attachments = measured_attachments(body_);
    info_.notes = body_.clip().notes;
    info_.notes.insert(info_.notes.end(), body_.notes().begin(), body_.notes().end());
  }

  const std::vector<std::string>& names() const noexcept override { return human_segment_names(); }
  const MotionFileInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= body_.clip().frames()) return ReadStatus::EndOfMotion;
    sample.t = body_.clip().times[at(next_)];
    body_.segments(next_, sample.segments);
    ++next_;
    return ReadStatus::Sample;
  }

 private:
  KeypointBody body_;
  MotionFileInfo info_;
  std::string problem_;
  int next_ = 0;
};

// Points that are no known body: read as they are, for looking at and converting.
class PointFile final : public MotionFile {
 public:
  PointFile(KeypointClip clip, std::string format, std::string reason) : clip_(std::move(clip)) {
    info_.path = clip_.name;
    info_.format = std::move(format);
    info_.rate_hz = clip_.rate_hz;
    info_.frames = clip_.frames();
    info_.notes = clip_.notes;
    info_.untrackable = std::move(reason);
    // y is up in marker files; anything else stays as it is
    if (clip_.x_forward && clip_.up.empty()) R_WF_ << 1, 0, 0, 0, 0, -1, 0, 1, 0;
    if (clip_.unit > 0.0) {
      unit_ = clip_.unit;
    } else {
      info_.notes.emplace_back("the unit of length is not known; lengths are the file's");
    }
  }

  const std::vector<std::string>& names() const noexcept override { return clip_.names; }
  const MotionFileInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }

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
  MotionFileInfo info_;
  std::string problem_;
  Eigen::Matrix3d R_WF_ = Eigen::Matrix3d::Identity();
  double unit_ = 1.0;
  int next_ = 0;
};

}  // namespace

std::unique_ptr<MotionFile> open_keypoints(KeypointClip clip, std::string format,
                                           const MotionFileOptions& options) {
  std::string reason;
  try {
    return std::make_unique<BodyFile>(clip, format, options);
  } catch (const FormatError& error) {
    reason = error.what();
  }
  return std::make_unique<PointFile>(std::move(clip), std::move(format), std::move(reason));
}

}  // namespace panto::io
