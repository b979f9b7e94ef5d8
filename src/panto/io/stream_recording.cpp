#include "panto/io/stream_recording.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>

#include "panto/base/error.hpp"
#include "panto/io/foxglove_messages.hpp"
#include "panto/io/mcap.hpp"
#include "panto/io/mcap_records.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::io {
namespace {

constexpr const char* kMetadata = "panto";
constexpr Time kFlushEvery = 250'000'000, kShowEvery = 16'000'000;    // [ns]
constexpr std::size_t kFullChunk = 1 << 20, kMostPending = 64 << 20;  // [bytes]
constexpr std::size_t kBaseNumbers = 18;                              // p, R, v, w

void add(std::string& out, const double* values, std::size_t count) {
  out.append(reinterpret_cast<const char*>(values), count * sizeof(double));
}

std::string bytes_of(const State& state) {
  std::string out(reinterpret_cast<const char*>(&state.t), sizeof state.t);
  add(out, state.p_WB.data(), 3);
  add(out, state.R_WB.data(), 9);
  add(out, state.v_WB.data(), 3);
  add(out, state.w_WB.data(), 3);
  add(out, state.s.data(), static_cast<std::size_t>(state.s.size()));
  add(out, state.sdot.data(), static_cast<std::size_t>(state.sdot.size()));
  return out;
}

std::optional<State> state_of(std::string_view bytes) {
  if (bytes.size() % sizeof(double) != 0 || bytes.size() < (1 + kBaseNumbers) * sizeof(double)) return {};
  const std::size_t numbers = bytes.size() / sizeof(double) - 1 - kBaseNumbers;
  if (numbers % 2 != 0) return {};
  State state;
  const auto take = [&bytes](void* to, std::size_t size) {
    if (size == 0) return;  // a model without joints
    std::memcpy(to, bytes.data(), size);
    bytes.remove_prefix(size);
  };
  take(&state.t, sizeof state.t);
  take(state.p_WB.data(), 3 * sizeof(double));
  take(state.R_WB.data(), 9 * sizeof(double));
  take(state.v_WB.data(), 3 * sizeof(double));
  take(state.w_WB.data(), 3 * sizeof(double));
  state.s.resize(static_cast<Eigen::Index>(numbers / 2));
  state.sdot.resize(state.s.size());
  take(state.s.data(), numbers / 2 * sizeof(double));
  take(state.sdot.data(), numbers / 2 * sizeof(double));
  return state;
}

}  // namespace

struct StreamRecorder::Impl {
  Impl(const std::string& path, const StreamRecordingInfo& info) : writer(path), begun(info.begun) {
    McapWords words = info.words;
    words["scheme"] = info.scheme;
    words["address"] = info.address;
    words["begun_ns"] = std::to_string(info.begun);
    writer.add_metadata(kMetadata, words);
    input = writer.add_channel(0, "/input", "panto.datagram", {{"scheme", info.scheme}});
    steps = writer.add_channel(0, "/solved", "panto.stamp");
    turns = writer.add_channel(0, "/aligned", "panto.aligned");
    poses = writer.add_channel(0, "/calibrated", "panto.calibrated");
    mounts = writer.add_channel(0, "/sensors", "panto.sensors");
    marks = writer.add_channel(0, "/marks", "panto.mark");
    log = add_shown(kLogSchema, "/log");
  }

  void follow(const Model& followed) {
    model = &followed;
    kinematics.emplace(*model);
    states = writer.add_channel(0, "/state", "panto.state", {{"model", model->name()}});
    joints = add_shown(kJointStatesSchema, "/joint_states");
    transforms = add_shown(kFrameTransformsSchema, "/tf");
  }

  std::uint16_t add_shown(const FoxgloveSchema& schema, const std::string& topic) {
    const auto id = writer.add_schema(std::string(schema.name), "jsonschema", schema.json);
    return writer.add_channel(id, topic, "json");
  }

  struct Kept {
    std::uint16_t channel;
    Time now;
    std::string bytes;
  };

