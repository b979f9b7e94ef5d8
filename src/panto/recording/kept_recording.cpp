#include "panto/recording/kept_recording.hpp"

#include "panto/base/failure.hpp"

namespace panto {

KeptRecording::KeptRecording(Recording& recording, std::size_t most) : recording_(&recording) {
  SegmentSample sample;
  while ((end_ = recording.read(sample)) != ReadStatus::EndOfMotion && end_ != ReadStatus::Malformed) {
    if (end_ != ReadStatus::Sample) continue;
    samples_.push_back(sample);
    contacts_.push_back(recording.contacts());
    whole_ = samples_.size() <= most;
    if (!whole_) return;
  }
}

const std::string& KeptRecording::problem() const noexcept {
  return !beyond_ && !ended_ ? problem_ : recording_->problem();
}

GivenContacts KeptRecording::contacts() const noexcept {
  if (!whole_ && beyond_) return recording_->contacts();
  return next_ == 0 ? GivenContacts{} : contacts_[next_ - 1];
}

ReadStatus KeptRecording::read(SegmentSample& sample) noexcept {
  if (!whole_ && next_ >= samples_.size()) {
    beyond_ = true;
    return recording_->read(sample);
  }
  if (next_ >= samples_.size()) {
    ended_ = true;
    return end_;
  }
  try {
    sample = samples_[next_];
  } catch (...) {
    explain_failure(info().path, problem_);
    return ReadStatus::Malformed;
  }
  ++next_;
  return ReadStatus::Sample;
}

void KeptRecording::rewind() {
  if (!whole_) {
    recording_->rewind();
    samples_ = {};
    contacts_ = {};
    beyond_ = true;
  }
  next_ = 0;
  ended_ = false;
  problem_.clear();
}

}  // namespace panto
