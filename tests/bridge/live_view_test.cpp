#include "panto/bridge/live_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "panto/base/error.hpp"
#include "panto/live/pacer.hpp"
#include "tests/support/link_model.hpp"

namespace panto::bridge {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Json = nlohmann::json;

// A viewer that subscribes to everything, and keeps the newest message of each topic.
class Viewer {
 public:
  explicit Viewer(const std::string& address) {
    const std::string port = address.substr(17, address.find('/', 17) - 17);
    stream_.next_layer().connect(
        {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(std::stoi(port))});
    stream_.set_option(beast::websocket::stream_base::decorator([](beast::websocket::request_type& request) {
      request.set("Sec-WebSocket-Protocol", "foxglove.sdk.v1");
    }));
    stream_.handshake("127.0.0.1:" + port, "/");
    (void)hear();
    Json all = Json::array();
    const Json told = Json::parse(hear());
    for (const Json& channel : told["channels"]) {
      topics_.push_back(channel["topic"]);
      all.push_back({{"id", channel["id"]}, {"channelId", channel["id"]}});
    }
    stream_.write(asio::buffer(Json{{"op", "subscribe"}, {"subscriptions", all}}.dump()));
  }
  void say(const Json& request) { stream_.write(asio::buffer(request.dump())); }
  void arm(bool on, const std::string& token) { say({{"op", "panto.arm"}, {"armed", on}, {"token", token}}); }
  // reads until a message of the topic came
  const Json& next(const std::string& topic) {
    for (;;) {
      const std::string bytes = hear();
      const std::string& of = topics_.at(static_cast<unsigned char>(bytes.at(1)));
      newest_[of] = Json::parse(bytes.substr(13));
      if (of == topic) return newest_[of];
    }
  }
  std::string hear() {
    beast::flat_buffer bytes;
    stream_.read(bytes);
    return beast::buffers_to_string(bytes.data());
  }

