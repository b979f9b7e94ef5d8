#pragma once
// A recorded run, solved again: the same datagrams, the same samples, on one thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "panto/live/run.hpp"
#include "panto/recording/stream_recording.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::live {

/// The samples of a recording that its run solved; all samples where the recording does not tell.
template <typename Sample>
class RecordedSamples {
 public:
  /// `take` must outlive this object.
  RecordedSamples(const StreamRecording& take, std::unique_ptr<stream::SampleStream<Sample>> decoder);

  /// Moves to the next sample; false: there is none.
  [[nodiscard]] bool next();
  [[nodiscard]] const stream::SampleStream<Sample>& decoder() const noexcept { return *decoder_; }
  [[nodiscard]] Time arrival() const noexcept { return arrival_; }          ///< [ns since 1970] of the last
  [[nodiscard]] std::int64_t samples() const noexcept { return samples_; }  ///< that arrived whole, so far

  /// Returns what had come with the first sample that was solved.
  [[nodiscard]] const stream::StreamCounts& before() const noexcept { return before_; }

 private:
  [[nodiscard]] bool is_solved(Time t);

  const StreamRecording* take_;
  std::unique_ptr<stream::SampleStream<Sample>> decoder_;
  std::size_t next_ = 0, solved_ = 0;
  std::int64_t samples_ = 0;
  Time arrival_ = 0;
  stream::StreamCounts before_;
  bool solving_ = false;
};

/// Returns how many samples a second the run solved; 60 where the recording does not tell. [Hz]
[[nodiscard]] double solved_rate(const StreamRecording& take) noexcept;

/// How solving a recording again went.
struct RecordedRun {
  LiveFigures figures;
  std::size_t same = 0;           ///< States with the bits of the recorded ones
  std::vector<std::string> news;  ///< what the follower told
};

/// Solves from the sample that `samples` is at to the end. `before`: called before each sample with its
/// arrival, to wait or to throw.
template <typename Sample>
[[nodiscard]] RecordedRun run_recorded(const StreamRecording& take, RecordedSamples<Sample>& samples,
                                       const LiveFollower<Sample>& follower,
                                       const std::vector<LiveOutput*>& outputs,
                                       const std::function<void(Time)>& before);

/// Returns what to tell of a recording that was solved again: damages, marks, what was told, bits.
/// `followed`: a model followed.
[[nodiscard]] std::vector<std::string> notes_of(const StreamRecording& take, const RecordedRun& run,
                                                bool followed);

}  // namespace panto::live
