// An inspection for people: what is odd, the motion, the person, the skeleton, the notes.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/report/paragraph.hpp"
#include "panto/report/report.hpp"

namespace panto {
namespace {

std::string head(const Inspection& in) {
  if (!in.trackable) {
    // the verdict names the file
    const bool named = in.refusal.starts_with(in.path + ":");
    const std::string_view why = std::string_view(in.refusal).substr(named ? in.path.size() + 1 : 0);
    const std::size_t begin = std::min(why.find_first_not_of(' '), why.size());
    return paragraph("not trackable", why.substr(begin), kLabel + 2);
  }
  return in.damage.empty() ? "" : paragraph("damaged", in.damage);
}

std::string findings(const Inspection& in) {
  if (in.findings.empty()) return "";
  std::string out = "\nFindings\n";
  for (const Finding& finding : in.findings) out += paragraph(to_string(finding.severity), finding.text);
  return out;
}

constexpr double kSure = 0.7;   // decisions of less confidence are uncertain ...
constexpr double kTwist = 0.4;  // ... and so are axes of segments

// What a user should look at before using the motion.
std::string uncertain(const Inspection& in) {
  if (!in.rig) return "";
  std::string out;
  for (const rig::Decision& d : in.rig->map.decisions) {
    if (d.confidence < kSure && d.what != "person")
      out += paragraph(d.what, d.answer + fmt::format(" ({:.2f}): ", d.confidence) + d.reason, kLabel + 2);
  }
  std::vector<std::string> twisted;
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const rig::Offset& offset = in.rig->offsets[at(i)];
    if (in.trackable && offset.valid && offset.confidence < kTwist)
      twisted.emplace_back(kHumanSegmentNames[at(i)]);
  }
  if (!twisted.empty()) out += paragraph("axes of", listed(twisted, 20, " "));
  return out.empty() ? out : "\nUncertain (confidence)\n" + out;
}

// whether a note repeats an uncertain decision
bool repeats(const Inspection& in, const std::string& note) {
  return in.rig &&
         std::any_of(in.rig->map.decisions.begin(), in.rig->map.decisions.end(), [&](const auto& d) {
           return d.confidence < kSure && note.starts_with(d.what + ": " + d.answer);
         });
}

// millimetres count; -0.0004 is 0
std::string metres(double value) { return decimals(std::round(1e3 * value) * 1e-3 + 0.0, 3); }

std::string motion(const Inspection& in) {
  std::string out = "\nMotion\n";
  const std::int64_t frames = in.figures.frames > 0 ? in.figures.frames : in.file_frames.value_or(0);
  std::string length = counted(frames, "frame");
  if (in.figures.duration_s) length = fmt::format("{:.2f} s, ", *in.figures.duration_s) + length;
  out += paragraph("length", length);
  std::string rate = in.rate_hz > 0.0 ? fmt::format("{:.6g} Hz", in.rate_hz) : "unknown";
  if (in.stated_rate_hz)
    rate += fmt::format(", snapped from the {:.8g} Hz of the rounded frame time", *in.stated_rate_hz);
  out += paragraph("rate", rate);
  if (in.rest_pose_dropped) {
    out += paragraph("first frame", *in.rest_pose_dropped
                                        ? "left out as the exporter's rest pose: " + in.rest_pose_reason
                                        : "part of the motion: " + in.rest_pose_reason);
  }
  if (in.trackable) {
    out += paragraph("velocities", in.has_angular_velocity && in.has_linear_velocity
                                       ? "measured, angular and linear"
                                   : in.has_angular_velocity ? "measured, angular only"
                                   : in.has_linear_velocity  ? "measured, linear only"
                                                             : "none; taken from differences of poses");
  }
  if (in.figures.floor_m)
    out += paragraph("floor", "lowest foot joint at z = " + metres(*in.figures.floor_m) + " m");
  if (in.figures.travel_m) {
    out += paragraph("travel", *in.figures.travel_m < 0.005
                                   ? "the pelvis stays in place"
                                   : fmt::format("the pelvis stays within {:.2f} m", *in.figures.travel_m));
  }
  return out;
}

std::string limb(const char* name, const std::array<std::optional<double>, 2>& length) {
  if (!length[0] && !length[1]) return "";
  const auto number = [](std::optional<double> value) {
    return value ? fmt::format("{:.3f}", *value) : std::string("-");
  };
  return paragraph(name, fmt::format("{}  {}", number(length[0]), number(length[1])));
}

std::string person(const Inspection& in) {
  const LimbLengths& limbs = in.figures.limbs;
  std::string out = limb("thigh", limbs.thigh) + limb("shank", limbs.shank) + limb("foot", limbs.foot) +
                    limb("upper arm", limbs.upper_arm) + limb("forearm", limbs.forearm);
  if (!out.empty()) out = paragraph("", "right  left [m]") + out;
  if (limbs.trunk) out += paragraph("trunk", fmt::format("{:.3f}  hips to neck", *limbs.trunk));
  if (in.subject) out = paragraph("height", fmt::format("{:.2f} m", in.subject->height)) + out;
  return out.empty() ? out : "\nPerson\n" + out;
}

std::string up_axis(const rig::Rig& rig) {
  Eigen::Index axis = 0;
  const Eigen::Vector3d row = rig.map.R_WF.row(2).transpose();
  row.cwiseAbs().maxCoeff(&axis);
  return std::string(row[axis] < 0.0 ? "-" : "") + "xyz"[axis];
}

std::string joint_name(const Inspection& in, int joint) {
  return joint >= 0 && at(joint) < in.rig_joints.size() ? in.rig_joints[at(joint)] : "-";
}

std::string rig_text(const Inspection& in) {
  if (!in.rig) return "";
  const rig::Map& map = in.rig->map;
  std::string out = "\nHow the skeleton is understood\n";
  out += paragraph("family", map.family + fmt::format(", confidence {:.2f}", map.confidence));
  out += paragraph("rest pose", to_string(in.rig->rest));
  if (map.decisions.empty())
    out += paragraph("unit, up axis",
                     fmt::format("1 unit is {:.6g} m; ", map.unit) + up_axis(*in.rig) + " is up");
  if (map.names_swapped) out += paragraph("sides", "the names say left where the body is right");
  for (const rig::Decision& d : map.decisions)
    out += paragraph(d.what, d.answer + fmt::format(" ({:.2f}): ", d.confidence) + d.reason, kLabel + 2);
  out += "\nSegment, joint, confidence of that and of the segment's axes, reason\n";
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const rig::MapEntry& entry = map.segments[at(i)];
    const std::string name(kHumanSegmentNames[at(i)]);
    if (entry.joint < 0) {
      out += paragraph(name, "not measured" + (entry.reason.empty() ? "" : "; " + entry.reason));
      continue;
    }
    std::string joint = joint_name(in, entry.joint);
    if (entry.next >= 0) joint += fmt::format(" +{:.2f} to ", entry.share) + joint_name(in, entry.next);
    const rig::Offset& offset = in.rig->offsets[at(i)];
    joint += fmt::format("  {:.2f}", entry.confidence);
    if (offset.valid) joint += fmt::format(" {:.2f}", offset.confidence);
    out += paragraph(name, joint + "  " + entry.reason);
  }
  std::vector<std::string> unmapped;
  for (const int joint : map.unmapped) unmapped.push_back(joint_name(in, joint));
  if (!unmapped.empty()) out += paragraph("unmapped", listed(unmapped, 20, " "));
  return out;
}

