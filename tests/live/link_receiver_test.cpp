#include "panto/live/link_receiver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "apps/support/allocation_count.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/random_model.hpp"

namespace {

using namespace panto::live;
using panto::Model;
using panto::State;
using panto::Time;
using panto::test::chain_model;
using Bytes = std::vector<std::byte>;

constexpr Time kMs = 1'000'000;

// One side of a link, as bytes: what a sender without a socket would send.
class Wire {
 public:
  Wire(std::uint64_t session, LinkHello hello) : session_(session), hello_(std::move(hello)) {}

  std::vector<Bytes> hello() {
    std::vector<Bytes> parts;
    for (int first = 0; first < static_cast<int>(hello_.joints.size());) {
      const std::size_t size = write_hello(header(PacketType::Hello), hello_, first, datagram_);
      parts.push_back(bytes(size));
    }
    return parts;
  }
  Bytes reference(const State& state, bool valid = true) {
    t_ = state.t;
    return bytes(write_motion(header(PacketType::Reference), state, valid, datagram_));
  }
  Bytes bye() { return bytes(write_bye(header(PacketType::Bye), datagram_)); }
  void skip(std::uint32_t count) { seq_ += count; }
  void prove(const LinkProof& proof) { hello_.proof = proof; }

 private:
  PacketHeader header(PacketType type) { return {type, session_, seq_++, t_}; }
  Bytes bytes(std::size_t size) {
    return {datagram_.begin(), datagram_.begin() + static_cast<std::ptrdiff_t>(size)};
  }

