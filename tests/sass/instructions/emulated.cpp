// tests/sass/instructions/emulated.cpp: instruction cases by the emulator, from PTX and from
// machine code.
#include "tests/sass/instructions/emulated.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "profiling/emulator/sass/machine_code.h"

namespace warpscope::instructions {
namespace {

namespace fs = std::filesystem;
using u32 = std::uint32_t;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string found(const char* variable, const std::string& name, const std::string& tree) {
  const char* const given = std::getenv(variable);
  if (given != nullptr && fs::exists(given)) return given;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  for (const std::string& folder :
       {std::string("/usr/local/cuda/bin"), std::string("/opt/cuda/bin"),
        tree + "/build/nvdisasm/nvidia/cu13/bin"}) {
    if (fs::exists(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  return {};
}

// "…\n.section\t.text.NAME,…": each function's own rows, from its section on.
std::map<std::string, std::string> sections_of(const std::string& text) {
  std::map<std::string, std::string> sections;
  const std::string mark = "\t.section\t";
  for (std::size_t at = text.find(mark); at != std::string::npos;) {
    const std::size_t next = text.find(mark, at + 1);
    const std::string section = text.substr(at, next == std::string::npos ? next : next - at);
    at = next;
    const std::string begin = mark + ".text.";
    if (!section.starts_with(begin)) continue;
    const std::size_t end = section.find_first_of(",\"", begin.size());
    sections[section.substr(begin.size(), end - begin.size())] = section;
  }
  return sections;
}

// What a launch does to the inputs of a case; `run` emulates it.
template <typename Run>
Emulated launched(const Case& c, const Run& run) {
  std::vector<u32> in = inputs_of(c.inputs), out(4 * kLanes, 0xdeadbeef), memory = memory_before();
  EmulatedMemory buffers;
  const auto add = [&](const char* name, std::vector<u32>& words) {
    return argument_of(buffers.add({name, name, ElementType::u32, {std::ssize(words)}},
                                   std::as_writable_bytes(std::span(words)), true));
  };
  const std::vector<ArgumentBytes> arguments = {add("in", in), add("out", out),
                                                add("memory", memory), argument_of(0x9e3779b9)};
  Launch launch;
  launch.grid.x = kBlocks;
  launch.block.x = kBlockLanes;
  EmulateOptions options;
  options.traced_block = -1;
  options.check_races = options.check_uninitialised = options.check_block_races = false;
  options.sums = false;
  options.instruction_budget = 1'000'000;
  Emulated done;
  const Result<EmulatedRun> result = run(launch, arguments, buffers, options);
  if (!result) {
    done.problem = sentence(result.error());
    return done;
  }
  if (!result->trace.faults.empty()) done.problem = result->trace.faults.front().sentence;
  out.resize(static_cast<std::size_t>(c.results * kLanes));
  if (c.memory) out.insert(out.end(), memory.begin(), memory.end());
  done.words = std::move(out);
  return done;
}

}  // namespace

Tools find_tools(const std::string& tree) {
  Tools tools{found("PTXAS", "ptxas", tree), found("NVDISASM", "nvdisasm", tree), {}};
  if (tools.ptxas.empty()) tools.missing = "there is no ptxas: install a CUDA toolkit";
  if (tools.nvdisasm.empty()) tools.missing = "there is no nvdisasm: ./start brings it";
  return tools;
}

EmulatedCases::EmulatedCases(const std::set<std::string>& names, const Tools& tools,
                             int architecture)
    : ptx_(module_of(names)) {
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope_instructions_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "cases").string();
  std::ofstream(path + ".ptx") << ptx_;
  const std::string compile = tools.ptxas + " -arch=sm_" + std::to_string(architecture) + " -o " +
                              path + ".cubin " + path + ".ptx 2> " + path + ".txt";
  const std::string print =
      tools.nvdisasm + " -c -hex " + path + ".cubin > " + path + ".sass 2>> " + path + ".txt";
  if (std::system((compile + " && " + print).c_str()) != 0) problem_ = read_file(path + ".txt");
  cubin_ = read_file(path + ".cubin");
  sections_ = sections_of(read_file(path + ".sass"));
  fs::remove_all(folder);
}

Emulated EmulatedCases::from_machine_code(const Case& c) const {
  const Result<MachineProgram> program =
      MachineProgram::read(cubin_, text(c), c.name, c.family + ".cu");
  if (!program) return {{}, sentence(program.error())};
  Emulated done = launched(c, [&](auto&... given) { return emulate(*program, given...); });
  if (!program->unknown().empty()) done.problem = program->unknown().front();
  return done;
}

Emulated EmulatedCases::from_ptx(const Case& c) {
  if (!program_) {
    Result<Program> program = Program::parse(ptx_, "cases.cu");
    if (!program) return {{}, sentence(program.error())};
    program_ = std::move(*program);
  }
  return launched(c, [&](auto&... given) { return emulate(*program_, c.name, given...); });
}

const std::string& EmulatedCases::text(const Case& c) const {
  static const std::string none;
  const auto found = sections_.find(c.name);
  return found == sections_.end() ? none : found->second;
}

std::set<std::string> forms_of(const std::string& disassembly) {
  std::set<std::string> forms;
  std::istringstream rows(disassembly);
  for (std::string row; std::getline(rows, row);) {
    const std::size_t first = row.find_first_not_of(" \t");
    if (first == std::string::npos || row.compare(first, 2, "/*") != 0) continue;
    const std::size_t end = row.find("*/", first);
    if (end == std::string::npos || end - first > 8) continue;
    std::istringstream words(row.substr(end + 2));
    std::string word;
    words >> word;
    if (word == "{") words >> word;
    if (word.starts_with("@")) words >> word;
    if (!word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0)
      forms.insert(word.substr(0, word.find(';')));
  }
  return forms;
}

}  // namespace warpscope::instructions
