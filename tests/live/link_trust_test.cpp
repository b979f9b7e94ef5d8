// Who may command a robot. The attacker stands one hop ahead: he sees every datagram, and sends what he
// likes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/live/link_guard.hpp"
#include "panto/live/link_receiver.hpp"
#include "panto/live/link_seal.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/stream_follower.hpp"
#include "panto/live/udp_socket.hpp"
#include "tests/support/link_model.hpp"

namespace {

using namespace panto::live;
using panto::Model;
using panto::State;
using panto::Time;
using panto::WriteStatus;
using panto::test::chain_model;
using Bytes = std::vector<std::byte>;

constexpr Time kMs = 1'000'000;
const std::string kKey = "a key of more than sixteen bytes";

State pose(const Model& model, Time t, double s) {
  State state = rest_state(model);
  state.t = t;
  state.s.setConstant(s);
  return state;
}

// Between sender and robot: passes everything on, both ways, and keeps what it saw.
class Middle {
 public:
  explicit Middle(std::uint16_t robot) : out_(UdpSocket::connected_to({"127.0.0.1", robot})) {}
  std::uint16_t port() const { return in_.port(); }

  void pass() {
    ReceivedDatagram datagram;
    while (const auto size = in_.receive(datagram, &sender_)) {
      seen.emplace_back(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(*size));
      (void)out_.send(seen.back());
    }
  }
  void pass_back() {
    ReceivedDatagram datagram;
    while (const auto size = out_.receive(datagram)) {
      answers.emplace_back(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(*size));
      (void)in_.send_to(sender_, answers.back());
    }
  }
  void say(std::span<const std::byte> datagram) { (void)out_.send(datagram); }
  void say_back(std::span<const std::byte> datagram) { (void)in_.send_to(sender_, datagram); }

  std::vector<Bytes> seen, answers;

