// profiling/engine/compile/compiler.cpp: kernel text to machine code by NVRTC, kept on disk.
#include "profiling/engine/compile/compiler.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <sstream>

#include "profiling/engine/compile/nvrtc.h"
#include "scenes/host/cache.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What a person's text may be written in: the newest standard that NVRTC has, and __int128.
std::vector<std::string> language_options() { return {"-std=c++20", "-device-int128"}; }

std::vector<std::string> options_of(const CompileRequest& request, Target target) {
  // Not -no-source-include: the toolkit's own headers include what lies beside them. Of a name that
  // is among the texts in memory NVRTC takes that text, whatever lies on disk; any other name it
  // finds among the toolkit's headers or not at all (confined_files.h).
  // Not NVRTC's own cache, which it has where there is a driver: what it finds there has no log.
  std::vector<std::string> options = language_options();
  options.insert(options.end(), {"-lineinfo", "-default-device", "--no-cache"});
  if (target == Target::cubin) {
    options.push_back("-arch=sm_" + std::to_string(request.compute_capability) +
                      (request.architecture_features ? "a" : ""));
    options.emplace_back("--ptxas-options=-v");
  } else {
    options.emplace_back(request.architecture_features ? "-arch=compute_90a" : "-arch=compute_90");
  }
  for (const auto& [name, value] : request.defines) options.push_back("-D" + name + "=" + value);
  for (const fs::path& folder : toolkit_include_folders())
    options.push_back("-I" + folder.string());
  return options;
}

// A cache entry is the two lengths, the hash of what follows, the log, and the cubin; anything else
// is compiled again.
std::optional<Compiled> entry_of(const std::string& kept) {
  std::istringstream head(kept.substr(0, kept.find('\n')));
  std::size_t log_bytes = 0, cubin_bytes = 0;
  std::string magic, seal;
  if (!(head >> magic >> log_bytes >> cubin_bytes >> seal) || magic != "warpscope-cubin")
    return std::nullopt;
  const std::string_view rest = std::string_view(kept).substr(kept.find('\n') + 1);
  // Compared one by one: a sum of what a broken text says may be anything.
  if (log_bytes > rest.size() || cubin_bytes != rest.size() - log_bytes || seal != hash_of(rest))
    return std::nullopt;
  Compiled code;
  code.log = rest.substr(0, log_bytes);
  code.cubin = rest.substr(log_bytes);
  code.from_cache = true;
  return code;
}

std::string kept_text(const Compiled& code) {
  std::ostringstream text;
  text << "warpscope-cubin " << code.log.size() << ' ' << code.cubin.size() << ' '
       << hash_of(code.log + code.cubin) << '\n'
       << code.log << code.cubin;
  return text.str();
}

Result<Compiled> compile_text(const CompileRequest& request,
                              const std::vector<KernelSource>& sources, Target target,
                              std::string* expression = nullptr) {
  if (sources.empty())
    return failure(ErrorKind::internal, "there is no source to compile", request.source);
  CompilerTask task{target, expression == nullptr ? std::string() : *expression, request.source,
                    options_of(request, target)};
  for (const KernelSource& source : sources) {
    task.names.push_back(source.path);
    task.texts.push_back(source.text);
  }
  Result<CompilerAnswer> answer = run_compiler(task, request.limit_s);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->compiled) {
    return failure(ErrorKind::input, "the kernel does not compile:\n" + answer->log, request.source,
                   "correct the source at the lines named");
  }
  if (expression != nullptr && !answer->expression.empty()) *expression = answer->expression;
  Compiled code;
  code.cubin = std::move(answer->code);
  code.log = std::move(answer->log);
  return code;
}

// Of all that decides what `target` comes out of these texts.
std::string hash_for(const CompileRequest& request, const std::vector<KernelSource>& sources,
                     Target target, const std::string& expression) {
  // The first line changes with what is kept beside a hash or how it is made.
  std::string identity = "sources in memory alone\n" + nvrtc_version().value_or("") + "\n";
  for (const std::string& option : language_options()) identity += option + "\n";
  identity += request.source + "\n";
  for (const KernelSource& source : sources) identity += source.hash + " " + source.path + "\n";
  identity += target == Target::cubin ? "cubin " : "ptx ";
  if (target == Target::cubin) {
    identity +=
        std::to_string(request.compute_capability) + (request.architecture_features ? "a" : "");
  }
  for (const auto& [name, value] : request.defines) {
    identity += "\n" + std::to_string(name.size()) + ":" + name + "=" +
                std::to_string(value.size()) + ":" + value;
  }
  return hash_of(identity + "\n" + expression);
}

