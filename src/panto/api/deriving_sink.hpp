#pragma once
// Passes States on, one later, with velocities that are the derivatives of their positions. (not installed)

#include <utility>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// What `derive_velocities` does for a Motion: central differences, one-sided ones at both ends, zero for a
/// single State. `finish` passes the last State on. Stamps must increase.
class DerivingSink final : public Sink {
 public:
  DerivingSink(const Model& model, std::vector<Sink*> sinks)
      : sinks_(std::move(sinks)),
        before_(rest_state(model)),
        now_(rest_state(model)),
        derived_(rest_state(model)) {}

  [[nodiscard]] WriteStatus write(const State& state) noexcept override {
    WriteStatus status = WriteStatus::Written;
    if (held_ > 0) status = pass(held_ > 1 ? before_ : now_, state);
    std::swap(before_, now_);
    now_ = state;
    held_ = held_ > 0 ? 2 : 1;
    return status;
  }

  WriteStatus finish() noexcept {
    if (held_ == 0) return WriteStatus::Written;
    if (held_ > 1) return pass(before_, now_);
    now_.v_WB.setZero();
    now_.w_WB.setZero();
    now_.sdot.setZero();
    return send(now_);
  }

 private:
  WriteStatus pass(const State& before, const State& after) noexcept {
    derived_ = now_;
    set_velocities(before, after, derived_);
    return send(derived_);
  }
  WriteStatus send(const State& state) noexcept {
    WriteStatus status = WriteStatus::Written;
    for (Sink* sink : sinks_)
      if (sink->write(state) == WriteStatus::Dropped) status = WriteStatus::Dropped;
    return status;
  }

  std::vector<Sink*> sinks_;
  State before_, now_, derived_;
  int held_ = 0;
};

}  // namespace panto
