// The one source that compiles Beast's WebSockets, which take a minute.

#include "panto/bridge/web_socket_server.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace panto::bridge {
namespace sockets {  // with a name: `Impl` holds its types

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Problem = beast::error_code;
using UpgradeRequest = http::request<http::empty_body>;

constexpr std::chrono::seconds kHandshake{5}, kIdle{20};  // pings go out after half of that
constexpr std::chrono::milliseconds kEnd{200};            // for closing

// the request that these bytes hold; nothing when it is not whole
std::optional<UpgradeRequest> upgrade_request(const std::string& head) {
  http::request_parser<http::empty_body> parser;
  Problem problem;
  parser.eager(false);
  parser.put(asio::buffer(head), problem);
  if (problem || !parser.is_header_done()) return std::nullopt;
  return parser.release();
}

// Stays alive by its own operations.
class Connection final : public WebSocketLine, public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::ip::tcp::socket socket, std::size_t largest, std::shared_ptr<WebSocketPeer> peer)
      : stream_(std::move(socket)), peer_(std::move(peer)) {
    peer_->line = this;
    stream_.read_message_max(largest);
    stream_.set_option(websocket::stream_base::timeout{kHandshake, kIdle, true});
  }

  [[nodiscard]] WebSocketPeer& peer() noexcept { return *peer_; }

  void begin(const std::string& head) {
    std::optional<UpgradeRequest> request = upgrade_request(head);
    if (!request) return;
    request_ = *std::move(request);
    const auto offered = request_[http::field::sec_websocket_protocol];
    const std::string spoken = peer_->subprotocol({offered.data(), offered.size()});
    if (spoken.empty()) return refuse();
    stream_.set_option(websocket::stream_base::decorator([spoken](websocket::response_type& response) {
      response.set(http::field::sec_websocket_protocol, spoken);
    }));
    stream_.async_accept(request_, [self = shared_from_this()](Problem failed) {
      if (failed) return;
      self->open_ = true;
      self->peer_->opened();
      self->read();
    });
  }

  [[nodiscard]] bool open() const noexcept override { return open_; }

  void send(std::string message, bool binary) override {
    out_ = std::move(message);
    stream_.binary(binary);
    stream_.async_write(asio::buffer(out_), [self = shared_from_this()](Problem problem, std::size_t) {
      if (problem) self->open_ = false;
      self->peer_->written();
    });
  }

  void close(CloseCode code, const char* why) override {
    if (!std::exchange(open_, false)) return;
    stream_.async_close({static_cast<websocket::close_code>(code), why},
                        [self = shared_from_this()](Problem) {});
  }

 private:
  void refuse() {
    const std::string_view answer = peer_->refusal();
    if (answer.empty()) return;
    asio::async_write(stream_.next_layer(), asio::buffer(answer.data(), answer.size()),
                      [self = shared_from_this()](Problem, std::size_t) {});
  }

  void read() {
    stream_.async_read(in_, [self = shared_from_this()](Problem problem, std::size_t) {
      if (problem) {
        self->open_ = false;
        return;
      }
      const std::string message = beast::buffers_to_string(self->in_.data());
      self->in_.consume(self->in_.size());
      self->peer_->heard(message, self->stream_.got_text());
      if (self->open_) self->read();
    });
  }

  websocket::stream<beast::tcp_stream> stream_;
  std::shared_ptr<WebSocketPeer> peer_;
  UpgradeRequest request_;
  beast::flat_buffer in_;
  std::string out_;
  bool open_ = false;
};

}  // namespace sockets

using namespace sockets;

struct WebSocketServer::Impl {
  Impl(std::size_t at_most, std::size_t bytes, std::function<std::shared_ptr<WebSocketPeer>()> peer)
      : most(at_most), largest(bytes), make(std::move(peer)), thread([this] { io.run(); }) {}

  std::size_t most, largest;
  std::function<std::shared_ptr<WebSocketPeer>()> make;
  asio::io_context io{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work{asio::make_work_guard(io)};
  std::vector<std::weak_ptr<Connection>> connections;  // of the server's thread
  std::thread thread;                                  // last: it uses the others

  void take(int handle, const std::string& head) {
    std::erase_if(connections, [](const auto& connection) { return connection.expired(); });
    asio::ip::tcp::socket socket(io);
    Problem problem;
    if (socket.assign(asio::ip::tcp::v4(), handle, problem)) {
      (void)::close(handle);
      return;
    }
    if (connections.size() >= most) {
      static constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n";
      socket.send(asio::buffer(kFull.data(), kFull.size()), 0, problem);
      return;
    }
    (void)socket.set_option(asio::ip::tcp::no_delay(true), problem);
    const auto connection = std::make_shared<Connection>(std::move(socket), largest, make());
    connections.push_back(connection);
    connection->begin(head);
  }
};

WebSocketServer::WebSocketServer(std::size_t most, std::size_t largest,
                                 std::function<std::shared_ptr<WebSocketPeer>()> make)
    : impl_(std::make_unique<Impl>(most, largest, std::move(make))) {}

WebSocketServer::~WebSocketServer() { stop(); }

void WebSocketServer::adopt(int handle, std::string head) {
  asio::post(impl_->io, [this, handle, head = std::move(head)] { impl_->take(handle, head); });
}

void WebSocketServer::post(std::function<void()> what) { asio::post(impl_->io, std::move(what)); }

void WebSocketServer::each(const std::function<void(WebSocketPeer&)>& what) {
  for (const auto& weak : impl_->connections)
    if (const auto connection = weak.lock()) what(connection->peer());
}

void WebSocketServer::stop() {
  if (!impl_->thread.joinable()) return;
  post([this] {
    each([](WebSocketPeer& peer) { peer.line->close(CloseCode::GoingAway, "the run has ended"); });
    impl_->work.reset();
  });
  const auto until = std::chrono::steady_clock::now() + kEnd;
  while (!impl_->io.stopped() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  impl_->io.stop();
  impl_->thread.join();
}

}  // namespace panto::bridge
