#pragma once
// Grants what an operator asks of a live run besides arming.

#include <functional>
#include <string>
#include <vector>

#include "panto/bridge/live_view.hpp"
#include "panto/bridge/takes.hpp"
#include "panto/live/live_run.hpp"
#include "panto/live/wish.hpp"

namespace panto::bridge {

/// What a run can be asked for, as `live::LiveRun` has it.
struct AskedRun {
  std::function<bool()> align;
  std::function<bool(const std::string& poses)> calibrate;
  std::function<std::vector<std::string>()> news;
};
template <typename Sample>
[[nodiscard]] AskedRun asked(live::LiveRun<Sample>& run) {
  return {[&run] { return run.align(); }, [&run](const std::string& poses) { return run.calibrate(poses); },
          [&run] { return run.news(); }};
}

/// Carries out wishes, and tells the log of the view and the recording.
class RunOperator {
 public:
  /// `takes`, `view`: may be null; must outlive it.
  RunOperator(AskedRun run, Takes* takes, LiveView* view)
      : run_(std::move(run)), takes_(takes), view_(view) {}

  /// Returns a sentence for the console about what was done at local time `now` [ns]; empty for wishes about
  /// arming, which are not its own.
  [[nodiscard]] std::string grant(const live::Wish& wish, Time now);
  /// Returns what the run told since the last call.
  [[nodiscard]] std::vector<std::string> news();

 private:
  AskedRun run_;
  Takes* takes_;
  LiveView* view_;
  int marks_ = 0;
};

}  // namespace panto::bridge
