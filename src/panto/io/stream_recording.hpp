#pragma once
// Recordings of live runs, in MCAP: the datagrams as they came, which samples were solved, the States
// (docs/formats/stream_recording.md).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/recording/stream_recording.hpp"

namespace panto::io {

/// Writes a recording. Threads may call it at the same time: only `flush` touches the disk.
class StreamRecorder {
 public:
  /// @throws Error as `McapWriter`.
  StreamRecorder(const std::string& path, const StreamRecordingInfo& info);
  ~StreamRecorder();
  StreamRecorder(const StreamRecorder&) = delete;
  StreamRecorder& operator=(const StreamRecorder&) = delete;

  /// From now on States are those of this model, which must outlive the recorder. Call it once, before other
  /// threads use the recorder.
  void follow(const Model& model);
  /// Keeps a datagram of a sender that arrived at local time `now` [ns].
  void datagram(std::span<const std::byte> bytes, std::uint64_t sender, Time now) noexcept;
  /// Keeps that the sample of stamp `t` [ns] was solved.
  void solved(Time t, Time now) noexcept;
  /// Keeps that the run was re-aligned with the sample of stamp `t` [ns].
  void aligned(Time t, Time now) noexcept;
  /// Keeps that poses which calibrate the sensors were waited for from the sample of stamp `t` [ns] on.
  void calibrated(Time t, Time now, const std::string& poses) noexcept;
  /// Keeps the sensors' mounts, as text of a sensors file.
  void sensors(const std::string& text, Time now) noexcept;
  /// Keeps a mark that somebody set, as text of a log that viewers show.
  void mark(const std::string& text, Time now) noexcept;
  /// Keeps a State, to the bit; and for viewers, at most 60 times a second, its joints and link poses.
  void state(const State& state, Time now) noexcept;
  /// Writes to the disk what is older than a quarter of a second, at local time `now`.
  void flush(Time now) noexcept;
  /// Completes the file. @throws Error when writing has failed; what was written before stays as `.part`.
  void close();

  [[nodiscard]] bool good() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a recording from the bytes of a file. @throws FormatError for other files, with what they lack.
[[nodiscard]] StreamRecording read_stream_recording(std::string_view bytes, const std::string& name);

}  // namespace panto::io
