#pragma once
// Writes completion files and the manual page from a command's options.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace panto::app {

/// Returns the completion file of `app` for `shell`: "bash", "zsh" or "fish". `models`: what --robot takes;
/// --model takes all of them or those that its help names.
[[nodiscard]] std::string completion(const CLI::App& app, const std::string& shell,
                                     const std::vector<std::string>& models);
/// Returns the manual page of `app` for roff.
[[nodiscard]] std::string manual(const CLI::App& app, const std::string& version);

}  // namespace panto::app
