// Packets of the robot link through guard, receiver and follower: whatever comes, the robot's motion keeps
// its limits.

#include "panto/live/robot_link.hpp"

#include "panto/live/link_guard.hpp"
#include "panto/live/link_receiver.hpp"
#include "panto/live/stream_follower.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/link_model.hpp"

namespace panto::fuzz {
namespace {

constexpr int kLinkJoints = 5;

void check_followed(live::StreamFollower& follower, const Model& model, Time now) {
  const State& state = follower.step(now);
  promise(is_valid(state, model), "the robot's State is one of its model");
  for (int i = 0; i < model.dof(); ++i) {
    promise(state.s[i] >= model.lower()[i] && state.s[i] <= model.upper()[i], "joints keep their limits");
    promise(std::abs(state.sdot[i]) <= model.velocity_limit()[i] * (1.0 + 1e-9), "joints keep their speeds");
  }
}

void check_link(Bytes bytes) {
  static const Model model = test::chain_model(kLinkJoints);
  const live::LinkGuard guard({}, live::Digest{});
  live::LinkReceiver receiver(model, live::PacketType::Reference);
  live::StreamFollower follower(model, rest_state(model), 0);
  live::UdpPeer peer{};
  live::GuardCounts refused;
  Draws draws(bytes);
  Time now = 0;
  for (int count = 0; count < 100 && !draws.empty(); ++count) {
    now += static_cast<Time>(draws.word(1)) * 1'000'000;
    live::Datagram space{};
    const std::span<const std::byte> piece = raw(draws.piece());
    std::vector<std::byte> packet(piece.begin(), piece.end());
    // with length and checksum put right, damage reaches what is in it
    const auto kind = static_cast<unsigned>(draws.word(1));
    if ((kind & 2U) != 0 && packet.size() >= live::kLinkHeaderBytes) live::complete(packet);
    const auto datagram = guard.admitted(packet, peer, space, refused);
    const live::LinkProof due{};
    const live::LinkEvent event = datagram ? receiver.take(*datagram, now, (kind & 1U) != 0 ? &due : nullptr)
                                           : live::LinkEvent::Refused;
    if (event == live::LinkEvent::Motion) {
      promise(receiver.state().s.size() == model.dof() && receiver.state().s.allFinite(),
              "a reference is finite");
      follower.follow(receiver.state(), receiver.valid(), now);
    } else if (event == live::LinkEvent::Bye) {
      follower.stop();
    }
    check_followed(follower, model, now);
  }
  promise(receiver.counts().states >= 0 && receiver.counts().lost >= 0, "counts do not wrap around");
  (void)receiver.refusal();
}

void append_packet(std::string& packed, const live::Datagram& datagram, std::size_t size) {
  packed += '\x0a';
  pack(packed, {reinterpret_cast<const char*>(datagram.data()), size});
  packed += '\2';
}

Seeds seeds_of_links() {
  const Model model = test::chain_model(kLinkJoints);
  std::string packed;
  live::Datagram datagram{};
  const live::LinkHello hello{model.name(), model.joint_names(), 100.0};
  live::PacketHeader header{live::PacketType::Hello, 9, 0, 0};
  int first = 0;
  append_packet(packed, datagram, live::write_hello(header, hello, first, datagram));
  State state = rest_state(model);
  for (int k = 1; k < 6; ++k) {
    header = {live::PacketType::Reference, 9, static_cast<std::uint32_t>(k), k * Time{10'000'000}};
    state.t = header.t;
    state.s.setConstant(0.05 * k);
    const std::size_t size = live::write_motion(header, state, true, datagram);
    append_packet(packed, datagram, size);
  }
  header = {live::PacketType::Bye, 9, 6, 60'000'000};
  const std::size_t size = live::write_bye(header, datagram);
  append_packet(packed, datagram, size);
  return {packed};
}

const Registered link_target("robot_link", check_link, seeds_of_links);

}  // namespace
}  // namespace panto::fuzz
