// profiling/engine/compile/nvcc.cpp: a whole .cu file, host code and all, to PTX or machine code by
// nvcc.
#include "profiling/engine/compile/nvcc.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "profiling/engine/compile/fenced_program.h"
#include "profiling/engine/compile/steps/nvcc_folder.h"
#include "profiling/engine/compile/toolkit_program.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Their own names for what has ours.
std::string shown_log(std::string log, const std::string& source) {
  for (const std::string_view ours : {std::string_view(kMainText), std::string_view(kMainPtx)}) {
    for (std::size_t at = 0; (at = log.find(ours, at)) != std::string::npos; at += source.size())
      log.replace(at, ours.size(), source);
  }
  return log;
}

// What the log says of an include that the fence kept from being read: the preprocessor's words,
// then those of the second compiler.
std::optional<std::string> refused_name(const std::string& log) {
  constexpr std::string_view kSecond = "cannot open source file \"";
  const std::size_t end = log.find(": Permission denied");
  if (end == std::string::npos) return std::nullopt;
  for (const std::string_view before : {std::string_view("fatal error: "), kSecond}) {
    const std::size_t begin = log.rfind(before, end);
    if (begin == std::string::npos || log.find('\n', begin) < end) continue;
    std::string name = log.substr(begin + before.size(), end - begin - before.size());
    if (before == kSecond && name.ends_with('"')) name.pop_back();
    return name;
  }
  return std::nullopt;
}

Error too_much(const std::string& what, const std::string& source) {
  return {ErrorKind::input, what, source,
          "look for macros, templates or constant expressions that grow without end"};
}

// nvcc once. error: as run_nvcc.
Result<FencedOutcome> run_once(const std::vector<std::string>& words, const PrivateFolder& folder,
                               const NvccTask& task, double limit_s, bool fenced) {
  FencedOutcome outcome = run_fenced(
      {words, folder.path(), readable_places(words.front()), limit_s, kMostCompilerBytes, fenced});
  if (outcome.end == FencedOutcome::End::not_started)
    return failure(ErrorKind::resource, "nvcc does not start", words.front(),
                   "run it by hand to see what is missing");
  if (outcome.end == FencedOutcome::End::out_of_time) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3g s", limit_s);
    return tl::unexpected(too_much(std::string("nvcc did not end within ") + seconds, task.source));
  }
  return outcome;
}

// Where the system keeps no program to folders, the second compiler may have followed an include
// that a macro made, and what the preprocessor says may quote a foreign file. error: input.
Result<void> check_unfenced(const NvccTask& task, const PrivateFolder& folder,
                            const FencedOutcome& outcome) {
  std::error_code ignored;
  if (!fs::exists(folder.path() / "read.d", ignored)) {
    const std::string log = shown_log(outcome.output, task.source);
    const std::string first = log.substr(0, log.find('\n'));
    const bool own = first.starts_with(task.source + ":");
    return failure(ErrorKind::input,
                   kUncompiled + (own ? mistakes_of(first)
                                      : "a header that it includes cannot be preprocessed"),
                   task.source);
  }
  const Result<std::string> text = read_input(folder.path() / "warpscope_kernel.cpp1.ii", 1 << 30);
  if (!text) return tl::unexpected(text.error());
  if (!makes_directives(*text)) return {};
  return failure(ErrorKind::input, "a macro of the text makes an include, which is not followed",
                 task.source, "write the include by itself");
}

Result<CompilerAnswer> run_with(const NvccTask& task, double limit_s, bool fenced) {
  const Result<Nvcc>& nvcc = find_nvcc();
  if (!nvcc) return tl::unexpected(nvcc.error());
  const PrivateFolder folder;
  if (Result<void> written = write_texts(task, folder); !written)
    return tl::unexpected(written.error());
  std::vector<std::string> words = words_of(task, nvcc->path);
  const bool cubin = task.target == Target::cubin;
  words.insert(words.end(), {cubin ? "-cubin" : "-ptx", "-o", "made.out"});
  if (cubin) words.insert(words.end(), {"-Xptxas", "-v"});
  if (!fenced) words.emplace_back("--keep");
  const Result<FencedOutcome> outcome = run_once(words, folder, task, limit_s, fenced);
  if (!outcome) return tl::unexpected(outcome.error());
  if (auto foreign = foreign_file(folder.path(), nvcc->path, task.source))
    return tl::unexpected(std::move(*foreign));
  if (!fenced) {
    if (Result<void> good = check_unfenced(task, folder, *outcome); !good)
      return tl::unexpected(good.error());
  }
  CompilerAnswer answer;
  answer.compiled = outcome->status == 0;
  answer.log = shown_log(outcome->output, task.source);
  if (!answer.compiled) {
    if (const auto name = refused_name(answer.log))
      return tl::unexpected(outside(*name, task.source));
    const bool memory = answer.log.find("out of memory") != std::string::npos ||
                        answer.log.find("std::bad_alloc") != std::string::npos;
    if (memory)
      return tl::unexpected(too_much(
          "nvcc needs more than " + std::to_string(kMostCompilerBytes >> 30) + " GiB of memory",
          task.source));
    return answer;
  }
  Result<std::string> code = read_input(folder.path() / "made.out", 1 << 30);
  if (!code) return tl::unexpected(code.error());
  answer.code = std::move(*code);
  return answer;
}

