#pragma once
// Recordings of a live run, one after the other: begun with it, from the console or from a page.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "panto/io/stream_recording.hpp"
#include "panto/live/run.hpp"
#include "panto/model/model.hpp"

namespace panto::bridge {

/// What a recording says of its run.
struct TakeInfo {
  std::string scheme, address;               ///< of the input
  std::map<std::string, std::string> about;  ///< names and values of the run
};

/// Writes at most one recording at a time. Every take begins with the datagrams of the run's beginning, which
/// tell names and sizes. Threads may call it at the same time.
class Takes final : public live::LiveOutput {
 public:
  /// `path`: the first recording, which begins now; empty: none does.
  /// @throws Error as `io::StreamRecorder`.
  Takes(TakeInfo info, const std::string& path);
  /// Removes a recording of a run that did not begin.
  ~Takes() override;

  /// States are those of this model, which must outlive it. Call it before the run.
  void follow(const Model& model);
  /// Returns what keeps every datagram of an input. This must outlive it.
  [[nodiscard]] std::function<void(std::span<const std::byte>, std::uint64_t, Time)> tap();
  /// Returns what keeps which samples a run solves, and what is asked of it. This must outlive it.
  [[nodiscard]] live::LiveEvents events();
  /// Keeps a mark.
  void mark(const std::string& text, Time now) noexcept;

  /// Begins a recording, at local time `now` [ns], in a file beside the first one, or in this folder; or ends
  /// the one that is written. Returns a sentence about it.
  [[nodiscard]] std::string toggle(Time now);
  /// Returns the name of the recording that is written; empty: none.
  [[nodiscard]] std::string path() const;
  /// Returns its name once the disk refuses it; else empty.
  [[nodiscard]] std::string failed() const;
  /// Ends the recording that is written. Returns a sentence for each recording of the run that is not
  /// complete.
  [[nodiscard]] std::vector<std::string> close();
  /// Returns the names of the recordings that are complete.
  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }

  void write(const LiveFrame& frame) noexcept override;
  void wait(bool held) noexcept override;
  [[nodiscard]] std::size_t depth() const noexcept override { return 4096; }

 private:
  using Recorder = std::shared_ptr<io::StreamRecorder>;
  struct Early {
    std::string bytes;
    std::uint64_t sender;
    Time arrival;
  };
  [[nodiscard]] Recorder now() const noexcept;
  void begin(const std::string& path, Time now, bool late);
  [[nodiscard]] std::string end();
  [[nodiscard]] std::string next_path() const;
  void datagram(std::span<const std::byte> bytes, std::uint64_t sender, Time now) noexcept;
  void flush() noexcept;

  TakeInfo info_;
  std::string first_;
  const Model* model_ = nullptr;
  mutable std::mutex mutex_;  // of what follows, up to `disk_`
  Recorder recorder_;
  std::string path_;
  std::vector<Early> early_;  // datagrams of the run's beginning
  std::size_t early_bytes_ = 0;
  bool solving_ = false;               // the beginning is over
  std::string sensors_;                // mounts that were found
  std::vector<std::string> problems_;  // not told by `close` yet
  std::mutex disk_;                    // held by who writes to it
  std::vector<std::string> written_;
};

}  // namespace panto::bridge
