// panto_smoother_probe CHAINS arm|human48 SEED SECONDS suit|exact filter|smooth|deviations: errors of the
// joints, time and memory of the inertial filter and the smoother behind it, as JSON, for
// experiments/c5_smoother.py.

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/smoothed_body.hpp"

int main(int argc, char** argv) try {
  using panto::test::Followed;
  const std::map<std::string, Followed> ways{{"filter", Followed::Filtered},
                                             {"smooth", Followed::Smoothed},
                                             {"deviations", Followed::WithDeviations}};
  if (argc != 7 || ways.count(argv[6]) == 0)
    throw panto::ConfigError(
        "usage: panto_smoother_probe CHAINS arm|human48 SEED SECONDS suit|exact filter|smooth|deviations");
  const std::string body = argv[2];
  const auto seed = static_cast<std::uint64_t>(std::atoi(argv[3]));
  const double seconds = std::atof(argv[4]);
  const bool arm = body == "arm";
  const panto::Model model = arm ? panto::dh_model(panto::test::right_arm_tree(argv[1])) : panto::human48();
  const panto::Synthesis truth =
      arm ? panto::test::arm_at_work(model, seed) : panto::make_synthesis("walk", model, seed);
  const auto mounts = arm ? panto::test::right_arm_mounts() : panto::test::suit_mounts(seed);
  const panto::ChainEkfOptions options =
      argv[5] == std::string("exact") ? panto::test::exact_options() : panto::test::suit_options();
  const panto::test::FollowedBody found =
      panto::test::follow_body(truth, mounts, seed, seconds, options, ways.at(argv[6]));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::puts(nlohmann::json{{"body", body},
                           {"samples", found.samples},
                           {"columns", found.columns},
                           {"joints_filtered_deg", found.filtered.joints},
                           {"links_filtered_deg", found.filtered.links},
                           {"joints_smoothed_deg", found.smoothed.joints},
                           {"links_smoothed_deg", found.smoothed.links},
                           {"filter_ms", found.filter_ms},
                           {"smoother_ms", found.smoother_ms},
                           {"kept", found.counts.kept},
                           {"kept_deviation", found.counts.kept_deviation},
                           {"memory_mb", static_cast<double>(usage.ru_maxrss) / 1024.0}}
                .dump()
                .c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
