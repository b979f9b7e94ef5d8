#pragma once
// Table of a run by frame; the report card summarises it.
//
// time_s,mnte,angle_mean_deg,angle_max_deg,omega_rmse_rad_s,status,active_bounds,clamped,solves,fallback_level,
// step_us
//
// One row per given frame, solved or not. A cell is empty when its figure is unknown: the errors of an
// unsolved frame, errors of rates that the recording lacks, the time of an unmeasured step.

#include <string>
#include <vector>

#include "panto/evaluation/frame_figures.hpp"
#include "panto/io/part_file.hpp"

namespace panto::io {

class FrameTable {
 public:
  /// The model must outlive this object. @throws Error when the file cannot be created, ConfigError as
  /// `check_pairs`.
  FrameTable(const Destination& to, const Model& model, std::vector<TrackedPair> pairs);

  /// Adds one frame, as in ReportBuilder::add. `close()` reports a failure.
  void add(const SegmentSample& sample, const State& state, const StepRecord& step);

  /// Finishes the file. @throws Error when a write failed.
  void close() { file_.close(); }

 private:
  FrameJudge judge_;
  PartFile file_;
  std::string line_;
};

}  // namespace panto::io
