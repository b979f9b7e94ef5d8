#include "apps/panto/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "panto/base/text.hpp"

namespace panto::app {
namespace {

constexpr std::chrono::milliseconds kPause{100};
constexpr double kWorthTelling = 2.0;  // [s] left
constexpr double kLearning = 1.0;      // [s] before the time left can be told

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (visible_) std::fprintf(stderr, "\r\033[K");
  visible_ = false;
}

void Progress::show(std::int64_t done, std::optional<std::int64_t> of) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (done < last_ || last_ == 0) begun_ = now;  // a job begins
  last_ = done;
  if (now - shown_ < kPause) return;
  shown_ = now;
  visible_ = true;
  if (!of || *of <= 0 || done > *of) {
    std::fprintf(stderr, "\r\033[K%s", counted(done, "frame").c_str());
    return;
  }
  const double share = static_cast<double>(done) / static_cast<double>(*of);
  const double passed = std::chrono::duration<double>(now - begun_).count();
  const double left = share > 0.0 ? passed * (1.0 - share) / share : 0.0;
  std::fprintf(stderr, "\r\033[K%3.0f %%", 100.0 * share);
  if (passed > kLearning && left > kWorthTelling) std::fprintf(stderr, ", %.0f s left", left);
}

}  // namespace panto::app