// Holds what is being compiled, so that a second thread waits for it and finds it in the cache.
class UnderWay {
 public:
  explicit UnderWay(std::string hash) : hash_(std::move(hash)) {
    std::unique_lock lock(mutex());
    changed().wait(lock, [this] { return hashes().insert(hash_).second; });
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() {
    const std::lock_guard lock(mutex());
    hashes().erase(hash_);
    changed().notify_all();
  }

 private:
  // Never destroyed: a process may end while a thread compiles.
  static std::mutex& mutex() {
    static auto& one = *new std::mutex;
    return one;
  }
  static std::condition_variable& changed() {
    static auto& one = *new std::condition_variable;
    return one;
  }
  static std::set<std::string>& hashes() {
    static auto& all = *new std::set<std::string>;
    return all;
  }
  std::string hash_;
};

// The texts to `target`, from the cache where they were compiled before.
Result<Compiled> compile_cached(const CompileRequest& request,
                                const std::vector<KernelSource>& sources, Target target) {
  const Result<std::string>& t = nvrtc_path();
  if (!t) return tl::unexpected(t.error());
  const std::string hash = hash_for(request, sources, target, "");
  const UnderWay alone(hash);
  const char* const shelf = target == Target::cubin ? "cubin" : "ptx";
  constexpr std::int64_t kMostBytes = 1 << 28;
  // Without one everything is compiled anew; the workbench says why there is none.
  const Result<Cache> cache = Cache::open();
  const auto kept = cache ? cache->read(shelf, hash + ".bin", kMostBytes) : std::nullopt;
  if (std::optional<Compiled> cached = kept ? entry_of(*kept) : std::nullopt) {
    cached->hash = hash;
    return std::move(*cached);
  }
  Result<Compiled> code = compile_text(request, sources, target);
  if (!code) return code;
  code->hash = hash;
  if (cache) cache->write(shelf, hash + ".bin", kept_text(*code));
  return code;
}

}  // namespace

std::string compile_hash(const CompileRequest& request, const std::vector<KernelSource>& sources) {
  return hash_for(request, sources, Target::cubin, "");
}

Result<Compiled> compile(const CompileRequest& request, const std::vector<KernelSource>& sources) {
  return compile_cached(request, sources, Target::cubin);
}

Result<Compiled> compile(const CompileRequest& request) {
  if (const Result<std::string>& t = nvrtc_path(); !t) return tl::unexpected(t.error());
  const Result<std::vector<KernelSource>> sources = sources_on_disk()(request.source);
  if (!sources) return tl::unexpected(sources.error());
  return compile(request, *sources);
}

Result<CompiledPtx> compile_to_ptx(const CompileRequest& request,
                                   const std::vector<KernelSource>& sources,
                                   const std::string& expression) {
  if (const Result<std::string>& t = nvrtc_path(); !t) return tl::unexpected(t.error());
  std::string entry = expression;
  Result<Compiled> code = expression.empty() ? compile_cached(request, sources, Target::ptx)
                                             : compile_text(request, sources, Target::ptx, &entry);
  if (!code) return tl::unexpected(code.error());
  if (!expression.empty()) code->hash = hash_for(request, sources, Target::ptx, expression);
  return CompiledPtx{std::move(code->cubin), std::move(code->log), std::move(code->hash),
                     code->from_cache, std::move(entry)};
}

Result<CompiledPtx> compile_to_ptx(const CompileRequest& request, const std::string& text) {
  if (!text.empty())
    return compile_to_ptx(request, with_headers_on_disk(kernel_source(request.source, text)));
  if (const Result<std::string>& t = nvrtc_path(); !t) return tl::unexpected(t.error());
  const Result<std::vector<KernelSource>> sources = sources_on_disk()(request.source);
  if (!sources) return tl::unexpected(sources.error());
  return compile_to_ptx(request, *sources);
}

Result<int> registers_per_thread(const CompileRequest& request,
                                 const std::vector<KernelSource>& sources,
                                 const std::string& expression) {
  const Result<std::string>& t = nvrtc_path();
  if (!t) return tl::unexpected(t.error());
  std::string entry = expression;
  const Result<Compiled> code = compile_text(request, sources, Target::cubin, &entry);
  if (!code) return tl::unexpected(code.error());
  // "ptxas info    : Compiling entry function 'k' for 'sm_90'", then "… : Used 32 registers, …".
  const std::size_t begun = code->log.find("Compiling entry function '" + entry + "'");
  constexpr std::string_view kUsed = ": Used ";
  const std::size_t used = begun == std::string::npos ? begun : code->log.find(kUsed, begun);
  if (used == std::string::npos) {
    return failure(ErrorKind::internal,
                   "ptxas does not report how many registers " + entry + " takes", request.source);
  }
  return std::atoi(code->log.c_str() + used + kUsed.size());
}

}  // namespace warpscope
