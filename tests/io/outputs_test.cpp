// Names of outputs that are refused before any work.

#include "panto/io/outputs.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"

namespace panto::io {
namespace {

TEST(OutputNames, OfAnotherExtensionAreRefusedWithTheOneThatIsWritten) {
  EXPECT_NO_THROW(check_ending("--report", "a.b/walk.HTML", ".html", "a page"));
  EXPECT_NO_THROW(check_ending("--report", "walk.htm", ".html", "a page"));
  EXPECT_NO_THROW(check_ending("--report", "", ".html", "a page")) << "not asked for";
  try {
    check_ending("--refine", "found.htm", ".toml", "a sensors file");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "--refine 'found.htm': the name of a sensors file must end in .toml");
  }
}

TEST(OutputNames, GivenTwiceAreRefusedHoweverAFileIsWritten) {
  EXPECT_NO_THROW(check_once({"udp://127.0.0.1:7000", "udp://127.0.0.1:7001", "a.csv", "b.csv"}));
  EXPECT_THROW(check_once({"udp://127.0.0.1:7000", "a.csv", "udp://127.0.0.1:7000"}), ConfigError);
  EXPECT_THROW(check_once({"a.csv", "./a.csv"}), ConfigError);
  EXPECT_THROW(check_outputs({"a.csv", "./a.csv"}, {}), ConfigError);
}

}  // namespace
}  // namespace panto::io
