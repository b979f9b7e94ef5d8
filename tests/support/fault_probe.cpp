// panto_fault_probe CHAINS SEEDS SECONDS [MOUNTING [PLACE LENGTH]]: how well the right arm is followed under
// every single fault, as JSON, for experiments/c4_faults.py. MOUNTING: inflate, consider or estimate. PLACE,
// LENGTH: how uncertain places and lengths are that are refined [m].

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/right_arm.hpp"

int main(int argc, char** argv) try {
  using nlohmann::json;
  if (argc < 4)
    throw panto::ConfigError("usage: panto_fault_probe CHAINS SEEDS SECONDS [MOUNTING [PLACE LENGTH]]");
  const panto::DhTree tree = panto::test::right_arm_tree(argv[1]);
  const int seeds = std::atoi(argv[2]);
  const double seconds = std::atof(argv[3]);
  panto::ChainEkfOptions options = panto::test::suit_options();
  const std::string mounting = argc > 4 ? argv[4] : "estimate";
  const std::map<std::string, panto::MountingUse> uses{{"inflate", panto::MountingUse::Inflate},
                                                       {"consider", panto::MountingUse::Consider},
                                                       {"estimate", panto::MountingUse::Estimate}};
  if (uses.count(mounting) == 0) throw panto::ConfigError("MOUNTING is inflate, consider or estimate");
  options.mounting_use = uses.at(mounting);
  if (argc > 6) options.refine.place = std::atof(argv[5]), options.refine.length = std::atof(argv[6]);
  json rows = json::array();
  for (const panto::test::ArmFault& fault : panto::test::arm_faults()) {
    json runs = json::array();
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto e = panto::test::follow_arm(tree, fault, options, static_cast<std::uint64_t>(seed), seconds);
      runs.push_back({{"rmse_deg", e.rmse_deg},
                      {"worst_joint_deg", e.worst_joint_deg},
                      {"max_deg", e.max_deg},
                      {"tip_cm", 100.0 * e.tip_m},
                      {"last_deg", e.last_deg},
                      {"refused", e.refused},
                      {"failed", e.failed}});
    }
    rows.push_back({{"fault", fault.name}, {"runs", std::move(runs)}});
  }
  std::puts(json{{"mounting", mounting}, {"seconds", seconds}, {"faults", std::move(rows)}}.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
