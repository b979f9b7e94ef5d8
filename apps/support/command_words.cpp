// See command_words.hpp.

#include "apps/support/command_words.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string_view>

#include "panto/base/error.hpp"

namespace panto::app {
namespace {

// all of them: the help does not list completion and man, which are for once
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_group().empty() && option->nonpositional(); });
}

// -o --out --output
std::vector<std::string> words_of(const CLI::Option& option) {
  std::vector<std::string> words;
  for (const std::string& name : option.get_snames()) words.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.push_back("--" + name);
  return words;
}

std::string joined(const std::vector<std::string>& words) { return CLI::detail::join(words, " "); }

std::string names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return joined(names);
}

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_' || c == '-';
  });
}

// the words of "a, b or c" (each with a remark in brackets or without)
std::string enumerated(std::string list) {
  for (std::size_t open = list.find(" ("); open != std::string::npos; open = list.find(" ("))
    list.erase(open, std::min(list.find(')', open), list.size() - 1) + 1 - open);
  for (std::size_t at = list.find(" or "); at != std::string::npos; at = list.find(" or "))
    list.replace(at, 4, ", ");
  std::vector<std::string> words;
  for (std::string& word : CLI::detail::split(list, ',')) {
    if (!is_word(CLI::detail::trim(word))) return {};
    words.push_back(word);
  }
  return joined(words);
}

// the words that a help explains, each on a line of its own as "word: meaning"
std::string explained(const std::string& help) {
  std::vector<std::string> words;
  for (std::size_t end = help.find('\n'); end != std::string::npos;) {
    const std::size_t at = end + 1;
    const std::string word = help.substr(at, help.find(':', at) - at);
    end = help.find('\n', at);
    if (is_word(word)) words.push_back(word);
  }
  return joined(words);
}

// the words that a help lists: of an argument, --for, --fault, --pose, --scene, ...; empty: none
std::string listed_in(const std::string& help) {
  if (const std::string words = explained(help); !words.empty()) return words;
  for (const char* before : {"at the rate it expects: ", "One or several of ", "Use a held pose: "}) {
    const std::size_t at = help.find(before);
    if (at == std::string::npos) continue;
    const std::size_t from = at + std::string_view(before).size();
    return enumerated(help.substr(from, help.find('.', from) - from));
  }
  return {};
}

// the words that a command takes as its argument; empty: files
std::string arguments_of(const CLI::App& app, const CLI::App& command) {
  if (command.get_name() == "help") return names_of(commands_of(app));
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string words = listed_in(option->get_description());
    return words.empty() ? enumerated(option->get_description()) : words;
  }
  return {};
}

bool takes_model(const CLI::Option& option) {
  return option.check_name("--robot") || option.check_name("--model");
}

// the words that an option takes; empty: a file or a number
std::string values_of(const CLI::Option& option, const std::vector<std::string>& models) {
  std::string text = option.get_option_text();
  if (takes_model(option)) {
    // all models where any robot will do, else those that the help names
    const std::string& help = option.get_description();
    if (help.find("robot") != std::string::npos) return joined(models);
    std::vector<std::string> named;
    std::copy_if(models.begin(), models.end(), std::back_inserter(named),
                 [&](const std::string& model) { return help.find(model) != std::string::npos; });
    return joined(named);
  }
  if (text.find('|') == std::string::npos) return listed_in(option.get_description());
  if (text.find_first_of(".[") != std::string::npos) return {};
  std::replace(text.begin(), text.end(), '|', ' ');
  return text;
}

// the first sentence on one line
std::string brief(const std::string& description) {
  std::string text = description.substr(0, description.find_first_of(";\n("));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// puts `escape` before each of `special`
std::string escaped(const std::string& text, std::string_view special, std::string_view escape) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += escape;
    out += c;
  }
  return out;
}

// a description between brackets of _arguments, within single quotes
std::string zsh_brief(const std::string& description) {
  std::string out;
  for (const char c : escaped(brief(description), "\\[]:", "\\"))
    out += c == '\'' ? "'\\''" : std::string(1, c);
  return out;
}

std::string fish_brief(const std::string& description) {
  return "'" + escaped(brief(description), "\\'", "\\") + "'";
}

