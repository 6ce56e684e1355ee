// workbench/options/command_table.cpp: the command line as rows, for texts that are made of it.
#include "workbench/options/command_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "scenes/catalogue.h"
#include "scenes/host/build_stamp.h"

namespace warpscope {
namespace {

constexpr VariableRow kVariables[] = {
    {"WARPSCOPE_HOME",
     "the folder with kernels/ and assets/, if they are not at or above the program"},
    {"WARPSCOPE_ENGINE", "the engine of this machine, unless --engine names one"},
    {"WARPSCOPE_CAPTURE_LIBRARY", "the library that capture puts into a program"},
    {"WARPSCOPE_CUDA_ROOT", "a folder of the CUDA toolkit or of NVIDIA's wheels, searched first"},
    {"CUDA_HOME", "a folder of the CUDA toolkit, searched second"},
    {"CUDA_VISIBLE_DEVICES", "the GPUs that CUDA shows; --device counts these"},
    {"XDG_CACHE_HOME", "the folder of compiled kernels and roofs, else ~/.cache"},
    {"XDG_CONFIG_HOME", "the folder of what the window remembers, else ~/.config"},
    {"XDG_DATA_HOME",
     "the folder of your scenes, of baselines with names and of what doctor --fetch installs, else "
     "~/.local/share"},
    {"TRITON_CACHE_DIR", "where capture finds the texts of Triton's kernels"},
    {"NVTX_INJECTION64_PATH", "a profiler's library for NVTX ranges, used in place of CUPTI's"},
};

constexpr StatusMeaning kStatuses[] = {
    {0, "success"},
    {1,
     "a wrong output, a fault, a regression, a disagreement or a missed goal; or capture found no "
     "launch"},
    {2, "wrong usage or bad input, also a file that is missing or is not a session"},
    {3, "the machine lacks something, a file cannot be written, or the command was cancelled"},
    {130, "a train that was interrupted and kept its checkpoint"},
};

// "TEXT:{dark,light}" → dark, light.
std::vector<std::string> choices_in(std::string_view type) {
  const std::size_t begin = type.find(":{");
  if (begin == std::string_view::npos || !type.ends_with('}')) return {};
  std::string_view rest = type.substr(begin + 2, type.size() - begin - 3);
  std::vector<std::string> choices;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    choices.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return choices;
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  row.positional = option.get_positional();
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  if (row.positional) row.names = {option.get_name()};
  if (option.get_items_expected_max() > 0) row.value = option.get_type_name();
  row.choices = choices_in(row.value);
  row.fallback = option.get_default_str();
  row.sentence = option.get_description();
  row.required = option.get_required();
  row.repeated = option.get_items_expected_max() > 1;
  return row;
}

CommandTable table_of(const CLI::App& command) {
  CommandTable table;
  table.name = command.get_name();
  table.sentence = command.get_description();
  const std::string footer = command.get_footer();
  const std::size_t example = footer.rfind("\n  ");
  if (footer.starts_with("Example:") && example != std::string::npos)
    table.example = footer.substr(example + 3);
  for (const CLI::Option* option : command.get_options()) table.options.push_back(row_of(*option));
  return table;
}

}  // namespace

std::span<const VariableRow> variable_rows() { return kVariables; }
std::span<const StatusMeaning> status_meanings() { return kStatuses; }

std::string variables_text() {
  constexpr std::size_t kWidth = 30;  // of the column of names in --help
  std::string text = "Environment:";
  for (const VariableRow& row : kVariables) {
    std::string name = "  " + std::string(row.name);
    name.resize(std::max(name.size() + 1, kWidth), ' ');
    text += "\n" + name + row.sentence;
  }
  return text;
}

ProgramTable program_table(const CLI::App& program) {
  ProgramTable table;
  table.name = program.get_name();
  table.version = build_stamp();
  table.sentence = program.get_description();
  table.window = table_of(program);
  table.window.name.clear();
  for (const CLI::App* command : program.get_subcommands(nullptr))
    table.commands.push_back(table_of(*command));
  for (const Scene& scene : built_in_scenes()) table.scenes.push_back(scene.name);
  return table;
}

}  // namespace warpscope
