#include "panto/bridge/foxglove_server.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/support/served_viewers.hpp"

namespace panto::bridge {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using Json = nlohmann::json;
using Tcp = asio::ip::tcp;
using Served = test::ServedViewers;
using test::soon;

// A viewer by another implementation of the client's end: Beast's own.
class Viewer {
 public:
  explicit Viewer(const Served& served, const std::string& subprotocol = "foxglove.sdk.v1",
                  const std::string& origin = "") {
    stream_.next_layer().connect({asio::ip::address_v4::loopback(), served.port()});
    stream_.set_option(websocket::stream_base::decorator([=](websocket::request_type& request) {
      if (!subprotocol.empty()) request.set("Sec-WebSocket-Protocol", subprotocol);
      if (!origin.empty()) request.set("Origin", origin);
    }));
    stream_.handshake(answer_, "127.0.0.1:" + std::to_string(served.port()), "/", problem_);
  }
  [[nodiscard]] bool open() const { return !problem_; }
  [[nodiscard]] bool refused() const { return problem_ == websocket::error::upgrade_declined; }
  [[nodiscard]] std::string spoken() const {
    return std::string(answer_[beast::http::field::sec_websocket_protocol]);
  }
  void say(const std::string& text) {
    stream_.text(true);
    stream_.write(asio::buffer(text), problem_);
  }
  // the next message; empty when the connection has ended
  std::string hear() {
    beast::flat_buffer bytes;
    stream_.read(bytes, problem_);
    return problem_ ? "" : beast::buffers_to_string(bytes.data());
  }
  // passes over the two messages that every viewer gets
  void greet() {
    (void)hear();
    (void)hear();
  }
  void subscribe(int id, int channel) {
    say(R"({"op":"subscribe","subscriptions":[{"id":)" + std::to_string(id) + R"(,"channelId":)" +
        std::to_string(channel) + "}]}");
  }
  [[nodiscard]] unsigned closed_with() const { return stream_.reason().code; }
  auto& socket() { return stream_.next_layer(); }

 private:
  asio::io_context io_;
  websocket::stream<Tcp::socket> stream_{io_};
  websocket::response_type answer_;
  beast::error_code problem_;
};

TEST(FoxgloveServer, TellsItsChannelsAndSendsWhatIsSubscribed) {
  Served served;
  Viewer viewer(served, "foxglove.websocket.v1,foxglove.sdk.v1");
  ASSERT_TRUE(viewer.open());
  EXPECT_EQ(viewer.spoken(), "foxglove.sdk.v1");
  EXPECT_EQ(Json::parse(viewer.hear())["op"], "serverInfo");
  EXPECT_EQ(Json::parse(viewer.hear())["channels"].size(), 3u);
  EXPECT_FALSE(served->wanted(0));
  viewer.subscribe(9, 0);
  ASSERT_TRUE(soon([&] { return served->wanted(0); }));
  served->publish(0, 5, "{\"x\":1}");
  EXPECT_EQ(viewer.hear(), data_bytes(9, 5, "{\"x\":1}"));
  viewer.say(R"({"op":"unsubscribe","subscriptionIds":[9]})");
  EXPECT_TRUE(soon([&] { return !served->wanted(0); }));
}

TEST(FoxgloveServer, GivesTheLastSceneToWhoeverComesLater) {
  Served served;
  served->publish(1, 3, "old");
  served->publish(1, 4, "new");
  Viewer viewer(served);
  viewer.greet();
  viewer.subscribe(1, 1);
  EXPECT_EQ(viewer.hear(), data_bytes(1, 4, "new"));
}

TEST(FoxgloveServer, ArmsForThePageThatKnowsTheTokenAloneAndDisarmsForEverybody) {
  Served served;
  Viewer page(served);
  page.greet();
  page.say(R"({"op":"panto.token","token":"secret"})");
  EXPECT_EQ(page.hear(), token_text(true));
  page.say(R"({"op":"panto.arm","armed":true,"token":"secret"})");
  EXPECT_TRUE(soon([&] { return served.armed == 1; }));
  for (const char* token : {"", "secreT", "secret0"}) {
    Viewer other(served);
    other.greet();
    other.say(R"({"op":"panto.token","token":")" + std::string(token) + "\"}");
    EXPECT_EQ(other.hear(), token_text(false)) << token;
    served.armed = -1;
    other.say(R"({"op":"panto.arm","armed":true,"token":")" + std::string(token) + "\"}");
    EXPECT_EQ(Json::parse(other.hear())["op"], "status");
    EXPECT_EQ(served.armed, -1);
    other.say(R"({"op":"panto.align","token":")" + std::string(token) + "\"}");
    EXPECT_EQ(Json::parse(other.hear())["op"], "status");
    EXPECT_EQ(served.others, 0) << "nor re-aligns who does not know it";
    other.say(R"({"op":"panto.arm","armed":false})");
    EXPECT_TRUE(soon([&] { return served.armed == 0; }));
  }
}

