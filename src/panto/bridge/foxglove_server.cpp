#include "panto/bridge/foxglove_server.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <random>
#include <utility>

#include "panto/bridge/token.hpp"
#include "panto/bridge/web_socket_server.hpp"

namespace panto::bridge {
namespace served {  // with a name: `Impl` holds its types

constexpr std::size_t kLargestRequest = std::size_t{64} << 10, kMostWaiting = 1 << 20;  // [bytes]
constexpr std::size_t kHistory = 10;  // messages that a new subscriber of a `Waiting::All` channel gets
constexpr int kMostFaults = 32;       // bad requests of a viewer

struct Message {
  Time date = 0;
  std::shared_ptr<const std::string> text;
};

struct Channels {
  std::vector<ServedChannel> all;
  std::vector<std::deque<Message>> kept;       // by channel; of the server's thread
  std::unique_ptr<std::atomic<int>[]> wanted;  // subscriptions by channel
  std::atomic<std::int64_t> replaced{0};
  std::atomic<int> viewers{0};
  std::string name, session, token;
  std::function<void(const live::Wish&)> wished;

  [[nodiscard]] std::vector<FoxgloveChannel> told() const {
    std::vector<FoxgloveChannel> channels;
    for (const ServedChannel& one : all) channels.push_back(one.channel);
    return channels;
  }
};

// One viewer. Everything happens on the server's thread.
class Viewer final : public WebSocketPeer {
 public:
  explicit Viewer(Channels& channels) : channels_(&channels) { ++channels_->viewers; }
  ~Viewer() override {
    --channels_->viewers;
    count(-1);
  }

  [[nodiscard]] std::string subprotocol(std::string_view offered) const override {
    return std::string(chosen_subprotocol(offered));
  }
  [[nodiscard]] std::string_view refusal() const noexcept override {
    return "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
           "Offer the subprotocol foxglove.sdk.v1 or foxglove.websocket.v1.\n";
  }

  void opened() override {
    say(server_info_text(channels_->name, channels_->session));
    say(advertise_text(channels_->told()));
  }

  void heard(const std::string& text, bool is_text) override {
    const std::optional<FoxgloveRequest> request = is_text ? parse_foxglove_request(text) : std::nullopt;
    std::vector<std::string> problems;
    if (request)
      answer(*request, problems);
    else
      problems.emplace_back("this is no request");
    for (const std::string& problem : problems) say(warning_text(problem));
    faults_ += static_cast<int>(problems.size());
    if (faults_ > kMostFaults) line->close(CloseCode::Policy, "too many bad requests");
  }

  void written() override {
    writing_ = false;
    write();
  }

  void send(std::uint32_t channel, const Message& message) {
    if (!line->open()) return;
    subscriptions_.each_of(channel,
                           [&](std::uint32_t subscription) { send_to(subscription, channel, message); });
  }

 private:
  struct Out {
    std::uint32_t subscription = 0;
    Message message;
    std::string text;  // set: a message of the protocol, not of a channel
  };

  void answer(const FoxgloveRequest& request, std::vector<std::string>& problems) {
    count(-1);
    const auto added = subscriptions_.take(request, channels_->all.size(), problems);
    count(1);
    for (const std::uint32_t subscription : request.unsubscribed)
      std::erase_if(waiting_, [&](const Out& out) {
        const bool unwanted = out.text.empty() && out.subscription == subscription;
        if (unwanted) bytes_ -= out.message.text->size();
        return unwanted;
      });
    for (const auto& [subscription, channel] : added)
      for (const Message& message : channels_->kept[channel]) send_to(subscription, channel, message);
    if (!request.wish && !request.token) return;
    const bool valid = request.token && same_secret(*request.token, channels_->token);
    if (!request.wish)
      say(token_text(valid));
    else if (!valid && request.wish->kind != live::Wish::Kind::Disarm)
      problems.emplace_back("this page may look and disarm only: open the address that Panto printed");
    else if (channels_->wished)
      channels_->wished(*request.wish);
  }

