#include "apps/support/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>

#include "panto/base/nearest_name.hpp"
#include "panto/base/printable.hpp"

namespace panto::app {
namespace {

constexpr std::size_t kLeft = 26, kWidth = 80;

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

// formats two columns; wraps the right one between words and keeps its line breaks
std::string two_columns(const std::string& left, const std::string& right) {
  std::string out = "  " + left;
  std::size_t column = out.size();
  const auto indent = [&] {
    out += "\n" + std::string(kLeft, ' ');
    column = kLeft;
  };
  if (column + 2 > kLeft) {
    indent();
  } else {
    out += std::string(kLeft - column, ' ');
    column = kLeft;
  }
  for (std::size_t at = 0; at < right.size();) {
    const std::size_t end = std::min(right.find_first_of(" \n", at), right.size());
    const std::string word = right.substr(at, end - at);
    if (column > kLeft && column + 1 + word.size() > kWidth) indent();
    if (column > kLeft) out += ' ', ++column;
    out += word;
    column += word.size();
    if (end < right.size() && right[end] == '\n') indent();
    at = end + 1;
  }
  return out + "\n";
}

// the most used options come first, the rest in the order in which they were added
constexpr std::array<std::string_view, 12> kMostUsed{"robot", "model",  "out",     "report",
                                                     "pose",  "motion", "sensors", "height",
                                                     "rate",  "feet",   "smooth",  "angles"};

std::size_t rank(const CLI::Option* option) {
  const std::vector<std::string>& names = option->get_lnames();
  const auto used = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (used("help")) return kMostUsed.size() + 1;
  return static_cast<std::size_t>(std::find_if(kMostUsed.begin(), kMostUsed.end(), used) - kMostUsed.begin());
}

class PlainHelp final : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    if (!positional)
      std::stable_sort(options.begin(), options.end(),
                       [](const CLI::Option* a, const CLI::Option* b) { return rank(a) < rank(b); });
    return Formatter::make_group(group, positional, options);
  }
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    return positional ? upper_case(option->get_name(true, false)) : option->get_name(false, true);
  }
  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string left = make_option_name(option, positional);
    if (positional) return two_columns(left, option->get_description());
    const std::string& text = option->get_option_text();
    if (!text.empty()) left += " " + text;
    if (option->get_positional())
      return two_columns(left, "Same as " + upper_case(option->get_name(true, false)));
    return two_columns(left, option->get_description());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return two_columns(sub->get_name(), sub->get_description());
  }
};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  }
  return names;
}

// what a word or an option that a command does not take was meant for; empty: unknown
std::string meant_argument(const CLI::App& sub, const std::string& extra) {
  if (extra.empty()) return {};
  if (extra.find('.') == std::string::npos)
    return sub.get_option_no_throw("--robot") != nullptr ? "; for a robot write --robot " + extra : "";
  return sub.get_option_no_throw("--out") != nullptr ? "; for an output write -o " + extra : "";
}

std::string meant_option(const CLI::App& app, const CLI::App& sub, const std::string& extra) {
  if (extra == "--robot" && sub.get_name() == "track")
    return "; for a robot's joint angles: panto retarget RECORDING --robot NAME";
  if (extra == "--robot" && sub.get_name() == "map") return "; the robot is its argument: panto map NAME";
  std::string others;
  for (const CLI::App* other :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    const CLI::Option* option = other->get_option_no_throw(extra);
    if (option == nullptr || option->get_group().empty()) continue;
    others += (others.empty() ? "" : ", ") + other->get_name();
  }
  return others.empty() ? "" : "; commands with it: " + others;
}

// refuses the words left over after parsing
[[noreturn]] void refuse_extras(const CLI::App& app, const CLI::App& sub) {
  const std::string command = "panto " + sub.get_name();
  std::vector<std::string> extras = sub.remaining();
  if (extras.empty()) extras = app.remaining(true);
  const std::string extra = extras.empty() ? "" : extras.front().substr(0, extras.front().find('='));
  if (extra.empty() || extra[0] != '-')
    throw ConfigError("unexpected argument '" + extra + "': `" + command + "` takes no more" +
                      meant_argument(sub, extra) + " (see `" + command + " --help`)");
  std::vector<std::string> names;
  for (const CLI::Option* option : sub.get_options()) {
    if (option->get_group().empty()) continue;  // refused with a reason, hence not in the help
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string meant = meant_option(app, sub, extra);  // a name as it stands is meant before a near one
  const std::string nearest = meant.empty() ? nearest_name(extra, names) : "";
  throw ConfigError("unknown option '" + extra + "' of `" + command + "`" +
                    (nearest.empty() ? meant : "; did you mean '" + nearest + "'?") + " (`" + command +
                    " --help` lists all)");
}

}  // namespace

