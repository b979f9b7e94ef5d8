#pragma once
// The live view: a page of this computer that shows a run while it goes, and the same for Foxglove.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "panto/bridge/foxglove_server.hpp"
#include "panto/io/foxglove_messages.hpp"
#include "panto/live/live_run.hpp"
#include "panto/live/stream_watch.hpp"
#include "panto/live/web_server.hpp"
#include "panto/tracking/live_figures.hpp"

namespace panto::bridge {

/// What a live view shows.
struct ViewedRun {
  std::string name;                   ///< for people: "mvn:// -> g1"
  std::string page;                   ///< HTML
  std::vector<std::string> segments;  ///< names of the person's
  bool robots = false;                ///< there are robots that the page may arm
};

/// Serves the page and Foxglove's protocol at one port of 127.0.0.1: "/" is the page, and its WebSocket. At
/// most 60 frames a second go to those who look.
class LiveView final : public live::LiveOutput {
 public:
  /// `port`: 0 for a free one. `origins`: of pages elsewhere that may look, as "https://app.foxglove.dev".
  /// `page`: HTML until the run begins. @throws Error when it cannot listen.
  LiveView(std::uint16_t port, const std::vector<std::string>& origins, std::string page);
  ~LiveView() override;

  /// Returns the page's address. What follows "#" lets it arm robots; tell it to nobody else.
  [[nodiscard]] std::string address() const;
  /// Shows a run from now on; call it once, before frames come. The model must outlive the
  /// last of them.
  void begin(const Model& model, ViewedRun run);
  void write(const LiveFrame& frame) noexcept override;
  [[nodiscard]] bool counts() const noexcept override { return false; }
  /// Shows how the run goes; a few times a second. `armed`: unset without robots. Changes of the stream's
  /// state and of arming are lines of the log.
  void show(live::StreamState stream, const LiveFigures& figures, std::optional<bool> armed);
  /// Returns how many frames there was no memory to show.
  [[nodiscard]] std::int64_t missed() const noexcept { return missed_; }
  /// Returns why no more pages are served; else empty. The run goes on.
  [[nodiscard]] std::string failed();
  /// Returns what a page asked since the last call: to arm, or to disarm.
  [[nodiscard]] std::optional<bool> wish();

 private:
  struct Shown;
  void serve() noexcept;
  void note(bool bad, const std::string& line, Time date);

  std::string token_, waiting_page_;
  Time since_1970_;  // of the local clock's 0 [ns]
  Time shown_ = 0;
  std::atomic<std::int64_t> missed_{0};
  std::mutex mutex_;  // of the next three
  std::optional<bool> wish_;
  std::string problem_;
  std::vector<std::pair<int, std::string>>
      early_;  // viewers that came before the run: socket, what they said
  std::optional<live::StreamState> stream_;
  std::optional<bool> armed_;
  std::int64_t samples_ = 0;  // of the last `show` that had new ones, and when that was
  Time fresh_ = 0;
  std::unique_ptr<Shown> run_;           // once it has begun
  std::atomic<Shown*> begun_ = nullptr;  // the same, for the pages' thread
  live::WebServer pages_;
  std::atomic<bool> stop_{false};
  std::thread thread_;  // of the pages
};

}  // namespace panto::bridge