std::string count(std::size_t number, const char* noun) {
  return counted(static_cast<std::int64_t>(number), noun);
}

std::string contents(const Inspection& in) {
  std::string out;
  if (in.mvnx) {
    out += paragraph("mvnx", "version " + in.mvnx->version + (in.mvnx->software.empty() ? "" : ", MVN ") +
                                 in.mvnx->software);
    if (!in.mvnx->subject.empty()) out += paragraph("subject", in.mvnx->subject);
    if (!in.mvnx->configuration.empty()) out += paragraph("suit", in.mvnx->configuration);
    out += paragraph("holds", count(in.mvnx->segments, "segment") + ", " + count(in.mvnx->joints, "joint") +
                                  ", " + count(in.mvnx->sensors, "sensor"));
  }
  if (in.skeleton) {
    const SkeletonFacts& s = *in.skeleton;
    out += paragraph("skeleton", count(s.joint_count, "joint") + " in " + count(s.root_count, "tree") + ", " +
                                     count(s.channel_count, "channel"));
    out += paragraph("rest pose box", fmt::format("{:.5g} x {:.5g} x {:.5g} units along x, y, z", s.size[0],
                                                  s.size[1], s.size[2]));
    out += paragraph("root travels",
                     fmt::format("{:.5g} x {:.5g} x {:.5g} units", s.travel[0], s.travel[1], s.travel[2]));
    if (!s.constant.empty()) out += paragraph("never turn", listed(s.constant, 20, " "));
    if (!in.trackable) out += paragraph("joints", listed(s.joints, 60, " "));
  }
  if (in.table) {
    out += paragraph("table", in.table->name + (in.table->name.empty() ? "" : ": ") +
                                  count(in.table->rows, "row") + " of " +
                                  count(in.table->columns.size(), "column"));
    out += paragraph("columns", listed(in.table->columns, 40, " "));
  }
  return out.empty() ? out : "\nIn the file\n" + out;
}

std::string notes(const Inspection& in) {
  std::string out;
  for (const std::string& note : in.notes) {
    if (note != in.damage && !repeats(in, note)) out += paragraph("-", note, 4);
  }
  return out.empty() ? out : "\nNotes of the reader\n" + out;
}

}  // namespace

std::string findings_text(const Inspection& inspection) {
  return uncertain(inspection) + findings(inspection) + notes(inspection);
}

std::string to_text(const Inspection& inspection) {
  return head(inspection) + uncertain(inspection) + findings(inspection) + motion(inspection) +
         person(inspection) + rig_text(inspection) + contents(inspection) + notes(inspection);
}

}  // namespace panto
