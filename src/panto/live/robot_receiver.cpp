// The robot's end of the link: references in, a motion that its joints can follow, measured states back.

#include <random>
#include <span>

#include "panto/live/link_guard.hpp"
#include "panto/live/link_receiver.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/stream_follower.hpp"
#include "panto/live/udp_socket.hpp"

namespace panto::live {
namespace {

constexpr int kDatagramsPerPoll = 256;
constexpr Time kAnswersFor = 1'000'000'000;  // [ns] after the session's last datagram

Digest random_secret() {
  std::random_device random;
  Digest secret{};
  for (std::byte& byte : secret) byte = static_cast<std::byte>(random() & 0xffU);
  return secret;
}

}  // namespace

struct RobotReceiver::Impl {
  void take(std::span<const std::byte> datagram, const UdpPeer& from) noexcept;
  void begin_session(const UdpPeer& from) noexcept;
  void welcome(const UdpPeer& to, const LinkProof& proof) noexcept;
  bool send(const UdpPeer& to, std::size_t size) noexcept;

  UdpSocket socket;
  const Model* model;
  LinkGuard guard;
  bool stays_armed, armed;
  LinkReceiver link;
  StreamFollower follower;
  GuardCounts counts{};
  Datagram plain{}, answer{};
  UdpPeer peer{};
  std::uint32_t seq = 0;
  Time now = 0, heard = 0;
  Time stamp = 0, arrived = 0, stepped = 0;  // of the newest reference; the last step
};

RobotReceiver::RobotReceiver(const UdpAddress& address, const Model& model, const State& start, Time now,
                             const LinkTrust& trust, const FollowerOptions& options)
    : impl_(new Impl{UdpSocket::bound_to(address), &model, LinkGuard(trust, random_secret()), false,
                     trust.armed, LinkReceiver(model, PacketType::Reference),
                     StreamFollower(model, start, now, options)}) {
  impl_->stays_armed = trust.armed || impl_->guard.knows_whom();
}

RobotReceiver::~RobotReceiver() = default;
RobotReceiver::RobotReceiver(RobotReceiver&&) noexcept = default;
RobotReceiver& RobotReceiver::operator=(RobotReceiver&&) noexcept = default;

void RobotReceiver::poll(Time now) noexcept {
  ReceivedDatagram datagram;
  UdpPeer from;
  impl_->now = now;
  for (int i = 0; i < kDatagramsPerPoll; ++i) {
    const auto size = impl_->socket.receive(datagram, &from);
    if (!size) return;
    impl_->take(std::span<const std::byte>(datagram).first(*size), from);
  }
}

void RobotReceiver::Impl::take(std::span<const std::byte> datagram, const UdpPeer& from) noexcept {
  const auto content = guard.admitted(datagram, from, plain, counts);
  if (!content) return;
  const bool greets =
      content->size() > kLinkTypeAt && (*content)[kLinkTypeAt] == static_cast<std::byte>(PacketType::Hello);
  const LinkProof due = greets ? guard.proof_for(from) : LinkProof{};
  const auto before = link.session();
  const LinkEvent event = link.take(*content, now, &due);
  if (before != link.session()) begin_session(from);
  if (event != LinkEvent::Refused && event != LinkEvent::Unproven) heard = now;
  if (event == LinkEvent::Unproven) welcome(from, due);
  if (event == LinkEvent::Motion) {
    stamp = link.state().t;
    arrived = now;
    if (armed) follower.follow(link.state(), link.valid(), now);
  }
  if (event == LinkEvent::Bye) {
    follower.stop();
    peer.size = 0;
  }
}

void RobotReceiver::Impl::begin_session(const UdpPeer& from) noexcept {
  guard.renew();
  peer = from;
  stamp = link.header().t;
  arrived = now;
  if (stays_armed || !armed) return;
  armed = false;
  follower.stop();
}

void RobotReceiver::Impl::welcome(const UdpPeer& to, const LinkProof& proof) noexcept {
  const PacketHeader& hello = link.unproven();
  (void)send(to, write_welcome({PacketType::Welcome, hello.session, 0, hello.t}, proof, answer));
}

bool RobotReceiver::Impl::send(const UdpPeer& to, std::size_t size) noexcept {
  return socket.send_to(to, std::span<const std::byte>(answer).first(guard.sealed(answer, size)));
}

void RobotReceiver::arm(bool armed) noexcept {
  impl_->armed = armed;
  if (!armed) impl_->follower.stop();
}

bool RobotReceiver::armed() const noexcept { return impl_->armed; }

const State& RobotReceiver::step(Time now) noexcept {
  impl_->stepped = now;
  return impl_->follower.step(now);
}

bool RobotReceiver::valid() const noexcept { return impl_->follower.valid(); }

FollowMode RobotReceiver::mode() const noexcept { return impl_->follower.mode(); }

WriteStatus RobotReceiver::send_measured(const State& measured) noexcept {
  Impl& robot = *impl_;
  const bool heard = robot.peer.size > 0 && robot.now - robot.heard <= kAnswersFor;
  if (!heard || !robot.link.ready() || !is_valid(measured, *robot.model)) return WriteStatus::Dropped;
  const PacketHeader header{PacketType::Measured, robot.link.header().session, robot.seq++,
                            later_by(robot.stamp, robot.stepped - robot.arrived)};
  const std::size_t size = write_motion(header, measured, robot.follower.valid(), robot.answer);
  return robot.send(robot.peer, size) ? WriteStatus::Written : WriteStatus::Dropped;
}

const State& RobotReceiver::reference() const noexcept { return impl_->link.state(); }

const LinkReceiver& RobotReceiver::link() const noexcept { return impl_->link; }

const GuardCounts& RobotReceiver::guarded() const noexcept { return impl_->counts; }

std::uint16_t RobotReceiver::port() const noexcept { return impl_->socket.port(); }

}  // namespace panto::live
