#pragma once
// What servers of WebSockets share: the thread that serves their peers, and how it begins and ends.

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace panto::bridge {

using UpgradeRequest = boost::beast::http::request<boost::beast::http::empty_body>;

/// Returns the request that these bytes hold; nothing when it is not whole.
inline std::optional<UpgradeRequest> upgrade_request(const std::string& head) {
  boost::beast::http::request_parser<boost::beast::http::empty_body> parser;
  boost::beast::error_code problem;
  parser.eager(false);
  parser.put(boost::asio::buffer(head), problem);
  if (problem || !parser.is_header_done()) return std::nullopt;
  return parser.release();
}

/// The peers of a server, and its thread. A `Peer` has `begin(head)` and stays alive by its own operations.
template <typename Peer>
class WebSockets {
 public:
  explicit WebSockets(std::size_t most) : most_(most), thread_([this] { io_.run(); }) {}
  /// Calls `end` for every peer on the server's thread. Waits 0.2 s at most for peers that do not answer.
  template <typename End>
  void stop(const End& end) {
    boost::asio::post(io_, [this, &end] {
      each(end);
      work_.reset();
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (!io_.stopped() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    io_.stop();
    thread_.join();
  }
  WebSockets(const WebSockets&) = delete;
  WebSockets& operator=(const WebSockets&) = delete;

  /// Takes over a connection whose upgrade request was checked. `make`: returns its peer from a socket. Any
  /// thread may call it. One peer too many is answered 503.
  template <typename Make>
  void adopt(int handle, std::string head, Make make) {
    boost::asio::post(io_, [this, handle, head = std::move(head), make] { take(handle, head, make); });
  }
  /// Runs `what` on the server's thread.
  template <typename What>
  void post(What what) {
    boost::asio::post(io_, std::move(what));
  }
  /// Calls `what` for every peer. To be called on the server's thread.
  template <typename What>
  void each(const What& what) {
    for (const auto& weak : peers_)
      if (const auto peer = weak.lock()) what(*peer);
  }

 private:
  template <typename Make>
  void take(int handle, const std::string& head, const Make& make) {
    std::erase_if(peers_, [](const auto& peer) { return peer.expired(); });
    boost::asio::ip::tcp::socket socket(io_);
    boost::beast::error_code problem;
    if (socket.assign(boost::asio::ip::tcp::v4(), handle, problem)) {
      (void)::close(handle);
      return;
    }
    if (peers_.size() >= most_) {
      static constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n";
      socket.send(boost::asio::buffer(kFull.data(), kFull.size()), 0, problem);
      return;
    }
    (void)socket.set_option(boost::asio::ip::tcp::no_delay(true), problem);
    const std::shared_ptr<Peer> peer = make(std::move(socket));
    peers_.push_back(peer);
    peer->begin(head);
  }

  std::size_t most_;
  boost::asio::io_context io_{1};
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_{
      boost::asio::make_work_guard(io_)};
  std::vector<std::weak_ptr<Peer>> peers_;  // of the server's thread
  std::thread thread_;                      // last: it uses the others
};

}  // namespace panto::bridge
