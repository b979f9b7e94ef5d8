#include "panto/api/convert.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/failure.hpp"
#include "panto/base/text.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/recording/trackable.hpp"

namespace panto {
namespace {

// The segments that a body follows, in Panto's frames and names; all segments where it follows none.
class Segments {
 public:
  explicit Segments(const Recording& file) {
    for (const Attachment& a : file.info().attachments.attachments) {
      const auto found = std::find(file.names().begin(), file.names().end(), a.segment);
      if (found == file.names().end()) continue;
      index_.push_back(static_cast<std::size_t>(found - file.names().begin()));
      R_SF_.push_back(a.R_SF);
      names.push_back(a.link);
    }
    if (!names.empty()) return;
    names = file.names();
    for (std::size_t i = 0; i < names.size(); ++i) index_.push_back(i);
    R_SF_.assign(names.size(), Eigen::Matrix3d::Identity());
  }

  void take(const SegmentSample& from, SegmentSample& to) const {
    to.t = from.t;
    to.cut = from.cut;
    to.segments.resize(index_.size());
    for (std::size_t i = 0; i < index_.size(); ++i) {
      to.segments[i] = index_[i] < from.segments.size() ? from.segments[index_[i]] : SegmentMotion{};
      to.segments[i].R_WS *= R_SF_[i];
    }
  }

  std::vector<std::string> names;

 private:
  std::vector<std::size_t> index_;
  std::vector<Eigen::Matrix3d> R_SF_;
};

class HumanFrames final : public Recording {
 public:
  explicit HumanFrames(std::unique_ptr<Recording> recording)
      : recording_(std::move(recording)), segments_(*recording_), info_(recording_->info()) {
    AttachmentMap& map = info_.attachments;
    std::erase_if(map.attachments, [&](const Attachment& a) {
      const auto& names = recording_->names();
      return std::find(names.begin(), names.end(), a.segment) == names.end();
    });
    for (Attachment& a : map.attachments) {
      a.segment = a.link;
      a.R_SF.setIdentity();
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return segments_.names; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override {
    return problem_.empty() ? recording_->problem() : problem_;
  }
  [[nodiscard]] GivenContacts contacts() const noexcept override { return recording_->contacts(); }

  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    const ReadStatus status = recording_->read(raw_);
    try {
      if (status == ReadStatus::Sample) segments_.take(raw_, sample);
      take_notes();
    } catch (...) {
      explain_failure(info_.path, problem_);
      return ReadStatus::Malformed;
    }
    return status;
  }

  void rewind() override {
    recording_->rewind();
    problem_.clear();
    take_notes();
  }

 private:
  void take_notes() {
    const auto& notes = recording_->info().notes;
    if (notes.size() != info_.notes.size()) info_.notes = notes;
  }

  std::unique_ptr<Recording> recording_;
  Segments segments_;
  RecordingInfo info_;
  std::string problem_;  // of a sample that could not be turned
  SegmentSample raw_;
};

// Whether a sample has what the format is for: points, orientations, or either. Orientations alone suffice in
// an .npz of a body, not in one of sensors.
bool holds_content(const std::string& extension, bool body, const SegmentSample& sample) {
  return std::any_of(sample.segments.begin(), sample.segments.end(), [&](const SegmentMotion& segment) {
    if (extension == ".csv" || (extension == ".npz" && body))
      return segment.has_position || segment.has_orientation;
    return extension == ".sto" ? segment.has_orientation : segment.has_position;
  });
}

// A file of samples, created with the first sample that has content; without one there is no file.
class SampleOutput {
 public:
  SampleOutput(const io::Destination& to, std::vector<std::string> names, double rate_hz, bool body)
      : to_(to), names_(std::move(names)), rate_hz_(rate_hz), body_(body) {}

  void write(const SegmentSample& sample) {
    if (!file_ && !holds_content(io::extension_of(to_.path), body_, sample)) {
      waiting_.push_back(sample.t);
      return;
    }
    if (!file_) create();
    count(file_->write(sample));
  }
  // removes what was begun; a `.part` of another run stays
  void discard() noexcept {
    if (!file_) return;
    file_.reset();
    if (to_.bytes == nullptr) io::remove_part(to_.path);
  }
  // false: no sample had content
  [[nodiscard]] bool close() {
    if (file_) file_->close();
    return file_ != nullptr;
  }