TEST(FoxgloveServer, SaysWhatIsNoRequestAndEndsWithThoseWhoGoOn) {
  Served served;
  Viewer viewer(served);
  viewer.greet();
  viewer.say(R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":7},{"id":2,"channelId":1}]})");
  EXPECT_EQ(Json::parse(viewer.hear()),
            (Json{{"op", "status"}, {"level", 1}, {"message", "there is no channel 7"}}));
  served->publish(1, 4, "scene");
  EXPECT_EQ(viewer.hear(), data_bytes(2, 4, "scene")) << "what is right is met";
  for (int i = 0; i < 32; ++i) viewer.say("hello");
  while (!viewer.hear().empty()) {
  }
  EXPECT_EQ(viewer.closed_with(), websocket::close_code::policy_error);
  Viewer other(served);
  other.greet();
  other.say(std::string(70'000, ' '));
  EXPECT_EQ(other.hear(), "");
  EXPECT_EQ(other.closed_with(), websocket::close_code::too_big);
}

TEST(FoxgloveServer, GivesTheLastTenLinesOfALogToWhoeverComesLater) {
  Served served;
  for (int i = 0; i < 15; ++i) served->publish(2, i, std::to_string(i));
  Viewer viewer(served);
  viewer.greet();
  viewer.subscribe(1, 2);
  for (int i = 5; i < 15; ++i) EXPECT_EQ(viewer.hear(), data_bytes(1, i, std::to_string(i)));
}

TEST(FoxgloveServer, RefusesPagesOfOtherOriginsAndOtherProtocols) {
  Served served;
  EXPECT_TRUE(Viewer(served, "foxglove.sdk.v1", "http://evil.example").refused());
  EXPECT_TRUE(Viewer(served, "foxglove.sdk.v1", "null").refused());
  EXPECT_TRUE(Viewer(served, "foxglove.sdk.v1", "http://localhost:" + std::to_string(served.port())).open());
  EXPECT_TRUE(Viewer(served, "foxglove.sdk.v1", "https://app.foxglove.dev").open()) << "which is allowed";
  EXPECT_TRUE(Viewer(served, "chat").refused());
  EXPECT_TRUE(Viewer(served, "").refused());
}

TEST(FoxgloveServer, GivesASlowViewerTheNewestPoseAndLosesNoOtherOne) {
  Served served;
  Viewer slow(served), quick(served);
  slow.greet();
  quick.greet();
  slow.subscribe(1, 0);
  quick.subscribe(1, 2);
  ASSERT_TRUE(soon([&] { return served->wanted(0); }));
  // 20 MB, which no socket holds, while the slow one does not read
  const std::string big(100'000, 'x');
  for (int i = 0; i < 200; ++i) {
    served->publish(0, i, big + std::to_string(i));
    served->publish(2, i, std::to_string(i));
    EXPECT_EQ(quick.hear(), data_bytes(1, i, std::to_string(i)));
  }
  EXPECT_GT(served->replaced(), 50);
  std::string last;
  int heard = 0;
  const std::string end = data_bytes(1, 199, big + "199");
  while (last != end && !(last = slow.hear()).empty()) ++heard;
  EXPECT_EQ(last, end) << "the newest arrives";
  EXPECT_LT(heard, 150);
}

TEST(FoxgloveServer, ClosesAViewerForWhomTooMuchOfALogWaits) {
  Served served;
  Viewer viewer(served);
  viewer.greet();
  viewer.subscribe(1, 2);
  viewer.subscribe(2, 0);
  ASSERT_TRUE(soon([&] { return served->wanted(0); }));
  const std::string line(100'000, 'x');
  for (int i = 0; i < 200; ++i) served->publish(2, i, line);
  while (!viewer.hear().empty()) {
  }
  EXPECT_EQ(viewer.closed_with(), websocket::close_code::try_again_later);
}

TEST(FoxgloveServer, ServesSixteenViewersAndNoMore) {
  Served served;
  std::vector<std::unique_ptr<Viewer>> viewers;
  for (std::size_t i = 0; i < FoxgloveServer::kMostViewers; ++i) {
    viewers.push_back(std::make_unique<Viewer>(served));
    viewers.back()->greet();
  }
  EXPECT_EQ(served->viewers(), FoxgloveServer::kMostViewers);
  EXPECT_TRUE(Viewer(served).refused());
  viewers.clear();
  EXPECT_TRUE(soon([&] { return served->viewers() == 0; }));
  EXPECT_TRUE(Viewer(served).open());
}

TEST(FoxgloveServer, SaysGoodbyeAndLeavesThoseWhoDoNotAnswer) {
  auto served = std::make_unique<Served>();
  Viewer viewer(*served);
  viewer.greet();
  const auto begun = std::chrono::steady_clock::now();
  served.reset();  // the viewer does not read meanwhile
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  EXPECT_EQ(viewer.hear(), "");
  EXPECT_EQ(viewer.closed_with(), websocket::close_code::going_away);
}

TEST(FoxgloveServer, SurvivesBytesThatAreNoFrames) {
  Served served;
  std::uint32_t seed = 1;
  for (int i = 0; i < 200; ++i) {
    Viewer viewer(served);
    ASSERT_TRUE(viewer.open());
    std::array<std::uint8_t, 64> bytes;
    for (std::uint8_t& byte : bytes)
      byte = static_cast<std::uint8_t>((seed = seed * 1664525u + 1013904223u) >> 24);
    beast::error_code problem;
    asio::write(viewer.socket(), asio::buffer(bytes), problem);
    viewer.socket().close(problem);
  }
  EXPECT_TRUE(soon([&] { return served->viewers() == 0; }));
  EXPECT_TRUE(Viewer(served).open());
}

}  // namespace
}  // namespace panto::bridge
