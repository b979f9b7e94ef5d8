// panto_growing_probe CHAINS SEEDS: how soon the right arm is followed again after segments and sensors
// joined or left, as JSON, for experiments/c1_growing.py.
// By run and stage the joints' error [deg], every 0.05 s.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "tests/support/growing_arm.hpp"

int main(int argc, char** argv) try {
  using nlohmann::json;
  if (argc != 3) throw panto::ConfigError("usage: panto_growing_probe CHAINS SEEDS");
  const panto::DhTree tree = panto::test::right_arm_tree(argv[1]);
  json runs = json::array();
  double strongest = 0.0;
  int failed = 0;
  for (int seed = 1; seed <= std::atoi(argv[2]); ++seed) {
    json stages = json::array();
    panto::test::follow_growing_arm(
        tree, static_cast<std::uint64_t>(seed), [&](const panto::test::GrownSample& now) {
          if (stages.size() <= now.stage)
            stages.push_back({{"joints", now.joints}, {"off_deg", json::array()}});
          failed += now.status == panto::StepStatus::Solved && now.finite ? 0 : 1;
          strongest = std::max(strongest, now.strongest_m_s2);
          const long sample = std::lround(100.0 * now.since);
          if (sample % 5 == 0) stages.back()["off_deg"].push_back(now.off_deg);
        });
    runs.push_back(std::move(stages));
  }
  std::puts(
      json{{"runs", std::move(runs)}, {"strongest_m_s2", strongest}, {"failed", failed}}.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
