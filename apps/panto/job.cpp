#include "apps/panto/job.hpp"

#include <chrono>
#include <cstdio>

#include "apps/panto/commands.hpp"
#include "apps/support/allocation_count.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"

namespace panto::app {

Job::Job() {
  observer.note = say_note;
  observer.progress = [this](std::int64_t done, std::optional<std::int64_t> of) {
    Interruption::check();
    progress_.show(done, of);
    return true;
  };
  observer.nanoseconds = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  if (AllocationCount::available())
    observer.allocations = [] { return static_cast<std::int64_t>(AllocationCount::total()); };
}

int finish(const std::optional<std::string>& damage, std::int64_t frames, bool complete) {
  if (damage)
    std::fprintf(stderr, "panto: %s\npanto: the %s before it %s used\n", printable(*damage).c_str(),
                 counted(frames, "frame").c_str(), frames == 1 ? "was" : "were");
  return complete && !damage ? kGood : kUnusableInput;
}

}  // namespace panto::app
