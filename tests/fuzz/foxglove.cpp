// What viewers ask by Foxglove's protocol, and the subscriptions that come of it.

#include "panto/bridge/foxglove_protocol.hpp"

#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_viewer(Bytes bytes) {
  bridge::FoxgloveSubscriptions subscriptions;
  (void)bridge::chosen_subprotocol(text_of(bytes));
  const auto request = bridge::parse_foxglove_request(text_of(bytes));
  if (!request) throw FormatError("no request");
  std::vector<std::string> problems;
  for (int i = 0; i < 2; ++i) {
    const auto added = subscriptions.take(*request, 3, problems);
    promise(added.size() <= bridge::FoxgloveSubscriptions::kMost, "subscriptions are bounded");
    for (const auto& [subscription, channel] : added) promise(channel < 3, "a channel is one of ours");
  }
  std::size_t all = 0;
  for (std::uint32_t channel = 0; channel < 3; ++channel)
    subscriptions.each_of(channel, [&](std::uint32_t) { ++all; });
  promise(all <= bridge::FoxgloveSubscriptions::kMost, "subscriptions are bounded");
}

Seeds seeds_of_viewers() {
  return {R"({"op":"subscribe","subscriptions":[{"id":4,"channelId":1},{"id":5,"channelId":0}]})",
          R"({"op":"unsubscribe","subscriptionIds":[4,9]})",
          R"({"op":"panto.arm","armed":true,"token":"abc"})", R"({"op":"panto.token","token":"abc"})",
          R"({"op":"subscribeConnectionGraph"})"};
}

const Registered viewer_target("foxglove", check_viewer, seeds_of_viewers);

}  // namespace
}  // namespace panto::fuzz
