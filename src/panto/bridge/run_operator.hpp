#pragma once
// Grants what an operator asks of a live run, at the console or at a page.

#include <functional>
#include <string>
#include <vector>

#include "panto/bridge/live_view.hpp"
#include "panto/bridge/takes.hpp"
#include "panto/live/arming.hpp"
#include "panto/live/run.hpp"
#include "panto/live/wish.hpp"

namespace panto::bridge {

/// What a run can be asked for, as `live::LiveRun` has it; by itself nothing.
struct AskedRun {
  std::function<bool()> align = [] { return false; };
  std::function<bool(const std::string& poses)> calibrate = [](const std::string&) { return false; };
  std::function<std::vector<std::string>()> news = [] { return std::vector<std::string>(); };
  std::function<bool()> calibrating = [] { return false; };
};
template <typename Sample>
[[nodiscard]] AskedRun asked(live::LiveRun<Sample>& run) {
  return {[&run] { return run.align(); }, [&run](const std::string& poses) { return run.calibrate(poses); },
          [&run] { return run.news(); }, [&run] { return run.calibrating(); }};
}

/// Carries out wishes, arms and disarms robots, and tells the log of the view and the recording.
class RunOperator {
 public:
  /// `arming`: of the run's robots, if it has `robots`. `takes`, `view`: may be null. All must outlive it.
  RunOperator(AskedRun run, live::Arming& arming, bool robots, Takes* takes, LiveView* view)
      : run_(std::move(run)),
        arming_(&arming),
        robots_(robots),
        armed_(arming.armed()),
        takes_(takes),
        view_(view) {}

  /// Takes wishes, and looks after the stream; call it ten times a second or more, with the local time `now`
  /// [ns]. `refused`: why a robot moves no more, or empty. Whoever disarms wins over those who arm at the
  /// same time; a calibration disarms until its mounts are found, and whoever disarms stops it. Returns
  /// sentences for the console.
  [[nodiscard]] std::vector<std::string> watch(const std::vector<live::Wish>& wishes,
                                               live::StreamState stream, const std::string& refused,
                                               Time now);

 private:
  static constexpr std::size_t kMostLines = 20;  // of an answer
  [[nodiscard]] std::string grant(const live::Wish& wish, live::StreamState stream, Time now);
  [[nodiscard]] std::string change_of_arming(live::StreamState stream, const std::string& refused, Time now);

  AskedRun run_;
  live::Arming* arming_;
  bool robots_, armed_;  // armed: as was said last
  Takes* takes_;
  LiveView* view_;
  int marks_ = 0;
};

}  // namespace panto::bridge
