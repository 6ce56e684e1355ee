// workbench/main.cpp: the command line of warpscope.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "profiling/capture/capture_scene.h"
#include "scenes/file_scene.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/program.h"
#include "workbench/client/end_signals.h"
#include "workbench/client/own_binary.h"
#include "workbench/client/remembered_folders.h"
#include "workbench/commands/commands.h"
#include "workbench/options/command_table.h"
#include "workbench/options/words.h"

namespace {

// What a table is written to: with "-" standard output has the table alone.
void leave_output_to_data(CLI::App& command) {
  for (CLI::Option* option : command.get_options([](const CLI::Option* each) {
         const std::string name = each->get_name();
         return each->get_items_expected_max() > 0 &&
                (name == "--csv" || name == "--json" || name == "--trace" || name == "--wsj" ||
                 name == "--summary" || name == "--sarif");
       })) {
    option->each([](const std::string& file) {
      if (file == "-") warpscope::keep_output_for_data();
    });
  }
}

int run(int count, char** arguments) {
  warpscope::allow_remembered_folders();
  CLI::App app(
      "Warpscope: run CUDA kernels live, count, and see why. Without a command it opens the "
      "window.",
      warpscope::product_name());
  app.set_version_flag("--version", warpscope::build_stamp());
  app.require_subcommand(0, 1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    const std::string name = warpscope::product_name();
    const std::string words = warpscope::words_of(error, *failed);
    return name + ": " + warpscope::visible_name(words) +
           (words.ends_with("?") ? " See `" : "; see `") + name + " --help`\n";
  });
  int status = 0;
  warpscope::declare_window(app, status);
  for (const warpscope::CommandRow& row : warpscope::all_command_rows()) {
    CLI::App& command = *app.add_subcommand(row.name, row.sentence);
    command.option_defaults()->always_capture_default();
    row.declare(command, status);
    leave_output_to_data(command);
    for (CLI::Option* option : command.get_options()) {
      // An empty value has no default to show.
      const std::string& value = option->get_default_str();
      if (value == "[]" || value == "{}" || value == "\"\"") option->default_str("");
    }
    command.footer("Example:\n  " + warpscope::product_name() + " " + row.name +
                   (*row.example == '\0' ? "" : " ") + row.example);
  }
  app.footer(warpscope::variables_text());
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err);
    std::fputs(out.str().c_str(), stdout);
    std::fputs(err.str().c_str(), stderr);
    return code == 0 ? 0 : 2;  // --help and --version are not errors
  }
  return status;
}

}  // namespace

int main(int count, char** arguments) {
  static const std::string name = warpscope::product_name();
  return warpscope::run_program(name.c_str(), [&] {
    warpscope::end_at_signals(name);
    return run(count, arguments);
  });
}
