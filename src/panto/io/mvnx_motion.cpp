// Turns MVNX frames into SegmentSamples.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "panto/base/failure.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/median.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr MvnxVectors kMotionVectors = only(MvnxVector::Orientation) | only(MvnxVector::Position) |
                                       only(MvnxVector::Velocity) | only(MvnxVector::AngularVelocity) |
                                       only(MvnxVector::FootContacts);
constexpr double kLongestGap = 3600.0;  // [s]
constexpr double kLongestMotion = 1e9;  // [s], so that stamps fit

// Returns the contact for a contact point's label; null: not on the heel or toe of a foot.
signed char* place_of(std::string_view label, GivenContacts& contacts) {
  if (label == "RightFoot_Heel") return &contacts.heel[0];
  if (label == "LeftFoot_Heel") return &contacts.heel[1];
  if (label == "RightFoot_Toe") return &contacts.ball[0];
  if (label == "LeftFoot_Toe") return &contacts.ball[1];
  return nullptr;
}

constexpr int kRateFrames = 120;                          // whose rates are compared with the orientations
constexpr double kTurning = 0.3;                          // [rad/s] slower segments show no unit
constexpr std::size_t kFewestTurns = 30;                  // that show one
constexpr double kDegreesFrom = 40.0, kDegreesTo = 80.0;  // rates over those of orientations: 57.3 in deg/s

bool plausible(const Vector3d& v) { return v.allFinite() && v.cwiseAbs().maxCoeff() <= kMvnxLargest; }

// Reads a file once from its beginning.
class MvnxMotion {
 public:
  MvnxMotion(MvnxFile file, const std::string& path) : file_(std::move(file)) {
    const MvnxHeader& header = file_.header();
    std::vector<std::string> notes;
    const bool n_pose_arms = mvnx_has_n_pose_arms(file_, notes);
    info_.path = path;
    info_.format = fmt::format("mvnx {}", n_pose_arms ? 3 : std::max(header.major, 4));
    info_.rate_hz = header.frame_rate_hz;
    info_.subject = mvnx_subject(header, notes);
    info_.up = "z";
    info_.attachments = mvn_attachments(n_pose_arms ? MvnArms::Hanging : MvnArms::TPose);
    info_.has_angular_velocity = !file_.first()[MvnxVector::AngularVelocity].empty();
    info_.has_linear_velocity = !file_.first()[MvnxVector::Velocity].empty();
    for (const MvnxSegment& segment : header.segments) names_.push_back(segment.label);
    describe(notes);
    describe_contacts(notes);
    for (auto& note : notes) info_.notes.push_back(std::move(note));
    take_notes();
  }

