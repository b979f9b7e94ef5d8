#include "apps/panto/robot_recording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/panto/tracking.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"

namespace panto::app {

PersonReader::PersonReader(io::MotionFile& file) : file_(&file) {
  check_trackable(file);
  for (const Attachment& a : file.info().attachments.attachments) {
    const auto found = std::find(file.names().begin(), file.names().end(), a.segment);
    names_.push_back(a.link);
    parts_.push_back(
        {static_cast<std::size_t>(found - file.names().begin()), a.R_SF, !a.R_SF.isIdentity(0.0)});
  }
}

ReadStatus PersonReader::read(SegmentSample& person) noexcept {
  const ReadStatus status = file_->read(raw_);
  if (status != ReadStatus::Sample) return status;
  person.t = raw_.t;
  person.cut = raw_.cut;
  person.segments.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    person.segments[i] = raw_.segments[parts_[i].from];
    if (parts_[i].turned) person.segments[i].R_WS = person.segments[i].R_WS * parts_[i].R_SF;
  }
  return status;
}

double find_floor(PersonReader& person, const SubjectDimensions& subject) {
  constexpr double share = 0.05;  // of the samples; a few may lie lower
  struct Foot {
    std::size_t entry;
    Eigen::Vector3d ball;
  };
  std::vector<Foot> feet;
  for (const auto& [foot, toe] : {std::pair{RightFoot, RightToe}, std::pair{LeftFoot, LeftToe}}) {
    const auto found = std::find(person.names().begin(), person.names().end(), kHumanSegmentNames[at(foot)]);
    if (found != person.names().end())
      feet.push_back({static_cast<std::size_t>(found - person.names().begin()), subject.origin[at(toe)]});
  }
  std::vector<double> lowest;
  SegmentSample sample;
  for (ReadStatus status{}; (status = person.read(sample)) != ReadStatus::EndOfMotion;) {
    if (status == ReadStatus::Malformed) break;
    if (status != ReadStatus::Sample) continue;
    double z = std::numeric_limits<double>::infinity();
    for (const Foot& foot : feet) {
      const SegmentMotion& m = sample.segments[foot.entry];
      if (!m.has_position || !m.has_orientation) continue;
      for (const double ahead : {0.0, foot.ball.x()})
        z = std::min(z, (m.p_WS + m.R_WS * Eigen::Vector3d(ahead, 0.0, foot.ball.z())).z());
    }
    if (std::isfinite(z)) lowest.push_back(z);
  }
  if (lowest.empty()) return 0.0;
  const auto place = static_cast<std::size_t>(share * static_cast<double>(lowest.size()));
  std::nth_element(lowest.begin(), lowest.begin() + static_cast<std::ptrdiff_t>(place), lowest.end());
  return lowest[place];
}

namespace {

// The map without what the recording has not, which is said.
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
    notes.push_back("the recording has not all segments that the robot could follow; it goes without " +
                    missing);
  return found;
}

}  // namespace

RobotRecording::RobotRecording(std::unique_ptr<io::MotionFile> person, const Model& robot,
                               const RobotMap& map, const SubjectDimensions& subject,
                               const RobotSkeletonOptions& options)
    : file_(std::move(person)),
      reader_(*file_),
      info_(file_->info()),
      skeleton_(robot, map, subject, reader_.names(), options) {
  notes_taken_ = info_.notes.size();
  info_.attachments = attached(map.attachments, reader_.names(), info_.notes);
  info_.has_linear_velocity = false;
}

ReadStatus RobotRecording::read(SegmentSample& sample) noexcept {
  const ReadStatus status = reader_.read(person_);
  if (status == ReadStatus::Sample) {
    skeleton_.pose(person_, sample);
    return status;
  }
  const std::vector<std::string>& notes = file_->info().notes;
  for (; notes_taken_ < notes.size(); ++notes_taken_) info_.notes.push_back(notes[notes_taken_]);
  return status;
}

}  // namespace panto::app
