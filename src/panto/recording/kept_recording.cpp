#include "panto/recording/kept_recording.hpp"

#include "panto/base/failure.hpp"

namespace panto {

KeptRecording::KeptRecording(Recording& recording, std::size_t most) : recording_(&recording) {
  SegmentSample sample;
  while ((end_ = recording.read(sample)) != ReadStatus::EndOfMotion && end_ != ReadStatus::Malformed) {
    if (end_ != ReadStatus::Sample) continue;
    if (samples_.size() < most) {
      samples_.push_back(sample);
      contacts_.push_back(recording.contacts());
      continue;
    }
    whole_ = false;
    samples_ = {};
    contacts_ = {};
    recording.rewind();
    return;
  }
}

const std::string& KeptRecording::problem() const noexcept {
  return whole_ && !ended_ ? problem_ : recording_->problem();
}

GivenContacts KeptRecording::contacts() const noexcept {
  if (!whole_) return recording_->contacts();
  return next_ == 0 ? GivenContacts{} : contacts_[next_ - 1];
}

ReadStatus KeptRecording::read(SegmentSample& sample) noexcept {
  if (!whole_) return recording_->read(sample);
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
  if (!whole_) recording_->rewind();
  next_ = 0;
  ended_ = false;
  problem_.clear();
}

}  // namespace panto
