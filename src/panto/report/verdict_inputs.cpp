// Verdicts on sensors, on what was inspected, checked and converted.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "panto/api/calibrate.hpp"
#include "panto/api/check.hpp"
#include "panto/api/convert.hpp"
#include "panto/api/inspect.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/base/index.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/report/judgement.hpp"
#include "panto/report/report.hpp"
#include "panto/tracking/sensor_findings.hpp"
#include "panto/tracking/sensor_notes.hpp"

namespace panto {

using namespace verdict_limits;

namespace {

using report::amount;
using report::Judgement;

constexpr const char* kHeightRow = "height of the person";
constexpr std::size_t kNames = 4;                  // in one sentence
constexpr double kTurnedOver = 60.0 / kToDegrees;  // [rad] a sensor put on as described is turned less

template <typename Items, typename Which>
std::vector<std::string> names_where(const Items& items, const Which& which) {
  std::vector<std::string> names;
  for (const auto& item : items)
    if (which(item)) names.push_back(printable(item.name));
  return names;
}

// "3 of 8 sensors (a, b, c)"
std::string some_of(const std::vector<std::string>& names, std::size_t all) {
  return std::to_string(names.size()) + " of " + counted(static_cast<std::int64_t>(all), "sensor") + " (" +
         listed(names, kNames) + ")";
}

// Sensors that are dead, in whole or in part; where others disagree, they are the likely cause.
void judge_silence(const SensorFindings& found, Judgement& judgement) {
  const auto& sensors = found.sensors;
  const auto any = [&](const auto& which) { return std::any_of(sensors.begin(), sensors.end(), which); };
  const bool disagreement = any([](const SensorSummary& s) { return disagrees(s); });
  const auto say = [&](const std::string& reason) {
    disagreement ? judgement.unreliable(reason) : judgement.care(reason);
  };
  const auto silent = names_where(sensors, [](const SensorSummary& s) { return !s.measured(); });
  if (!silent.empty()) say(some_of(silent, sensors.size()) + " measured nothing");
  const auto without = [&](const char* what, const auto& has) {
    if (!any(has)) return;
    const auto names = names_where(sensors, [&](const SensorSummary& s) { return s.measured() && !has(s); });
    if (names.empty()) return;
    std::string reason = what;
    reason += some_of(names, sensors.size());
    reason += " measured nothing";
    say(reason);
  };
  const auto oriented = [](const SensorSummary& s) { return s.nis_orientation.has_value(); };
  without("the gyroscope of ", [&](const SensorSummary& s) { return s.nis_gyro || oriented(s); });
  without("the accelerometer of ", [&](const SensorSummary& s) { return s.nis_acc || oriented(s); });
}

void judge_agreement(const SensorFindings& found, Judgement& judgement) {
  const auto& sensors = found.sensors;
  judge_silence(found, judgement);
  const auto bad = names_where(sensors, [](const SensorSummary& s) { return disagrees(s); });
  if (!bad.empty())
    judgement.unreliable(some_of(bad, sensors.size()) + (bad.size() == 1 ? " disagrees" : " disagree") +
                         " with the model");
  for (const SwappedSensors& pair : found.swapped)
    judgement.unreliable("sensors '" + printable(pair.one) + "' and '" + printable(pair.other) +
                         "' may be swapped");
  const auto gaps = names_where(
      sensors, [](const SensorSummary& s) { return s.measured() && s.missing_share() > kMissing; });
  if (!gaps.empty()) judgement.care(some_of(gaps, sensors.size()) + " missed more than 5 % of the samples");
}

// Readings that fit far better than expected fit with any angles: then agreement says nothing.
void judge_settings(const SensorFindings& found, const std::vector<std::string>& assumed,
                    Judgement& judgement) {
  if (found.field_unused)
    judgement.care("no magnetometer fits the field in " + printable(found.file) +
                   ", so headings drift: check its unit and strength");
  double worst = 0.0;
  for (const SensorSummary& sensor : found.sensors)
    if (sensor.measured()) worst = std::max(worst, off_by(sensor));
  std::vector<std::string> names;
  for (const std::string& name : assumed) names.push_back(printable(name));
  if (!names.empty())
    judgement.care("the mounting of " + some_of(names, found.sensors.size()) +
                   " is not calibrated, so a wrong one may go unseen");
  if (worst > 0.0 && worst < kTooWide)
    judgement.care(
        "all readings fit at least " + amount(1.0 / worst, "times") +
        " better than expected: the sensors' noise is set too high, which can hide a wrong mounting");
}

void judge_posture(const std::vector<PostureFinding>& findings, Judgement& judgement) {
  if (findings.empty()) return;
  if (findings.front().impossible)
    judgement.unreliable(posture_line(findings));
  else
    judgement.care(posture_line(findings));
}

std::string joint_of(const KnownJoints& known, const Model& model) {
  return known.least_known >= 0 ? model.joint_names()[at(known.least_known)] : std::string();
}

void judge_known(const SensorTrackResult& result, const Model& model, Judgement& judgement) {
  const KnownJoints& known = result.known;
  if (known.max_deg)
    judgement.hold(
        known.max_deg, kJointSigma,
        "joint " + joint_of(known, model) + " is known to " + amount(*known.max_deg, "deg") + " only (1 sd)");
  if (result.card.base_speed_max_m_s)
    judgement.hold(result.card.base_speed_max_m_s, kBaseSpeed,
                   "the base moves at up to " + amount(*result.card.base_speed_max_m_s, "m/s"));
  if (result.card.base_acceleration_max_m_s2)
    judgement.hold(result.card.base_acceleration_max_m_s2, kBaseAcceleration,
                   "the base is jolted by up to " + amount(*result.card.base_acceleration_max_m_s2, "m/s^2"));
}

double largest_residual(const CalibrateResult& result) {
  double largest = 0.0;
  for (const CalibratedSensor& sensor : result.found) largest = std::max(largest, sensor.residual);
  return largest;
}

// The largest turn [rad] against the nominal mounts, and whose it is. `stated`: only against mounts that the
// sensors file turns.
std::pair<double, std::string> largest_turn(const CalibrateResult& result, bool stated) {
  std::pair<double, std::string> largest{0.0, ""};
  for (std::size_t k = 0; k < result.found.size() && k < result.nominal.size(); ++k) {
    if (!result.found[k].good) continue;  // what is unknown stays as it was assumed
    if (stated && result.nominal[k].R_LI.isIdentity(0.0)) continue;
    const double turned = so3::distance(result.nominal[k].R_LI, result.found[k].mount.R_LI);
    if (turned > largest.first) largest = {turned, result.found[k].mount.name};
  }
  return largest;
}

// Which posture was which: what else was held still, and sensors far off where the file says they are.
void judge_postures(const CalibrateResult& result, Judgement& judgement) {
  if (!result.other_held.empty()) {
    std::string spans;
    for (const TimeSpan& span : result.other_held)
      spans += (spans.empty() ? "" : ", ") + decimals(span.from, 1) + " to " + decimals(span.to, 1) + " s";
    judgement.care("another posture was held still too (" + spans +
                   "): give a pose for each, or cut the recording to the poses given");
  }
  if (const auto [turned, name] = largest_turn(result, true); turned > kTurnedOver)
    judgement.care(printable(name) + " is turned by " + decimals(turned * kToDegrees, 0) +
                   " deg against the sensors file: check the file, the poses and their order");
}

std::string problems(const std::vector<Finding>& findings, Severity severity) {
  const auto first = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.severity == severity; });
  const auto count = std::count_if(findings.begin(), findings.end(),
                                   [&](const Finding& f) { return f.severity == severity; });
  if (count == 0) return "";
  return first->text + (count > 1 ? " (and " + std::to_string(count - 1) + " more)" : "");
}