  std::uint64_t session_;
  LinkHello hello_;
  std::uint32_t seq_ = 0;
  Time t_ = 0;
  Datagram datagram_{};
};

Wire wire_of(const Model& model, std::uint64_t session = 1) {
  return {session, {model.name(), model.joint_names(), 50.0, {}}};
}

void greet(LinkReceiver& receiver, Wire& wire, Time now = 0) {
  for (const Bytes& part : wire.hello()) EXPECT_EQ(receiver.take(part, now), LinkEvent::Hello);
}

State state_at(const Model& model, Time t, std::uint64_t seed = 1) {
  panto::test::Random random(seed);
  State state = panto::test::random_state(model, random);
  state.t = t;
  return state;
}

TEST(LinkReceiver, GivesWhatWasSent) {
  const Model model = chain_model(12);
  LinkReceiver receiver(model, PacketType::Reference);
  Wire wire = wire_of(model);
  greet(receiver, wire);
  EXPECT_TRUE(receiver.ready());
  EXPECT_EQ(receiver.rate_hz(), 50.0);
  const State sent = state_at(model, 20 * kMs);
  EXPECT_EQ(receiver.take(wire.reference(sent), 0), LinkEvent::Motion);
  EXPECT_EQ(receiver.state().s, sent.s);
  EXPECT_EQ(receiver.state().sdot, sent.sdot);
  EXPECT_EQ(receiver.state().p_WB, sent.p_WB);
  EXPECT_EQ(receiver.state().t, sent.t);
  EXPECT_TRUE(receiver.valid());
  EXPECT_EQ(receiver.take(wire.reference(state_at(model, 40 * kMs), false), 0), LinkEvent::Motion);
  EXPECT_FALSE(receiver.valid());
  EXPECT_EQ(receiver.take(wire.bye(), 0), LinkEvent::Bye);
}

TEST(LinkReceiver, PutsJointsInTheModelsOrderAndLeavesTheOthersAtRest) {
  const Model model = chain_model(6), other = chain_model(3);
  LinkReceiver receiver(model, PacketType::Reference);
  Wire wire(1, {"part", {"joint_4", "joint_0", "joint_2"}, 50.0, {}});
  greet(receiver, wire);
  State sent = state_at(other, 1);
  sent.s << 0.4, 0.1, 0.2;
  ASSERT_EQ(receiver.take(wire.reference(sent), 0), LinkEvent::Motion);
  Eigen::VectorXd expected = model.rest();
  expected[4] = 0.4;
  expected[0] = 0.1;
  expected[2] = 0.2;
  EXPECT_EQ(receiver.state().s, expected);
}

TEST(LinkReceiver, RefusesARobotWhoseJointsItDoesNotHave) {
  const Model model = chain_model(3);
  LinkReceiver receiver(model, PacketType::Reference);
  Wire wire(1, {"other", {"joint_0", "joint_l"}, 50.0, {}});
  for (const Bytes& part : wire.hello()) EXPECT_EQ(receiver.take(part, 0), LinkEvent::Refused);
  EXPECT_EQ(receiver.counts().names_refused, 1);
  EXPECT_NE(receiver.refusal().find("no joint 'joint_l' in model 'chain'; did you mean 'joint_"),
            std::string::npos)
      << receiver.refusal();
  Wire right = wire_of(model, 2);
  greet(receiver, right);
  EXPECT_TRUE(receiver.ready()) << "the wrong one took no session";
}

TEST(LinkReceiver, NeverGetsReadyByAJointNamedTwice) {
  const Model model = chain_model(3);
  LinkReceiver receiver(model, PacketType::Reference);
  Wire wire(1, {"twice", {"joint_0", "joint_0", "joint_1"}, 50.0, {}});
  greet(receiver, wire);
  EXPECT_FALSE(receiver.ready());
  EXPECT_EQ(receiver.take(wire.reference(state_at(model, 1)), 0), LinkEvent::Refused);
  EXPECT_EQ(receiver.counts().no_names, 1);
}

TEST(LinkReceiver, WaitsForAllPartsOfALongHello) {
  const Model model = chain_model(80);
  LinkHello hello{"chain", model.joint_names(), 50.0, {}};
  LinkReceiver receiver(model, PacketType::Reference);
  // names of the length that makes two parts
  panto::ModelSpec spec = model.spec();
  for (auto& joint : spec.joints) joint.name += "_of_the_long_chain";
  const Model longer{spec};
  LinkReceiver long_receiver(longer, PacketType::Reference);
  Wire wire = wire_of(longer);
  const auto parts = wire.hello();
  ASSERT_GE(parts.size(), 2U);
  EXPECT_EQ(long_receiver.take(parts[0], 0), LinkEvent::Hello);
  EXPECT_FALSE(long_receiver.ready());
  EXPECT_EQ(long_receiver.take(wire.reference(state_at(longer, 1)), 0), LinkEvent::Refused);
  // the part that was lost comes with the next hello
  greet(long_receiver, wire);
  EXPECT_TRUE(long_receiver.ready());
  EXPECT_EQ(long_receiver.take(wire.reference(state_at(longer, 2)), 0), LinkEvent::Motion);
}

TEST(LinkReceiver, CountsWhatWasLost) {
  const Model model = chain_model(3);
  LinkReceiver receiver(model, PacketType::Reference);
  Wire wire = wire_of(model);
  greet(receiver, wire);
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 3) wire.skip(2);
    EXPECT_EQ(receiver.take(wire.reference(state_at(model, i * kMs + 1)), i * kMs), LinkEvent::Motion);
  }
  EXPECT_EQ(receiver.counts().lost, 20);
  EXPECT_EQ(receiver.counts().states, 100);
}

TEST(LinkReceiver, BeginsASessionByTheProofAlone) {
  const Model model = chain_model(3);
  LinkReceiver receiver(model, PacketType::Reference);
  const LinkProof due{std::byte{7}};
  Wire wire = wire_of(model);
  EXPECT_EQ(receiver.take(wire.hello()[0], 0, &due), LinkEvent::Unproven);
  EXPECT_EQ(receiver.unproven().session, 1U) << "whom to answer";
  EXPECT_EQ(receiver.take(wire.reference(state_at(model, kMs)), 0, &due), LinkEvent::Refused);
  wire.prove(due);
  EXPECT_EQ(receiver.take(wire.hello()[0], 0, &due), LinkEvent::Hello);
  wire.prove({});
  EXPECT_EQ(receiver.take(wire.hello()[0], 0, &due), LinkEvent::Hello) << "a session that lives needs none";
  Wire other = wire_of(model, 2);
  EXPECT_EQ(receiver.take(other.hello()[0], 0, &due), LinkEvent::Refused) << "no answer while one lives";
  EXPECT_EQ(receiver.take(other.hello()[0], 600 * kMs, &due), LinkEvent::Unproven);
  EXPECT_EQ(receiver.counts().unproven, 2);
  EXPECT_EQ(receiver.session(), 1U);
}

