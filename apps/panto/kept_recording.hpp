#pragma once
// A recording that is read once and gone through several times.

#include <memory>
#include <vector>

#include "panto/io/motion_file.hpp"

namespace panto::app {

/// The samples of a recording, kept.
class KeptRecording {
 public:
  /// Reads `file` to its end. Empty where it has more than `most` samples, 3.5 kB each for a whole body:
  /// `file` is then somewhere in its middle.
  [[nodiscard]] static std::shared_ptr<const KeptRecording> of(io::MotionFile& file,
                                                               std::size_t most = 60'000);

  /// The recording from its beginning, as often as wanted.
  [[nodiscard]] static std::unique_ptr<io::MotionFile> open(std::shared_ptr<const KeptRecording> kept);

 private:
  class Replayed;
  std::vector<std::string> names_;
  io::MotionFileInfo info_;
  std::string problem_;
  std::vector<SegmentSample> samples_;
  std::vector<GivenContacts> contacts_;
  ReadStatus end_ = ReadStatus::EndOfMotion;
};

}  // namespace panto::app