// what stands after the file's own name
std::string without_name(const std::string& text, const std::string& path) {
  if (!text.starts_with(path + ":")) return text;
  const std::size_t begin = text.find_first_not_of(' ', path.size() + 1);
  if (begin == std::string::npos) return text;
  const bool line = text[begin] >= '0' && text[begin] <= '9' && begin == path.size() + 1;  // "path:778: ..."
  return (line ? "line " : "") + text.substr(begin);
}

// Says in a sentence without its end what the motion is, who is in it, how tall, and which way is up.
std::string content_of(const Inspection& in) {
  std::string text = "human motion";
  if (!in.part.empty()) text += ", " + in.part;
  bool several = false;
  for (const rig::Decision& decision : in.rig ? in.rig->map.decisions : std::vector<rig::Decision>()) {
    if (decision.what != "person") continue;
    text += ", " + decision.reason + "; this is " + decision.answer;
    several = true;
  }
  if (in.subject) text += (several ? ", " : ", one person ") + decimals(in.subject->height, 2) + " m tall";
  if (!in.up.empty()) text += ", " + in.up + " is up";
  return text;
}

std::string all_sensors(std::ptrdiff_t count) {
  return count == 2 ? "both sensors" : "all " + counted(count, "sensor");
}

// an error below the expected range has no limit to show: its detail says so
Figure readings_figure(double times, const std::string& sensor) {
  const bool wide = times < kTooWide;
  std::string detail = "sensor " + sensor;
  if (wide) detail += ", below " + amount(kTooWide, "times");
  return {"error of readings / expected",
          times,
          "times",
          wide ? std::nullopt : std::optional<double>(kSensorOff.care),
          0.0,
          std::move(detail)};
}

}  // namespace

