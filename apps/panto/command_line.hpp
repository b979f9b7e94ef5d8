#pragma once
// What the sub-commands' lines have in common: options with pleasant texts, help that fits a terminal, and
// answers to a line that cannot be understood.

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"

namespace panto::app {

/// Help in two columns, at most 80 wide.
void use_plain_help(CLI::App& app);

/// The number in `text`. @throws ConfigError naming the option unless it lies in `lower` .. `upper`, with
/// `unit` behind the range.
[[nodiscard]] double number_between(const std::string& option, const std::string& text, double lower,
                                    double upper, const std::string& unit);

/// An option that takes a number. T is double or std::optional<double>.
template <typename T>
void add_number(CLI::App& app, const std::string& name, T& value, double lower, double upper,
                const std::string& unit, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [=, &value](const std::string& text) { value = number_between(name, text, lower, upper, unit); },
         help)
      ->option_text("NUMBER");
}

/// An option that takes a whole number.
void add_whole_number(CLI::App& app, const std::string& name, double& value, double lower, double upper,
                      const std::string& help);
void add_whole_number(CLI::App& app, const std::string& name, std::optional<double>& value, double lower,
                      double upper, const std::string& help);

/// An option that takes a file's name. An empty one, as an unset variable of the shell leaves it, is refused.
void add_file(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
              const std::string& help);

/// An option that takes one of a few words. What `value` holds is the default, or the first word where it
/// holds none of them.
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

/// Parses the line. An answer: the program is to end with that exit code, the reason has been printed.
/// @throws ConfigError for a line that cannot be understood, saying what would be right.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace panto::app
