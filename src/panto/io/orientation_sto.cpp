// Reads and writes OpenSense tables of orientations (DataType=Quaternion): of sensors or of body segments.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/keypoints/point_geometry.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"

namespace panto::io {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;

constexpr double kQuaternionNorm = 1e-2;  // tolerance for files
constexpr std::string_view kFramesKey = "PantoFrames";

// OpenSim's bodies are the identity at zero coordinates: standing, arms hanging, palms ahead.
struct Body {
  std::string_view label;
  int segment;
};
constexpr std::array kBodies{Body{"pelvis", Pelvis},
                             Body{"torso", T8},
                             Body{"head", Head},
                             Body{"femur_r", RightUpperLeg},
                             Body{"tibia_r", RightLowerLeg},
                             Body{"calcn_r", RightFoot},
                             Body{"toes_r", RightToe},
                             Body{"humerus_r", RightUpperArm},
                             Body{"radius_r", RightForeArm},
                             Body{"hand_r", RightHand},
                             Body{"femur_l", LeftUpperLeg},
                             Body{"tibia_l", LeftLowerLeg},
                             Body{"calcn_l", LeftFoot},
                             Body{"toes_l", LeftToe},
                             Body{"humerus_l", LeftUpperArm},
                             Body{"radius_l", LeftForeArm},
                             Body{"hand_l", LeftHand}};

int find_body(std::string_view label) {
  const auto found =
      std::find_if(kBodies.begin(), kBodies.end(), [&](const Body& b) { return b.label == label; });
  return found == kBodies.end() ? -1 : found->segment;
}

class OrientationFile final : public Recording {
 public:
  explicit OrientationFile(OpenSimTable table) : table_(std::move(table)) {
    info_.path = table_.path;
    info_.frames = static_cast<std::int64_t>(table_.rows());
    info_.notes = table_.notes;
    info_.incomplete = table_.incomplete;
    read_times();
    understand();
  }

  const std::vector<std::string>& names() const noexcept override { return table_.labels; }
  const RecordingInfo& info() const noexcept override { return info_; }
  const std::string& problem() const noexcept override { return problem_; }
  void rewind() override {
    next_ = 0;
    problem_.clear();
  }

  ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= table_.rows()) return ReadStatus::EndOfMotion;
    sample.t = times_[next_];
    sample.segments.assign(table_.labels.size(), {});
    for (std::size_t j = 0; j < table_.labels.size(); ++j) {
      const auto q = table_.cell(next_, j);
      const Eigen::Vector4d wxyz(q[0], q[1], q[2], q[3]);
      // OpenSim writes NaN for missing measurements
      if (!wxyz.allFinite()) continue;
      if (!(std::abs(wxyz.norm() - 1.0) <= kQuaternionNorm)) return malformed(j, wxyz.norm());
      SegmentMotion& segment = sample.segments[j];
      segment.R_WS = so3::from_quaternion_wxyz(wxyz);
      if (y_up_) segment.R_WS = keypoints::from_y_up() * segment.R_WS * keypoints::from_y_up().transpose();
      segment.has_orientation = true;
    }
    ++next_;
    return ReadStatus::Sample;
  }

 private:
  ReadStatus malformed(std::size_t column, double norm) noexcept {
    std::string length;
    append_number(norm, length);
    problem_ = table_
                   .error(next_, "the quaternion of " + in_quotes(table_.labels[column]) + " has length " +
                                     length + " instead of 1")
                   .what();
    next_ = table_.rows();
    return ReadStatus::Malformed;
  }

  void read_times() {
    if (table_.rows() == 0) throw FormatError(table_.path + ": the table has no rows");
    times_ = table_.stamps();
    info_.rate_hz = settle_rate(times_, table_.data_rate_hz.value_or(0.0), info_.notes);
  }

  void understand() {
    const auto first_unless = [&](auto&& known) {
      const auto found = std::find_if_not(table_.labels.begin(), table_.labels.end(), known);
      return found == table_.labels.end() ? std::string() : *found;
    };
    const std::string not_ours =
        first_unless([](const std::string& label) { return find_human_segment(label) >= 0; });
    const std::string no_body = first_unless([](const std::string& label) { return find_body(label) >= 0; });
    const std::string sensor = first_unless([](const std::string& label) { return !is_sensor_label(label); });
    if (table_.labels.empty()) throw FormatError(table_.path + ": the table has only a time column");
    if (not_ours.empty() || no_body.empty()) return attach(not_ours.empty());
    // the label that is not a segment
    const std::string& odd = not_ours == table_.labels.front() ? no_body : not_ours;
    const std::string which =
        in_quotes(sensor.empty() ? odd : sensor) + (table_.labels.size() > 1 ? " and others" : "");
    info_.format = sensor.empty() ? "opensim orientations (unknown)" : "opensim orientations (sensors)";
    info_.untrackable =
        table_.path + ": these are orientations of " + (sensor.empty() ? "" : "sensors, ") + which +
        "; their mounting on the body is unknown. Give it with --sensors FILE (panto calibrate finds it from "
        "a pose), or name columns like segments (Pelvis, T8, RightUpperLeg, ...) or OpenSim's bodies "
        "(pelvis, femur_r, ...)";
    info_.notes.emplace_back("the world frame is that of the sensors: z up, heading unknown");
  }

  // Attaches columns that are segments and finds the up axis.
  void attach(bool ours) {
    info_.format = ours ? "opensim orientations (human segments)" : "opensim orientations (bodies)";
    info_.attachments.source = "opensim orientations";
    const AttachmentMap mvn = mvn_attachments(), hanging = mvn_attachments(MvnArms::Hanging);
    for (const std::string& label : table_.labels) {
      const int segment = ours ? find_human_segment(label) : find_body(label);
      Attachment a = (ours ? mvn : hanging).attachments[at(segment)];
      a.segment = label;
      a.position = false;  // missing in the file
      if (!ours && (label.starts_with("radius") || label.starts_with("hand"))) {
        const double side = label.ends_with("_r") ? -1.0 : 1.0;
        a.R_SF = so3::about_axis(2, side * std::numbers::pi / 2.0) * a.R_SF;
      }
      if (std::none_of(info_.attachments.attachments.begin(), info_.attachments.attachments.end(),
                       [&](const Attachment& other) { return other.link == a.link; }))
        info_.attachments.attachments.push_back(std::move(a));
    }
    // the statement in the file decides; our own files have one
    const std::string_view stated = table_.find_header(kFramesKey).value_or("");
    const bool says_y = stated.find("y up") != std::string_view::npos;
    const bool says_z = stated.find("z up") != std::string_view::npos;
    y_up_ = says_y || (!says_z && !stands_along_z());
    if (!says_y && !says_z) {
      info_.notes.push_back(std::string("the orientations are assumed to be the identity ") +
                            (ours ? "in the T-pose" : "when standing with arms down, palms ahead") +
                            ", x forward and " + (y_up_ ? "y" : "z") + " up");
    }
  }

  // Turning on the spot keeps the vertical axis of trunk and pelvis fixed and moves the others.
  [[nodiscard]] bool stands_along_z() const {
    const auto upright = [&](std::size_t column, int axis) {
      double sum = 0.0;
      int count = 0;
      for (std::size_t k = 0; k < table_.rows(); ++k) {
        const auto q = table_.cell(k, column);
        const Eigen::Vector4d wxyz(q[0], q[1], q[2], q[3]);
        if (!(std::abs(wxyz.norm() - 1.0) <= kQuaternionNorm)) continue;
        const Matrix3d R = so3::from_quaternion_wxyz(wxyz);
        sum += R(axis, axis);
        ++count;
      }
      return count > 0 ? sum / count : 0.0;
    };
    for (const std::string_view label : {"Pelvis", "pelvis", "T8", "torso"}) {
      const auto column = table_.find(label);
      if (column) return upright(*column, 2) > 0.9 && upright(*column, 1) < 0.8;
    }
    return false;
  }

  OpenSimTable table_;
  RecordingInfo info_;
  std::string problem_;
  std::vector<Time> times_;
  bool y_up_ = false;
  std::size_t next_ = 0;
};

