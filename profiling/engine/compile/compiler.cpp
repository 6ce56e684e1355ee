// profiling/engine/compile/compiler.cpp: kernel text to machine code by NVRTC or nvcc.
#include "profiling/engine/compile/compiler.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <span>

#include "profiling/binaries/cubin.h"
#include "profiling/capture/machine_code_text.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/compile/nvcc.h"
#include "profiling/engine/compile/nvrtc.h"
#include "profiling/engine/compile/steps/edited_text.h"
#include "profiling/engine/compile/steps/kept_code.h"
#include "profiling/launches/device_part.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What a person's text may be written in: the newest standard that NVRTC has, and __int128.
std::vector<std::string> language_options(const CompileRequest& request) {
  const std::vector<std::string>& passed = request.options.passed;
  const bool standard = std::any_of(passed.begin(), passed.end(),
                                    [](const auto& o) { return o.starts_with("--std="); });
  std::vector<std::string> options = {"-device-int128"};
  if (!standard) options.insert(options.begin(), "-std=c++20");
  options.insert(options.end(), passed.begin(), passed.end());
  for (const std::string& name : request.options.undefined) options.push_back("-U" + name);
  return options;
}

// What PTX is made for.
std::string virtual_architecture(const CompileRequest& request) {
  if (!request.options.architecture.empty()) return request.options.architecture;
  return request.architecture_features ? "compute_90a" : "compute_90";
}
// What machine code is made for.
std::string real_architecture(const CompileRequest& request) {
  return "sm_" + std::to_string(request.compute_capability) +
         (request.architecture_features ? "a" : "");
}

std::vector<std::string> options_of(const CompileRequest& request, Target target) {
  // Not -no-source-include: the toolkit's own headers include files beside them. If a name is among
  // the texts in memory, NVRTC takes that text, whatever is on disk. Any other name it finds among
  // the toolkit's headers or not at all (confined_files.h).
  // Not NVRTC's own cache, which exists if there is a driver: code found there has no log.
  std::vector<std::string> options = language_options(request);
  options.insert(options.end(), {"-lineinfo", "-default-device", "--no-cache"});
  if (target == Target::cubin) {
    options.push_back("-arch=" + real_architecture(request));
    options.emplace_back("--ptxas-options=-v");
  } else {
    options.push_back("-arch=" + virtual_architecture(request));
  }
  for (const auto& [name, value] : request.defines) options.push_back("-D" + name + "=" + value);
  for (const fs::path& folder : toolkit_include_folders())
    options.push_back("-I" + folder.string());
  return options;
}

// `ptx`: where PTX goes that machine code was made of.
Result<Compiled> compile_text(const CompileRequest& request,
                              const std::vector<KernelSource>& sources, Target target,
                              std::string* expression = nullptr, std::string* ptx = nullptr) {
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
    return failure(ErrorKind::input, kUncompiled + mistakes_of(answer->log), request.source);
  }
  if (expression != nullptr && !answer->expression.empty()) *expression = answer->expression;
  Compiled code;
  code.cubin = std::move(answer->code);
  code.log = std::move(answer->log);
  if (ptx != nullptr) *ptx = std::move(answer->ptx);
  return code;
}

// A hash of everything that decides the `target` made from these texts. `nvcc`: what that compiler
// is; empty: NVRTC compiles.
std::string hash_for(const CompileRequest& request, const std::vector<KernelSource>& sources,
                     Target target, const std::string& expression, const std::string& nvcc = {}) {
  // The first line changes with what is kept beside a hash or how it is made.
  std::string identity =
      "sources in memory alone\n" + (nvcc.empty() ? nvrtc_version().value_or("") : nvcc) + "\n";
  for (const std::string& option : language_options(request)) identity += option + "\n";
  if (!request.options.architecture.empty()) identity += request.options.architecture + "\n";
  identity += request.source + "\n";
  for (const KernelSource& source : sources) identity += source.hash + " " + source.path + "\n";
  identity += target == Target::cubin ? "cubin " : "ptx ";
  if (target == Target::cubin) {
    identity +=
        std::to_string(request.compute_capability) + (request.architecture_features ? "a" : "");
  }
  for (const std::string& instance : request.instances) identity += "\ninstance " + instance;
  for (const auto& [name, value] : request.defines) {
    identity += "\n" + std::to_string(name.size()) + ":" + name + "=" +
                std::to_string(value.size()) + ":" + value;
  }
  return hash_of(identity + "\n" + expression);
}

