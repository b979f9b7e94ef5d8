#include "panto/live/arming.hpp"

namespace panto::live {

bool Arming::watch(StreamState stream, Time now) noexcept {
  if (stream != StreamState::Lost && stream != StreamState::Fault) {
    lost_since_ = 0;
    return false;
  }
  if (lost_since_ == 0) lost_since_ = now;
  return now - lost_since_ >= kDeadMan && armed_.exchange(false);
}

}  // namespace panto::live
