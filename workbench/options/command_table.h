// workbench/options/command_table.h: the command line as rows, for texts that are made of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenes/host/result.h"

// The parser of command lines knows every command and option, because --help prints them. The
// manual page and the completions of shells are made of the same rows:
//
//   const ProgramTable table = program_table(app);
//   std::fputs(man_page(table).c_str(), stdout);

namespace CLI {
class App;
}  // namespace CLI

namespace warpscope {

struct OptionRow {
  std::vector<std::string> names;    // "-I", "--include"; of a positional its only name
  std::string value;                 // "TEXT", "DIR", "FLOAT:0 to 9"; empty: it takes none
  std::vector<std::string> choices;  // the words that it takes, if only these
  std::string fallback;              // its default; empty: none
  std::string sentence;
  bool positional = false, required = false, repeated = false;
};

struct CommandTable {
  std::string name;  // empty: the program without a command
  std::string sentence, example;
  std::vector<OptionRow> options;
};

// What is read from the environment.
struct VariableRow {
  const char* name;
  const char* sentence;
};
std::span<const VariableRow> variable_rows();

struct StatusMeaning {
  int status;
  const char* sentence;
};
std::span<const StatusMeaning> status_meanings();

struct ProgramTable {
  std::string name, version, sentence;
  CommandTable window;
  std::vector<CommandTable> commands;
  std::vector<std::string> scenes;  // names that a command may be given
};
ProgramTable program_table(const CLI::App& program);

// The last part of --help: the variables.
std::string variables_text();

// In the language of man(7).
std::string man_page(const ProgramTable& table);

// shape: bash, zsh or fish.
std::string bash_completions(const ProgramTable& table);
std::string zsh_completions(const ProgramTable& table);
std::string fish_completions(const ProgramTable& table);

}  // namespace warpscope