// What NVRTC says of the text itself, without ptxas's report.
std::string log_of_text(const std::string& log) {
  if (log.starts_with("ptxas ")) return {};
  return log.substr(0, std::min(log.size(), log.find("\nptxas ") + 1));
}

// The texts to `target` by NVRTC. Machine code is made of PTX: if that is what the emulator runs,
// it is kept too.
Result<Compiled> compile_by_nvrtc(const CompileRequest& request,
                                  const std::vector<KernelSource>& sources, Target target,
                                  const std::string& expressions = {}) {
  const Result<std::string>& t = nvrtc_path();
  if (!t) return tl::unexpected(t.error());
  return cached(hash_for(request, sources, target, expressions), target, [&] {
    std::string symbols = expressions;
    Compiled ptx;
    Result<Compiled> code = compile_text(request, sources, target,
                                         expressions.empty() ? nullptr : &symbols, &ptx.cubin);
    const bool is_emulated = request.options.architecture.empty() &&
                             request.compute_capability == CompileRequest{}.compute_capability;
    if (code && is_emulated && !ptx.cubin.empty()) {
      ptx.log = log_of_text(code->log);
      keep(hash_for(request, sources, Target::ptx, expressions), Target::ptx, ptx);
    }
    return code;
  });
}

// Whether a text is PTX already.
bool of_ptx(const std::vector<KernelSource>& sources) {
  return !sources.empty() && is_ptx(sources.front().text);
}

// Whether PTX of this request is for the architecture that machine code is made for.
bool has_ptx_of_its_own(const CompileRequest& request) {
  const std::string ptx = virtual_architecture(request), code = real_architecture(request);
  return ptx.substr(ptx.find('_') + 1) == code.substr(code.find('_') + 1);
}

// What nvcc's last step makes of its own PTX: the instructions that nvcc makes of the texts.
Result<Compiled> assemble(const CompileRequest& request, const Compiled& ptx) {
  Result<CompilerAnswer> answer = run_ptxas(ptx.cubin, real_architecture(request),
                                            options_of_ptxas(request.options), request.limit_s);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->compiled)
    return failure(ErrorKind::input, kUncompiled + mistakes_of(answer->log), request.source);
  Compiled code;
  code.cubin = std::move(answer->code);
  code.log = ptx.log + answer->log;
  return code;
}

// The texts to `target` by nvcc; `appended` is host code after them. Machine code is assembled of
// the PTX that the emulator runs, where that is of the same architecture: the texts are compiled
// once.
Result<Compiled> compile_by_nvcc(const CompileRequest& request,
                                 const std::vector<KernelSource>& sources, Target target,
                                 const std::string& appended = {}) {
  const Result<Nvcc>& nvcc = find_nvcc();
  if (!nvcc) return tl::unexpected(nvcc.error());
  const auto make = [&]() -> Result<Compiled> {
    if (target == Target::cubin && has_ptx_of_its_own(request) && !of_ptx(sources)) {
      const Result<Compiled> ptx = compile_by_nvcc(request, sources, Target::ptx, appended);
      return ptx ? assemble(request, *ptx) : ptx;
    }
    NvccTask task{target, target == Target::cubin ? real_architecture(request)
                                                  : virtual_architecture(request)};
    task.source = request.source;
    task.options = request.options.passed;
    task.defines = request.defines;
    task.undefined = request.options.undefined;
    for (const KernelSource& source : sources) {
      task.texts.push_back(source.text);
      task.names.push_back(source.path);
    }
    task.appended = appended;
    const bool edited = !request.earlier.empty();
    Result<CompilerAnswer> answer =
        edited ? run_after_edit(task, request.limit_s) : run_nvcc(task, request.limit_s);
    if (!answer) return tl::unexpected(answer.error());
    if (!answer->compiled)
      return failure(ErrorKind::input, kUncompiled + mistakes_of(answer->log), request.source);
    Compiled code;
    code.cubin = std::move(answer->code);
    code.log = std::move(answer->log);
    return code;
  };
  return cached(hash_for(request, sources, target, appended, nvcc->identity), target, make);
}

