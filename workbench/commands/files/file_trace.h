// workbench/commands/files/file_trace.h: a file of a person's own as a trace job: from options,
// from a launch file, or from the program in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiling/launches/program_launches.h"
#include "workbench/commands/files/kernel_file.h"
#include "workbench/options/shared_options.h"

namespace warpscope {

struct FileTraceOptions {
  KernelFile file;
  std::string launch_file;  // TOML
  bool program = false;     // the launches that the file's program makes
  std::string kernel;
  std::vector<std::string> arguments, variables;
  std::string grid, block, cluster;
  bool cooperative = false;
  std::int64_t shared_bytes = 0;
  int warp = -1;
  std::vector<std::string> outs, expects, prints;  // c=c.npy, c=ref.npy, c[0:16]
  double relative = 0, absolute = 0;
  std::vector<std::string> values;  // n=1000: of a launch file's [let]
};

// --kernel, --arg, --set, --out, --expect, --rtol, --atol, --print, --cluster, --cooperative,
// --shared and the compiler's.
void declare_file_trace(CLI::App& command, FileTraceOptions& options);

struct FileTrace {
  Job job;
  ProgramLaunches read;  // of a program
  std::string text;      // of the file, to quote its lines; empty: nothing was read from it
};

// Whether a word of the command line is a file with kernels.
bool is_kernel_file(const std::string& word);

// error: usage: options that do not fit; input: the files; of PTX without a launch also what the
// engine says of it.
Result<FileTrace> file_trace(const FileTraceOptions& options, const EngineChoice& engine);

// What was read from the program, each value with its line; a guess begins with “?”.
void print_read(const FileTrace& trace);
// One row per launch: what ran, how its loads are coalesced, how many findings it has.
void print_launches(const std::vector<const Trace*>& traces);
// What was expected and what came out, and the elements that were asked for. Whether one is wrong.
bool print_outputs(const std::vector<const Trace*>& traces);

}  // namespace warpscope
