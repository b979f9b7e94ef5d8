// A run as the text that the page reads. Arrays are little-endian bytes in base64, described where they
// stand.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "panto/base/index.hpp"
#include "panto/evaluation/timeline.hpp"
#include "panto/io/base64.hpp"
#include "panto/math/so3.hpp"
#include "panto/report/json.hpp"
#include "panto/report/page_json.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {
namespace {

using report::Json;

constexpr std::uint16_t kNothing = 0xffff;  // in quantised arrays: not known
constexpr double kSteps = 65534.0;          // values from 0 on

// ---- arrays -----------------------------------------------------------------------------------------------

template <typename T>
void append_bytes(T value, std::string& bytes) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

// rows x columns of T, as they are
template <typename T, typename Value>
Json plain(const char* type, const Timeline& timeline, int columns, const Value& value) {
  std::string bytes;
  bytes.reserve(timeline.shown.size() * at(columns) * sizeof(T));
  for (const TimelineFrame& frame : timeline.shown) {
    for (int column = 0; column < columns; ++column)
      append_bytes(static_cast<T>(value(frame, column)), bytes);
  }
  return Json{{"type", type}, {"columns", columns}, {"data", io::to_base64(bytes)}};
}

// A mesh: its points in 16 bits by axis, and three points of each triangle.
Json mesh_json(const Model& model, const io::LinkMesh& shape) {
  const io::TriangleMesh& mesh = shape.mesh;
  if (mesh.points.size() > 65536)
    throw ConfigError("the page: a mesh of '" + shape.link + "' has more than 65536 points");
  Eigen::Vector3f low = Eigen::Vector3f::Zero(), high = low;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    low = i == 0 ? mesh.points[i] : Eigen::Vector3f(low.cwiseMin(mesh.points[i]));
    high = i == 0 ? mesh.points[i] : Eigen::Vector3f(high.cwiseMax(mesh.points[i]));
  }
  const Eigen::Vector3d offset = low.cast<double>(), step = (high - low).cast<double>() / kSteps;
  std::string points, triangles;
  for (const Eigen::Vector3f& p : mesh.points) {
    for (int i = 0; i < 3; ++i) {
      const double code = step[i] > 0.0 ? std::round((static_cast<double>(p[i]) - offset[i]) / step[i]) : 0.0;
      append_bytes(static_cast<std::uint16_t>(std::clamp(code, 0.0, kSteps)), points);
    }
  }
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t point : triangle) append_bytes(static_cast<std::uint16_t>(point), triangles);
  Json rgba = nullptr;
  if (shape.rgba) rgba = *shape.rgba;
  return {{"link", model.link_index(shape.link)},
          {"rgba", std::move(rgba)},
          {"points",
           {{"type", "q16"},
            {"columns", 3},
            {"offset", {offset.x(), offset.y(), offset.z()}},
            {"scale", {step.x(), step.y(), step.z()}},
            {"data", io::to_base64(points)}}},
          {"triangles", {{"type", "u16"}, {"columns", 3}, {"data", io::to_base64(triangles)}}}};
}

// rows x columns of numbers in 16 bits: offset + scale * code by column, 65535 where nothing is known
template <typename Value>
Json quantised(const Timeline& timeline, int columns, const Value& value) {
  std::vector<double> offset(at(columns), 0.0), scale(at(columns), 0.0);
  for (int column = 0; column < columns; ++column) {
    double lowest = kInfinity, highest = -kInfinity;
    for (const TimelineFrame& frame : timeline.shown) {
      const double x = value(frame, column);
      if (!std::isfinite(x)) continue;
      lowest = std::min(lowest, x);
      highest = std::max(highest, x);
    }
    if (lowest > highest) continue;
    offset[at(column)] = lowest;
    scale[at(column)] = (highest - lowest) / kSteps;
  }
  std::string bytes;
  bytes.reserve(timeline.shown.size() * at(columns) * sizeof(std::uint16_t));
  for (const TimelineFrame& frame : timeline.shown) {
    for (int column = 0; column < columns; ++column) {
      const double x = value(frame, column), step = scale[at(column)];
      const double code = step > 0.0 ? std::round((x - offset[at(column)]) / step) : 0.0;
      append_bytes(std::isfinite(x) ? static_cast<std::uint16_t>(std::clamp(code, 0.0, kSteps)) : kNothing,
                   bytes);
    }
  }
  return Json{{"type", "q16"},
              {"columns", columns},
              {"offset", std::move(offset)},
              {"scale", std::move(scale)},
              {"data", io::to_base64(bytes)}};
}

