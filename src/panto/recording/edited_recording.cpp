#include "panto/recording/edited_recording.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/recording/person_reader.hpp"

namespace panto {
namespace {

constexpr std::array<int, 4> kLeftLeg{HumanSegment::LeftUpperLeg, HumanSegment::LeftLowerLeg,
                                      HumanSegment::LeftFoot, HumanSegment::LeftToe};

// turns a person by half a turn about the vertical through `centre`
void turn_round(SegmentSample& sample, const Eigen::Vector3d& centre) {
  const Eigen::DiagonalMatrix<double, 3> half(-1.0, -1.0, 1.0);
  for (SegmentMotion& segment : sample.segments) {
    segment.R_WS = half * segment.R_WS;
    segment.p_WS = centre + half * (segment.p_WS - centre);
    segment.w_WS = half * segment.w_WS;
    segment.v_WS = half * segment.v_WS;
  }
}

}  // namespace

EditedRecording::EditedRecording(Recording& recording) : info_(recording.info()) {
  PersonReader reader(recording);
  names_ = reader.names();
  SegmentSample sample;
  ReadStatus status = reader.read(sample);
  for (; status != ReadStatus::EndOfMotion && status != ReadStatus::Malformed; status = reader.read(sample)) {
    if (status != ReadStatus::Sample) continue;
    samples_.push_back(sample);
    contacts_.push_back(reader.contacts());
    stamps_.push_back(sample.t);
  }
  if (status == ReadStatus::Malformed)
    info_.notes.push_back("the recording ends early: " + recording.problem());
  if (samples_.empty()) throw FormatError(info_.path + ": no frame to show");
  // the samples are a human's now, in the human's frames
  for (Attachment& attachment : info_.attachments.attachments) {
    attachment.segment = attachment.link;
    attachment.R_SF.setIdentity();
  }
  info_.frames = std::ssize(samples_);
  edit({});
}

void EditedRecording::edit(const RecordingEdits& edits, std::optional<Time> from, std::optional<Time> until) {
  const auto check = [](const char* what, double value, double least, double most) {
    if (!(value >= least && value <= most))
      throw ConfigError(std::string(what) + ": " + std::to_string(value) + " is not from " +
                        std::to_string(least) + " to " + std::to_string(most));
  };
  check("share of dropped samples", edits.dropped_share, 0.0, 0.9);
  check("seconds that the person faces backwards", edits.turned_s, 0.0, 1e6);
  check("length of the left leg", edits.left_leg, 0.5, 1.5);
  const auto lost = std::find(names_.begin(), names_.end(), edits.lost_segment);
  if (!edits.lost_segment.empty() && lost == names_.end())
    throw ConfigError(unknown_name("segment", edits.lost_segment, "this recording", names_));
  std::mt19937_64 random(edits.seed);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    // one number a sample: a part of a clip loses the samples that the clip loses
    const bool dropped = static_cast<double>(random() >> 11) * 0x1p-53 < edits.dropped_share;
    if (!dropped && (!from || stamps_[i] >= *from) && (!until || stamps_[i] <= *until)) order.push_back(i);
  }
  if (order.empty()) throw ConfigError("no sample is left of this part");
  edits_ = edits;
  lost_.reset();
  if (lost != names_.end()) lost_ = static_cast<std::size_t>(lost - names_.begin());
  order_ = std::move(order);
  info_.frames = std::ssize(order_);
  next_ = 0;
}

GivenContacts EditedRecording::contacts() const noexcept {
  return next_ == 0 ? GivenContacts{} : contacts_[order_[next_ - 1]];
}

void EditedRecording::spoil(std::size_t index, SegmentSample& sample) const noexcept {
  const auto entry = [&](int segment) { return entry_of(names_, segment); };
  if (const auto hip = entry(HumanSegment::LeftUpperLeg); hip && edits_.left_leg != 1.0) {
    const SegmentMotion thigh = sample.segments[*hip];
    for (const int part : kLeftLeg) {
      if (const auto at = entry(part)) {
        SegmentMotion& segment = sample.segments[*at];
        segment.p_WS = thigh.p_WS + edits_.left_leg * (segment.p_WS - thigh.p_WS);
        segment.v_WS = thigh.v_WS + edits_.left_leg * (segment.v_WS - thigh.v_WS);
      }
    }
  }
  if (to_seconds(sample.t - stamps_.front()) < edits_.turned_s) {
    const auto pelvis = entry(HumanSegment::Pelvis);
    turn_round(sample, sample.segments[pelvis.value_or(0)].p_WS);
  }
  if (lost_ && 3 * index >= samples_.size() && 3 * index < 2 * samples_.size())
    sample.segments[*lost_] = SegmentMotion{};
}

ReadStatus EditedRecording::read(SegmentSample& sample) noexcept {
  if (next_ == order_.size()) return ReadStatus::EndOfMotion;
  const std::size_t index = order_[next_++];
  sample = samples_[index];
  spoil(index, sample);
  return ReadStatus::Sample;
}

}  // namespace panto
