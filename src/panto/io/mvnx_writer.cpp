// Writes MVNX version 4 from States, elements in the order of the vendor's schema. The
// model has no surface points (top of the head, tips of hands and toes), so only joint points are written.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/io/append.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/state_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/isb_angles.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/sample/human_pose.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
template <typename T>
using PerSegment = std::array<T, kHumanSegmentCount>;

// MVN writes six decimals; nine keep orientations within 1e-7 degrees
void append_numbers(std::string& out, std::span<const double> numbers) {
  for (const double value : numbers) {
    if (out.size() > 0 && out[out.size() - 1] != '>') out.push_back(' ');
    append(out, "{:.9f}", value + 0.0);  // no "-0"
  }
}

template <typename Vectors>
void append_vectors(std::string& out, const char* element, const Vectors& vectors) {
  append(out, "\t\t\t\t<{}>", element);
  for (const auto& vector : vectors)
    append_numbers(out, {vector.data(), static_cast<std::size_t>(vector.size())});
  append(out, "</{}>\n", element);
}

void append_orientations(std::string& out, const PerSegment<Matrix3d>& R) {
  PerSegment<Eigen::Vector4d> wxyz;
  std::transform(R.begin(), R.end(), wxyz.begin(), so3::to_quaternion_wxyz);
  append_vectors(out, "orientation", wxyz);
}

/// Sink of one MVNX file.
class MvnxWriter final : public StateFile {
 public:
  MvnxWriter(const Destination& to, const Model& model, const StateFileOptions& options)
      : kinematics_(model),
        links_(human_links(model)),
        pose_(model),
        rate_hz_(options.rate_hz),
        disturb_(options.disturb),
        file_(to) {
    rest_on_floor(model);
    write_header(model);
    if (!flush()) file_.close();  // close() throws the reason
    file_.end_header();
  }

  [[nodiscard]] WriteStatus write(const State& state) noexcept override;
  void close() override;

 private:
  static PerSegment<int> human_links(const Model& model);
  void rest_on_floor(const Model& model);
  void write_header(const Model& model);
  void write_segments();
  void write_joints();
  void write_special(const char* type, const PerSegment<Matrix3d>& R);
  void write_frame(const State& state);
  void measure(const State& state);
  [[nodiscard]] bool flush() noexcept;

  Kinematics kinematics_;
  PerSegment<int> links_;
  HumanPose pose_;
  double rate_hz_;
  std::function<void(SegmentSample&)> disturb_;
  SegmentSample sample_;
  PerSegment<Vector3d> t_pose_;  // origins in the T-pose, soles on the floor [m]
  std::string out_;
  std::optional<Time> first_;
  std::int64_t last_index_ = -1;
  bool closed_ = false;
  PartFile file_;
};

PerSegment<int> MvnxWriter::human_links(const Model& model) {
  PerSegment<int> links{};
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const auto link = model.find_link(kHumanSegmentNames[at(i)]);
    if (!link) {
      throw ConfigError(
          fmt::format("model '{}' has no link '{}': MVNX holds the 23 segments of a human; use .csv, "
                      ".mot or .sto for other models",
                      model.name(), kHumanSegmentNames[at(i)]));
    }
    links[at(i)] = *link;
  }
  return links;
}

void MvnxWriter::rest_on_floor(const Model& model) {
  // MVN's frames are the identity in the T-pose, which our humans have when all joints are zero
  State zero = rest_state(model);
  zero.s.setZero();
  zero.R_WB.setIdentity();
  zero.p_WB.setZero();
  kinematics_.update(zero);
  const Matrix3d R_pelvis = kinematics_.R_WL(links_[HumanSegment::Pelvis]);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    if (so3::distance(R_pelvis, kinematics_.R_WL(links_[at(i)])) > 1e-6) {
      throw ConfigError(
          fmt::format("link '{}' of model '{}' is turned against the pelvis when all joints are zero; "
                      "MVNX needs link frames that are parallel in the T-pose",
                      kHumanSegmentNames[at(i)], model.name()));
    }
    t_pose_[at(i)] = R_pelvis.transpose() *
                     (kinematics_.p_WL(links_[at(i)]) - kinematics_.p_WL(links_[HumanSegment::Pelvis]));
  }
  double lowest = 0.0;
  for (const Vector3d& p : t_pose_) lowest = std::min(lowest, p.z());
  for (Vector3d& p : t_pose_) p.z() -= lowest;
}

void MvnxWriter::write_header(const Model& model) {
  append(out_,
         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<mvnx xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
         "xmlns=\"http://www.xsens.com/mvn/mvnx\" xsi:schemaLocation=\"http://www.xsens.com/mvn/mvnx "
         "http://www.xsens.com/mvn/mvnx/schema.xsd\" version=\"4\">\n"
         "\t<mvn version=\"2019.0.0\" build=\"Panto\"/>\n"
         "\t<comment></comment>\n"
         "\t<subject label=\"{}\" torsoColor=\"#e96417\" frameRate=\"{}\" segmentCount=\"{}\" recDate=\"\" "
         "originalFilename=\"\" configuration=\"FullBody\" userScenario=\"singleLevel\">\n"
         "\t\t<comment></comment>\n",
         xml_text(model.name()), rate_hz_, kHumanSegmentCount);
  write_segments();
  append(out_, "\t\t<sensors>\n\t\t</sensors>\n");
  write_joints();
  append(out_, "\t\t<frames segmentCount=\"{}\" sensorCount=\"0\" jointCount=\"{}\">\n", kHumanSegmentCount,
         kIsbJointCount);

  PerSegment<Matrix3d> R;
  R.fill(Matrix3d::Identity());
  write_special("identity", R);
  write_special("tpose", R);
  write_special("tpose-isb", standard_isb_frames());
}