  // `kept` by any thread; what has no room is counted
  void keep(std::uint16_t channel, Time now, std::string bytes) noexcept {
    try {
      const std::lock_guard lock(mutex);
      if (pending_bytes + bytes.size() > kMostPending) return void(++dropped);
      pending_bytes += bytes.size();
      pending.push_back({channel, now, std::move(bytes)});
    } catch (...) {
      ++dropped;
    }
  }

  void keep_stamp(std::uint16_t channel, Time t, Time now) noexcept {
    keep(channel, now, std::string(reinterpret_cast<const char*>(&t), sizeof t));
  }

  void write_pending() {
    std::vector<Kept> taken;
    {
      const std::lock_guard lock(mutex);
      taken.swap(pending);
      pending_bytes = 0;
    }
    for (const Kept& kept : taken) {
      (void)writer.write(kept.channel, begun + kept.now, kept.bytes);
      if (writer.pending() > kFullChunk) (void)writer.flush();
    }
  }

  McapWriter writer;
  Time begun;
  const Model* model = nullptr;
  std::optional<Kinematics> kinematics;
  std::uint16_t input = 0, steps = 0, turns = 0, poses = 0, mounts = 0, marks = 0, log = 0, states = 0,
                joints = 0, transforms = 0;
  Time flushed = 0, shown = 0;
  bool begins = true;
  std::mutex mutex;  // of what follows
  std::vector<Kept> pending;
  std::size_t pending_bytes = 0;
  std::atomic<std::int64_t> dropped{0};
};

StreamRecorder::StreamRecorder(const std::string& path, const StreamRecordingInfo& info)
    : impl_(std::make_unique<Impl>(path, info)) {}

StreamRecorder::~StreamRecorder() = default;

void StreamRecorder::follow(const Model& model) { impl_->follow(model); }

void StreamRecorder::datagram(std::span<const std::byte> bytes, std::uint64_t sender, Time now) noexcept {
  try {
    std::string message(reinterpret_cast<const char*>(&sender), sizeof sender);
    message.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    impl_->keep(impl_->input, now, std::move(message));
  } catch (...) {
    ++impl_->dropped;
  }
}

void StreamRecorder::solved(Time t, Time now) noexcept { impl_->keep_stamp(impl_->steps, t, now); }

void StreamRecorder::aligned(Time t, Time now) noexcept { impl_->keep_stamp(impl_->turns, t, now); }

void StreamRecorder::calibrated(Time t, Time now, const std::string& poses) noexcept {
  try {
    impl_->keep(impl_->poses, now, std::string(reinterpret_cast<const char*>(&t), sizeof t) + poses);
  } catch (...) {
    ++impl_->dropped;
  }
}

void StreamRecorder::sensors(const std::string& text, Time now) noexcept {
  try {
    impl_->keep(impl_->mounts, now, text);
  } catch (...) {
    ++impl_->dropped;
  }
}

void StreamRecorder::mark(const std::string& text, Time now) noexcept {
  try {
    impl_->keep(impl_->marks, now, text);
    impl_->keep(impl_->log, now, log_text(LogLevel::Info, text, impl_->begun + now));
  } catch (...) {
    ++impl_->dropped;
  }
}

void StreamRecorder::state(const State& state, Time now) noexcept {
  if (impl_->model == nullptr) return;
  try {
    impl_->keep(impl_->states, now, bytes_of(state));
    if (!impl_->begins && now - impl_->shown < kShowEvery) return;
    impl_->begins = false;
    impl_->shown = now;
    impl_->keep(impl_->joints, now, joint_states_text(*impl_->model, state, impl_->begun + now));
    impl_->keep(impl_->transforms, now,
                link_transforms_text(*impl_->model, *impl_->kinematics, state, impl_->begun + now));
  } catch (...) {
    ++impl_->dropped;
  }
}

void StreamRecorder::flush(Time now) noexcept {
  if (now - impl_->flushed < kFlushEvery) return;
  impl_->flushed = now;
  try {
    impl_->write_pending();
    (void)impl_->writer.flush();
  } catch (...) {
    ++impl_->dropped;
  }
}