  [[nodiscard]] const MvnxHeader& header() const noexcept { return file_.header(); }
  [[nodiscard]] const RecordingInfo& info() const noexcept { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept {
    return problem_.empty() ? file_.problem() : problem_;
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] GivenContacts contacts() const noexcept { return contacts_; }

  void note(const std::string& text) { info_.notes.push_back(text); }
  /// Takes the angular velocities as `scale` times what the file says.
  void scale_rates(double scale) noexcept { rate_scale_ = scale; }

  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept {
    const ReadStatus status = file_.read(frame_);
    try {
      if (status == ReadStatus::Sample) convert(sample);
      take_notes();
      if (status != ReadStatus::Sample) sum_up();
    } catch (...) {
      explain_failure(info_.path, problem_);
      return ReadStatus::Malformed;
    }
    return status;
  }

 private:
  void describe(std::vector<std::string>& notes) const {
    const MvnxHeader& header = file_.header();
    int unknown = 0;
    for (const std::string& name : names_) unknown += find_human_segment(name) < 0 ? 1 : 0;
    if (unknown > 0)
      notes.push_back(
          fmt::format("{} of {} segments (props) do not belong to the body; they are read but not attached",
                      unknown, names_.size()));
    const bool partial = !header.configuration.empty() && header.configuration != "FullBody" &&
                         header.configuration != "FullBodyNoHands";
    if (partial)
      notes.push_back(
          fmt::format("configuration {}: segments without sensors are constant or follow the pelvis",
                      header.configuration));
  }

  void describe_contacts(std::vector<std::string>& notes) const {
    std::string unknown;
    GivenContacts any;
    for (const std::string& label : file_.header().contacts) {
      if (place_of(label, any) == nullptr) unknown += (unknown.empty() ? "" : ", ") + label;
    }
    if (!unknown.empty()) notes.push_back("contact points outside heels and toes are ignored: " + unknown);
  }

  // stamps count frames from the first one: the file's own times are rounded to milliseconds
  void advance_clock() {
    const std::int64_t next = frames_ == 0 ? 0 : last_ + 1;
    std::int64_t index = next;
    if (frame_.index) {
      if (frames_ == 0) first_index_ = *frame_.index;
      const double jump = static_cast<double>(*frame_.index) - static_cast<double>(first_index_ + next);
      const bool follows = jump >= 0.0 && jump <= kLongestGap * info_.rate_hz &&
                           jump + static_cast<double>(next) <= kLongestMotion * info_.rate_hz;
      if (frames_ == 0 || follows) {
        index = *frame_.index - first_index_;
      } else if (!std::exchange(noted_index_, true)) {
        info_.notes.push_back(
            fmt::format("{}:{}: index {} does not follow its predecessor; such frames count as the "
                        "next",
                        info_.path, frame_.line, *frame_.index));
      }
      if (index > next && !std::exchange(noted_gap_, true)) {
        info_.notes.push_back(
            fmt::format("{}:{}: {} frames are missing here", info_.path, frame_.line, index - next));
      }
    }
    last_ = index;
    ++frames_;
  }

  void convert(SegmentSample& sample) {
    advance_clock();
    sample.t = frame_time(last_, info_.rate_hz);
    sample.segments.resize(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      SegmentMotion& S = sample.segments[i];
      S = SegmentMotion{};
      S.has_orientation = take_orientation(i, S.R_WS);
      S.has_position = take(MvnxVector::Position, "position", i, S.p_WS);
      S.has_angular_velocity = take(MvnxVector::AngularVelocity, "angular velocity", i, S.w_WS);
      S.w_WS *= rate_scale_;
      S.has_linear_velocity = take(MvnxVector::Velocity, "velocity", i, S.v_WS);
    }
    take_contacts();
  }

  // values other than 0 and 1 are unknown, which is noted once
  void take_contacts() {
    contacts_ = {};
    const auto& numbers = frame_[MvnxVector::FootContacts];
    const auto& labels = file_.header().contacts;
    for (std::size_t i = 0; i < std::min(numbers.size(), labels.size()); ++i) {
      signed char* place = place_of(labels[i], contacts_);
      if (place == nullptr) continue;
      if (numbers[i] == 0.0 || numbers[i] == 1.0) {
        *place = numbers[i] == 1.0 ? 1 : 0;
      } else if (!std::isnan(numbers[i]) &&
                 !std::exchange(noted_contact_, true)) {  // else the parser noted it
        info_.notes.push_back(fmt::format(
            "{}:{}: the contact of {} is {:g}, neither 0 nor 1; it is unknown in this sample, as are others "
            "like it",
            info_.path, frame_.line, labels[i], numbers[i]));
      }
    }
  }

  // a vector that is not a measurement is invalid in this sample, which is noted once
  bool take(MvnxVector kind, const char* what, std::size_t segment, Vector3d& value) {
    const auto& numbers = frame_[kind];
    if (numbers.size() < 3 * (segment + 1)) return false;
    const Vector3d read(&numbers[3 * segment]);
    if (plausible(read)) {
      value = read;
      return true;
    }
    if (!read.allFinite()) return false;  // the parser noted it
    ++far_;
    if (!std::exchange(noted_far_, true)) {
      info_.notes.push_back(fmt::format(
          "{}:{}: the {} of {} is beyond {:g}; it is invalid in this sample, as are others like it",
          info_.path, frame_.line, what, names_[segment], kMvnxLargest));
    }
    return false;
  }

  bool take_orientation(std::size_t segment, Eigen::Matrix3d& R_WS) {
    const auto& numbers = frame_[MvnxVector::Orientation];
    const bool there = numbers.size() >= 4 * (segment + 1);
    const Eigen::Vector4d wxyz = there ? Eigen::Vector4d(&numbers[4 * segment]) : Eigen::Vector4d::Zero();
    if (std::abs(wxyz.norm() - 1.0) <= kMvnxQuaternionTolerance) {
      R_WS = so3::from_quaternion_wxyz(wxyz);
      return true;
    }
    ++lost_orientations_;
    if (!std::exchange(noted_orientation_, true)) {
      info_.notes.push_back(fmt::format(
          "{}:{}: the orientation of {} {}; it is invalid in this sample, as are others "
          "like it",
          info_.path, frame_.line, names_[segment], there ? "is not a unit quaternion" : "is missing"));
    }
    return false;
  }

  // adds the parser's new repairs
  void take_notes() {
    const auto& notes = file_.notes();
    for (; taken_notes_ < notes.size(); ++taken_notes_) info_.notes.push_back(notes[taken_notes_]);
  }

  // adds the totals, once
  void sum_up() {
    if (std::exchange(summed_up_, true)) return;
    if (lost_orientations_ + file_.refused_numbers() + file_.refused_vectors() + far_ == 0) return;
    info_.notes.push_back(
        fmt::format("{}: in {} frames {} orientations were invalid, {} numbers unreadable, {} vectors "
                    "of the wrong count, {} beyond {:g}",
                    info_.path, frames_, lost_orientations_, file_.refused_numbers(), file_.refused_vectors(),
                    far_, kMvnxLargest));
  }

  MvnxFile file_;
  MvnxFrame frame_;
  RecordingInfo info_;
  std::string problem_;  // of a frame that could not be turned into a sample
  std::vector<std::string> names_;
  GivenContacts contacts_;  // of the last sample
  std::int64_t frames_ = 0, first_index_ = 0, last_ = 0, lost_orientations_ = 0, far_ = 0;
  double rate_scale_ = 1.0;
  std::size_t taken_notes_ = 0;
  bool noted_index_ = false, noted_gap_ = false, noted_orientation_ = false, noted_far_ = false,
       noted_contact_ = false, summed_up_ = false;
};

// One reading of a stream that many readings share, one after the other: each begins at its beginning.
class SharedStream final : public std::istream {
 public:
  explicit SharedStream(std::shared_ptr<std::istream> file)
      : std::istream(file->rdbuf()), file_(std::move(file)) {
    seekg(0);
  }