void MvnxWriter::write_segments() {
  append(out_, "\t\t<segments>\n");
  const auto point = [&](std::string_view label, const Vector3d& p) {
    append(out_, "\t\t\t\t\t<point label=\"{}\">\n\t\t\t\t\t\t<pos_b>", label);
    append_numbers(out_, {p.data(), 3});
    append(out_, "</pos_b>\n\t\t\t\t\t</point>\n");
  };
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    append(out_, "\t\t\t<segment label=\"{}\" id=\"{}\">\n\t\t\t\t<points>\n", kHumanSegmentNames[at(i)],
           i + 1);
    point(i == HumanSegment::Pelvis ? "pHipOrigin" : kHumanJointNames[at(i)], Vector3d::Zero());
    for (int child = i + 1; child < kHumanSegmentCount; ++child) {
      if (kHumanSegmentParent[at(child)] == i)
        point(kHumanJointNames[at(child)], t_pose_[at(child)] - t_pose_[at(i)]);
    }
    append(out_, "\t\t\t\t</points>\n\t\t\t</segment>\n");
  }
  append(out_, "\t\t</segments>\n");
}

void MvnxWriter::write_joints() {
  append(out_, "\t\t<joints>\n");
  for (int child = 1; child < kHumanSegmentCount; ++child) {
    const std::string_view joint = kHumanJointNames[at(child)];
    append(out_,
           "\t\t\t<joint label=\"{0}\">\n\t\t\t\t<connector1>{1}/{0}</connector1>\n"
           "\t\t\t\t<connector2>{2}/{0}</connector2>\n\t\t\t</joint>\n",
           joint, kHumanSegmentNames[at(kHumanSegmentParent[at(child)])], kHumanSegmentNames[at(child)]);
  }
  append(out_, "\t\t</joints>\n");
}

void MvnxWriter::write_special(const char* type, const PerSegment<Matrix3d>& R) {
  append(out_, "\t\t\t<frame time=\"0\" tc=\"00:00:00:00\" ms=\"0\" type=\"{}\">\n", type);
  append_orientations(out_, R);
  append_vectors(out_, "position", t_pose_);
  append(out_, "\t\t\t</frame>\n");
}

WriteStatus MvnxWriter::write(const State& state) noexcept {
  if (closed_ || !is_valid(state, kinematics_.model())) return WriteStatus::Dropped;
  try {
    write_frame(state);
  } catch (...) {  // out of memory: leave no partial frame
    out_.clear();
    return WriteStatus::Dropped;
  }
  return flush() ? WriteStatus::Written : WriteStatus::Dropped;
}

// computes what a suit would measure
void MvnxWriter::measure(const State& state) {
  pose_.read(state, sample_);
  if (disturb_) disturb_(sample_);
}

void MvnxWriter::write_frame(const State& state) {
  // frames are counted at the nominal rate; a pause in the stamps is a step of the index
  const Time since = state.t - first_.value_or(state.t);
  const auto nearest = static_cast<std::int64_t>(std::llround(to_seconds(since) * rate_hz_));
  const std::int64_t index = std::max(last_index_ + 1, nearest);

  measure(state);
  PerSegment<Matrix3d> R;
  PerSegment<Vector3d> p, v, w;
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const SegmentMotion& segment = sample_.segments[i];
    R[i] = segment.R_WS;
    p[i] = segment.p_WS;
    v[i] = segment.v_WS;
    w[i] = segment.w_WS;
  }
  auto angles = isb_angles(R);
  for (Vector3d& angle : angles) angle *= kToDegrees;

  const double seconds = static_cast<double>(index) / rate_hz_;
  const auto ms = static_cast<std::int64_t>(std::llround(seconds * 1e3));
  const auto whole = static_cast<std::int64_t>(seconds);
  const auto part =
      static_cast<std::int64_t>(std::llround((seconds - static_cast<double>(whole)) * rate_hz_));
  append(out_,
         "\t\t\t<frame time=\"{0}\" index=\"{1}\" tc=\"{2:02}:{3:02}:{4:02}:{5:02}\" ms=\"{0}\" "
         "type=\"normal\">\n",
         ms, index, whole / 3600, whole / 60 % 60, whole % 60, part);
  append_orientations(out_, R);
  append_vectors(out_, "position", p);
  append_vectors(out_, "velocity", v);
  append_vectors(out_, "angularVelocity", w);
  append_vectors(out_, "jointAngle", angles);
  append(out_, "\t\t\t</frame>\n");

  if (!first_) first_ = state.t;
  last_index_ = index;
}

bool MvnxWriter::flush() noexcept {
  const bool written = file_.write(out_);
  out_.clear();
  return written;
}

void MvnxWriter::close() {
  if (closed_) return;
  append(out_, "\t\t</frames>\n\t</subject>\n</mvnx>\n");
  static_cast<void>(flush());  // close() below throws a failure
  closed_ = true;
  file_.close();
}

}  // namespace

std::unique_ptr<StateFile> create_mvnx(const Destination& to, const Model& model,
                                       const StateFileOptions& options) {
  if (!(options.rate_hz >= 0.01 && options.rate_hz <= kFastestRate)) {
    throw ConfigError(fmt::format("rate_hz = {} for '{}': MVNX needs a frame rate between 0.01 and 10000 Hz",
                                  options.rate_hz, to.path));
  }
  return std::make_unique<MvnxWriter>(to, model, options);
}

}  // namespace panto::io
