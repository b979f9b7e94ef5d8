#include "panto/bridge/sonic_output.hpp"

namespace panto::bridge {

void SonicOutput::write(const LiveFrame& frame) noexcept {
  try {
    if (!states_.push(frame)) return;
    while (states_.pop(reference_)) count(publisher_.send(message_.add(reference_)));
  } catch (...) {
    count(false);  // no memory
  }
}

}  // namespace panto::bridge
