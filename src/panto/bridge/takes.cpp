#include "panto/bridge/takes.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "panto/base/error.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/live/pacer.hpp"

namespace panto::bridge {
namespace {

constexpr std::size_t kMostEarly = 4 << 20;  // [bytes]
constexpr const char* kEnding = ".mcap";

Time date_of_local_zero() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
             .count() -
         live::monotonic_now();
}

bool is_free(const std::string& path) {
  return !std::filesystem::exists(path) && !std::filesystem::exists(path + ".part");
}

}  // namespace

Takes::Takes(TakeInfo info, const std::string& path) : info_(std::move(info)), first_(path) {
  if (!path.empty()) begin(path, live::monotonic_now(), false);
}

Takes::~Takes() {
  if (!recorder_ || solving_) return;
  recorder_.reset();
  std::error_code ignored;
  std::filesystem::remove(path_ + ".part", ignored);
}

void Takes::follow(const Model& model) {
  model_ = &model;
  if (recorder_) recorder_->follow(model);
}

Takes::Recorder Takes::now() const noexcept {
  const std::lock_guard lock(mutex_);
  return recorder_;
}

void Takes::begin(const std::string& path, Time now, bool late) {
  std::map<std::string, std::string> about = info_.about;
  if (late) about["begun"] = "in the middle of a run";
  auto recorder = std::make_shared<io::StreamRecorder>(
      path, StreamRecordingInfo{info_.scheme, info_.address, date_of_local_zero(), std::move(about)});
  if (model_ != nullptr) recorder->follow(*model_);
  const std::lock_guard lock(mutex_);
  for (const Early& one : early_)
    recorder->datagram(std::as_bytes(std::span(one.bytes)), one.sender, one.arrival);
  if (!sensors_.empty()) recorder->sensors(sensors_, now);
  recorder_ = std::move(recorder);
  path_ = path;
}

// Beside the first recording, or with today's date in this folder.
std::string Takes::next_path() const {
  std::string stem = first_;
  if (stem.empty())
    stem = fmt::format("take-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  else
    stem.resize(stem.size() - std::string_view(kEnding).size());
  if (const std::string path = stem + kEnding; is_free(path)) return path;
  for (int number = 2;; ++number)
    if (const std::string path = fmt::format("{}-{}{}", stem, number, kEnding); is_free(path)) return path;
}

std::string Takes::toggle(Time now) {
  if (const std::string ended = path(); !ended.empty()) {
    const std::string problem = end();
    if (problem.empty()) return "recorded " + ended;
    problems_.push_back(problem);
    return problem;
  }
  try {
    begin(next_path(), now, true);
  } catch (const Error& error) {
    return std::string("no recording: ") + error.what();
  }
  return "recording to " + path();
}

std::vector<std::string> Takes::close() {
  if (std::string problem = end(); !problem.empty()) problems_.push_back(std::move(problem));
  return std::exchange(problems_, {});
}

std::string Takes::end() {
  Recorder recorder;
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    recorder = std::exchange(recorder_, nullptr);
    path = std::exchange(path_, {});
  }
  if (!recorder) return {};
  const std::lock_guard lock(disk_);
  try {
    recorder->close();
  } catch (const Error& error) {
    return path + ": " + error.what();
  }
  written_.push_back(path);
  return {};
}

std::string Takes::path() const {
  const std::lock_guard lock(mutex_);
  return path_;
}

std::string Takes::failed() const {
  const std::lock_guard lock(mutex_);
  return recorder_ && !recorder_->good() ? path_ : std::string();
}

void Takes::datagram(std::span<const std::byte> bytes, std::uint64_t sender, Time now) noexcept {
  const std::lock_guard lock(mutex_);
  if (recorder_) recorder_->datagram(bytes, sender, now);
  if (solving_ || early_bytes_ + bytes.size() > kMostEarly) return;
  try {
    early_.push_back({std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), sender, now});
    early_bytes_ += bytes.size();
  } catch (...) {
    early_bytes_ = kMostEarly;  // memory is short: later takes begin without them
  }
}

std::function<void(std::span<const std::byte>, std::uint64_t, Time)> Takes::tap() {
  return [this](std::span<const std::byte> bytes, std::uint64_t sender, Time now) {
    datagram(bytes, sender, now);
  };
}

live::LiveEvents Takes::events() {
  return {[this](Time t, Time now) {
            const std::lock_guard lock(mutex_);
            solving_ = true;
            if (recorder_) recorder_->solved(t, now);
          },
          [this](Time t, Time now) {
            if (const Recorder recorder = this->now()) recorder->aligned(t, now);
          },
          [this](Time t, Time now, const std::string& poses) {
            if (const Recorder recorder = this->now()) recorder->calibrated(t, now, poses);
          },
          [this](const SensorSetup& sensors) {
            std::string text = io::sensors_text(sensors);
            const std::lock_guard lock(mutex_);
            sensors_ = std::move(text);
          }};
}

void Takes::mark(const std::string& text, Time now) noexcept {
  if (const Recorder recorder = this->now()) recorder->mark(text, now);
}

void Takes::write(const LiveFrame& frame) noexcept {
  if (const Recorder recorder = now())
    recorder->state(frame.state, frame.flushed() ? live::monotonic_now() : frame.arrival);
  flush();
}

void Takes::wait(bool /*held*/) noexcept { flush(); }

void Takes::flush() noexcept {
  const std::lock_guard lock(disk_);
  if (const Recorder recorder = now()) recorder->flush(live::monotonic_now());
}

}  // namespace panto::bridge
