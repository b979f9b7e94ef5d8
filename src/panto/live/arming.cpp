#include "panto/live/arming.hpp"

namespace panto::live {

void Arming::line(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    armed_ = false;
    return;
  }
  const std::string_view word = text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  armed_ = word == "a" || word == "arm";
}

bool Arming::watch(StreamState stream, Time now) noexcept {
  if (stream != StreamState::Lost && stream != StreamState::Fault) {
    lost_since_ = 0;
    return false;
  }
  if (lost_since_ == 0) lost_since_ = now;
  return now - lost_since_ >= kDeadMan && armed_.exchange(false);
}

}  // namespace panto::live
