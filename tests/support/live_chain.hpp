#pragma once
// From a suit's datagrams to a robot's joints, on a clock of our own: no socket, no thread. A seeded network
// lies between them, and tests may change datagrams and clocks.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/api/live_person.hpp"
#include "panto/api/suit_motion.hpp"
#include "panto/live/stream_follower.hpp"
#include "panto/live/stream_watch.hpp"
#include "panto/math/so3.hpp"
#include "panto/stream/impairment.hpp"
#include "panto/stream/protocols.hpp"
#include "tests/support/bundled_walk.hpp"

namespace panto::test {

inline constexpr double kSuitRate = 240.0;  // [Hz]
inline constexpr Time kMillisecond = 1'000'000;

/// The walk, streamed as the suit would, sample by sample.
struct Suit {
  explicit Suit(const std::string& protocol) : motion(suit_motion(bundled_walk(), kSuitRate)) {
    encoder = stream::person_encoder(
        protocol, {.names = human_segment_names(), .rate_hz = kSuitRate, .person = motion.subject});
  }
  SuitMotion motion;
  std::unique_ptr<stream::SampleEncoder<SegmentSample>> encoder;
};

/// What happens to a stream between the suit and the robot.
struct LiveFaults {
  stream::ImpairmentOptions network{};
  std::pair<Time, Time> cut{0, 0};  ///< no datagram leaves in this time [ns]
  /// Changes a datagram that leaves at this time.
  std::function<void(std::vector<std::byte>&, Time)> damage{};
  /// The sender's clock [ns], from the true time; increasing or not.
  std::function<Time(Time)> sender_clock{};
  /// The receiver's steady clock [ns], from the true time.
  std::function<Time(Time)> local_clock{};
  double look_ahead = 0.0;  ///< [s]
};

/// The robot, millisecond by millisecond of the true time.
struct Followed {
  std::vector<Eigen::VectorXd> joints;
  std::vector<live::StreamState> stream;
  std::vector<int> missing;   ///< segments that are called missing
  std::vector<Time> stamps;   ///< of samples
  std::vector<State> states;  ///< as the follower of the stream gives them
  double fastest = 0.0;       ///< joint speed by the receiver's clock, in units of its limit
  double skewed = 0.0;        ///< largest entry of R'R - I of the base
  std::int64_t samples = 0, lost = 0, unused = 0;
  int invalid = 0;  ///< states that are not finite or have no rotation
};

/// Plays the walk over a network.
class LiveChain {
 public:
  LiveChain(const std::string& protocol, const Robot& robot, LiveFaults faults)
      : robot_(&robot),
        faults_(std::move(faults)),
        suit_(protocol),
        network_(faults_.network),
        decoder_(stream::person_stream(protocol)),
        joints_(robot.model, rest_state(robot.model), local(0)),
        watch_(kHumanSegmentCount) {
    options_.live.look_ahead = faults_.look_ahead;
  }

  Followed run() {
    SegmentSample sample;
    bool more = suit_.motion.next(sample);
    send(suit_.encoder->introduction(), 0);
    for (Time now = 0; more; now += kMillisecond) {
      for (; more && sample.t <= now; more = suit_.motion.next(sample)) {
        if (faults_.sender_clock) sample.t = faults_.sender_clock(sample.t);
        send(suit_.encoder->encode(sample), now);
      }
      std::vector<std::byte> datagram;
      while (network_.receive(now, datagram)) receive(datagram, local(now));
      tick(now);
    }
    followed_.lost = decoder_->counts().lost;
    followed_.unused = watch_.unused();
    return std::move(followed_);
  }

 private:
  [[nodiscard]] Time local(Time now) const { return faults_.local_clock ? faults_.local_clock(now) : now; }

  void send(const stream::Datagrams& datagrams, Time now) {
    if (now >= faults_.cut.first && now < faults_.cut.second) return;
    for (std::vector<std::byte> datagram : datagrams) {
      if (faults_.damage) faults_.damage(datagram, now);
      network_.send(std::move(datagram), now);
    }
  }

