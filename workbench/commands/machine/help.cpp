// workbench/commands/machine/help.cpp: help: what --help says, the manual page, and completions of
// shells.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "scenes/host/nearest.h"
#include "workbench/commands/commands.h"
#include "workbench/options/command_table.h"

namespace warpscope {
namespace {

struct HelpOptions {
  std::string command, shell;
  bool man = false;
};

// Not App::help(), which speaks of the command that was chosen: of this one.
std::string help_of(const CLI::App& app, const std::string& before) {
  return app.get_formatter()->make_help(&app, before, CLI::AppFormatMode::Normal);
}

int run_help(const CLI::App& program, const HelpOptions& options) {
  if (options.man) {
    std::fputs(man_page(program_table(program)).c_str(), stdout);
    return 0;
  }
  if (!options.shell.empty()) {
    const ProgramTable table = program_table(program);
    const std::string text = options.shell == "bash"  ? bash_completions(table)
                             : options.shell == "zsh" ? zsh_completions(table)
                                                      : fish_completions(table);
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (options.command.empty()) {
    std::fputs(help_of(program, program.get_name()).c_str(), stdout);
    return 0;
  }
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    names.push_back(command->get_name());
    if (command->get_name() != options.command) continue;
    std::fputs(help_of(*command, program.get_name() + " " + options.command).c_str(), stdout);
    return 0;
  }
  return fail({ErrorKind::usage, "there is no such command", options.command,
               suggest(options.command, names)});
}

}  // namespace

void declare_help(CLI::App& command, int& status) {
  auto options = std::make_shared<HelpOptions>();
  CLI::Option* named = command.add_option("command", options->command,
                                          "the command to explain; without one, all are listed");
  CLI::Option* man = command.add_flag("--man", options->man, "print the manual page, for man");
  command
      .add_option("--completions", options->shell,
                  "print the completions of a shell: bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->excludes(named)
      ->excludes(man);
  man->excludes(named);
  command.callback(
      [&command, options, &status] { status = run_help(*command.get_parent(), *options); });
}

}  // namespace warpscope
