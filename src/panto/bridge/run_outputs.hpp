#pragma once
// What a live run writes: files, robots, controllers, programs that take persons, ROS 2, and its recording.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "panto/bridge/controllers.hpp"
#include "panto/bridge/ros2_output.hpp"
#include "panto/bridge/takes.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/live/address.hpp"
#include "panto/live/arming.hpp"
#include "panto/live/outputs.hpp"
#include "panto/stream/protocols.hpp"

namespace panto::bridge {

/// Checks the outputs' names: addresses, and files by their endings. `recording`: the recording's file, or
/// empty; `human`: whether a human model follows the stream; `remedy`: what to advise if nothing follows it,
/// or empty if something does. @throws ConfigError.
void check_run_outputs(const std::vector<std::string>& outputs, const std::string& recording, bool human,
                       const std::string& remedy);

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

  /// Records the run, too, where `takes` do, which must outlive it.
  void record(Takes& takes) noexcept { takes_ = &takes; }

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

  std::vector<std::unique_ptr<File>> files_;
  Takes* takes_ = nullptr;
  AtAddress<live::RobotOutput> robots_;
  AtAddress<ControllerOutput> controllers_;
  AtAddress<live::PersonOutput> persons_;
  AtAddress<Ros2Output> shown_;
  std::vector<std::string> written_;
};

}  // namespace panto::bridge
