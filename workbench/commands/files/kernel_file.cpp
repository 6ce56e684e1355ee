// workbench/commands/files/kernel_file.cpp: a .cu or .ptx file of a person's own, as commands name
// it.
#include "workbench/commands/files/kernel_file.h"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <string_view>

#include "profiling/listings/compiler_options.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

std::pair<std::string, std::string> macro_of(const std::string& define) {
  const std::size_t equals = define.find('=');
  return {define.substr(0, equals), equals == std::string::npos ? "1" : define.substr(equals + 1)};
}

// What the first bytes say that a file holds, where it is not text; empty: it may be text.
// source: System V ABI; ar(5); the magic number of fatbinary_section.h.
std::string machine_code_in(std::string_view begin) {
  if (begin.starts_with("\x7f"
                        "ELF"))
    return "an ELF file: a cubin, an object file or a program";
  if (begin.starts_with("!<arch>")) return "a library of object files";
  if (begin.starts_with("\x50\xed\x55\xba")) return "a fatbin";
  return "";
}

}  // namespace

void declare_compiler_flags(CLI::App& command, KernelFile& file) {
  command.add_option("-D,--define", file.defines, "NAME or NAME=VALUE");
  command.add_option("--flags", file.flags,
                     "options for the compiler, in one word: -I, -D, -U, --std, -arch, "
                     "-maxrregcount, --use_fast_math and -lineinfo");
}

Result<UserKernel> user_kernel(const KernelFile& file) {
  Result<InputFile> opened = InputFile::open(file.path, kMostTextFileBytes);
  if (!opened) return tl::unexpected(opened.error());
  std::array<char, 16> begin{};
  const Result<std::size_t> count = opened->read(begin.data(), begin.size());
  if (!count) return tl::unexpected(count.error());
  if (const std::string kind = machine_code_in({begin.data(), *count}); !kind.empty())
    return failure(ErrorKind::input, "this is " + kind + ", and machine code cannot be opened yet",
                   file.path, "give the .cu file, or the PTX that the compiler wrote");
  const std::vector<std::string> words = words_of_line(file.flags);
  const Result<CompilerOptions> options = parse_compiler_options(words);
  if (!options) return tl::unexpected(options.error());
  for (const std::string& folder : options->folders) {
    if (Result<void> allowed = allow_folder(folder); !allowed)
      return tl::unexpected(allowed.error());
  }
  UserKernel user;
  std::error_code ignored;
  user.path = std::filesystem::absolute(file.path, ignored).lexically_normal().string();
  user.defines = options->defines;
  for (const std::string& define : file.defines) user.defines.push_back(macro_of(define));
  user.options = options->passed;
  if (!options->architecture.empty()) user.options.push_back("-arch=" + options->architecture);
  for (const std::string& name : options->undefined) user.options.push_back("-U" + name);
  return user;
}

}  // namespace warpscope
