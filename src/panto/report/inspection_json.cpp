// An inspection for programs. The keys are stable and all there; what is not known is null.

#include "panto/base/index.hpp"
#include "panto/report/json.hpp"
#include "panto/report/report.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {
namespace {

using report::Json;
using report::number;

Json pair(const std::array<std::optional<double>, 2>& sides) {
  return Json{{"right", number(sides[0])}, {"left", number(sides[1])}};
}

Json person(const Inspection& in) {
  const LimbLengths& limbs = in.figures.limbs;
  return Json{{"height_m", in.subject ? Json(in.subject->height) : Json(nullptr)},
              {"thigh_m", pair(limbs.thigh)},
              {"shank_m", pair(limbs.shank)},
              {"foot_m", pair(limbs.foot)},
              {"upper_arm_m", pair(limbs.upper_arm)},
              {"forearm_m", pair(limbs.forearm)},
              {"trunk_m", number(limbs.trunk)}};
}

/// The words that programs read since the first edition.
const char* weight(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "remark";
    case Severity::Warning:
      return "suspect";
    case Severity::Error:
      return "fault";
  }
  return "unknown";
}

Json findings(const Inspection& in) {
  Json list = Json::array();
  for (const Finding& o : in.findings) {
    list.push_back(Json{{"kind", to_string(o.kind)},
                        {"weight", weight(o.severity)},
                        {"segment", o.segment.empty() ? Json(nullptr) : Json(o.segment)},
                        {"count", o.count},
                        {"largest", number(o.largest)},
                        {"worst_frame", o.worst_frame},
                        {"worst_s", to_seconds(o.worst_t)},
                        {"text", o.text}});
  }
  return list;
}

Json joint(const Inspection& in, int index) {
  return index >= 0 && at(index) < in.rig_joints.size() ? Json(in.rig_joints[at(index)]) : Json(nullptr);
}

Json segments(const Inspection& in) {
  Json list = Json::object();
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const rig::MapEntry& entry = in.rig->map.segments[at(i)];
    const rig::Offset& offset = in.rig->offsets[at(i)];
    list[std::string(kHumanSegmentNames[at(i)])] =
        Json{{"joint", joint(in, entry.joint)},
             {"next", joint(in, entry.next)},
             {"share", entry.next >= 0 ? Json(entry.share) : Json(nullptr)},
             {"confidence", number(entry.confidence)},
             {"reason", entry.reason},
             {"frame_confidence", offset.valid ? number(offset.confidence) : Json(nullptr)},
             {"frame_reason", offset.valid ? Json(offset.reason) : Json(nullptr)}};
  }
  return list;
}

Json rig_json(const Inspection& in) {
  if (!in.rig) return nullptr;
  const rig::Map& map = in.rig->map;
  Eigen::Index axis = 0;
  const Eigen::Vector3d row = map.R_WF.row(2).transpose();
  row.cwiseAbs().maxCoeff(&axis);
  Json decisions = Json::array(), unmapped = Json::array();
  for (const rig::Decision& d : map.decisions)
    decisions.push_back(Json{
        {"what", d.what}, {"answer", d.answer}, {"reason", d.reason}, {"confidence", number(d.confidence)}});
  for (const int index : map.unmapped) unmapped.push_back(joint(in, index));
  return Json{{"family", map.family},
              {"confidence", number(map.confidence)},
              {"unit_m", number(map.unit)},
              {"up", std::string(row[axis] < 0.0 ? "-" : "") + "xyz"[axis]},
              {"names_swapped", map.names_swapped},
              {"rest_pose", to_string(in.rig->rest)},
              {"segments", segments(in)},
              {"unmapped", std::move(unmapped)},
              {"decisions", std::move(decisions)}};
}

Json skeleton(const Inspection& in) {
  if (!in.skeleton) return nullptr;
  const SkeletonFacts& s = *in.skeleton;
  return Json{{"joint_count", s.joint_count},
              {"root_count", s.root_count},
              {"channel_count", s.channel_count},
              {"frame_time_s", number(s.frame_time_s)},
              {"size_units", s.size},
              {"travel_units", s.travel},
              {"joints", s.joints},
              {"constant", s.constant}};
}

Json mvnx(const Inspection& in) {
  if (!in.mvnx) return nullptr;
  const MvnxFacts& m = *in.mvnx;
  return Json{{"version", m.version},        {"software", m.software},
              {"subject", m.subject},        {"configuration", m.configuration},
              {"segment_count", m.segments}, {"joint_count", m.joints},
              {"sensor_count", m.sensors}};
}

Json json_of_table(const Inspection& in) {
  if (!in.table) return nullptr;
  const TableFacts& t = *in.table;
  return Json{{"name", t.name}, {"data_type", t.data_type}, {"row_count", t.rows}, {"columns", t.columns}};
}

}  // namespace

std::string to_json(const Inspection& in) {
  Json json = Json::object();
  json["file"] = shared_name(in.path);
  json["format"] = in.format;
  json["trackable"] = in.trackable;
  json["refusal"] = in.refusal.empty() ? Json(nullptr) : Json(without_folders(in.refusal, {in.path}));
  json["part"] = in.part.empty() ? Json(nullptr) : Json(in.part);
  json["damage"] = in.damage.empty() ? Json(nullptr) : Json(without_folders(in.damage, {in.path}));
  json["frames"] = in.figures.frames > 0 ? Json(in.figures.frames) : Json(nullptr);
  json["file_frames"] = in.file_frames ? Json(*in.file_frames) : Json(nullptr);
  json["duration_s"] = number(in.figures.duration_s);
  json["rate_hz"] = in.rate_hz > 0.0 ? number(std::optional<double>(in.rate_hz)) : Json(nullptr);
  json["stated_rate_hz"] = number(in.stated_rate_hz);
  json["rest_pose_dropped"] = in.rest_pose_dropped ? Json(*in.rest_pose_dropped) : Json(nullptr);
  json["rest_pose_reason"] = in.rest_pose_reason.empty() ? Json(nullptr) : Json(in.rest_pose_reason);
  json["has_angular_velocity"] = in.has_angular_velocity;
  json["has_linear_velocity"] = in.has_linear_velocity;
  json["floor_m"] = number(in.figures.floor_m);
  json["travel_m"] = number(in.figures.travel_m);
  json["person"] = person(in);
  json["oddities"] = findings(in);
  json["rig"] = rig_json(in);
  json["skeleton"] = skeleton(in);
  json["mvnx"] = mvnx(in);
  json["table"] = json_of_table(in);
  json["notes"] = without_folders(in.notes, {in.path});
  json["verdict"] = report::verdict_value(verdict_of(in));
  return report::dumped(json);
}

}  // namespace panto
