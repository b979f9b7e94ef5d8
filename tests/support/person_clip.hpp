#pragma once
// A recording of a person in memory, in the 23 segments' own frames.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "panto/io/open_recording.hpp"
#include "panto/model/human.hpp"

namespace panto::test {

struct PersonClip {
  std::string path;
  std::vector<std::string> names;  // of the 23 segments
  std::vector<SegmentSample> samples;
  SubjectDimensions subject;
};

inline PersonClip read_person_clip(const std::string& path) {
  const auto file = io::open_recording(path);
  PersonClip clip;
  clip.path = path;
  clip.subject = file->info().subject.value_or(scaled_subject(1.75));
  std::vector<std::size_t> from;
  const auto& attachments = file->info().attachments.attachments;
  for (const Attachment& a : attachments) {
    clip.names.push_back(a.link);
    from.push_back(static_cast<std::size_t>(std::find(file->names().begin(), file->names().end(), a.segment) -
                                            file->names().begin()));
  }
  SegmentSample raw;
  while (file->read(raw) == ReadStatus::Sample) {
    SegmentSample sample;
    sample.t = raw.t;
    for (std::size_t i = 0; i < from.size(); ++i) {
      sample.segments.push_back(raw.segments[from[i]]);
      sample.segments.back().R_WS = sample.segments.back().R_WS * attachments[i].R_SF;
    }
    clip.samples.push_back(std::move(sample));
  }
  return clip;
}

/// A robot's map without what a recording has not.
inline AttachmentMap attached(AttachmentMap map, const std::vector<std::string>& names) {
  std::erase_if(map.attachments, [&](const Attachment& a) {
    return std::find(names.begin(), names.end(), a.segment) == names.end();
  });
  return map;
}

}  // namespace panto::test
