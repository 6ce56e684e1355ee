// tests/workbench/commands/run_warpscope.h: the real warpscope run once, with all that it said.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/folders.h"

namespace warpscope {

struct WarpscopeRun {
  int status = -1;   // 124: it did not end in a minute; -1: a signal ended it
  std::string said;  // both streams
};

// What a line for the shell prints on standard output, and how it ends.
inline WarpscopeRun run_line(const std::string& line) {
  WarpscopeRun all;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return all;
  char chunk[4096];
  while (std::fgets(chunk, sizeof chunk, pipe) != nullptr) all.said += chunk;
  const int status = pclose(pipe);
  all.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return all;
}

// `arguments` are words for the shell, and so is `environment`: "A=b ".
inline WarpscopeRun run_warpscope(const std::string& arguments,
                                  const std::string& environment = "") {
  return run_line(environment + "timeout 60 " + built_program("warpscope") + " " + arguments +
                  " 2>&1 </dev/null");
}

// Where the toolkit's compiler would be; it need not be there.
inline std::string toolkit_nvcc() {
  const char* const root = std::getenv("CUDA_HOME");
  return (root == nullptr ? "/usr/local/cuda" : std::string(root)) + "/bin/nvcc";
}

}  // namespace warpscope
