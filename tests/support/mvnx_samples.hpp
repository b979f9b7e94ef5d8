#pragma once
// Small MVNX texts of both versions, made in code: a person of average proportions who moves every joint a
// little. Tests damage them with `replaced`.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/isb_angles.hpp"

namespace panto::test {

struct MvnxSample {
  int version = 4;                     ///< which conventions the data follow
  std::string version_attribute = {};  ///< empty: `version`
  int frames = 3;
  std::string rate = "60";
  std::vector<std::string> props = {};  ///< segments beyond the 23
  bool positions = true;
  bool velocities = true;
  bool end_points = true;
};

/// Poses of the 23 segments in T-pose frames at frame `k` of every sample.
struct MvnxPose {
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R;
  std::array<Eigen::Vector3d, kHumanSegmentCount> p, v, w;
};

inline MvnxPose mvnx_pose(int k) {
  const SubjectDimensions subject = scaled_subject(1.75);
  MvnxPose pose;
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const double a = 0.1 * static_cast<double>(i + 1), phase = 0.3 * k;
    const Eigen::Matrix3d turn = euler::to_rotation(
        {0.3 * std::sin(a + phase), 0.2 * std::cos(3.0 * a + phase), 0.25 * std::sin(2.0 * a - phase)},
        euler::XYZ);
    if (i == 0) {
      pose.R[0] = turn;
      pose.p[0] = {0.1 * k, 0.02 * k, 0.95};
    } else {
      const auto parent = static_cast<std::size_t>(kHumanSegmentParent[i]);
      pose.R[i] = pose.R[parent] * turn;
      pose.p[i] = pose.p[parent] + pose.R[parent] * subject.origin[i];
    }
    pose.v[i] = {0.1 * a, 0.01 * k, -0.3};
    pose.w[i] = {0.5 - a, 0.02 * k, 0.7};
  }
  return pose;
}

/// R_ST of version 3: T-pose frame of an arm segment in the frame that the file states.
inline Eigen::Matrix3d mvnx3_arm(std::size_t i) {
  const bool right = i >= HumanSegment::RightUpperArm && i <= HumanSegment::RightHand,
             left = i >= HumanSegment::LeftUpperArm && i <= HumanSegment::LeftHand;
  if (!right && !left) return Eigen::Matrix3d::Identity();
  return so3::about_axis(0, (right ? 0.5 : -0.5) * std::numbers::pi);
}

namespace detail {

inline std::string mvnx_numbers(const double* values, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += fmt::format("{}{:.6f}", i == 0 ? "" : " ", values[i]);
  return out;
}

template <typename Vectors>
std::string mvnx_vector(const char* element, const Vectors& vectors, const std::string& props = "") {
  std::string text;
  for (const auto& v : vectors)
    text += (text.empty() ? "" : " ") + mvnx_numbers(v.data(), static_cast<std::size_t>(v.size()));
  return fmt::format("<{0}>{1}{2}</{0}>\n", element, text, props);
}

inline std::string mvnx_joint(const MvnxSample& sample, std::size_t child) {
  std::string label(kHumanJointNames[child]);
  if (sample.version < 4 && (child == HumanSegment::RightShoulder || child == HumanSegment::LeftShoulder))
    label.replace(label.find("T4"), 2, "C7");
  return label;
}

inline std::string mvnx_segments(const MvnxSample& sample) {
  const SubjectDimensions subject = scaled_subject(1.75);
  const char* element = sample.version < 4 ? "pos_s" : "pos_b";
  const auto point = [&](const std::string& label, const Eigen::Vector3d& p) {
    return fmt::format("<point label=\"{0}\"><{1}>{2}</{1}></point>\n", label, element,
                       mvnx_numbers(p.data(), 3));
  };
  static constexpr std::array<std::string_view, kHumanSegmentCount> ends{"",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         "pTopOfHead",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         "pRightTopOfHand",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         "pLeftTopOfHand",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         "pRightToe",
                                                                         "",
                                                                         "",
                                                                         "",
                                                                         "pLeftToe"};
  std::string out = "<segments>\n";
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    // attributes in either order exist
    out += i % 2 == 0
               ? fmt::format("<segment label=\"{}\" id=\"{}\">\n<points>\n", kHumanSegmentNames[i], i + 1)
               : fmt::format("<segment id=\"{1}\" label=\"{0}\">\n<points>\n", kHumanSegmentNames[i], i + 1);
    out += point(i == 0 ? "pHipOrigin" : mvnx_joint(sample, i), Eigen::Vector3d::Zero());
    for (std::size_t c = i + 1; c < kHumanSegmentCount; ++c) {
      if (kHumanSegmentParent[c] == static_cast<int>(i))
        out += point(mvnx_joint(sample, c), subject.origin[c]);
    }
    if (sample.end_points && !ends[i].empty()) out += point(std::string(ends[i]), 1.1 * subject.end[i]);
    out += "</points>\n</segment>\n";
  }
  for (std::size_t i = 0; i < sample.props.size(); ++i)
    out += fmt::format("<segment label=\"{}\" id=\"{}\"><points/></segment>\n", sample.props[i], 24 + i);
  return out + "</segments>\n";
}

