// profiling/engine/run/files/user_kernels.cpp: kernels of a file of the person's own, listed and
// emulated.
#include "profiling/engine/run/files/user_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/compile/spills.h"
#include "profiling/engine/run/emulated/both_codes.h"
#include "profiling/engine/run/emulated/host_functions.h"
#include "profiling/engine/run/files/user_buffers.h"
#include "profiling/engine/run/files/user_code.h"
#include "profiling/engine/run/files/user_outputs.h"
#include "scenes/base/plural.h"
#include "scenes/base/source.h"
#include "scenes/base/user_argument.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

// error: usage: their number or sizes are not those of the kernel's parameters.
Result<void> check_arguments(const std::vector<ArgumentBytes>& arguments,
                             const ListedKernel& kernel) {
  const auto refuse = [&](const std::string& what) {
    return failure(ErrorKind::usage, what, kernel_text(kernel),
                   "give one --arg per parameter, in order");
  };
  const auto wanted = std::ssize(kernel.parameters), given = std::ssize(arguments);
  if (given != wanted)
    return refuse(fmt::format("the kernel has {}, and {} given", plural(wanted, "parameter"),
                              plural(given, "argument is", "arguments are")));
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const ListedParameter& p = kernel.parameters[k];
    const auto bytes = static_cast<std::int64_t>(arguments[k].value.size());
    if (bytes != p.bytes)
      return refuse("parameter " + std::to_string(k + 1) + " (" + p.type + ") has " +
                    std::to_string(p.bytes) + " bytes, and its argument " + std::to_string(bytes));
  }
  return {};
}

// One launch with its arguments parsed.
struct ReadLaunch {
  UserLaunch launch;
  std::vector<UserArgument> arguments;
};

// All launches of a job. error: usage.
Result<std::vector<ReadLaunch>> launches_of(const UserKernel& user) {
  std::vector<UserLaunch> launches = user.launches;
  if (launches.empty()) {
    UserLaunch& one = launches.emplace_back();
    one.entry = user.entry;
    one.launch = user.launch;
    one.arguments = user.arguments;
    one.variables = user.variables;
  }
  std::vector<ReadLaunch> read;
  for (UserLaunch& launch : launches) {
    Result<std::vector<UserArgument>> arguments = parse_user_arguments(launch.arguments);
    if (!arguments) return tl::unexpected(arguments.error());
    if (const auto why = defect(launch.launch))
      return failure(ErrorKind::usage, *why, launch.entry, "choose a smaller grid or block");
    read.push_back({std::move(launch), std::move(*arguments)});
  }
  return read;
}

// Runs launches one after the other in one memory.
class UserRun {
 public:
  // `compiler` has compiled the file of the job, or will.
  UserRun(const Job& job, const TraceJob& asked, UserCompiler& compiler, const JobChannel& channel)
      : job_(job),
        asked_(asked),
        user_(*job.user),
        channel_(channel),
        compiler_(compiler),
        buffers_(memory_) {}

  // error: as compile_to_ptx and emulate; usage: buffers, arguments, variables, outputs.
  Result<void> run(const std::vector<ReadLaunch>& launches) {
    std::optional<Trace> last;
    for (const ReadLaunch& launch : launches) {
      Result<std::optional<Trace>> trace = run(launch, launches.size() > 1);
      if (!trace) return tl::unexpected(trace.error());
      if (cancelled_) return {};
      if (!*trace) continue;
      mark_contents(**trace, launches);
      if (last) channel_.send(std::move(*last));
      last = std::move(**trace);
    }
    if (!last) return {};
    Result<std::vector<TracedOutput>> outputs = outputs_of(user_.outputs, buffers_, memory_);
    if (!outputs) return tl::unexpected(outputs.error());
    if (asked_.hashes) add_hashes(*outputs);
    last->outputs = std::move(*outputs);
    channel_.send(std::move(*last));
    return {};
  }

