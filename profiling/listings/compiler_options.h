// profiling/listings/compiler_options.h: what a person passes to the compiler of their own kernel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenes/host/result.h"

namespace warpscope {

struct CompilerOptions {
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> undefined;
  std::vector<std::string> folders;  // of -I
  std::string architecture;          // "compute_80"; empty: the usual one
  // Each compiler takes these as they are: "--std=c++17", "--use_fast_math", "--maxrregcount=64".
  std::vector<std::string> passed;
};

// Words as nvcc takes them: -I, -D, -U, --std, -arch, -maxrregcount, --use_fast_math and -lineinfo,
// with a value after '=', in the next word, or, of -I, -D and -U, at once. Other options of nvcc
// can run programs. error: usage: another option, or a value that it does not take.
Result<CompilerOptions> parse_compiler_options(const std::vector<std::string>& words);

// Those of `passed` that nvcc hands on to ptxas, which makes machine code of PTX.
std::vector<std::string> options_of_ptxas(const CompilerOptions& options);

// The words of a line, which are parted by spaces; quotes keep a word together.
std::vector<std::string> words_of_line(const std::string& line);

}  // namespace warpscope
