#pragma once
// Ctrl-C in the middle of a run: what has begun is ended in order.

#include <csignal>
#include <exception>
#include <string>
#include <vector>

namespace panto::app {

/// SIGINT, SIGTERM or SIGHUP came. No `Error`: nothing is wrong with any input.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) noexcept : signal_(signal) {}
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// While one lives, the first of these signals only makes `check` throw; a second one ends the process at
/// once. One at a time.
class Interruption {
 public:
  Interruption() noexcept;
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// @throws Interrupted
  static void check();

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3] = {};
};

/// Removes what was written on the way to files that are not to be: their `.part`. Whoever wrote is gone.
void remove_parts(const std::vector<std::string>& outputs);

/// Ends the process as if nobody had caught the signal.
void end_by(int signal) noexcept;

}  // namespace panto::app