// Whether NVRTC would refuse it: it launches kernels, or includes what is neither among the texts
// nor the toolkit's.
bool needs_nvcc(const std::vector<KernelSource>& sources) {
  std::set<std::string> given;
  for (const KernelSource& source : sources) given.insert(source.path);
  const std::vector<fs::path> toolkit = toolkit_include_folders();
  std::error_code ignored;
  for (const KernelSource& source : sources) {
    if (source.text.find("<<<") != std::string::npos) return true;
    for (const IncludedName& included : included_names(source.text)) {
      const bool known = given.count(included.name) > 0 ||
                         std::any_of(toolkit.begin(), toolkit.end(), [&](const fs::path& folder) {
                           return fs::exists(folder / included.name, ignored);
                         });
      if (!known) return true;
    }
  }
  return false;
}

// Whether NVRTC says that the text is wrong, not that it takes all time or memory.
bool refuses_text(const Error& error) {
  return error.what.find("does not compile") != std::string::npos;
}

// Host code after a text for an instance of a template; empty for a kernel of the text's own.
std::string instance_of(const std::string& expression) {
  return expression.find('<') == std::string::npos ? "" : instance_lines(expression);
}

// What ptxas's report says of an entry.
Result<int> registers_in(const std::string& log, const std::string& entry,
                         const std::string& source) {
  // "ptxas info    : Compiling entry function 'k' for 'sm_90'", then "… : Used 32 registers, …".
  const std::size_t begun = log.find("Compiling entry function '" + entry + "'");
  constexpr std::string_view kUsed = ": Used ";
  const std::size_t used = begun == std::string::npos ? begun : log.find(kUsed, begun);
  if (used == std::string::npos) {
    return failure(ErrorKind::internal,
                   "ptxas does not report how many registers " + entry + " takes", source);
  }
  return std::atoi(log.c_str() + used + kUsed.size());
}

std::vector<std::string> symbols_of(const std::string& ptx, const std::string& source) {
  std::vector<std::string> symbols;
  if (const auto kernels = kernels_of_ptx(ptx, source)) {
    for (const ListedKernel& kernel : *kernels) symbols.push_back(kernel.symbol);
  }
  return symbols;
}

// Compiles the device parts of the texts with `make`, without the headers in `left_out`, to which
// those are added that the compiler does not find. `whole`: why the whole texts do not compile,
// which is given back if they are device parts already; null: they were not tried. error: of the
// last try.
template <typename Make>
auto of_device_parts(const std::vector<KernelSource>& sources, std::set<std::string>& left_out,
                     const Error* whole, const Make& make,
                     std::vector<KernelSource>* used = nullptr) -> decltype(make(sources)) {
  constexpr std::size_t kMostMissing = 16;
  if (const std::string absent = whole == nullptr ? "" : missing_include(whole->what);
      !absent.empty())
    left_out.insert(absent);
  for (std::size_t attempt = 0;; ++attempt) {
    std::vector<KernelSource> parts;
    for (const KernelSource& source : sources)
      parts.push_back(kernel_source(source.path, device_part(source.text, left_out)));
    if (whole != nullptr && parts == sources) return tl::unexpected(*whole);
    auto made = make(parts);
    const std::string absent = made ? "" : missing_include(made.error().what);
    if (made && used != nullptr) *used = std::move(parts);
    if (absent.empty() || attempt == kMostMissing || !left_out.insert(absent).second) return made;
  }
}

