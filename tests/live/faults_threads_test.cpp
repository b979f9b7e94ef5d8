// Threads and memory that the system refuses, and a solver that is held up: faults F29 and F30 of the battery
// (docs/fault_battery.md).

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/robot.hpp"
#include "panto/live/run.hpp"
#include "panto/model/state.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/refusals.hpp"

namespace {

// Of this thread: how many succeed before one fails; negative: all do.
constinit thread_local long threads_left = -1, blocks_left = -1;

bool fails(long& left) noexcept {
  if (left < 0) return false;
  return left-- == 0;
}

}  // namespace

// The C library's and the language's own, replaced for this program.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* with) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return fails(threads_left) ? EAGAIN : create(thread, attributes, run, with);
}

// not inline, or g++ 12 takes `free` for the partner of its own `new`
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const block = fails(blocks_left) ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void* operator new[](std::size_t size) { return ::operator new(size); }
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete[](void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete[](void* block, std::size_t) noexcept { std::free(block); }

namespace panto::live {
namespace {

// Samples by their number, as many as are let through.
class Fed final : public LiveSource<SegmentSample> {
 public:
  class Numbers final : public stream::SampleStream<SegmentSample> {
   public:
    Numbers() { sample_.segments.resize(1); }
    stream::Brought take(std::span<const std::byte>, Time) noexcept override {
      sample_.t += 10'000'000;
      return stream::Brought::Sample;
    }
    [[nodiscard]] const SegmentSample& sample() const noexcept override { return sample_; }
    [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
    [[nodiscard]] const stream::StreamCounts& counts() const noexcept override { return counts_; }

   private:
    SegmentSample sample_;
    std::vector<std::string> names_{"Pelvis"};
    stream::StreamCounts counts_;
  };

  bool next(int /*milliseconds*/) override {
    if (given_ >= let_through) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return false;
    }
    ++given_;
    (void)numbers_.take({}, 0);
    arrival_ = monotonic_now();
    return true;
  }
  [[nodiscard]] const stream::SampleStream<SegmentSample>& decoder() const noexcept override {
    return numbers_;
  }
  [[nodiscard]] Time arrival() const noexcept override { return arrival_; }

  std::atomic<int> let_through{0};

 private:
  Numbers numbers_;
  int given_ = 0;
  Time arrival_ = 0;
};

class Written final : public LiveOutput {
 public:
  void write(const LiveFrame&) noexcept override { ++frames; }
  [[nodiscard]] std::size_t depth() const noexcept override { return 100; }
  std::atomic<int> frames{0};
};

LiveFollower<SegmentSample> follower() {
  LiveFrame sized;
  sized.person.segments.resize(1);
  return {[](const SegmentSample& sample, LiveFrame& frame) {
            frame.person = sample;
            return LiveStep{true, true, false};
          },
          [](LiveFrame&) { return false; }, sized};
}

template <typename Done>
bool eventually(const Done& done) {
  for (int k = 0; k < 5000 && !done(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return done();
}

// A run that nothing hinders, after those that could not begin.
void expect_to_run(Fed& source) {
  Written written;
  LiveRun<SegmentSample> run(source, follower(), {&written});
  source.let_through = source.let_through + 1;
  EXPECT_TRUE(eventually([&] { return written.frames == 1; }));
  run.stop();
}

int open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

TEST(FaultF29, AThreadThatCannotStartEndsTheRunWithTheReason) {
  Fed source;
  Written one, two;
  for (long started = 0; started < 4; ++started) {  // receiver, two writers, solver
    const LiveFollower<SegmentSample> follows = follower();
    const std::string reason = test::refusal_of([&] {
      threads_left = started;
      const LiveRun<SegmentSample> run(source, follows, {&one, &two});
    });
    EXPECT_EQ(threads_left, -1) << "it was asked for";
    EXPECT_NE(reason.find("cannot start a thread"), std::string::npos) << started << ": " << reason;
  }
  expect_to_run(source);
}

TEST(FaultF29, ShortMemoryStartsNothingByHalves) {
  Fed source;
  Written written;
  int failed = 0;
  for (bool began = false; !began;) {
    LiveFollower<SegmentSample> follows = follower();
    const std::vector<LiveOutput*> outputs{&written};
    blocks_left = failed;
    try {
      const LiveRun<SegmentSample> run(source, std::move(follows), outputs);
      blocks_left = -1;
      began = true;
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    ASSERT_LT(failed, 1000);
  }
  EXPECT_GT(failed, 10);
  expect_to_run(source);
}

TEST(FaultF29, ShortMemoryLeavesNoPortOpen) {
  const Model model = test::chain_model(3);
  const int before = open_files();
  int failed = 0;
  for (bool began = false; !began;) {
    const State start = rest_state(model);
    const UdpAddress address{"127.0.0.1", 0};
    blocks_left = failed;
    try {
      const RobotReceiver robot(address, model, start, 0);
      blocks_left = -1;
      began = true;
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    ASSERT_EQ(open_files(), before) << failed;
    ASSERT_LT(failed, 1000);
  }
  EXPECT_GT(failed, 0);
}

TEST(FaultF30, ASolverThatWasHeldUpGoesOnWithTheTwoNewest) {
  Fed source;
  std::atomic<bool> held{true}, entered{false};
  std::mutex mutex;
  std::vector<Time> solved;
  LiveFollower<SegmentSample> slow = follower();
  slow.step = [&](const SegmentSample& sample, LiveFrame& frame) {
    entered = true;
    while (held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    solved.push_back(sample.t / 10'000'000);
    frame.person = sample;
    return LiveStep{true, true, false};
  };
  Written written;
  LiveRun<SegmentSample> run(source, slow, {&written});
  source.let_through = 1;
  ASSERT_TRUE(eventually([&] { return entered.load(); }));
  source.let_through = 50;
  ASSERT_TRUE(eventually([&] { return run.figures().samples == 50; }));
  held = false;
  ASSERT_TRUE(eventually([&] { return written.frames == 3; }));
  source.let_through = 51;
  ASSERT_TRUE(eventually([&] { return written.frames == 4; }));
  run.stop();
  EXPECT_EQ(solved, (std::vector<Time>{1, 49, 50, 51})) << "two wait at most, and none after them";
  EXPECT_EQ(run.figures().overtaken + run.figures().passed, 47) << "each is counted";
}

}  // namespace
}  // namespace panto::live
