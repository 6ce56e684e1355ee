// profiling/engine/run/files/user_code.cpp: a person's file compiled, and the kernels that launches
// name.
#include "profiling/engine/run/files/user_code.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/run/launch_limits.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/run/emulated/emulated_stage.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// The files that PTX names, by the paths of the texts that came with it: a compiler names them as
// they were where it ran.
std::string with_given_files(std::string ptx, const std::vector<KernelSource>& sources) {
  constexpr std::string_view kFile = ".file";
  for (std::size_t at = 0; (at = ptx.find(kFile, at)) != std::string::npos;) {
    const std::size_t line_end = std::min(ptx.find('\n', at), ptx.size());
    const std::size_t open = ptx.find('"', at), close = ptx.find('"', open + 1);
    at += kFile.size();
    if (close == std::string::npos || close > line_end) continue;
    const fs::path name = ptx.substr(open + 1, close - open - 1);
    const auto given = std::find_if(sources.begin() + 1, sources.end(), [&](const auto& source) {
      return fs::path(source.path).filename() == name.filename();
    });
    if (given != sources.end()) ptx.replace(open + 1, close - open - 1, given->path);
  }
  return ptx;
}

// The file of the line that the kernel begins at.
std::string file_of_kernel(const std::string& ptx, const std::string& entry,
                           const std::string& otherwise) {
  const Result<PtxModule> module = parse_ptx(ptx, otherwise);
  if (!module) return otherwise;
  for (const PtxFunction& f : module->functions) {
    if (f.name != entry || f.body.empty()) continue;
    int at = static_cast<int>(f.body.front().position);
    for (int depth = 0; depth < 64 && at >= 0; ++depth) {
      const PtxPosition& position = module->positions[static_cast<std::size_t>(at)];
      if (position.outer < 0) break;
      at = position.outer;
    }
    const auto file = module->files.find(module->positions[static_cast<std::size_t>(at)].file);
    if (at > 0 && file != module->files.end()) return file->second;
  }
  return otherwise;
}

CompileRequest request_of(const UserKernel& user, const std::vector<KernelSource>& sources,
                          double limit_s) {
  CompileRequest request{user.path, user.defines, 90};
  request.limit_s = limit_s;
  request.any_text = true;
  // Nothing else says that a file of the person's own is for compute_90a: what only that has.
  for (const KernelSource& source : sources) {
    for (const char* word : {"wgmma.", "setmaxnreg."}) {
      if (source.text.find(word) != std::string::npos) request.architecture_features = true;
    }
  }
  return request;
}

}  // namespace

UserCompiler::UserCompiler(const UserKernel& user, const std::vector<KernelSource>& sources,
                           double limit_s)
    : user_(user), sources_(sources), request_(request_of(user, sources, limit_s)) {}

Result<std::shared_ptr<UserCode>> UserCompiler::code(const std::string& name) {
  const bool ptx = is_ptx(sources_.front().text);
  const std::string key = ptx || is_machine_code_alone() ? "" : name;
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  auto code = std::make_shared<UserCode>();
  code->main_file = user_.path;
  if (ptx) {
    code->ptx.ptx = with_given_files(sources_.front().text, sources_);
    code->ptx.hash = sources_.front().hash;
  } else if (is_machine_code_alone()) {
    Result<CompiledPtx> declared = declared_ptx(sources_.front(), "");
    if (!declared) return tl::unexpected(declared.error());
    code->ptx = std::move(*declared);
  } else {
    Result<CompilerOptions> options = parse_compiler_options(user_.options);
    if (!options) return tl::unexpected(options.error());
    request_.options = std::move(*options);
    Result<CompiledPtx> made = compiled(name, code->note);
    if (!made) return tl::unexpected(made.error());
    code->ptx = std::move(*made);
  }
  Result<std::vector<ListedKernel>> kernels =
      kernels_of_ptx(code->ptx.ptx, user_.path, sources_.front().text);
  if (!kernels) return tl::unexpected(kernels.error());
  code->kernels = std::move(*kernels);
  return made_[key] = code;
}

Result<MachinePrograms::Made> UserCompiler::machine_code(const std::string& name,
                                                         const UserEntry& entry, bool live) {
  CompileRequest request = request_;
  if (name.find('<') != std::string::npos) request.instances = {name};
  return machine_programs_.of(request, sources_, entry.symbol, live);
}

