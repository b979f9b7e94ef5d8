#pragma once
// Handles Ctrl-C in the middle of a run: the run ends in order.

#include <csignal>
#include <exception>
#include <string>
#include <vector>

namespace panto::app {

/// Reports SIGINT, SIGTERM or SIGHUP. Not an `Error`: no input is wrong.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) noexcept : signal_(signal) {}
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// Catches these signals while it lives: the first one only makes `check` throw, a second one ends the
/// process at once. Use one object at a time.
class Interruption {
 public:
  Interruption() noexcept;
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// @throws Interrupted
  static void check();
  /// Returns whether a signal came, for runs that end by one.
  [[nodiscard]] static bool came() noexcept;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3] = {};
};

/// Notes outputs that were created. If the run is interrupted, `remove_parts` removes their `.part` files;
/// their writers must be gone by then.
void remove_when_interrupted(const std::vector<std::string>& outputs);
void remove_parts();

/// Ends the process as if the signal had not been caught.
void end_by(int signal) noexcept;

}  // namespace panto::app