inline std::string mvnx_poses(const MvnxSample& sample, const MvnxPose& pose) {
  std::array<Eigen::Vector4d, kHumanSegmentCount> q;
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const Eigen::Matrix3d R_TS =
        sample.version < 4 ? Eigen::Matrix3d(mvnx3_arm(i).transpose()) : Eigen::Matrix3d::Identity();
    q[i] = so3::to_quaternion_wxyz(pose.R[i] * R_TS);
  }
  std::string unit, zero;
  for (std::size_t i = 0; i < sample.props.size(); ++i) {
    unit += " 0.6 0.0 0.8 0.0";
    zero += " 0.1 0.2 0.3";
  }
  std::string out = mvnx_vector("orientation", q, unit);
  if (sample.positions) out += mvnx_vector("position", pose.p, zero);
  if (sample.velocities) {
    out += mvnx_vector("velocity", pose.v, zero);
    out += mvnx_vector("angularVelocity", pose.w, zero);
  }
  return out;
}

inline std::string mvnx_special(const MvnxSample& sample, const char* type, const char* index, bool isb) {
  MvnxPose pose = mvnx_pose(0);
  const SubjectDimensions subject = scaled_subject(1.75);
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    pose.R[i] = isb ? standard_isb_frames()[i] : Eigen::Matrix3d::Identity();
    pose.p[i] =
        i == 0
            ? Eigen::Vector3d(0.0, 0.0, 0.9)
            : Eigen::Vector3d(pose.p[static_cast<std::size_t>(kHumanSegmentParent[i])] + subject.origin[i]);
  }
  MvnxSample only_poses = sample;
  only_poses.velocities = false;
  return fmt::format("<frame time=\"0\"{} tc=\"00:00:00:00\" ms=\"0\" type=\"{}\">\n{}</frame>\n", index,
                     type, mvnx_poses(only_poses, pose));
}

inline std::string mvnx_normal(const MvnxSample& sample, int k) {
  const MvnxPose pose = mvnx_pose(k);
  // version 3's own frames are ISB frames: the formula works on them as they are
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R_T_isb = standard_isb_frames();
  if (sample.version < 4) {
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) R_T_isb[i] = mvnx3_arm(i).transpose();
  }
  auto angles = isb_angles(pose.R, R_T_isb);
  for (auto& angle : angles) angle *= 180.0 / std::numbers::pi;
  const std::string code =
      sample.version < 4 ? fmt::format("15:59:46:{:03}", 65 + k) : fmt::format("04:17:11:{}", 50 + k);
  std::string out =
      fmt::format("<frame time=\"{}\" index=\"{}\" tc=\"{}\" ms=\"15420826{:02}\" type=\"normal\">\n",
                  std::lround(k * 1000.0 / 60.0), k, code, k);
  out += mvnx_poses(sample, pose);
  out += "<footContacts>1 1 1 0</footContacts>\n";
  out += fmt::format("<{0}>0.1 0.2 0.3 0.4 0.5 0.6</{0}>\n",
                     sample.version < 4 ? "sensorAcceleration" : "sensorFreeAcceleration");
  out += mvnx_vector("jointAngle", angles);
  return out + "<centerOfMass>0.03 -0.01 0.05</centerOfMass>\n</frame>\n";
}

}  // namespace detail