Result<void> UserCompiler::add_machine_code(const std::string& name, int compute_capability,
                                            const Interrupted& interrupted, Listing& listing) {
  const Result<UserEntry> entry = find(name);
  if (!entry) return tl::unexpected(entry.error());
  CompileRequest request = request_;
  request.compute_capability = compute_capability;
  if (name.find('<') != std::string::npos) request.instances = {name};
  const Result<Compiled> code = compile(request, sources_);
  if (!code) return tl::unexpected(code.error());
  return list_machine_code(code->cubin, entry->symbol, compute_capability, interrupted, listing);
}

// The whole text; if its host part does not compile, what the GPU needs of it, also from then on.
Result<CompiledPtx> UserCompiler::compiled(const std::string& name, std::string& note) {
  Result<CompiledPtx> made = compile_to_ptx(request_, sources_, name);
  if (made && !made->left_out.empty()) {
    // A further instance may lack further headers.
    if (left_out_.find(made->left_out) == std::string::npos)
      left_out_ += (left_out_.empty() ? "" : "; ") + made->left_out;
    sources_ = std::move(made->parts);
  }
  note = left_out_;
  return made;
}

Result<UserEntry> UserCompiler::chosen(const std::shared_ptr<UserCode>& code,
                                       const std::string& name) {
  UserEntry entry;
  entry.code = code;
  entry.symbol = code->ptx.entry;
  if (entry.symbol.empty() || entry.symbol == name) {
    Result<std::string> symbol = choose_kernel(code->kernels, name, user_.path);
    if (!symbol) return tl::unexpected(symbol.error());
    entry.symbol = std::move(*symbol);
  }
  const auto kernel = std::find_if(code->kernels.begin(), code->kernels.end(),
                                   [&](const auto& k) { return k.symbol == entry.symbol; });
  if (kernel == code->kernels.end())
    return failure(ErrorKind::input, "the compiler made no kernel " + name, user_.path,
                   "name a kernel that the file has");
  entry.kernel = *kernel;
  if (code->program == nullptr) {
    if (is_ptx(sources_.front().text))
      code->main_file = file_of_kernel(code->ptx.ptx, entry.symbol, user_.path);
    Result<Program> program = Program::parse(code->ptx.ptx, code->main_file, text_of(sources_, {}));
    if (!program) return tl::unexpected(program.error());
    code->program = std::make_shared<const Program>(std::move(*program));
  }
  return entry;
}

// Several launches share one compilation: their variables and __device__ memory are the same then.
Result<UserEntry> UserCompiler::find(const std::string& name) {
  const bool alone = user_.launches.size() < 2;
  if (!alone) {
    Result<std::shared_ptr<UserCode>> plain = code("");
    if (!plain) return tl::unexpected(plain.error());
    if (Result<UserEntry> entry = chosen(*plain, name)) return entry;
  }
  Result<UserEntry> entry =
      code(name).and_then([&](const auto& made) { return chosen(made, name); });
  if (entry || !user_.guessed) return entry;
  // A name that was read from the text may use what only the host code knows.
  Result<std::shared_ptr<UserCode>> plain = code("");
  if (!plain) return entry;
  const ListedKernel* kernel = most_alike((*plain)->kernels, name);
  if (kernel == nullptr) return entry;
  Result<UserEntry> other = chosen(*plain, kernel->symbol);
  if (other) other->note = "the text says " + name + ", and " + kernel->name + " is run";
  return other;
}

Result<UserEntry> UserCompiler::entry(const std::string& name, const Launch& launch) {
  Result<UserEntry> entry = find(name);
  if (!entry) return entry;
  if (Result<void> fits = check_registers(*entry, name, launch); !fits)
    return tl::unexpected(fits.error());
  return entry;
}

Result<void> UserCompiler::check_registers(const UserEntry& entry, const std::string& name,
                                           const Launch& launch) const {
  const CompiledPtx& ptx = entry.code->ptx;
  if (launch.block.x * launch.block.y * launch.block.z <= kThreadsOfAnyKernel ||
      ptx.compiler.empty())
    return {};
  CompiledPtx of_entry = ptx;
  of_entry.entry = entry.symbol;
  const bool own = ptx.entry.empty() && name.find('<') != std::string::npos;
  return registers_of_entry(request_, sources_, own ? "" : name, of_entry)
      .and_then([&](int registers) { return within_registers(registers, launch, entry.symbol); });
}

}  // namespace warpscope
