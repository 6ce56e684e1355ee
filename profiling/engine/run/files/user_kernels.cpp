// profiling/engine/run/files/user_kernels.cpp: kernels of a file of the person's own, listed and
// emulated.
#include "profiling/engine/run/files/user_kernels.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <thread>
#include <utility>

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/run/launch_limits.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/run/emulated_stage.h"
#include "scenes/base/user_argument.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// A file as PTX, and which kernel of it is meant.
struct UserCode {
  CompiledPtx ptx;
  std::string main_file;  // that positions are walked outward to
  std::vector<ListedKernel> kernels;
};

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

// error: as compile_to_ptx; input, of PTX that cannot be read.
Result<UserCode> code_of(const UserKernel& user, const std::vector<KernelSource>& sources,
                         CompileRequest& request) {
  UserCode code;
  code.main_file = user.path;
  if (is_ptx(sources.front().text)) {
    code.ptx.ptx = with_given_files(sources.front().text, sources);
    code.ptx.hash = sources.front().hash;
  } else {
    Result<CompilerOptions> options = parse_compiler_options(user.options);
    if (!options) return tl::unexpected(options.error());
    request.options = std::move(*options);
    Result<CompiledPtx> ptx = compile_to_ptx(request, sources, user.entry);
    if (!ptx) return tl::unexpected(ptx.error());
    code.ptx = std::move(*ptx);
  }
  Result<std::vector<ListedKernel>> kernels =
      kernels_of_ptx(code.ptx.ptx, user.path, sources.front().text);
  if (!kernels) return tl::unexpected(kernels.error());
  code.kernels = std::move(*kernels);
  return code;
}

// Puts the symbol of the kernel that is meant in `code`. error: usage, input.
Result<const ListedKernel*> choose(UserCode& code, const UserKernel& user,
                                   const std::vector<KernelSource>& sources) {
  if (code.ptx.entry.empty() || code.ptx.entry == user.entry) {
    Result<std::string> chosen = choose_kernel(code.kernels, user.entry, user.path);
    if (!chosen) return tl::unexpected(chosen.error());
    code.ptx.entry = std::move(*chosen);
  }
  if (is_ptx(sources.front().text))
    code.main_file = file_of_kernel(code.ptx.ptx, code.ptx.entry, user.path);
  const auto kernel = std::find_if(code.kernels.begin(), code.kernels.end(),
                                   [&](const auto& k) { return k.symbol == code.ptx.entry; });
  if (kernel != code.kernels.end()) return &*kernel;
  return failure(ErrorKind::input, "the compiler made no kernel " + user.entry, user.path,
                 "name a kernel that the file has");
}

// error: usage, its registers do not fit the launch.
Result<void> check_registers(const UserKernel& user, const std::vector<KernelSource>& sources,
                             const CompileRequest& request, const CompiledPtx& ptx) {
  if (user.launch.block.x * user.launch.block.y * user.launch.block.z <= kThreadsOfAnyKernel ||
      ptx.compiler.empty())
    return {};
  return registers_of_entry(request, sources, user.entry, ptx).and_then([&](int registers) {
    return within_registers(registers, user.launch, ptx.entry);
  });
}

// error: usage: their number or sizes are not those of the kernel's parameters.
Result<void> check_arguments(const std::vector<ArgumentBytes>& arguments,
                             const ListedKernel& kernel) {
  const auto refuse = [&](const std::string& what) {
    return failure(ErrorKind::usage, what, kernel_text(kernel),
                   "give one --arg per parameter, in order");
  };
  const std::size_t wanted = kernel.parameters.size(), given = arguments.size();
  if (given != wanted)
    return refuse("the kernel has " + std::to_string(wanted) +
                  (wanted == 1 ? " parameter" : " parameters") + ", and " + std::to_string(given) +
                  (given == 1 ? " argument is" : " arguments are") + " given");
  for (std::size_t k = 0; k < wanted; ++k) {
    const ListedParameter& p = kernel.parameters[k];
    const auto bytes = static_cast<std::int64_t>(arguments[k].value.size());
    if (bytes != p.bytes)
      return refuse("parameter " + std::to_string(k + 1) + " (" + p.type + ") has " +
                    std::to_string(p.bytes) + " bytes, and its argument " + std::to_string(bytes));
  }
  return {};
}

// The buffers of a launch, and where they are.
class UserBuffers {
 public:
  explicit UserBuffers(EmulatedMemory& memory) : memory_(memory) {}
  // The bytes of an argument; its buffers are put in memory.
  ArgumentBytes place(const UserArgument& argument) {
    const std::string name = "argument " + std::to_string(arguments_);
    int members = 0;
    const LaidOut all = laid_out(argument, [&](const UserArgument& buffer) {
      const bool alone = argument.kind == UserArgument::Kind::element;
      const std::uint64_t stream = arguments_ + (alone ? 0 : 1000 * ++members);
      const std::string own = alone ? name : name + " buffer " + std::to_string(members - 1);
      arrays_.push_back(filled(buffer, stream));
      return memory_.add({own, own, buffer.type, {buffer.count}}, arrays_.back().bytes(),
                         buffer.fill != "unset");
    });
    ++arguments_;
    return {all.bytes};
  }

