// The writer of .mot and .sto; opensim_table.cpp reads them.

#include "panto/io/opensim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/io/human_columns.hpp"
#include "panto/io/isb_columns.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/keypoints/point_geometry.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"

namespace panto::io {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kNumberLength = 25;  // longest shortest double and its tab
constexpr std::size_t kCountDigits = 9;

bool has_extension(std::string_view path, std::string_view extension) {
  return path.size() >= extension.size() &&
         equal_ignoring_case(path.substr(path.size() - extension.size()), extension);
}

// leading zeros keep the field's length and still read as decimal
std::string padded(long long count) {
  std::string digits = std::to_string(count);
  if (digits.size() < kCountDigits) digits.insert(0, kCountDigits - digits.size(), '0');
  return digits;
}

std::vector<std::string> isb_labels() {
  std::vector<std::string> labels;
  for (int i = 0; i < kIsbJointCount; ++i) {
    for (const char* axis : {"_x", "_y", "_z"}) labels.push_back(IsbColumns::joint_name(i) + axis);
  }
  return labels;
}

class OpenSimFile final : public StateFile {
 public:
  OpenSimFile(const Destination& to, const Model& model, const StateFileOptions& options)
      : model_(&model),
        isb_(isb_columns(model, options)),
        muscles_(muscle_columns(model, options)),
        has_deviations_(options.deviations),
        labels_(isb_       ? isb_labels()
                : muscles_ ? muscles_->labels()
                           : opensim_labels(model)),
        file_(to) {
    if (has_deviations_) {
      for (const std::string& joint : model.joint_names()) labels_.push_back(joint + "_sd");
    }
    write_header(has_extension(to.path, ".sto"));
    line_.reserve((labels_.size() + 1) * kNumberLength + 1);
    joints_.resize(model.dof());
  }

  WriteStatus write(const State& state) noexcept override { return write_with(state, {}); }

  WriteStatus write_with(const State& state, const Eigen::VectorXd& deviation) noexcept override {
    if (!is_valid(state, *model_) || (last_ && state.t <= *last_)) return WriteStatus::Dropped;
    line_.clear();
    append_seconds(state.t, line_);
    if (isb_)
      append_isb(state);
    else if (muscles_)
      append_muscles(state);
    else
      append_model(state);
    if (has_deviations_) append_deviation(deviation);
    line_ += '\n';
    if (!file_.write(line_)) return WriteStatus::Dropped;
    last_ = state.t;
    ++rows_;
    return WriteStatus::Written;
  }

  void close() override {
    if (file_.good()) file_.patch(row_count_, padded(rows_));
    file_.close();
  }

 private:
  void write_header(bool storage) {
    // close() throws a failure
    (void)file_.write("Coordinates\nversion=1\nnRows=");
    row_count_ = file_.write_placeholder(padded(0));
    std::string text = "\nnColumns=" + std::to_string(labels_.size() + 1) + "\ninDegrees=yes\n";
    if (storage) text += "DataType=double\n";
    text +=
        "\nUnits are S.I. units (second, meters, Newtons, ...)\nAngles are in degrees.\n\nendheader\ntime";
    for (const std::string& label : labels_) text += "\t" + label;
    (void)file_.write(text + "\n");
    file_.end_header();
  }

  void append(double value) {
    line_ += '\t';
    append_number(value, line_);
  }

  void append_deviation(const Eigen::VectorXd& deviation) {
    const bool known = deviation.size() == model_->dof();
    for (int i = 0; i < model_->dof(); ++i)
      append((known ? deviation[i] : kNoNumber) *
             (model_->joint(i).type == JointType::Prismatic ? 1.0 : kToDegrees));
  }