void use_plain_help(CLI::App& app) {
  app.formatter(std::make_shared<PlainHelp>());
  app.get_formatter()->label("Positionals", "Arguments");
  app.set_help_flag("-h,--help", "Print this help and exit");
}

double number_between(const std::string& option, const std::string& text, double lower, double upper,
                      const std::string& unit) {
  double value = std::nan("");
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end && value >= lower && value <= upper) return value;
  char range[80];
  std::snprintf(range, sizeof range, "%g to %g", lower, upper);
  throw ConfigError(option + " is '" + text + "', must be a number from " + range +
                    (unit.empty() ? "" : " " + unit));
}

void add_words(CLI::App& app, const std::string& name, const std::function<void(const std::string&)>& take,
               const std::string& kind, const std::string& help) {
  app.add_option_function<std::string>(name, take, help)->option_text(kind);
}

namespace {

template <typename T>
void add_any_number(CLI::App& app, const std::string& name, T& value, double lower, double upper,
                    const std::string& unit, const std::string& help) {
  add_words(
      app, name,
      [=, &value](const std::string& text) { value = number_between(name, text, lower, upper, unit); },
      "NUMBER", help);
}

template <typename T>
void add_whole(CLI::App& app, const std::string& name, T& value, double lower, double upper,
               const std::string& help) {
  const auto take = [=, &value](const std::string& text) {
    const double number = number_between(name, text, lower, upper, "");
    if (number != std::floor(number)) throw ConfigError(name + " is '" + text + "', must be a whole number");
    value = number;
  };
  add_words(app, name, take, "NUMBER", help);
}

}  // namespace

void add_number(CLI::App& app, const std::string& name, double& value, double lower, double upper,
                const std::string& unit, const std::string& help) {
  add_any_number(app, name, value, lower, upper, unit, help);
}

void add_number(CLI::App& app, const std::string& name, std::optional<double>& value, double lower,
                double upper, const std::string& unit, const std::string& help) {
  add_any_number(app, name, value, lower, upper, unit, help);
}

void add_whole_number(CLI::App& app, const std::string& name, double& value, double lower, double upper,
                      const std::string& help) {
  add_whole(app, name, value, lower, upper, help);
}

void add_whole_number(CLI::App& app, const std::string& name, std::optional<double>& value, double lower,
                      double upper, const std::string& help) {
  add_whole(app, name, value, lower, upper, help);
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
                      const std::string& help) {
  return app.add_option(name, value, help)->option_text(kind);
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                      const std::string& kind, const std::string& help) {
  return app.add_option(name, value, help)->option_text(kind);
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& kind, const std::string& help) {
  return app.add_option(name, values, help)->option_text(kind)->take_all()->expected(1);
}

void add_file(CLI::App& app, const std::string& name, std::string& value, const std::string& kind,
              const std::string& help) {
  const auto take = [name, &value](const std::string& text) {
    if (text.empty()) throw ConfigError(name + " is empty: the file name is missing");
    value = text;
  };
  add_words(app, name, take, kind, help);
}

CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& value, const std::string& help) {
  return app.add_flag(name, value, help);
}

void add_choice_of(CLI::App& app, const std::string& name, const std::vector<std::string>& words,
                   std::size_t standard, const std::function<void(std::size_t)>& take,
                   const std::string& help) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : "|") + word;
  const auto choose = [=](const std::string& text) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) throw ConfigError(unknown_name("choice", text, name, words));
    take(static_cast<std::size_t>(found - words.begin()));
  };
  add_words(app, name, choose, all, help + " (default " + words[standard] + ")");
}

std::vector<std::string> given_besides(const CLI::App& app, const std::vector<std::string>& names) {
  std::vector<std::string> given;
  for (const CLI::Option* one : app.get_options())
    if (one->count() > 0 && std::find(names.begin(), names.end(), one->get_name()) == names.end())
      given.push_back(one->get_name());
  return given;
}

void refuse_given(const std::vector<std::string>& given, const std::string& input, const std::string& what,
                  const std::vector<std::string>& besides) {
  for (std::string word : given)
    if (std::find(besides.begin(), besides.end(), word) == besides.end())
      throw ConfigError(word.append(" has no effect: '").append(input).append("' ").append(what));
}

void refuse_motion_words(const std::vector<std::string>& given, const std::string& input) {
  for (std::string word : given)
    if (word == "--robot" || word == "--from" || word == "--for")
      throw ConfigError(word.append(" applies to robots' motions; '")
                            .append(input)
                            .append("' holds none; put a person on a robot with `panto retarget`"));
}