// a line of a case of bash
std::string bash_case(const std::string& pattern, const std::string& words) {
  return words.empty() ? "" : "    " + pattern + ") words='" + words + "' ;;\n";
}

std::string bash_completion(const CLI::App& app, const std::vector<std::string>& models) {
  const auto commands = commands_of(app);
  std::string values, arguments, options;
  for (const CLI::App* command : commands) {
    const std::string& called = command->get_name();
    std::string words;
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : words_of(*option)) {
        words += (words.empty() ? "" : " ") + name;
        values += bash_case(fmt::format("'{} {}'", called, name), values_of(*option, models));
      }
    }
    options += bash_case(called, words);
    arguments += bash_case(called, arguments_of(app, *command));
  }
  return "# panto completion bash > ~/.local/share/bash-completion/completions/panto\n_panto() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=''\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '" +
         names_of(commands) +
         " --help -h --version -v' -- \"$cur\"))\n    return\n  fi\n"
         "  local before=${COMP_WORDS[COMP_CWORD-1]}\n"  // --robot=g1 is three words
         "  if [[ $cur == = ]]; then cur=''\n"
         "  elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  case \"$command $before\" in\n" +
         values +
         "  esac\n"
         "  if [[ -z $words && $cur == -* ]]; then\n  case $command in\n" +
         options +
         "  esac\n"
         "  elif ((COMP_CWORD == 2)); then\n  case $command in\n" +
         arguments +
         "  esac\n  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\ncomplete -o default -o filenames -F _panto panto\n";
}

// what zsh does for a value: _arguments splits at colons, so those inside are escaped
std::string zsh_action(const std::string& words, bool files) {
  if (words.empty()) return "_files";
  if (!files) return "(" + words + ")";
  return "{_alternative \"words\\:words\\:(" + words + ")\" \"files\\:files\\:_files\"}";
}

std::string zsh_options(const CLI::App& command, const std::vector<std::string>& models) {
  std::string text;
  for (const CLI::Option* option : options_of(command)) {
    const std::string value = option->get_option_text().empty()
                                  ? ""
                                  : ":value:" + zsh_action(values_of(*option, models), takes_model(*option));
    for (const std::string& name : words_of(*option))
      text.append("      '*")
          .append(name)
          .append("[")
          .append(zsh_brief(option->get_description()))
          .append("]")
          .append(value)
          .append("' \\\n");
  }
  return text;
}

std::string zsh_completion(const CLI::App& app, const std::vector<std::string>& models) {
  const auto commands = commands_of(app);
  std::string text =
      "#compdef panto\n# panto completion zsh > a folder of $fpath/_panto\n"
      "if ((CURRENT == 2)); then\n  compadd -- " +
      names_of(commands) + " --help --version\n  return\nfi\ncase $words[2] in\n";
  for (const CLI::App* command : commands) {
    const std::string& name = command->get_name();
    const std::string words = arguments_of(app, *command);
    text.append("  ")
        .append(name)
        .append(")\n    shift words; ((CURRENT--))\n    _arguments \\\n")
        .append(zsh_options(*command, models))
        .append(words.empty() ? "      '*:argument:" : "      '1:argument:")
        .append(zsh_action(words, name == "synthesize"))
        .append("' ;;\n");
  }
  return text + "esac\n";
}

// the line of one option
std::string fish_option(const std::string& command, const CLI::Option& option,
                        const std::vector<std::string>& models) {
  std::string text = "complete -c panto -n '__fish_seen_subcommand_from " + command + "'";
  for (const std::string& word : option.get_snames()) text += " -s " + word;
  for (const std::string& word : option.get_lnames()) text += " -l " + word;
  const std::string valid = values_of(option, models);
  if (!option.get_option_text().empty()) text += valid.empty() || takes_model(option) ? " -r" : " -x";
  if (!valid.empty()) text += " -a '" + valid + "'";
  return text + " -d " + fish_brief(option.get_description()) + "\n";
}