 private:
  UdpSocket in_ = UdpSocket::bound_to({"127.0.0.1", 0}), out_;
  UdpPeer sender_;
};

// a file of this process and test
struct KeyFile {
  KeyFile() { std::ofstream(path) << kKey << "\n"; }
  ~KeyFile() { std::filesystem::remove(path); }
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;

  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("panto_link_key_" + std::to_string(::getpid()));
};

RobotReceiver robot_of(const Model& model, const LinkTrust& trust) {
  return {{"127.0.0.1", 0}, model, rest_state(model), 0, trust};
}

std::unique_ptr<RobotLink> sender_to(std::uint16_t port, const Model& model, const std::string& key = {}) {
  return open_robot_link("udp://127.0.0.1:" + std::to_string(port) + (key.empty() ? "" : "?key=" + key),
                         model, 50.0);
}

// a forger's session: hello, welcome if he gets one, hello again, a reference
int forged_references_taken(RobotReceiver& robot, const Model& model, Time now) {
  const auto before = robot.link().counts().states;
  const auto forger = sender_to(robot.port(), model);
  for (int k = 0; k < 4; ++k) {
    (void)forger->write(pose(model, k * 20 * kMs, -1.0));
    robot.poll(now);
  }
  forger->close();
  robot.poll(now);
  return static_cast<int>(robot.link().counts().states - before);
}

TEST(LinkTrust, ARobotStartsDisarmedAndFollowsTheSessionItIsArmedFor) {
  const Model model = chain_model(3);
  RobotReceiver robot = robot_of(model, {});
  auto sender = sender_to(robot.port(), model);
  Time t = 0;
  const auto play = [&](int frames) {
    for (int k = 0; k < frames; ++k, t += 20 * kMs) {
      (void)sender->write(pose(model, t, 0.5));
      robot.poll(t);
      (void)robot.step(t);
    }
  };
  play(20);
  EXPECT_FALSE(robot.armed());
  State measured = rest_state(model);
  EXPECT_EQ(robot.send_measured(rest_state(model)), WriteStatus::Written);
  (void)robot.step(t);
  EXPECT_EQ(robot.send_measured(rest_state(model)), WriteStatus::Written);
  EXPECT_TRUE(sender->read_measured(measured) && measured.t == t - 20 * kMs &&
              sender->read_measured(measured));
  EXPECT_EQ(measured.t, t) << "what a disarmed robot measures is on the axis of the references too";
  EXPECT_GE(robot.link().counts().states, 18) << "it listens";
  EXPECT_EQ(robot.step(t).s, rest_state(model).s) << "and does not move";
  robot.arm(true);
  play(50);
  EXPECT_NEAR(robot.step(t).s[0], 0.5, 1e-3);
  robot.arm(false);
  EXPECT_EQ(robot.mode(), FollowMode::Stopping);
  robot.arm(true);
  play(5);
  EXPECT_EQ(robot.mode(), FollowMode::Following);
  sender = sender_to(robot.port(), model);  // the old one says bye
  play(5);
  EXPECT_FALSE(robot.armed()) << "the next session may be anybody's";
  EXPECT_NE(robot.mode(), FollowMode::Following);
}

TEST(LinkTrust, AKeyKeepsTheRobotForWhoHasIt) {
  const Model model = chain_model(3);
  const KeyFile file;
  RobotReceiver robot = robot_of(model, {.peer = {}, .key = kKey, .armed = false});
  robot.arm(true);
  EXPECT_EQ(forged_references_taken(robot, model, 0), 0) << "first hello wins no more";
  EXPECT_GT(robot.guarded().key, 0);
  auto sender = sender_to(robot.port(), model, file.path.string());
  Time t = 0;
  int refused = 0;
  for (int k = 0; k < 100; ++k, t += 20 * kMs) {
    refused += forged_references_taken(robot, model, t);
    (void)sender->write(pose(model, t, 0.5));
    robot.poll(t);
    (void)robot.step(t);
  }
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(robot.link().counts().states, 99) << "all but that before the welcome";
  EXPECT_TRUE(robot.armed());
  // restarted: heard again with its second reference, and still armed
  sender->close();
  sender = sender_to(robot.port(), model, file.path.string());
  for (int k = 0; k < 3; ++k, t += 20 * kMs) {
    (void)sender->write(pose(model, t, 0.5));
    robot.poll(t);
  }
  EXPECT_EQ(robot.link().counts().states, 99 + 2);
  EXPECT_TRUE(robot.armed());
}

TEST(LinkTrust, AWrongKeyAndNoKeyAreCountedAtBothEnds) {
  const Model model = chain_model(3);
  const KeyFile file;
  std::ofstream(file.path) << "another key of sixteen bytes and more";
  RobotReceiver robot = robot_of(model, {.peer = {}, .key = kKey, .armed = true});
  const auto wrong = sender_to(robot.port(), model, file.path.string());
  (void)wrong->write(pose(model, 0, 0.5));
  robot.poll(0);
  EXPECT_EQ(robot.guarded().key, 2) << "hello and reference";
  RobotReceiver open = robot_of(model, {.peer = {}, .key = {}, .armed = true});
  const auto sealed = sender_to(open.port(), model, file.path.string());
  (void)sealed->write(pose(model, 0, 0.5));
  open.poll(0);
  EXPECT_EQ(open.guarded().key, 2) << "a sealed datagram is not read without the key";
  EXPECT_FALSE(open.link().session().has_value());
}

TEST(LinkTrust, ANamedHostIsTheOnlyOne) {
  const Model model = chain_model(3);
  RobotReceiver robot = robot_of(model, {.peer = "127.0.0.2", .key = {}, .armed = true});
  EXPECT_EQ(forged_references_taken(robot, model, 0), 0);
  EXPECT_GT(robot.guarded().other_peer, 0);
  RobotReceiver other = robot_of(model, {.peer = "127.0.0.1", .key = {}, .armed = true});
  EXPECT_EQ(forged_references_taken(other, model, 0), 3) << "all but that before the welcome";
  EXPECT_THROW((void)robot_of(model, {.peer = "no.such.host.invalid", .key = {}, .armed = false}),
               panto::Error);
}

TEST(LinkTrust, HostsAreComparedWithoutTheirPorts) {
  const UdpPeer one = addresses_of("127.0.0.1").at(0), other = addresses_of("127.0.0.2").at(0);
  const UdpPeer mapped = addresses_of("::ffff:127.0.0.1").at(0), six = addresses_of("::1").at(0);
  EXPECT_TRUE(same_host(one, one));
  EXPECT_TRUE(same_host(one, mapped)) << "IPv4 at a socket of IPv6";
  EXPECT_FALSE(same_host(one, other));
  EXPECT_FALSE(same_host(one, six));
  EXPECT_FALSE(same_host(UdpPeer{}, UdpPeer{})) << "nobody";
}

// 34 forged packets once flushed the list of past sessions
TEST(LinkTrust, ARecordedSessionNeverBeginsAgainWhateverCameBetween) {
  const Model model = chain_model(3);
  const KeyFile file;
  for (const bool keyed : {false, true}) {
    RobotReceiver robot = robot_of(model, {.peer = {}, .key = keyed ? kKey : "", .armed = true});
    Middle middle(robot.port());
    const std::string key = keyed ? file.path.string() : "";
    auto sender = sender_to(middle.port(), model, key);
    Time t = 0;
    const auto play = [&](int frames) {
      for (int k = 0; k < frames; ++k, t += 20 * kMs) {
        (void)sender->write(pose(model, t, 0.5));
        middle.pass();
        robot.poll(t);
        middle.pass_back();
      }
    };
    play(10);
    sender->close();
    middle.pass();
    robot.poll(t);
    const std::vector<Bytes> recorded = middle.seen;
    ASSERT_EQ(robot.link().counts().states, 9);
    for (int session = 0; session < 40; ++session) {
      sender = sender_to(middle.port(), model, key);
      play(3);
      sender->close();
      middle.pass();
      robot.poll(t);
    }
    const auto taken = robot.link().counts().states;
    for (const Bytes& datagram : recorded) {
      middle.say(datagram);
      robot.poll(t += 20 * kMs);
    }
    EXPECT_EQ(robot.link().counts().states, taken) << keyed;
    // nor at a robot that has forgotten everything
    RobotReceiver next = robot_of(model, {.peer = {}, .key = keyed ? kKey : "", .armed = true});
    Middle again(next.port());
    for (const Bytes& datagram : recorded) {
      again.say(datagram);
      next.poll(t += 20 * kMs);
    }
    EXPECT_EQ(next.link().counts().states, 0) << keyed;
  }
}

TEST(LinkTrust, AReplayWithinTheSessionMovesNothingAndMutesNobody) {
  const Model model = chain_model(3);
  const KeyFile file;
  RobotReceiver robot = robot_of(model, {.peer = {}, .key = kKey, .armed = true});
  Middle middle(robot.port());
  const auto sender = sender_to(middle.port(), model, file.path.string());
  for (Time t = 0; t < 2000 * kMs; t += 20 * kMs) {
    (void)sender->write(pose(model, t, 0.001 * static_cast<double>(t / kMs)));
    middle.pass();
    for (std::size_t k = 0; k < middle.seen.size(); k += 7) middle.say(middle.seen[k]);
    for (const Bytes& answer : middle.answers) middle.say(answer);  // its own words
    robot.poll(t);
    middle.pass_back();
    (void)robot.send_measured(robot.step(t));
    EXPECT_EQ(robot.reference().t, t);
  }
  EXPECT_EQ(robot.link().counts().states, 99);
}

TEST(LinkTrust, ASenderTakesNoMeasuredStateThatIsForgedReplayedOrItsOwn) {
  const Model model = chain_model(3);
  const KeyFile file;
  RobotReceiver robot = robot_of(model, {.peer = {}, .key = kKey, .armed = true});
  Middle middle(robot.port());
  const auto sender = sender_to(middle.port(), model, file.path.string());
  State measured = rest_state(model);
  int genuine = 0, back = 0;
  for (Time t = 0; t < 1000 * kMs; t += 20 * kMs) {
    (void)sender->write(pose(model, t, 0.1));
    middle.pass();
    robot.poll(t);
    genuine += robot.send_measured(robot.step(t)) == WriteStatus::Written ? 1 : 0;
    middle.pass_back();
    for (const Bytes& own : middle.seen) middle.say_back(own);
    for (const Bytes& old : middle.answers) middle.say_back(old);
    Datagram forged;
    const PacketHeader header{PacketType::Measured, robot.link().header().session, 1U << 14U, t};
    middle.say_back(std::span(forged).first(write_motion(header, pose(model, t, 9.0), true, forged)));
    while (sender->read_measured(measured)) {
      ++back;
      EXPECT_LT(measured.s.cwiseAbs().maxCoeff(), 0.2);
    }
  }
  EXPECT_GT(genuine, 40);
  EXPECT_EQ(back, genuine);
}

TEST(LinkTrust, AWelcomeIsSmallerThanItsHelloAndGoesToItsSenderAlone) {
  const Model model = chain_model(1);  // the shortest hello
  for (const std::string& key : {std::string(), kKey}) {
    RobotReceiver robot = robot_of(model, {.peer = {}, .key = key, .armed = true});
    UdpSocket anybody = UdpSocket::connected_to({"127.0.0.1", robot.port()});
    Datagram datagram;
    int first = 0;
    std::size_t size =
        write_hello({PacketType::Hello, 5, 0, 0}, {"r", {"joint_0"}, 50.0, {}}, first, datagram);
    if (!key.empty()) size = LinkSeal(key).close(datagram, size);
    for (int k = 0; k < 10; ++k) (void)anybody.send(std::span(datagram).first(size));
    robot.poll(0);
    ReceivedDatagram answer;
    int answers = 0;
    while (const auto got = anybody.receive(answer)) {
      ++answers;
      EXPECT_LT(*got, size);
    }
    EXPECT_EQ(answers, 10);
    EXPECT_FALSE(robot.link().session().has_value());
    EXPECT_EQ(robot.send_measured(rest_state(model)), WriteStatus::Dropped)
        << "no stream to who only said hello";
  }
}

TEST(LinkTrust, AProofFitsOneAddressAndOneSession) {
  const std::array<std::byte, 32> secret{std::byte{3}};
  LinkGuard guard({}, secret);
  const UdpPeer one = addresses_of("127.0.0.1").at(0), other = addresses_of("127.0.0.2").at(0);
  const LinkProof first = guard.proof_for(one);
  EXPECT_EQ(guard.proof_for(one), first);
  EXPECT_NE(guard.proof_for(other), first) << "a forged sender address";
  guard.renew();
  EXPECT_NE(guard.proof_for(one), first) << "a recorded hello";
  EXPECT_NE(LinkGuard({}, {std::byte{4}}).proof_for(one), first) << "a robot that was restarted";
}

TEST(LinkTrust, MeasuredStatesEndWhenTheSessionIsSilent) {
  const Model model = chain_model(3);
  RobotReceiver robot = robot_of(model, {.peer = {}, .key = {}, .armed = true});
  const auto sender = sender_to(robot.port(), model);
  Time t = 0;
  for (; t < 200 * kMs; t += 20 * kMs) {
    (void)sender->write(pose(model, t, 0.1));
    robot.poll(t);
  }
  EXPECT_EQ(robot.send_measured(robot.step(t)), WriteStatus::Written);
  robot.poll(t + 970 * kMs);
  EXPECT_EQ(robot.send_measured(robot.step(t)), WriteStatus::Written);
  robot.poll(t + 1000 * kMs);
  EXPECT_EQ(robot.send_measured(robot.step(t)), WriteStatus::Dropped) << "nobody has spoken for a second";
}

TEST(LinkTrust, StandsTheLastStampThereIs) {
  constexpr Time kLast = std::numeric_limits<Time>::max();
  EXPECT_EQ(later_by(kLast - 5, 4), kLast - 1);
  EXPECT_EQ(later_by(kLast - 5, 6), kLast);
  EXPECT_EQ(later_by(7, -3), 7) << "never back";
  const Model model = chain_model(2);
  RobotReceiver robot = robot_of(model, {.peer = {}, .key = {}, .armed = true});
  const auto sender = sender_to(robot.port(), model);
  for (const Time back : {2, 1, 0}) {
    (void)sender->write(pose(model, kLast - back, 0.1));
    robot.poll(0);
  }
  EXPECT_EQ(robot.reference().t, kLast);
  EXPECT_EQ(robot.step(1000 * kMs).t, kLast);
  EXPECT_EQ(robot.send_measured(robot.step(1000 * kMs)), WriteStatus::Written);
}

TEST(LinkSeal, OpensWhatItClosedAndNothingElse) {
  const LinkSeal seal(kKey), other("another key of sixteen bytes");
  const State state = pose(chain_model(29), 20 * kMs, 0.3);
  Datagram datagram, plain;
  const std::size_t size = write_motion({PacketType::Reference, 7, 1, state.t}, state, true, datagram);
  const Bytes before(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(size));
  const std::size_t sealed_size = seal.close(datagram, size);
  EXPECT_EQ(sealed_size, size + kLinkSealBytes);
  const Bytes sealed(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(sealed_size));
  EXPECT_TRUE(is_sealed(sealed));
  ASSERT_EQ(seal.open(sealed, plain), size);
  EXPECT_EQ(Bytes(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(size)), before);
  EXPECT_EQ(other.open(sealed, plain), 0U);
  EXPECT_EQ(seal.open(before, plain), 0U) << "not sealed";
  for (std::size_t length = 0; length < sealed.size(); ++length)
    EXPECT_EQ(seal.open(std::span(sealed).first(length), plain), 0U) << length;
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    if (bit / 8 >= 28 && bit / 8 < 32) continue;  // the checksum: the tag stands for it
    Bytes changed = sealed;
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(seal.open(changed, plain), 0U) << bit;
  }
  EXPECT_EQ(seal.open(Bytes(65507, std::byte{0xff}), plain), 0U);
}

