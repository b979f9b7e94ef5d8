#include "panto/stream/mxtp_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/measured_subject.hpp"

namespace panto::stream {
namespace {

using enum HumanSegment::Index;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kSmallest = 128;  // [bytes] of a datagram: the header and the largest item
constexpr std::uint8_t kLast = 0x80;
constexpr std::size_t kFragmentAt = 10, kItemsAt = 11, kPayloadAt = 22;
constexpr int kFirstEnd = 50;  // numbers of points; receivers know them by name

void put(Bytes& bytes, std::size_t place, std::size_t value) { bytes[place] = static_cast<std::byte>(value); }

Bytes header(MxtpType type, std::uint32_t counter, std::uint32_t time_code, int character) {
  Bytes bytes;
  MxtpWriter writer(bytes);
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto number = static_cast<std::size_t>(type);
  writer.letters("MXTP");
  writer.letters(digits.substr(number / 16, 1));
  writer.letters(digits.substr(number % 16, 1));
  writer.word(counter);
  writer.word(std::uint16_t{0});  // fragment and items: see `finish`
  writer.word(time_code);
  writer.word(static_cast<std::uint8_t>(character));
  writer.word(static_cast<std::uint8_t>(kHumanSegmentCount));
  writer.word(std::uint32_t{0});  // props, fingers, reserved
  writer.word(std::uint16_t{0});  // payload: see `finish`
  return bytes;
}

void finish(Bytes& bytes, std::size_t fragment, bool last, std::size_t items) {
  const std::size_t payload = bytes.size() - kMxtpHeaderBytes;
  put(bytes, kFragmentAt, fragment | (last ? kLast : 0U));
  put(bytes, kItemsAt, items);
  put(bytes, kPayloadAt, payload / 256);
  put(bytes, kPayloadAt + 1, payload % 256);
}

Eigen::Vector3d or_nan(bool has, const Eigen::Vector3d& v) {
  return has ? v : Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
}

Eigen::Vector4d quaternion(const SegmentMotion& segment) {
  if (segment.has_orientation) return so3::to_quaternion_wxyz(segment.R_WS);
  return Eigen::Vector4d::Constant(std::numeric_limits<double>::quiet_NaN());
}

void write_item(MxtpWriter writer, MxtpType type, int segment, const SegmentMotion& motion) {
  writer.word(static_cast<std::uint32_t>(segment + 1));
  const Eigen::Vector3d none = Eigen::Vector3d::Zero();
  if (type != MxtpType::Angular) writer.reals32(or_nan(motion.has_position, motion.p_WS));
  if (type != MxtpType::Linear) writer.reals32(quaternion(motion));
  if (type == MxtpType::Linear) writer.reals32(or_nan(motion.has_linear_velocity, motion.v_WS));
  if (type == MxtpType::Angular) {
    writer.reals32(or_nan(motion.has_angular_velocity, motion.w_WS * kToDegrees));
  }
  if (type != MxtpType::Pose) writer.reals32(none);
}

// one segment or point of type 13
struct ScaleItem {
  bool is_segment = true;
  Bytes bytes;
};

ScaleItem scale_segment(int segment, const Eigen::Vector3d& p_W) {
  ScaleItem item;
  MxtpWriter writer(item.bytes);
  const std::string_view name = kHumanSegmentNames[at(segment)];
  writer.word(static_cast<std::uint32_t>(name.size()));
  writer.letters(name);
  writer.reals32(p_W);
  return item;
}

ScaleItem scale_point(int segment, int point, std::string_view name, const Eigen::Vector3d& p_S) {
  ScaleItem item{false, {}};
  MxtpWriter writer(item.bytes);
  writer.word(static_cast<std::uint16_t>(segment + 1));
  writer.word(static_cast<std::uint16_t>(point));
  writer.word(static_cast<std::uint32_t>(name.size()));
  writer.letters(name);
  writer.word(std::uint32_t{0});
  writer.reals32(p_S);
  return item;
}

// origins with the soles at height 0, joint points, far ends, and a point under each heel that tells the
// height
std::vector<ScaleItem> scale_items(const SubjectDimensions& person) {
  SubjectDimensions::Points p_W = person.origin;
  const double sole = height_over_pelvis(person.origin)[Head] + person.end[Head].z() - person.height;
  p_W[Pelvis] = {0.0, 0.0, -sole};
  for (std::size_t i = 1; i < p_W.size(); ++i) p_W[i] += p_W[at(kHumanSegmentParent[i])];

  std::vector<ScaleItem> items;
  for (int i = 0; i < kHumanSegmentCount; ++i) items.push_back(scale_segment(i, p_W[at(i)]));
  for (int i = 1; i < kHumanSegmentCount; ++i) {
    const int parent = kHumanSegmentParent[at(i)];
    items.push_back(scale_point(parent, i, kHumanJointNames[at(i)], person.origin[at(i)]));
    items.push_back(scale_point(i, 0, kHumanJointNames[at(i)], Eigen::Vector3d::Zero()));
  }
  for (const int i : {Head, RightHand, LeftHand, RightToe, LeftToe}) {
    items.push_back(scale_point(i, kFirstEnd, far_end_name(i), person.end[at(i)]));
  }
  items.push_back(scale_point(RightFoot, kFirstEnd, "pRightHeelFoot", {0.0, 0.0, -p_W[RightFoot].z()}));
  items.push_back(scale_point(LeftFoot, kFirstEnd, "pLeftHeelFoot", {0.0, 0.0, -p_W[LeftFoot].z()}));
  return items;
}

}  // namespace

MxtpEncoder::MxtpEncoder(std::span<const std::string> names, const MxtpEncoderOptions& options)
    : options_(options), counter_(options.first_counter) {
  check();
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const auto found = std::find(names.begin(), names.end(), kHumanSegmentNames[i]);
    if (found == names.end()) missing.emplace_back(kHumanSegmentNames[i]);
    index_[i] = static_cast<std::size_t>(found - names.begin());
  }
  if (!missing.empty()) {
    throw ConfigError("MVN stream: MVN always sends 23 segments; the samples lack " + listed(missing, 23) +
                      ". Send a recording that has them");
  }
}

