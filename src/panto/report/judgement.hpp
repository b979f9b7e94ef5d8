#pragma once
// Collects reasons and figures of a verdict. Used inside this room.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/evaluation/verdict_limits.hpp"
#include "panto/report/report.hpp"

namespace panto::report {

/// Collects what speaks against a result.
class Judgement {
 public:
  /// Begins the sentence with which part of a person it is; empty: all of it.
  void part(std::string part) { part_ = std::move(part); }
  void care(std::string reason) { reasons_[0].push_back(std::move(reason)); }
  void unreliable(std::string reason) { reasons_[1].push_back(std::move(reason)); }
  /// Holds a value against a limit; `reason` is why it matters. A value that is not known is no reason.
  /// Returns whether it is above.
  bool hold(const std::optional<double>& value, const VerdictLimit& limit, const std::string& reason);
  /// Adds what may help against the reasons given, once.
  void remedy(Remedy remedy);
  /// Adds a figure; one that is not known is left out.
  void figure(Figure figure);

  /// Returns the verdict. `praise`: the sentence where nothing speaks against the result; `said`: the name of
  /// the figure in it.
  [[nodiscard]] Verdict verdict(const std::string& praise, std::string_view said = {}) const;

 private:
  std::string part_;
  std::array<std::vector<std::string>, 2> reasons_;  // usable, not usable
  std::vector<Figure> figures_;
  std::vector<Remedy> remedies_;
};

/// Adds what speaks against any run: faults of the recording, frames without a solution, damage.
void judge_run(const TrackResult& result, Judgement& judgement);
/// The same of its report card alone.
void judge_card(const ReportCard& card, Judgement& judgement);

/// Returns how a verdict's sentence begins, before its reasons: "Not usable: ".
[[nodiscard]] std::string lead_of(Verdict::Grade grade);

/// Returns a verdict that begins with what speaks against `first`, the ground that `second` stands on; then
/// `word` and what speaks against `second`, whose figures it keeps.
[[nodiscard]] Verdict joined(const Verdict& first, Verdict second, const std::string& word);

/// "12.3 deg": three digits; 0 where it is less than `rounding`.
[[nodiscard]] std::string amount(double value, const std::string& unit, double rounding = 0.0);

}  // namespace panto::report