// "13.0" of "Cuda compilation tools, release 13.0, V13.0.88".
std::string release_in(const std::string& text) {
  constexpr std::string_view kBefore = "release ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kBefore.size();
  return text.substr(begin, text.find(',', begin) - begin);
}

}  // namespace

Result<Nvcc> find_nvcc_in(const std::vector<fs::path>& folders) {
  const std::optional<std::string> path = find_program("nvcc", folders);
  if (!path)
    return failure(ErrorKind::environment,
                   "there is no nvcc here, which compiles files with host code", "nvcc",
                   "install the CUDA Toolkit 13 or NVIDIA's wheels nvidia-cuda-nvcc, nvidia-nvvm "
                   "and nvidia-cuda-crt, and point WARPSCOPE_CUDA_ROOT at their folder");
  const std::optional<std::string> gcc =
      find_program("gcc", {"/usr/local/bin", "/usr/bin", "/bin"});
  if (!gcc)
    return failure(ErrorKind::environment, "nvcc needs gcc, and there is none here", "nvcc",
                   "install g++");
  const PrivateFolder folder;
  const FencedOutcome outcome = run_fenced(
      {{*path, "--version"}, folder.path(), readable_places(*path), 10, kMostCompilerBytes});
  Nvcc nvcc{*path, release_in(outcome.output), outcome.output};
  if (outcome.status != 0 || nvcc.version.empty())
    return failure(ErrorKind::environment, "nvcc does not say its version", *path,
                   "run it by hand with --version to see what is missing");
  std::error_code ignored;
  const fs::path host = fs::canonical(*gcc, ignored);
  nvcc.identity += host.string() + " " +
                   std::to_string(fs::last_write_time(host, ignored).time_since_epoch().count()) +
                   "\n";
  return nvcc;
}

const Result<Nvcc>& find_nvcc() {
  static const Result<Nvcc> found = [] {
    remove_old_folders();
    std::vector<fs::path> folders = toolkit_program_folders();
    const std::vector<fs::path> path = folders_of_path();
    folders.insert(folders.end(), path.begin(), path.end());
    return find_nvcc_in(folders);
  }();
  return found;
}

Result<CompilerAnswer> run_nvcc(const NvccTask& task, double limit_s) {
  return run_with(task, limit_s, fences_files());
}

Result<CompilerAnswer> run_ptxas(const std::string& ptx, const std::string& architecture,
                                 const std::vector<std::string>& words, double limit_s) {
  std::vector<fs::path> folders = toolkit_program_folders();
  const std::vector<fs::path> path = folders_of_path();
  folders.insert(folders.end(), path.begin(), path.end());
  const std::optional<std::string> ptxas = find_program("ptxas", folders);
  if (!ptxas)
    return failure(ErrorKind::environment, "there is no ptxas here, which tells spilled registers",
                   "ptxas", "install the CUDA Toolkit 13 or NVIDIA's wheel nvidia-cuda-nvcc");
  const PrivateFolder folder;
  if (folder.path().empty() || !folder.write("kernel.ptx", ptx))
    return failure(ErrorKind::environment, "the text cannot be written to a folder for ptxas",
                   fs::path(folder.path()).string(), "make room in the temporary folder");
  std::vector<std::string> all = {*ptxas, "-v", "-lineinfo", "-arch=" + architecture};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"-o", "made.out", "kernel.ptx"});
  const FencedOutcome outcome =
      run_fenced({all, folder.path(), readable_places(*ptxas), limit_s, kMostCompilerBytes});
  if (outcome.end != FencedOutcome::End::ended)
    return failure(ErrorKind::input, "ptxas does not end within its time and memory", architecture,
                   "compile the PTX by hand with ptxas to see why");
  CompilerAnswer answer;
  answer.log = outcome.output;
  answer.compiled = outcome.status == 0;
  if (!answer.compiled) return answer;
  Result<std::string> code = read_input(folder.path() / "made.out", 1 << 30);
  if (!code) return tl::unexpected(code.error());
  answer.code = std::move(*code);
  return answer;
}

Result<CompilerAnswer> run_nvcc_unfenced(const NvccTask& task, double limit_s) {
  return run_with(task, limit_s, false);
}

}  // namespace warpscope
