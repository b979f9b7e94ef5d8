#pragma once
// A recording that comes at its own pace, as if somebody were there.

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "panto/live/pacer.hpp"
#include "panto/live/sample_player.hpp"
#include "panto/live/source.hpp"

namespace panto::live {

/// What is known of a recording before its samples.
struct FileFacts {
  std::vector<std::string> names;  ///< of a sample's items
  std::optional<SubjectDimensions> person;
};

/// Gives every sample of a recording once its stamp has passed since the first.
template <typename Sample>
class FileSource final : public LiveSource<Sample> {
 public:
  /// `clock`: what to read and to wait by.
  FileSource(PlayedSamples<Sample> samples, FileFacts facts, Clock clock = system_clock())
      : samples_(std::move(samples)), clock_(std::move(clock)) {
    decoder_.facts = std::move(facts);
    ended_ = !samples_.next(next_);
  }

  bool next(int milliseconds) override {
    const Time now = clock_.now();
    if (begun_ == 0) begun_ = now;
    const Time patience = now + Time{milliseconds} * 1'000'000;
    const Time due = begun_ + next_.t;
    clock_.sleep_until(ended_ ? patience : std::min(due, patience));
    if (ended_ || due > patience) return false;
    std::swap(decoder_.newest, next_);
    ++decoder_.brought.by[static_cast<std::size_t>(stream::Brought::Sample)];
    arrival_ = clock_.now();
    ended_ = !samples_.next(next_);
    return true;
  }
  [[nodiscard]] const stream::SampleStream<Sample>& decoder() const noexcept override { return decoder_; }
  [[nodiscard]] Time arrival() const noexcept override { return arrival_; }
  [[nodiscard]] bool ended() const noexcept override { return ended_; }

 private:
  struct Decoder final : stream::SampleStream<Sample> {
    stream::Brought take(std::span<const std::byte> /*datagram*/, Time /*arrival*/) noexcept override {
      return stream::Brought::Refused;  // no datagrams come
    }
    [[nodiscard]] const Sample& sample() const noexcept override { return newest; }
    [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return facts.names; }
    [[nodiscard]] std::optional<SubjectDimensions> person() const override { return facts.person; }
    [[nodiscard]] const stream::StreamCounts& counts() const noexcept override { return brought; }
    Sample newest;
    FileFacts facts;
    stream::StreamCounts brought;
  };

  PlayedSamples<Sample> samples_;
  Clock clock_;
  Decoder decoder_;
  Sample next_;
  Time begun_ = 0, arrival_ = 0;
  std::atomic<bool> ended_{false};
};

}  // namespace panto::live
