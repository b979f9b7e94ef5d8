#include "panto/live/realtime.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace panto::live {
namespace {

constexpr int kPriority = 40;  // above ordinary programs, below what drives disks and networks (50)

}  // namespace

bool run_first(std::thread& thread) noexcept {
  sched_param parameters{};
  parameters.sched_priority = kPriority;
  return pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &parameters) == 0;
}

std::optional<std::uint64_t> lockable_memory() noexcept {
  rlimit locked{};
  if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &locked) != 0 || locked.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return locked.rlim_cur;
}

bool lock_memory() noexcept {
#ifdef MCL_ONFAULT
  return lockable_memory().value_or(kLockedMemory) >= kLockedMemory &&
         mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
#else
  return false;
#endif
}

}  // namespace panto::live
