// The ten lines that a program embeds: a recording onto a human, step by step.
//   embed RECORDING       (.mvnx, .bvh, .trc, .npz, .csv ...)

#include <cstdio>

#include "panto/api/convert.hpp"
#include "panto/api/track.hpp"
#include "panto/io/open_recording.hpp"

namespace {

long sent = 0;

// stands for a robot's or an application's own interface
void send(const panto::State& state) { sent += state.s.allFinite() ? 1 : 0; }

int track(const char* path) {
  const auto source = panto::in_human_frames(panto::io::open_recording(path));  // throws panto::Error
  const panto::Model human = panto::human66(source->info().subject.value_or(panto::scaled_subject(1.75)));
  const auto tracker = panto::live_tracker(human, source->names());
  panto::State state = panto::rest_state(human);
  for (panto::SegmentSample sample; source->read(sample) == panto::ReadStatus::Sample;) {
    const panto::StepStatus status = tracker->step(sample, state);  // noexcept; on failure state is unchanged
    if (panto::usable(status)) send(state);                         // Solved or Saturated
  }
  std::printf("%ld states sent\n", sent);
  return sent > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: embed RECORDING\n");
    return 2;
  }
  try {
    return track(argv[1]);
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "embed: %s\n", error.what());
    return 3;
  }
}