Verdict verdict_of(const SensorTrackResult& result, const Model& model) {
  Judgement judgement;
  report::judge_card(result.card, judgement);
  judge_agreement(result.found, judgement);
  judge_posture(result.posture, judgement);
  judge_settings(result.found, result.assumed_mounts, judgement);
  judge_known(result, model, judgement);
  double worst = 0.0;
  const SensorSummary* worst_sensor = nullptr;
  for (const SensorSummary& sensor : result.found.sensors) {
    if (sensor.measured() && off_by(sensor) > worst) worst_sensor = &sensor, worst = off_by(sensor);
  }
  const KnownJoints& known = result.known;
  judgement.figure({"expected error of joints, median", known.median_deg, "deg", {}, 1e-6, "1 sd"});
  judgement.figure(
      {"expected error, worst joint", known.max_deg, "deg", kJointSigma.care, 1e-6, joint_of(known, model)});
  if (worst_sensor != nullptr) judgement.figure(readings_figure(worst, printable(worst_sensor->name)));
  judgement.figure({"base speed, at most", result.card.base_speed_max_m_s, "m/s", kBaseSpeed.care, 1e-6, ""});
  judgement.figure({"base acceleration, at most", result.card.base_acceleration_max_m_s2, "m/s^2",
                    kBaseAcceleration.care, 1e-6, ""});
  if (known.unmeasured > 0)
    judgement.figure(
        {"joints without a sensor", static_cast<double>(known.unmeasured), "", {}, 0.0, "assumed"});
  const auto sensors = std::ssize(result.found.sensors);
  return judgement.verdict(sensors == 1 ? "the sensor agrees with the model"
                                        : all_sensors(sensors) + " agree with the model");
}

Verdict verdict_of(const SensedFigures& person) {
  Judgement judgement;
  judge_agreement(person.found, judgement);
  judge_posture(person.posture, judgement);
  judge_settings(person.found, person.assumed_mounts, judgement);
  return judgement.verdict("the sensors agree with " + person.model);
}