TEST(LinkReceiver, TakesAnswersWithoutAHello) {
  const Model model = chain_model(4);
  LinkReceiver receiver(model, PacketType::Measured);
  receiver.expect(77, 0);
  Datagram datagram;
  const State sent = state_at(model, 5);
  const auto answer = [&](std::uint64_t session, PacketType type, const State& state) {
    const std::size_t size = write_motion({type, session, 3, state.t}, state, true, datagram);
    return receiver.take(std::span<const std::byte>(datagram).first(size), 0);
  };
  EXPECT_EQ(answer(76, PacketType::Measured, sent), LinkEvent::Refused) << "another session";
  EXPECT_EQ(answer(77, PacketType::Reference, sent), LinkEvent::Refused) << "the wrong direction";
  EXPECT_EQ(answer(77, PacketType::Measured, state_at(chain_model(5), 5)), LinkEvent::Refused)
      << "five joints";
  EXPECT_EQ(answer(77, PacketType::Measured, sent), LinkEvent::Motion);
  EXPECT_EQ(receiver.state().s, sent.s);
}

// a stream in which three of four datagrams are damaged: the state is always one that was sent
TEST(LinkReceiver, IsNotMovedByDamage) {
  const Model model = chain_model(8);
  LinkReceiver receiver(model, PacketType::Reference);
  Wire wire = wire_of(model);
  greet(receiver, wire);
  std::mt19937_64 random(3);
  int good = 0;
  for (int i = 1; i <= panto::test::scaled(4000); ++i) {
    const State sent = state_at(model, i * kMs, static_cast<std::uint64_t>(i));
    const Bytes whole = wire.reference(sent);
    const std::string text(reinterpret_cast<const char*>(whole.data()), whole.size());
    const std::string damaged = i % 4 == 0 ? text : panto::test::corrupted(text, random);
    const auto* bytes = reinterpret_cast<const std::byte*>(damaged.data());
    const LinkEvent event = receiver.take({bytes, damaged.size()}, i * kMs);
    EXPECT_EQ(event == LinkEvent::Motion, damaged == text);
    if (event != LinkEvent::Motion) continue;
    ++good;
    EXPECT_EQ(receiver.state().s, sent.s);
  }
  EXPECT_EQ(receiver.counts().states, good);
  EXPECT_GT(receiver.counts().of(PacketFault::Checksum), 100);
  EXPECT_GT(receiver.counts().of(PacketFault::Length), 100);
}

TEST(LinkReceiver, AllocatesNothing) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = chain_model(29);
  LinkReceiver receiver(model, PacketType::Reference);
  Wire wire = wire_of(model), stranger(2, {"x", {"unknown"}, 50.0, {}}), later = wire_of(model, 3);
  std::vector<Bytes> packets = wire.hello();
  for (int i = 1; i < 50; ++i) packets.push_back(wire.reference(state_at(model, i * kMs)));
  packets.push_back(wire.bye());
  for (Wire* other : {&stranger, &later}) {
    for (const Bytes& part : other->hello()) packets.push_back(part);
  }
  packets.push_back(Bytes(65507));
  const panto::AllocationCount count;
  for (const Bytes& packet : packets) (void)receiver.take(packet, 0);
  EXPECT_EQ(count.value(), 0);
  EXPECT_EQ(receiver.counts().states, 49);
}

}  // namespace
