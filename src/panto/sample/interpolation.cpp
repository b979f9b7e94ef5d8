#include "panto/sample/interpolation.hpp"

#include "panto/math/so3.hpp"

namespace panto {

SegmentMotion between(const SegmentMotion& a, const SegmentMotion& b, double share) noexcept {
  SegmentMotion m;
  m.has_orientation = a.has_orientation && b.has_orientation;
  m.has_position = a.has_position && b.has_position;
  m.has_angular_velocity = a.has_angular_velocity && b.has_angular_velocity;
  m.has_linear_velocity = a.has_linear_velocity && b.has_linear_velocity;
  if (m.has_orientation) m.R_WS = so3::exp(share * so3::log(b.R_WS * a.R_WS.transpose())) * a.R_WS;
  if (m.has_position) m.p_WS = (1.0 - share) * a.p_WS + share * b.p_WS;
  if (m.has_angular_velocity) m.w_WS = (1.0 - share) * a.w_WS + share * b.w_WS;
  if (m.has_linear_velocity) m.v_WS = (1.0 - share) * a.v_WS + share * b.v_WS;
  m.touch = (1.0 - share) * a.touch + share * b.touch;
  return m;
}

}  // namespace panto
