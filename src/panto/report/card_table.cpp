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

namespace {

std::string motion_rows(const ReportCard& card) {
  std::string text = row("frames", {std::to_string(card.frames)}, "");
  text += row("rate", {number(card.rate_hz)}, "Hz");
  text += row("duration", {number(card.duration_s)}, "s");
  if (!card.recording_faults) return text;
  text += row("errors in the recording", {std::to_string(*card.recording_faults)}, "");
  return text + row("warnings and remarks", {std::to_string(card.recording_remarks.value_or(0))}, "");
}

std::string error_rows(const ReportCard& card) {
  using table::kDegreeRounding, table::kMetreRounding;
  std::string text = "\n" + row("", {"mean", "p99", "max"}, "");
  text += row("orientation error",
              {number(card.angle_mean_deg, kDegreeRounding), number(card.angle_p99_deg, kDegreeRounding),
               number(card.angle_max_deg, kDegreeRounding)},
              "deg");
  text += row("MNTE, mean of 1 - cos", {number(card.mnte_mean, 1e-15), "", ""}, "0 .. 2");
  return text +
         row("origin distance",
             {number(card.origin_mean_m, kMetreRounding), "", number(card.origin_max_m, kMetreRounding)},
             "m");
}

std::string time_rows(const ReportCard& card) {
  const table::TimeUnit unit = table::time_unit(card.step_max_us.value_or(0.0));
  const auto shown = [&](std::optional<double> us) { return us ? std::optional(*us / unit.us) : us; };
  return "\n" + row("", {"p50", "p99", "max"}, "") +
         row("step time",
             {number(shown(card.step_p50_us)), number(shown(card.step_p99_us)),
              number(shown(card.step_max_us))},
             unit.name) +
         "\n";
}

std::string rate_rows(const ReportCard& card) {
  return row("angular velocity RMSE", {number(card.omega_rmse_rad_s, table::kRadianRounding)}, "rad/s") +
         row("position RMSE", {number(card.position_rmse_m, table::kMetreRounding)}, "m");
}

std::string held_row(const ReportCard& card) {
  return row("with a joint on its limit", {number(100.0 * card.saturated_share.value_or(std::nan("")))},
             "% of the frames");
}

std::string solver_rows(const ReportCard& card) {
  std::vector<std::string> statuses, levels;
  for (std::size_t i = 0; i < card.status_counts.size(); ++i) {
    if (card.status_counts[i] == 0) continue;
    statuses.push_back(std::string(to_string(static_cast<StepStatus>(i))) + " " +
                       std::to_string(card.status_counts[i]));
  }
  for (std::size_t i = 0; i < card.fallback_counts.size(); ++i) {
    levels.push_back("level " + std::to_string(i) + ": " + std::to_string(card.fallback_counts[i]));
  }
  return row("allocations in steps", {card.allocations ? std::to_string(*card.allocations) : "-"}, "") +
         "\n" + list("status", statuses) + list("fallbacks", levels) +
         list("state hash", {card.state_hash ? hash_text(*card.state_hash) : "-"});
}

}  // namespace

std::string format_table(const ReportCard& card, const std::string& instead) {
  const bool judged = instead.empty() || card.angle_mean_deg || card.origin_mean_m;
  std::string text = motion_rows(card) + (judged ? error_rows(card) : "\n" + instead) + time_rows(card);
  if (judged) text += rate_rows(card);
  text += row("joint jerk, RMS", {number(card.jerk_rms_rad_s3, 1e-6)}, "rad/s^3");
  if (judged) text += held_row(card);
  text += row("limit violations", {std::to_string(card.limit_violations)}, "");
  text += row("  largest", {number(card.limit_violation_max_rad)}, "rad");
  return text + solver_rows(card);
}

std::string format_robot_card(const ReportCard& card) {
  return motion_rows(card) + error_rows(card) + time_rows(card) + rate_rows(card) + solver_rows(card);
}

std::string format_table(const KnownJoints& known, const Model& model) {
  if (!known.median_deg) return "";
  std::string text = table::row("", {"median", "worst joint"}, "");
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