// ---- parts ------------------------------------------------------------------------------------------------

Json vector(const Eigen::Vector3d& v) { return Json{v.x(), v.y(), v.z()}; }

Json quaternion(const Eigen::Matrix3d& R) {
  const Eigen::Vector4d q = so3::to_quaternion_wxyz(R);
  return Json{q[0], q[1], q[2], q[3]};
}

Json optional(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json link_json(const Link& link) {
  Json json{{"name", link.name}, {"com", vector(link.com)}, {"mass", link.mass}};
  for (const Eigen::Vector3d& corner : link.corners) json["corners"].push_back(vector(corner));
  for (const LinkCapsule& capsule : link.capsules) {
    const Eigen::Vector3d &a = capsule.from, &b = capsule.to;
    json["capsules"].push_back({a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), capsule.radius});
  }
  return json;
}

Json model_json(const Model& model) {
  Json links = Json::array(), joints = Json::array();
  for (const Link& link : model.links()) links.push_back(link_json(link));
  for (const Joint& joint : model.all_joints()) {
    const auto dof = joint.type == JointType::Fixed ? std::nullopt : model.find_joint(joint.name);
    joints.push_back({{"name", joint.name},
                      {"type", to_string(joint.type)},
                      {"parent", model.link_index(joint.parent)},
                      {"child", model.link_index(joint.child)},
                      {"q_PJ_wxyz", quaternion(joint.R_PJ)},
                      {"p_PJ", vector(joint.p_PJ)},
                      {"axis", vector(joint.axis)},
                      {"dof", dof ? Json(*dof) : Json(nullptr)},
                      {"lower", joint.lower},
                      {"upper", joint.upper}});
  }
  return {{"name", model.name()},
          {"root", model.root_link()},
          {"dof", model.dof()},
          {"links", std::move(links)},
          {"joints", std::move(joints)}};
}

// the link that a link hangs on; -1 for the root
std::vector<int> link_parents(const Model& model) {
  std::vector<int> parents(at(model.link_count()), -1);
  for (const Joint& joint : model.all_joints())
    parents[at(model.link_index(joint.child))] = model.link_index(joint.parent);
  return parents;
}

// The link of every segment, -1 for none: the one that is judged against it, else the one of its name. (Of a
// hand there may be a place and no orientation.)
std::vector<int> links_of_segments(const Model& model, const std::vector<TrackedPair>& pairs,
                                   const ReportPageInfo& info) {
  std::vector<int> links;
  for (const std::string& segment : info.segments) links.push_back(model.find_link(segment).value_or(-1));
  for (const TrackedPair& pair : pairs) {
    if (at(pair.segment) < links.size()) links[at(pair.segment)] = pair.link;
  }
  return links;
}

// Segments that no other hangs on: what they are turned like shows in no other's place.
std::vector<int> ends_of(const std::vector<std::string>& segments) {
  std::vector<int> ends;
  for (const char* name : {"Head", "RightHand", "LeftHand", "RightToe", "LeftToe"}) {
    const auto found = std::find(segments.begin(), segments.end(), name);
    if (found != segments.end()) ends.push_back(static_cast<int>(found - segments.begin()));
  }
  return ends;
}

// Which segments the source's skeleton joins: those whose links follow each other on the model's tree.
Json source_json(const Model& model, const std::vector<TrackedPair>& pairs, const ReportPageInfo& info) {
  const std::vector<int> link_parent = link_parents(model), links = links_of_segments(model, pairs, info);
  std::vector<int> segment_of(at(model.link_count()), -1), parent(links.size(), -1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i] >= 0) segment_of[at(links[i])] = static_cast<int>(i);
  }
  for (const TrackedPair& pair : pairs) {
    if (at(pair.segment) < links.size()) segment_of[at(pair.link)] = pair.segment;
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    int link = links[i] < 0 ? -1 : link_parent[at(links[i])];
    while (link >= 0 && segment_of[at(link)] < 0) link = link_parent[at(link)];
    if (link >= 0) parent[i] = segment_of[at(link)];
  }
  return {{"names", info.segments}, {"parent", parent}, {"ends", ends_of(info.segments)}};
}