 private:
  // Faults of the launches with 0, 1, 2, … in buffers whose contents are guesses, by step. Equal
  // numbers would hide races: two threads may store the same value.
  using FaultsByStep = std::map<std::string, std::vector<Fault>>;
  FaultsByStep faults_with_counted(const std::vector<ReadLaunch>& launches) {
    Job job = job_;
    for (auto& [name, words] : job.user->buffers) {
      const auto& guessed = user_.guessed_contents;
      if (std::find(guessed.begin(), guessed.end(), name) != guessed.end())
        words = words.substr(0, words.find(':') + 1) + "iota";
    }
    job.user->guessed_contents.clear();
    job.user->outputs.clear();
    FaultsByStep faults;
    JobChannel unheard = channel_;
    unheard.send = [&faults](const Message& message) {
      if (const auto* trace = std::get_if<Trace>(&message)) faults[trace->step] = trace->faults;
    };
    channel_.host_work(kHostWorkLimitS);
    if (!UserRun(job, asked_, compiler_, unheard).run(launches)) faults.clear();
    return faults;
  }

  void mark_contents(Trace& trace, const std::vector<ReadLaunch>& launches) {
    if (user_.guessed_contents.empty() || !is_wrong(trace)) return;
    if (!with_counted_) with_counted_ = faults_with_counted(launches);
    const auto others = with_counted_->find(trace.step);
    if (others != with_counted_->end())
      mark_guessed_contents(trace.faults, others->second, "0, 1, 2, …", user_.guessed_contents);
  }

