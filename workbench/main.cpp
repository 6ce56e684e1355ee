// workbench/main.cpp: the command line of warpscope.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "scenes/build_stamp.h"
#include "workbench/commands/commands.h"

int main(int count, char** arguments) {
  CLI::App app(
      "Warpscope: run CUDA kernels live, count, and see why. Without a command it opens the "
      "window.",
      "warpscope");
  app.set_version_flag("--version", warpscope::build_stamp());
  app.require_subcommand(0, 1);
  int status = 0;
  warpscope::declare_window(app, status);
  for (const warpscope::CommandRow& row : warpscope::all_command_rows()) {
    row.declare(*app.add_subcommand(row.name, row.sentence), status);
  }
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;  // --help and --version are no errors
  }
  return status;
}
