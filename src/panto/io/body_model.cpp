#include "panto/io/body_model.hpp"
#include "panto/io/stamps.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::array<std::string_view, 6> kWhole{"pose_world", "poses",    "smpl_poses",
                                                 "full_pose",  "fullpose", "pose"};
constexpr std::array<std::string_view, 2> kRoot{"root_orient", "global_orient"};
constexpr std::array<std::string_view, 2> kBody{"pose_body", "body_pose"};
constexpr std::array<std::string_view, 6> kPath{"trans_world", "trans",      "transl",
                                                "smpl_trans",  "root_trans", "translation"};
constexpr std::array<std::string_view, 2> kMocapRate{"mocap_framerate", "mocap_frame_rate"};
constexpr std::array<std::string_view, 8> kRate{"mocap_framerate", "mocap_frame_rate", "fps",  "mocap_fps",
                                                "frame_rate",      "framerate",        "rate", "rate_hz"};
constexpr std::array<std::string_view, 9> kPoints{
    "keypoints", "positions", "joints", "joint_positions", "points", "kp3d", "keypoints3d", "markers", "xyz"};
constexpr double kFarthest = 1e9;       // [m], [rad]
constexpr double kUsualRate = 30.0;     // of video
constexpr double kHoloSmplRate = 50.0;  // its files have no rate

// Where a row has what: columns.
struct RowLayout {
  std::string_view source;
  std::size_t width, path, root, body, betas;  // the number of betas, which are the last ones
};
// davian-robotics/PHUMA, README; IDEA-Research/Motion-X, README ("Data Loading")
constexpr std::array kRows{RowLayout{"phuma", 69, 0, 3, 6, 0}, RowLayout{"motion-x", 322, 309, 0, 3, 10}};

const RowLayout* layout_of(std::size_t width) noexcept {
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [&](const RowLayout& row) { return row.width == width; });
  return found == kRows.end() ? nullptr : &*found;
}

// joints of an array of one rotation a joint and frame: rotation vectors or matrices; 0: another shape
std::size_t joints_of(const NpyArray& a, bool& matrices) {
  const std::size_t rank = a.shape.size();
  if (!a.is_number() || rank < 2 || a.shape[0] == 0) return 0;
  matrices = rank >= 3 && a.shape[rank - 1] == 3 && a.shape[rank - 2] == 3;
  const std::size_t numbers = a.count / a.shape[0], each = matrices ? 9 : 3;
  return numbers % each == 0 ? numbers / each : 0;
}

std::string model_of(std::size_t joints) {
  return joints == 24 ? "smpl" : joints == 52 ? "smpl-h" : joints == 55 ? "smpl-x" : "smpl body";
}

class Reader {
 public:
  Reader(const NpzArchive& archive, const std::string& name) : archive_(&archive) { poses_.name = name; }

  BodyPoses read() {
    if (!holds_body_poses(*archive_))
      throw FormatError(poses_.name +
                        ": no pose parameters of a body model ('poses' with 'trans' or 'betas')");
    if (const auto whole = archive_->find_first(kWhole)) {
      read_turns(archive_->array(*whole), 0, {24, 52, 55, kBodyJoints});
    } else {
      read_turns(archive_->array(*archive_->find_first(kRoot)), 0, {1});
      read_turns(archive_->array(*archive_->find_first(kBody)), 1, {21, 23});
    }
    read_path();
    read_rate();
    read_betas();
    name_source();
    return std::move(poses_);
  }

 private:
  void read_turns(const NpyArray& a, std::size_t first, std::initializer_list<std::size_t> valid) {
    bool matrices = false;
    const std::size_t joints = joints_of(a, matrices);
    if (std::find(valid.begin(), valid.end(), joints) == valid.end()) {
      std::string widths;
      for (const std::size_t count : valid)
        widths += (widths.empty() ? "" : ", ") + std::to_string(3 * count);
      throw FormatError(a.where + ": must be rotation vectors of shape (frames, N) with N one of " + widths +
                        ", or as many rotation matrices");
    }
    const std::size_t frames = a.shape[0], used = std::min(joints, kBodyJoints - first);
    if (first == 0) {
      frames_ = frames;
      joints_ = joints;
      poses_.turns.assign(frames * kBodyJoints, Vector3d::Zero());
    } else if (frames != frames_) {
      throw FormatError(a.where + ": has " + counted(static_cast<std::int64_t>(frames), "frame") +
                        ", the root " + std::to_string(frames_));
    } else {
      joints_ += joints;
    }
    for (std::size_t k = 0; k < frames; ++k) {
      for (std::size_t j = 0; j < used; ++j)
        poses_.turns[k * kBodyJoints + first + j] = turn(a, k, k * joints + j, matrices);
    }
  }

  static Vector3d turn(const NpyArray& a, std::size_t frame, std::size_t at, bool matrix) {
    Vector3d v;
    if (matrix) {
      Matrix3d R;
      for (std::size_t i = 0; i < 9; ++i)
        R(static_cast<int>(i / 3), static_cast<int>(i % 3)) = a.number(9 * at + i);
      if (!so3::is_rotation(R))
        throw FormatError(a.where + ": frame " + std::to_string(frame) + ": not a rotation matrix");
      return so3::log(so3::project(R));
    }
    for (std::size_t i = 0; i < 3; ++i) v[static_cast<int>(i)] = a.number(3 * at + i);
    if (!(v.norm() < kFarthest))
      throw FormatError(a.where + ": frame " + std::to_string(frame) +
                        ": a rotation is not finite or larger than 1e9 rad");
    return v;
  }

