#pragma once
// A server of WebSockets: takes connections whose upgrade was checked, one thread serves them all.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace panto::bridge {

/// Why a connection is closed (RFC 6455, section 7.4).
enum class CloseCode : std::uint16_t { GoingAway = 1001, Policy = 1008, TryAgainLater = 1013 };

/// What a peer may do with its connection. To be used on the server's thread.
class WebSocketLine {
 public:
  WebSocketLine() = default;
  WebSocketLine(const WebSocketLine&) = delete;
  WebSocketLine& operator=(const WebSocketLine&) = delete;
  virtual ~WebSocketLine() = default;

  /// Returns whether messages can be sent.
  [[nodiscard]] virtual bool open() const noexcept = 0;
  /// Sends a message. The next one may be sent when `WebSocketPeer::written` was called.
  virtual void send(std::string message, bool binary) = 0;
  /// Closes the connection, once.
  virtual void close(CloseCode code, const char* why) = 0;
};

/// One connection as its server sees it. Its functions are called on the server's thread.
class WebSocketPeer {
 public:
  WebSocketPeer() = default;
  WebSocketPeer(const WebSocketPeer&) = delete;
  WebSocketPeer& operator=(const WebSocketPeer&) = delete;
  virtual ~WebSocketPeer() = default;

  /// Returns the subprotocol to speak of those that are `offered`; empty: none, which ends the connection.
  [[nodiscard]] virtual std::string subprotocol(std::string_view offered) const = 0;
  /// Returns the answer to a connection that offers none that is known; empty: it ends without one.
  [[nodiscard]] virtual std::string_view refusal() const noexcept { return {}; }
  virtual void opened() {}
  virtual void heard(const std::string& message, bool text) = 0;
  virtual void written() {}

  /// Belongs to the connection, which outlives the calls above.
  WebSocketLine* line = nullptr;
};

/// Closes a connection that does not finish its handshake within 5 s, or does not answer a ping within 20 s.
class WebSocketServer {
 public:
  /// `make`: makes the peer of a connection, on the server's thread. `most`: connections at a time; one too
  /// many is answered 503. `largest`: bytes of a message.
  WebSocketServer(std::size_t most, std::size_t largest,
                  std::function<std::shared_ptr<WebSocketPeer>()> make);
  ~WebSocketServer();
  WebSocketServer(const WebSocketServer&) = delete;
  WebSocketServer& operator=(const WebSocketServer&) = delete;

  /// Takes over a connection whose upgrade request was checked. `handle`: its socket, which the server
  /// closes; `head`: the bytes received so far. Any thread may call it.
  void adopt(int handle, std::string head);
  /// Runs `what` on the server's thread. Any thread may call it.
  void post(std::function<void()> what);
  /// Calls `what` for every peer. To be called on the server's thread.
  void each(const std::function<void(WebSocketPeer&)>& what);
  /// Tells every peer that the run has ended, and ends the thread: after 0.2 s at most.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto::bridge
