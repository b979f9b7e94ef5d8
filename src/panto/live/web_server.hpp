#pragma once
// Serves pages to browsers on this computer, and to nobody else.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/live/web_request.hpp"

namespace panto::live {

/// What a path holds.
struct WebPage {
  std::string body;
  std::string type = "text/html; charset=utf-8";
  int status = 200;
};

/// Listens on 127.0.0.1. Reads no file, changes nothing, and closes each connection after its answer, unless
/// it passes the connection on as a WebSocket: GET and HEAD of what `pages` returns. At most 32 clients at a
/// time, the others wait; each has 5 s for its request and 30 s without progress for its answer. Pages may
/// not be framed, embedded elsewhere, or load from elsewhere.
class WebServer {
 public:
  /// Returns the page of a path; nothing: 404. May throw: 500 with the message.
  using Pages = std::function<std::optional<WebPage>(const WebRequest& request)>;
  /// Takes over a connection that continues as a WebSocket, and returns 0; or returns the status to refuse it
  /// with, 400, 403 or 404. `handle`: its socket, to be closed by who takes it; `head`: the bytes received so
  /// far.
  using Upgraded = std::function<int(const WebRequest& request, int handle, const std::string& head)>;

  /// `port`: 0 for a free one. `origins`: further origins whose pages may send requests. @throws Error when
  /// it cannot listen.
  explicit WebServer(std::uint16_t port, const std::vector<std::string>& origins = {});
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Opens a second, free port of 127.0.0.1 for a program that passes on what comes from elsewhere, and
  /// returns it. Its requests are `outside`, and must name a host of `names`. Call it before `serve`. @throws
  /// Error when it cannot listen.
  std::uint16_t listen_for_outside(WebNames names);
  /// Serves until `stop` returns true, which is asked ten times a second; what it throws ends it, too.
  /// `upgraded`: gets the WebSocket connections; without it the server refuses them (400).
  void serve(const Pages& pages, const std::function<bool()>& stop, const Upgraded& upgraded = {});

 private:
  int listening_ = -1, listening_outside_ = -1;
  std::uint16_t port_ = 0;
  WebNames names_, outside_;
};

}  // namespace panto::live
