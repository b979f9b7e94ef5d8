#pragma once
// Writes completion files and the manual page from a command's options; names the commands of the Python
// package.

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}

namespace panto::app {

/// Returns the completion file of `app` for `shell`: "bash", "zsh" or "fish". `models`: what --robot takes;
/// --model takes all of them or those that its help names.
[[nodiscard]] std::string completion(const CLI::App& app, const std::string& shell,
                                     const std::vector<std::string>& models);
/// Returns the manual page of `app` for roff.
[[nodiscard]] std::string manual(const CLI::App& app, const std::string& version);
/// Adds the commands that the Python package runs (python/panto/_batch_command.py, _picture_command.py):
/// their help says how, and each throws ConfigError with the way to the package.
void add_packaged(CLI::App& app);

}  // namespace panto::app
