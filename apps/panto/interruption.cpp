#include "apps/panto/interruption.hpp"

#include <filesystem>
#include <system_error>

namespace panto::app {
namespace {

volatile std::sig_atomic_t caught = 0;
std::vector<std::string> created;  // outputs

void remember(int signal) { caught = signal; }

}  // namespace

Interruption::Interruption() noexcept {
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 3; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // a signal that is ignored, as with nohup, stays ignored
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

void Interruption::check() {
  if (caught != 0) throw Interrupted(caught);
}

bool Interruption::came() noexcept { return caught != 0; }

void remove_when_interrupted(const std::vector<std::string>& outputs) {
  created.insert(created.end(), outputs.begin(), outputs.end());
}

void remove_parts() {
  for (const std::string& path : created) {
    std::error_code ignored;
    std::filesystem::remove(path + ".part", ignored);
  }
}

void end_by(int signal) noexcept {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace panto::app
