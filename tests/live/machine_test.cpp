#include "panto/live/machine.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "panto/live/realtime.hpp"
#include "panto/live/udp_socket.hpp"
#include "tests/support/sanitizers.hpp"

namespace panto::live {
namespace {

const Finding& of(const std::vector<Finding>& all, const std::string& subject) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.subject == subject; });
  EXPECT_NE(found, all.end()) << subject;
  return found == all.end() ? all.front() : *found;
}

Machine good() {
  Machine machine;
  machine.cores = 8;
  machine.may_run_first = true;
  machine.governor = "performance";
  machine.clock = "tsc";
  machine.receive_buffer = std::uint64_t{4} << 20;
  machine.latest_wake = 80e-6;
  return machine;
}

TEST(Diagnosis, OfAGoodMachineHasNoRemedies) {
  const std::vector<Finding> all = diagnose(good());
  EXPECT_EQ(all.size(), 7U);
  for (const Finding& finding : all) EXPECT_EQ(finding.remedy, "") << finding.subject;
  EXPECT_EQ(of(all, "a thread that sleeps 1 ms wakes").state, "80 us late at most");
  EXPECT_EQ(of(all, "memory that stays in place").state, "without limit");
}

TEST(Diagnosis, SaysForEveryLimitHowToChangeIt) {
  Machine bad = good();
  bad.cores = 1;
  bad.may_run_first = false;
  bad.lockable = std::uint64_t{8} << 20;
  bad.governor = "powersave";
  bad.clock = "hpet";
  bad.receive_buffer = 212'992;
  bad.latest_wake = 0.004;
  bad.taken = {{"mvn", 9763}};
  const std::vector<Finding> all = diagnose(bad);
  EXPECT_EQ(all.size(), 8U);
  for (const Finding& finding : all) EXPECT_NE(finding.remedy, "") << finding.subject;
  EXPECT_NE(of(all, "threads before other programs").remedy.find("rtprio"), std::string::npos);
  EXPECT_NE(of(all, "memory that stays in place").state.find("8 MB"), std::string::npos);
  EXPECT_NE(of(all, "largest receive buffer").remedy.find("net.core.rmem_max"), std::string::npos);
  EXPECT_NE(of(all, "port 9763").remedy.find("mvn://127.0.0.1:PORT"), std::string::npos);
}

TEST(Diagnosis, LeavesOutWhatAMachineDoesNotTell) {
  Machine silent = good();
  silent.governor.reset();
  silent.clock.reset();
  silent.receive_buffer.reset();
  EXPECT_EQ(diagnose(silent).size(), 4U);
}

TEST(Machine, IsReadFromTheFilesOfTheKernelAndItsPortsAreTried) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("panto_machine_" + std::to_string(getpid()));
  const auto put = [&](const char* path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  };
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n");
  put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  put("proc/sys/net/core/rmem_max", "212992\n");
  const UdpSocket other = UdpSocket::bound_to({"127.0.0.1", 0});
  const std::uint16_t taken = other.port();
  const Machine machine = examine({{"mvn", taken}}, root);
  EXPECT_GE(machine.cores, 1);
  EXPECT_EQ(machine.governor, "schedutil");
  EXPECT_EQ(machine.clock, "tsc");
  EXPECT_EQ(machine.receive_buffer, 212'992U);
  EXPECT_GT(machine.latest_wake, 0.0) << "no clock is exact to the nanosecond";
  ASSERT_EQ(machine.taken.size(), 1U);
  EXPECT_EQ(machine.taken[0].port, taken);
  put("proc/sys/net/core/rmem_max", "lots\n");
  fs::remove(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  const Machine damaged = examine({}, root);
  EXPECT_FALSE(damaged.receive_buffer);
  EXPECT_FALSE(damaged.governor);
  fs::remove_all(root);
}

TEST(Realtime, SchedulesAThreadFirstExactlyWhereItSaysSo) {
  std::atomic<bool> asked{false};
  std::thread idle([&] {
    while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const bool granted = run_first(idle);
  int policy = -1;
  sched_param parameters{};
  const int error = pthread_getschedparam(idle.native_handle(), &policy, &parameters);
  asked = true;
  idle.join();
  ASSERT_EQ(error, 0);
  EXPECT_EQ(policy, granted ? SCHED_FIFO : SCHED_OTHER);
}

TEST(Realtime, LocksMemoryExactlyWhereItSaysSo) {
  if (test::sanitized()) GTEST_SKIP() << "the sanitizer replaces mlockall by nothing";
  const auto locked_kilobytes = [] {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
      if (word == "VmLck:" && status >> word) return std::stol(word);
    return -1L;
  };
  ASSERT_EQ(locked_kilobytes(), 0);
  const bool granted = lock_memory();
  EXPECT_EQ(locked_kilobytes() > 0, granted);
  munlockall();
}

}  // namespace
}  // namespace panto::live
