#pragma once
// A server of viewers behind the pages' server, as the live view has it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "panto/bridge/foxglove_server.hpp"
#include "panto/live/web_server.hpp"

namespace panto::test {

class ServedViewers {
 public:
  ServedViewers()
      : server_("a run",
                {{{"/pose", "panto.Pose", "{}"}, bridge::Waiting::Newest},
                 {{"/scene", "panto.Scene", "{}"}, bridge::Waiting::Kept},
                 {{"/log", "panto.Log", "{}"}, bridge::Waiting::All}},
                "secret",
                [this](const live::Wish& wish) {
                  using enum live::Wish::Kind;
                  if (wish.kind == Arm || wish.kind == Disarm)
                    armed = wish.kind == Arm ? 1 : 0;
                  else
                    ++others;
                }),
        thread_([this] {
          pages_.serve([](const live::WebRequest&) { return std::optional<live::WebPage>(); },
                       [this] { return stop_.load(); },
                       [this](const live::WebRequest&, int handle, const std::string& head) {
                         return server_.adopt(handle, head), 0;
                       });
        }) {}
  ~ServedViewers() {
    stop_ = true;
    thread_.join();
  }
  ServedViewers(const ServedViewers&) = delete;
  ServedViewers& operator=(const ServedViewers&) = delete;
  bridge::FoxgloveServer& operator*() noexcept { return server_; }
  bridge::FoxgloveServer* operator->() noexcept { return &server_; }
  [[nodiscard]] std::uint16_t port() const { return pages_.port(); }
  std::atomic<int> armed = -1;
  std::atomic<int> others = 0;  // wishes besides arming

 private:
  bridge::FoxgloveServer server_;
  live::WebServer pages_{0, {"https://app.foxglove.dev"}};
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

/// Waits up to 5 s for what other threads do.
template <typename True>
bool soon(const True& is_true) {
  for (int i = 0; i < 500; ++i) {
    if (is_true()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace panto::test