  void add_hashes(std::vector<TracedOutput>& outputs) const {
    for (TracedOutput& output : outputs) {
      if (!host_function_.empty()) {
        output.no_hash = no_hash_because(host_function_);
        continue;
      }
      const std::span<const std::byte> bytes = buffers_.find(output.name)->array->bytes();
      output.hash = hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }

  // No value: a launch that was read from a program cannot be run, and a message says why.
  Result<std::optional<Trace>> run(const ReadLaunch& read, bool several) {
    const auto start = std::chrono::steady_clock::now();
    if (several) channel_.host_work(kHostWorkLimitS);
    Result<UserEntry> entry = compiler_.entry(read.launch.entry, read.launch.launch);
    if (!entry && user_.guessed && several && compiler_.code("")) {
      channel_.send(
          LogLine{"warning", read.launch.entry + ": " + sentence(entry.error()), job_.job});
      buffers_.mark_written(read.arguments);
      return std::optional<Trace>{};
    }
    if (!entry) return tl::unexpected(entry.error());
    if (!entry->note.empty()) notes_.push_back(entry->note);
    if (!entry->code->note.empty()) notes_.push_back(entry->code->note);
    compile_ms_ = milliseconds_since(start);
    if (Result<void> placed = declare_buffers(); !placed) return tl::unexpected(placed.error());
    Result<std::vector<ArgumentBytes>> arguments = arguments_for(read, entry->kernel);
    if (!arguments) return tl::unexpected(arguments.error());
    if (Result<void> set = set_variables(read.launch, *entry->code->program); !set)
      return tl::unexpected(set.error());
    Result<EmulateOptions> options = options_for(read.launch, entry->kernel);
    if (!options) return tl::unexpected(options.error());
    Result<EmulatedRun> run = emulate_as(
        compiler_.is_machine_code_alone() ? TracedCode::machine_code : asked_.code,
        [&] { return compiler_.machine_code(read.launch.entry, *entry, asked_.live_registers); },
        {*entry->code->program, entry->symbol, read.launch.launch, *arguments, memory_, *options,
         asked_.dependencies});
    if (!run) return tl::unexpected(run.error());
    cancelled_ = run->cancelled;
    if (asked_.hashes && host_function_.empty())
      host_function_ = host_function_in(*entry->code->program, run->trace.machine_code);
    // What is missing is not the next launch's mistake.
    const auto stopped = [](const Fault& fault) {
      return fault.kind == FaultKind::unsupported || fault.kind == FaultKind::budget;
    };
    const auto& faults = run->trace.faults;
    if (run->trace.sample || std::any_of(faults.begin(), faults.end(), stopped))
      buffers_.mark_written(read.arguments);
    Trace trace = std::move(run->trace);
    mark_guessed_sizes(trace.faults, guessed_sizes(read.launch));
    describe(trace, read.launch, *entry, *options);
    trace.spills = spills_of(*entry);
    trace.compile_ms = compile_ms_;
    trace.emulate_ms = milliseconds_since(start) - compile_ms_;
    return std::optional<Trace>(std::move(trace));
  }

  Result<void> declare_buffers() {
    if (declared_) return {};
    declared_ = true;
    for (const auto& [name, words] : user_.buffers) {
      if (Result<void> placed = buffers_.declare(name, words); !placed) return placed;
    }
    return {};
  }

  Result<std::vector<ArgumentBytes>> arguments_for(const ReadLaunch& read,
                                                   const ListedKernel& kernel) {
    std::vector<ArgumentBytes> arguments;
    const std::size_t wanted = kernel.parameters.size();
    for (std::size_t k = 0; k < read.arguments.size(); ++k) {
      const std::int64_t bytes = k < wanted ? kernel.parameters[k].bytes : 0;
      Result<ArgumentBytes> placed = buffers_.place(read.arguments[k], bytes);
      if (!placed) return tl::unexpected(placed.error());
      arguments.push_back(std::move(*placed));
    }
    if (user_.guessed) fit(arguments, kernel);
    if (Result<void> good = check_arguments(arguments, kernel); !good)
      return tl::unexpected(good.error());
    return arguments;
  }

  // What was read from a text and does not fit the kernel becomes zeros.
  void fit(std::vector<ArgumentBytes>& arguments, const ListedKernel& kernel) {
    arguments.resize(kernel.parameters.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const auto bytes = static_cast<std::size_t>(kernel.parameters[k].bytes);
      if (arguments[k].value.size() == bytes) continue;
      arguments[k].value.resize(bytes);
      notes_.push_back("parameter " + std::to_string(k + 1) + " (" + kernel.parameters[k].type +
                       ") has " + std::to_string(bytes) +
                       " bytes, other than the text says: those that are missing are zeros");
    }
  }

  // Gives variables of the file the values that the person names. error: usage.
  Result<void> set_variables(const UserLaunch& launch, const Program& program) {
    for (const std::string& text : launch.variables) {
      const Result<UserVariable> variable = parse_user_variable(text);
      if (!variable) return tl::unexpected(variable.error());
      UserArgument value = variable->value;
      std::vector<std::byte> bytes;
      if (value.buffer) {
        const Result<HostArray> array = elements_of(value, stream_++);
        if (!array) return tl::unexpected(array.error());
        bytes.assign(array->bytes().begin(), array->bytes().end());
      } else {
        bytes = laid_out(value, [](const UserArgument&) { return 0; }).bytes;
      }
      const Result<void> set = memory_.fill_variable(program, variable->name, bytes);
      if (!set && !user_.guessed) return set;
      if (!set) notes_.push_back(variable->name + " is not set: " + set.error().what);
    }
    return {};
  }

  Result<EmulateOptions> options_for(const UserLaunch& launch, const ListedKernel& kernel) {
    EmulateOptions options;
    options.threads =
        asked_.threads > 0
            ? asked_.threads
            : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
    // The person waits for the compilation and the run together.
    options.limit_time(user_.launches.empty()
                           ? std::max(job_.hang_limit_s - compile_ms_ / 1000, 0.1)
                           : job_.hang_limit_s);
    const Result<std::int64_t> block = parse_block(asked_.block, launch.launch);
    if (!block) return tl::unexpected(block.error());
    if (Result<void> warp = check_warp(asked_.warp, launch.launch); !warp)
      return tl::unexpected(warp.error());
    options.traced_block = *block;
    options.traced_warp = asked_.warp;
    options.writer_entries = kUsualWriterEntries;
    options.cancelled = channel_.interrupted;
    // What others read is computed whole, if that takes no more than a few samples.
    constexpr std::int64_t kSamplesOfFeeding = 8;
    options.sample_instructions =
        asked_.sample_instructions * (launch.feeds ? kSamplesOfFeeding : 1);
    const std::string name = launch.entry.empty() ? kernel.name : launch.entry;
    options.progress = [this, name](double ratio) {
      channel_.send(Progress{job_.job, ratio, "emulating " + name});
    };
    return options;
  }

  void describe(Trace& trace, const UserLaunch& launch, const UserEntry& entry,
                const EmulateOptions& options) {
    trace.job = job_.job;
    trace.source = entry.code->main_file;
    trace.entry = launch.entry.empty() ? entry.kernel.name : launch.entry;
    if (user_.guessed && is_symbol(trace.entry)) trace.entry = entry.kernel.name;
    trace.launch = launch.launch;
    const bool grid = trace.scope.grid;
    trace.scope = {user_.launches.empty() || grid, options.traced_block, asked_.warp};
    trace.source_hash = entry.code->ptx.hash.substr(0, 16);
    trace.compiler = entry.code->ptx.compiler;
    if (!user_.launches.empty()) {
      ++ran_;
      trace.step = std::to_string(ran_) + ": " + trace.entry +
                   (launch.line > 0 ? ", line " + std::to_string(launch.line) : "");
    }
    if (user_.guessed && trace.sample) {
      std::erase_if(trace.faults, [](const Fault& f) { return f.kind == FaultKind::budget; });
    }
    if (launch.feeds && trace.sample)
      notes_.push_back(std::to_string(trace.sample->blocks) + " of " +
                       std::to_string(block_count(trace.launch)) +
                       " blocks were run: what the others write for later launches is missing");
    trace.stand_ins.insert(trace.stand_ins.end(), notes_.begin(), notes_.end());
    notes_.clear();
  }

  // No value if ptxas is missing or takes another PTX: the trace does without them.
  std::optional<SpilledRegisters> spills_of(const UserEntry& entry) {
    if (const auto known = spills_.find(entry.symbol); known != spills_.end()) return known->second;
    const Result<CompilerOptions> options = parse_compiler_options(user_.options);
    const std::string& ptx = entry.code->ptx.ptx;
    if (!options || !may_spill(ptx, entry.symbol, *options)) return std::nullopt;
    channel_.host_work(kHostWorkLimitS);
    if (compiler_.is_machine_code_alone()) return std::nullopt;
    const auto found = spilled_registers(ptx, entry.symbol, entry.code->main_file, *options);
    return spills_[entry.symbol] = found ? *found : std::nullopt;
  }

  // With the names of shared memory where the launch's is a guess.
  std::vector<std::string> guessed_sizes(const UserLaunch& launch) const {
    std::vector<std::string> names = user_.guessed_sizes;
    if (std::find(names.begin(), names.end(), shared_size_name(launch)) != names.end())
      names.insert(names.end(), {kDynamicShared, kUnnamedShared});
    return names;
  }

  static bool is_symbol(const std::string& name) { return name.starts_with("_Z"); }

  const Job& job_;
  const TraceJob& asked_;
  const UserKernel& user_;
  const JobChannel& channel_;
  UserCompiler& compiler_;
  EmulatedMemory memory_;
  UserBuffers buffers_;
  std::vector<std::string> notes_;
  std::map<std::string, std::optional<SpilledRegisters>> spills_;  // by symbol
  std::optional<FaultsByStep> with_counted_;
  std::uint64_t stream_ = 1 << 20;  // of random numbers, apart from those of buffers
  std::string host_function_;       // of all launches: as host_function_in has it
  double compile_ms_ = 0;
  int ran_ = 0;
  bool declared_ = false, cancelled_ = false;
};

// The launches of `job` from the beginning; their traces are not sent. error: as UserRun::run.
Result<std::vector<Trace>> traces_as(TracedCode code, const Job& job, const TraceJob& asked,
                                     UserCompiler& compiler,
                                     const std::vector<ReadLaunch>& launches,
                                     const JobChannel& channel) {
  TraceJob of_code = asked;
  of_code.code = code;
  std::vector<Trace> traces;
  JobChannel kept = channel;
  kept.send = [&](const Message& message) {
    if (const auto* trace = std::get_if<Trace>(&message)) {
      traces.push_back(*trace);
    } else if (code == TracedCode::ptx || !std::holds_alternative<LogLine>(message)) {
      channel.send(message);  // what is logged is the same for both
    }
  };
  if (auto ran = UserRun(job, of_code, compiler, kept).run(launches); !ran)
    return tl::unexpected(ran.error());
  return traces;
}

// Figures of machine code with the findings of PTX: see both_codes.h.
Result<void> trace_both(const Job& job, const TraceJob& asked, UserCompiler& compiler,
                        const std::vector<ReadLaunch>& launches, const JobChannel& channel) {
  Result<std::vector<Trace>> ptx =
      traces_as(TracedCode::ptx, job, asked, compiler, launches, channel);
  if (!ptx) return tl::unexpected(ptx.error());
  if (channel.interrupted && channel.interrupted()) return {};
  std::string why = why_ptx_alone(*ptx);
  if (const auto program = find_disassembler(); !program) why = sentence(program.error());
  Result<std::vector<Trace>> machine = std::vector<Trace>{};
  if (why.empty()) machine = traces_as(TracedCode::best, job, asked, compiler, launches, channel);
  if (!machine) why = sentence(machine.error());
  if (channel.interrupted && channel.interrupted()) return {};
  const bool pairs = machine && machine->size() == ptx->size();
  for (std::size_t i = 0; i < ptx->size(); ++i) {
    Trace& trace = (*ptx)[i];
    trace.no_machine_code = why;
    channel.send(pairs ? figures_with_findings(std::move(trace), std::move((*machine)[i]))
                       : std::move(trace));
  }
  return {};
}

}  // namespace

