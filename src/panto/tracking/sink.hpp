#pragma once

#include "panto/base/status.hpp"
#include "panto/model/state.hpp"

namespace panto {

/// Receives states: a file, a robot, a viewer.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  [[nodiscard]] virtual WriteStatus write(const State& state) noexcept = 0;
};

}  // namespace panto
