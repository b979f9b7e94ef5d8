// What changes while a run goes on, and who shares what: faults F07 (live), F31 and F32 of the battery
// (docs/fault_battery.md).

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "panto/api/live_retargeter.hpp"
#include "panto/base/error.hpp"
#include "panto/stream/imu_datagram.hpp"
#include "tests/support/live_chain.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto {
namespace {

using test::kMillisecond;

const Robot& g1() {
  static const Robot robot = test::shipped_robot("unitree_g1");
  return robot;
}

struct Walk {
  SubjectDimensions person;
  std::vector<SegmentSample> samples;
};

const Walk& walk() {
  static const Walk kept = [] {
    SuitMotion suit = suit_motion(test::bundled_walk(), 60.0);
    Walk made{suit.subject, {}};
    for (SegmentSample sample; suit.next(sample);) made.samples.push_back(sample);
    return made;
  }();
  return kept;
}

// ---- F07: two of five sensors are silent for 0.8 s
// ----------------------------------------------------------------------------------------------------

struct Worn {
  std::vector<State> states;
  std::array<Time, 2> named_at{0, 0};  // when the two were called missing, and no longer
  std::vector<live::StreamState> stream;
};

// The sensors over a network that loses and reorders; items 3 and 4 send nothing from `begin` to `end`.
Worn worn(const test::SwayingPerson& person, Time begin, Time end) {
  stream::ImuEncoder encoder(person.sensors, 7);
  stream::ImuStream decoder;
  stream::Impairment network({.loss = 0.02, .jitter = 0.002, .seed = 3});
  for (const auto& datagram : encoder.introduction()) (void)decoder.take(datagram, 0);
  const auto follower = live_sensors(person.model, test::setup_of(person.setup), person.sensors);
  LiveFrame frame = follower.sized;
  live::StreamWatch watch(person.sensors.size());
  Worn run;
  std::size_t next = 0;
  for (Time now = 0; next < person.samples.size(); now += kMillisecond) {
    for (; next < person.samples.size() && person.samples[next].t <= now; ++next) {
      ImuSample sample = person.samples[next];
      if (now >= begin && now < end) sample.imus[3] = sample.imus[4] = {};
      for (auto& datagram : encoder.encode(sample)) network.send(std::move(datagram), now);
    }
    std::vector<std::byte> datagram;
    while (network.receive(now, datagram)) {
      if (decoder.take(datagram, now) != stream::Brought::Sample) continue;
      watch.came(now, decoder.sample().t);
      for (std::size_t i = 0; i < decoder.sample().imus.size(); ++i)
        if (decoder.sample().imus[i].tells_motion()) watch.has(i);
      const LiveStep step = follower.step(decoder.sample(), frame);
      watch.stepped(step.used, step.returning);
      if (step.ready) run.states.push_back(frame.state);
    }
    const bool missing = watch.is_missing(3) && watch.is_missing(4);
    if (missing && run.named_at[0] == 0) run.named_at[0] = now;
    if (!missing && run.named_at[0] != 0 && run.named_at[1] == 0) run.named_at[1] = now;
    run.stream.push_back(watch.at(now));
  }
  return run;
}

TEST(FaultF07, SensorsThatFallSilentInAStreamAreNamedAndTakenBackAndTheOthersGoOn) {
  static const test::SwayingPerson person = test::swaying_legs();
  constexpr Time begin = 1000 * kMillisecond, end = 1800 * kMillisecond;
  const Worn whole = worn(person, 0, 0), run = worn(person, begin, end);
  EXPECT_EQ(whole.named_at[0], 0);
  EXPECT_NEAR(to_seconds(run.named_at[0] - begin), 0.1, 0.03) << "0.1 s after the last reading";
  EXPECT_NEAR(to_seconds(run.named_at[1] - end), 0.0, 0.05);
  for (std::size_t ms = 100; ms < run.stream.size(); ++ms)
    ASSERT_EQ(run.stream[ms], live::StreamState::Good) << ms << ": a sensor is not the stream";
  double others = 0.0, back = 0.0;
  std::size_t j = 0;
  for (const State& state : run.states) {
    ASSERT_TRUE(is_valid(state, person.model));
    while (j < whole.states.size() && whole.states[j].t < state.t) ++j;
    if (j == whole.states.size() || whole.states[j].t != state.t) continue;
    for (int i = 0; i < person.model.dof(); ++i) {
      const std::string& joint = person.model.joint_names()[at(i)];
      const double off = std::abs(state.s[i] - whole.states[j].s[i]);
      if (joint.find("Right") != std::string::npos) others = std::max(others, off);
      if (state.t > end + 1000 * kMillisecond) back = std::max(back, off);
    }
  }
  std::printf("beside lost sensors %.3f deg, 1 s after their return %.3f deg\n", others * 57.29578,
              back * 57.29578);
  EXPECT_LT(others, 0.5 / 57.29578) << "neighbours";
  EXPECT_LT(back, 0.5 / 57.29578) << "1 s after they are back";
}

// ---- F31: a bad model, and values out of range, while a run goes on
// ----------------------------------------------------------------------------------------------------

std::vector<std::uint64_t> hashes(LiveRetargeter& live,
                                  const std::function<void(std::size_t, OwnTargets&)>& change) {
  std::vector<std::uint64_t> found;
  State state = live.rest_state();
  for (std::size_t k = 0; k < walk().samples.size(); ++k) {
    change(k, live.own());
    found.push_back(advanced(live.step(walk().samples[k], state)) ? state_hash(state) : 0);
  }
  return found;
}

TEST(FaultF31, AModelThatCannotBeUsedLeavesTheRunningOneAlone) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("panto_f31_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "robot.urdf").string();
  const std::array<std::string, 4> broken{"", "<robot name=\"a\"><link name=\"b\">",
                                          "<robot name=\"a\"><link name=\"b\"/><link name=\"c\"/></robot>",
                                          "<robot name=\"a\"><link name=\"b\"/><joint name=\"j\" "
                                          "type=\"revolute\"><parent link=\"b\"/></joint></robot>"};
  LiveRetargeter running(g1(), human_segment_names(), walk().person),
      alone(g1(), human_segment_names(), walk().person);
  const auto disturbed = hashes(running, [&](std::size_t k, OwnTargets&) {
    if (k % 40 != 20) return;
    std::ofstream(path) << broken[k / 40 % broken.size()];
    EXPECT_THROW((void)robot_of(io::open_robot(path)), Error);
    Robot other = g1();
    other.map.attachments.attachments.front().link = "no such link";
    EXPECT_THROW((void)LiveRetargeter(other, human_segment_names(), walk().person), Error);
  });
  std::filesystem::remove_all(folder);
  EXPECT_EQ(disturbed, hashes(alone, [](std::size_t, OwnTargets&) {}));
}

TEST(FaultF31, ValuesOutOfRangeAreOffForTheirSamplesAndBoundsStay) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  RetargetOptions options;
  options.own.targets.directions.push_back({.link = "torso_link", .weight = 10.0});
  options.own.targets.rows.push_back(
      {"elbows", {{"left_elbow_joint", 1.0}, {"right_elbow_joint", 1.0}}, -1.0, 1.0});
  LiveRetargeter refused(g1(), human_segment_names(), walk().person, options),
      off(g1(), human_segment_names(), walk().person, options);
  const auto at_fault = [](std::size_t k) { return k > 60 && k % 3 == 0; };
  const auto wrong = hashes(refused, [&](std::size_t k, OwnTargets& own) {
    own = options.own.targets;
    if (!at_fault(k)) return;
    DirectionTarget& target = own.directions[0];
    const std::array values{nan, -1.0, kInfinity, -kInfinity};
    (k % 2 == 0 ? target.weight : target.gain) = values[k / 6 % values.size()];
    own.rows[0].lower = k % 2 == 0 ? nan : 2.0;  // above the upper bound
  });
  EXPECT_EQ(wrong, hashes(off, [&](std::size_t k, OwnTargets& own) {
              own = options.own.targets;
              if (at_fault(k)) own.directions[0].weight = 0.0;
            }));
}

// ---- F32: many threads, each with its own object, sharing what is const
// ----------------------------------------------------------------------------------------------------

TEST(FaultF32, EightThreadsThatShareARobotHaveTheBitsOfOne) {
  const auto work = [] {
    const auto human = live_human(human48(walk().person), human_segment_names());
    const auto robot = live_robot(g1(), human_segment_names(), walk().person);
    LiveFrame a = human.sized, b = robot.sized;
    std::uint64_t hash = 0;
    for (const SegmentSample& sample : walk().samples) {
      if (human.step(sample, a).ready) hash = 31 * hash + state_hash(a.state);
      if (robot.step(sample, b).ready) hash = 31 * hash + state_hash(b.state);
    }
    return hash;
  };
  const std::uint64_t alone = work();
  std::array<std::uint64_t, 8> found{};
  std::vector<std::thread> threads;
  for (std::uint64_t& one : found) threads.emplace_back([&] { one = work(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t one : found) EXPECT_EQ(one, alone);
}

}  // namespace
}  // namespace panto