/// A whole file.
inline std::string mvnx_text(const MvnxSample& sample = {}) {
  const bool v3 = sample.version < 4;
  const std::size_t count = kHumanSegmentCount + sample.props.size();
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!-- Uncomment this part to use the DTD.\n<!DOCTYPE mvnx SYSTEM "
      "\"http://www.xsens.com/mvn/mvnx/schema.dtd\">\n-->\n"
      "<mvnx xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns=\"http://www.xsens.com/mvn/mvnx\" "
      "xsi:schemaLocation=\"http://www.xsens.com/mvn/mvnx http://www.xsens.com/mvn/mvnx/schema.xsd\" "
      "version=\"{}\">\n"
      "<mvn version=\"{}\" build=\"x\"/>\n<comment>&lt;none&gt;</comment>\n"
      "<subject label=\"S1\" torsoColor=\"#e96417\" frameRate=\"{}\" segmentCount=\"{}\" "
      "recDate=\"gio nov 3 16:59:46 2016\" originalFilename=\"C:\\Users\\Andr\xc3\xa9\\a&amp;b.mvn\"{}>\n"
      "<comment></comment>\n",
      sample.version_attribute.empty() ? std::to_string(sample.version) : sample.version_attribute,
      v3 ? "4.2.4" : "2019.0.0", sample.rate, count,
      v3 ? "" : " configuration=\"FullBody\" userScenario=\"singleLevel\"");
  out += detail::mvnx_segments(sample);
  out += "<sensors><sensor label=\"Pelvis\"/><sensor label=\"T8\"/></sensors>\n<joints>\n";
  for (std::size_t c = 1; c < kHumanSegmentCount; ++c) {
    out += fmt::format(
        "<joint label=\"{0}\"><connector1>{1}/{0}</connector1><connector2>{2}/{0}</connector2></joint>\n",
        detail::mvnx_joint(sample, c), kHumanSegmentNames[static_cast<std::size_t>(kHumanSegmentParent[c])],
        kHumanSegmentNames[c]);
  }
  out += "</joints>\n";
  if (!v3) {
    out +=
        "<footContactDefinition><contactDefinition label=\"LeftFoot_Heel\" index=\"0\"/><contactDefinition "
        "label=\"LeftFoot_Toe\" index=\"1\"/><contactDefinition label=\"RightFoot_Heel\" index=\"2\"/>"
        "<contactDefinition label=\"RightFoot_Toe\" index=\"3\"/></footContactDefinition>\n";
  }
  out += fmt::format("<frames segmentCount=\"{}\" sensorCount=\"2\" jointCount=\"22\">\n", count);
  if (v3) {
    out += detail::mvnx_special(sample, "npose", " index=\"-3\"", false);
    out += detail::mvnx_special(sample, "tpose", " index=\"-2\"", false);
  } else {
    out += detail::mvnx_special(sample, "identity", "", false);
    out += detail::mvnx_special(sample, "tpose", "", false);
    out += detail::mvnx_special(sample, "tpose-isb", "", true);
  }
  for (int k = 0; k < sample.frames; ++k) out += detail::mvnx_normal(sample, k);
  return out + "</frames>\n</subject>\n<securityCode code=\"0badc0de\"/>\n</mvnx>\n";
}

/// `text` with the first (or every) `from` replaced; fails the test when there is none.
inline std::string replaced(std::string text, std::string_view from, std::string_view to,
                            bool every = false) {
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the sample has no '" << from << "'";
  for (; at != std::string::npos; at = every ? text.find(from, at + to.size()) : std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

inline std::unique_ptr<std::istream> stream_of(std::string_view text) {
  return std::make_unique<std::istringstream>(std::string(text));
}

}  // namespace panto::test
