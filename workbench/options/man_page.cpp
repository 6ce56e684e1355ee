// workbench/options/man_page.cpp: the manual page, made of the rows of the command line.
#include <algorithm>
#include <cctype>

#include "workbench/options/command_table.h"

namespace warpscope {
namespace {

// As man(7) wants it: "\" and a leading "." or "'" are its own signs, "-" in an option is a minus.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const bool begins = k == 0 || text[k - 1] == '\n';
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "TEXT:0 to 9" → what a person reads: "0 to 9"; of choices the words.
std::string value_words(const OptionRow& option) {
  if (!option.choices.empty()) {
    std::string words;
    for (const std::string& choice : option.choices) words += (words.empty() ? "" : "|") + choice;
    return words;
  }
  const std::size_t colon = option.value.find(':');
  const std::string range = colon == std::string::npos ? "" : option.value.substr(colon + 1);
  if (range == "NONNEGATIVE") return "0 or more";
  if (range == "POSITIVE") return "1 or more";
  return range.empty() ? option.value : range;
}

std::string entry(const OptionRow& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + (option.positional ? italic(name) : bold(name));
  if (!option.positional && !option.value.empty()) names += " " + italic(value_words(option));
  if (option.repeated) names += " ...";
  std::string sentence = roff(option.sentence);
  if (option.required) sentence += " (required)";
  if (!option.fallback.empty()) sentence += "; by default " + roff(option.fallback);
  return ".TP\n" + names + "\n" + sentence + "\n";
}

std::string entries(const CommandTable& command) {
  std::string positionals, options;
  for (const OptionRow& option : command.options)
    (option.positional ? positionals : options) += entry(option);
  return positionals + options;
}

std::string synopsis(const std::string& program, const CommandTable& command) {
  std::string line = bold(program);
  if (!command.name.empty()) line += " " + bold(command.name);
  line += " [" + italic("options") + "]";
  for (const OptionRow& option : command.options) {
    if (!option.positional) continue;
    const std::string name = italic(option.names.front()) + (option.repeated ? " ..." : "");
    line += option.required ? " " + name : " [" + name + "]";
  }
  return line + "\n";
}

}  // namespace

std::string man_page(const ProgramTable& table) {
  std::string text =
      ".\\\" Made by `" + table.name + " help --man`.\n.TH " + upper(table.name) + " 1 \"\" \"" +
      roff(table.name + " " + table.version) + "\" \"User Commands\"\n.SH NAME\n" +
      roff(table.name) + " \\- a workbench for making CUDA kernels faster\n.SH SYNOPSIS\n" +
      synopsis(table.name, table.window) + ".br\n" + bold(table.name) + " " + italic("command") +
      " [" + italic("options") + "]\n.SH DESCRIPTION\n" + roff(table.sentence) + "\n.SH OPTIONS\n" +
      entries(table.window) + ".SH COMMANDS\n";
  for (const CommandTable& command : table.commands) {
    text += ".SS " + roff(command.name) + "\n" + synopsis(table.name, command) + ".PP\n" +
            roff(command.sentence) + "\n" + entries(command);
    if (!command.example.empty())
      text += ".PP\nExample:\n.PP\n.EX\n  " + roff(command.example) + "\n.EE\n";
  }
  text += ".SH ENVIRONMENT\n";
  for (const VariableRow& row : variable_rows())
    text += ".TP\n" + bold(row.name) + "\n" + roff(row.sentence) + "\n";
  text += ".SH EXIT STATUS\n";
  for (const StatusMeaning& row : status_meanings())
    text += ".TP\n" + bold(std::to_string(row.status)) + "\n" + roff(row.sentence) + "\n";
  return text;
}

}  // namespace warpscope