 private:
  EmulatedMemory& memory_;
  std::deque<HostArray> arrays_;
  std::uint64_t arguments_ = 0;
};

// Gives variables of the file the values that the person names. error: usage.
Result<void> set_variables(const UserKernel& user, const Program& program, EmulatedMemory& memory) {
  std::uint64_t stream = 1 << 20;
  for (const std::string& text : user.variables) {
    const Result<UserVariable> variable = parse_user_variable(text);
    if (!variable) return tl::unexpected(variable.error());
    const UserArgument& value = variable->value;
    const HostArray array = value.buffer ? filled(value, stream++) : HostArray();
    const std::vector<std::byte> bytes =
        value.buffer ? std::vector<std::byte>(array.bytes().begin(), array.bytes().end())
                     : laid_out(value, [](const UserArgument&) { return 0; }).bytes;
    if (Result<void> set = memory.fill_variable(program, variable->name, bytes); !set) return set;
  }
  return {};
}

}  // namespace

Result<void> trace_user(const Job& job, const std::vector<KernelSource>& sources,
                        const JobChannel& channel) {
  const UserKernel& user = *job.user;
  const Result<std::vector<UserArgument>> wanted = parse_user_arguments(user.arguments);
  if (!wanted) return tl::unexpected(wanted.error());
  if (const auto why = defect(user.launch))
    return failure(ErrorKind::usage, *why, user.entry, "choose a smaller grid or block");
  channel.host_work(kHostWorkLimitS);
  const auto start = std::chrono::steady_clock::now();
  CompileRequest request = request_of(user, sources, job.hang_limit_s);
  Result<UserCode> code = code_of(user, sources, request);
  if (!code) return tl::unexpected(code.error());
  const Result<const ListedKernel*> kernel = choose(*code, user, sources);
  if (!kernel) return tl::unexpected(kernel.error());
  const CompiledPtx& ptx = code->ptx;
  if (Result<void> fits = check_registers(user, sources, request, ptx); !fits) return fits;
  const Result<Program> program = Program::parse(ptx.ptx, code->main_file, text_of(sources, {}));
  if (!program) return tl::unexpected(program.error());
  const double compile_ms = milliseconds_since(start);
  EmulatedMemory memory;
  UserBuffers buffers(memory);
  std::vector<ArgumentBytes> arguments;
  for (const UserArgument& argument : *wanted) arguments.push_back(buffers.place(argument));
  if (Result<void> good = check_arguments(arguments, **kernel); !good) return good;
  if (Result<void> set = set_variables(user, *program, memory); !set) return set;
  EmulateOptions options;
  options.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  // The person waits for the compilation and the run together.
  options.limit_time(std::max(job.hang_limit_s - compile_ms / 1000, 0.1));
  const Result<std::int64_t> block = parse_block(job.block, user.launch);
  if (!block) return tl::unexpected(block.error());
  if (Result<void> warp = check_warp(job.warp, user.launch); !warp) return warp;
  options.traced_block = *block;
  options.traced_warp = job.warp;
  options.writer_entries = kUsualWriterEntries;
  options.cancelled = channel.interrupted;
  const std::string name = user.entry.empty() ? (*kernel)->name : user.entry;
  options.progress = [&](double ratio) {
    channel.send(Progress{job.job, ratio, "emulating " + name});
  };
  Result<EmulatedRun> run = emulate(*program, ptx.entry, user.launch, arguments, memory, options);
  if (!run) return tl::unexpected(run.error());
  if (run->cancelled) return {};
  Trace trace = std::move(run->trace);
  trace.job = job.job;
  trace.source = code->main_file;
  trace.entry = name;
  trace.launch = user.launch;
  trace.scope = {true, *block, job.warp};
  trace.source_hash = ptx.hash.substr(0, 16);
  trace.compiler = ptx.compiler;
  trace.compile_ms = compile_ms;
  trace.emulate_ms = milliseconds_since(start) - compile_ms;
  channel.send(std::move(trace));
  return {};
}

Result<void> list_user(const Job& job, const std::vector<KernelSource>& sources,
                       const JobChannel& channel) {
  const UserKernel& user = *job.user;
  channel.host_work(kHostWorkLimitS);
  CompileRequest request = request_of(user, sources, job.hang_limit_s);
  Result<UserCode> code = code_of(user, sources, request);
  if (!code) return tl::unexpected(code.error());
  Listing listing;
  listing.job = job.job;
  listing.source = user.path;
  listing.entry = code->ptx.entry;
  listing.text_hash = text_hash_of(sources);
  for (const KernelSource& source : sources) listing.files.push_back(source.path);
  listing.defines = user.defines;
  listing.toolkit = code->ptx.compiler;
  listing.ptx = std::move(code->ptx.ptx);
  listing.kernels = std::move(code->kernels);
  channel.send(std::move(listing));
  return {};
}

}  // namespace warpscope
