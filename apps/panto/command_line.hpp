#pragma once
// Common parts of the sub-commands' lines: options with readable texts, help that fits a terminal, and
// messages for wrong lines.

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"

namespace panto::app {

/// Prints help in two columns, at most 80 characters wide.
void use_plain_help(CLI::App& app);

/// Returns the number in `text`. @throws ConfigError naming the option unless it lies in `lower` .. `upper`,
/// with `unit` after the range.
[[nodiscard]] double number_between(const std::string& option, const std::string& text, double lower,
                                    double upper, const std::string& unit);

/// Adds an option that takes a number. T is double or std::optional<double>.
template <typename T>
void add_number(CLI::App& app, const std::string& name, T& value, double lower, double upper,
                const std::string& unit, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [=, &value](const std::string& text) { value = number_between(name, text, lower, upper, unit); },
         help)
      ->option_text("NUMBER");
}

/// Adds an option that takes a whole number.
void add_whole_number(CLI::App& app, const std::string& name, double& value, double lower, double upper,
                      const std::string& help);
void add_whole_number(CLI::App& app, const std::string& name, std::optional<double>& value, double lower,
                      double upper, const std::string& help);

/// Adds an option that takes text; a list of it may be repeated. `kind` is shown for its value.
template <typename T>
CLI::Option* add_text(CLI::App& app, const std::string& name, T& value, const std::string& kind,
                      const std::string& help) {
  CLI::Option* option = app.add_option(name, value, help)->option_text(kind);
  if constexpr (std::is_same_v<T, std::vector<std::string>>) option->take_all()->expected(1);
  return option;
}

/// Adds an option that takes a file name. Refuses an empty one, as an unset shell variable gives.
void add_file(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
              const std::string& help);

inline constexpr const char* kPackageDirHelp = "Search the robot's meshes here too; may be repeated";

/// Adds an option that takes one of a few words. The value of `value` is the default, or the first
/// word if it is not one of them.
template <typename T>
void add_choice(CLI::App& app, const std::string& name, T& value,
                const std::vector<std::pair<std::string, T>>& choices, const std::string& help) {
  std::string words, standard = choices.front().first;
  std::vector<std::string> valid;
  bool among = false;
  for (const auto& [word, meaning] : choices) {
    words += (words.empty() ? "" : "|") + word;
    valid.push_back(word);
    if (!(value == meaning)) continue;
    standard = word;
    among = true;
  }
  if (!among) value = choices.front().second;
  app.add_option_function<std::string>(
         name,
         [=, &value](const std::string& text) {
           for (const auto& [word, meaning] : choices) {
             if (word == text) {
               value = meaning;
               return;
             }
           }
           throw ConfigError(unknown_name("choice", text, name, valid));
         },
         help + " (default " + standard + ")")
      ->option_text(words);
}

/// Parses the command line. Returns an exit code if the program must end now; the reason has been printed.
/// @throws ConfigError for a wrong line, saying what would be right.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace panto::app
