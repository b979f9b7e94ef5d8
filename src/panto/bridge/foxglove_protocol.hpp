#pragma once
// Foxglove's WebSocket protocol, as functions of text: what a server says, and what a viewer asks. Source:
// the viewers' own client, @foxglove/ws-protocol, and foxglove-sdk; there is no published specification any
// more.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/live/wish.hpp"

namespace panto::bridge {

/// Messages of one kind. Their number is their place in a list, from 0 on.
struct FoxgloveChannel {
  std::string topic;
  std::string_view schema_name, schema;  ///< a JSON Schema; the messages are JSON
};

/// Returns the subprotocol to speak with a viewer that offers these, separated by commas; empty: none.
[[nodiscard]] std::string_view chosen_subprotocol(std::string_view offered) noexcept;

/// Returns the first message: the server's name, and a word that differs from run to run.
[[nodiscard]] std::string server_info_text(const std::string& name, const std::string& session);
/// Returns the second message: the channels, numbered.
[[nodiscard]] std::string advertise_text(const std::vector<FoxgloveChannel>& channels);
/// Returns a message of a channel to one who subscribed, as bytes. `date`: [ns] since 1970.
[[nodiscard]] std::string data_bytes(std::uint32_t subscription, Time date, std::string_view message);

/// Returns a warning, with which a server answers a bad request.
[[nodiscard]] std::string warning_text(const std::string& message);
/// Returns the answer to the live page's question whether its token belongs to this run.
[[nodiscard]] std::string token_text(bool valid);

/// A viewer's request. Requests that this server does not know are empty.
struct FoxgloveRequest {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> subscribed;  ///< subscription and channel
  std::vector<std::uint32_t> unsubscribed;                          ///< subscriptions
  // of the live page alone
  std::optional<live::Wish> wish;    ///< needs the token, unless it is to disarm
  std::optional<std::string> token;  ///< without `wish` the page asks whether it is valid
};

/// Parses a viewer's request. Returns nothing if the text is not a request.
[[nodiscard]] std::optional<FoxgloveRequest> parse_foxglove_request(std::string_view text);

/// The subscriptions of one connection.
class FoxgloveSubscriptions {
 public:
  static constexpr std::size_t kMost = 256;

  /// Applies a request. Returns the new pairs of subscription and channel. Skips an unknown channel, a number
  /// in use, and whatever exceeds `kMost`, and adds a sentence about each to `problems`.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> take(const FoxgloveRequest& request,
                                                                          std::size_t channels,
                                                                          std::vector<std::string>& problems);
  /// Calls `to` with every subscription of a channel.
  template <typename To>
  void each_of(std::uint32_t channel, const To& to) const {
    for (const auto& [subscription, subscribed] : all_)
      if (subscribed == channel) to(subscription);
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all_;
};

}  // namespace panto::bridge