void MxtpEncoder::check() const {
  const auto refuse = [](const std::string& why) { throw ConfigError("MVN stream: " + why); };
  const MxtpEncoderOptions& o = options_;
  if (!(std::isfinite(o.rate_hz) && o.rate_hz > 0.0))
    refuse("the rate must be > 0 Hz, not " + digits(o.rate_hz, 6));
  if (!o.pose && !o.linear && !o.angular)
    refuse("nothing to send: turn on at least one of pose (02), linear (21) and angular (22)");
  if (o.character < 0 || o.character > 255) {
    refuse("the character must be 0 to 255, not " + std::to_string(o.character));
  }
  if (o.largest_bytes < kSmallest || o.largest_bytes > 65507) {
    refuse("the largest datagram must be 128 to 65507 bytes, not " + std::to_string(o.largest_bytes));
  }
}

Datagrams MxtpEncoder::introduction() {
  Datagrams datagrams;
  if (!options_.person) return datagrams;
  const std::vector<ScaleItem> items = scale_items(*options_.person);
  for (std::size_t first = 0, end = 0; first < items.size(); first = end) {
    std::size_t size = kMxtpHeaderBytes + 8;
    while (end < items.size() && items[end].is_segment == items[first].is_segment &&
           (end == first || size + items[end].bytes.size() <= options_.largest_bytes)) {
      size += items[end++].bytes.size();
    }
    Bytes bytes = header(MxtpType::Scale, counter_, time_code_, options_.character);
    MxtpWriter writer(bytes);
    const auto count = static_cast<std::uint32_t>(end - first);
    writer.word(items[first].is_segment ? count : 0U);
    if (!items[first].is_segment) writer.word(count);
    for (std::size_t i = first; i < end; ++i) {
      bytes.insert(bytes.end(), items[i].bytes.begin(), items[i].bytes.end());
    }
    if (items[first].is_segment) writer.word(std::uint32_t{0});
    finish(bytes, datagrams.size(), end == items.size(), end - first);
    datagrams.push_back(std::move(bytes));
  }
  return datagrams;
}

Datagrams MxtpEncoder::encode(const SegmentSample& sample) {
  const double seconds = to_seconds(sample.t);
  const auto counted =
      static_cast<std::uint32_t>(std::llround(seconds * options_.rate_hz)) + options_.first_counter;
  const bool later = static_cast<std::int32_t>(counted - counter_) > 0;
  counter_ = !begun_ || later ? counted : counter_ + 1;
  time_code_ = static_cast<std::uint32_t>(std::llround(seconds * 1e3));
  begun_ = true;
  Datagrams datagrams;
  if (options_.pose) add(datagrams, MxtpType::Pose, sample);
  if (options_.linear) add(datagrams, MxtpType::Linear, sample);
  if (options_.angular) add(datagrams, MxtpType::Angular, sample);
  return datagrams;
}

void MxtpEncoder::add(Datagrams& datagrams, MxtpType type, const SegmentSample& sample) const {
  const std::size_t most = (options_.largest_bytes - kMxtpHeaderBytes) / mxtp_item_bytes(type);
  std::size_t fragment = 0;
  for (std::size_t first = 0; first < kHumanSegmentCount; first += most, ++fragment) {
    const std::size_t end = std::min(first + most, std::size_t{kHumanSegmentCount});
    Bytes bytes = header(type, counter_, time_code_, options_.character);
    for (std::size_t i = first; i < end; ++i) {
      write_item(MxtpWriter(bytes), type, static_cast<int>(i), sample.segments[index_[i]]);
    }
    finish(bytes, fragment, end == kHumanSegmentCount, end - first);
    datagrams.push_back(std::move(bytes));
  }
}

}  // namespace panto::stream
