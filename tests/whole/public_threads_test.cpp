// The jobs of the public API (files, robots, sensors, live persons) from several threads at once, on models,
// robots and setups that they share: the same bits as alone. Under the thread sanitizer (./dev threads) the
// claim is that nothing shared is written.

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "panto/api/calibrate.hpp"
#include "panto/api/check.hpp"
#include "panto/api/imitate.hpp"
#include "panto/api/inspect.hpp"
#include "panto/api/live_retargeter.hpp"
#include "panto/api/retarget.hpp"
#include "panto/api/track.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/report/report.hpp"

namespace panto {
namespace {

std::string example(const std::string& name) { return PANTO_EXAMPLES "/data/" + name; }

std::string bits(const Motion& motion) {
  std::uint64_t hash = 0;
  for (const State& state : motion.states) hash = state_hash(state, hash);
  return std::to_string(hash);
}

struct Shared {
  std::vector<std::string> notes;
  Model human = human66();
  Robot g1 = robot_of(io::open_robot("unitree_g1"));
  Model arm = io::open_model(example("arm.toml"), scaled_subject(1.75), notes);
  SensorSetup sensors = io::read_sensors(example("arm_sensors.toml"));
  ImuClip readings = io::open_imu(example("arm_imu.csv"));
  ImuClip poses = io::open_imu(example("poses_imu.csv"));
  Model human_of_poses = human48();
};

struct Job {
  std::string name;
  std::function<std::string(const Shared&)> run;
};

std::string follow_live(const Robot& robot) {
  const auto walk = io::open_recording(example("walk.bvh"));
  LiveRetargeter live(robot, walk->names(), scaled_subject(1.75));
  Motion motion;
  State state = live.rest_state();
  for (SegmentSample sample; motion.states.size() < 60 && walk->read(sample) == ReadStatus::Sample;)
    if (usable(live.step(sample, state))) motion.states.push_back(state);
  return bits(motion);
}

std::vector<Job> jobs() {
  return {
      {"track",
       [](const Shared& of) {
         return bits(track(*io::open_recording(example("walk.bvh")), of.human).motion);
       }},
      {"retarget",
       [](const Shared& of) {
         const RetargetResult result = retarget(*io::open_recording(example("walk.bvh")), of.g1);
         return bits(result.motion) + verdict_of(result, of.g1.model).sentence + to_json(result, of.g1.model);
       }},
      {"imitate",
       [](const Shared& of) {
         std::string all;
         for (const GestureResult& gesture :
              imitate(*io::open_recording(example("wave.bvh")), of.g1).gestures)
           all += bits(gesture.result.motion);
         return all;
       }},
      {"sensors", [](const Shared& of) { return bits(track(of.readings, of.arm, of.sensors).motion); }},
      {"calibrate",
       [](const Shared& of) {
         CalibrateOptions options;
         options.poses = {"npose", "tpose"};
         return io::sensors_text(
             calibrate(of.poses, of.human_of_poses, mounts_by_name(of.poses, of.human_of_poses), options)
                 .sensors);
       }},
      {"inspect", [](const Shared&) { return to_json(inspect(*io::open_recording(example("walk.bvh")))); }},
      {"check",
       [](const Shared& of) { return std::string(check(of.g1.map, of.g1.model).usable ? "usable" : ""); }},
      {"live", [](const Shared& of) { return follow_live(of.g1); }},
      {"robot",
       [](const Shared&) { return robot_of(io::open_robot("icub")).map.attachments.attachments[0].link; }},
  };
}

TEST(PublicThreads, EveryJobGivesItsBitsWhileAllOthersRunOnTheSameValues) {
  const Shared shared;
  constexpr std::size_t kThreads = 3;
  std::vector<std::vector<std::string>> together(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < kThreads; ++k)
    threads.emplace_back([&, k] {
      std::vector<Job> mine = jobs();  // each begins with another one
      for (std::size_t i = 0; i < mine.size(); ++i)
        together[k].push_back(mine[(i + 3 * k) % mine.size()].run(shared));
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> alone;  // after the threads, whose first calls are the first ones
  for (const Job& job : jobs()) {
    alone.push_back(job.run(shared));
    EXPECT_FALSE(alone.back().empty()) << job.name;
  }
  for (std::size_t k = 0; k < kThreads; ++k)
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const std::size_t job = (i + 3 * k) % alone.size();
      EXPECT_TRUE(together[k][i] == alone[job]) << jobs()[job].name << " in thread " << k;
    }
}

}  // namespace
}  // namespace panto
