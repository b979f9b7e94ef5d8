#pragma once
// A fuzz target: a function of bytes that checks what a reader, a decoder or a loop promises. The same source
// serves libFuzzer (preset `fuzz`, `./dev fuzz`) and the tests test_fuzz and test_fuzz_solvers.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/error.hpp"

namespace panto::fuzz {

using Bytes = std::span<const std::uint8_t>;
using Seeds = std::vector<std::string>;

/// A promise that was not kept.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void promise(bool kept, const char* what) {
  if (!kept) throw Broken(what);
}

struct FuzzTarget {
  std::string name;
  /// Returns, or throws an Error: the bytes are refused. Anything else is a finding.
  void (*check)(Bytes bytes) = nullptr;
  Seeds (*seeds)() = nullptr;  ///< small inputs that are accepted
  double share = 1.0;          ///< of the rounds of a test: less where one takes long
};

/// All targets of this program, in no order.
inline std::vector<FuzzTarget>& targets() {
  static std::vector<FuzzTarget> all;
  return all;
}

/// Adds a target while the program starts.
struct Registered {
  Registered(const char* name, void (*check)(Bytes), Seeds (*seeds)(), double share = 1.0) {
    targets().push_back({name, check, seeds, share});
  }
};

inline constexpr std::size_t kLongestRefusal = 4000;  ///< bytes: names in it are cut

/// Runs a target. Returns false for a refusal. @throws Broken, or what escaped.
inline bool accepts(const FuzzTarget& target, Bytes bytes) {
  try {
    target.check(bytes);
    return true;
  } catch (const Error& refusal) {
    const std::size_t length = std::strlen(refusal.what());
    promise(length > 0 && length <= kLongestRefusal, "a refusal says why, in a few words");
    return false;
  }
}

[[nodiscard]] inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::istringstream stream_of(Bytes bytes) {
  return std::istringstream(std::string(text_of(bytes)));
}
[[nodiscard]] inline std::span<const std::byte> raw(Bytes bytes) { return std::as_bytes(bytes); }

}  // namespace panto::fuzz