  // adds `by` to the count of each channel, once per subscription
  void count(int by) {
    for (std::uint32_t channel = 0; channel < channels_->all.size(); ++channel)
      subscriptions_.each_of(channel, [&](std::uint32_t) { channels_->wanted[channel] += by; });
  }

  void say(std::string text) {
    bytes_ += text.size();
    waiting_.push_back({0, {}, std::move(text)});
    write();
  }

  void send_to(std::uint32_t subscription, std::uint32_t channel, const Message& message) {
    if (channels_->all[channel].waiting != Waiting::All) {
      // replace a message that waits; the one being written has left the queue
      for (Out& out : waiting_) {
        if (!out.text.empty() || out.subscription != subscription) continue;
        bytes_ += message.text->size() - out.message.text->size();
        out.message = message;
        ++channels_->replaced;
        return;
      }
    }
    bytes_ += message.text->size();
    if (bytes_ > kMostWaiting + message.text->size())
      return line->close(CloseCode::TryAgainLater, "too much waits for this viewer");
    waiting_.push_back({subscription, message, {}});
    write();
  }

  void write() {
    if (writing_ || waiting_.empty() || !line->open()) return;
    writing_ = true;
    const Out out = std::move(waiting_.front());
    waiting_.pop_front();
    const bool data = out.text.empty();
    bytes_ -= data ? out.message.text->size() : out.text.size();
    line->send(data ? data_bytes(out.subscription, out.message.date, *out.message.text) : out.text, data);
  }

  Channels* channels_;
  std::deque<Out> waiting_;
  std::size_t bytes_ = 0;  // that wait
  FoxgloveSubscriptions subscriptions_;
  int faults_ = 0;
  bool writing_ = false;
};

inline std::string new_session() {
  std::random_device random;
  return std::to_string((std::uint64_t{random()} << 32) | random());
}

}  // namespace served

using namespace served;

struct FoxgloveServer::Impl {
  Channels channels;
  WebSocketServer server{kMostViewers, kLargestRequest,
                         [this] { return std::make_shared<Viewer>(channels); }};
};

FoxgloveServer::FoxgloveServer(std::string name, std::vector<ServedChannel> channels, std::string token,
                               std::function<void(const live::Wish&)> wished)
    : impl_(std::make_unique<Impl>()) {
  Channels& all = impl_->channels;
  all.name = std::move(name);
  all.session = new_session();
  all.token = std::move(token);
  all.wished = std::move(wished);
  all.kept.resize(channels.size());
  all.wanted = std::make_unique<std::atomic<int>[]>(channels.size());
  all.all = std::move(channels);
}

FoxgloveServer::~FoxgloveServer() { impl_->server.stop(); }

void FoxgloveServer::adopt(int handle, std::string head) { impl_->server.adopt(handle, std::move(head)); }

void FoxgloveServer::publish(std::uint32_t channel, Time date, std::string message) {
  Message shared{date, std::make_shared<const std::string>(std::move(message))};
  impl_->server.post([this, channel, shared = std::move(shared)] {
    const Waiting waiting = impl_->channels.all[channel].waiting;
    std::deque<Message>& kept = impl_->channels.kept[channel];
    if (waiting != Waiting::Newest) kept.push_back(shared);
    while (kept.size() > (waiting == Waiting::All ? kHistory : 1)) kept.pop_front();
    impl_->server.each([&](WebSocketPeer& peer) { dynamic_cast<Viewer&>(peer).send(channel, shared); });
  });
}

bool FoxgloveServer::wanted(std::uint32_t channel) const noexcept {
  return impl_->channels.wanted[channel] > 0 || impl_->channels.all[channel].waiting != Waiting::Newest;
}

std::size_t FoxgloveServer::viewers() const noexcept {
  return static_cast<std::size_t>(impl_->channels.viewers.load());
}

std::int64_t FoxgloveServer::replaced() const noexcept { return impl_->channels.replaced; }

}  // namespace panto::bridge
