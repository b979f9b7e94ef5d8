// How raw sensors and the joints that they tell of fared in a run, as JSON.

#include <algorithm>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/report/json.hpp"
#include "panto/report/sensor_report.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;
using report::dumped;
using report::Json;
using report::number;
using report::refined_value;
using report::sensors_value;
using report::swapped_value;

Json known_value(const KnownJoints& known, const Model& model) {
  const Json least = known.least_known < 0 ? Json(nullptr) : Json(model.joint_names()[at(known.least_known)]);
  return Json{{"joint_sd_median_deg", number(known.median_deg)},
              {"joint_sd_max_deg", number(known.max_deg)},
              {"least_known_joint", least},
              {"unmeasured_joints", known.unmeasured}};
}

}  // namespace

Json report::sensors_value(const SensorFindings& found) {
  Json list = Json::array();
  for (const SensorSummary& sensor : found.sensors) {
    const auto samples = static_cast<double>(std::max<std::int64_t>(sensor.samples, 1));
    list.push_back({{"name", sensor.name},
                    {"link", sensor.link},
                    {"nis_gyro_mean", number(sensor.nis_gyro)},
                    {"nis_acc_mean", number(sensor.nis_acc)},
                    {"nis_orientation_mean", number(sensor.nis_orientation)},
                    {"off_by", sensor.measured() ? Json(off_by(sensor)) : Json(nullptr)},
                    {"disagrees", disagrees(sensor)},
                    {"missing_share", sensor.missing_share()},
                    {"field_used_share", sensor.field_used / samples},
                    {"frozen_s", sensor.frozen_s},
                    {"measured_first_s", sensor.measured() ? Json(sensor.from_s) : Json(nullptr)},
                    {"measured_last_s", sensor.measured() ? Json(sensor.to_s) : Json(nullptr)},
                    {"gap_longest_s", sensor.gap_longest_s}});
  }
  return list;
}

Json report::swapped_value(const SensorFindings& found) {
  Json list = Json::array();
  for (const SwappedSensors& pair : found.swapped)
    list.push_back({{"one", pair.one},
                    {"other", pair.other},
                    {"calibrated", pair.calibrated},
                    {"innovation_before", pair.before},
                    {"innovation_after", pair.after}});
  return list;
}

Json report::refined_value(const RefinedBody& body) {
  const auto numbers = [](const Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); };
  Json places = Json::array(), lengths = Json::array();
  for (const RefinedPlace& place : body.places)
    places.push_back({{"sensor", place.sensor},
                      {"link", place.link},
                      {"position_m", numbers(place.position)},
                      {"moved_m", numbers(place.moved)},
                      {"sigma_m", numbers(place.sigma)},
                      {"shown", place.shown}});
  for (const RefinedLength& length : body.lengths)
    lengths.push_back({{"link", length.link},
                       {"joint", length.joint},
                       {"nominal_m", length.nominal},
                       {"length_m", length.length},
                       {"sigma_m", length.sigma},
                       {"shown", length.shown}});
  return Json{{"places", places}, {"lengths", lengths}};
}

Json report::page_value(const PageSensors& sensors, const Model& model) {
  const SensorFindings& found = sensors.found;
  const KnownJoints& known = sensors.known;
  Json json = known_value(known, model), joints = Json::array();
  const std::vector<unsigned char> measured_by = measured_joints(found, model);
  for (int i = 0; i < model.dof(); ++i) {
    joints.push_back({{"name", model.joint_names()[at(i)]},
                      {"sd", number(known.deviation[at(i)])},
                      {"measured", measured_by[at(i)] != 0}});
  }
  json["joints"] = std::move(joints);
  json["sensors"] = sensors_value(found);
  json["swapped_sensors"] = swapped_value(found);
  return json;
}

std::string to_json(const SensorTrackResult& result, const Model& model) {
  Json json = report::card_json(result.card);
  json.update(known_value(result.known, model));
  json["base_speed_max_m_s"] = number(result.card.base_speed_max_m_s);
  json["base_acceleration_max_m_s2"] = number(result.card.base_acceleration_max_m_s2);
  json["unmeasured_joint_names"] = result.unmeasured_joints;
  json["held_joints"] = Json::array();
  for (const auto& [joint, held_s] : result.held_joints)
    json["held_joints"].push_back({{"name", joint}, {"held_s", held_s}});
  json["sensors"] = sensors_value(result.found);
  json["swapped_sensors"] = swapped_value(result.found);
  json["assumed_mounts"] = result.assumed_mounts;
  json["posture_findings"] = Json::array();
  for (const PostureFinding& finding : result.posture)
    json["posture_findings"].push_back(
        {{"text", finding.text}, {"off_deg", finding.off_deg}, {"impossible", finding.impossible}});
  if (!result.found.refined.empty()) json["refined"] = refined_value(result.found.refined);
  if (result.smoothed) {
    json["smoothing"] = {{"samples", result.smoothed->smoothed},
                         {"kept", result.smoothed->kept},
                         {"kept_deviation", result.smoothed->kept_deviation},
                         {"parts", result.smoothed->parts}};
  }
  json["verdict"] = report::verdict_value(verdict_of(result, model));
  return dumped(json);
}

}  // namespace panto
