#include "panto/bridge/headset_source.hpp"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "panto/bridge/token.hpp"
#include "panto/bridge/web_sockets.hpp"
#include "panto/live/pacer.hpp"
#include "panto/stream/webxr.hpp"

namespace panto::bridge {
namespace headset {  // with a name: `Impl` holds its types

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Problem = beast::error_code;

constexpr const char* kSubprotocol = "panto.webxr.v1";
constexpr std::chrono::seconds kHandshake{5}, kIdle{20};  // pings go out after half of that
constexpr std::size_t kMostMessages = 64, kMostPages = 8, kLargest = 4096;
constexpr Time kSilence = 2'000'000'000;  // [ns]
constexpr int kMostFaults = 32;

// What pages and the run share.
struct Inbox {
  struct Message {
    Time arrival = 0;
    std::vector<std::byte> bytes;
  };
  std::mutex mutex;
  std::condition_variable came;
  std::deque<Message> messages;

  void put(Message message) {
    const std::lock_guard lock(mutex);
    if (messages.size() >= kMostMessages) messages.pop_front();
    messages.push_back(std::move(message));
    came.notify_one();
  }
  std::optional<Message> take(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    if (!came.wait_for(lock, patience, [this] { return !messages.empty(); })) return std::nullopt;
    Message message = std::move(messages.front());
    messages.pop_front();
    return message;
  }
};

class Page;

// Which page sends. Of the server's thread.
struct Pages {
  std::string token;
  Inbox inbox;
  std::weak_ptr<Page> sender;
  Time heard = 0;  // local, of the sender's newest frame or its welcome
};

// One page. Everything happens on the server's thread.
class Page : public std::enable_shared_from_this<Page> {
 public:
  Page(asio::ip::tcp::socket socket, Pages& pages) : stream_(std::move(socket)), pages_(&pages) {}

  void begin(const std::string& head) {
    std::optional<UpgradeRequest> request = upgrade_request(head);
    if (!request) return;
    request_ = *std::move(request);
    if (request_[http::field::sec_websocket_protocol] != kSubprotocol) return;
    stream_.set_option(websocket::stream_base::timeout{kHandshake, kIdle, true});
    stream_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::sec_websocket_protocol, kSubprotocol);
    }));
    stream_.read_message_max(kLargest);
    stream_.async_accept(request_, [self = shared_from_this()](Problem failed) {
      if (!failed) self->read();
    });
  }

  void end(websocket::close_code code, const char* why) {
    if (std::exchange(ended_, true)) return;
    stream_.async_close({code, why}, [self = shared_from_this()](Problem) {});
  }

 private:
  void read() {
    stream_.async_read(in_, [self = shared_from_this()](Problem problem, std::size_t) {
      if (problem) return;
      self->hear();
      if (!self->ended_) self->read();
    });
  }

  void hear() {
    if (!welcome_)
      hear_token(beast::buffers_to_string(in_.data()));
    else if (stream_.got_text())
      end(websocket::close_code::policy_error, "frames are binary");
    else
      hear_frame();
    in_.consume(in_.size());
  }

  void hear_token(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto told = json.is_object() ? json.find("token") : json.end();
    const bool valid = json.is_object() && told != json.end() && told->is_string() &&
                       same_secret(told->get_ref<const std::string&>(), pages_->token);
    if (!valid) return end(websocket::close_code::policy_error, "wrong token");
    const std::shared_ptr<Page> other = pages_->sender.lock();
    const Time now = live::monotonic_now();
    if (other && other.get() != this) {
      if (now - pages_->heard < kSilence)
        return end(websocket::close_code::try_again_later, "another headset is sending");
      other->end(websocket::close_code::try_again_later, "another headset is sending");
    }
    pages_->sender = weak_from_this();
    pages_->heard = now;
    welcome_ = true;
    stream_.text(true);
    stream_.async_write(asio::buffer(kWelcome), [self = shared_from_this()](Problem, std::size_t) {});
  }

  void hear_frame() {
    Inbox::Message message{live::monotonic_now(), std::vector<std::byte>(in_.size())};
    asio::buffer_copy(asio::buffer(message.bytes), in_.data());
    if (!stream::is_webxr(message.bytes) && ++faults_ > kMostFaults)
      return end(websocket::close_code::policy_error, "too many messages that are no frame");
    pages_->heard = message.arrival;
    pages_->inbox.put(std::move(message));
  }

  static constexpr std::string_view kWelcome = R"({"op":"welcome"})";
  websocket::stream<beast::tcp_stream> stream_;
  Pages* pages_;
  UpgradeRequest request_;
  beast::flat_buffer in_;
  int faults_ = 0;
  bool welcome_ = false, ended_ = false;
};

}  // namespace headset

using namespace headset;

struct HeadsetSource::Impl {
  explicit Impl(std::optional<double> height) : decoder(height) {}
  stream::WebxrBody decoder;
  Pages pages;
  WebSockets<Page> server{kMostPages};
};

HeadsetSource::HeadsetSource(std::string token, std::optional<double> height)
    : impl_(std::make_unique<Impl>(height)) {
  impl_->pages.token = std::move(token);
}

HeadsetSource::~HeadsetSource() {
  impl_->server.stop([](Page& page) { page.end(websocket::close_code::going_away, "the run has ended"); });
}

void HeadsetSource::adopt(int handle, std::string head) {
  impl_->server.adopt(handle, std::move(head), [pages = &impl_->pages](asio::ip::tcp::socket socket) {
    return std::make_shared<Page>(std::move(socket), *pages);
  });
}

bool HeadsetSource::next(int milliseconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const auto message = impl_->pages.inbox.take(std::max(left, std::chrono::milliseconds(0)));
    if (!message) return false;
    if (tap) tap(message->bytes, 0, message->arrival);
    if (impl_->decoder.take(message->bytes, message->arrival) != stream::Brought::Sample) continue;
    arrival_ = message->arrival;
    return true;
  }
}

const stream::SampleStream<SegmentSample>& HeadsetSource::decoder() const noexcept { return impl_->decoder; }

}  // namespace panto::bridge