namespace {

// @throws ConfigError for an unknown command, with the nearest name
void check_command(const CLI::App& app, const std::string& word) {
  const auto called = [&](const CLI::App* sub) { return sub->get_name() == word; };
  if (!app.get_subcommands(called).empty()) return;
  const std::vector<std::string> commands = command_names(app);
  std::vector<std::string> all;  // with those that the help does not list
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(sub->get_name());
  const std::string nearest = word == "list" || word == "models" ? "robots" : nearest_name(word, all);
  throw ConfigError("unknown command '" + word.substr(0, 80) + "'" +
                    (nearest.empty() ? "." : "; did you mean '" + nearest + "'?") +
                    " Commands: " + CLI::detail::join(commands, ", "));
}

// what CLI11 found wrong: "--in is required", "--in: At Most 1 required ...", "--in: 1 required TEXT
// missing", "Could not convert: --json = 3"
std::string plain(const CLI::App& sub, const CLI::ParseError& error) {
  std::string text = error.what();
  const bool conversion = text.rfind("Could not convert: ", 0) == 0;
  if (conversion) text.erase(0, text.find(": ") + 2);
  const std::string name = text.substr(0, text.find_first_of(": "));
  const CLI::Option* option = sub.get_option_no_throw(name);
  if (option == nullptr) return text;
  const bool positional = option->get_positional();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return (positional ? upper_case(option->get_name(true, false)) : option->get_name(false, true)) +
           " is missing: " + option->get_description();
  if (text.find("At Most 1 required") != std::string::npos)
    return name + (positional ? " (or the argument in its place)" : "") + " was given more than once";
  if (text.find(" missing") != std::string::npos)
    return name + " needs a value: " + name + " " + option->get_option_text();
  return conversion ? name + " takes no value: remove '=" + text.substr(text.find(" = ") + 3) + "'" : text;
}

// A file's name with a line break could forge a line of what is printed. A list of checks may be written in
// lines.
void refuse_line_breaks(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].find_first_of("\n\r") != std::string::npos && !words[i].starts_with("--fail-on") &&
        (i == 0 || words[i - 1] != "--fail-on"))
      throw ConfigError("a line break in '" + printable_name(words[i]) + "': rename the file");
}

// the words after `panto`; `help COMMAND` is `COMMAND --help`
std::vector<std::string> words_of(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  refuse_line_breaks(words);
  if (words.empty())
    throw ConfigError("No command given. Commands: " + CLI::detail::join(command_names(app), ", ") +
                      "; `panto --help` explains them");
  if (words[0].empty() || words[0][0] != '-') check_command(app, words[0]);
  if (words[0] != "help") return words;
  words.erase(words.begin());
  if (words.empty()) return {"--help"};
  if (words[0].rfind('-', 0) == 0) return {"help", "--help"};
  check_command(app, words[0]);
  if (words.size() > 1)
    throw ConfigError("unexpected argument '" + words[1] + "': `panto help` explains one command at a time");
  return {words[0], "--help"};
}

// an option before any command that `panto` does not have
[[noreturn]] void refuse_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  if (const std::string nearest = nearest_name(word, names); !nearest.empty())
    throw ConfigError("unknown option '" + word + "'; did you mean '" + nearest + "'?");
  throw ConfigError("'" + word +
                    "' comes before the command; options follow it, as in `panto track FILE -o OUT`; "
                    "`panto --help` explains all");
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words = words_of(app, argc, argv);
  for (CLI::App* sub : app.get_subcommands([](const CLI::App* one) { return one->get_group() != ""; }))
    sub->group("Commands");
  const bool option_first = !words.empty() && words.front().size() > 1 && words.front()[0] == '-';
  if (option_first && app.get_option_no_throw(words.front()) == nullptr) refuse_option(app, words.front());
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(std::move(words));
    return std::nullopt;
  } catch (const CLI::Success& done) {
    app.exit(done);
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const CLI::App& sub = chosen.empty() ? app : *chosen.front();
    // a misspelt option also leaves a required one missing: the misspelt one is the reason
    const bool misspelt =
        !chosen.empty() && !sub.remaining().empty() && sub.remaining().front().rfind('-', 0) == 0;
    if (misspelt || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) refuse_extras(app, sub);
    throw ConfigError("`" + (chosen.empty() ? std::string("panto") : "panto " + sub.get_name()) +
                      "`: " + plain(sub, error));
  }
}

}  // namespace panto::app
