#include "panto/stream/twist2_message.hpp"

#include <algorithm>
#include <charconv>

#include "panto/math/vector_math.hpp"

namespace panto::stream {
namespace {

// + 0: no negative zeros
void append(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(value) + 0.0F).ptr;
  text += text.size() > 1 ? ", " : "";
  text.append(digits, end);
}

}  // namespace

std::string_view Twist2Message::write(const State& state, bool at_rest) {
  const Eigen::Vector3d velocity = state.R_WB.transpose() * state.v_WB;
  const Eigen::Vector3d rate = state.R_WB.transpose() * state.w_WB;
  // R = Rz(yaw) Ry(pitch) Rx(roll)
  const double roll = atan2(state.R_WB(2, 1), state.R_WB(2, 2));
  const double pitch = -asin(std::clamp(state.R_WB(2, 0), -1.0, 1.0));
  text_ = "[";
  append(text_, at_rest ? 0.0 : velocity.x());
  append(text_, at_rest ? 0.0 : velocity.y());
  append(text_, state.p_WB.z());
  append(text_, roll);
  append(text_, pitch);
  append(text_, at_rest ? 0.0 : rate.z());
  for (const std::int64_t joint : joints_) append(text_, state.s[joint]);
  text_ += ']';
  return text_;
}

}  // namespace panto::stream
