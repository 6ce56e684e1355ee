// profiling/engine/compile/nvrtc.h: NVRTC, asked in processes of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/host/result.h"

// The library is loaded here; it compiles in copies of this process that may take so much time and
// memory (bounded_process.h), as a text can make it take all.

namespace warpscope {

// What the compiler makes: machine code for one architecture, or PTX for the emulator.
enum class Target { cubin, ptx };

struct CompilerTask {
  Target target = Target::cubin;
  std::string expression;  // empty: none; several stand in lines
  std::string source;      // its name in messages
  std::vector<std::string> options;
  std::vector<std::string> texts, names;  // the kernel's own first, then headers
};

// What a compiler says of a text follows these words, without the line that counts its mistakes and
// the empty ones that end it.
inline constexpr const char* kUncompiled =
    "the kernel does not compile, correct the source at the lines named:\n";
std::string mistakes_of(std::string log);

struct CompilerAnswer {
  std::string problem;  // that is not the text's; empty: none
  bool compiled = false;
  std::string log, code, expression;  // the expression's own name in the code
  std::string ptx = {};               // that machine code was made of, by NVRTC
};

// Where the library lies. error: environment (there is none).
const Result<std::string>& nvrtc_path();
// Folders of the toolkit's headers, the only ones that the library may open files of
// (confined_files.h). Empty if there is no library.
std::vector<std::filesystem::path> toolkit_include_folders();
// A text that does not compile has an answer too. error: environment, resource (no process), input
// (the text takes the compiler more than `limit_s` or 3 GiB).
Result<CompilerAnswer> run_compiler(const CompilerTask& task, double limit_s);

}  // namespace warpscope
