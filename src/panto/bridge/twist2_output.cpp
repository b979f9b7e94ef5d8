#include "panto/bridge/twist2_output.hpp"

#include <array>

namespace panto::bridge {
namespace {

constexpr std::string_view kHand = "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]", kNeck = "[0.0, 0.0]";

}  // namespace

bool Twist2Output::set(bool at_rest) noexcept {
  try {
    const std::array<std::pair<std::string_view, std::string_view>, 4> pairs{
        {{"action_body_unitree_g1_with_hands", message_.write(reference_, at_rest)},
         {"action_hand_left_unitree_g1_with_hands", kHand},
         {"action_hand_right_unitree_g1_with_hands", kHand},
         {"action_neck_unitree_g1_with_hands", kNeck}}};
    return redis_.set(pairs);
  } catch (...) {
    return false;  // no memory
  }
}

void Twist2Output::rest() noexcept {
  if (moving_) moving_ = !set(true);
}

void Twist2Output::write(const LiveFrame& frame) noexcept {
  try {
    if (!states_.push(frame)) {
      rest();
      return;
    }
    while (states_.pop(reference_)) {
      moving_ = true;
      count(set(false));
    }
  } catch (...) {
    count(false);  // no memory
  }
}

void Twist2Output::wait(bool held) noexcept {
  if (held || !states_.armed()) rest();
}

}  // namespace panto::bridge
