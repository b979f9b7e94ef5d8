#include "panto/bridge/redis_client.hpp"

#ifdef PANTO_REDIS
#include <hiredis/hiredis.h>
#endif

#include "panto/base/error.hpp"
#include "panto/live/pacer.hpp"

namespace panto::bridge {

#ifdef PANTO_REDIS

namespace {

constexpr timeval kConnect{1, 0};
constexpr timeval kRoundTrip{0, 100'000};
constexpr Time kAgain = 1'000'000'000;  // [ns]

}  // namespace

struct RedisClient::Impl {
  live::UdpAddress at;
  redisContext* context = nullptr;
  Time failed = 0;

  ~Impl() { close(); }
  void close() noexcept {
    if (context != nullptr) redisFree(context);
    context = nullptr;
  }
  // Returns what is wrong, or nothing.
  std::string connect(timeval patience) {
    close();
    context = redisConnectWithTimeout(at.host.c_str(), at.port, patience);
    if (context == nullptr) return "no memory";
    std::string wrong = context->err != 0 ? context->errstr : "";
    if (wrong.empty() && redisSetTimeout(context, kRoundTrip) != REDIS_OK) wrong = context->errstr;
    if (!wrong.empty()) close();
    return wrong;
  }
  bool set(std::span<const std::pair<std::string_view, std::string_view>> pairs) noexcept {
    for (const auto& [key, value] : pairs)
      if (redisAppendCommand(context, "SET %b %b", key.data(), key.size(), value.data(), value.size()) !=
          REDIS_OK)
        return false;
    bool all = true;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      void* reply = nullptr;
      if (redisGetReply(context, &reply) != REDIS_OK || reply == nullptr) return false;
      all = all && static_cast<redisReply*>(reply)->type == REDIS_REPLY_STATUS;
      freeReplyObject(reply);
    }
    return all;
  }
};

RedisClient::RedisClient(const live::UdpAddress& at) : impl_(std::make_unique<Impl>()) {
  impl_->at = at;
  if (const std::string wrong = impl_->connect(kConnect); !wrong.empty())
    throw Error("no Redis server answers at " + at.host + " port " + std::to_string(at.port) + ": " + wrong +
                "; start it there (redis-server), or give its address");
}

bool RedisClient::set(std::span<const std::pair<std::string_view, std::string_view>> pairs) noexcept {
  try {
    if (impl_->context == nullptr) {
      const Time now = live::monotonic_now();
      if (now - impl_->failed < kAgain) return false;
      impl_->failed = now;
      if (!impl_->connect(kRoundTrip).empty()) return false;
    }
    if (impl_->set(pairs)) return true;
    impl_->close();
    impl_->failed = live::monotonic_now();
  } catch (...) {
    impl_->close();  // no memory
  }
  return false;
}

#else

struct RedisClient::Impl {};

RedisClient::RedisClient(const live::UdpAddress& /*at*/) {
  throw ConfigError(
      "this Panto was built without Redis. Install it (Debian, Ubuntu: apt-get install libhiredis-dev) and "
      "build again");
}

bool RedisClient::set(std::span<const std::pair<std::string_view, std::string_view>> /*pairs*/) noexcept {
  return false;
}

#endif

RedisClient::~RedisClient() = default;

}  // namespace panto::bridge
