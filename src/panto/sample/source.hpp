#pragma once

#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Where samples of one kind come from: a file, a stream, a synthesis.
template <typename Sample>
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Names of what is measured, in the order of the sample's entries.
  [[nodiscard]] virtual const std::vector<std::string>& names() const noexcept = 0;

  /// The next sample. `sample` is only meaningful when the answer is `ReadStatus::Sample`; after `Malformed`
  /// the source may go on.
  [[nodiscard]] virtual ReadStatus read(Sample& sample) noexcept = 0;
};

}  // namespace panto
