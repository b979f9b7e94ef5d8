#include "panto/tracking/frame_bridge.hpp"

#include "panto/base/text.hpp"

namespace panto {

void bridge_frames(double rate_hz, DynamicalOptions& options, std::vector<std::string>& notes) {
  if (options.align || !(rate_hz > 0.0) || 1.0 / rate_hz <= options.max_interval) return;
  options.max_interval = 1.5 / rate_hz;
  notes.push_back("frames are " + digits(1.0 / rate_hz, 3) +
                  " s apart: each step covers this time; only intervals over " +
                  digits(options.max_interval, 3) + " s are gaps");
}

}  // namespace panto