Verdict verdict_of(const CalibrateResult& result) {
  Judgement judgement;
  const auto repeated = [&] {
    std::vector<std::string> names;
    for (const CalibratedSensor& sensor : result.found)
      if (!sensor.good) names.push_back(printable(sensor.mount.name));
    return names;
  }();
  if (!repeated.empty()) judgement.unreliable("repeat for " + some_of(repeated, result.found.size()));
  const auto joints = std::count_if(result.motion.joints.begin(), result.motion.joints.end(),
                                    [](const JointFinding& joint) { return !joint.good; });
  if (joints > 0) judgement.unreliable("repeat the motion of " + counted(joints, "joint"));
  if (!result.good && repeated.empty() && joints == 0)
    judgement.unreliable("a motion must be repeated (--verbose names it)");
  const auto open = std::count_if(result.found.begin(), result.found.end(),
                                  [](const CalibratedSensor& s) { return s.good && !s.advice.empty(); });
  if (open > 0) judgement.care(counted(open, "sensor") + " with a doubt, see below");
  judge_postures(result, judgement);
  const auto turned = largest_turn(result, false);
  judgement.figure({"sensors calibrated",
                    static_cast<double>(result.found.size() - repeated.size()),
                    "",
                    {},
                    0.0,
                    "of " + std::to_string(result.found.size())});
  const bool any = repeated.size() < result.found.size();
  if (const double most = largest_residual(result); any || most > kResidual)
    judgement.figure(
        {"directions disagree by, at most", most * kToDegrees, "deg", kResidual * kToDegrees, 1e-6, ""});
  if (any)
    judgement.figure({"off the assumed mounting, at most",
                      turned.first * kToDegrees,
                      "deg",
                      {},
                      1e-6,
                      printable(turned.second)});
  if (!result.motion.joints.empty())
    judgement.figure({"joints located",
                      static_cast<double>(std::ssize(result.motion.joints) - joints),
                      "",
                      {},
                      0.0,
                      "of " + std::to_string(result.motion.joints.size())});
  return judgement.verdict(result.found.size() == 1
                               ? "the sensor is calibrated"
                               : all_sensors(std::ssize(result.found)) + " are calibrated");
}

Verdict verdict_of(const Inspection& in) {
  Judgement judgement;
  if (!in.trackable) judgement.unreliable("not trackable: " + without_name(in.refusal, in.path));
  if (const std::string error = problems(in.findings, Severity::Error); !error.empty())
    judgement.unreliable(error);
  if (!in.damage.empty()) judgement.care("the file is damaged: " + without_name(in.damage, in.path));
  if (in.rig && rig::sure_of_up(in.rig->map) < rig::kGuessedUp)
    judgement.care("which way is up is a guess: who lies or crouches is stood up");
  if (in.rig && in.rig->map.names_swapped) judgement.care("left and right are named the wrong way round");
  if (const std::string warning = problems(in.findings, Severity::Warning); !warning.empty())
    judgement.care(warning);
  constexpr std::string_view kWarning = "warning: ";
  for (const std::string& note : in.notes)
    if (note.starts_with(kWarning)) judgement.care(note.substr(kWarning.size()));
  const std::int64_t frames = in.figures.frames > 0 ? in.figures.frames : in.file_frames.value_or(0);
  judgement.figure({"length", in.figures.duration_s, "s", {}, 0.0, counted(frames, "frame")});
  if (in.rate_hz > 0.0) judgement.figure({"rate", in.rate_hz, "Hz", {}, 0.0, ""});
  if (in.subject) judgement.figure({kHeightRow, in.subject->height, "m", {}, 0.0, ""});
  if (in.figures.floor_m)
    judgement.figure(
        {"height of the lowest foot joint", 1e-3 * std::round(1e3 * *in.figures.floor_m), "m", {}, 1e-3, ""});
  if (in.rig) {
    judgement.figure(
        {"confidence in the skeleton", in.rig->map.confidence, "", {}, 0.0, printable(in.rig->map.family)});
  } else {
    judgement.figure({"the pelvis stays within", in.figures.travel_m, "m", {}, 1e-3, ""});
  }
  const auto remarks = std::ssize(in.findings);
  const std::string content = content_of(in);
  Verdict verdict = judgement.verdict(
      content + ", " + (remarks > 0 ? counted(remarks, "remark") : std::string("no problems found")));
  if (verdict.grade != Verdict::Grade::Good && in.trackable)
    verdict.sentence += " H" + content.substr(1) + ".";
  for (Figure& figure : verdict.figures) figure.said = in.trackable && figure.name == kHeightRow;
  return verdict;
}

