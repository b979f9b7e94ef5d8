#include "panto/live/recorded_run.hpp"

#include <span>
#include <utility>

namespace panto::live {
namespace {

constexpr double kUsualRate = 60.0;  // [Hz]

// Finds a decoded sample among those that were kept, in order; moves `next` behind those that came before.
bool is_among(const StreamRecording& take, const std::vector<StreamRecording::Sample>& kept,
              std::size_t& next, Time t, Time arrival) {
  while (next < kept.size() && take.before(kept[next], t, arrival)) ++next;
  return next < kept.size() && take.same(kept[next], t, arrival);
}

}  // namespace

template <typename Sample>
RecordedSamples<Sample>::RecordedSamples(const StreamRecording& take,
                                         std::unique_ptr<stream::SampleStream<Sample>> decoder)
    : take_(&take), decoder_(std::move(decoder)) {}

template <typename Sample>
bool RecordedSamples<Sample>::next() {
  while (next_ < take_->datagrams.size()) {
    const auto& [arrival, sender, bytes] = take_->datagrams[next_++];
    if (decoder_->take_from(sender, std::as_bytes(std::span(bytes)), arrival) != stream::Brought::Sample)
      continue;
    ++samples_;
    arrival_ = arrival;
    if (!is_solved(decoder_->sample().t)) continue;
    if (!std::exchange(solving_, true)) before_ = decoder_->counts();
    return true;
  }
  return false;
}

template <typename Sample>
bool RecordedSamples<Sample>::is_solved(Time t) {
  return take_->solved.empty() || is_among(*take_, take_->solved, solved_, t, arrival_);
}

double solved_rate(const StreamRecording& take) noexcept {
  const auto count = static_cast<double>(take.solved.size());
  if (count < 2.0 || take.solved.back().t <= take.solved.front().t) return kUsualRate;
  return (count - 1.0) / to_seconds(take.solved.back().t - take.solved.front().t);
}

template <typename Sample>
RecordedRun run_recorded(const StreamRecording& take, RecordedSamples<Sample>& samples,
                         const LiveFollower<Sample>& follower, const std::vector<LiveOutput*>& outputs,
                         const std::function<void(Time)>& before) {
  RecordedRun run;
  LiveFrame frame = follower.sized;
  std::size_t states = 0, aligned = 0, calibrated = 0;
  const auto write = [&] {
    for (LiveOutput* output : outputs) output->write(frame);
    // some may be lost with a damaged part of the recording
    while (states < take.states.size() && take.states[states].t < frame.state.t) ++states;
    if (states < take.states.size() && state_hash(frame.state) == state_hash(take.states[states])) ++run.same;
  };
  do {
    before(samples.arrival());
    frame.arrival = samples.arrival();
    const Time t = samples.decoder().sample().t, arrival = samples.arrival();
    for (; calibrated < take.calibrated.size(); ++calibrated) {
      const auto& [from, poses] = take.calibrated[calibrated];
      if (!take.before(from, t, arrival) && !take.same(from, t, arrival)) break;
      if (follower.calibrate) follower.calibrate(poses);
    }
    if (is_among(take, take.aligned, aligned, t, arrival) && follower.align) follower.align();
    const LiveStep step = follower.step(samples.decoder().sample(), frame);
    run.figures.unused += step.used ? 0 : 1;
    if (follower.news)
      for (std::string& line : follower.news()) run.news.push_back(std::move(line));
    if (step.ready) write();
  } while (samples.next());
  while (follower.drain(frame)) write();
  const stream::StreamCounts &all = samples.decoder().counts(), &earlier = samples.before();
  run.figures.before = earlier.of(stream::Brought::Sample) - 1;
  run.figures.samples = samples.samples() - run.figures.before;
  run.figures.rate_hz = solved_rate(take);
  run.figures.lost = all.lost - earlier.lost;
  run.figures.refused = all.of(stream::Brought::Refused) - earlier.of(stream::Brought::Refused);
  run.figures.late = all.of(stream::Brought::Late) - earlier.of(stream::Brought::Late);
  run.figures.seconds = to_seconds(take.datagrams.back().arrival - take.first());
  return run;
}

std::vector<std::string> notes_of(const StreamRecording& take, const RecordedRun& run, bool followed) {
  std::vector<std::string> notes = take.damages;
  for (const std::vector<std::string>& some : {marks_of(take), run.news})
    notes.insert(notes.end(), some.begin(), some.end());
  if (!take.complete)
    notes.emplace_back("the recording ends early, as after a crash: everything up to its last chunk is used");
  if (take.late())
    notes.push_back("this recording began " + take.info.words.at("begun") +
                    (take.sensors.empty() ? ": what came before is not known here"
                                          : ": its mounts are those that were found before"));
  else if (!take.states.empty() && followed)
    notes.push_back(std::to_string(run.same) + " of " + std::to_string(take.states.size()) +
                    " recorded states are the same to the bit");
  return notes;
}

template class RecordedSamples<SegmentSample>;
template class RecordedSamples<ImuSample>;
template RecordedRun run_recorded(const StreamRecording&, RecordedSamples<SegmentSample>&,
                                  const LiveFollower<SegmentSample>&, const std::vector<LiveOutput*>&,
                                  const std::function<void(Time)>&);
template RecordedRun run_recorded(const StreamRecording&, RecordedSamples<ImuSample>&,
                                  const LiveFollower<ImuSample>&, const std::vector<LiveOutput*>&,
                                  const std::function<void(Time)>&);

}  // namespace panto::live
