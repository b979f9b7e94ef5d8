#include "panto/io/frame_table.hpp"

#include <optional>
#include <utility>

#include "panto/io/text_lines.hpp"

namespace panto::io {
namespace {

void append(std::optional<double> value, std::string& line) {
  line += ',';
  if (value) append_number(*value, line);
}

}  // namespace

FrameTable::FrameTable(const Destination& to, const Model& model, std::vector<TrackedPair> pairs)
    : judge_(model, std::move(pairs)), file_(to) {
  (void)file_.write(  // close() reports a failure
      "time_s,mnte,angle_mean_deg,angle_max_deg,omega_rmse_rad_s,status,active_bounds,clamped,solves,"
      "fallback_level,step_us\n");
  file_.end_header();
}

void FrameTable::add(const SegmentSample& sample, const State& state, const StepRecord& step) {
  const FrameFigures figures = judge_.judge(sample, state, step.status);
  line_.clear();
  append_seconds(sample.t, line_);
  append(figures.mnte, line_);
  append(figures.angle_mean_deg, line_);
  append(figures.angle_max_deg, line_);
  append(figures.omega_rmse_rad_s, line_);
  line_ += std::string(",") + to_string(step.status);
  for (const int count : {step.active_bounds, step.clamped, step.solves, step.fallback_level})
    line_ += "," + std::to_string(count);
  std::optional<double> step_us;
  if (step.duration_ns) step_us = static_cast<double>(*step.duration_ns) * 1e-3;
  append(step_us, line_);
  line_ += '\n';
  (void)file_.write(line_);
}

}  // namespace panto::io