Json pairs_json(const Model& model, const std::vector<TrackedPair>& pairs, const Timeline& timeline) {
  Json json = Json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PairSummary summary = i < timeline.pairs.size() ? timeline.pairs[i] : PairSummary{};
    json.push_back({{"segment", pairs[i].segment},
                    {"link", model.link_names()[at(pairs[i].link)]},
                    {"mean_rad", optional(summary.mean)},
                    {"max_rad", optional(summary.max)},
                    {"max_s", summary.max ? Json(to_seconds(summary.max_t)) : Json(nullptr)}});
  }
  return json;
}

const char* kind_name(MomentKind kind) {
  switch (kind) {
    case MomentKind::OrientationError:
      return "orientation_error";
    case MomentKind::OriginDistance:
      return "origin_distance";
    case MomentKind::LimitViolation:
      return "limit_violation";
    case MomentKind::JointSpeed:
      return "joint_speed";
    case MomentKind::StepTime:
      return "step_time";
    case MomentKind::NoAnswer:
      return "no_answer";
  }
  return "";
}

// the name of what a moment is about: a segment's link, a joint, a status
std::string item_name(const Moment& moment, const Model& model, const std::vector<TrackedPair>& pairs) {
  switch (moment.kind) {
    case MomentKind::OrientationError:
    case MomentKind::OriginDistance:
      return model.link_names()[at(pairs[at(moment.item)].link)];
    case MomentKind::LimitViolation:
    case MomentKind::JointSpeed:
      return model.joint_names()[at(moment.item)];
    case MomentKind::NoAnswer:
      return to_string(static_cast<StepStatus>(moment.item));
    case MomentKind::StepTime:
      break;
  }
  return "";
}

Json moments_json(const Model& model, const std::vector<TrackedPair>& pairs, const Timeline& timeline) {
  Json json = Json::array();
  for (const Moment& moment : timeline.moments) {
    json.push_back({{"kind", kind_name(moment.kind)},
                    {"t", to_seconds(moment.t)},
                    {"value", moment.value},
                    {"item", item_name(moment, model, pairs)}});
  }
  return json;
}

Json rig_json(const ReportPageResult& result) {
  if (!result.rig) return nullptr;
  const auto joint_name = [&](int joint) {
    if (joint < 0) return Json(nullptr);
    if (at(joint) < result.rig_joints.size()) return Json(result.rig_joints[at(joint)]);
    return Json("joint " + std::to_string(joint + 1));
  };
  const rig::Map& map = result.rig->map;
  Json segments = Json::array(), decisions = Json::array(), unmapped = Json::array();
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const rig::MapEntry& entry = map.segments[at(i)];
    const rig::Offset& offset = result.rig->offsets[at(i)];
    segments.push_back({{"segment", kHumanSegmentNames[at(i)]},
                        {"joint", joint_name(entry.joint)},
                        {"next", joint_name(entry.next)},
                        {"share", entry.share},
                        {"confidence", entry.confidence},
                        {"reason", entry.reason},
                        {"frame_confidence", offset.valid ? Json(offset.confidence) : Json(nullptr)},
                        {"frame_reason", offset.reason}});
  }
  for (const rig::Decision& decision : map.decisions) {
    decisions.push_back({{"what", decision.what},
                         {"answer", decision.answer},
                         {"reason", decision.reason},
                         {"confidence", decision.confidence}});
  }
  for (const int joint : map.unmapped) unmapped.push_back(joint_name(joint));
  return {{"family", map.family},
          {"unit", map.unit},
          {"confidence", map.confidence},
          {"names_swapped", map.names_swapped},
          {"segments", std::move(segments)},
          {"decisions", std::move(decisions)},
          {"unmapped", std::move(unmapped)}};
}

// By joint 1 where its limits count.
std::vector<unsigned char> limits_count(const Model& model, const std::vector<std::string>& unmeasured) {
  std::vector<unsigned char> count(at(model.dof()), 1);
  for (const std::string& joint : unmeasured)
    if (const auto i = model.find_joint(joint)) count[at(*i)] = 0;
  return count;
}