  void receive(const std::vector<std::byte>& datagram, Time arrival) {
    if (decoder_->take(datagram, arrival) != stream::Brought::Sample) return;
    const SegmentSample& sample = decoder_->sample();
    if (!follower_) {  // as soon as the segments are known
      follower_ = live_robot(*robot_, decoder_->names(), suit_.motion.subject, options_);
      frame_ = follower_->sized;
    }
    watch_.came(arrival, sample.t);
    for (std::size_t i = 0; i < sample.segments.size(); ++i)
      if (sample.segments[i].has_orientation) watch_.has(i);
    followed_.stamps.push_back(sample.t);
    ++followed_.samples;
    frame_.arrival = arrival;
    const LiveStep step = follower_->step(sample, frame_);
    watch_.stepped(step.used, step.returning);
    if (!step.ready) return;
    joints_.follow(frame_.state, frame_.valid, arrival);
    followed_.states.push_back(frame_.state);
    followed_.invalid += is_valid(frame_.state, robot_->model) ? 0 : 1;
    const Eigen::Matrix3d& R = frame_.state.R_WB;
    followed_.skewed =
        std::max(followed_.skewed, (R.transpose() * R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff());
  }

  void tick(Time now) {
    const Time here = local(now);
    const Eigen::VectorXd& s = joints_.step(here).s;
    const Eigen::VectorXd& limits = robot_->model.velocity_limit();  // the G1's joints all have one
    if (!followed_.joints.empty())
      followed_.fastest =
          std::max(followed_.fastest, ((s - followed_.joints.back()).cwiseAbs().array() /
                                       (to_seconds(std::max(here - here_, kMillisecond)) * limits.array()))
                                          .maxCoeff());
    here_ = here;
    followed_.joints.push_back(s);
    followed_.stream.push_back(watch_.at(here));
    int missing = 0;
    for (std::size_t i = 0; follower_ && i < decoder_->names().size(); ++i)
      missing += watch_.is_missing(i) ? 1 : 0;
    followed_.missing.push_back(missing);
  }

  const Robot* robot_;
  LiveFaults faults_;
  RetargetOptions options_;
  Suit suit_;
  stream::Impairment network_;
  std::unique_ptr<stream::SampleStream<SegmentSample>> decoder_;
  std::optional<LiveFollower<SegmentSample>> follower_;
  LiveFrame frame_;
  live::StreamFollower joints_;
  live::StreamWatch watch_;
  Followed followed_;
  Time here_ = 0;  // of the tick before
};

/// Plays the walk over a network with these faults.
inline Followed followed(const std::string& protocol, const Robot& robot, LiveFaults faults = {}) {
  return LiveChain(protocol, robot, std::move(faults)).run();
}

/// Root mean square of the joints' differences between two times [ms].
inline double difference(const Followed& a, const Followed& b, std::size_t begin, std::size_t end) {
  double sum = 0.0;
  for (std::size_t k = begin; k < end; ++k) sum += (a.joints[k] - b.joints[k]).squaredNorm();
  return std::sqrt(sum / static_cast<double>((end - begin) * static_cast<std::size_t>(a.joints[0].size())));
}

/// Shortest and longest step between stamps [s].
inline std::pair<double, double> steps(const std::vector<Time>& stamps) {
  std::pair<double, double> found{kInfinity, 0.0};
  for (std::size_t k = 1; k < stamps.size(); ++k) {
    const double step = to_seconds(stamps[k] - stamps[k - 1]);
    found = {std::min(found.first, step), std::max(found.second, step)};
  }
  return found;
}

/// The same of the robot's states.
inline std::pair<double, double> steps(const std::vector<State>& states) {
  std::vector<Time> stamps;
  for (const State& state : states) stamps.push_back(state.t);
  return steps(stamps);
}

}  // namespace panto::test
