#include "panto/bridge/machine_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace panto::bridge {
namespace {

const std::vector<live::Finding> kFound{{"memory", "may be locked", ""},
                                        {"CPU", "saves power", "set it to performance"}};

TEST(MachineReport, PutsARemedyBelowWhatNeedsOne) {
  EXPECT_EQ(to_text(kFound),
            "ok    memory  may be locked\n"
            "hint  CPU     saves power\n"
            "      set it to performance\n");
  EXPECT_EQ(to_text({}), "");
}

TEST(MachineReport, TellsProgramsWhatIsGood) {
  const auto all = nlohmann::json::parse(to_json(kFound));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["good"], true);
  EXPECT_EQ(all[1]["good"], false);
  EXPECT_EQ(all[1]["remedy"], "set it to performance");
}

}  // namespace
}  // namespace panto::bridge
