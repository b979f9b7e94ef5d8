// All targets at libFuzzer:
//   panto_fuzz --list
//   panto_fuzz TARGET --seeds FOLDER            writes the target's seeds
//   panto_fuzz TARGET [OPTIONS] FOLDER...       fuzzes it

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/target.hpp"

namespace {

using panto::fuzz::FuzzTarget;

const FuzzTarget* chosen_target = nullptr;

[[noreturn]] void list_targets() {
  std::vector<std::string> names;
  for (const FuzzTarget& target : panto::fuzz::targets()) names.push_back(target.name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) std::puts(name.c_str());
  std::exit(0);
}

[[noreturn]] void write_seeds(const FuzzTarget& target, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : target.seeds())
    std::ofstream(folder / ("seed" + std::to_string(number++)), std::ios::binary) << seed;
  std::exit(0);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's names
extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  const std::string first = *count > 1 ? (*words)[1] : "";
  if (first == "--list") list_targets();
  const auto& all = panto::fuzz::targets();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const FuzzTarget& t) { return t.name == first; });
  if (found == all.end()) {
    std::fprintf(stderr, "panto_fuzz: no target '%s'; `panto_fuzz --list` lists them\n", first.c_str());
    std::exit(2);
  }
  chosen_target = &*found;
  if (*count == 4 && std::string((*words)[2]) == "--seeds") write_seeds(*found, (*words)[3]);
  // libFuzzer sees the words after the target
  std::copy(*words + 2, *words + *count, *words + 1);
  --*count;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    (void)panto::fuzz::accepts(*chosen_target, {bytes, size});
  } catch (const std::exception& finding) {
    std::fprintf(stderr, "finding: %s\n", finding.what());
    std::abort();
  }
  return 0;
}
// NOLINTEND(readability-identifier-naming)
