// The robot's end of the link: references in, a motion that its joints can follow, measured states back.

#include <span>

#include "panto/live/link_receiver.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/stream_follower.hpp"
#include "panto/live/udp_socket.hpp"

namespace panto::live {
namespace {

constexpr int kDatagramsPerPoll = 256;

}  // namespace

struct RobotReceiver::Impl {
  void take(std::span<const std::byte> datagram, const UdpPeer& from, Time now) noexcept;

  UdpSocket socket;
  const Model* model;
  LinkReceiver link;
  StreamFollower follower;
  UdpPeer peer{};
  std::uint32_t seq = 0;
};

RobotReceiver::RobotReceiver(const UdpAddress& address, const Model& model, const State& start, Time now,
                             const FollowerOptions& options)
    : impl_(new Impl{UdpSocket::bound_to(address), &model, LinkReceiver(model, PacketType::Reference),
                     StreamFollower(model, start, now, options)}) {}

RobotReceiver::~RobotReceiver() = default;
RobotReceiver::RobotReceiver(RobotReceiver&&) noexcept = default;
RobotReceiver& RobotReceiver::operator=(RobotReceiver&&) noexcept = default;

void RobotReceiver::poll(Time now) noexcept {
  ReceivedDatagram datagram;
  UdpPeer from;
  for (int i = 0; i < kDatagramsPerPoll; ++i) {
    const auto size = impl_->socket.receive(datagram, &from);
    if (!size) return;
    impl_->take(std::span<const std::byte>(datagram).first(*size), from, now);
  }
}

void RobotReceiver::Impl::take(std::span<const std::byte> datagram, const UdpPeer& from, Time now) noexcept {
  switch (link.take(datagram, now)) {
    case LinkEvent::Refused:
      break;
    case LinkEvent::Hello:
      peer = from;
      break;
    case LinkEvent::Motion:
      follower.follow(link.state(), link.valid(), now);
      break;
    case LinkEvent::Bye:
      follower.stop();
      peer.size = 0;
      break;
  }
}

const State& RobotReceiver::step(Time now) noexcept { return impl_->follower.step(now); }

bool RobotReceiver::valid() const noexcept { return impl_->follower.valid(); }

FollowMode RobotReceiver::mode() const noexcept { return impl_->follower.mode(); }

WriteStatus RobotReceiver::send_measured(const State& measured) noexcept {
  Impl& robot = *impl_;
  if (robot.peer.size == 0 || !robot.link.ready() || !is_valid(measured, *robot.model))
    return WriteStatus::Dropped;
  Datagram datagram;
  const PacketHeader header{PacketType::Measured, robot.link.header().session, robot.seq++,
                            robot.follower.state().t};
  const std::size_t size = write_motion(header, measured, robot.follower.valid(), datagram);
  const bool sent = robot.socket.send_to(robot.peer, std::span<const std::byte>(datagram).first(size));
  return sent ? WriteStatus::Written : WriteStatus::Dropped;
}

const State& RobotReceiver::reference() const noexcept { return impl_->link.state(); }

const LinkReceiver& RobotReceiver::link() const noexcept { return impl_->link; }

std::uint16_t RobotReceiver::port() const noexcept { return impl_->socket.port(); }

}  // namespace panto::live
