#include "apps/panto/console.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "panto/live/pacer.hpp"

namespace panto::app {
namespace {

constexpr std::size_t kLongestLine = 100;

// A program in the background that reads from its terminal is stopped.
bool may_read() { return isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp(); }

}  // namespace

void Console::begin() {
  begun_ = true;
  std::fprintf(
      stderr, "panto: %s\n",
      arming_.armed() ? "robots are armed; Enter disarms" : "robots are disarmed: type a and Enter to arm");
}

void Console::take_lines() {
  char text[256];
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!ended_ && may_read() && poll(&input, 1, 0) > 0) {
    const ssize_t count = read(STDIN_FILENO, text, sizeof text);
    ended_ = count <= 0;
    for (ssize_t i = 0; i < count; ++i) {
      if (text[i] == '\n') {
        arming_.line(typed_);
        typed_.clear();
      } else if (typed_.size() < kLongestLine) {
        typed_ += text[i];
      }
    }
  }
}

void Console::ask(bool arm) {
  if (begun_) arming_.line(arm ? "a" : "");
}

void Console::watch(live::StreamState stream) {
  if (!begun_) return;
  take_lines();
  const bool lost = arming_.watch(stream, live::monotonic_now());
  const bool armed = arming_.armed();
  if (armed != said_)
    std::fprintf(stderr, "%spanto: %s\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "",
                 armed  ? "armed: robots follow; Enter disarms"
                 : lost ? "disarmed: the stream was lost for 2 s; type a and Enter to arm again"
                        : "disarmed: robots hold");
  said_ = armed;
}

}  // namespace panto::app
