#pragma once
// Grants what an operator asks of a live run besides arming: to re-align the person, to mark an instant.

#include <functional>
#include <string>

#include "panto/bridge/live_view.hpp"
#include "panto/io/stream_recording.hpp"
#include "panto/live/wish.hpp"

namespace panto::bridge {

/// Carries out wishes, and tells the log of the view and the recording.
class RunOperator {
 public:
  /// `align`: turns the person, `live::LiveRun::align`. `recorder`, `view`: may be null; must outlive it.
  RunOperator(std::function<bool()> align, io::StreamRecorder* recorder, LiveView* view)
      : align_(std::move(align)), recorder_(recorder), view_(view) {}

  /// Returns a sentence for the console about what was done at local time `now` [ns]; empty for wishes about
  /// arming, which are not its own.
  [[nodiscard]] std::string grant(const live::Wish& wish, Time now);

 private:
  std::function<bool()> align_;
  io::StreamRecorder* recorder_;
  LiveView* view_;
  int marks_ = 0;
};

}  // namespace panto::bridge
