// Panto's end of the link to a robot.

#include <limits>
#include <random>
#include <span>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/live/address.hpp"
#include "panto/live/link_receiver.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/robot_link.hpp"
#include "panto/live/udp_socket.hpp"

namespace panto::live {
namespace {

constexpr Time kHelloEvery = 1'000'000'000;  // [ns]
constexpr int kByes = 3;                     // one may be lost

std::uint64_t random_session() {
  std::random_device random;
  return (std::uint64_t{random()} << 32U) ^ random();
}

LinkHello checked_hello(const Model& model, double rate_hz) {
  LinkHello hello{model.name(), model.joint_names(), rate_hz};
  check_hello(hello);
  if (rate_hz < kSlowestLink || rate_hz > kFastestLink) {
    throw ConfigError("robot link: the rate is " + digits(rate_hz, 6) + " Hz, must be from 20 to 1000");
  }
  return hello;
}

// A link that sends what it is given.
class RobotSender final : public RobotLink {
 public:
  RobotSender(UdpSocket socket, const Model& model, double rate_hz);
  ~RobotSender() override { close(); }
  WriteStatus write(const State& state) noexcept override;
  void set_valid(bool valid) noexcept override { valid_ = valid; }
  bool read_measured(State& state) noexcept override;
  void close() noexcept final;
  std::int64_t sent() const noexcept override { return sent_; }
  std::int64_t dropped() const noexcept override { return dropped_; }

 private:
  void say_hello(Time t) noexcept;
  PacketHeader next_header(PacketType type, Time t) noexcept;

  UdpSocket socket_;
  const Model* model_;
  LinkHello hello_;
  LinkReceiver receiver_;
  std::uint64_t session_;
  std::uint32_t seq_ = 0;
  Time last_ = 0, hello_due_ = 0;
  bool started_ = false, closed_ = false, valid_ = true;
  std::int64_t sent_ = 0, dropped_ = 0;
  Datagram datagram_{};
};

RobotSender::RobotSender(UdpSocket socket, const Model& model, double rate_hz)
    : socket_(std::move(socket)),
      model_(&model),
      hello_(checked_hello(model, rate_hz)),
      receiver_(model, PacketType::Measured),
      session_(random_session()) {
  receiver_.expect(session_, 0);
}

PacketHeader RobotSender::next_header(PacketType type, Time t) noexcept {
  return {type, session_, seq_++, t};
}

// a hello that the system does not accept is repeated in a second
void RobotSender::say_hello(Time t) noexcept {
  for (int first = 0; at(first) < hello_.joints.size();) {
    const std::size_t size = write_hello(next_header(PacketType::Hello, t), hello_, first, datagram_);
    (void)socket_.send(std::span<const std::byte>(datagram_).first(size));
  }
  hello_due_ = t > std::numeric_limits<Time>::max() - kHelloEvery ? t : t + kHelloEvery;
}

WriteStatus RobotSender::write(const State& state) noexcept {
  if (closed_ || !is_valid(state, *model_) || (started_ && state.t <= last_)) {
    ++dropped_;
    return WriteStatus::Dropped;
  }
  if (!started_ || state.t >= hello_due_) say_hello(started_ ? last_ : state.t);
  started_ = true;
  last_ = state.t;
  const std::size_t size =
      write_motion(next_header(PacketType::Reference, state.t), state, valid_, datagram_);
  const bool taken = socket_.send(std::span<const std::byte>(datagram_).first(size));
  ++(taken ? sent_ : dropped_);
  return taken ? WriteStatus::Written : WriteStatus::Dropped;
}

bool RobotSender::read_measured(State& state) noexcept {
  ReceivedDatagram datagram;
  while (const auto size = socket_.receive(datagram)) {
    if (receiver_.take(std::span<const std::byte>(datagram).first(*size), 0) != LinkEvent::Motion) continue;
    state = receiver_.state();
    return true;
  }
  return false;
}

void RobotSender::close() noexcept {
  if (closed_) return;
  closed_ = true;
  for (int i = 0; started_ && i < kByes; ++i) {
    const std::size_t size = write_bye(next_header(PacketType::Bye, last_), datagram_);
    (void)socket_.send(std::span<const std::byte>(datagram_).first(size));
  }
}

}  // namespace

std::unique_ptr<RobotLink> open_robot_link(const std::string& address, const Model& model, double rate_hz) {
  const UdpAddress parsed = parse_udp_address(address);
  (void)checked_hello(model, rate_hz);  // before a socket is opened
  return std::make_unique<RobotSender>(UdpSocket::connected_to(parsed), model, rate_hz);
}

}  // namespace panto::live
