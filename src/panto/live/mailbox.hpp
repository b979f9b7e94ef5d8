#pragma once
// Hands values from one thread to another; where the other is slow, the newest win.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace panto::live {

/// Holds a few values: into a full box a new one goes in place of the oldest, which is counted. Copies into
/// values that exist, so that nothing is allocated once their sizes agree.
template <typename T>
class Mailbox {
 public:
  explicit Mailbox(const T& sized = T{}, std::size_t depth = 1) : ring_(depth, sized) {}

  /// Returns whether the value went in place of another.
  bool put(const T& value) {
    bool replaces = false;
    {
      const std::lock_guard lock(mutex_);
      replaces = count_ == ring_.size();
      if (replaces) {
        ++replaced_;
        begin_ = (begin_ + 1) % ring_.size();
        --count_;
      }
      ring_[(begin_ + count_) % ring_.size()] = value;
      ++count_;
    }
    ready_.notify_one();
    return replaces;
  }

  /// Waits for the oldest value, at most this long. Returns false when none came, or the box was closed and
  /// is empty.
  bool take(T& value, std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    if (!ready_.wait_for(lock, most, [this] { return count_ > 0 || closed_; }) || count_ == 0) return false;
    value = ring_[begin_];
    begin_ = (begin_ + 1) % ring_.size();
    --count_;
    return true;
  }

  /// Nothing more will come.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }

  /// Returns true when the box was closed and all values were taken.
  [[nodiscard]] bool ended() const {
    const std::lock_guard lock(mutex_);
    return closed_ && count_ == 0;
  }
  /// Returns how many values a newer one replaced.
  [[nodiscard]] std::int64_t replaced() const {
    const std::lock_guard lock(mutex_);
    return replaced_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<T> ring_;
  std::size_t begin_ = 0, count_ = 0;
  bool closed_ = false;
  std::int64_t replaced_ = 0;
};

}  // namespace panto::live