// The orientations of the source's last segments.
Json ends_json(const std::vector<int>& ends, const Timeline& timeline) {
  return quantised(timeline, 4 * static_cast<int>(ends.size()), [&](const TimelineFrame& frame, int column) {
    const auto segment = at(ends[at(column / 4)]);
    return segment < frame.source_turn.size() ? frame.source_turn[segment].coeffs()[column % 4]
                                              : TimelineFrame::kUnknown;
  });
}

// By shown frame and foot: 1: the heel is in contact, 2: the ball, 3: both.
Json contacts_json(const Timeline& timeline, const std::vector<LinkContacts>& feet) {
  Json links = Json::array();
  for (const LinkContacts& foot : feet) links.push_back(foot.link);
  std::string bytes;
  for (std::size_t i = 0; i < timeline.shown.size(); ++i)
    for (const LinkContacts& foot : feet)
      append_bytes(static_cast<std::uint8_t>((foot.heel[i] != 0 ? 1 : 0) + (foot.ball[i] != 0 ? 2 : 0)),
                   bytes);
  return {
      {"type", "u8"}, {"columns", feet.size()}, {"links", std::move(links)}, {"data", io::to_base64(bytes)}};
}

Json timeline_json(const Model& model, const ReportPageInfo& info, std::size_t pairs,
                   const Timeline& timeline, const std::vector<std::string>& unmeasured) {
  using Frame = TimelineFrame;
  const auto dof = model.dof();
  const std::vector<unsigned char> counts = limits_count(model, unmeasured);
  const auto coordinate = [](const Frame& frame, int column) -> double {
    const auto segment = at(column / 3);
    if (segment >= frame.source.size()) return Frame::kUnknown;
    // from the model's base: small numbers, of which 16 bits hold a tenth of a millimetre
    return frame.source[segment][column % 3] - frame.p_WB[column % 3];
  };
  const auto one = [](auto member) {
    return [member](const Frame& frame, int) -> double { return frame.*member; };
  };
  const auto item = [](auto member) { return [member](const Frame& frame, int) { return frame.*member; }; };
  const bool limited =
      std::any_of(model.lower().begin(), model.lower().end(), [](double x) { return x > -kInfinity; }) ||
      std::any_of(model.upper().begin(), model.upper().end(), [](double x) { return x < kInfinity; });

  Json json{{"frames", timeline.frames}, {"shown", timeline.shown.size()}, {"stride", timeline.stride}};
  json["t"] = plain<double>("f64", timeline, 1, [](const Frame& f, int) { return to_seconds(f.t); });
  json["status"] = plain<std::uint8_t>("u8", timeline, 1, [](const Frame& f, int) { return f.status; });
  json["p_WB"] = plain<float>("f32", timeline, 3, [](const Frame& f, int i) { return f.p_WB[i]; });
  json["q_WB_xyzw"] = quantised(timeline, 4, [](const Frame& f, int i) { return f.q_WB.coeffs()[i]; });
  json["s"] = quantised(timeline, dof, [](const Frame& f, int i) { return f.s[at(i)]; });
  const bool sure = std::any_of(timeline.shown.begin(), timeline.shown.end(),
                                [](const Frame& f) { return !f.deviation.empty(); });
  if (sure) {
    json["joint_deviation"] = quantised(timeline, dof, [](const Frame& f, int i) {
      return f.deviation.empty() ? Frame::kUnknown : f.deviation[at(i)];
    });
  }
  json["source"] = quantised(timeline, 3 * static_cast<int>(info.segments.size()), coordinate);
  json["angle_error"] = quantised(timeline, static_cast<int>(pairs),
                                  [](const Frame& f, int i) { return f.angle_error[at(i)]; });
  json["on_limit"] = limited ? plain<std::uint8_t>(
                                   "u8", timeline, (dof + 7) / 8,
                                   [&](const Frame& f, int byte) {
                                     unsigned bits = 0;
                                     for (int i = 8 * byte; i < std::min(dof, 8 * byte + 8); ++i)
                                       bits |= unsigned(f.on_limit[at(i)] & counts[at(i)]) << unsigned(i % 8);
                                     return bits;
                                   })
                             : Json(nullptr);
  json["origin_distance"] = quantised(timeline, 1, one(&Frame::origin_distance));
  json["joint_speed"] = quantised(timeline, 1, one(&Frame::joint_speed));
  json["fastest_joint"] = plain<std::int16_t>("i16", timeline, 1, item(&Frame::fastest_joint));
  json["turn_speed"] = quantised(timeline, 1, one(&Frame::turn_speed));
  json["fastest_turn"] = plain<std::int16_t>("i16", timeline, 1, item(&Frame::fastest_turn));
  json["link_speed"] = quantised(timeline, 1, one(&Frame::link_speed));
  json["fastest_link"] = plain<std::int16_t>("i16", timeline, 1, item(&Frame::fastest_link));
  json["step_us"] = plain<float>("f32", timeline, 1, one(&Frame::step_us));
  return json;
}

