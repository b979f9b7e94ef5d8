#include "panto/bridge/foxglove_protocol.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace panto::bridge {
namespace {

using Json = nlohmann::json;

TEST(FoxgloveProtocol, ChoosesTheNewerOfTwoNamesWhateverTheirOrder) {
  EXPECT_EQ(chosen_subprotocol("foxglove.websocket.v1"), "foxglove.websocket.v1");
  EXPECT_EQ(chosen_subprotocol("foxglove.websocket.v1,foxglove.sdk.v1"), "foxglove.sdk.v1");
  EXPECT_EQ(chosen_subprotocol("chat , \tfoxglove.websocket.v1 "), "foxglove.websocket.v1");
  EXPECT_EQ(chosen_subprotocol(""), "");
  EXPECT_EQ(chosen_subprotocol("foxglove.sdk.v10"), "");
  EXPECT_EQ(chosen_subprotocol("xfoxglove.sdk.v1,"), "");
}

TEST(FoxgloveProtocol, TellsItsNameAndItsChannelsByNumber) {
  const Json info = Json::parse(server_info_text("walk.bvh -> \"g1\"", "7"));
  EXPECT_EQ(info["op"], "serverInfo");
  EXPECT_EQ(info["name"], "walk.bvh -> \"g1\"");
  EXPECT_EQ(info["sessionId"], "7");
  EXPECT_TRUE(info["capabilities"].is_array());
  const Json told = Json::parse(advertise_text({{"/a", "foxglove.Log", "{}"}, {"/b", "panto.Health", "[]"}}));
  EXPECT_EQ(told["op"], "advertise");
  ASSERT_EQ(told["channels"].size(), 2u);
  EXPECT_EQ(told["channels"][1], (Json{{"id", 1},
                                       {"topic", "/b"},
                                       {"encoding", "json"},
                                       {"schemaName", "panto.Health"},
                                       {"schemaEncoding", "jsonschema"},
                                       {"schema", "[]"}}));
}

TEST(FoxgloveProtocol, PacksAMessageWithItsSubscriptionAndTimeLittleEndian) {
  using namespace std::string_literals;
  EXPECT_EQ(data_bytes(0x04030201u, 0x0807060504030201, "{}"),
            "\x01\x01\x02\x03\x04\x01\x02\x03\x04\x05\x06\x07\x08{}"s);
}

TEST(FoxgloveProtocol, ReadsWhatViewersAsk) {
  const auto request = parse_foxglove_request(
      R"({"op":"subscribe","subscriptions":[{"id":4,"channelId":1},{"id":5,"channelId":0}]})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->subscribed, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{4, 1}, {5, 0}}));
  const auto ended = parse_foxglove_request(R"({"op":"unsubscribe","subscriptionIds":[4,9]})");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->unsubscribed, (std::vector<std::uint32_t>{4, 9}));
  const auto arm = parse_foxglove_request(R"({"op":"panto.arm","armed":true,"token":"abc"})");
  using enum live::Wish::Kind;
  ASSERT_TRUE(arm && arm->wish);
  EXPECT_EQ(arm->wish->kind, Arm);
  EXPECT_EQ(arm->token.value_or(""), "abc");
  const auto disarm = parse_foxglove_request(R"({"op":"panto.arm","armed":false})");
  ASSERT_TRUE(disarm && disarm->wish) << "which needs no token";
  EXPECT_EQ(disarm->wish->kind, Disarm);
  const auto align = parse_foxglove_request(R"({"op":"panto.align","token":"abc"})");
  ASSERT_TRUE(align && align->wish);
  EXPECT_EQ(align->wish->kind, Align);
  const auto poses = parse_foxglove_request(R"({"op":"panto.calibrate","text":"npose chair","token":"abc"})");
  ASSERT_TRUE(poses && poses->wish);
  EXPECT_EQ(poses->wish->kind, live::Wish::Kind::Calibrate);
  EXPECT_EQ(poses->wish->text, "npose chair");
  const auto record = parse_foxglove_request(R"({"op":"panto.record","token":"abc"})");
  ASSERT_TRUE(record && record->wish);
  EXPECT_EQ(record->wish->kind, live::Wish::Kind::Record);
  const auto mark = parse_foxglove_request(R"({"op":"panto.mark","text":"knee","token":"abc"})");
  ASSERT_TRUE(mark && mark->wish);
  EXPECT_EQ(mark->wish->text, "knee");
  const auto token = parse_foxglove_request(R"({"op":"panto.token","token":"abc"})");
  ASSERT_TRUE(token && !token->wish);
  EXPECT_EQ(token->token.value_or(""), "abc");
  const auto other = parse_foxglove_request(R"({"op":"subscribeConnectionGraph"})");
  ASSERT_TRUE(other) << "what this server does not offer is no fault";
  EXPECT_TRUE(other->subscribed.empty() && other->unsubscribed.empty() && !other->wish);
}

TEST(FoxgloveProtocol, RefusesWhatIsNoRequest) {
  for (const char* text : {"",
                           "x",
                           "[]",
                           "1",
                           "{}",
                           R"({"op":1})",
                           R"({"op":"subscribe"})",
                           R"({"op":"subscribe","subscriptions":{}})",
                           R"({"op":"subscribe","subscriptions":[1]})",
                           R"({"op":"subscribe","subscriptions":[{"id":-1,"channelId":0}]})",
                           R"({"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":0}]})",
                           R"({"op":"subscribe","subscriptions":[{"id":1.5,"channelId":0}]})",
                           R"({"op":"unsubscribe","subscriptionIds":["1"]})",
                           R"({"op":"panto.arm","armed":1,"token":"a"})",
                           R"({"op":"panto.arm","armed":true})",
                           R"({"op":"panto.align"})",
                           R"({"op":"panto.record"})",
                           R"({"op":"panto.calibrate"})",
                           R"({"op":"panto.mark","text":"x"})",
                           R"({"op":"panto.token"})",
                           "{\"op\":\"subscribe\",\"subscriptions\":[\xff]}"})
    EXPECT_FALSE(parse_foxglove_request(text)) << text;
}

TEST(FoxgloveProtocol, SurvivesEveryTruncationAndTenThousandCorruptions) {
  const std::string good =
      R"({"op":"subscribe","subscriptions":[{"id":4,"channelId":1}],"subscriptionIds":[1],"token":"é"})";
  for (std::size_t i = 0; i < good.size(); ++i) EXPECT_FALSE(parse_foxglove_request(good.substr(0, i)));
  std::mt19937 random(7);
  for (int i = 0; i < 10'000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    (void)parse_foxglove_request(bad);
  }
  const std::string deep(60'000, '[');
  EXPECT_FALSE(parse_foxglove_request(deep)) << "brackets cost neither stack nor time";
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(FoxgloveSubscriptions, KnowWhoGetsWhat) {
  FoxgloveSubscriptions all;
  std::vector<std::string> problems;
  FoxgloveRequest request;
  request.subscribed = {{1, 0}, {2, 2}, {3, 0}};
  EXPECT_EQ(all.take(request, 3, problems), request.subscribed);
  std::vector<std::uint32_t> to;
  all.each_of(0, [&](std::uint32_t subscription) { to.push_back(subscription); });
  EXPECT_EQ(to, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_TRUE(problems.empty());
  FoxgloveRequest less;
  less.unsubscribed = {1, 77};
  EXPECT_TRUE(all.take(less, 3, problems).empty());
  EXPECT_EQ(problems, (std::vector<std::string>{"there is no subscription 77"}));
  to.clear();
  all.each_of(0, [&](std::uint32_t subscription) { to.push_back(subscription); });
  EXPECT_EQ(to, (std::vector<std::uint32_t>{3}));
}

TEST(FoxgloveSubscriptions, LeaveOutWhatCannotBeAndKeepTheRest) {
  FoxgloveSubscriptions all;
  std::vector<std::string> problems;
  FoxgloveRequest request;
  request.subscribed = {{1, 3}, {2, 0}, {2, 1}};
  EXPECT_EQ(all.take(request, 3, problems), (Pairs{{2, 0}}));
  EXPECT_EQ(problems, (std::vector<std::string>{"there is no channel 3", "subscription 2 is in use"}));
  request.subscribed.clear();
  for (std::uint32_t i = 0; i < FoxgloveSubscriptions::kMost; ++i) request.subscribed.emplace_back(10 + i, 0);
  problems.clear();
  EXPECT_EQ(all.take(request, 3, problems).size(), FoxgloveSubscriptions::kMost - 1);
  EXPECT_EQ(problems, (std::vector<std::string>{"no more than 256 subscriptions"}));
}

}  // namespace
}  // namespace panto::bridge
