// The report card, and how surely joints are known, as text for people.

#include <cmath>
#include <string>
#include <string_view>

#include "panto/report/table_text.hpp"
#include "panto/report/tables.hpp"

namespace panto {
namespace {

using table::kLabelWidth;
using table::kLineWidth;
using table::number;
using table::padded_right;
using table::row;

// "name 12, other 3", broken before the line gets too long
std::string list(std::string_view label, const std::vector<std::string>& items) {
  std::string text, line = padded_right(label, kLabelWidth) + "  ";
  bool first = true;
  for (const std::string& item : items) {
    if (!first) line += ',';
    if (!first && line.size() + 2 + item.size() > kLineWidth) {
      text += line + "\n";
      line = std::string(kLabelWidth + 2, ' ');
    } else if (!first) {
      line += ' ';
    }
    line += item;
    first = false;
  }
  return text + line + (items.empty() ? "-\n" : "\n");
}

}  // namespace

std::string format_table(const ReportCard& card, const std::string& instead) {
  std::vector<std::string> statuses, levels;
  for (std::size_t i = 0; i < card.status_counts.size(); ++i) {
    if (card.status_counts[i] == 0) continue;
    statuses.push_back(std::string(to_string(static_cast<StepStatus>(i))) + " " +
                       std::to_string(card.status_counts[i]));
  }
  for (std::size_t i = 0; i < card.fallback_counts.size(); ++i) {
    levels.push_back("level " + std::to_string(i) + ": " + std::to_string(card.fallback_counts[i]));
  }
  const double percent = 100.0 * card.saturated_share.value_or(std::nan(""));

  std::string text = row("frames", {std::to_string(card.frames)}, "");
  text += row("rate", {number(card.rate_hz)}, "Hz");
  text += row("duration", {number(card.duration_s)}, "s");
  if (card.recording_faults) {
    text += row("faults of the recording", {std::to_string(*card.recording_faults)}, "");
    text += row("remarks", {std::to_string(card.recording_remarks.value_or(0))}, "");
  }
  const bool judged = instead.empty() || card.angle_mean_deg || card.origin_mean_m;
  if (judged) {
    text += "\n" + row("", {"mean", "p99", "max"}, "");
    text += row("orientation error",
                {number(card.angle_mean_deg), number(card.angle_p99_deg), number(card.angle_max_deg)}, "deg");
    text += row("MNTE, mean of 1 - cos", {number(card.mnte_mean), "", ""}, "0 .. 2");
    text += row("origin distance", {number(card.origin_mean_m), "", number(card.origin_max_m)}, "m");
  } else {
    text += "\n" + instead;
  }
  text += "\n" + row("", {"p50", "p99", "max"}, "");
  text +=
      row("step time", {number(card.step_p50_us), number(card.step_p99_us), number(card.step_max_us)}, "us");
  text += '\n';
  if (judged) {
    text += row("angular velocity RMSE", {number(card.omega_rmse_rad_s)}, "rad/s");
    text += row("position RMSE", {number(card.position_rmse_m)}, "m");
  }
  text += row("joint jerk, RMS", {number(card.jerk_rms_rad_s3)}, "rad/s^3");
  if (judged) text += row("frames held by a limit", {number(percent)}, "%");
  text += row("limit violations", {std::to_string(card.limit_violations)}, "");
  text += row("  largest", {number(card.limit_violation_max_rad)}, "rad");
  text += row("allocations in steps", {card.allocations ? std::to_string(*card.allocations) : "-"}, "");
  text += "\n" + list("status", statuses) + list("fallbacks", levels);
  return text + list("state hash", {card.state_hash ? hash_text(*card.state_hash) : "-"});
}

std::string format_table(const KnownJoints& known, const Model& model) {
  if (!known.median_deg) return "";
  std::string text = table::row("", {"half below", "worst joint"}, "");
  text += table::row("expected error, 1 sd", {table::number(known.median_deg), table::number(known.max_deg)},
                     "deg");
  const std::string& worst = model.joint_names()[static_cast<std::size_t>(known.least_known)];
  text += table::padded_right("  of the joint", table::kLabelWidth) + "  " + worst + "\n";
  if (known.unmeasured == 0) return text;
  return text + table::padded_right("  without a sensor", table::kLabelWidth) + "  " +
         std::to_string(known.unmeasured) + (known.unmeasured == 1 ? " joint" : " joints") +
         ", assumed and not measured\n";
}

}  // namespace panto
