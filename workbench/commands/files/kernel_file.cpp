// workbench/commands/files/kernel_file.cpp: a file with kernels of a person's own, as commands name
// it.
#include "workbench/commands/files/kernel_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "profiling/listings/compiler_options.h"
#include "scenes/file_scene.h"
#include "scenes/host/input_file.h"
#include "workbench/client/own_binary.h"

namespace warpscope {
namespace {

std::pair<std::string, std::string> macro_of(const std::string& define) {
  const std::size_t equals = define.find('=');
  return {define.substr(0, equals), equals == std::string::npos ? "1" : define.substr(equals + 1)};
}

// A picture, a session or a capture named by mistake would be a thousand errors of the compiler. A
// last NUL is that of a text that a program kept.
Result<void> check_text(const std::string& path) {
  if (kind_of_file(path) != BinaryKind::none) return {};
  char first[4096];
  std::ifstream file(path, std::ios::binary);
  file.read(first, sizeof first);
  const std::string_view text(first, static_cast<std::size_t>(file.gcount()));
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos || at + 1 == text.size()) return {};
  if (is_capture_file(path))
    return failure(ErrorKind::input, "it is a captured launch and not the text of kernels", path,
                   "see `warpscope list`, `sass`, `trace` and `verify` of it");
  return failure(ErrorKind::input, "the file is not text, so it has no kernels", path,
                 "name a .cu, .ptx or compiled file");
}

}  // namespace

void declare_compiler_flags(CLI::App& command, KernelFile& file) {
  command.add_option("-D,--define", file.defines, "NAME or NAME=VALUE");
  command.add_option("--flags", file.flags,
                     "options for the compiler, as one quoted argument: -I, -D, -U, --std, -arch, "
                     "-maxrregcount, --use_fast_math and -lineinfo");
}

Result<UserKernel> user_kernel(const KernelFile& file) {
  constexpr std::int64_t kMost = std::max(kMostTextFileBytes, kMostBinaryFileBytes);
  if (const Result<InputFile> opened = InputFile::open(file.path, kMost); !opened)
    return tl::unexpected(opened.error());
  if (Result<void> text = check_text(file.path); !text) return tl::unexpected(text.error());
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