std::string fish_completion(const CLI::App& app, const std::vector<std::string>& models) {
  std::string text = "# panto completion fish > ~/.config/fish/completions/panto.fish\n";
  for (const CLI::App* command : commands_of(app)) {
    const std::string& name = command->get_name();
    text += fmt::format("complete -c panto -n __fish_use_subcommand -f -a {} -d {}\n", name,
                        fish_brief(command->get_description()));
    if (const std::string words = arguments_of(app, *command); !words.empty())
      text += fmt::format("complete -c panto -n '__fish_seen_subcommand_from {}' {}-a '{}'\n", name,
                          name == "synthesize" ? "" : "-f ", words);
    for (const CLI::Option* option : options_of(*command)) text += fish_option(name, *option, models);
  }
  return text;
}

// escapes text for roff; `apart` keeps the line breaks of the text
std::string roff(const std::string& text, bool apart = false) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begins = c == '\n';
    if (begins && apart) out += ".br\n";
  }
  return out + "\n";
}

// the line after "Usage: " of the help
std::string usage_of(const CLI::App& command) {
  const std::string help = command.help("panto");
  const std::size_t at = help.find("Usage: ");
  if (at == std::string::npos) return "panto " + command.get_name();
  return help.substr(at + 7, help.find('\n', at) - at - 7);
}

std::string roff_entry(const std::string& name, const std::string& meaning) {
  return ".TP\n.B " + roff(name) + roff(meaning, true);
}

// arguments, then options, with the names of the help
std::string roff_options(const CLI::App& command) {
  std::string arguments;
  std::map<std::string, std::string> options;  // by group
  for (const CLI::Option* option : command.get_options()) {
    const std::string& group = option->get_group();
    if (group.empty()) continue;
    std::string meaning = option->get_description();
    if (option->get_positional()) {
      std::string name = option->get_name(true, false);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
      arguments += roff_entry(name, meaning);
      meaning = "Same as " + name;
    }
    if (!option->nonpositional()) continue;
    std::string names = CLI::detail::join(words_of(*option), ", ");
    if (!option->get_option_text().empty()) names += " " + option->get_option_text();
    options[group] += roff_entry(names, meaning);
  }
  std::string text = arguments + options["Options"];
  for (const auto& [group, entries] : options)
    if (group != "Options") text += ".PP\n" + roff(group + ":") + entries;
  return text;
}

void add_packaged(CLI::App& app, const std::string& task, const std::string& does, const std::string& usage,
                  const std::string& example) {
  CLI::App* sub = app.add_subcommand(task, does + "; needs Panto's Python package.")->prefix_command();
  sub->footer("With the package (pip install .), whose help explains all options:\n  panto " + task + " " +
              usage + "\nExample:\n  panto " + task + " " + example);
  sub->callback([task] {
    throw ConfigError("`panto " + task + "` needs Panto's Python package: pip install ., then run it again");
  });
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell,
                       const std::vector<std::string>& models) {
  if (shell == "bash") return bash_completion(app, models);
  return shell == "zsh" ? zsh_completion(app, models) : fish_completion(app, models);
}

std::string manual(const CLI::App& app, const std::string& version) {
  std::string text = ".TH PANTO 1 \"\" \"panto " + version +
                     "\"\n.SH NAME\npanto \\- motion capture to joint angles\n.SH SYNOPSIS\n.nf\n";
  for (const CLI::App* command : commands_of(app)) text += ".B " + roff(usage_of(*command));
  text += ".fi\n.SH DESCRIPTION\n" + roff(app.get_description()) + ".SH OPTIONS\n" + roff_options(app) +
          ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    text += ".SS " + command->get_name() + "\n" + roff(command->get_description()) + ".PP\n.B " +
            roff(usage_of(*command)) + roff_options(*command);
    if (!command->get_footer().empty()) text += ".PP\n.nf\n" + roff(command->get_footer()) + ".fi\n";
  }
  return text;
}

void add_packaged(CLI::App& app) {
  add_packaged(app, "batch", "Retarget many recordings", "IN... --robot NAME -o FOLDER [OPTIONS]",
               "clips/ --robot g1 -o set");
  add_packaged(app, "picture", "Draw a report page as PNG, WebM or GIF", "PAGE -o FILE [OPTIONS]",
               "dance.html --at 4.8 -o dance.png");
}

}  // namespace panto::app
