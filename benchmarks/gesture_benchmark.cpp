// A gesture of 10 s at 80 Hz, 17 joints, brought within a robot's limits: range scaling, then time scaling,
// uniform and time-optimal. Prints one CSV row a step: times in ms, stretch and a hash of the outcome.

#include <cstdio>

#include "benchmarks/timing.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/motion/range_scaling.hpp"
#include "panto/motion/time_scaling.hpp"
#include "tests/support/random_motion.hpp"

namespace {

std::uint64_t hash_of(const panto::Motion& motion) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const panto::State& state : motion.states) hash = panto::state_hash(state, hash);
  return hash;
}

void print(const char* step, const panto::bench::Times& times, double stretch, const panto::Motion& motion) {
  std::printf("%s,%.3f,%.3f,%.3f,%.4f,%016llx\n", step, 1e3 * times.p50, 1e3 * times.p99, 1e3 * times.max,
              stretch, static_cast<unsigned long long>(hash_of(motion)));
}

}  // namespace

int main() {
  const panto::Model robot = panto::io::shipped_robot("olivia17");
  const panto::Motion gesture = panto::test::random_motion(robot, 800, 1.3, 3, true);
  std::printf("step,p50_ms,p99_ms,max_ms,stretch,state_hash\n");
  panto::RangeScaledMotion inside;
  for (const panto::RangeMap map : {panto::RangeMap::Linear, panto::RangeMap::Smooth}) {
    panto::RangeScalingOptions options;
    options.map = map;
    const auto times = panto::bench::time([&] { inside = panto::scale_range(gesture, robot, options); });
    print(map == panto::RangeMap::Linear ? "range linear" : "range smooth", times, 1.0, inside.motion);
  }
  for (const panto::TimeLaw law : {panto::TimeLaw::Uniform, panto::TimeLaw::Optimal}) {
    panto::TimeScalingOptions options;
    options.law = law;
    options.max_acceleration = 15.0;
    panto::TimeScaledMotion slow;
    const auto times = panto::bench::time([&] { slow = panto::scale_time(inside.motion, robot, options); });
    print(law == panto::TimeLaw::Uniform ? "time uniform" : "time optimal", times, slow.report.stretch,
          slow.motion);
  }
}
