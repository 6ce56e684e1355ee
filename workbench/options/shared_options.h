// workbench/options/shared_options.h: options that several commands have.
#pragma once

#include <string>

#include "workbench/client/engine_command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpscope {

// Without `--device-uuid` where the command has one that chooses among sessions as well.
void declare_engine_options(CLI::App& command, EngineChoice& choice, bool with_uuid = true);
// `-I`, for commands that take a kernel or a scene's folder; engine options have it.
void declare_folders(CLI::App& command);
// `--device-uuid` of a command that reads sessions.
void declare_device_uuid(CLI::App& command, std::string& device_uuid);
// A number from `least` to `most`; CLI::Range takes what is not a number (nan) for one in every
// range.
void check_range(CLI::Option& option, double least, double most);

}  // namespace warpscope
