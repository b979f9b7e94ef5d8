#pragma once
// The bundled walk and robots, opened for tests of the API.

#include <memory>

#include "panto/api/retarget.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"

namespace panto::test {

inline std::unique_ptr<Recording> bundled_walk() {
  return io::open_recording(PANTO_EXAMPLES "/data/walk.bvh");
}

inline Robot shipped_robot(const std::string& name) { return robot_of(io::open_robot(name)); }

}  // namespace panto::test
