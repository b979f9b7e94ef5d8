#pragma once
// The live view: a page of this computer that shows a run while it goes, and the same for Foxglove.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "panto/bridge/foxglove_server.hpp"
#include "panto/io/foxglove_messages.hpp"
#include "panto/live/live_run.hpp"
#include "panto/live/stream_watch.hpp"
#include "panto/live/web_server.hpp"
#include "panto/model/kinematics.hpp"
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
  /// `port`: 0 for a free one. `origins`: of pages elsewhere that may look, as
  /// "https://app.foxglove.dev". The model must outlive it. @throws Error when it cannot listen.
  LiveView(std::uint16_t port, const std::vector<std::string>& origins, const Model& model, ViewedRun run);
  ~LiveView() override;

  /// Returns the page's address. What follows "#" lets it arm robots; tell it to nobody else.
  [[nodiscard]] std::string address() const;
  void write(const LiveFrame& frame) noexcept override;
  [[nodiscard]] bool counts() const noexcept override { return false; }
  /// Shows how the run goes; a few times a second. `armed`: unset without robots. A change of the stream's
  /// state is a line of the log.
  void show(live::StreamState stream, const LiveFigures& figures, std::optional<bool> armed);
  /// Returns how many frames there was no memory to show.
  [[nodiscard]] std::int64_t missed() const noexcept { return missed_; }
  /// Returns why no more pages are served; else empty. The run goes on.
  [[nodiscard]] std::string failed();
  /// Returns what a page asked since the last call: to arm, or to disarm.
  [[nodiscard]] std::optional<bool> wish();

 private:
  void serve() noexcept;

  const Model* model_;
  Kinematics kinematics_;
  ViewedRun run_;
  std::string token_;
  Time since_1970_;  // of the local clock's 0 [ns]
  Time shown_ = 0;
  std::atomic<std::int64_t> missed_{0};
  std::mutex mutex_;  // of the next two
  std::optional<bool> wish_;
  std::string problem_;
  std::optional<live::StreamState> stream_;
  std::optional<FoxgloveServer> viewers_;
  live::WebServer pages_;
  std::atomic<bool> stop_{false};
  std::thread thread_;  // of the pages
};

}  // namespace panto::bridge
