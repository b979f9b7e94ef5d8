#include "panto/bridge/sonic_output.hpp"

#include <gtest/gtest.h>

#ifdef PANTO_ZMQ
#include <zmq.h>
#endif

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "tests/support/link_model.hpp"

namespace panto::bridge {
namespace {

#ifdef PANTO_ZMQ

// A subscriber, as the controller is one.
class Subscriber {
 public:
  explicit Subscriber(std::uint16_t port) {
    const int wait = 300;  // [ms]
    zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &wait, sizeof wait);
    zmq_setsockopt(socket_, ZMQ_SUBSCRIBE, "pose", 4);
    EXPECT_EQ(zmq_connect(socket_, ("tcp://127.0.0.1:" + std::to_string(port)).c_str()), 0);
  }
  ~Subscriber() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  // Returns the index of the newest frame of the next message, or nothing within 0.3 s.
  std::optional<std::int64_t> newest() {
    std::array<char, 8192> bytes;
    const int size = zmq_recv(socket_, bytes.data(), bytes.size(), 0);
    if (size < 8) return std::nullopt;
    std::int64_t index = 0;
    std::memcpy(&index, bytes.data() + size - 8, 8);
    return index;
  }

 private:
  void* context_ = zmq_ctx_new();
  void* socket_ = zmq_socket(context_, ZMQ_SUB);
};

struct Played {
  Model model = test::chain_model(3);
  live::Arming arming{true};
  SonicOutput output{{"127.0.0.1", 0}, {0, 1, 2}, arming};
  LiveFrame frame{rest_state(model), {}, true, 1};

  // writes States at 100 Hz
  void play(int count) {
    for (int k = 0; k < count; ++k) {
      frame.state.t += 10'000'000;
      output.write(frame);
    }
  }
  // until the subscriber has joined
  void join(Subscriber& subscriber) {
    for (int k = 0; k < 20; ++k) {
      play(4);
      if (subscriber.newest()) return;
    }
    FAIL() << "the subscriber never got a message";
  }
};

TEST(SonicOutput, SendsFiftyFramesForASecondOfAHundredStates) {
  Played run;
  run.play(101);
  EXPECT_EQ(run.output.sent(), 51) << "from 0 s to 1 s, both included";
  EXPECT_EQ(run.output.dropped(), 0);
}

TEST(SonicOutput, SendsNothingWhileItIsDisarmedOrTheFrameIsInvalid) {
  Played run;
  run.arming.set(false);
  run.play(100);
  EXPECT_EQ(run.output.sent(), 0);
  run.arming.set(true);
  run.frame.valid = false;
  run.play(100);
  EXPECT_EQ(run.output.sent(), 0);
}

TEST(SonicOutput, CountsFramesWithoutAHoleAcrossAGapOrADisarming) {
  Played run;
  Subscriber subscriber(run.output.port());
  run.join(subscriber);
  std::int64_t last = -1;
  while (const auto index = subscriber.newest()) last = *index;
  ASSERT_GE(last, 0);
  const auto next = [&] { return subscriber.newest().value_or(-1); };
  run.frame.state.t += 2'000'000'000;  // the stream was lost
  run.play(1);
  EXPECT_EQ(next(), last + 1);
  run.arming.set(false);
  run.play(200);
  run.arming.set(true);
  run.play(1);
  EXPECT_EQ(next(), last + 2);
  run.frame.state.t -= 1'000'000'000;  // the sender began again
  run.play(1);
  EXPECT_EQ(next(), last + 3);
}

TEST(ZmqPublisher, SaysWhichAddressCannotBeUsed) {
  const ZmqPublisher first({"127.0.0.1", 0});
  EXPECT_GT(first.port(), 0);
  for (const live::UdpAddress& bad :
       {live::UdpAddress{"127.0.0.1", first.port()}, live::UdpAddress{"192.0.2.1", 5556}}) {
    try {
      const ZmqPublisher second(bad);
      FAIL() << bad.host;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("tcp://" + bad.host + ":" + std::to_string(bad.port)),
                std::string::npos)
          << error.what();
    }
  }
}

#else

TEST(ZmqPublisher, SaysThatZeroMqIsMissingAndHowToGetIt) {
  EXPECT_THROW(ZmqPublisher({"127.0.0.1", 0}), ConfigError);
}

#endif

}  // namespace
}  // namespace panto::bridge
