// profiling/engine/compile/nvrtc.cpp: NVRTC, asked in processes of its own.
#include "profiling/engine/compile/nvrtc.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include "profiling/engine/compile/bounded_process.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/confined_files.h"
#include "profiling/engine/cuda/shared_library.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

struct NvrtcTable {
  SharedLibrary library;
  decltype(&::nvrtcVersion) version = nullptr;
  decltype(&::nvrtcCreateProgram) create = nullptr;
  decltype(&::nvrtcDestroyProgram) destroy = nullptr;
  decltype(&::nvrtcCompileProgram) compile = nullptr;
  decltype(&::nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&::nvrtcGetProgramLog) log = nullptr;
  decltype(&::nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&::nvrtcGetCUBIN) cubin = nullptr;
  decltype(&::nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&::nvrtcGetPTX) ptx = nullptr;
  decltype(&::nvrtcAddNameExpression) add_expression = nullptr;
  decltype(&::nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&::nvrtcGetErrorString) error_string = nullptr;
};

// Folders that NVRTC looks for toolkit headers in, beside the library it was loaded from.
std::vector<fs::path> include_folders(const SharedLibrary& nvrtc) {
  std::vector<fs::path> folders;
  // If the system found the library, only its name is known: ask the loader for its path.
  fs::path library(nvrtc.path());
  Dl_info found{};
  if (!library.is_absolute() && ::dladdr(nvrtc.address("nvrtcVersion"), &found) != 0)
    library = found.dli_fname;
  if (!library.is_absolute()) library.clear();
  std::error_code ignored;
  for (const fs::path& root : {library.parent_path().parent_path(), fs::path("/usr/local/cuda")}) {
    for (const char* below : {"include", "include/cccl", "targets/x86_64-linux/include"}) {
      if (root.is_absolute() && fs::is_directory(root / below, ignored))
        folders.push_back(root / below);
    }
  }
  return folders;
}

Result<NvrtcTable> load_table() {
  Result<SharedLibrary> library =
      open_toolkit_library("nvrtc", {"libnvrtc.so.13"}, {"libnvrtc-builtins.so"});
  if (!library) return tl::unexpected(library.error());
  NvrtcTable t{std::move(*library)};
  const bool all =
      t.library.find("nvrtcVersion", t.version) && t.library.find("nvrtcCreateProgram", t.create) &&
      t.library.find("nvrtcDestroyProgram", t.destroy) &&
      t.library.find("nvrtcCompileProgram", t.compile) &&
      t.library.find("nvrtcGetProgramLogSize", t.log_size) &&
      t.library.find("nvrtcGetProgramLog", t.log) &&
      t.library.find("nvrtcGetCUBINSize", t.cubin_size) &&
      t.library.find("nvrtcGetCUBIN", t.cubin) && t.library.find("nvrtcGetPTXSize", t.ptx_size) &&
      t.library.find("nvrtcGetPTX", t.ptx) &&
      t.library.find("nvrtcAddNameExpression", t.add_expression) &&
      t.library.find("nvrtcGetLoweredName", t.lowered_name) &&
      t.library.find("nvrtcGetErrorString", t.error_string);
  if (!all) {
    return failure(ErrorKind::environment, "libnvrtc lacks a function this build calls", "nvrtc",
                   "install the NVRTC of CUDA Toolkit 13");
  }
  const auto confined =
      confine_files(reinterpret_cast<const void*>(t.compile), include_folders(t.library));
  if (!confined) return tl::unexpected(confined.error());
  return t;
}

// Loaded once for the life of the process.
const Result<NvrtcTable>& table() {
  static const Result<NvrtcTable> loaded = load_table();
  return loaded;
}

// What goes to a process that compiles, and what comes back: texts, each with its length before it.
std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += std::to_string(text.size()) + ' ' + text;
  return all;
}
std::vector<std::string> parted(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    const std::size_t space = all.find(' ');
    std::size_t length = 0;
    std::from_chars(all.data(), all.data() + std::min(space, all.size()), length);
    all.remove_prefix(std::min(space, all.size() - 1) + 1);
    texts.emplace_back(all.substr(0, length));
    all.remove_prefix(std::min(length, all.size()));
  }
  return texts;
}

std::string packed(const CompilerTask& task) {
  std::vector<std::string> all = {task.target == Target::cubin ? "cubin" : "ptx", task.expression,
                                  task.source, std::to_string(task.options.size())};
  all.insert(all.end(), task.options.begin(), task.options.end());
  for (std::size_t k = 0; k < task.texts.size(); ++k) {
    all.push_back(task.names[k]);
    all.push_back(task.texts[k]);
  }
  return joined(all);
}
CompilerTask unpacked_task(const std::string& text) {
  const std::vector<std::string> all = parted(text);
  CompilerTask task;
  task.target = all[0] == "cubin" ? Target::cubin : Target::ptx;
  task.expression = all[1];
  task.source = all[2];
  std::size_t at = 4;
  for (auto left = std::atoi(all[3].c_str()); left > 0; --left) task.options.push_back(all[at++]);
  for (; at + 1 < all.size(); at += 2) {
    task.names.push_back(all[at]);
    task.texts.push_back(all[at + 1]);
  }
  return task;
}

std::string packed(const CompilerAnswer& answer) {
  return joined({answer.problem, answer.compiled ? "compiled" : "", answer.log, answer.code,
                 answer.expression, answer.ptx});
}
CompilerAnswer unpacked_answer(const std::string& text) {
  std::vector<std::string> all = parted(text);
  all.resize(6);
  return {std::move(all[0]), !all[1].empty(),   std::move(all[2]),
          std::move(all[3]), std::move(all[4]), std::move(all[5])};
}

