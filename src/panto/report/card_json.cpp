#include "panto/report/card_json.hpp"

#include "panto/evaluation/report_card.hpp"
#include "panto/report/json.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {

report::Json report::verdict_value(const Verdict& verdict) {
  return Json{{"grade", to_string(verdict.grade)}, {"text", without_folders(verdict.sentence)}};
}

report::Json report::card_json(const ReportCard& card) {
  Json statuses = Json::object();
  for (std::size_t i = 0; i < card.status_counts.size(); ++i) {
    statuses[to_string(static_cast<StepStatus>(i))] = card.status_counts[i];
  }

  Json json = Json::object();
  json["frames"] = card.frames;
  json["rate_hz"] = number(card.rate_hz);
  json["duration_s"] = number(card.duration_s);
  json["recording_faults"] = card.recording_faults ? Json(*card.recording_faults) : Json(nullptr);
  json["recording_remarks"] = card.recording_remarks ? Json(*card.recording_remarks) : Json(nullptr);
  json["mnte_mean"] = number(card.mnte_mean);
  json["angle_mean_deg"] = number(card.angle_mean_deg);
  json["angle_p99_deg"] = number(card.angle_p99_deg);
  json["angle_max_deg"] = number(card.angle_max_deg);
  json["omega_rmse_rad_s"] = number(card.omega_rmse_rad_s);
  json["position_rmse_m"] = number(card.position_rmse_m);
  json["origin_mean_m"] = number(card.origin_mean_m);
  json["origin_max_m"] = number(card.origin_max_m);
  json["limit_violations"] = card.limit_violations;
  json["limit_violation_max_rad"] = number(card.limit_violation_max_rad);
  json["saturated_share"] = number(card.saturated_share);
  json["step_p50_us"] = number(card.step_p50_us);
  json["step_p99_us"] = number(card.step_p99_us);
  json["step_max_us"] = number(card.step_max_us);
  json["allocations"] = card.allocations ? Json(*card.allocations) : Json(nullptr);
  json["status_counts"] = std::move(statuses);
  json["fallback_counts"] = card.fallback_counts;
  json["jerk_rms_rad_s3"] = number(card.jerk_rms_rad_s3);
  json["state_hash"] = card.state_hash ? Json(hash_text(*card.state_hash)) : Json(nullptr);
  return json;
}

std::string to_json(const ReportCard& card) { return report::dumped(report::card_json(card)); }

std::string to_json(const TrackResult& result) {
  report::Json json = report::card_json(result.card);
  json["unmeasured_joints"] = result.unmeasured_joints.size();
  json["unmeasured_joint_names"] = result.unmeasured_joints;
  json["verdict"] = report::verdict_value(verdict_of(result));
  return report::dumped(json);
}

}  // namespace panto