CompiledPtx ptx_of(Compiled&& code, std::string compiler) {
  return {std::move(code.cubin), std::move(code.log), std::move(code.hash), code.from_cache, {},
          std::move(compiler)};
}

// PTX of the device part alone with the kernels that the text had. It is nvcc's as well: NVRTC's
// addresses of shared memory have other instructions. No value: it does not compile, or lacks a
// kernel: compile the whole text.
std::optional<CompiledPtx> ptx_of_device_part(const CompileRequest& request,
                                              const std::vector<KernelSource>& sources) {
  std::vector<std::string> included;
  for (const KernelSource& source : sources) {
    for (const IncludedName& name : included_names(source.text)) included.push_back(name.name);
  }
  std::set<std::string> left_out = host_headers(included);
  Result<Compiled> code = of_device_parts(sources, left_out, nullptr, [&](const auto& parts) {
    return compile_by_nvcc(request, parts, Target::ptx, instance_lines(request.earlier));
  });
  if (!code) return std::nullopt;
  const std::vector<std::string> symbols = symbols_of(code->cubin, request.source);
  if (!missing_instances(request.earlier, symbols).empty() ||
      !missing_instances(request.instances, symbols).empty())
    return std::nullopt;
  CompiledPtx ptx =
      ptx_of(std::move(*code), "nvcc " + find_nvcc()->version + " (device part alone)");
  ptx.device_part = true;
  return ptx;
}

// PTX of a person's text, and which compiler made it: NVRTC where it can, else nvcc.
Result<CompiledPtx> any_text_to_ptx(const CompileRequest& request,
                                    const std::vector<KernelSource>& sources,
                                    const std::string& expression) {
  const bool host = needs_nvcc(sources);
  if ((!host || !find_nvcc()) && nvrtc_path()) {
    std::string entry = expression;
    Result<Compiled> code = expression.empty()
                                ? compile_by_nvrtc(request, sources, Target::ptx)
                                : compile_text(request, sources, Target::ptx, &entry);
    if (code) {
      if (!expression.empty()) code->hash = hash_for(request, sources, Target::ptx, expression);
      CompiledPtx ptx = ptx_of(std::move(*code), "NVRTC " + nvrtc_version().value_or(""));
      ptx.entry = entry;
      return ptx;
    }
    if (host && !find_nvcc()) return tl::unexpected(find_nvcc().error());
    if (!find_nvcc() || !refuses_text(code.error())) return tl::unexpected(code.error());
  }
  const std::string instance = instance_of(expression);
  Result<Compiled> code = compile_by_nvcc(request, sources, Target::ptx, instance);
  const std::string compiler = find_nvcc() ? "nvcc " + find_nvcc()->version : "nvcc";
  // The program's own instance may be named without its namespaces; another expression is wrong.
  if (!code && !instance.empty() && code.error().what.find("--kernel(") != std::string::npos) {
    Result<Compiled> plain = compile_by_nvcc(request, sources, Target::ptx);
    const auto kernels =
        plain ? kernels_of_ptx(plain->cubin, request.source) : tl::unexpected(plain.error());
    if (kernels) {
      if (auto chosen = choose_kernel(*kernels, expression, request.source)) {
        CompiledPtx ptx = ptx_of(std::move(*plain), compiler);
        ptx.entry = std::move(*chosen);
        return ptx;
      }
      code.error().what += kernels->empty() ? "" : "\nThe file itself has:";
      for (const ListedKernel& k : *kernels) code.error().what += "\n  " + kernel_text(k);
      code.error().remedy = "name one of its kernels, or arguments that its template takes";
    }
  }
  if (!code) return tl::unexpected(code.error());
  CompiledPtx ptx = ptx_of(std::move(*code), compiler);
  if (!instance.empty()) ptx.entry = instance_symbol(ptx.ptx);
  return ptx;
}

}  // namespace

