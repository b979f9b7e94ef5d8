#pragma once
// The VMC protocol, which SlimeVR, VirtualMotionCapture, VSeeFace and Warudo send and take: bones of Unity's
// humanoid over OSC, port 39539 (docs/formats/vmc.md).

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/sample/segment_sample.hpp"
#include "panto/stream/osc.hpp"
#include "panto/stream/sample_stream.hpp"
#include "panto/stream/vmc_bones.hpp"

namespace panto::stream {

/// One body from the datagrams of a VMC sender (in its words: a Marionette). The first sample comes with the
/// second of two frames of the same bones. A sample has the segments that had bones then, in our order; a
/// segment whose bone, or a bone below it in the chain, is missing from a frame or damaged is invalid.
class VmcBody final : public SampleStream<SegmentSample> {
 public:
  VmcBody();

  Brought take(std::span<const std::byte> datagram, Time arrival) noexcept override;
  [[nodiscard]] const SegmentSample& sample() const noexcept override { return sample_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<SubjectDimensions> person() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] const StreamCounts& counts() const noexcept override { return counts_; }

 private:
  struct Pose {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
  };
  // of a bone in the frame
  struct Chain {
    std::array<Pose, at(kVmcBones)> pose;  // in the world
    VmcBones turned, placed;               // what of it holds
  };

  bool hear(OscMessage message) noexcept;
  void hear_time(OscMessage& message) noexcept;
  void hear_status(OscMessage& message) noexcept;
  void hear_root(OscMessage& message) noexcept;
  void hear_bone(OscMessage& message) noexcept;
  static bool read_pose(OscMessage& message, Pose& pose) noexcept;

  void see_any() noexcept;
  void see(int bone) noexcept;
  void judge_time_place(bool follows) noexcept;
  void end_datagram() noexcept;
  void close_frame() noexcept;
  void deliver() noexcept;
  void begin() noexcept;
  bool advance_stamp() noexcept;
  [[nodiscard]] Chain chain() const noexcept;
  void fill(const Chain& chain) noexcept;

  SegmentSample sample_;
  std::vector<std::string> names_;
  std::vector<int> segments_;  // of the sample's items
  StreamCounts counts_;

  // the frame that is being collected
  Pose root_;
  std::array<Pose, at(kVmcBones)> local_;  // in the parent
  VmcBones seen_, valid_;
  bool root_seen_ = false;
  bool delivered_ = false;
  std::optional<double> time_;  // of the frame [s]
  Time arrival_ = 0;

  // the stream
  VmcBones present_, last_seen_, usual_;
  std::array<int, kHumanSegmentCount> bone_of_{};
  bool started_ = false;  // a frame's beginning has come
  bool timed_ = false;    // times come: they part the frames
  bool known_ = false;    // the names are complete
  bool loaded_ = true;
  bool cut_next_ = false;
  int follows_ = 0;  // > 0: the time follows the bones of its frame; < 0: it comes before
  int frames_without_time_ = 0;

  // the datagram
  bool bones_in_datagram_ = false, time_in_datagram_ = false;
  bool same_frame_ = false;          // its time is that of the frame
  std::optional<Time> lonely_time_;  // arrival of a time that came alone
  Time bones_arrival_ = 0;
  Brought brought_ = Brought::Ignored;

  // stamps
  bool any_ = false;
  std::optional<double> last_time_;
  Time untimed_ = 0;  // passed by arrival since last_time_
  Time last_arrival_ = 0;
  int still_ = 0;  // frames whose time did not advance

  // notes
  bool was_unloaded_ = false, late_bone_ = false, restarted_ = false, coarse_ = false, stood_ = false;
};

/// Sends a body as a VMC sender does: OK, time, root and the bones of all segments that it has, in bundles of
/// at most 1472 bytes. Positions of the bones are those of `person`; only the hips' come from the sample.
class VmcEncoder final : public SampleEncoder<SegmentSample> {
 public:
  /// `names` of the samples' segments; segments without a bone (L3) are left out. @throws ConfigError when
  /// the Pelvis or T8 is missing.
  explicit VmcEncoder(const std::vector<std::string>& names,
                      const SubjectDimensions& person = scaled_subject(1.75));

  /// Returns nothing: the protocol has no introduction.
  [[nodiscard]] Datagrams introduction() override { return {}; }
  [[nodiscard]] Datagrams encode(const SegmentSample& sample) override;

 private:
  std::array<int, kHumanSegmentCount> item_of_;  // of a segment in the sample
  SubjectDimensions person_;
};

}  // namespace panto::stream
