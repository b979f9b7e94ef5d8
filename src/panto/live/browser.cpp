#include "panto/live/browser.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace panto::live {

void open_in_browser(const std::string& address) noexcept {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::array<char, 9> program{"xdg-open"};
  std::string what = address;
  std::array<char*, 3> words{program.data(), what.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  if (posix_spawn_file_actions_init(&quiet) != 0) return;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    (void)posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  (void)posix_spawnp(&child, program.data(), &quiet, nullptr, words.data(), environ);
  (void)posix_spawn_file_actions_destroy(&quiet);
}

}  // namespace panto::live
