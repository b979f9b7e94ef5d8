#pragma once
// Common parts of the sub-commands' lines: options with readable texts, help that fits a terminal, and
// messages for wrong lines.

#include <CLI/App.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"

namespace panto::app {

/// Prints help in two columns, at most 80 characters wide.
void use_plain_help(CLI::App& app);

/// Returns the number in `text`. @throws ConfigError naming the option unless it lies in `lower` .. `upper`,
/// with `unit` after the range.
[[nodiscard]] double number_between(const std::string& option, const std::string& text, double lower,
                                    double upper, const std::string& unit);

/// Adds an option that takes a number from `lower` to `upper`.
void add_number(CLI::App& app, const std::string& name, double& value, double lower, double upper,
                const std::string& unit, const std::string& help);
void add_number(CLI::App& app, const std::string& name, std::optional<double>& value, double lower,
                double upper, const std::string& unit, const std::string& help);

/// Adds an option that takes a whole number.
void add_whole_number(CLI::App& app, const std::string& name, double& value, double lower, double upper,
                      const std::string& help);
void add_whole_number(CLI::App& app, const std::string& name, std::optional<double>& value, double lower,
                      double upper, const std::string& help);

/// Adds an option that takes text; a list of it may be repeated. `kind` is shown for its value.
CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
                      const std::string& help);
CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                      const std::string& kind, const std::string& help);
CLI::Option* add_text(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& kind, const std::string& help);

/// Adds an option that takes text and passes it to `take`, which throws ConfigError for a wrong one.
void add_words(CLI::App& app, const std::string& name, const std::function<void(const std::string&)>& take,
               const std::string& kind, const std::string& help);

/// Adds an option that takes a file name. Refuses an empty one, as an unset shell variable gives.
void add_file(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
              const std::string& help);

/// Adds an option without a value.
CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& value, const std::string& help);

inline constexpr const char* kPackageDirHelp = "Search the robot's meshes here too; may be repeated";

/// Adds an option that takes one of `words`, and passes the number of the one that was given to `take`.
/// `standard`: number of the default.
void add_choice_of(CLI::App& app, const std::string& name, const std::vector<std::string>& words,
                   std::size_t standard, const std::function<void(std::size_t)>& take,
                   const std::string& help);

/// Adds an option that takes one of a few words. The value of `value` is the default, or the first
/// word if it is not one of them.
template <typename T>
void add_choice(CLI::App& app, const std::string& name, T& value,
                const std::vector<std::pair<std::string, T>>& choices, const std::string& help) {
  std::vector<std::string> words;
  std::vector<T> meanings;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    meanings.push_back(meaning);
  }
  std::size_t standard = 0;
  while (standard < meanings.size() && !(value == meanings[standard])) ++standard;
  if (standard == meanings.size()) value = meanings[standard = 0];
  add_choice_of(
      app, name, words, standard, [meanings, &value](std::size_t i) { value = meanings[i]; }, help);
}

/// Returns the options that were given, besides these.
[[nodiscard]] std::vector<std::string> given_besides(const CLI::App& app,
                                                     const std::vector<std::string>& names);

/// @throws ConfigError for the first of `given` that is not one of `besides`: it has no effect on `input`,
/// which is `what` ("holds raw sensors").
void refuse_given(const std::vector<std::string>& given, const std::string& input, const std::string& what,
                  const std::vector<std::string>& besides = {});
/// @throws ConfigError for --for, --from and --robot: the input is no robot's motion.
void refuse_motion_words(const std::vector<std::string>& given, const std::string& input);

/// Parses the command line. Returns an exit code if the program must end now; the reason has been printed.
/// @throws ConfigError for a wrong line, saying what would be right.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace panto::app