  std::int64_t written = 0, dropped = 0;

 private:
  void create() {
    file_ = io::create_sample_file(to_, names_, {rate_hz_});
    SegmentSample empty;
    empty.segments.resize(names_.size());
    for (const Time t : waiting_) {
      empty.t = t;
      count(file_->write(empty));
    }
  }
  void count(WriteStatus status) { ++(status == WriteStatus::Written ? written : dropped); }

  io::Destination to_;
  std::vector<std::string> names_;
  double rate_hz_;
  bool body_;
  std::unique_ptr<io::SampleFile> file_;
  std::vector<Time> waiting_;  // of samples without content
};

void tell_notes(const Observer& observer, const std::vector<std::string>& notes, std::size_t already) {
  for (std::size_t i = already; i < notes.size(); ++i) tell(observer, notes[i]);
}

[[noreturn]] void refuse_empty(const std::string& name, const std::string& extension) {
  const bool orientations = extension == ".sto";
  throw FormatError(name + ": holds no " + (orientations ? "orientations" : "positions") + ", so " +
                    extension + " would be empty; write " +
                    (orientations ? ".trc, .npz or .csv" : ".sto or .csv") + " instead");
}

}  // namespace

std::unique_ptr<Recording> in_human_frames(std::unique_ptr<Recording> recording) {
  return std::make_unique<HumanFrames>(std::move(recording));
}

WrittenSamples write_samples(Recording& recording, const io::Destination& to, const Observer& observer) {
  const RecordingInfo& info = recording.info();
  const std::size_t already = info.notes.size();
  const Segments segments(recording);
  SampleOutput output(to, segments.names, info.rate_hz, info.untrackable.empty());
  RecordingHealth health(human_names(recording), info.rate_hz, info.first_frame);
  WrittenSamples result;
  SegmentSample read, written;
  ReadStatus status{};
  while ((status = recording.read(read)) == ReadStatus::Sample) {
    health.add(read);
    segments.take(read, written);
    output.write(written);
    try {
      report_progress(observer, ++result.frames, info.frames);
    } catch (...) {
      output.discard();
      throw;
    }
  }
  tell_notes(observer, info.notes, already);
  result.findings = health.findings();
  tell_notes(observer, warnings(result.findings), 0);
  if (status == ReadStatus::Malformed) result.damage = recording.problem();
  if (result.frames == 0)
    throw FormatError(result.damage ? *result.damage : info.path + ": holds no frames of motion");
  result.written = output.written;
  result.dropped = output.dropped;
  result.segments = segments.names;
  if (!output.close()) refuse_empty(info.path, io::extension_of(to.path));
  return result;
}

std::vector<std::string> losses(const Recording& recording) {
  std::vector<std::string> lost;
  const RecordingInfo& info = recording.info();
  if (info.rig) {
    if (const std::size_t count = info.rig->map.unmapped.size(); count > 0)
      lost.push_back(counted(static_cast<std::int64_t>(count), "joint") +
                     " beyond the body (fingers, twist joints and the like): the output holds 23 segments");
    lost.emplace_back("the skeleton's own joints and axes: the output has Panto's segments");
  }
  const std::size_t names = recording.names().size(), followed = info.attachments.attachments.size();
  if (!info.rig && info.untrackable.empty() && names > followed)
    lost.push_back(std::to_string(names - followed) + " of " +
                   counted(static_cast<std::int64_t>(names), "segment") +
                   " that are not measured or not part of the body");
  if (info.format.starts_with("mvnx"))
    lost.emplace_back("sensor data, foot contacts, joint angles, markers and comments of the MVNX");
  if (info.has_angular_velocity || info.has_linear_velocity)
    lost.emplace_back("measured velocities: any in the output are derived from the poses");
  return lost;
}

}  // namespace panto
