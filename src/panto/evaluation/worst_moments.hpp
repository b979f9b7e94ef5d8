#pragma once
// Finds where in a run each figure of the report card is worst.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// Watches a run beside the report card.
class WorstMoments {
 public:
  /// The model must outlive this object. `names`: of the source's segments; `settle` [ns], as in
  /// ReportOptions; `first_frame`: number of the first sample in its file.
  WorstMoments(const Model& model, std::vector<TrackedPair> pairs, std::vector<std::string> names,
               Time settle, std::int64_t first_frame);

  void add(const SegmentSample& sample, const State& state, const StepRecord& step);

  /// Returns "LeftHand 12.3 deg off at 1.23 s (frame 74)" for a key of the report card; empty when no single
  /// frame determines it.
  [[nodiscard]] std::string of(const std::string& key) const;

 private:
  struct Moment {
    double value = -1.0;
    std::int64_t frame = 0;
    Time t = 0;
    std::string who;
  };
  struct Moments {
    Moment angle, origin, position, omega, step;
  };
  void keep(Moment& moment, double value, Time t, const std::string& who) const;
  void judge(const SegmentSample& sample, Moments& moments);
  void judge_limits(const State& state);

  const Model* model_;
  std::vector<TrackedPair> pairs_;
  std::vector<std::string> names_;
  Time settle_, settled_from_ = 0;
  Kinematics kinematics_;
  std::int64_t frame_;
  bool begun_ = false, settled_ = false;
  Moments settling_, after_;
  Moment limit_, limit_angle_;
  std::vector<Moment> status_, level_;  // first time of each
};

}  // namespace panto
