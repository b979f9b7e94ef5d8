#pragma once
// What networks do to datagrams: they lose, repeat, reorder and delay them. Seeded, on any clock.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <random>
#include <vector>

#include "panto/base/time.hpp"

namespace panto::stream {

struct ImpairmentOptions {
  double loss = 0.0;       ///< share of datagrams that never arrive, 0 to 1
  double repeated = 0.0;   ///< share that arrives twice, 0 to 1
  int burst = 0;           ///< datagrams that are lost in a row where one is lost, besides it
  int reorder = 0;         ///< by up to how many later datagrams one is overtaken
  double delay = 0.0;      ///< of all [s], 0 to 10
  double jitter = 0.0;     ///< further delay, uniform from 0 to this [s], 0 to 10
  std::uint64_t seed = 1;  ///< the same seed, the same faults
};

/// Takes datagrams and gives back what arrives, when it does.
class Impairment {
 public:
  /// @throws ConfigError for options out of range.
  explicit Impairment(const ImpairmentOptions& options);

  /// Takes a datagram that is sent at `now` [ns].
  void send(std::vector<std::byte> datagram, Time now);
  /// Returns when the next datagram arrives; empty: none is on its way, or later ones must be sent first.
  [[nodiscard]] std::optional<Time> next() const;
  /// Takes the next datagram that has arrived at `now`; false: none. After the last one was sent, `flush`.
  [[nodiscard]] bool receive(Time now, std::vector<std::byte>& datagram);
  /// Lets datagrams that wait to be overtaken arrive.
  void flush();

 private:
  struct Waiting {
    Time due;
    std::uint64_t order;
    std::vector<std::byte> datagram;
    friend bool operator>(const Waiting& a, const Waiting& b) noexcept {
      return a.due != b.due ? a.due > b.due : a.order > b.order;
    }
  };
  struct Held {
    std::vector<std::byte> datagram;
    int overtakes;  // datagrams that still come before it
  };
  [[nodiscard]] bool chance(double share);
  void deliver(std::vector<std::byte> datagram, Time now);

  ImpairmentOptions options_;
  std::mt19937_64 engine_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> on_way_;
  std::vector<Held> held_;
  Time last_ = 0;
  std::uint64_t order_ = 0;
  int losing_ = 0;
};

}  // namespace panto::stream
