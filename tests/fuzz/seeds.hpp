#pragma once
// Seeds from our own writers and the bundled files.

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "panto/io/npy_writer.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/state.hpp"
#include "tests/fuzz/draws.hpp"
#include "tests/fuzz/target.hpp"

namespace panto::fuzz {

/// Returns a file of the project, by its path from the folder of the examples.
inline std::string project_file(const std::string& path) {
  std::string whole = PANTO_EXAMPLES "/";
  whole += path;
  std::ifstream file(whole, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns a file of the examples, or its first lines.
inline std::string example(const std::string& name, std::size_t lines = 100000) {
  const std::string text = project_file("data/" + name);
  std::size_t end = 0;
  for (std::size_t line = 0; line < lines && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

/// Segments of a person who turns a little, frame by frame.
inline std::vector<SegmentSample> person_samples(int frames) {
  const SubjectDimensions size = scaled_subject(1.75);
  std::vector<SegmentSample> samples;
  for (int k = 0; k < frames; ++k) {
    SegmentSample sample;
    sample.t = k * Time{20'000'000};
    sample.segments.resize(kHumanSegmentCount);
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
      SegmentMotion& S = sample.segments[i];
      const Eigen::Matrix3d turn =
          so3::exp(Eigen::Vector3d(0.02 * k, 0.01 * static_cast<double>(i), 0.01 * k));
      if (i == 0) {
        S.R_WS = turn;
        S.p_WS = {0.02 * k, 0.0, 0.97};
      } else {
        const SegmentMotion& parent = sample.segments[static_cast<std::size_t>(kHumanSegmentParent[i])];
        S.R_WS = parent.R_WS * turn;
        S.p_WS = parent.p_WS + parent.R_WS * size.origin[i];
      }
      S.has_orientation = S.has_position = true;
    }
    samples.push_back(sample);
  }
  return samples;
}

/// Returns that person in a file of points or orientations, by its extension.
inline std::string person_file(const std::string& name, int frames) {
  std::string bytes;
  const std::unique_ptr<io::SampleFile> file =
      io::create_sample_file(io::Destination(name, bytes), human_segment_names(), {.rate_hz = 50.0});
  for (const SegmentSample& sample : person_samples(frames)) (void)file->write(sample);
  file->close();
  return bytes;
}

/// Returns a few States of a model that stands and turns its joints a little, within its limits.
inline Motion few_states(const Model& model, int frames) {
  Motion motion{model.name(), model.joint_names(), 50.0, {}, {}};
  for (int k = 0; k < frames; ++k) {
    State state = rest_state(model);
    state.t = k * Time{20'000'000};
    state.p_WB.z() = 0.8;
    state.s.array() += 0.002 * k;
    state.s = state.s.cwiseMax(model.lower()).cwiseMin(model.upper());
    motion.states.push_back(state);
  }
  return motion;
}

/// Members of an archive in a row, which `archive_of` packs: so that damage reaches the arrays, and does not
/// stop at a checksum.
using Members = std::vector<std::pair<std::string, std::string>>;
inline std::string members_in_a_row(const Members& members) {
  std::string packed;
  for (const auto& [name, content] : members) {
    pack(packed, name);
    pack(packed, content);
  }
  return packed;
}
inline std::string archive_of(Bytes bytes) {
  Members members;
  for (Draws draws(bytes); !draws.empty() && members.size() < 40;) {
    std::string name(text_of(draws.piece()));
    members.emplace_back(std::move(name), std::string(text_of(draws.piece())));
  }
  return io::pack_npz(members);
}

}  // namespace panto::fuzz