TEST(LinkSeal, CarriesTheLargestRobot) {
  const LinkSeal seal(kKey);
  const Model model = chain_model(kLinkMaxJoints);
  Datagram datagram, plain;
  const std::size_t size = write_motion({PacketType::Reference, 7, 1, 0}, rest_state(model), true, datagram);
  EXPECT_LE(seal.close(datagram, size), kLinkMaxBytes);
  EXPECT_EQ(seal.open(std::span<const std::byte>(datagram).first(size + kLinkSealBytes), plain), size);
}

TEST(LinkKey, IsReadWithoutTheLineEndAndRefusedWhenShortMissingOrLarge) {
  const KeyFile file;
  const auto read = [&](const std::string& text) {
    std::ofstream(file.path, std::ios::binary) << text;
    return read_link_key(file.path.string());
  };
  EXPECT_EQ(read(" " + kKey + "\r\n"), kKey);
  for (const std::string& text :
       {std::string(), std::string("\n\n"), std::string("fifteen letters"), std::string(5000, 'x')}) {
    EXPECT_THROW((void)read(text), panto::ConfigError) << text.size();
  }
  const std::string absent = file.path.string() + "_absent";
  EXPECT_THROW((void)read_link_key(absent), panto::Error);
  EXPECT_THROW((void)read_link_key(file.path.parent_path().string()), panto::Error) << "a folder";
  EXPECT_THROW((void)sender_to(7000, chain_model(2), absent), panto::Error);
}

}  // namespace
