// panto completion, panto man.

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "apps/panto/commands.hpp"
#include "apps/support/command_line.hpp"
#include "apps/support/command_words.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/shipped_robots.hpp"

namespace panto::app {

void add_completion(CLI::App& app, Run& run) {
  CLI::App* sub =
      app.add_subcommand("completion", "Print the completion file for bash, zsh or fish.")->group("");
  const auto shell = std::make_shared<std::string>();
  add_text(*sub, "shell", *shell, "SHELL", "bash, zsh or fish")->required();
  sub->callback([shell, &app, &run] {
    if (*shell != "bash" && *shell != "zsh" && *shell != "fish")
      throw ConfigError(unknown_name("shell", *shell, "`panto completion`", {"bash", "zsh", "fish"}));
    run = [shell, &app] {
      std::vector<std::string> models = io::shipped_models();
      for (const io::RobotAlias& known : io::robot_aliases()) models.emplace_back(known.alias);
      std::fputs(completion(app, *shell, models).c_str(), stdout);
      return kGood;
    };
  });
  app.add_subcommand("man", "Print the manual page.")->group("")->callback([&app, &run] {
    run = [&app] {
      std::fputs(manual(app, PANTO_VERSION).c_str(), stdout);
      return kGood;
    };
  });
}

}  // namespace panto::app
