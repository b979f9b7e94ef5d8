#include "panto/bridge/headset_source.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "panto/bridge/token.hpp"
#include "panto/bridge/web_socket_server.hpp"
#include "panto/live/pacer.hpp"
#include "panto/stream/webxr.hpp"

namespace panto::bridge {
namespace headset {  // with a name: `Impl` holds its types

constexpr const char* kSubprotocol = "panto.webxr.v1";
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
class Page final : public WebSocketPeer, public std::enable_shared_from_this<Page> {
 public:
  explicit Page(Pages& pages) : pages_(&pages) {}

  [[nodiscard]] std::string subprotocol(std::string_view offered) const override {
    return offered == kSubprotocol ? kSubprotocol : "";
  }

  void heard(const std::string& message, bool text) override {
    if (!welcome_)
      hear_token(message);
    else if (text)
      line->close(CloseCode::Policy, "frames are binary");
    else
      hear_frame(message);
  }

 private:
  void hear_token(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto told = json.is_object() ? json.find("token") : json.end();
    const bool valid = json.is_object() && told != json.end() && told->is_string() &&
                       same_secret(told->get_ref<const std::string&>(), pages_->token);
    if (!valid) return line->close(CloseCode::Policy, "wrong token");
    const std::shared_ptr<Page> other = pages_->sender.lock();
    const Time now = live::monotonic_now();
    if (other && other.get() != this) {
      if (now - pages_->heard < kSilence)
        return line->close(CloseCode::TryAgainLater, "another headset is sending");
      other->line->close(CloseCode::TryAgainLater, "another headset is sending");
    }
    pages_->sender = weak_from_this();
    pages_->heard = now;
    welcome_ = true;
    line->send(R"({"op":"welcome"})", false);
  }

  void hear_frame(const std::string& frame) {
    const auto bytes = std::as_bytes(std::span(frame));
    Inbox::Message message{live::monotonic_now(), {bytes.begin(), bytes.end()}};
    if (!stream::is_webxr(message.bytes) && ++faults_ > kMostFaults)
      return line->close(CloseCode::Policy, "too many messages that are not frames");
    pages_->heard = message.arrival;
    pages_->inbox.put(std::move(message));
  }

  Pages* pages_;
  int faults_ = 0;
  bool welcome_ = false;
};

}  // namespace headset

using namespace headset;

struct HeadsetSource::Impl {
  explicit Impl(std::optional<double> height) : decoder(height) {}
  stream::WebxrBody decoder;
  Pages pages;
  WebSocketServer server{kMostPages, kLargest, [this] { return std::make_shared<Page>(pages); }};
};

HeadsetSource::HeadsetSource(std::string token, std::optional<double> height)
    : impl_(std::make_unique<Impl>(height)) {
  impl_->pages.token = std::move(token);
}

HeadsetSource::~HeadsetSource() { impl_->server.stop(); }

void HeadsetSource::adopt(int handle, std::string head) { impl_->server.adopt(handle, std::move(head)); }

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
