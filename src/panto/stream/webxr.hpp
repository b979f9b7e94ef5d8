#pragma once
// What a headset's browser sends, as samples of a person (docs/formats/webxr_stream.md).

#include <optional>
#include <string>
#include <vector>

#include "panto/sample/segment_sample.hpp"
#include "panto/stream/sample_stream.hpp"
#include "panto/stream/webxr_body.hpp"
#include "panto/stream/webxr_frame.hpp"

namespace panto::stream {

/// One person from the messages of a headset's page. A sample has all segments but the toes. Frames without a
/// body are waited with for half a second, so that a body that comes a little later tells the person's size.
/// Where the headset's space moves, as by re-centring, the person stays: the world's axes are those of the
/// first frame.
class WebxrBody final : public SampleStream<SegmentSample> {
 public:
  /// `height`: the person's [m], if it is known: of head and hands alone it is the size.
  explicit WebxrBody(std::optional<double> height = std::nullopt);

  Brought take(std::span<const std::byte> message, Time arrival) noexcept override;
  [[nodiscard]] const SegmentSample& sample() const noexcept override { return sample_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<SubjectDimensions> person() const override { return person_; }
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] const StreamCounts& counts() const noexcept override { return counts_; }

 private:
  Brought hear(Time arrival) noexcept;
  bool advance(Time arrival, bool begins) noexcept;
  bool begin(bool whole) noexcept;
  void fill(bool whole, double dt) noexcept;
  void stay_in_place() noexcept;

  SegmentSample sample_;
  std::vector<std::string> names_;
  std::vector<int> segments_;  // of the sample's items
  StreamCounts counts_;
  WebxrFrame frame_;
  WebxrJoints joints_;
  WebxrReach reach_;
  PersonPose pose_;

  // the stream
  bool any_ = false;             // a sample came
  std::optional<Time> waiting_;  // stamp of the first frame without a body
  double eyes_ = 0.0;            // their greatest height meanwhile [m]
  std::optional<double> height_;
  std::optional<SubjectDimensions> person_;
  SubjectDimensions used_ = scaled_subject(1.75);  // for reaching
  std::uint64_t session_ = 0;
  Time last_t_ = 0, last_arrival_ = 0;
  std::uint32_t last_number_ = 0;
  bool whole_ = false, space_moved_ = false;
  // from the headset's space to the world, and where the pelvis was last
  Eigen::Matrix3d turn_ = Eigen::Matrix3d::Identity();
  Eigen::Vector3d shift_ = Eigen::Vector3d::Zero();
  std::optional<WebxrPose> pelvis_;

  // notes
  bool began_whole_ = false, changed_ = false, late_neutral_ = false;
};

}  // namespace panto::stream
