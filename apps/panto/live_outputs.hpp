#pragma once
// What a live run writes: files, robots, programs that take persons.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/bridge/controllers.hpp"
#include "panto/io/stream_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/live/address.hpp"
#include "panto/live/arming.hpp"
#include "panto/live/live_outputs.hpp"
#include "panto/stream/protocols.hpp"

namespace panto::app {

/// Checks the outputs' names. `followed`: a model follows the stream; `human`: it is one. @throws
/// ConfigError.
void check_live_outputs(const std::vector<std::string>& outputs, const std::string& recording, bool followed,
                        bool human);

/// The outputs of a live run.
class LiveOutputs {
 public:
  /// `model`: what follows the stream; null: nothing. `arming` must outlive it. @throws Error for what cannot
  /// be opened.
  LiveOutputs(const std::vector<std::string>& outputs, const Model* model, const stream::Sent& sent,
              const live::Arming& arming);
  ~LiveOutputs();

  /// Records the run, too, until it is closed.
  void record(const std::string& path, std::unique_ptr<io::StreamRecorder> recorder);

  [[nodiscard]] std::vector<live::LiveOutput*> all() const;
  /// Returns whether one of them moves robots.
  [[nodiscard]] bool moves_robots() const noexcept { return !robots_.empty() || !controllers_.empty(); }
  /// Returns the recording's name once the disk refuses it; else empty.
  [[nodiscard]] std::string failed() const;
  /// Closes all after the run has ended. Says on stderr what could not be written. Returns whether all is
  /// complete.
  [[nodiscard]] bool close();
  /// Returns names of files, and what was sent where.
  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }

 private:
  struct File;
  template <typename Output>
  using AtAddress = std::vector<std::pair<std::string, std::unique_ptr<Output>>>;
  struct Record;
  bool close_file(const std::string& path, std::int64_t dropped, const std::function<void()>& close);

  std::vector<std::unique_ptr<File>> files_;
  std::unique_ptr<Record> record_;
  AtAddress<live::RobotOutput> robots_;
  AtAddress<bridge::ControllerOutput> controllers_;
  AtAddress<live::PersonOutput> persons_;
  std::vector<std::string> written_;
};

/// Returns the schemes of protocols; `sensors`: with those of raw sensors.
[[nodiscard]] std::vector<live::StreamScheme> stream_schemes(bool sensors);

}  // namespace panto::app
