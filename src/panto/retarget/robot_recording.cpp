#include "panto/retarget/robot_recording.hpp"

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"

namespace panto {

namespace {

using enum HumanSegment::Index;

// Removes attachments whose segment the recording lacks, and adds a note.
AttachmentMap attached(const AttachmentMap& map, const std::vector<std::string>& names,
                       std::vector<std::string>& notes) {
  AttachmentMap found{map.source, {}};
  std::string missing;
  for (const Attachment& a : map.attachments) {
    if (std::find(names.begin(), names.end(), a.segment) != names.end()) {
      found.attachments.push_back(a);
    } else {
      missing += (missing.empty() ? "" : ", ") + a.segment + " (link '" + a.link + "')";
    }
  }
  if (!missing.empty())
    notes.push_back(
        "the recording lacks these segments, so the robot links that follow them are left free: " + missing);
  return found;
}

}  // namespace

RobotRecording::RobotRecording(Recording& person, const Model& robot, const robot::Map& map,
                               const SubjectDimensions& subject, const robot::SkeletonOptions& options,
                               FootPlan feet)
    : recording_(&person),
      reader_(person),
      info_(person.info()),
      skeleton_(robot, map, subject, reader_.names(), options),
      at_rest_(skeleton_),
      feet_(std::move(feet)),
      base_entry_(skeleton_.base_entry()) {
  for (const int side : feet_.sides) {
    feet_entries_.push_back(entry_of(reader_.names(), side == 0 ? RightFoot : LeftFoot).value());
  }
  carried_ = skeleton_.carried();
  notes_taken_ = info_.notes.size();
  info_.attachments = attached(map.attachments, reader_.names(), info_.notes);
  info_.has_linear_velocity = false;
}

ReadStatus RobotRecording::read(SegmentSample& sample) noexcept {
  const ReadStatus status = reader_.read(person_);
  if (status == ReadStatus::Sample) {
    skeleton_.pose(person_, sample);
    if (in_world_ && carried_) carry(skeleton_.base(), sample);
    if (frame_ >= 0 && person_.t <= last_) return status;  // will not be solved
    ++frame_;
    last_ = person_.t;
    plant(sample);
    return status;
  }
  const std::vector<std::string>& notes = recording_->info().notes;
  for (; notes_taken_ < notes.size(); ++notes_taken_) info_.notes.push_back(notes[notes_taken_]);
  return status;
}

void RobotRecording::rewind() {
  recording_->rewind();
  skeleton_ = at_rest_;
  frame_ = -1;
  last_ = 0;
}

// Replaces feet and base by the planned poses.
void RobotRecording::plant(SegmentSample& sample) const noexcept {
  const auto k = static_cast<std::size_t>(frame_);
  for (std::size_t i = 0; i < feet_entries_.size(); ++i) {
    const FootTargets& plan = feet_.planted.feet[i];
    SegmentMotion& foot = sample.segments[feet_entries_[i]];
    if (k >= plan.p_WF.size() || !foot.has_position) continue;
    foot.p_WS = plan.p_WF[k];
    foot.R_WS = plan.R_WF[k] * skeleton_.offset(feet_.sides[i] == 0 ? RightFoot : LeftFoot).transpose();
    // pose differences lead exactly from one planned pose to the next; instantaneous rates do not
    foot.has_linear_velocity = foot.has_angular_velocity = false;
  }
  if (feet_entries_.empty() || k >= feet_.base_shift.size()) return;
  sample.segments[base_entry_].p_WS += feet_.base_shift[k];
}

void carry(const robot::Skeleton::BasePose& base, SegmentSample& sample) noexcept {
  for (SegmentMotion& segment : sample.segments) {
    segment.R_WS = base.R_WB * segment.R_WS;
    segment.p_WS = base.R_WB * segment.p_WS + base.p_WB;
    segment.has_angular_velocity = segment.has_linear_velocity = false;
  }
}

void carry(const robot::Skeleton::BasePose& base, State& state) noexcept {
  state.R_WB = base.R_WB;
  state.p_WB = base.p_WB;
}

}  // namespace panto
