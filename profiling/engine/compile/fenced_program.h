// profiling/engine/compile/fenced_program.h: a program that is given somebody's text, run with
// limits of time, memory, files and network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// A compiler reads any file that a text includes, and takes any time. It runs here in a group of
// processes that is ended as one. Linux's Landlock (since 5.13) lets them open files below the
// folders given here alone; they can make no socket. They get no variable of this process's
// environment.
//
//   const FencedOutcome outcome = run_fenced({{nvcc, "-ptx", "kernel.cu"}, folder, {toolkit}});

namespace warpscope {

struct FencedProgram {
  std::vector<std::string> words;               // its path, then its arguments
  std::filesystem::path folder;                 // where it works, and the only one it may write in
  std::vector<std::filesystem::path> readable;  // files and folders that it may read and run
  double seconds = 30;
  std::int64_t bytes = 3ll << 30;  // of address space, of each of its processes
  bool fenced = true;              // false: it may read all files, for tests
};
struct FencedOutcome {
  enum class End { ended, out_of_time, not_started };
  End end = End::not_started;
  int status = -1;     // 0: it succeeded; −1: a signal ended it
  std::string output;  // of both its streams, the first MiB
};

// Whether this kernel keeps programs to the folders that they may read. Where it does not, the
// caller must check what was read.
bool fences_files();

FencedOutcome run_fenced(const FencedProgram& program);

}  // namespace warpscope
