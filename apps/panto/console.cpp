#include "apps/panto/console.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "panto/base/printable.hpp"

namespace panto::app {
namespace {

constexpr int kMostReads = 8;  // at once: a flood of words does not keep the run from ending

// A program in the background that reads from its terminal is stopped.
bool may_read() { return isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp(); }

}  // namespace

void Console::begin(bool robots) {
  robots_ = robots;
  ended_ = !robots && isatty(STDIN_FILENO) == 0;
  for (int k = 0; k < 64 && !read().empty(); ++k) {  // before this question nothing that is typed arms
  }
  typed_.clear();
  const char* const how = arming_.armed() ? "armed; Enter disarms" : "disarmed: type a and Enter to arm";
  if (robots) std::fprintf(stderr, "panto: robots are %s\n", how);
}

std::vector<live::Wish> Console::read() {
  std::vector<live::Wish> wishes;
  char text[256];
  pollfd input{STDIN_FILENO, POLLIN, 0};
  for (int k = 0; k < kMostReads && !ended_ && may_read() && poll(&input, 1, 0) > 0; ++k) {
    const ssize_t count = ::read(STDIN_FILENO, text, sizeof text);
    ended_ = count <= 0;
    for (ssize_t i = 0; i < count; ++i) {
      if (text[i] == '\n')
        wishes.push_back(live::parse_wish(std::exchange(typed_, {})));
      else if (typed_.size() < live::Wish::kLongest)
        typed_ += text[i];
    }
  }
  return wishes;
}

void Console::say(const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    std::fprintf(stderr, "%spanto: %s\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "",
                 printable(line).c_str());
}

}  // namespace panto::app
