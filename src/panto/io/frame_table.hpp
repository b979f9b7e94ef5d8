#pragma once
// A run frame by frame as a table: what the report card sums up.
//
// time_s,mnte,angle_mean_deg,angle_max_deg,omega_rmse_rad_s,status,active_bounds,clamped,solves,fallback_level,
// step_us
//
// One row per frame that was given, answered or not. A cell is empty where its figure is not known: the
// errors of a frame without an answer, the rates' of a recording that has none, the time of a step that
// nobody measured.

#include <string>
#include <vector>

#include "panto/evaluation/frame_figures.hpp"
#include "panto/io/part_file.hpp"

namespace panto::io {

class FrameTable {
 public:
  /// The model must outlive it. @throws Error when the file cannot be created, ConfigError as `check_pairs`.
  FrameTable(const Destination& to, const Model& model, std::vector<TrackedPair> pairs);

  /// One frame, as in ReportBuilder::add. A failure is kept for `close()`.
  void add(const SegmentSample& sample, const State& state, const StepRecord& step);

  /// Finishes the file. @throws Error when anything could not be written.
  void close() { file_.close(); }

 private:
  FrameJudge judge_;
  PartFile file_;
  std::string line_;
};

}  // namespace panto::io
