#include "apps/panto/console.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "panto/base/printable.hpp"
#include "panto/live/pacer.hpp"

namespace panto::app {
namespace {

constexpr std::size_t kLongestLine = 100;

// A program in the background that reads from its terminal is stopped.
bool may_read() { return isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp(); }

}  // namespace

void Console::begin(bool robots) {
  robots_ = robots;
  ended_ = !robots && isatty(STDIN_FILENO) == 0;
  std::vector<live::Wish> early;
  read_lines(early);  // before this question nothing that is typed arms
  typed_.clear();
  const char* const how = arming_.armed() ? "armed; Enter disarms" : "disarmed: type a and Enter to arm";
  if (robots) std::fprintf(stderr, "panto: robots are %s\n", how);
}

void Console::read_lines(std::vector<live::Wish>& wishes) {
  char text[256];
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!ended_ && may_read() && poll(&input, 1, 0) > 0) {
    const ssize_t count = read(STDIN_FILENO, text, sizeof text);
    ended_ = count <= 0;
    for (ssize_t i = 0; i < count; ++i) {
      if (text[i] == '\n')
        wishes.push_back(live::parse_wish(std::exchange(typed_, {})));
      else if (typed_.size() < live::Wish::kLongest)
        typed_ += text[i];
    }
  }
}

void Console::watch(live::StreamState stream, const std::string& refused, std::vector<live::Wish> others,
                    bridge::RunOperator* granting) {
  read_lines(others);
  std::vector<std::string> said;
  using enum live::Wish::Kind;
  bool disarms = !refused.empty();
  for (const live::Wish& wish : others) {
    if (wish.kind == Arm) arming_.set(robots_);
    // a robot does not follow a pose whose meaning is about to change
    disarms = disarms || wish.kind == Disarm || wish.kind == Calibrate;
    if (granting != nullptr) said.push_back(granting->grant(wish, live::monotonic_now()));
  }
  if (granting != nullptr)
    for (std::string& line : granting->news()) said.push_back(std::move(line));
  // whoever disarms wins over those who arm at the same time
  if (disarms) arming_.set(false);
  const bool lost = arming_.watch(stream, live::monotonic_now());
  const bool armed = arming_.armed();
  if (robots_ && armed != std::exchange(said_, armed))
    said.push_back(armed              ? "armed: robots follow; Enter disarms"
                   : !refused.empty() ? "disarmed: " + refused
                   : lost             ? "disarmed: the stream was lost for 2 s; type a and Enter to arm again"
                                      : "disarmed: robots hold");
  std::erase(said, "");
  for (const std::string& line : said)
    std::fprintf(stderr, "%spanto: %s\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "",
                 printable(line).c_str());
}

}  // namespace panto::app