Result<void> trace_user(const Job& job, const TraceJob& asked,
                        const std::vector<KernelSource>& sources, const JobChannel& channel) {
  const Result<std::vector<ReadLaunch>> launches = launches_of(*job.user);
  if (!launches) return tl::unexpected(launches.error());
  channel.host_work(kHostWorkLimitS);
  UserCompiler compiler(*job.user, sources, job.hang_limit_s);
  if (asked.code != TracedCode::best || compiler.is_machine_code_alone())
    return UserRun(job, asked, compiler, channel).run(*launches);
  return trace_both(job, asked, compiler, *launches, channel);
}

Result<void> list_user(const Job& job, const std::vector<KernelSource>& sources,
                       const JobChannel& channel) {
  const UserKernel& user = *job.user;
  channel.host_work(kHostWorkLimitS);
  UserCompiler compiler(user, sources, job.hang_limit_s);
  Result<std::shared_ptr<UserCode>> made = compiler.code(user.entry);
  if (!made) return tl::unexpected(made.error());
  UserCode* const code = made->get();
  Listing listing;
  listing.job = job.job;
  listing.source = user.path;
  listing.entry = code->ptx.entry;
  listing.text_hash = text_hash_of(sources);
  for (const KernelSource& source : sources) listing.files.push_back(source.path);
  listing.defines = user.defines;
  listing.toolkit = code->ptx.compiler;
  listing.ptx = std::move(code->ptx.ptx);
  listing.kernels = code->kernels;
  const std::vector<int>& architectures = job.as<ListingJob>()->architectures;
  if (!architectures.empty()) {
    channel.send(Progress{job.job, 0.5, "disassembling " + user.entry});
    Result<void> added =
        compiler.add_machine_code(user.entry, architectures.front(), channel.interrupted, listing);
    if (channel.interrupted && channel.interrupted()) return {};
    if (!added) return added;
  }
  channel.send(std::move(listing));
  return {};
}

}  // namespace warpscope