// A text from NVRTC, of the size that it reports.
template <typename Get>
std::string text_of(nvrtcProgram program, std::size_t bytes, const Get& get) {
  std::string text(bytes, 0);
  get(program, text.data());
  return text;
}

CompilerAnswer run_nvrtc(const NvrtcTable& t, const CompilerTask& task) {
  CompilerAnswer answer;
  std::vector<const char*> texts, names, options;
  for (std::size_t k = 1; k < task.texts.size(); ++k) {
    texts.push_back(task.texts[k].c_str());
    names.push_back(task.names[k].c_str());
  }
  nvrtcProgram program = nullptr;
  nvrtcResult status = t.create(&program, task.texts.front().c_str(), task.source.c_str(),
                                static_cast<int>(names.size()), texts.data(), names.data());
  if (status != NVRTC_SUCCESS) {
    answer.problem = t.error_string(status);
    return answer;
  }
  // An expression is compiled although nothing in the text uses it.
  std::istringstream expressions(task.expression);
  for (std::string one; std::getline(expressions, one);) t.add_expression(program, one.c_str());
  for (const std::string& option : task.options) options.push_back(option.c_str());
  status = t.compile(program, static_cast<int>(options.size()), options.data());
  answer.compiled = status == NVRTC_SUCCESS;
  std::size_t size = 0;
  if (t.log_size(program, &size) == NVRTC_SUCCESS && size > 1) {
    answer.log = text_of(program, size, t.log);
    // With what ptxas says comes a zero more than the one that ends it.
    answer.log.resize(std::min(size, answer.log.find('\0')));
  }
  if (answer.compiled && task.target == Target::cubin &&
      t.cubin_size(program, &size) == NVRTC_SUCCESS) {
    answer.code = text_of(program, size, t.cubin);
  }
  if (answer.compiled && t.ptx_size(program, &size) == NVRTC_SUCCESS && size > 0) {
    std::string& ptx = task.target == Target::ptx ? answer.code : answer.ptx;
    ptx = text_of(program, size, t.ptx);
    ptx.resize(size - 1);  // without the zero that ends it
  }
  const char* lowered = nullptr;
  if (answer.compiled && !task.expression.empty() &&
      t.lowered_name(program, task.expression.c_str(), &lowered) == NVRTC_SUCCESS) {
    answer.expression = lowered;
  }
  t.destroy(&program);
  return answer;
}

constexpr std::int64_t kMostCompilerBytes = 3ll << 30;

// For the life of the process; after table().
BoundedProcesses& compilers() {
  static auto& processes = *new BoundedProcesses(
      [](const std::string& task) { return packed(run_nvrtc(*table(), unpacked_task(task))); });
  return processes;
}

}  // namespace

void start_compilers() {
  if (table()) compilers();
}

Result<std::string> nvrtc_version() {
  const Result<NvrtcTable>& t = table();
  if (!t) return tl::unexpected(t.error());
  int major = 0, minor = 0;
  t->version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

const Result<std::string>& nvrtc_path() {
  static const Result<std::string> path = [] {
    const Result<NvrtcTable>& t = table();
    return t ? Result<std::string>(t->library.path()) : tl::unexpected(t.error());
  }();
  return path;
}

std::vector<fs::path> toolkit_include_folders() {
  const Result<NvrtcTable>& t = table();
  return t ? include_folders(t->library) : std::vector<fs::path>{};
}

Result<CompilerAnswer> run_compiler(const CompilerTask& task, double limit_s) {
  const auto too_much = [&](const std::string& what) {
    return failure(ErrorKind::input, what, task.source,
                   "look for macros, templates or constant expressions that grow without end");
  };
  const BoundedProcesses::Outcome outcome =
      compilers().run(packed(task), {limit_s, kMostCompilerBytes});
  const std::string memory = std::to_string(kMostCompilerBytes >> 30) + " GiB of memory";
  switch (outcome.end) {
    case BoundedProcesses::End::answered:
      break;
    case BoundedProcesses::End::out_of_time: {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%.3g s", limit_s);
      return too_much(std::string("the compiler did not end within ") + seconds);
    }
    case BoundedProcesses::End::died:
      return too_much("the compiler ended without an answer, probably because it needs more than " +
                      memory);
    case BoundedProcesses::End::not_started:
      return failure(ErrorKind::resource, "no process can be started to compile in", task.source,
                     "close other programs");
  }
  CompilerAnswer answer = unpacked_answer(outcome.answer);
  if (!answer.problem.empty()) {
    return failure(ErrorKind::environment, "NVRTC says: " + answer.problem, task.source,
                   "see `warpscope doctor`");
  }
  if (!answer.compiled && answer.log.find("catastrophic error: out of memory") != std::string::npos)
    return too_much("the compiler needs more than " + memory);
  return answer;
}

std::string mistakes_of(std::string log) {
  const auto end_at = [&log](std::size_t size) {
    log.resize(size);
    while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  };
  end_at(log.size());
  const std::size_t last = log.rfind('\n');
  const std::string_view line =
      std::string_view(log).substr(last == std::string::npos ? 0 : last + 1);
  if (last != std::string::npos && line.find(" detected in the compilation of ") != line.npos)
    end_at(last);
  return log;
}

}  // namespace warpscope