// The verdict with all figures that it rests on.
Json page_verdict(const Verdict& verdict) {
  Json json = report::verdict_value(verdict), figures = Json::array();
  for (const std::vector<Figure>* part : {&verdict.figures, &verdict.more})
    for (const Figure& figure : *part)
      figures.push_back({{"name", figure.name},
                         {"value", report::number(figure.value)},
                         {"unit", figure.unit},
                         {"limit", report::number(figure.limit)},
                         {"detail", figure.detail}});
  json["figures"] = std::move(figures);
  return json;
}

std::string text_for_a_script(const Json& json) {
  const std::string text = report::dumped(json);
  std::string safe;
  safe.reserve(text.size() + 64);
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;  // in JSON only strings hold one
  return safe;
}

}  // namespace

std::string report_page_json(const Model& model, const std::vector<TrackedPair>& pairs,
                             const ReportPageInfo& info, const ReportPageResult& result,
                             const Timeline& timeline) {
  Json settings = Json::array(), statuses = Json::array();
  std::vector<std::string> files{info.recording};
  for (const auto& [name, value] : info.settings) {
    settings.push_back({name, shared_name(value)});
    files.push_back(value);
  }
  for (int i = 0; i < kStepStatusCount; ++i) statuses.push_back(to_string(static_cast<StepStatus>(i)));

  Json json{{"version", 1}, {"panto", info.version}};
  json["recording"] = shared_name(info.recording);
  json["format"] = info.format;
  json["rate_hz"] = info.rate_hz;
  if (info.live) json["live"] = true;
  json["settled_from_s"] = to_seconds(timeline.settled_from);
  json["card"] = report::card_json(result.card);
  if (result.verdict) json["verdict"] = page_verdict(*result.verdict);
  if (!result.unmeasured.empty()) json["unmeasured_joint_names"] = result.unmeasured;
  json["settings"] = std::move(settings);
  json["notes"] = without_folders(result.notes, files);
  json["rig"] = rig_json(result);
  if (result.gesture) json["gesture"] = report::page_value(*result.gesture);
  if (result.scaling) json["scaling"] = report::page_value(*result.scaling, model);
  if (result.sensors) json["sensors"] = report::page_value(*result.sensors, model);
  json["model"] = model_json(model);
  if (!info.meshes.empty()) {
    Json meshes = Json::array();
    for (const io::LinkMesh& shape : info.meshes) meshes.push_back(mesh_json(model, shape));
    json["model"]["meshes"] = std::move(meshes);
  }
  json["source"] = source_json(model, pairs, info);
  json["pairs"] = pairs_json(model, pairs, timeline);
  json["moments"] = moments_json(model, pairs, timeline);
  json["statuses"] = std::move(statuses);
  json["timeline"] = timeline_json(model, info, pairs.size(), timeline, result.unmeasured);
  json["timeline"]["source_end_turn_xyzw"] = ends_json(json["source"]["ends"], timeline);
  if (!result.contacts.empty()) json["timeline"]["contacts"] = contacts_json(timeline, result.contacts);

  return text_for_a_script(json);
}

std::string headset_page_json(const std::string& from, const std::string& version) {
  return text_for_a_script({{"headset", true}, {"recording", shared_name(from)}, {"version", version}});
}

}  // namespace panto
