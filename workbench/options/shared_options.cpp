// workbench/options/shared_options.cpp: options that several commands have.
#include "workbench/options/shared_options.h"

#include <CLI/CLI.hpp>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "scenes/host/input_file.h"
#include "workbench/client/remembered_folders.h"

namespace warpscope {

void declare_engine_options(CLI::App& command, EngineChoice& choice, bool with_uuid) {
  command.add_option("--host", choice.host, "user@machine: run the engine there through ssh");
  command.add_option("--device", choice.device, "number of the GPU")->check(CLI::NonNegativeNumber);
  if (with_uuid)
    command.add_option("--device-uuid", choice.device_uuid,
                       "UUID of the GPU or its beginning, instead of its number");
  command.add_option("--engine", choice.path,
                     "path of warpscope-engine; with --host, its path there");
  check_range(*command.add_option("--wait", choice.wait_s,
                                  "seconds to wait for the device while another engine holds it"),
              0, 1e6);
  check_range(
      *command.add_option("--limit", choice.limit_s,
                          "seconds until an emulated kernel is stopped, and until the engine of a "
                          "silent job is ended (30; 120 for roofs and for trace of a program; 8 "
                          "for grade)"),
      0.1, 1e6);
  declare_folders(command);
}

void declare_folders(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "-I,--include",
          [](const std::vector<std::string>& folders) {
            for (const std::string& folder : folders) {
              if (const Result<void> allowed = allow_folder(folder); !allowed)
                throw CLI::ValidationError(allowed.error().where, allowed.error().what);
            }
          },
          "another folder, besides the kernel's own, for its headers and arrays")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--allow-include",
          [](const std::vector<std::string>& folders) {
            for (const std::string& folder : folders) {
              if (const Result<void> kept = remember_folder(folder); !kept)
                throw CLI::ValidationError(kept.error().where, kept.error().what);
            }
          },
          "the same, remembered for later commands and the window")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void check_range(CLI::Option& option, double least, double most) {
  // Without an exponent: 1000000, not 1e+06.
  const auto written = [](double number) {
    std::ostringstream text;
    text << std::setprecision(15) << number;
    return text.str();
  };
  const std::string range = written(least) + " to " + written(most);
  const auto within = [least, most, range](const std::string& text) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value);
    if (number && value >= least && value <= most) return std::string();
    return "Value " + text + " not in range " + range;  // as CLI11 says it: see words.cpp
  };
  option.check(CLI::Validator(within, range));
}

void declare_device_uuid(CLI::App& command, std::string& device_uuid) {
  command.add_option("--device-uuid", device_uuid,
                     "only what this GPU measured: its UUID or the beginning of it");
}

}  // namespace warpscope
