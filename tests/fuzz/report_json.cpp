// The JSON of reports as a list of figures, and thresholds on them.

#include "panto/report/card_values.hpp"

#include <cmath>

#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_figures(Bytes bytes) {
  const std::vector<ReportValue> values = parse_report_values(text_of(bytes), "damaged.json");
  promise(values.size() <= 20000, "figures are bounded");
  for (const ReportValue& value : values) promise(value.key.size() <= 20000, "keys are bounded");
}

Seeds seeds_of_figures() {
  return {R"({"frames":3,"rate_hz":null,"mnte_mean":0.1,"status_counts":{"solved":3,"stuck":0},
"fallback_counts":[5,0,1],"state_hash":"0000000000000abc","ok":true,"deep":{"a":{"b":[{"c":1e-3}]}}})"};
}

const Registered figures_target("report_json", check_figures, seeds_of_figures);

}  // namespace
}  // namespace panto::fuzz
