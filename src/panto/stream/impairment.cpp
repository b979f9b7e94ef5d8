#include "panto/stream/impairment.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "panto/base/error.hpp"

namespace panto::stream {
namespace {

constexpr double kLongestDelay = 10.0;  // [s]
constexpr int kMostInARow = 100000;

double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1.0p-53; }

bool within(double value, double most) { return value >= 0.0 && value <= most; }

}  // namespace

Impairment::Impairment(const ImpairmentOptions& options) : options_(options), engine_(options.seed) {
  if (!within(options.loss, 1.0) || !within(options.repeated, 1.0))
    throw ConfigError("faults of a network: shares of lost and repeated datagrams must be 0 to 1");
  if (!within(options.delay, kLongestDelay) || !within(options.jitter, kLongestDelay))
    throw ConfigError("faults of a network: delays must be 0 to 10 s");
  if (options.burst < 0 || options.burst > kMostInARow || options.reorder < 0 ||
      options.reorder > kMostInARow)
    throw ConfigError("faults of a network: bursts and reordering must be 0 to 100000 datagrams");
}

bool Impairment::chance(double share) { return share > 0.0 && uniform(engine_) < share; }

void Impairment::deliver(std::vector<std::byte> datagram, Time now) {
  const double late = options_.delay + (options_.jitter > 0.0 ? options_.jitter * uniform(engine_) : 0.0);
  on_way_.push({now + from_seconds(late), order_++, std::move(datagram)});
}

void Impairment::send(std::vector<std::byte> datagram, Time now) {
  last_ = std::max(last_, now);
  if (losing_ > 0) return void(--losing_);
  if (chance(options_.loss)) {
    losing_ = options_.burst;
    return;
  }
  if (chance(options_.repeated)) deliver(datagram, now);
  // as many datagrams overtake it as were drawn
  const int overtakes =
      options_.reorder > 0 ? static_cast<int>(uniform(engine_) * (options_.reorder + 1)) : 0;
  if (overtakes == 0)
    deliver(std::move(datagram), now);
  else
    held_.push_back({std::move(datagram), overtakes + 1});
  for (Held& held : held_)
    if (--held.overtakes == 0) deliver(std::move(held.datagram), now);
  std::erase_if(held_, [](const Held& held) { return held.overtakes == 0; });
}

std::optional<Time> Impairment::next() const {
  return on_way_.empty() ? std::nullopt : std::optional(on_way_.top().due);
}

bool Impairment::receive(Time now, std::vector<std::byte>& datagram) {
  if (on_way_.empty() || on_way_.top().due > now) return false;
  datagram = on_way_.top().datagram;
  on_way_.pop();
  return true;
}

void Impairment::flush() {
  for (Held& held : held_) deliver(std::move(held.datagram), last_);
  held_.clear();
}

}  // namespace panto::stream
