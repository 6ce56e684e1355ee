// workbench/serve/serve.cpp: the command `warpscope serve`.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/serve/server.h"

namespace warpscope {

void declare_serve(CLI::App& command, int& status) {
  struct Options {
    EngineChoice engine;
    std::string session;
    bool schema = false;
  };
  auto options = std::make_shared<Options>();
  declare_engine_options(command, options->engine);
  command.add_option("--session", options->session, "append everything to this .wsj file");
  command.add_flag("--schema", options->schema,
                   "print the JSON Schema of requests and answers, and exit");
  command.callback([options, &status] {
    if (options->schema) {
      std::printf("%s\n", serve_schema().dump(2).c_str());
      return;
    }
    const auto catalogue = program_catalogue();
    Result<std::unique_ptr<SessionFile>> file = session_option(options->session, catalogue);
    if (!file) {
      status = fail(file.error());
      return;
    }
    std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is seen where it is written to
    status =
        Server(options->engine, STDIN_FILENO, STDOUT_FILENO, catalogue, std::move(*file)).run();
  });
}

}  // namespace warpscope