// ---- writing ----------------------------------------------------------------------------------------------

class OrientationStoFile final : public SampleFile {
 public:
  OrientationStoFile(const Destination& to, const std::vector<std::string>& segments, double rate_hz)
      : segments_(segments.size()), file_(to) {
    std::string text = "DataRate=";
    append_number(rate_hz, text);
    text += "\nDataType=Quaternion\nversion=3\n" + std::string(kFramesKey) +
            "=identity in the T-pose, y up, x forward\nendheader\ntime";
    for (const std::string& name : segments) text += "\t" + name;
    (void)file_.write(text + "\n");  // close() throws a failure
    file_.end_header();
  }

  WriteStatus write(const SegmentSample& sample) noexcept override {
    if (sample.segments.size() != segments_ || (last_ && sample.t <= *last_)) return WriteStatus::Dropped;
    line_.clear();
    append_seconds(sample.t, line_);
    for (const SegmentMotion& segment : sample.segments) {
      line_ += '\t';
      if (!segment.has_orientation) {
        line_ += "nan,nan,nan,nan";
        continue;
      }
      const Eigen::Vector4d q =
          so3::to_quaternion_wxyz(keypoints::from_y_up().transpose() * segment.R_WS * keypoints::from_y_up());
      for (int i = 0; i < 4; ++i) {
        if (i > 0) line_ += ',';
        append_number(q[i], line_);
      }
    }
    line_ += '\n';
    if (!file_.write(line_)) return WriteStatus::Dropped;
    last_ = sample.t;
    return WriteStatus::Written;
  }

  void close() override { file_.close(); }

 private:
  std::size_t segments_;
  PartFile file_;
  std::optional<Time> last_;
  std::string line_;
};

}  // namespace

std::unique_ptr<Recording> open_orientations(OpenSimTable table) {
  if (table.components != 4)
    throw FormatError(table.path + ": DataType=" + table.data_type +
                      ", but a table of orientations needs Quaternion");
  return std::make_unique<OrientationFile>(std::move(table));
}

std::unique_ptr<SampleFile> create_orientation_sto(const Destination& to,
                                                   const std::vector<std::string>& segments,
                                                   const SampleFileOptions& options) {
  if (!(options.rate_hz > 0.0 && std::isfinite(options.rate_hz)))
    throw ConfigError("a .sto file of orientations needs a rate above 0 Hz");
  for (const std::string& name : segments) {
    if (name.empty() || name == "time" || name.find_first_of(" \t\r\n,") != std::string::npos)
      throw ConfigError("segment " + in_quotes(name) +
                        " cannot be a label of an OpenSim file: labels must not contain blanks or commas");
  }
  return std::make_unique<OrientationStoFile>(to, segments, options.rate_hz);
}

}  // namespace panto::io