Verdict verdict_of(const ImuInspection& in) {
  Judgement judgement;
  for (const ImuFault& fault : in.faults) {
    if (fault.unusable)
      judgement.unreliable(fault.text);
    else
      judgement.care(fault.text);
  }
  judgement.figure({"sensors", static_cast<double>(in.sensors.size()), "", {}, 0.0, ""});
  judgement.figure(
      {"length", in.duration_s, "s", {}, 0.0, counted(static_cast<std::int64_t>(in.samples), "sample")});
  if (in.rate_hz > 0.0) judgement.figure({"rate", in.rate_hz, "Hz", {}, 0.0, ""});
  double rate = -1.0, force = -1.0;
  for (const ImuFigures& figures : in.figures) {
    rate = std::max(rate, figures.rate_max.value_or(-1.0));
    force = std::max(force, figures.force_median.value_or(-1.0));
  }
  if (rate >= 0.0) judgement.figure({"fastest turn", rate, "rad/s", {}, 0.0, ""});
  if (force >= 0.0)
    judgement.figure({"median acceleration of a sensor, largest", force, "m/s^2", {}, 0.0, ""});
  return judgement.verdict("raw sensors, no problems found");
}

namespace {

// Returns whether a check failed on what a verdict calls usable with care.
bool is_doubt(const Check& check) {
  const Threshold& threshold = check.result.threshold;
  const std::optional<double>& value = check.result.value.number;
  return check.failed && value &&
         std::any_of(verdict_limits::kRobotLimits.begin(), verdict_limits::kRobotLimits.end(),
                     [&](const FigureLimit& limit) {
                       return limit.key == check.result.value.key && threshold.number == limit.care &&
                              *value <= limit.unreliable;
                     });
}

}  // namespace

Verdict verdict_of(const CheckReport& report, const std::string& name) {
  Judgement judgement;
  const auto all = std::ssize(report.checks);
  std::string reason = printable(name);
  reason += ": " + std::to_string(report.failed) + " of " + counted(all, "check") + " failed";
  if (report.failed > 0 &&
      std::count_if(report.checks.begin(), report.checks.end(), is_doubt) == report.failed)
    judgement.care(std::move(reason));
  else if (report.failed > 0)
    judgement.unreliable(std::move(reason));
  return judgement.verdict(printable(name) +
                           (all == 1 ? ": the check passed" : ": all " + counted(all, "check") + " passed"));
}

Verdict verdict_of(const MapCheck& check, const std::string& name) {
  Judgement judgement;
  const auto errors = std::count_if(check.faults.begin(), check.faults.end(),
                                    [](const robot::MapFault& fault) { return fault.error; });
  const std::int64_t doubts = std::ssize(check.faults) - errors;
  if (!check.usable) judgement.unreliable(printable(name) + ": the map has " + counted(errors, "error"));
  if (doubts > 0) judgement.care(printable(name) + ": the map has " + counted(doubts, "doubt"));
  return judgement.verdict(printable(name) + ": the map fits its robot");
}

Verdict verdict_of(const WrittenSamples& written) {
  Judgement judgement;
  if (written.dropped > 0) judgement.unreliable(counted(written.dropped, "frame") + " could not be written");
  if (const std::string error = problems(written.findings, Severity::Error); !error.empty())
    judgement.unreliable("the recording is wrong: " + error);
  if (written.damage)
    judgement.care("the recording is damaged; " + counted(written.frames, "frame") + " could be used");
  if (const std::string warning = problems(written.findings, Severity::Warning); !warning.empty())
    judgement.care(warning);
  return judgement.verdict("all " + counted(written.written, "frame") + " written as they were measured");
}

}  // namespace panto
