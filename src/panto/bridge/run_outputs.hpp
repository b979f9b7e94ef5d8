#pragma once
// What a live run writes: files, robots, controllers, programs that take persons, ROS 2, and its recording.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "panto/bridge/controllers.hpp"
#include "panto/bridge/ros2_output.hpp"
#include "panto/io/stream_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/live/address.hpp"
#include "panto/live/arming.hpp"
#include "panto/live/live_outputs.hpp"
#include "panto/stream/protocols.hpp"

namespace panto::bridge {

/// Checks the outputs' names: addresses, and files by their endings. `recording`: the recording's file, or
/// empty; `human`: whether a human model follows the stream; `remedy`: what to advise if nothing follows it,
/// or empty if something does. @throws ConfigError.
void check_run_outputs(const std::vector<std::string>& outputs, const std::string& recording, bool human,
                       const std::string& remedy);

/// Creates the recording of a live run. `scheme`, `address`: of its input; `about`: names and values of the
/// run. @throws Error as `io::StreamRecorder`.
[[nodiscard]] std::unique_ptr<io::StreamRecorder> open_record(const std::string& path,
                                                              const std::string& scheme,
                                                              const std::string& address,
                                                              std::map<std::string, std::string> about);
/// Returns what records every datagram of an input. `recorder` must outlive it.
[[nodiscard]] std::function<void(std::span<const std::byte>, std::uint64_t, Time)> tap_of(
    io::StreamRecorder& recorder);

/// Returns what records which samples a run solves, and with which it is re-aligned. `recorder` must outlive
/// it; null: none.
[[nodiscard]] live::LiveEvents events_of(io::StreamRecorder* recorder);

/// The outputs of a live run.
class RunOutputs {
 public:
  /// `model`: what follows the stream; null: nothing. `arming` must outlive it. `urdf`: path of the
  /// model's own URDF or MJCF; empty: none. @throws Error for what cannot be opened.
  RunOutputs(const std::vector<std::string>& outputs, const Model* model, const stream::Sent& sent,
             const live::Arming& arming, const std::string& urdf = "");
  ~RunOutputs();
  RunOutputs(const RunOutputs&) = delete;
  RunOutputs& operator=(const RunOutputs&) = delete;

  /// Returns the files that are being written, without the recording.
  [[nodiscard]] std::vector<std::string> files() const;

  /// Records the run, too, until it is closed.
  void record(const std::string& path, std::unique_ptr<io::StreamRecorder> recorder);

  [[nodiscard]] std::vector<live::LiveOutput*> all() const;
  /// Returns whether one of them moves robots.
  [[nodiscard]] bool moves_robots() const noexcept { return !robots_.empty() || !controllers_.empty(); }
  /// Returns why a robot is moved no more, once, as `ControllerOutput::refusal`.
  [[nodiscard]] std::string refusal() const;
  /// Returns the recording's name once the disk refuses it; else empty.
  [[nodiscard]] std::string failed() const;
  /// Closes all outputs after the run has ended. Returns a sentence about each failure.
  [[nodiscard]] std::vector<std::string> close();
  /// Returns names of files, and what was sent where.
  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }

 private:
  struct File;
  template <typename Output>
  using AtAddress = std::vector<std::pair<std::string, std::unique_ptr<Output>>>;
  struct Record;
  void close_file(const std::string& path, std::int64_t dropped, const std::function<void()>& close,
                  std::vector<std::string>& problems);

  std::vector<std::unique_ptr<File>> files_;
  std::unique_ptr<Record> record_;
  AtAddress<live::RobotOutput> robots_;
  AtAddress<ControllerOutput> controllers_;
  AtAddress<live::PersonOutput> persons_;
  AtAddress<Ros2Output> shown_;
  std::vector<std::string> written_;
};

}  // namespace panto::bridge