void StreamRecorder::close() {
  impl_->write_pending();
  impl_->writer.close();
  if (impl_->dropped > 0)
    throw Error("the recording lacks " + std::to_string(impl_->dropped.load()) +
                " messages: the disk was too slow, or memory was short");
}

bool StreamRecorder::good() const noexcept { return impl_->writer.good(); }

namespace {

StreamRecording::Sample sample_of(std::string_view message, Time date) {
  StreamRecording::Sample sample{0, date};
  std::memcpy(&sample.t, message.data(), sizeof sample.t);
  return sample;
}

Time first_date(const StreamRecording& recording) {
  return recording.datagrams.empty() ? 0 : recording.datagrams.front().arrival;
}

// `first`: date of the first datagram
std::string damage_text(const McapLoss& loss, Time first) {
  const std::string place = "the recording is damaged at byte " + std::to_string(loss.byte) + ": ";
  if (loss.from == 0) return place + "what came before the rest is left out";
  const double at = to_seconds(std::max<Time>(loss.from - first, 0));
  if (loss.to == 0) return fmt::format("{}what came after {:.1f} s is left out", place, at);
  return fmt::format("{}{:.2f} s are left out, after {:.1f} s", place, to_seconds(loss.to - loss.from), at);
}

}  // namespace

StreamRecording read_stream_recording(std::string_view bytes, const std::string& name) {
  StreamRecording recording;
  const McapFile file =
      read_mcap(bytes, name, [&](const McapChannel& channel, Time date, std::string_view message) {
        if (channel.encoding == "panto.datagram" && message.size() >= sizeof(std::uint64_t)) {
          auto& datagram = recording.datagrams.emplace_back();
          datagram.arrival = date;
          std::memcpy(&datagram.sender, message.data(), sizeof datagram.sender);
          datagram.bytes = message.substr(sizeof datagram.sender);
        } else if (channel.encoding == "panto.stamp" && message.size() == sizeof(Time)) {
          recording.solved.push_back(sample_of(message, date));
        } else if (channel.encoding == "panto.aligned" && message.size() == sizeof(Time)) {
          recording.aligned.push_back(sample_of(message, date));
        } else if (channel.encoding == "panto.calibrated" && message.size() >= sizeof(Time)) {
          recording.calibrated.push_back(
              {sample_of(message, date), std::string(message.substr(sizeof(Time)))});
        } else if (channel.encoding == "panto.sensors") {
          recording.sensors = message;
        } else if (channel.encoding == "panto.mark") {
          recording.marks.push_back({date, std::string(message)});
        } else if (channel.encoding == "panto.state") {
          std::optional<State> state = state_of(message);
          if (!state || (!recording.states.empty() && recording.states[0].s.size() != state->s.size()))
            throw FormatError(name + ": a state has another size than the states before");
          recording.states.push_back(std::move(*state));
        }
        return true;
      });
  if (const auto words = file.metadata.find(kMetadata); words != file.metadata.end())
    recording.info.words = words->second;
  else  // it may be damaged; the channel stands in every chunk
    for (const auto& [id, channel] : file.channels)
      if (channel.encoding == "panto.datagram") recording.info.words = channel.words;
  if (recording.info.words.count("scheme") == 0)
    throw FormatError(name +
                      ": no recording of a live run (its MCAP lacks the metadata 'panto' with a scheme)");
  recording.info.scheme = recording.info.words["scheme"];
  recording.info.address = recording.info.words["address"];
  recording.complete = file.complete;
  for (const McapLoss& loss : file.losses)
    recording.damages.push_back(damage_text(loss, first_date(recording)));
  const std::string& begun = recording.info.words["begun_ns"];
  (void)std::from_chars(begun.data(), begun.data() + begun.size(), recording.info.begun);
  for (const char* key : {"scheme", "address", "begun_ns"}) recording.info.words.erase(key);
  return recording;
}

}  // namespace panto::io
