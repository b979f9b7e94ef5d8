#include "panto/bridge/twist2_output.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "panto/base/error.hpp"
#include "tests/support/link_model.hpp"

namespace panto::bridge {
namespace {

#ifdef PANTO_REDIS

// As much of a Redis server as takes SET: it keeps what it is sent, and answers OK to every command.
class Server {
 public:
  Server() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    stopping_ = true;
    thread_.join();
    close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  void serve() {
    int client = -1;
    std::size_t answered = 0;
    while (!stopping_) {
      pollfd ready{client < 0 ? listener_ : client, POLLIN, 0};
      if (poll(&ready, 1, 10) <= 0) continue;
      if (client < 0) {
        client = accept(listener_, nullptr, nullptr);
        continue;
      }
      char bytes[65536];
      const ssize_t count = read(client, bytes, sizeof bytes);
      if (count <= 0) break;
      const std::lock_guard lock(mutex_);
      heard_.append(bytes, static_cast<std::size_t>(count));
      for (std::size_t at = heard_.find("*3\r\n", answered); at != std::string::npos;
           at = heard_.find("*3\r\n", answered)) {
        (void)!write(client, "+OK\r\n", 5);
        answered = at + 4;
      }
    }
    if (client >= 0) close(client);
  }

  int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::string heard_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

struct Played {
  Server server;
  Model model = test::chain_model(3);
  live::Arming arming{true};
  Twist2Output output{{"127.0.0.1", server.port()}, {0, 1, 2}, arming};
  LiveFrame frame{rest_state(model), {}, true, 1};

  Played() { frame.state.v_WB = {0.5, 0.0, 0.0}; }
  void play(int count) {
    for (int k = 0; k < count; ++k) {
      frame.state.t += 10'000'000;
      output.write(frame);
    }
  }
  // the list that the body's key was set to last
  std::string last_list() {
    const std::string heard = server.heard();
    const auto key = heard.rfind("action_body_unitree_g1_with_hands");
    if (key == std::string::npos) return "";
    const auto begin = heard.find('[', key);
    return heard.substr(begin, heard.find(']', begin) + 1 - begin);
  }
};

TEST(Twist2Output, SetsTheKeysFiftyTimesASecond) {
  Played run;
  run.play(101);
  EXPECT_EQ(run.output.sent(), 51);
  EXPECT_EQ(run.output.dropped(), 0);
  EXPECT_EQ(run.last_list(), "[0.5, 0, 0, 0, 0, 0, 0, 0, 0]");
  const std::string heard = run.server.heard();
  for (const char* key : {"action_hand_left_unitree_g1_with_hands", "action_hand_right_unitree_g1_with_hands",
                          "action_neck_unitree_g1_with_hands"})
    EXPECT_NE(heard.find(key), std::string::npos) << key;
}

TEST(Twist2Output, BringsTheRobotToRestWhereverTheMotionEnds) {
  const std::string rest = "[0, 0, 0, 0, 0, 0, 0, 0, 0]";
  const auto lost = [](Played& run) { run.output.wait(true); };
  const auto disarmed = [](Played& run) {
    run.arming.set(false);
    run.output.wait(false);
  };
  const auto invalid = [](Played& run) {
    run.frame.valid = false;
    run.play(1);
  };
  const auto closed = [](Played& run) { run.output.close(); };
  for (const auto& end : std::vector<std::function<void(Played&)>>{lost, disarmed, invalid, closed}) {
    Played run;
    run.play(20);
    EXPECT_NE(run.last_list(), rest);
    end(run);
    EXPECT_EQ(run.last_list(), rest) << "or the controller would walk on at the last velocity";
    const std::size_t heard = run.server.heard().size();
    for (int k = 0; k < 10; ++k) run.output.wait(true);
    EXPECT_EQ(run.server.heard().size(), heard) << "once is enough";
  }
}

TEST(Twist2Output, WritesNothingBeforeItIsArmed) {
  Played run;
  run.arming.set(false);
  run.play(100);
  run.output.wait(true);
  EXPECT_EQ(run.server.heard(), "");
}

TEST(RedisClient, GoesOnWhenItsServerIsGone) {
  auto server = std::make_unique<Server>();
  RedisClient client({"127.0.0.1", server->port()});
  const std::pair<std::string_view, std::string_view> one[] = {{"key", "value"}};
  EXPECT_TRUE(client.set(one));
  server.reset();
  for (int k = 0; k < 1000; ++k) EXPECT_FALSE(client.set(one));
}

TEST(RedisClient, SaysThatNoServerAnswersAndWhere) {
  std::uint16_t port = 0;
  {
    const Server ended;
    port = ended.port();
  }
  try {
    const RedisClient client({"127.0.0.1", port});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("no Redis server answers at 127.0.0.1 port " + std::to_string(port)),
        std::string::npos)
        << error.what();
  }
}

#else

TEST(RedisClient, SaysThatRedisIsMissingAndHowToGetIt) {
  EXPECT_THROW(RedisClient({"127.0.0.1", 6379}), ConfigError);
}

#endif

}  // namespace
}  // namespace panto::bridge
