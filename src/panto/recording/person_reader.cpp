#include "panto/recording/person_reader.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/recording/trackable.hpp"

namespace panto {

std::optional<std::size_t> entry_of(const std::vector<std::string>& names, int segment) {
  const auto found = std::find(names.begin(), names.end(), kHumanSegmentNames[at(segment)]);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

PersonReader::PersonReader(Recording& recording) : recording_(&recording) {
  check_trackable(recording);
  for (const Attachment& a : recording.info().attachments.attachments) {
    const auto found = std::find(recording.names().begin(), recording.names().end(), a.segment);
    names_.push_back(a.link);
    parts_.push_back(
        {static_cast<std::size_t>(found - recording.names().begin()), a.R_SF, !a.R_SF.isIdentity(0.0)});
  }
}

ReadStatus PersonReader::read(SegmentSample& person) noexcept {
  const ReadStatus status = recording_->read(raw_);
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

}  // namespace panto
