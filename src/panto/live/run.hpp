#pragma once
// Runs a live stream: one thread receives, one solves, one for each output writes. The newest sample wins.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "panto/live/latency.hpp"
#include "panto/live/mailbox.hpp"
#include "panto/live/source.hpp"
#include "panto/live/stream_watch.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/tracking/live_figures.hpp"
#include "panto/tracking/live_frame.hpp"

namespace panto::live {

/// Takes frames, on a thread of its own.
class LiveOutput {
 public:
  LiveOutput() = default;
  LiveOutput(const LiveOutput&) = delete;
  LiveOutput& operator=(const LiveOutput&) = delete;
  virtual ~LiveOutput() = default;
  virtual void write(const LiveFrame& frame) noexcept = 0;
  /// Returns how many frames may wait for it; into a full queue a new one goes in place of the oldest.
  [[nodiscard]] virtual std::size_t depth() const noexcept { return 1; }
  /// Returns whether its delays and lost frames count in the run's figures. Those of a view do not.
  [[nodiscard]] virtual bool counts() const noexcept { return true; }
  /// Called every 10 ms without a frame. `held`: the stream is lost, and the last pose is held.
  virtual void wait(bool /*held*/) noexcept {}
};

/// Called on the solver's thread with the stamp of a sample and the local time of its arrival. Each may be
/// empty.
struct LiveEvents {
  std::function<void(Time, Time)> solved = {};   ///< before a sample is solved
  std::function<void(Time, Time)> aligned = {};  ///< before that, if the run is re-aligned with it
  /// before both, if poses that calibrate the sensors are waited for from it on
  std::function<void(Time, Time, const std::string& poses)> calibrated = {};
  std::function<void(const SensorSetup&)> mounted = {};  ///< the run goes on with these mounts
};

template <typename Sample>
class LiveRun {
 public:
  /// Begins; receiver and solver run before other programs where the system allows it. `input` has had its
  /// first sample; it and the outputs must outlive the run.
  LiveRun(LiveSource<Sample>& input, LiveFollower<Sample> follower, const std::vector<LiveOutput*>& outputs,
          LiveEvents events = {});
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  /// Turns and shifts the person with the next sample, `LiveFollower::align`. Returns false where nothing can
  /// be.
  bool align() noexcept;
  /// Waits from the next sample on for poses that calibrate the sensors, `LiveFollower::calibrate`. Returns
  /// false where there are no raw sensors.
  bool calibrate(const std::string& poses);
  /// Returns whether poses are waited for, or about to be.
  [[nodiscard]] bool calibrating() const noexcept { return calibrating_ || waiting_; }
  /// Returns what the follower told since the last call.
  [[nodiscard]] std::vector<std::string> news();
  /// Returns how the stream arrives now.
  [[nodiscard]] StreamState stream() const;
  /// Returns the figures so far; those that the decoder counts only after `stop`.
  [[nodiscard]] LiveFigures figures() const;
  /// Ends in order: what was received is solved, and what was solved is written.
  void stop();

 private:
  struct Arrived {
    Sample sample;
    Time arrival = 0;
  };
  struct Writing {
    explicit Writing(const LiveFrame& sized, LiveOutput& to) : box(sized, to.depth()), output(&to) {}
    Mailbox<LiveFrame> box;
    LiveOutput* output;
    std::atomic<std::int64_t> replaced{0};  // by newer ones of the stream
    std::thread thread;
  };
  void start();
  void abandon() noexcept;
  void receive(Arrived& arrived);
  void note_pause(Time length, Time now);
  void solve(Arrived& arrived, LiveFrame& frame);
  void grant(const Arrived& arrived);
  void hear();
  void publish(LiveFrame& frame);
  void write(Writing& writing, LiveFrame& frame);

  LiveSource<Sample>* input_;
  LiveFollower<Sample> follower_;
  LiveEvents events_;
  Mailbox<Arrived> arrived_;
  std::vector<std::unique_ptr<Writing>> writings_;
  stream::StreamCounts before_;  // what came before the run
  std::int64_t foreign_before_;
  std::atomic<std::int64_t> passed_{0};
  std::atomic<bool> stopping_{false}, stopped_{false}, held_{false}, aligning_{false}, calibrating_{false},
      waiting_{false};
  mutable std::mutex mutex_;  // of what follows
  std::string poses_;         // asked for
  std::vector<std::string> news_;
  StreamWatch watch_;
  Time first_ = 0, last_ = 0;  // arrivals
  Time longest_pause_ = 0;
  std::int64_t pauses_ = 0;
  Latencies to_pose_, to_written_;
  std::thread receiver_, solver_;
};

extern template class LiveRun<SegmentSample>;
extern template class LiveRun<ImuSample>;

}  // namespace panto::live