 private:
  std::shared_ptr<std::istream> file_;
};

// How many times the file's angular velocities are those of its orientations, in the median; 0: not known.
double rate_ratio(MvnxMotion& motion) {
  std::vector<double> ratios;
  SegmentSample before, now;
  for (int k = 0; k < kRateFrames && motion.read(now) == ReadStatus::Sample; ++k) {
    const double dt = to_seconds(now.t - before.t);
    for (std::size_t i = 0; k > 0 && i < now.segments.size() && dt > 0.0 && dt < 0.1; ++i) {
      const SegmentMotion &a = before.segments[i], &b = now.segments[i];
      if (!a.has_orientation || !b.has_orientation || !a.has_angular_velocity || !b.has_angular_velocity)
        continue;
      const double turn = so3::log(b.R_WS * a.R_WS.transpose()).norm() / dt;
      if (turn > kTurning) ratios.push_back(0.5 * (a.w_WS + b.w_WS).norm() / turn);
    }
    std::swap(before, now);
  }
  if (ratios.size() < kFewestTurns) return 0.0;
  return median(std::move(ratios));
}

// The recording: successive readings of the file. Notes of an earlier reading stay.
class MvnxRecording final : public Recording {
 public:
  MvnxRecording(std::shared_ptr<std::istream> file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {
    rewind();
    if (motion_->info().has_angular_velocity) find_rate_unit();
    info_ = motion_->info();
  }

  [[nodiscard]] const MvnxHeader& header() const noexcept { return motion_->header(); }
  [[nodiscard]] const RecordingInfo& info() const noexcept override {
    return motion_->info().notes.size() < info_.notes.size() ? info_ : motion_->info();
  }
  [[nodiscard]] const std::string& problem() const noexcept override { return motion_->problem(); }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return motion_->names(); }
  [[nodiscard]] GivenContacts contacts() const noexcept override { return motion_->contacts(); }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override { return motion_->read(sample); }
  void rewind() override {
    auto motion = std::make_unique<MvnxMotion>(
        MvnxFile(std::make_unique<SharedStream>(file_), name_, kMotionVectors), name_);
    if (motion_) info_ = info();
    motion_ = std::move(motion);
    motion_->scale_rates(rate_scale_);
    if (rate_scale_ != 1.0) motion_->note(rate_note_);
  }

 private:
  // The format's unit is rad/s; some exporters write degrees per second.
  void find_rate_unit() {
    const double ratio = rate_ratio(*motion_);
    if (ratio > kDegreesFrom && ratio < kDegreesTo) {
      rate_scale_ = kDegree;
      rate_note_ = fmt::format(
          "the angular velocities are {:.1f} times those of the orientations: taken as degrees per second",
          ratio);
    }
    motion_.reset();
    info_ = {};
    rewind();
  }

  std::shared_ptr<std::istream> file_;
  std::string name_;
  std::unique_ptr<MvnxMotion> motion_;
  RecordingInfo info_;
  double rate_scale_ = 1.0;
  std::string rate_note_;
};

}  // namespace

std::unique_ptr<Recording> open_mvnx(std::unique_ptr<std::istream> file, const std::string& name,
                                     MvnxHeader* header) {
  auto recording = std::make_unique<MvnxRecording>(std::move(file), name);
  if (header != nullptr) *header = recording->header();
  return recording;
}

std::unique_ptr<Recording> open_mvnx(const std::string& path) {
  return open_mvnx(open_mvnx_stream(path), path);
}

std::unique_ptr<Recording> open_mvnx(std::string bytes, const std::string& name) {
  return open_mvnx(std::make_unique<std::istringstream>(std::move(bytes)), name);
}

}  // namespace panto::io
