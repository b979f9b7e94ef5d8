#include "panto/bridge/foxglove_protocol.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "panto/base/append_word.hpp"

namespace panto::bridge {
namespace {

using Json = nlohmann::json;

// the name that viewers use today, and the one before 2025
constexpr std::array<std::string_view, 2> kSubprotocols{"foxglove.sdk.v1", "foxglove.websocket.v1"};
constexpr char kData = 1;  // the first byte of a binary message

std::optional<std::uint32_t> number_of(const Json& json) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > 0xffffffffu) return {};
  return json.get<std::uint32_t>();
}

std::optional<std::uint32_t> number_of(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? std::nullopt : number_of(*found);
}

// returns the array under a key, or null
const Json* array_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_array() ? nullptr : &*found;
}

bool read_subscribe(const Json& json, FoxgloveRequest& request) {
  const Json* all = array_of(json, "subscriptions");
  if (all == nullptr) return false;
  for (const Json& one : *all) {
    const auto id = number_of(one, "id"), channel = number_of(one, "channelId");
    if (!id || !channel) return false;
    request.subscribed.emplace_back(*id, *channel);
  }
  return true;
}

bool read_unsubscribe(const Json& json, FoxgloveRequest& request) {
  const Json* all = array_of(json, "subscriptionIds");
  if (all == nullptr) return false;
  for (const Json& one : *all) {
    const auto id = number_of(one);
    if (!id) return false;
    request.unsubscribed.push_back(*id);
  }
  return true;
}

// the live page's own requests

bool read_token(const Json& json, FoxgloveRequest& request) {
  const auto token = json.find("token");
  if (token == json.end() || !token->is_string()) return false;
  request.token = token->get<std::string>();
  return true;
}

// disarming needs no token
bool read_arm(const Json& json, FoxgloveRequest& request) {
  const auto armed = json.find("armed");
  if (armed == json.end() || !armed->is_boolean()) return false;
  const bool arms = armed->get<bool>();
  request.wish = live::Wish{arms ? live::Wish::Kind::Arm : live::Wish::Kind::Disarm};
  return read_token(json, request) || !arms;
}

bool read_align(const Json& json, FoxgloveRequest& request) {
  request.wish = live::Wish{live::Wish::Kind::Align};
  return read_token(json, request);
}

bool read_record(const Json& json, FoxgloveRequest& request) {
  request.wish = live::Wish{live::Wish::Kind::Record};
  return read_token(json, request);
}

// `text`: of a mark; poses of a calibration
bool read_text(live::Wish::Kind kind, const Json& json, FoxgloveRequest& request) {
  const auto text = json.find("text");
  request.wish = live::Wish{kind};
  if (text != json.end() && text->is_string())
    request.wish->text = text->get_ref<const std::string&>().substr(0, live::Wish::kLongest);
  return read_token(json, request);
}

}  // namespace

std::string_view chosen_subprotocol(std::string_view offered) noexcept {
  for (const std::string_view known : kSubprotocols) {
    for (std::string_view rest = offered; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      std::string_view one = rest.substr(0, comma);
      while (one.starts_with(' ') || one.starts_with('\t')) one.remove_prefix(1);
      while (one.ends_with(' ') || one.ends_with('\t')) one.remove_suffix(1);
      if (one == known) return known;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
  return {};
}

std::string server_info_text(const std::string& name, const std::string& session) {
  return Json{{"op", "serverInfo"},
              {"name", name},
              {"capabilities", Json::array()},
              {"supportedEncodings", Json::array()},
              {"metadata", Json::object()},
              {"sessionId", session}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string advertise_text(const std::vector<FoxgloveChannel>& channels) {
  Json all = Json::array();
  for (std::size_t i = 0; i < channels.size(); ++i)
    all.push_back({{"id", i},
                   {"topic", channels[i].topic},
                   {"encoding", "json"},
                   {"schemaName", channels[i].schema_name},
                   {"schemaEncoding", "jsonschema"},
                   {"schema", channels[i].schema}});
  return Json{{"op", "advertise"}, {"channels", std::move(all)}}.dump();
}

std::string warning_text(const std::string& message) {
  return Json{{"op", "status"}, {"level", 1}, {"message", message}}.dump(-1, ' ', false,
                                                                         Json::error_handler_t::replace);
}

std::string token_text(bool valid) { return Json{{"op", "panto.token"}, {"valid", valid}}.dump(); }

std::string data_bytes(std::uint32_t subscription, Time date, std::string_view message) {
  std::string bytes(1, kData);
  bytes.reserve(13 + message.size());
  append_word(subscription, bytes);
  append_word(static_cast<std::uint64_t>(date), bytes);
  bytes += message;
  return bytes;
}

std::optional<FoxgloveRequest> parse_foxglove_request(std::string_view text) {
  // requests are flat: drop deeper text while parsing
  const Json json = Json::parse(
      text, [](int depth, Json::parse_event_t, Json&) { return depth <= 4; }, false);
  if (!json.is_object()) return {};
  const auto op = json.find("op");
  if (op == json.end() || !op->is_string()) return {};
  FoxgloveRequest request;
  const auto& word = op->get_ref<const std::string&>();
  const bool read = word == "subscribe"         ? read_subscribe(json, request)
                    : word == "unsubscribe"     ? read_unsubscribe(json, request)
                    : word == "panto.arm"       ? read_arm(json, request)
                    : word == "panto.align"     ? read_align(json, request)
                    : word == "panto.mark"      ? read_text(live::Wish::Kind::Mark, json, request)
                    : word == "panto.record"    ? read_record(json, request)
                    : word == "panto.calibrate" ? read_text(live::Wish::Kind::Calibrate, json, request)
                    : word == "panto.token"     ? read_token(json, request)
                                                : true;
  return read ? std::optional(request) : std::nullopt;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> FoxgloveSubscriptions::take(
    const FoxgloveRequest& request, std::size_t channels, std::vector<std::string>& problems) {
  const auto find = [this](std::uint32_t id) {
    return std::find_if(all_.begin(), all_.end(), [id](const auto& one) { return one.first == id; });
  };
  for (const std::uint32_t id : request.unsubscribed) {
    if (const auto one = find(id); one != all_.end())
      all_.erase(one);
    else
      problems.push_back("there is no subscription " + std::to_string(id));
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
  for (const auto& [id, channel] : request.subscribed) {
    if (find(id) != all_.end())
      problems.push_back("subscription " + std::to_string(id) + " is in use");
    else if (channel >= channels)
      problems.push_back("there is no channel " + std::to_string(channel));
    else if (all_.size() >= kMost)
      problems.push_back("no more than " + std::to_string(kMost) + " subscriptions");
    else
      added.push_back(all_.emplace_back(id, channel));
  }
  return added;
}

}  // namespace panto::bridge