std::string compile_hash(const CompileRequest& request, const std::vector<KernelSource>& sources) {
  return hash_for(request, sources, Target::cubin, "");
}

CompileRequest request_for(const KernelLaunch& launch, int compute_capability) {
  return {launch.source,
          launch.defines,
          compute_capability,
          launch.architecture_features,
          CompileRequest{}.limit_s,
          launch.any_text,
          {},
          launch.instances};
}

CompileRequest request_for(const ConstantCopy& copy, int compute_capability) {
  return {copy.source,
          copy.defines,
          compute_capability,
          copy.architecture_features,
          CompileRequest{}.limit_s,
          copy.any_text,
          {},
          copy.instances};
}

namespace {

// The text as it is, by the compiler that takes it.
Result<Compiled> compile_plain(const CompileRequest& request,
                               const std::vector<KernelSource>& sources) {
  const bool host = request.any_text && needs_nvcc(sources) && find_nvcc();
  if (!host) {
    Result<Compiled> code = compile_by_nvrtc(request, sources, Target::cubin);
    if (code || !request.any_text || !refuses_text(code.error()) || !find_nvcc()) return code;
  }
  return compile_by_nvcc(request, sources, Target::cubin);
}

// The text with these instances, which it does not use itself.
Result<Compiled> compile_with(const std::vector<std::string>& instances,
                              const CompileRequest& request,
                              const std::vector<KernelSource>& sources, Target target) {
  std::string lines;
  for (const std::string& instance : instances) lines += (lines.empty() ? "" : "\n") + instance;
  const bool host = needs_nvcc(sources) && find_nvcc();
  if (!host) {
    Result<Compiled> code = compile_by_nvrtc(request, sources, target, lines);
    if (code || !refuses_text(code.error()) || !find_nvcc()) return code;
  }
  return compile_by_nvcc(request, sources, target, instance_lines(instances));
}

// PTX of compute_90a is for sm_90a alone.
bool has_features(const std::string& ptx, int compute_capability) {
  const std::string target = ".target sm_" + std::to_string(compute_capability) + "a";
  return ptx.find(target) != std::string::npos;
}

Result<Compiled> compile_whole(const CompileRequest& request,
                               const std::vector<KernelSource>& sources) {
  CompileRequest own = request;
  own.instances.clear();
  if (of_ptx(sources)) {
    own.architecture_features = has_features(sources.front().text, own.compute_capability);
    return compile_by_nvcc(own, sources, Target::cubin);
  }
  Result<Compiled> code = compile_plain(own, sources);
  if (!code || request.instances.empty()) return code;
  const std::vector<std::string> missing =
      missing_instances(request.instances, kernel_symbols(code->cubin));
  return missing.empty() ? std::move(code) : compile_with(missing, own, sources, Target::cubin);
}

}  // namespace

Result<Compiled> compile(const CompileRequest& request, const std::vector<KernelSource>& sources) {
  Result<std::optional<std::string>> captured =
      captured_cubin(sources, request.compute_capability, of_ptx(sources), request.source);
  if (!captured) return tl::unexpected(captured.error());
  if (*captured)
    return Compiled{std::move(**captured), "", machine_code_among(sources)->hash, false};
  Result<Compiled> whole = compile_whole(request, sources);
  if (whole || !request.any_text || of_ptx(sources) || !refuses_text(whole.error())) return whole;
  std::set<std::string> missing;
  Result<Compiled> part = of_device_parts(sources, missing, &whole.error(), [&](const auto& parts) {
    return compile_whole(request, parts);
  });
  if (part) return part;
  return tl::unexpected(error_of_parts(whole.error(), part.error(), missing));
}

