#include "apps/panto/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "apps/panto/interruption.hpp"
#include "panto/base/text.hpp"

namespace panto::app {

Progress::Progress(std::optional<std::int64_t> total) : shown_(isatty(STDERR_FILENO) != 0), total_(total) {}

Progress::~Progress() {
  if (shown_ && frames_ > 0) std::fprintf(stderr, "\r\033[K");
}

void Progress::frame() {
  Interruption::check();
  ++frames_;
  if (!shown_ || frames_ % 500 != 0) return;
  if (total_ && *total_ > 0) {
    std::fprintf(stderr, "\r%lld of %lld frames", static_cast<long long>(frames_),
                 static_cast<long long>(*total_));
  } else {
    std::fprintf(stderr, "\r%s", counted(frames_, "frame").c_str());
  }
}

}  // namespace panto::app
