// tests/sass/sass_calibration.cpp: counters that an H200 gave of small kernels against their
// machine code.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"

// Usage: sass_calibration SOURCE CUBIN DISASSEMBLY COUNTERS. SOURCE names kernels and their threads
// as X(name, threads); COUNTERS is a table with a row for each kernel.

namespace {

using namespace warpscope;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) found.push_back(cell);
  return found;
}

struct Rule {
  const char* counter;
  Space space;
  std::vector<AccessKind> kinds;
  std::int64_t AccessTotals::*figure;
};
const std::vector<Rule>& rules() {
  using enum AccessKind;
  static const std::vector<Rule> all = {
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
       Space::global,
       {load},
       &AccessTotals::requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
       Space::global,
       {load},
       &AccessTotals::sectors},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
       Space::global,
       {store},
       &AccessTotals::requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
       Space::global,
       {store},
       &AccessTotals::sectors},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
       Space::global,
       {atomic},
       &AccessTotals::requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
       Space::global,
       {atomic},
       &AccessTotals::sectors},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
       Space::global,
       {reduction},
       &AccessTotals::requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
       Space::global,
       {reduction},
       &AccessTotals::sectors},
      {"smsp__inst_executed_op_shared_ld.sum", Space::shared, {load}, &AccessTotals::requests},
      {"smsp__inst_executed_op_shared_st.sum", Space::shared, {store}, &AccessTotals::requests},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       Space::shared,
       {load},
       &AccessTotals::wavefronts},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       Space::shared,
       {store},
       &AccessTotals::wavefronts}};
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  const std::string source = read_file(arguments[1]), cubin = read_file(arguments[2]),
                    text = read_file(arguments[3]);
  std::map<std::string, int> threads;
  const std::regex row(R"(X\((\w+),\s*(\d+)\))");
  for (std::sregex_iterator at(source.begin(), source.end(), row), end; at != end; ++at)
    threads[(*at)[1]] = std::stoi((*at)[2]);
  std::ifstream table(arguments[4]);
  std::string line;
  std::getline(table, line);
  const std::vector<std::string> names = cells(line);
  int equal = 0, all = 0;
  while (std::getline(table, line)) {
    const std::vector<std::string> values = cells(line);
    const Result<MachineProgram> program =
        MachineProgram::read(cubin, text, values[0], "calibrate.cu");
    if (!program) {
      std::printf("%s: %s\n", values[0].c_str(), sentence(program.error()).c_str());
      continue;
    }
    for (const std::string& u : program->unknown())
      std::printf("%s: %s\n", values[0].c_str(), u.c_str());
    constexpr std::size_t kFloats = 1 << 18;
    std::vector<float> a(kFloats), b(kFloats);
    std::vector<std::int32_t> index(1024);
    for (std::size_t i = 0; i < kFloats; ++i) a[i] = static_cast<float>(i * 7 % 1000);
    for (std::uint32_t i = 0; i < 1024; ++i)
      index[i] = static_cast<std::int32_t>(i * 2654435761U % 4096);
    EmulatedMemory memory;
    const auto add = [&](const char* name, ElementType type, auto& v) {
      return argument_of(memory.add({name, name, type, {std::ssize(v)}},
                                    std::as_writable_bytes(std::span(v)), true));
    };
    const std::vector<ArgumentBytes> given = {
        add("a", ElementType::f32, a), add("b", ElementType::f32, b),
        add("index", ElementType::i32, index), argument_of(1024)};
    Launch launch;
    launch.grid.x = 4;
    launch.block.x = threads[values[0]];
    EmulateOptions options;
    options.traced_block = -1;
    options.check_races = options.check_uninitialised = options.check_block_races = false;
    const Result<EmulatedRun> run = emulate(*program, launch, given, memory, options);
    if (!run) {
      std::printf("%s: %s\n", values[0].c_str(), sentence(run.error()).c_str());
      continue;
    }
    for (const Fault& f : run->trace.faults)
      std::printf("%s: %s\n", values[0].c_str(), f.sentence.c_str());
    for (std::size_t k = 1; k < names.size() && k < values.size(); ++k) {
      std::int64_t got = -1;
      if (names[k] == "smsp__inst_executed.sum") got = run->trace.warp_instructions;
      for (const Rule& rule : rules()) {
        if (names[k] != rule.counter) continue;
        got = 0;
        for (const AccessSite& s : run->trace.sites)
          for (const AccessKind kind : rule.kinds)
            if (s.space == rule.space && s.kind == kind) got += s.totals.*rule.figure;
      }
      if (got < 0) continue;
      ++all;
      if (got == std::stoll(values[k])) {
        ++equal;
      } else {
        std::printf("%s %s: emulated %lld, H200 %s\n", values[0].c_str(), names[k].c_str(),
                    static_cast<long long>(got), values[k].c_str());
      }
    }
  }
  std::printf("%d of %d counters equal\n", equal, all);
  return equal == all ? 0 : 1;
}
