// See command_words.hpp.

#include "apps/support/command_words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string_view>

namespace panto::app {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
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

// the words that an option takes; empty: a file or a number
std::string values_of(const CLI::Option& option, const std::vector<std::string>& models) {
  std::string text = option.get_option_text();
  const std::vector<std::string> words = words_of(option);
  const auto is = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (is("--robot") || is("--model")) {
    // all models where any robot will do, else those that the help names
    const std::string& help = option.get_description();
    if (help.find("robot") != std::string::npos) return joined(models);
    std::vector<std::string> named;
    std::copy_if(models.begin(), models.end(), std::back_inserter(named),
                 [&](const std::string& model) { return help.find(model) != std::string::npos; });
    return joined(named);
  }
  if (text.find('|') == std::string::npos || text.find_first_of(".[,") != std::string::npos) return {};
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

std::string bash_completion(const CLI::App& app, const std::vector<std::string>& models) {
  const auto commands = commands_of(app);
  std::string values, options;
  for (const CLI::App* command : commands) {
    std::string words;
    for (const CLI::Option* option : options_of(*command)) {
      const std::vector<std::string> names = words_of(*option);
      words += (words.empty() ? "" : " ") + joined(names);
      const std::string valid = values_of(*option, models);
      for (const std::string& name : names) {
        if (!valid.empty())
          values.append("    '")
              .append(command->get_name())
              .append(" ")
              .append(name)
              .append("') words='")
              .append(valid)
              .append("' ;;\n");
      }
    }
    options += "    " + command->get_name() + ") words='" + words + "' ;;\n";
  }
  return "# panto completion bash > ~/.local/share/bash-completion/completions/panto\n_panto() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=''\n"
         "  if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $command == help ]]; }; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names_of(commands) +
         " --help --version' -- \"$cur\"))\n    return\n  fi\n"
         "  case \"$command ${COMP_WORDS[COMP_CWORD-1]}\" in\n" +
         values +
         "  esac\n"
         "  if [[ -z $words && $cur == -* ]]; then\n  case $command in\n" +
         options +
         "  esac\n  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\ncomplete -o default -o filenames -F _panto panto\n";
}

std::string zsh_completion(const CLI::App& app, const std::vector<std::string>& models) {
  const auto commands = commands_of(app);
  std::string text =
      "#compdef panto\n# panto completion zsh > a folder of $fpath/_panto\n"
      "if ((CURRENT == 2)); then\n  compadd -- " +
      names_of(commands) +
      " --help --version\n  return\nfi\n"
      "case $words[2] in\n  help) compadd -- " +
      names_of(commands) + " ;;\n";
  for (const CLI::App* command : commands) {
    if (command->get_name() == "help") continue;
    text += "  " + command->get_name() + ")\n    shift words; ((CURRENT--))\n    _arguments \\\n";
    for (const CLI::Option* option : options_of(*command)) {
      const std::string valid = values_of(*option, models);
      const std::string value =
          option->get_option_text().empty() ? ""
          : valid.empty()                   ? ":value:_files"
                          : ":value:_alternative \"words:words:(" + valid + ")\" \"files:files:_files\"";
      for (const std::string& name : words_of(*option))
        text.append("      '*")
            .append(name)
            .append("[")
            .append(zsh_brief(option->get_description()))
            .append("]")
            .append(value)
            .append("' \\\n");
    }
    text += "      '*:file:_files' ;;\n";
  }
  return text + "esac\n";
}

std::string fish_completion(const CLI::App& app, const std::vector<std::string>& models) {
  std::string text = "# panto completion fish > ~/.config/fish/completions/panto.fish\n";
  for (const CLI::App* command : commands_of(app)) {
    const std::string& name = command->get_name();
    text += "complete -c panto -n __fish_use_subcommand -f -a " + name + " -d " +
            fish_brief(command->get_description()) + "\n";
    for (const CLI::Option* option : options_of(*command)) {
      text += "complete -c panto -n '__fish_seen_subcommand_from " + name + "'";
      for (const std::string& word : option->get_snames()) text += " -s " + word;
      for (const std::string& word : option->get_lnames()) text += " -l " + word;
      if (!option->get_option_text().empty()) text += " -r";
      if (const std::string valid = values_of(*option, models); !valid.empty()) text += " -a '" + valid + "'";
      text += " -d " + fish_brief(option->get_description()) + "\n";
    }
  }
  return text;
}

// escapes text for roff
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begins = c == '\n';
  }
  return out + "\n";
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell,
                       const std::vector<std::string>& models) {
  if (shell == "bash") return bash_completion(app, models);
  return shell == "zsh" ? zsh_completion(app, models) : fish_completion(app, models);
}

std::string manual(const CLI::App& app, const std::string& version) {
  std::string text = ".TH PANTO 1 \"\" \"panto " + version +
                     "\"\n.SH NAME\npanto \\- motion capture to joint angles\n"
                     ".SH SYNOPSIS\n.B panto\n.I COMMAND\n[OPTIONS]\n.SH DESCRIPTION\n" +
                     roff(app.get_description()) + ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    text += ".SS " + command->get_name() + "\n" + roff(command->get_description());
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_group().empty()) continue;
      std::string name = option->get_positional() ? option->get_name(true, false) + " " : std::string();
      name += joined(words_of(*option));
      text += ".TP\n.B " + roff(name + " " + option->get_option_text()) + roff(option->get_description());
    }
    if (!command->get_footer().empty()) text += ".PP\n.nf\n" + roff(command->get_footer()) + ".fi\n";
  }
  return text;
}

}  // namespace panto::app
