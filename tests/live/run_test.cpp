#include "panto/live/run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <mutex>

#include "panto/live/datagram_sender.hpp"
#include "panto/live/input.hpp"
#include "panto/live/recorded_run.hpp"

namespace panto::live {
namespace {

// A protocol of one segment: a datagram is its number, whose sample has the number as position and stamp.
class Numbers final : public stream::SampleStream<SegmentSample> {
 public:
  Numbers() { sample_.segments.resize(1); }
  stream::Brought take(std::span<const std::byte> datagram, Time /*arrival*/) noexcept override {
    int number = 0;
    if (datagram.size() != sizeof number) return count(stream::Brought::Refused);
    std::memcpy(&number, datagram.data(), sizeof number);
    sample_.t = frame_time(number, 100.0);
    sample_.segments[0].p_WS.x() = number;
    sample_.segments[0].has_position = number >= 0;
    return count(stream::Brought::Sample);
  }
  const SegmentSample& sample() const noexcept override { return sample_; }
  const std::vector<std::string>& names() const noexcept override { return names_; }
  const stream::StreamCounts& counts() const noexcept override { return counts_; }

 private:
  stream::Brought count(stream::Brought what) noexcept {
    ++counts_.by[static_cast<std::size_t>(what)];
    return what;
  }
  SegmentSample sample_;
  std::vector<std::string> names_{"Pelvis"};
  stream::StreamCounts counts_;
};

std::vector<std::byte> datagram_of(int number) {
  std::vector<std::byte> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

// Keeps the numbers that were written.
class Kept final : public LiveOutput {
 public:
  explicit Kept(std::size_t depth) : depth_(depth) {}
  void write(const LiveFrame& frame) noexcept override {
    const std::lock_guard lock(mutex_);
    numbers_.push_back(static_cast<int>(frame.person.segments[0].p_WS.x()));
  }
  [[nodiscard]] std::size_t depth() const noexcept override { return depth_; }
  void wait(bool held) noexcept override {
    if (held) held_ = true;
  }
  [[nodiscard]] std::vector<int> numbers() const {
    const std::lock_guard lock(mutex_);
    return numbers_;
  }
  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  std::size_t depth_;
  mutable std::mutex mutex_;
  std::vector<int> numbers_;
  std::atomic<bool> held_{false};
};

LiveFollower<SegmentSample> follower() {
  LiveFrame sized;
  sized.person.segments.resize(1);
  return {[](const SegmentSample& sample, LiveFrame& frame) {
            frame.person = sample;
            frame.state.t = sample.t;
            const bool used = sample.segments[0].has_position;
            return LiveStep{used, used, false};
          },
          [](LiveFrame&) { return false; }, sized};
}

struct Stream {
  Stream()
      : input(UdpSocket::bound_to({"127.0.0.1", 0}), std::make_unique<Numbers>()),
        sender(UdpSocket::connected_to({"127.0.0.1", input.port()}), {}) {
    sender.send({datagram_of(0)}, 0);
    EXPECT_TRUE(input.next(2000));
  }
  LiveInput<SegmentSample> input;
  DatagramSender sender;
};

// waits until `done` or 5 s have passed
template <typename Done>
bool eventually(const Done& done) {
  for (int k = 0; k < 500 && !done(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return done();
}

TEST(LiveRun, SolvesAndWritesWhatArrives) {
  Stream stream;
  Kept kept(1000);
  LiveRun<SegmentSample> run(stream.input, follower(), {&kept});
  for (int k = 1; k <= 100; ++k) stream.sender.send({datagram_of(k)}, k * 2'000'000);
  EXPECT_TRUE(eventually([&] { return run.figures().samples == 100; }));
  EXPECT_EQ(run.stream(), StreamState::Good);
  run.stop();
  const LiveFigures figures = run.figures();
  const std::vector<int> numbers = kept.numbers();
  EXPECT_EQ(std::ssize(numbers), 100 - figures.overtaken - figures.passed)
      << "what no newer one has overtaken";
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(numbers.back(), 100) << "the newest always comes";
  EXPECT_NEAR(figures.rate_hz, 100.0, 1e-6);
  EXPECT_EQ(figures.to_pose.count, std::ssize(numbers));
  EXPECT_EQ(figures.to_output.count, std::ssize(numbers));
  EXPECT_GE(figures.to_output.longest, figures.to_pose.median);
  EXPECT_TRUE(figures.missing.empty());
}

// Takes 50 ms for every frame.
class Slow final : public LiveOutput {
 public:
  void write(const LiveFrame& frame) noexcept override {
    last = static_cast<int>(frame.person.segments[0].p_WS.x());
    ++written;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::atomic<int> last{0}, written{0};
};

TEST(LiveRun, LetsASlowOutputHaveTheNewestAndTheOthersAll) {
  Stream stream;
  Slow slow;
  Kept kept(1000);
  LiveRun<SegmentSample> run(stream.input, follower(), {&slow, &kept});
  for (int k = 1; k <= 100; ++k) stream.sender.send({datagram_of(k)}, k * 2'000'000);
  EXPECT_TRUE(eventually([&] { return slow.last == 100; }));
  run.stop();
  EXPECT_LT(slow.written, 30) << "0.2 s of samples, 50 ms each";
  EXPECT_EQ(std::ssize(kept.numbers()), 100 - run.figures().overtaken - run.figures().passed);
  EXPECT_EQ(run.figures().unwritten, std::ssize(kept.numbers()) - slow.written);
}

TEST(LiveRun, DoesNotCallAnOutputSlowForWhatTheLookAheadHeldBack) {
  Stream stream;
  Slow slow;
  LiveFollower<SegmentSample> ahead = follower();
  ahead.drain = [left = 50](LiveFrame&) mutable { return left-- > 0; };
  LiveRun<SegmentSample> run(stream.input, std::move(ahead), {&slow});
  stream.sender.send({datagram_of(1)}, 0);
  EXPECT_TRUE(eventually([&] { return slow.written == 1; }));
  run.stop();
  EXPECT_LT(slow.written, 51) << "the newest frames went in place of others";
  EXPECT_EQ(run.figures().unwritten, 0) << "50 frames came at once, in a queue of one";
}

TEST(LiveRun, ListensToOneSenderAndCountsTheOthers) {
  Stream stream;
  Kept kept(1000);
  LiveRun<SegmentSample> run(stream.input, follower(), {&kept});
  UdpSocket other = UdpSocket::connected_to({"127.0.0.1", stream.input.port()});
  for (int k = 1; k <= 20; ++k) {
    EXPECT_TRUE(other.send(datagram_of(1000 + k)));
    stream.sender.send({datagram_of(k)}, k * 5'000'000);
  }
  EXPECT_TRUE(eventually([&] { return run.figures().samples == 20; }));
  run.stop();
  EXPECT_EQ(run.figures().foreign, 20);
  for (const int number : kept.numbers()) EXPECT_LE(number, 20);
}

TEST(LiveRun, GathersSeveralSendersAndAnswersThemWhereTheProtocolDoes) {
  // the number of the sender is the position; it is told that it was heard
  class Gathered final : public stream::SampleStream<SegmentSample> {
   public:
    Gathered() { sample_.segments.resize(1); }
    stream::Brought take(std::span<const std::byte>, Time) noexcept override {
      return stream::Brought::Refused;
    }
    stream::Brought take_from(std::uint64_t sender, std::span<const std::byte>, Time) noexcept override {
      ++sample_.t;
      sample_.segments[0].p_WS.x() = static_cast<double>(sender % 1000003);
      return stream::Brought::Sample;
    }
    [[nodiscard]] bool gathers() const noexcept override { return true; }
    [[nodiscard]] std::span<const std::byte> reply() const noexcept override { return heard_; }
    [[nodiscard]] const SegmentSample& sample() const noexcept override { return sample_; }
    [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
    [[nodiscard]] const stream::StreamCounts& counts() const noexcept override { return counts_; }

   private:
    std::array<std::byte, 1> heard_{std::byte{7}};
    SegmentSample sample_;
    std::vector<std::string> names_{"Pelvis"};
    stream::StreamCounts counts_;
  };
  LiveInput<SegmentSample> input(UdpSocket::bound_to({"127.0.0.1", 0}), std::make_unique<Gathered>());
  std::vector<double> senders;
  for (int k = 0; k < 2; ++k) {
    UdpSocket one = UdpSocket::connected_to({"127.0.0.1", input.port()});
    ASSERT_TRUE(one.send(datagram_of(k)));
    ASSERT_TRUE(input.next(2000));
    senders.push_back(input.decoder().sample().segments[0].p_WS.x());
    std::array<std::byte, 16> space;
    ASSERT_TRUE(one.wait(2000));
    ASSERT_EQ(one.receive(space), 1U);
    EXPECT_EQ(space[0], std::byte{7});
  }
  EXPECT_NE(senders[0], senders[1]);
  EXPECT_EQ(input.foreign(), 0);
}

TEST(LiveRun, TellsAPauseOfThisProgramFromASlowComputer) {
  // hears nothing for 0.4 s, then gives at once all that waited
  class Paused final : public LiveSource<SegmentSample> {
   public:
    bool next(int milliseconds) override {
      if (++number_ > 200) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        return false;
      }
      if (number_ == 2) std::this_thread::sleep_for(std::chrono::milliseconds(400));
      (void)numbers_.take(datagram_of(number_), 0);
      arrival_ = monotonic_now();
      return true;
    }
    [[nodiscard]] const stream::SampleStream<SegmentSample>& decoder() const noexcept override {
      return numbers_;
    }
    [[nodiscard]] Time arrival() const noexcept override { return arrival_; }

   private:
    Numbers numbers_;
    int number_ = 0;
    Time arrival_ = 0;
  };
  LiveFollower<SegmentSample> slow = follower();
  slow.step = [](const SegmentSample& /*sample*/, LiveFrame& /*frame*/) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return LiveStep{true, true, false};
  };
  Paused paused;
  LiveRun<SegmentSample> run(paused, slow, {});
  EXPECT_TRUE(eventually([&] { return run.figures().samples == 200; }));
  run.stop();
  const LiveFigures figures = run.figures();
  EXPECT_GE(figures.pauses, 1);
  EXPECT_GE(figures.longest_pause, 0.39);
  EXPECT_GT(figures.passed, 100) << "of the 199 that waited";
  EXPECT_EQ(figures.overtaken, 0);
  EXPECT_EQ(figures.losses, 0);
}

TEST(LiveRun, CountsFromWhenItBegins) {
  Stream stream;
  for (int k = 1; k <= 3; ++k) {
    stream.sender.send({datagram_of(k), {std::byte{1}}}, k * 1'000'000);
    EXPECT_TRUE(stream.input.next(2000));
  }
  LiveRun<SegmentSample> run(stream.input, follower(), {});
  stream.sender.send({{std::byte{1}}, datagram_of(4)}, 5'000'000);
  EXPECT_TRUE(eventually([&] { return run.figures().samples == 1; }));
  run.stop();
  EXPECT_EQ(run.figures().before, 4);
  EXPECT_NEAR(static_cast<double>(run.figures().refused), 1.0, 1.0) << "one of the first may come late";
}

TEST(LiveRun, CountsWhatIsDamagedAndUnusableAndGoesOn) {
  Stream stream;
  Kept kept(1000);
  LiveRun<SegmentSample> run(stream.input, follower(), {&kept});
  for (int k = 1; k <= 10; ++k) {
    stream.sender.send({datagram_of(k), {std::byte{1}, std::byte{2}}}, k * 5'000'000);
    stream.sender.send({datagram_of(-k)}, k * 5'000'000 + 2'000'000);
  }
  EXPECT_TRUE(eventually([&] { return run.figures().samples == 20; }));
  run.stop();
  EXPECT_EQ(run.figures().refused, 10);
  EXPECT_EQ(
      run.figures().unused + std::ssize(kept.numbers()) + run.figures().overtaken + run.figures().passed, 20);
}

TEST(LiveRun, RealignsWithTheNextSampleAndSaysWithWhich) {
  Stream stream;
  std::atomic<int> turned{0};
  std::vector<Time> aligned, solved;
  LiveFollower<SegmentSample> turning = follower();
  turning.align = [&] { ++turned; };
  LiveRun<SegmentSample> run(stream.input, turning, {},
                             {[&](Time t, Time /*now*/) { solved.push_back(t); },
                              [&](Time t, Time /*now*/) { aligned.push_back(t); }});
  EXPECT_TRUE(run.align());
  EXPECT_TRUE(run.align()) << "asked twice before a sample came, it turns once";
  stream.sender.send({datagram_of(1)}, 1'000'000);
  EXPECT_TRUE(eventually([&] { return turned == 1 && run.figures().samples == 1; }));
  stream.sender.send({datagram_of(2)}, 2'000'000);
  EXPECT_TRUE(eventually([&] { return run.figures().samples == 2; }));
  run.stop();
  EXPECT_EQ(turned, 1);
  EXPECT_EQ(aligned, std::vector{frame_time(1, 100.0)});
  EXPECT_EQ(solved, (std::vector{frame_time(1, 100.0), frame_time(2, 100.0)}));
  LiveRun<SegmentSample> fixed(stream.input, follower(), {});
  EXPECT_FALSE(fixed.align()) << "this one has nothing to turn";
}

TEST(LiveRun, TellsOutputsWhenTheStreamIsLost) {
  Stream stream;
  Kept kept(10);
  LiveRun<SegmentSample> run(stream.input, follower(), {&kept});
  stream.sender.send({datagram_of(1)}, 1'000'000);
  EXPECT_TRUE(eventually([&] { return run.stream() == StreamState::Lost; })) << "after 0.5 s";
  EXPECT_TRUE(eventually([&] { return kept.held(); }));
  run.stop();
  EXPECT_EQ(run.figures().losses, 0) << "it ended: a loss is one from which it comes back";
}

TEST(RecordedRun, SolvesTheSamplesThatTheRunSolvedAndComparesTheStates) {
  StreamRecording take;
  for (int k = 0; k < 20; ++k) {
    const std::vector<std::byte> bytes = datagram_of(k);
    take.datagrams.push_back({k * 5'000'000, 0, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
    if (k % 5 != 4)
      take.solved.push_back({frame_time(k, 100.0), k * 10'000'000});  // the others were overtaken
  }
  take.datagrams.insert(take.datagrams.begin() + 3, {1, 0, "damaged"});
  for (const auto& one : take.solved) take.states.emplace_back().t = one.t;
  take.states[7].p_WB.x() = 1.0;               // one differs
  take.states.erase(take.states.begin() + 3);  // one is lost with a damaged part
  RecordedSamples<SegmentSample> samples(take, std::make_unique<Numbers>());
  ASSERT_TRUE(samples.next());
  Kept kept(1);
  std::vector<Time> before;
  const RecordedRun run =
      run_recorded(take, samples, follower(), {&kept}, [&](Time t) { before.push_back(t); });
  EXPECT_EQ(kept.numbers(), (std::vector{0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 18}));
  EXPECT_EQ(run.same, 14U);
  EXPECT_EQ(run.figures.samples, 20);
  EXPECT_EQ(run.figures.before, 0);
  EXPECT_EQ(run.figures.refused, 1);
  EXPECT_EQ(before.size(), 16U);
  EXPECT_EQ(before.back(), 18 * 5'000'000);
  EXPECT_NEAR(solved_rate(take), 15.0 / 0.18, 1e-9);
}

TEST(LiveRun, CalibratesFromTheNextSampleOnAndPassesOnWhatItTells) {
  Stream stream;
  Kept kept(1000);
  std::vector<std::pair<Time, std::string>> calibrated;
  std::vector<std::string> told;
  LiveFollower<SegmentSample> sensed = follower();
  sensed.calibrate = [&](const std::string& poses) { told.push_back("hold the " + poses); };
  sensed.news = [&] { return std::exchange(told, {}); };
  LiveRun<SegmentSample> run(
      stream.input, sensed, {&kept},
      {{}, {}, [&](Time t, Time /*now*/, const std::string& poses) { calibrated.emplace_back(t, poses); }});
  EXPECT_TRUE(run.news().empty());
  EXPECT_TRUE(run.calibrate("npose"));
  EXPECT_TRUE(run.calibrate("tpose")) << "asked twice before a sample came, the last word counts";
  for (int k = 1; k <= 3; ++k) stream.sender.send({datagram_of(k)}, k * 2'000'000);
  std::vector<std::string> news;  // a slow machine may overtake samples
  EXPECT_TRUE(eventually([&] {
    for (std::string& line : run.news()) news.push_back(std::move(line));
    return !news.empty();
  }));
  run.stop();
  EXPECT_EQ(news, std::vector<std::string>{"hold the tpose"});
  ASSERT_EQ(calibrated.size(), 1U);
  EXPECT_EQ(calibrated[0].second, "tpose");
  EXPECT_GE(calibrated[0].first, frame_time(1, 100.0));
  LiveRun<SegmentSample> plain(stream.input, follower(), {&kept});
  EXPECT_FALSE(plain.calibrate("npose")) << "this one has no sensors";
}

TEST(RecordedRun, CalibratesWhereTheRunDidAndTellsWhatWasTold) {
  StreamRecording take;
  for (int k = 0; k < 10; ++k) {
    const std::vector<std::byte> bytes = datagram_of(k);
    take.datagrams.push_back(
        {k * 10'000'000, 0, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
    take.solved.push_back({frame_time(k, 100.0), k * 10'000'000});
  }
  take.complete = true;
  take.calibrated = {{{frame_time(4, 100.0), 0}, "npose"}};
  RecordedSamples<SegmentSample> samples(take, std::make_unique<Numbers>());
  ASSERT_TRUE(samples.next());
  std::vector<std::string> told;
  int solved = 0, at = -1;
  LiveFollower<SegmentSample> sensed = follower();
  const auto step = sensed.step;
  sensed.step = [&](const SegmentSample& sample, LiveFrame& frame) {
    ++solved;
    return step(sample, frame);
  };
  sensed.calibrate = [&](const std::string& poses) {
    at = solved;
    told.push_back("hold the " + poses);
  };
  sensed.news = [&] { return std::exchange(told, {}); };
  const RecordedRun run = run_recorded(take, samples, sensed, {}, [](Time) {});
  EXPECT_EQ(at, 4) << "before the fifth sample";
  EXPECT_EQ(notes_of(take, run, false), std::vector<std::string>{"hold the npose"});
  take.info.words["begun"] = "in the middle of a run";
  EXPECT_EQ(notes_of(take, run, false).back(),
            "this recording began in the middle of a run: what came before is not known here");
  take.sensors = "mounts";
  EXPECT_NE(notes_of(take, run, false).back().find("its mounts are those"), std::string::npos);
}

TEST(RecordedRun, KnowsTheSamplesOfALateOneByTheirArrivalWhateverStampsTheyGet) {
  StreamRecording take;
  take.info.words["begun"] = "in the middle of a run";
  take.complete = true;
  for (int k = 0; k < 10; ++k) {
    const std::vector<std::byte> bytes = datagram_of(k);
    const Time arrival =
        k < 3 ? k * 10'000'000 : 9'000'000'000 + k * 10'000'000;  // three of the run's beginning
    take.datagrams.push_back({arrival, 0, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
    if (k > 3) take.solved.push_back({777 + k, arrival});  // their stamps were others
  }
  take.aligned = {{999, 9'000'000'000 + 6 * 10'000'000}};
  RecordedSamples<SegmentSample> samples(take, std::make_unique<Numbers>());
  ASSERT_TRUE(samples.next());
  EXPECT_EQ(samples.decoder().sample().t, frame_time(4, 100.0));
  int solved = 0, at = -1;
  LiveFollower<SegmentSample> turning = follower();
  const auto step = turning.step;
  turning.step = [&](const SegmentSample& sample, LiveFrame& frame) {
    ++solved;
    return step(sample, frame);
  };
  turning.align = [&] { at = solved; };
  const RecordedRun run = run_recorded(take, samples, turning, {}, [](Time) {});
  EXPECT_EQ(solved, 6);
  EXPECT_EQ(at, 2);
  EXPECT_NEAR(run.figures.seconds, 0.05, 1e-9) << "since its own beginning";
}

TEST(RecordedRun, RealignsWhereTheRunWas) {
  StreamRecording take;
  for (int k = 0; k < 10; ++k) {
    const std::vector<std::byte> bytes = datagram_of(k);
    take.datagrams.push_back({k, 0, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  }
  take.aligned = {{frame_time(3, 100.0), 0}, {frame_time(7, 100.0), 0}};
  RecordedSamples<SegmentSample> samples(take, std::make_unique<Numbers>());
  ASSERT_TRUE(samples.next());
  std::vector<int> written, turned_before;
  LiveFollower<SegmentSample> turning = follower();
  const auto step = turning.step;
  turning.step = [&](const SegmentSample& sample, LiveFrame& frame) {
    written.push_back(static_cast<int>(sample.segments[0].p_WS.x()));
    return step(sample, frame);
  };
  turning.align = [&] { turned_before.push_back(static_cast<int>(written.size())); };
  (void)run_recorded(take, samples, turning, {}, [](Time) {});
  EXPECT_EQ(turned_before, (std::vector{3, 7})) << "before the sample of this number";
  EXPECT_EQ(written.size(), 10U);
}

TEST(RecordedRun, TakesAllSamplesWhereTheRecordingDoesNotTellAndNoneOfNone) {
  StreamRecording take;
  RecordedSamples<SegmentSample> none(take, std::make_unique<Numbers>());
  EXPECT_FALSE(none.next());
  EXPECT_EQ(solved_rate(take), 60.0);
  const std::vector<std::byte> bytes = datagram_of(3);
  take.datagrams.push_back({0, 0, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  RecordedSamples<SegmentSample> one(take, std::make_unique<Numbers>());
  EXPECT_TRUE(one.next());
  EXPECT_FALSE(one.next());
}

TEST(LiveRun, EndsWithoutASample) {
  Stream stream;
  Kept kept(10);
  LiveRun<SegmentSample> run(stream.input, follower(), {&kept});
  run.stop();
  EXPECT_EQ(run.figures().samples, 0);
  EXPECT_TRUE(kept.numbers().empty());
}

}  // namespace
}  // namespace panto::live
