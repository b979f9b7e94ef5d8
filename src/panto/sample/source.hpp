#pragma once

#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Source of samples of one kind: a file, a stream, a synthesis.
template <typename Sample>
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Returns the names of the measured items, in the order of the sample's entries.
  [[nodiscard]] virtual const std::vector<std::string>& names() const noexcept = 0;

  /// Reads the next sample. `sample` is valid only when the result is `ReadStatus::Sample`; after `Malformed`
  /// the source may continue.
  [[nodiscard]] virtual ReadStatus read(Sample& sample) noexcept = 0;
};

}  // namespace panto
