// Verdicts on motions of a human.

#include "panto/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/report/judgement.hpp"

namespace panto {

using namespace verdict_limits;

namespace {

using report::amount;
using report::Judgement;

constexpr const char *kErrorRow = "orientation error, mean", *kCentresRow = "distance of joint centres, mean";
constexpr double kCentresApart = 1e-3;                           // [m]; less needs no word
constexpr double kAngleRounding = 1e-6, kLengthRounding = 1e-3;  // [deg], [mm]

std::int64_t count_of(const ReportCard& card, StepStatus status) {
  return card.status_counts[static_cast<std::size_t>(status)];
}

double percent(double share) { return 100.0 * share; }

}  // namespace

void report::judge_card(const ReportCard& card, Judgement& judgement) {
  const std::int64_t stuck = count_of(card, StepStatus::Stuck);
  const std::int64_t solved = count_of(card, StepStatus::Solved) + count_of(card, StepStatus::Saturated);
  const auto frames = static_cast<double>(std::max<std::int64_t>(card.frames, 1));
  if (card.frames == 0) judgement.unreliable("there are no frames");
  judgement.hold(static_cast<double>(stuck) / frames, kStuck,
                 counted(stuck, "frame") + " turned the wrong way round (stuck)");
  const std::int64_t unsolved = card.frames - solved - stuck;
  judgement.hold(static_cast<double>(unsolved) / frames, kUnsolved,
                 std::to_string(unsolved) + " of " + counted(card.frames, "frame") + " could not be solved");
}

void report::judge_run(const TrackResult& result, Judgement& judgement) {
  const auto error = std::find_if(result.findings.begin(), result.findings.end(),
                                  [](const Finding& f) { return f.severity == Severity::Error; });
  if (error != result.findings.end()) judgement.unreliable("the recording is wrong: " + error->text);
  judgement.part(result.part);
  judge_card(result.card, judgement);
  const auto errors = std::count_if(result.findings.begin(), result.findings.end(),
                                    [](const Finding& f) { return f.severity == Severity::Error; });
  if (result.damage || result.card.recording_faults.value_or(0) > errors)
    judgement.care("the recording is damaged; " + counted(result.card.frames, "frame") + " could be used");
  const auto warnings = std::count_if(result.findings.begin(), result.findings.end(),
                                      [](const Finding& f) { return f.severity == Severity::Warning; });
  if (warnings > 0) judgement.care("the recording is odd in places (" + counted(warnings, "warning") + ")");
}

Verdict verdict_of(const TrackResult& result) {
  const ReportCard& card = result.card;
  Judgement judgement;
  report::judge_run(result, judgement);
  judgement.hold(card.limit_violations > 0
                     ? std::optional<double>(std::max(1e-9, card.limit_violation_max_rad * kToDegrees))
                     : std::nullopt,
                 kLimitBroken,
                 counted(card.limit_violations, "joint limit") + " broken, by up to " +
                     amount(card.limit_violation_max_rad * kToDegrees, "deg", kAngleRounding));
  if (card.angle_p99_deg)
    judgement.hold(card.angle_p99_deg, kAngleP99,
                   "1 % of the orientations are more than " + amount(*card.angle_p99_deg, "deg") + " off" +
                       (card.angle_max_deg ? ", the worst " + amount(*card.angle_max_deg, "deg") : ""));
  if (card.angle_max_deg && card.angle_p99_deg.value_or(0.0) <= kAngleP99.care)
    judgement.hold(card.angle_max_deg, kAngleMax,
                   "an orientation is up to " + amount(*card.angle_max_deg, "deg") + " off");
  if (card.base_excess_max_m_s)
    judgement.hold(
        card.base_excess_max_m_s, kBaseExcess,
        "the base moves up to " + amount(*card.base_excess_max_m_s, "m/s") + " faster than the person");

  judgement.figure({kErrorRow, card.angle_mean_deg, "deg", {}, kAngleRounding, ""});
  judgement.figure(
      {"orientation error, 99 % below", card.angle_p99_deg, "deg", kAngleP99.care, kAngleRounding, ""});
  judgement.figure(
      {"orientation error, worst", card.angle_max_deg, "deg", kAngleMax.care, kAngleRounding, ""});
  if (card.origin_mean_m)
    judgement.figure({kCentresRow, 1e3 * *card.origin_mean_m, "mm", {}, kLengthRounding, ""});
  if (card.saturated_share.value_or(0.0) > 0.0)
    judgement.figure({"frames with a joint on its limit", percent(*card.saturated_share), "%", {}, 0.0, ""});
  if (!card.angle_mean_deg)
    return judgement.verdict("all " + counted(card.frames, "frame") +
                             " solved; no orientation to compare with");
  if (*card.angle_mean_deg < kAngleRounding) {
    const double apart = card.origin_mean_m.value_or(0.0);
    if (apart >= kCentresApart)
      return judgement.verdict("all orientations are met exactly, but for rounding; joint centres are " +
                                   amount(1e3 * apart, "mm") + " off on average",
                               kCentresRow);
    return judgement.verdict("the model follows the recording exactly, but for rounding");
  }
  return judgement.verdict(
      "the model follows the recording within " + amount(*card.angle_mean_deg, "deg") + " on average",
      kErrorRow);
}

}  // namespace panto
