#include "panto/tracking/run.hpp"

namespace panto {

template <typename Sample>
Tally run(const Pipeline<Sample>& pipeline, Sample& sample, State& state) {
  Tally tally;
  for (ReadStatus read{}; (read = pipeline.source.read(sample)) != ReadStatus::EndOfMotion;) {
    tally.count(read);
    if (read == ReadStatus::Malformed) break;
    if (read != ReadStatus::Sample) continue;
    const StepStatus status = pipeline.tracker.step(sample, state);
    tally.count(status);
    if (pipeline.observe) pipeline.observe(sample, status, state);
    for (Sink* sink : pipeline.sinks) {
      if (advanced(status)) tally.count(sink->write(state));
    }
  }
  return tally;
}

template Tally run<SegmentSample>(const Pipeline<SegmentSample>&, SegmentSample&, State&);
template Tally run<ImuSample>(const Pipeline<ImuSample>&, ImuSample&, State&);

}  // namespace panto