  void append_model(const State& state) {
    const Eigen::Matrix3d R_OB = R_OW() * state.R_WB * R_OW().transpose();
    base_ = last_ ? euler::nearest(R_OB, euler::ZXY, base_) : euler::from_rotation(R_OB, euler::ZXY);
    for (const double angle : base_) append(angle * kToDegrees);
    const Eigen::Vector3d p_OB = R_OW() * state.p_WB;
    for (const double x : p_OB) append(x);
    for (int i = 0; i < model_->dof(); ++i) {
      if (model_->joint(i).type == JointType::Prismatic) {
        append(state.s[i]);
        continue;
      }
      const bool free = std::isinf(model_->lower()[i]) && std::isinf(model_->upper()[i]);
      joints_[i] = last_ && free ? euler::unwrap(state.s[i], joints_[i]) : state.s[i];
      append(joints_[i] * kToDegrees);
    }
  }

  void append_isb(const State& state) {
    const auto principal = isb_->angles(state);
    for (std::size_t i = 0; i < principal.size(); ++i) {
      // R = R_z R_x R_y. MVN's signs negate an odd number of the angles except at the knees; with z negated
      // back they are angles of a rotation again (the joint's own or its mirror image), and the branches and
      // the gimbal lock at x = 90 degrees, where arms in the T-pose are, can be settled on it.
      const bool knee = i + 1 == HumanSegment::RightLowerLeg || i + 1 == HumanSegment::LeftLowerLeg;
      const double sign = knee ? 1.0 : -1.0;
      const Eigen::Vector3d zxy(sign * principal[i].z(), principal[i].x(), principal[i].y());
      isb_zxy_[i] =
          last_ ? euler::nearest(euler::to_rotation(zxy, euler::ZXY), euler::ZXY, isb_zxy_[i]) : zxy;
      append(isb_zxy_[i][1] * kToDegrees);
      append(isb_zxy_[i][2] * kToDegrees);
      append(sign * isb_zxy_[i][0] * kToDegrees);
    }
  }

  void append_muscles(const State& state) {
    const std::span<const double> values = muscles_->at(state);
    for (std::size_t i = 0; i < values.size(); ++i)
      append(MuscleCoordinates::is_length(i) ? values[i] : values[i] * kToDegrees);
  }

  const Model* model_;
  std::optional<IsbColumns> isb_;  // these two before the file, so that an unsuitable model creates no file
  std::optional<MuscleColumns> muscles_;
  bool has_deviations_;
  std::vector<std::string> labels_;
  PartFile file_;
  int row_count_ = 0;
  long long rows_ = 0;
  std::optional<Time> last_;
  // the last written angles, for continuity
  Eigen::Vector3d base_ = Eigen::Vector3d::Zero();
  Eigen::VectorXd joints_;
  std::array<Eigen::Vector3d, kIsbJointCount> isb_zxy_;
  std::string line_;
};

}  // namespace

const Eigen::Matrix3d& R_OW() noexcept {
  static const Eigen::Matrix3d R = keypoints::from_y_up().transpose();
  return R;
}

std::vector<std::string> opensim_labels(const Model& model) {
  std::vector<std::string> labels{"pelvis_tilt", "pelvis_list", "pelvis_rotation",
                                  "pelvis_tx",   "pelvis_ty",   "pelvis_tz"};
  for (const std::string& joint : model.joint_names()) {
    if (joint.empty() || joint.find_first_of(" \t\r\n") != std::string::npos) {
      throw ConfigError("joint " + in_quotes(joint) + " of model '" + model.name() +
                        "' cannot be a label of an OpenSim file: labels must not contain blanks");
    }
    if (joint == "time" || std::find(labels.begin(), labels.begin() + 6, joint) != labels.begin() + 6) {
      throw ConfigError("joint '" + joint + "' of model '" + model.name() +
                        "' has the name of a base or time column of OpenSim files; rename it");
    }
    labels.push_back(joint);
  }
  return labels;
}

std::unique_ptr<StateFile> create_opensim(const Destination& to, const Model& model,
                                          const StateFileOptions& options) {
  if (!has_extension(to.path, ".mot") && !has_extension(to.path, ".sto")) {
    throw ConfigError("'" + to.path + "' is not an OpenSim file: the extension must be .mot or .sto");
  }
  return std::make_unique<OpenSimFile>(to, model, options);
}

}  // namespace panto::io
