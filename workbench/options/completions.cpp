// workbench/options/completions.cpp: completions of shells, made of the rows of the command line.
#include <string_view>

#include "workbench/options/command_table.h"

namespace warpscope {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string all;
  for (const std::string& word : words) {
    if (!all.empty()) all += between;
    all += word;
  }
  return all;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

bool is_folder(const OptionRow& option) { return option.value.starts_with("DIR"); }

// Whether a command takes a scene's name first; files are offered as well.
bool takes_scene(const CommandTable& command) {
  for (const OptionRow& option : command.options) {
    if (!option.positional) continue;
    const std::string& name = option.names.front();
    return name == "scene" || name == "variant" || name == "kernel" || name == "what";
  }
  return false;
}

std::vector<std::string> option_names(const CommandTable& command) {
  std::vector<std::string> names;
  for (const OptionRow& option : command.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// Words of a command's first argument: a positional's choices, the scenes, or the commands.
std::vector<std::string> first_words(const ProgramTable& table, const CommandTable& command) {
  for (const OptionRow& option : command.options) {
    if (option.positional && !option.choices.empty()) return option.choices;
    if (option.positional && option.names.front() == "command") {
      std::vector<std::string> commands;
      for (const CommandTable& each : table.commands) commands.push_back(each.name);
      return commands;
    }
  }
  return takes_scene(command) ? table.scenes : std::vector<std::string>{};
}

std::string made_by(const ProgramTable& table, std::string_view shell) {
  return "# Made by `" + table.name + " help --completions " + std::string(shell) + "`.\n";
}

// The arms of a `case` of bash for the options of a command: what may follow each.
std::string bash_values(const CommandTable& command) {
  std::string arms;
  for (const OptionRow& option : command.options) {
    if (option.positional || option.value.empty()) continue;
    arms += "  " +
            joined(
                [&] {
                  std::vector<std::string> patterns;
                  for (const std::string& name : option.names)
                    patterns.push_back("'" + command.name + "':" + name);
                  return patterns;
                }(),
                "|") +
            ") ";
    if (!option.choices.empty()) {
      arms += "COMPREPLY=($(compgen -W '" + joined(option.choices, " ") + "' -- \"$word\"))";
    } else if (is_folder(option)) {
      arms += "COMPREPLY=($(compgen -d -- \"$word\"))";
    } else {
      arms += ":";  // a file, which bash completes where there is no other word
    }
    arms += "; return ;;\n";
  }
  return arms;
}

// In a specification of zsh's _arguments, within single quotes.
std::string zsh_text(std::string text) {
  for (const std::string_view sign : {"\\", "[", "]", ":"})
    text = replaced(text, sign, "\\" + std::string(sign));
  return replaced(text, "'", "'\\''");
}

std::string zsh_action(const OptionRow& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices, " ") + ")";
  return is_folder(option) ? "_files -/" : "_files";
}

std::string zsh_options(const CommandTable& command) {
  std::string specs;
  for (const OptionRow& option : command.options) {
    if (option.positional) continue;
    for (const std::string& name : option.names) {
      specs += " \\\n      '" + std::string(option.repeated ? "*" : "") + name + "[" +
               zsh_text(option.sentence) + "]";
      if (!option.value.empty()) specs += ":value:" + zsh_action(option);
      specs += "'";
    }
  }
  return specs;
}

std::string fish_text(std::string text) {
  text = replaced(text, "\\", "\\\\");
  return "'" + replaced(text, "'", "\\'") + "'";
}

std::string fish_options(const std::string& program, const std::string& condition,
                         const CommandTable& command) {
  std::string lines;
  for (const OptionRow& option : command.options) {
    if (option.positional) continue;
    lines += "complete -c " + program + " -n " + fish_text(condition);
    for (const std::string& name : option.names)
      lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.choices.empty()) {
      lines += " -x -a " + fish_text(joined(option.choices, " "));
    } else if (is_folder(option)) {
      lines += " -x -a '(__fish_complete_directories)'";
    } else if (!option.value.empty()) {
      lines += " -r";
    }
    lines += " -d " + fish_text(option.sentence) + "\n";
  }
  return lines;
}

}  // namespace

std::string bash_completions(const ProgramTable& table) {
  std::vector<std::string> commands;
  for (const CommandTable& command : table.commands) commands.push_back(command.name);
  const std::string function = "_" + table.name;
  std::string words, values = bash_values(table.window);
  for (const CommandTable& command : table.commands) {
    words += "  " + command.name + ") options='" + joined(option_names(command), " ") +
             "' words='" + joined(first_words(table, command), " ") + "' ;;\n";
    values += bash_values(command);
  }
  return made_by(table, "bash") + function +
         "() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command='' options='' words='' i\n  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case ${COMP_WORDS[i]} in\n    " +
         joined(commands, "|") +
         ") command=${COMP_WORDS[i]}; break ;;\n    esac\n  done\n  case $command in\n  '') "
         "options='" +
         joined(option_names(table.window), " ") + "' words='" + joined(commands, " ") + "' ;;\n" +
         words + "  esac\n  case $command:$before in\n" + values +
         "  esac\n  case $word in\n"
         "  -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "  *) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n  esac\n}\n"
         "complete -o bashdefault -o default -F " +
         function + " " + table.name + "\n";
}

std::string zsh_completions(const ProgramTable& table) {
  const std::string function = "_" + table.name;
  std::string rows, arms;
  for (const CommandTable& command : table.commands) {
    rows += "    '" + command.name + ":" + zsh_text(command.sentence) + "'\n";
    const std::vector<std::string> words = first_words(table, command);
    const std::string first =
        words.empty() ? "_files" : function + "_or_files " + joined(words, " ");
    arms += "    " + command.name + ")\n      _arguments '*:word:{" + first + "}'" +
            zsh_options(command) + "\n      ;;\n";
  }
  return "#compdef " + table.name + "\n" + made_by(table, "zsh") + function +
         "_or_files() {\n  compadd -- \"$@\"\n  _files\n}\n" + function +
         "() {\n  local -a commands\n  local state line context\n  commands=(\n" + rows +
         "  )\n  _arguments -C '1: :->first' '*:: :->rest'" + zsh_options(table.window) +
         "\n  case $state in\n  first) _describe -t commands command commands; _files ;;\n"
         "  rest)\n    case ${words[1]} in\n" +
         arms + "    esac\n    ;;\n  esac\n}\n" + function + " \"$@\"\n";
}

std::string fish_completions(const ProgramTable& table) {
  const std::string& program = table.name;
  std::string text =
      made_by(table, "fish") + fish_options(program, "__fish_use_subcommand", table.window);
  for (const CommandTable& command : table.commands) {
    text += "complete -c " + program + " -n __fish_use_subcommand -a " + command.name + " -d " +
            fish_text(command.sentence) + "\n";
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    const std::vector<std::string> words = first_words(table, command);
    if (!words.empty())
      text += "complete -c " + program + " -n " + fish_text(condition) + " -a " +
              fish_text(joined(words, " ")) + "\n";
    text += fish_options(program, condition, command);
  }
  return text;
}

}  // namespace warpscope
