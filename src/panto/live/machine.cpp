#include "panto/live/machine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <thread>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/realtime.hpp"
#include "panto/live/udp_socket.hpp"

namespace panto::live {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr std::uint64_t kEnoughBuffer = kMegabyte;  // 0.2 s of the largest suit's datagrams
constexpr double kLateWake = 0.002;                 // [s]

std::optional<std::string> first_word(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  return word;
}

std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  const std::optional<std::string> word = first_word(path);
  if (!word || word->size() > 18 || word->find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoull(*word);
}

bool may_run_first() {
  std::promise<void> asked;  // a thread that has ended cannot be asked about
  std::thread idle([waits = asked.get_future()] { waits.wait(); });
  const bool may = run_first(idle);
  asked.set_value();
  idle.join();
  return may;
}

double latest_wake() {
  constexpr Time kSleep = 1'000'000;
  Time latest = 0;
  for (int k = 0; k < 200; ++k) {
    const Time begun = monotonic_now();
    std::this_thread::sleep_for(std::chrono::nanoseconds(kSleep));
    latest = std::max(latest, monotonic_now() - begun - kSleep);
  }
  return to_seconds(latest);
}

bool is_taken(const StreamScheme& stream) {
  try {
    (void)UdpSocket::bound_to({"127.0.0.1", stream.port});
    return false;
  } catch (const Error&) {
    return true;
  }
}

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes / kMegabyte) + " MB"; }

Finding memory_of(const Machine& machine) {
  if (!machine.lockable) return {"memory that stays in place", "without limit", ""};
  return {"memory that stays in place", "up to " + megabytes(*machine.lockable),
          *machine.lockable >= kLockedMemory ? ""
                                             : "paging may delay samples. Add the line `* - memlock "
                                               "unlimited` to /etc/security/limits.conf and log "
                                               "in again"};
}

}  // namespace

Machine examine(const std::vector<StreamScheme>& streams, const std::filesystem::path& root) {
  Machine machine;
  machine.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  machine.may_run_first = may_run_first();
  machine.lockable = lockable_memory();
  machine.governor = first_word(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  machine.clock = first_word(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  machine.receive_buffer = number_in(root / "proc/sys/net/core/rmem_max");
  machine.latest_wake = latest_wake();
  std::copy_if(streams.begin(), streams.end(), std::back_inserter(machine.taken), is_taken);
  return machine;
}

std::vector<Finding> diagnose(const Machine& machine) {
  std::vector<Finding> all;
  const auto add = [&all](const char* subject, const std::string& state, bool good, const char* remedy) {
    all.push_back({subject, state, good ? "" : remedy});
  };
  add("processor cores", std::to_string(machine.cores), machine.cores >= 2,
      "receiving, solving and sending share one core: expect late samples above 100 Hz");
  add("threads before other programs", machine.may_run_first ? "allowed" : "refused", machine.may_run_first,
      "other programs may delay samples. Add the line `* - rtprio 50` to /etc/security/limits.conf and log "
      "in again");
  all.push_back(memory_of(machine));
  if (machine.governor)
    add("processor frequency", *machine.governor, *machine.governor != "powersave",
        "the processor slows down between samples: `sudo cpupower frequency-set -g performance`");
  if (machine.clock)
    add("clock", *machine.clock,
        *machine.clock == "tsc" || *machine.clock == "kvm-clock" || *machine.clock == "arch_sys_counter",
        "reading this clock is slow; the kernel's log says why tsc is not used (`dmesg | grep -i tsc`)");
  if (machine.receive_buffer)
    add("largest receive buffer", megabytes(*machine.receive_buffer),
        *machine.receive_buffer >= kEnoughBuffer,
        "bursts of datagrams may be lost: `sudo sysctl -w net.core.rmem_max=4194304`");
  const std::string late = std::to_string(std::lround(1e6 * machine.latest_wake)) + " us late at most";
  add("a thread that sleeps 1 ms wakes", late, machine.latest_wake <= kLateWake,
      "the machine is busy, or virtual: close other programs, or use another machine to drive a robot");
  for (const StreamScheme& stream : machine.taken)
    all.push_back(
        {"port " + std::to_string(stream.port), "another program listens there",
         "end it, or give " + stream.name + ":// another port: " + stream.name + "://127.0.0.1:PORT"});
  return all;
}

}  // namespace panto::live
