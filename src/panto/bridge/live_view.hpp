#pragma once
// The live view: a page of this computer that shows a run while it goes, and the same for Foxglove.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "panto/bridge/foxglove_server.hpp"
#include "panto/io/foxglove_messages.hpp"
#include "panto/live/run.hpp"
#include "panto/live/stream_watch.hpp"
#include "panto/live/web_server.hpp"
#include "panto/live/wish.hpp"
#include "panto/tracking/live_figures.hpp"

namespace panto::bridge {

/// What a live view shows.
struct ViewedRun {
  std::string name;                   ///< for people: "mvn:// -> g1"
  std::string page;                   ///< HTML; empty: the page that waits stays, and asks for /run.json
  std::string data;                   ///< what /run.json is; empty: there is none
  std::vector<std::string> segments;  ///< names of the person's
  bool robots = false;                ///< whether there are robots to arm
  bool sensors = false;               ///< whether there are raw sensors to calibrate
};

/// How a run is now.
struct RunNow {
  live::StreamState stream = live::StreamState::Good;
  std::optional<bool> armed = {};      ///< unset: there are no robots
  std::optional<bool> recording = {};  ///< unset: there is nothing to record
};

/// Where a live view is served, and to whom.
struct ViewOptions {
  std::uint16_t port = 0;            ///< 0: a free one
  std::vector<std::string> origins;  ///< of pages elsewhere that may look, as "https://app.foxglove.dev"
  std::string page;                  ///< HTML until the run begins
  std::string token;                 ///< empty: a new one
  live::WebNames outside;            ///< names of this computer for others; none: nobody else is served
  /// Gets the WebSocket connections to /headset; without it there are none.
  std::function<void(int handle, const std::string& head)> headset;
};

/// Serves the page and Foxglove's protocol at one port of 127.0.0.1, both at "/". Sends at most 60 frames a
/// second. Who comes from outside must know the token for everything but the page itself.
class LiveView final : public live::LiveOutput {
 public:
  /// @throws Error when it cannot listen.
  explicit LiveView(ViewOptions options);
  ~LiveView() override;

  /// Returns the page's address. The token after "#" permits arming robots: keep it secret.
  [[nodiscard]] std::string address() const;
  /// Returns the port of 127.0.0.1 for what comes from outside; 0 without names for it.
  [[nodiscard]] std::uint16_t outside_port() const noexcept { return outside_port_; }
  /// Begins to show a run. Call it once, before the first `write` or `show`; the model must outlive the last
  /// `write`.
  void begin(const Model& model, ViewedRun run);
  void write(const LiveFrame& frame) noexcept override;
  [[nodiscard]] bool counts() const noexcept override { return false; }
  /// Publishes the state of the run; call it a few times a second. Logs changes of the stream's state and of
  /// arming.
  void show(const RunNow& now, const LiveFigures& figures);
  /// Returns how many frames were not shown for want of memory.
  [[nodiscard]] std::int64_t missed() const noexcept { return missed_; }
  /// Returns why the page server stopped, or an empty string while it runs.
  [[nodiscard]] std::string failed();
  /// Adds a line to the log that pages show.
  void say(const std::string& line);
  /// Returns what pages asked since the last call, in order; nothing about arming without robots.
  [[nodiscard]] std::vector<live::Wish> wishes();

 private:
  struct Shown;
  void serve() noexcept;
  [[nodiscard]] std::optional<live::WebPage> page(const live::WebRequest& request) const;
  int take_viewer(const live::WebRequest& request, int handle, const std::string& head);
  [[nodiscard]] Time date_of(const LiveFrame& frame) noexcept;
  void note(io::LogLevel level, const std::string& line, Time date);

  std::string token_, waiting_page_;
  std::function<void(int, const std::string&)> headset_;
  std::uint16_t outside_port_ = 0;
  Time since_1970_;  // of the local clock's 0 [ns]
  Time clock_ = 0;   // of the stamps' 0 on the local clock [ns]
  Time dated_ = 0;   // stamp of the last dated frame [ns]
  Time shown_ = 0;
  std::atomic<std::int64_t> missed_{0};
  std::mutex mutex_;  // of the next three
  std::vector<live::Wish> wishes_;
  std::string problem_;
  std::vector<std::pair<int, std::string>> early_;  // sockets and bytes of viewers before the run
  std::optional<live::StreamState> stream_;
  std::optional<bool> armed_;
  std::int64_t samples_ = 0;  // as of the last `show`; `fresh_`: local time at which they last grew
  Time fresh_ = 0;
  std::unique_ptr<Shown> run_;           // set by `begin`
  std::atomic<Shown*> begun_ = nullptr;  // the same, for the pages' thread
  live::WebServer pages_;
  std::atomic<bool> stop_{false};
  std::thread thread_;  // of the pages
};

}  // namespace panto::bridge