  void read_path() {
    poses_.path.assign(frames_, Vector3d::Zero());
    const auto member = archive_->find_first(kPath);
    poses_.has_path = member.has_value();
    if (!member) {
      poses_.notes.emplace_back("the file has no path of the root ('trans'): the person stays in one place");
      return;
    }
    const NpyArray a = archive_->array(*member);
    if (!a.is_number() || a.count != 3 * frames_ || a.shape[0] != frames_)
      throw FormatError(a.where + ": must be positions of shape (" + std::to_string(frames_) + ", 3)");
    for (std::size_t k = 0; k < frames_; ++k) {
      for (std::size_t i = 0; i < 3; ++i) poses_.path[k][static_cast<int>(i)] = a.number(3 * k + i);
      if (!(poses_.path[k].norm() < kFarthest))
        throw FormatError(a.where + ": frame " + std::to_string(k) +
                          ": the position is not finite or further away than 1e9 m");
    }
  }

  void read_rate() {
    const auto member = archive_->find_first(kRate);
    if (!member) {
      poses_.rate_hz = archive_->find("metadata") ? kHoloSmplRate : kUsualRate;
      poses_.notes.push_back("the file has no rate ('mocap_frame_rate', 'fps'); " +
                             digits(poses_.rate_hz, 3) + " frames per second are assumed");
      return;
    }
    const NpyArray a = archive_->array(*member);
    const double hz = a.is_number() && a.count == 1 ? a.number(0) : 0.0;
    if (!is_rate(hz))
      throw FormatError(a.where + ": must be one number of frames per second between 0.001 and 10000");
    poses_.rate_hz = hz;
  }

  // of the person, or of every frame: then the first one's
  void read_betas() {
    const auto member = archive_->find("betas");
    if (!member) return;
    const NpyArray a = archive_->array(*member);
    if (!a.is_number() || a.shape.empty() || a.shape.size() > 2) return;
    for (std::size_t i = 0; i < std::min(a.shape.back(), a.count); ++i) poses_.betas.push_back(a.number(i));
  }

  void name_source() {
    const bool amass = archive_->find_first(kMocapRate).has_value();
    const bool holo = archive_->find("metadata") && archive_->find("pose_body");
    const bool world = archive_->find("pose_world") || archive_->find("global_orient");
    poses_.source = (amass ? "amass " : holo ? "holosmpl " : "") + model_of(joints_);
    poses_.up = amass || holo ? "z" : world ? "y" : "";
  }

  const NpzArchive* archive_;
  BodyPoses poses_;
  std::size_t frames_ = 0, joints_ = 0;
};

}  // namespace

bool holds_body_poses(const NpzArchive& archive) {
  if (archive.find_first(kPoints)) return false;
  const bool poses = archive.find_first(kWhole) || (archive.find_first(kRoot) && archive.find_first(kBody));
  return poses && (archive.find_first(kPath) || archive.find("betas"));
}

bool is_body_array(const std::vector<std::size_t>& shape) noexcept {
  return shape.size() == 2 && layout_of(shape[1]) != nullptr;
}

BodyPoses read_body_array(const NpyArray& a, const std::string& name) {
  const RowLayout* layout = a.shape.size() == 2 && a.is_number() ? layout_of(a.shape[1]) : nullptr;
  if (layout == nullptr || a.shape[0] == 0)
    throw FormatError(a.where + ": must be numbers of shape (frames, 69) or (frames, 322)");
  BodyPoses poses;
  poses.name = name;
  poses.source = layout->source;
  poses.has_path = true;
  poses.rate_hz = kUsualRate;
  poses.notes.emplace_back("the array has no rate; 30 frames per second are assumed");
  poses.notes.push_back("rows of " + std::to_string(layout->width) + " numbers are taken as those of " +
                        std::string(layout->source));
  poses.turns.assign(a.shape[0] * kBodyJoints, Vector3d::Zero());
  const auto read = [&](std::size_t frame, std::size_t column) {
    Vector3d v;
    for (std::size_t i = 0; i < 3; ++i) v[static_cast<int>(i)] = a.number(frame * layout->width + column + i);
    if (!(v.norm() < kFarthest))
      throw FormatError(a.where + ": frame " + std::to_string(frame) + ", column " + std::to_string(column) +
                        ": not finite");
    return v;
  };
  for (std::size_t k = 0; k < a.shape[0]; ++k) {
    poses.path.push_back(read(k, layout->path));
    poses.turns[k * kBodyJoints] = read(k, layout->root);
    for (std::size_t j = 1; j < kBodyJoints; ++j)
      poses.turns[k * kBodyJoints + j] = read(k, layout->body + 3 * (j - 1));
  }
  for (std::size_t i = 0; i < layout->betas; ++i)
    poses.betas.push_back(a.number(layout->width - layout->betas + i));
  return poses;
}

BodyPoses read_body_poses(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with(kNpyMagic)) return read_body_array(read_npy(std::string(bytes), name), name);
  return read_body_poses(NpzArchive(bytes, name), name);
}

std::string no_body_motion(const NpzArchive& archive) {
  if (archive.find("v_template") && archive.find("J_regressor"))
    return "is a body model (shape of a person), not a recording; give a motion of it, with 'poses' and "
           "'trans'";
  if (archive.find_first(kPoints) || archive.find_first(kWhole) || archive.find_first(kBody)) return {};
  if (archive.find("markers_latent") || archive.find("latent_labels"))
    return "is a first-stage file of AMASS (stagei: body shape and places of markers), not a motion; give "
           "the *_stageii.npz beside it";
  if (archive.find("betas") && archive.find("gender"))
    return "holds the shape of a body (betas), no motion; give the *_poses.npz or *_stageii.npz beside it";
  return {};
}

BodyPoses read_body_poses(const NpzArchive& archive, const std::string& name) {
  return Reader(archive, name).read();
}

}  // namespace panto::io
