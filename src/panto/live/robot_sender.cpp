// Panto's end of the link to a robot.

#include <limits>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/live/address.hpp"
#include "panto/live/link_receiver.hpp"
#include "panto/live/link_seal.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/robot_link.hpp"
#include "panto/live/udp_socket.hpp"

namespace panto::live {
namespace {

constexpr Time kHelloEvery = 1'000'000'000;  // [ns]
constexpr int kByes = 3;                     // one may be lost
constexpr int kDatagramsAtOnce = 256;
constexpr std::size_t kMeasuredKept = 64;  // states that the caller has not read

std::uint64_t random_session() {
  std::random_device random;
  return (std::uint64_t{random()} << 32U) ^ random();
}

LinkHello checked_hello(const Model& model, double rate_hz) {
  LinkHello hello{model.name(), model.joint_names(), rate_hz, {}};
  check_hello(hello);
  if (rate_hz < kSlowestLink || rate_hz > kFastestLink) {
    throw ConfigError("robot link: the rate is " + digits(rate_hz, 6) + " Hz, must be from 20 to 1000");
  }
  return hello;
}

// A link that sends what it is given.
class RobotSender final : public RobotLink {
 public:
  RobotSender(UdpSocket socket, const Model& model, double rate_hz, const std::optional<LinkSeal>& seal);
  ~RobotSender() override { close(); }
  WriteStatus write(const State& state) noexcept override;
  void set_valid(bool valid) noexcept override { valid_ = valid; }
  bool read_measured(State& state) noexcept override;
  void close() noexcept final;
  std::int64_t sent() const noexcept override { return sent_; }
  std::int64_t dropped() const noexcept override { return dropped_; }
  bool answered() const noexcept override { return answered_; }

 private:
  void listen() noexcept;
  void take(std::span<const std::byte> datagram) noexcept;
  bool send(std::size_t size) noexcept;
  void say_hello(Time t) noexcept;
  PacketHeader next_header(PacketType type, Time t) noexcept;

  UdpSocket socket_;
  const Model* model_;
  LinkHello hello_;
  std::optional<LinkSeal> seal_;
  LinkReceiver receiver_;
  std::vector<State> measured_;  // a ring of those not read yet
  std::size_t oldest_ = 0, waiting_ = 0;
  std::uint64_t session_;
  std::uint32_t seq_ = 0;
  Time last_ = 0, hello_due_ = 0;
  bool started_ = false, closed_ = false, valid_ = true, answered_ = false;
  std::int64_t sent_ = 0, dropped_ = 0;
  Datagram datagram_{}, plain_{};
};

RobotSender::RobotSender(UdpSocket socket, const Model& model, double rate_hz,
                         const std::optional<LinkSeal>& seal)
    : socket_(std::move(socket)),
      model_(&model),
      hello_(checked_hello(model, rate_hz)),
      seal_(seal),
      receiver_(model, PacketType::Measured),
      measured_(kMeasuredKept, rest_state(model)),
      session_(random_session()) {
  receiver_.expect(session_, 0);
}

PacketHeader RobotSender::next_header(PacketType type, Time t) noexcept {
  return {type, session_, seq_++, t};
}

bool RobotSender::send(std::size_t size) noexcept {
  if (seal_) size = seal_->close(datagram_, size);
  return socket_.send(std::span<const std::byte>(datagram_).first(size));
}

// a hello that the system does not accept is repeated in a second
void RobotSender::say_hello(Time t) noexcept {
  for (int first = 0; at(first) < hello_.joints.size();) {
    (void)send(write_hello(next_header(PacketType::Hello, t), hello_, first, datagram_));
  }
  hello_due_ = t > std::numeric_limits<Time>::max() - kHelloEvery ? t : t + kHelloEvery;
}

WriteStatus RobotSender::write(const State& state) noexcept {
  if (closed_ || !is_valid(state, *model_) || (started_ && state.t <= last_)) {
    ++dropped_;
    return WriteStatus::Dropped;
  }
  const std::int64_t before = socket_.unreceived();
  listen();
  if (sent_ > 0 && socket_.unreceived() != before) {  // the last one found nobody
    --sent_;
    ++dropped_;
  }
  if (!started_ || state.t >= hello_due_) say_hello(started_ ? last_ : state.t);
  started_ = true;
  last_ = state.t;
  const bool taken =
      send(write_motion(next_header(PacketType::Reference, state.t), state, valid_, datagram_));
  ++(taken ? sent_ : dropped_);
  return taken ? WriteStatus::Written : WriteStatus::Dropped;
}

bool RobotSender::read_measured(State& state) noexcept {
  if (waiting_ == 0) listen();
  if (waiting_ == 0) return false;
  state = measured_[oldest_];
  oldest_ = (oldest_ + 1) % kMeasuredKept;
  --waiting_;
  return true;
}

// Reads what has come. A caller that never asks for measured states must still hear a robot that starts anew.
void RobotSender::listen() noexcept {
  ReceivedDatagram datagram;
  for (int i = 0; i < kDatagramsAtOnce; ++i) {
    const auto size = socket_.receive(datagram);
    if (!size) return;
    take(std::span<const std::byte>(datagram).first(*size));
  }
}

void RobotSender::take(std::span<const std::byte> datagram) noexcept {
  if (seal_) datagram = std::span<const std::byte>(plain_).first(seal_->open(datagram, plain_));
  switch (receiver_.take(datagram, 0)) {
    case LinkEvent::Welcome:
      answered_ = true;
      if (std::exchange(hello_.proof, receiver_.proof()) == receiver_.proof() || !started_ || closed_) break;
      say_hello(last_);
      break;
    case LinkEvent::Motion:
      measured_[(oldest_ + waiting_) % kMeasuredKept] = receiver_.state();
      if (waiting_ < kMeasuredKept)
        ++waiting_;
      else
        oldest_ = (oldest_ + 1) % kMeasuredKept;
      break;
    default:
      break;
  }
}

void RobotSender::close() noexcept {
  if (closed_) return;
  closed_ = true;
  for (int i = 0; started_ && i < kByes; ++i) {
    (void)send(write_bye(next_header(PacketType::Bye, last_), datagram_));
  }
}

}  // namespace

std::unique_ptr<RobotLink> open_robot_link(const std::string& address, const Model& model, double rate_hz) {
  const LinkAddress parsed = parse_link_address(address);
  (void)checked_hello(model, rate_hz);  // before a socket is opened
  std::optional<LinkSeal> seal;
  if (!parsed.key_file.empty()) seal.emplace(read_link_key(parsed.key_file));
  return std::make_unique<RobotSender>(UdpSocket::connected_to(parsed.at), model, rate_hz, seal);
}

}  // namespace panto::live