 private:
  asio::io_context io_;
  beast::websocket::stream<asio::ip::tcp::socket> stream_{io_};
  std::vector<std::string> topics_;
  std::map<std::string, Json> newest_;
};

LiveFrame frame_of(const Model& model, Time arrival) {
  LiveFrame frame{rest_state(model), {}, true, arrival};
  frame.person.segments.resize(2);
  frame.person.segments[1].has_position = true;
  return frame;
}

ViewOptions waiting() {
  ViewOptions options;
  options.page = "waiting";
  return options;
}

TEST(LiveView, ShowsLinksJointsAndThePersonOfAFrame) {
  const Model model = test::chain_model(3);
  LiveView view(waiting());
  view.begin(model, {"walk", "<p>page</p>", "", {"Pelvis", "Head"}, false});
  Viewer viewer(view.address());
  EXPECT_FALSE(viewer.next("/scene")["entities"].empty()) << "the scene is sent at once";
  LiveFrame frame = frame_of(model, live::monotonic_now());
  frame.state.s[1] = 0.25;
  frame.person.segments[1].p_WS.z() = 1.5;
  // the first frames may come before the viewer's request
  for (Time later = 0; later < 3'000'000'000; later += 20'000'000) {
    frame.arrival += 20'000'000;
    view.write(frame);
    view.show({}, {});
    if (viewer.next("/health")["stream"] == "good" && later > 200'000'000) break;
  }
  frame.state.s[1] = 0.9;
  frame.arrival += 1'000'000;
  view.write(frame);
  frame.state.s[1] = 0.5;
  frame.arrival += 40'000'000;
  view.write(frame);
  for (double position = 0.0; position != 0.5;) {
    position = viewer.next("/joint_states")["joints"][1]["position"];
    EXPECT_NE(position, 0.9) << "1 ms after the frame before: more than 60 a second are not sent";
  }
  EXPECT_EQ(viewer.next("/tf")["transforms"].size(), static_cast<std::size_t>(model.link_count()));
  const Json& person = viewer.next("/person")["transforms"];
  ASSERT_EQ(person.size(), 1u) << "the pelvis has no place";
  EXPECT_EQ(person[0]["child_frame_id"], "person/Head");
  EXPECT_EQ(person[0]["translation"]["z"], 1.5);
  EXPECT_EQ(view.missed(), 0);
  EXPECT_EQ(view.failed(), "");
}

TEST(LiveView, DatesFramesAsTheyWereMeasuredHoweverTheyArrive) {
  const Model model = test::chain_model(3);
  LiveView view(waiting());
  view.begin(model, {"walk", "page", "", {}, false});
  Viewer viewer(view.address());
  view.show({}, {});
  (void)viewer.next("/health");  // now it gets frames, too
  LiveFrame frame = frame_of(model, 0);
  const Time begun = live::monotonic_now();
  double before = 0.0;
  for (int k = 0; k < 30; ++k) {
    frame.state.t = Time{20'000'000} * k;
    frame.arrival = begun + frame.state.t + Time{1'000'000} * (k * 3 % 4);  // up to 3 ms late
    if (k >= 15) frame.arrival += Time{600'000'000};                        // a busy machine
    view.write(frame);
    const Json stamp = viewer.next("/joint_states")["timestamp"];
    const double date = stamp["sec"].get<double>() + 1e-9 * stamp["nsec"].get<double>();
    EXPECT_NEAR(date - (k > 0 ? before : date - 0.02), 0.02, 1.01e-4) << "followed by 0.5 % at most";
    before = date;
  }
}

TEST(LiveView, SaysHowTheStreamGoesAndLogsItsChanges) {
  const Model model = test::chain_model(3);
  LiveView view(waiting());
  view.begin(model, {"walk", "page", "", {}, true});
  LiveFigures figures;
  figures.samples = 240;
  figures.to_pose.median = 0.0002;
  figures.missing = {"LeftHand"};
  view.show({.armed = true}, figures);
  Viewer viewer(view.address());
  const Json health = viewer.next("/health");
  EXPECT_EQ(health["samples"], 240);
  EXPECT_EQ(health["armed"], true);
  EXPECT_NEAR(health["pose_median_ms"].get<double>(), 0.2, 1e-12);
  EXPECT_EQ(health["missing"], (Json{"LeftHand"}));
  view.show({.stream = live::StreamState::Lost, .armed = true}, figures);
  EXPECT_EQ(viewer.next("/log")["message"], "the stream is good") << "which was before this viewer came";
  const Json log = viewer.next("/log");
  EXPECT_EQ(log["message"], "the stream is lost");
  EXPECT_EQ(log["level"], 3) << "a warning";
}

TEST(LiveView, PassesOnWhatThePageWishesOnce) {
  const Model model = test::chain_model(3);
  LiveView view(waiting());
  view.begin(model, {"walk", "page", "", {}, true});
  const std::string address = view.address(), token = address.substr(address.find('#') + 1);
  EXPECT_EQ(token.size(), 32u) << "128 bits";
  EXPECT_TRUE(view.wishes().empty());
  Viewer viewer(address);
  viewer.arm(true, token);
  viewer.say({{"op", "panto.mark"}, {"text", "knee"}, {"token", token}});
  viewer.say({{"op", "panto.align"}, {"token", token}});
  view.show({.armed = false}, {});
  std::vector<live::Wish> wishes;
  for (int i = 0; i < 500 && wishes.size() < 3; ++i) {
    for (const live::Wish& wish : view.wishes()) wishes.push_back(wish);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_EQ(wishes.size(), 3u) << "in the order of asking";
  EXPECT_EQ(wishes[0].kind, live::Wish::Kind::Arm);
  EXPECT_EQ(wishes[1].kind, live::Wish::Kind::Mark);
  EXPECT_EQ(wishes[1].text, "knee");
  EXPECT_EQ(wishes[2].kind, live::Wish::Kind::Align);
  EXPECT_TRUE(view.wishes().empty());
}

TEST(LiveView, LosesNoWishToDisarmBehindAFloodOfOthers) {
  const Model model = test::chain_model(3);
  LiveView view(waiting());
  view.begin(model, {"walk", "page", "", {}, true});
  const std::string address = view.address(), token = address.substr(address.find('#') + 1);
  Viewer viewer(address);
  for (int i = 0; i < 100; ++i) viewer.say({{"op", "panto.mark"}, {"token", token}});
  for (int i = 0; i < 5; ++i) viewer.arm(false, "");
  for (int i = 0; i < 100; ++i) viewer.say({{"op", "panto.mark"}, {"token", token}});
  viewer.say({{"op", "panto.token"}, {"token", token}});
  while (viewer.hear().find("panto.token") == std::string::npos) {
  }  // then all were taken
  const std::vector<live::Wish> wishes = view.wishes();
  EXPECT_EQ(std::ranges::count(wishes, live::Wish::Kind::Disarm, &live::Wish::kind), 1);
  EXPECT_EQ(wishes.size(), 17u) << "sixteen others at most";
}

TEST(LiveView, WithoutRobotsCannotBeArmed) {
  const Model model = test::chain_model(3);
  LiveView view(waiting());
  view.begin(model, {"walk", "page", "", {}, false});
  const std::string address = view.address();
  Viewer viewer(address);
  viewer.arm(true, address.substr(address.find('#') + 1));
  view.show({}, {});
  EXPECT_FALSE(viewer.next("/health").contains("armed"));
  EXPECT_TRUE(view.wishes().empty());
}

TEST(LiveView, KeepsViewersThatComeBeforeTheRun) {
  const Model model = test::chain_model(3);
  LiveView view(waiting());
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    view.begin(model, {"walk", "page", "", {}, false});
  });
  Viewer viewer(view.address());
  EXPECT_FALSE(viewer.next("/scene")["entities"].empty());
  later.join();
}

TEST(LiveView, NamesAPortThatIsTaken) {
  const LiveView first(waiting());
  const std::string address = first.address();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(17)));
  ViewOptions same = waiting();
  same.port = port;
  try {
    const LiveView second(same);
    FAIL() << "two views at one port";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("choose another port"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace panto::bridge