Result<Compiled> compile(const CompileRequest& request) {
  if (const Result<std::string>& t = nvrtc_path(); !t) return tl::unexpected(t.error());
  const Result<std::vector<KernelSource>> sources = sources_on_disk()(request.source);
  if (!sources) return tl::unexpected(sources.error());
  return compile(request, *sources);
}

namespace {

Result<CompiledPtx> any_text_whole(const CompileRequest& request,
                                   const std::vector<KernelSource>& sources,
                                   const std::string& expression) {
  CompileRequest own = request;
  own.instances.clear();
  Result<CompiledPtx> ptx = any_text_to_ptx(own, sources, expression);
  if (!ptx || request.instances.empty()) return ptx;
  const std::vector<std::string> missing =
      missing_instances(request.instances, symbols_of(ptx->ptx, request.source));
  if (missing.empty()) return ptx;
  Result<Compiled> code = compile_with(missing, own, sources, Target::ptx);
  if (!code) return tl::unexpected(code.error());
  ptx->ptx = std::move(code->cubin);
  ptx->hash = std::move(code->hash);
  return ptx;
}

Result<CompiledPtx> any_text(const CompileRequest& request,
                             const std::vector<KernelSource>& sources,
                             const std::string& expression) {
  if (!request.earlier.empty() && expression.empty() && needs_nvcc(sources) && find_nvcc()) {
    if (auto part = ptx_of_device_part(request, sources)) return std::move(*part);
  }
  Result<CompiledPtx> whole = any_text_whole(request, sources, expression);
  if (whole || !refuses_text(whole.error())) return whole;
  std::set<std::string> missing;
  std::vector<KernelSource> used;
  Result<CompiledPtx> part = of_device_parts(
      sources, missing, &whole.error(),
      [&](const auto& parts) { return any_text_whole(request, parts, expression); }, &used);
  if (!part) return tl::unexpected(error_of_parts(whole.error(), part.error(), missing));
  part->device_part = true;
  part->left_out = left_out_text(missing);
  part->parts = std::move(used);
  return part;
}

}  // namespace

Result<CompiledPtx> compile_to_ptx(const CompileRequest& request,
                                   const std::vector<KernelSource>& sources,
                                   const std::string& expression) {
  if (!sources.empty() && is_machine_code(sources.front()))
    return declared_ptx(sources.front(), expression);
  if (of_ptx(sources)) {
    CompiledPtx ptx;
    ptx.ptx = sources.front().text;
    ptx.hash = sources.front().hash;
    ptx.entry = expression;
    return ptx;
  }
  if (request.any_text) return any_text(request, sources, expression);
  if (const Result<std::string>& t = nvrtc_path(); !t) return tl::unexpected(t.error());
  std::string entry = expression;
  Result<Compiled> code = expression.empty() ? compile_by_nvrtc(request, sources, Target::ptx)
                                             : compile_text(request, sources, Target::ptx, &entry);
  if (!code) return tl::unexpected(code.error());
  if (!expression.empty()) code->hash = hash_for(request, sources, Target::ptx, expression);
  return CompiledPtx{std::move(code->cubin), std::move(code->log),
                     std::move(code->hash),  code->from_cache,
                     std::move(entry),       "NVRTC " + nvrtc_version().value_or("")};
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
  return registers_in(code->log, entry, request.source);
}

Result<int> registers_of_entry(const CompileRequest& request,
                               const std::vector<KernelSource>& sources,
                               const std::string& expression, const CompiledPtx& made) {
  if (!made.compiler.starts_with("nvcc"))
    return registers_per_thread(request, sources, expression.empty() ? made.entry : expression);
  const Result<Compiled> code =
      compile_by_nvcc(request, sources, Target::cubin, instance_of(expression));
  if (!code) return tl::unexpected(code.error());
  return registers_in(code->log, made.entry, request.source);
}

}  // namespace warpscope
