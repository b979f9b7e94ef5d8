#pragma once
// Real recordings and models live outside the repository. Tests that need one begin with PANTO_NEED_DATA.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/sanitizers.hpp"

namespace panto::test {

/// Folder of the recordings: PANTO_TEST_DATA, else ../shared/data beside the project.
inline std::filesystem::path data_root() {
  const char* named = std::getenv("PANTO_TEST_DATA");
  return named != nullptr && *named != '\0' ? named : PANTO_TEST_DATA_DEFAULT;
}

inline std::string data_file(const std::string& relative) { return (data_root() / relative).string(); }

/// Test effort: 1 fast (default), larger for thorough and nightly runs.
inline double scale() {
  const char* named = std::getenv("PANTO_TEST_SCALE");
  const double value = named != nullptr ? std::atof(named) : 1.0;
  return value > 0.0 ? value : 1.0;
}

/// `count` at scale 1, at least one.
inline int scaled(int count) { return std::max(1, static_cast<int>(static_cast<double>(count) * scale())); }

/// The same for long numerical tests: a tenth under the sanitizers, which run them ten times slower.
inline int scaled_numerical(int count) { return scaled(sanitized() ? count / 10 : count); }

}  // namespace panto::test

/// Skips the test, saying so, when a recording is absent; fails it where PANTO_REQUIRE_DATA is set (CI).
#define PANTO_NEED_DATA(relative)                                                                      \
  if (!std::filesystem::exists(panto::test::data_root() / (relative))) {                               \
    if (std::getenv("PANTO_REQUIRE_DATA") != nullptr)                                                  \
      FAIL() << "no test data at " << panto::test::data_file(relative);                                \
    GTEST_SKIP() << "no test data at " << panto::test::data_file(relative) << "; set PANTO_TEST_DATA"; \
  }
