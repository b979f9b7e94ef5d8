#pragma once
// The inspection of a file, as the command makes it.

#include <string>

#include "panto/api/inspect_facts.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mapped_recording.hpp"

namespace panto::test {

inline Inspection inspected(const std::string& path) {
  io::Input input(path);
  return inspect(input, io::MappedHints{});
}

}  // namespace panto::test
