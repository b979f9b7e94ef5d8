// Every fuzz target on its seeds, on the inputs that once broke it (tests/fuzz/kept), and on damaged seeds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"
#include "tests/support/corruption.hpp"

namespace panto::fuzz {

// what GoogleTest shows of one
void PrintTo(const FuzzTarget& target, std::ostream* out) { *out << target.name; }

namespace {

constexpr double kRounds = 500.0;  // of damage a target: 15 s under sanitizers

std::vector<std::string> kept_inputs(const std::string& target) {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path folder = std::filesystem::path(PANTO_FUZZ_KEPT) / target;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> inputs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// Puts a number that few expect in the place of one.
std::string with_another_number(std::string text, std::mt19937_64& random) {
  static constexpr std::string_view numbers[] = {
      "0", "-1", "1e9", "4294967296", "99999999999999999999", "nan", "1e308", "-1e-320", "1e999", ""};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t from = random() % std::max<std::size_t>(text.size(), 1);
  const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), is_digit);
  const auto end = std::find_if_not(begin, text.end(), is_digit);
  text.replace(begin, end, numbers[random() % std::size(numbers)]);
  return text;
}

std::string damaged(const Seeds& seeds, std::mt19937_64& random) {
  const std::string& seed = seeds[random() % seeds.size()];
  switch (random() % 5) {
    case 0:
      return seed.substr(0, random() % (seed.size() + 1));
    case 1: {
      const std::string& other = seeds[random() % seeds.size()];
      std::string spliced = seed.substr(0, random() % (seed.size() + 1));
      return spliced += other.substr(random() % (other.size() + 1));
    }
    case 2:
      return with_another_number(with_another_number(seed, random), random);
    default:
      return test::corrupted(seed, random);
  }
}

// The input lies in a block of its own size, so that the address sanitizer sees a read beyond it. Where
// PANTO_FUZZ_LAST names a file, that is the input of a program that crashes.
bool try_input(const FuzzTarget& target, const std::string& input, const std::string& what) {
  if (const char* last = std::getenv("PANTO_FUZZ_LAST")) std::ofstream(last, std::ios::binary) << input;
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[input.size() + (input.empty() ? 1 : 0)]);
  std::copy(input.begin(), input.end(), exact.get());
  try {
    return accepts(target, {exact.get(), input.size()});
  } catch (const std::exception& finding) {
    const auto kept = std::filesystem::path(testing::TempDir()) / ("panto_fuzz_" + target.name);
    std::ofstream(kept, std::ios::binary) << input;
    ADD_FAILURE() << what << ": " << finding.what() << "; the input: " << kept.string();
    return false;
  }
}

class AnyFuzzTarget : public testing::TestWithParam<FuzzTarget> {};

TEST_P(AnyFuzzTarget, KeepsItsPromisesWhateverTheBytes) {
  const FuzzTarget& target = GetParam();
  const Seeds seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  for (std::size_t i = 0; i < seeds.size(); ++i)
    EXPECT_TRUE(try_input(target, seeds[i], "seed " + std::to_string(i))) << "seed " << i << " is refused";
  for (const std::string& input : kept_inputs(target.name)) (void)try_input(target, input, "a kept input");
  std::mt19937_64 random(2024);
  const int rounds = static_cast<int>(kRounds * target.share * test::scale());
  for (int round = 0; round < rounds && !HasFailure(); ++round)
    (void)try_input(target, damaged(seeds, random), "round " + std::to_string(round));
}

INSTANTIATE_TEST_SUITE_P(Every, AnyFuzzTarget, testing::ValuesIn(targets()),
                         [](const testing::TestParamInfo<FuzzTarget>& target) { return target.param.name; });

}  // namespace
}  // namespace panto::fuzz
