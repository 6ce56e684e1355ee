// workbench/commands/files/file_trace.cpp: a file of a person's own as a trace job: from options,
// from a launch file, or from the program in it.
#include "workbench/commands/files/file_trace.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "profiling/findings/findings.h"
#include "profiling/launches/launch_file.h"
#include "scenes/base/plural.h"
#include "scenes/base/source.h"
#include "scenes/base/user_argument.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"
#include "scenes/program/program.h"
#include "workbench/client/own_binary.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::string absolute_path(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

Result<Dim3> shape_argument(const std::string& text, const char* option) {
  Dim3 shape;
  std::int64_t* extents[] = {&shape.x, &shape.y, &shape.z};
  std::size_t begin = 0;
  for (std::int64_t* extent : extents) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto parsed = std::from_chars(text.data() + begin, text.data() + end, *extent);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + end || *extent < 1) break;
    if (end == text.size()) return shape;
    begin = end + 1;
  }
  return failure(ErrorKind::usage, "“" + text + "” is not a launch shape", option,
                 "write x, x,y or x,y,z, for example 64,2");
}

// Grid, block and cluster as far as options give them.
Result<void> set_shape(const FileTraceOptions& options, Launch& launch) {
  struct Row {
    const std::string& text;
    const char* option;
    Dim3& shape;
  };
  for (const Row& row :
       {Row{options.grid, "--grid", launch.grid}, Row{options.block, "--block", launch.block},
        Row{options.cluster, "--cluster", launch.cluster}}) {
    if (row.text.empty()) continue;
    const Result<Dim3> shape = shape_argument(row.text, row.option);
    if (!shape) return tl::unexpected(shape.error());
    row.shape = *shape;
  }
  if (options.shared_bytes > 0) launch.dynamic_shared_bytes = options.shared_bytes;
  if (options.cooperative) launch.cooperative = true;
  if (const auto why = defect(launch))
    return failure(ErrorKind::usage, *why, "--grid and --block", "choose a smaller shape");
  constexpr std::int64_t kMostShared = 232448;  // of a block, compute capability 9.0
  if (launch.dynamic_shared_bytes > kMostShared)
    return failure(ErrorKind::usage, "no block can have so much shared memory", "--shared",
                   "choose at most " + std::to_string(kMostShared) + " bytes");
  return check_warp(options.warp, launch);
}

// The arguments by position: names that are the kernel's parameters' decide the order.
std::vector<std::string> in_order(const std::vector<NamedArgument>& given, const std::string& path,
                                  const std::string& kernel) {
  std::vector<std::string> words;
  for (const NamedArgument& argument : given) words.push_back(argument.words);
  const bool named = std::all_of(given.begin(), given.end(),
                                 [](const NamedArgument& a) { return !a.name.empty(); });
  const auto text = named ? read_input(path, kMostTextFileBytes) : Result<std::string>("");
  if (!text || text->empty()) return words;
  const HostProgram program = read_program(*text);
  const std::string base = kernel.substr(0, kernel.find('<'));
  for (const KernelText& one : program.kernels) {
    const bool meant =
        base.empty() ? program.kernels.size() == 1 : base == one.name || base == one.qualified;
    if (!meant || one.parameters.size() != given.size()) continue;
    std::vector<std::string> ordered;
    for (const KernelParameter& parameter : one.parameters) {
      for (const NamedArgument& argument : given) {
        if (argument.name == parameter.name) ordered.push_back(argument.words);
      }
    }
    if (ordered.size() == given.size()) return ordered;
  }
  return words;
}

// Named buffers become the program's, so that --out, --expect and --print find them. error: usage.
Result<std::vector<std::string>> arguments_of(const FileTraceOptions& options, UserKernel& user) {
  std::vector<NamedArgument> given;
  for (const std::string& text : options.arguments) {
    NamedArgument argument = named_argument(text);
    const Result<UserArgument> parsed = parse_user_argument(argument.words);
    if (!parsed) return tl::unexpected(parsed.error());
    if (!parsed->file.empty())
      argument.words.replace(argument.words.find('@') + 1, std::string::npos,
                             absolute_path(parsed->file));
    if (!argument.name.empty() && parsed->buffer) {
      user.buffers.emplace_back(argument.name, argument.words);
      argument.words = "&" + argument.name;
    }
    given.push_back(std::move(argument));
  }
  std::vector<std::string> words = in_order(given, options.file.path, options.kernel);
  if (const auto good = parse_user_arguments(words); !good) return tl::unexpected(good.error());
  return words;
}

// "c=ref.npy" as a name and an absolute path. error: usage.
Result<std::pair<std::string, std::string>> named_file(const std::string& text,
                                                       const char* option) {
  const NamedArgument named = named_argument(text);
  if (named.name.empty())
    return failure(ErrorKind::usage, "“" + text + "” names no buffer", option,
                   std::string("write ") + option + " c=c.npy, with --arg c=…");
  return std::pair{named.name, absolute_path(named.words)};
}

Result<void> add_outputs(const FileTraceOptions& options, UserKernel& user) {
  for (const std::string& text : options.expects) {
    const auto named = named_file(text, "--expect");
    if (!named) return tl::unexpected(named.error());
    UserOutput output;
    output.buffer = named->first;
    output.expected_file = named->second;
    output.relative = options.relative;
    output.absolute = options.absolute;
    user.outputs.push_back(std::move(output));
  }
  for (const std::string& text : options.outs) {
    const auto named = named_file(text, "--out");
    if (!named) return tl::unexpected(named.error());
    UserOutput output;
    output.buffer = named->first;
    output.out_file = named->second;
    user.outputs.push_back(std::move(output));
  }
  for (const std::string& text : options.prints) {
    Result<UserOutput> part = printed_part(text);
    if (!part) return tl::unexpected(part.error());
    user.outputs.push_back(std::move(*part));
  }
  return {};
}

Result<void> check_variables(const std::vector<std::string>& variables) {
  for (const std::string& text : variables) {
    if (const auto good = parse_user_variable(text); !good) return tl::unexpected(good.error());
  }
  return {};
}

// The kernel that options describe.
Result<UserKernel> from_options(const FileTraceOptions& options) {
  Result<UserKernel> user = user_kernel(options.file);
  if (!user) return user;
  Result<std::vector<std::string>> arguments = arguments_of(options, *user);
  if (!arguments) return tl::unexpected(arguments.error());
  if (Result<void> good = check_variables(options.variables); !good)
    return tl::unexpected(good.error());
  user->entry = options.kernel;
  user->variables = options.variables;
  user->launch.grid = {1, 1, 1};
  user->launch.block = {32, 1, 1};
  if (Result<void> shape = set_shape(options, user->launch); !shape)
    return tl::unexpected(shape.error());
  user->arguments = std::move(*arguments);
  return user;
}

// A launch file may come from anybody: what it names outside of its folder needs the person's word.
Result<void> check_places(const LaunchFile& described, const std::string& launch_file) {
  std::error_code ignored;
  const fs::path own = fs::absolute(launch_file, ignored).parent_path();
  std::vector<std::string> named = described.files;
  named.insert(named.end(), described.folders.begin(), described.folders.end());
  for (const std::string& name : named) {
    const fs::path there =
        fs::exists(name, ignored) ? fs::path(name) : fs::path(name).parent_path();
    if (lies_in(there, own) || lies_in_allowed(there)) continue;
    const bool folder = fs::is_directory(there, ignored);
    const std::string allowed = (folder ? there : there.parent_path()).string();
    return failure(ErrorKind::usage,
                   "the launch file names " + name + ", which is outside its folder", launch_file,
                   "copy it there, or allow its folder with -I " + allowed +
                       " or, to have it "
                       "remembered, --allow-include " +
                       allowed);
  }
  return {};
}

// The launch that a launch file describes; options of the command line come on top.
Result<UserKernel> from_launch_file(const FileTraceOptions& options) {
  const Result<std::string> text = read_input(options.launch_file, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  const auto values = axis_arguments(options.values);
  if (!values) return tl::unexpected(values.error());
  Result<LaunchFile> described = parse_launch_file(*text, options.launch_file, *values);
  if (!described) return tl::unexpected(described.error());
  if (Result<void> good = check_places(*described, options.launch_file); !good)
    return tl::unexpected(good.error());
  KernelFile file = options.file;
  file.path = described->user.path;
  for (const std::string& folder : described->folders) {
    if (Result<void> allowed = allow_folder(folder); !allowed)
      return tl::unexpected(allowed.error());
  }
  Result<UserKernel> user = user_kernel(file);
  if (!user) return user;
  UserKernel& of_file = described->user;
  user->defines.insert(user->defines.begin(), of_file.defines.begin(), of_file.defines.end());
  user->buffers = std::move(of_file.buffers);
  user->launches = std::move(of_file.launches);
  user->outputs = std::move(of_file.outputs);
  UserLaunch& launch = user->launches.front();
  if (!options.kernel.empty()) launch.entry = options.kernel;
  if (Result<void> shape = set_shape(options, launch.launch); !shape)
    return tl::unexpected(shape.error());
  return user;
}

// The kernels that a compiler finds, for a text without host code.
Result<ProgramLaunches> from_listing(const UserKernel& user, const FileTraceOptions& options,
                                     const EngineChoice& engine) {
  Job job;
  job.work = ListingJob{};
  job.user = user;
  Session session;
  Listing listing;
  const auto ran = run_jobs(emulator_command(engine), {job}, session, nullptr,
                            [&listing](const Message& message) {
                              if (const auto* found = std::get_if<Listing>(&message))
                                listing = *found;
                            });
  if (!ran) return tl::unexpected(ran.error().error);
  for (const auto& [number, submitted] : session.jobs()) {
    if (const auto done = session.done(number); done && done->error)
      return tl::unexpected(*done->error);
  }
  return listed_launches(listing.kernels, listing.ptx, options.kernel);
}

// The launches of the text, which knows the headers in its folder. If it has no kernel, they have.
ProgramLaunches launches_of(const std::string& text, const std::string& path,
                            const std::string& kernel) {
  const Result<std::vector<KernelSource>> sources = read_own_kernel(path);
  if (!sources) return program_launches(text, kernel);
  ProgramLaunches read = program_launches(text, kernel, header_texts(*sources));
  return read.launches.empty() ? program_launches(joined_text(*sources), kernel) : read;
}

// Launches that no device takes are left out, if others remain: values that a loop changes are
// those of its first pass.
void leave_out_impossible(ProgramLaunches& read) {
  const auto possible = std::count_if(read.launches.begin(), read.launches.end(),
                                      [](const UserLaunch& l) { return !defect(l.launch); });
  if (possible == 0) return;
  for (std::size_t i = read.launches.size(); i-- > 0;) {
    const UserLaunch& launch = read.launches[i];
    const auto why = defect(launch.launch);
    if (!why) continue;
    read.others.push_back({launch.entry + " is not run",
                           *why + "; --kernel " + launch.entry + " with --grid and --block runs it",
                           launch.line, true});
    read.launches.erase(read.launches.begin() + static_cast<std::ptrdiff_t>(i));
    read.values.erase(read.values.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// The launches that the file's program makes.
Result<FileTrace> from_program(const FileTraceOptions& options, const EngineChoice& engine) {
  FileTrace trace;
  Result<UserKernel> user = user_kernel(options.file);
  if (!user) return tl::unexpected(user.error());
  const bool compiled = kind_of_file(options.file.path) != BinaryKind::none;
  Result<std::string> text = std::string();
  if (!compiled) text = read_input(options.file.path, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  const bool ptx = compiled || options.file.path.ends_with(".ptx");
  if (!ptx) trace.read = launches_of(*text, user->path, options.kernel);
  if (trace.read.launches.empty()) {
    Result<ProgramLaunches> listed = from_listing(*user, options, engine);
    if (!listed) return tl::unexpected(listed.error());
    trace.read = std::move(*listed);
  }
  if (options.grid.empty() && options.block.empty()) leave_out_impossible(trace.read);
  if (trace.read.launches.empty())
    return failure(ErrorKind::input,
                   options.kernel.empty() ? "the file has no kernel"
                                          : "the file has no kernel " + options.kernel,
                   options.file.path, "`warpscope kernels FILE` lists the kernels of a file");
  user->guessed = true;
  user->guessed_sizes = trace.read.guessed_sizes;
  user->guessed_contents = trace.read.guessed_contents;
  user->buffers = trace.read.buffers;
  user->launches = trace.read.launches;
  for (UserLaunch& launch : user->launches) {
    if (Result<void> shape = set_shape(options, launch.launch); !shape)
      return tl::unexpected(shape.error());
    launch.variables.insert(launch.variables.end(), options.variables.begin(),
                            options.variables.end());
  }
  if (Result<void> good = check_variables(options.variables); !good)
    return tl::unexpected(good.error());
  trace.text = std::move(*text);
  trace.job.user = std::move(*user);
  return trace;
}

std::string line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number && begin != std::string::npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos || number < 1) return "";
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t first = line.find_first_not_of(" \t");
  line = first == std::string::npos ? "" : line.substr(first);
  constexpr std::size_t kMostQuoted = 80;
  if (line.size() > kMostQuoted) line = line.substr(0, kMostQuoted) + " …";
  return line;
}

void print_values(const std::vector<ReadValue>& values, const std::string& text) {
  for (const ReadValue& value : values) {
    std::string from = value.why;
    if (value.line > 0)
      from += (from.empty() ? "" : "; ") + ("line " + std::to_string(value.line)) + ": " +
              line_of(text, value.line);
    std::printf("  %s %s%s\n", value.guessed ? "?" : " ", visible_name(value.what).c_str(),
                from.empty() ? "" : visible_name("  — " + from).c_str());
  }
}

}  // namespace

void declare_file_trace(CLI::App& command, FileTraceOptions& options) {
  command.add_option("--source", options.file.path, "a .cu or .ptx file of your own");
  command.add_option("--launch", options.launch_file,
                     "a TOML file that describes a launch of your own kernel");
  command.add_option("--kernel", options.kernel,
                     "its kernel, with template arguments if it has some: saxpy<float>; may be "
                     "left out if the file has only one");
  command.add_option(
      "--arg", options.arguments,
      "an argument, in order or by its parameter's name: f32[1024]:random, i32[64]:iota, "
      "f64[9]:range 0:1:0.1, u8[8]:unset, a=@x.npy, f32:@x.raw, i32:7, u64:7; a part "
      "of a sparse matrix: i32[]:csr indptr rows=9 columns=9 density=0.1, csr indices, csr values; "
      "a structure by value: struct:{f32[64]:random,i32:64}, or its bytes: bytes:0x0700");
  command.add_option("--set", options.variables,
                     "a __constant__ or __device__ variable: table=f32[9]:random, scale=f32:2");
  declare_compiler_flags(command, options.file);
  command.add_option(
      "--cluster", options.cluster,
      "with --source: blocks per cluster x,y,z; a kernel declared __cluster_dims__ has its own");
  command.add_flag("--cooperative", options.cooperative,
                   "with --source: all blocks are resident and may wait for each other");
  command.add_option("--shared", options.shared_bytes, "bytes of dynamic shared memory")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--out", options.outs,
                     "write a named argument's elements after the launch: c=c.npy, c=c.raw");
  command.add_option("--expect", options.expects,
                     "compare a named argument with a file: c=ref.npy; status 1 if it differs");
  command.add_option("--rtol", options.relative, "relative tolerance of an expected element")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--atol", options.absolute,
                  "absolute tolerance; without either, elements must be equal")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--print", options.prints,
                     "print elements of a named argument after the launch: c[0:16]");
}

bool is_kernel_file(const std::string& word) {
  if (word.ends_with(".cu") || word.ends_with(".ptx") || word.ends_with(".cuh")) return true;
  std::error_code ignored;
  return std::filesystem::is_regular_file(word, ignored) && kind_of_file(word) != BinaryKind::none;
}

Result<FileTrace> file_trace(const FileTraceOptions& options, const EngineChoice& engine) {
  FileTrace trace;
  TraceJob asked;
  if (options.launch_file.empty() && !options.values.empty()) {
    const std::string& file = options.file.path;
    return failure(ErrorKind::usage, "a value of an axis needs a variant of the file",
                   options.values.front(),
                   "write " + file + "/VARIANT " + options.values.front() + "; `warpscope list " +
                       file + "` names its variants and axes");
  }
  constexpr double kProgramLimitS = 120;  // a program may include what takes nvcc a minute
  if (options.program) {
    Result<FileTrace> read = from_program(options, engine);
    if (!read) return read;
    trace = std::move(*read);
    asked.sample_instructions = kUsualSampleInstructions;
    trace.job.hang_limit_s = kProgramLimitS;
  } else {
    Result<UserKernel> user =
        options.launch_file.empty() ? from_options(options) : from_launch_file(options);
    if (!user) return tl::unexpected(user.error());
    trace.job.user = std::move(*user);
  }
  if (Result<void> added = add_outputs(options, *trace.job.user); !added)
    return tl::unexpected(added.error());
  trace.job.hang_limit_s = engine.limit_s.value_or(trace.job.hang_limit_s);
  asked.warp = options.warp;
  trace.job.work = std::move(asked);
  return trace;
}

void print_read(const FileTrace& trace) {
  const std::vector<UserLaunch>& launches = trace.job.user->launches;
  if (trace.read.launches.empty()) return;
  std::printf("read from %s; “?” marks a guess\n",
              visible_name(fs::path(trace.job.user->path).filename().string()).c_str());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    std::printf("%zu: %s\n", i + 1, visible_name(launches[i].entry).c_str());
    print_values(trace.read.values[i], trace.text);
  }
  print_values(trace.read.others, trace.text);
  std::printf("\n");
}

void print_launches(const std::vector<const Trace*>& traces) {
  for (const Trace* trace : traces) {
    AccessTotals global, shared;
    for (const AccessSite& site : trace->sites) {
      if (site.kind != AccessKind::load) continue;
      if (site.space == Space::global) global += site.totals;
      if (site.space == Space::shared) shared += site.totals;
    }
    const auto findings = static_cast<std::int64_t>(findings_of(*trace).findings.size());
    fmt::print("{}: {}", visible_name(trace->step.empty() ? trace->entry : trace->step),
               findings == 0 ? "no findings" : plural(findings, "finding"));
    if (global.requests > 0)
      std::printf("; global loads: %.2f sectors per request, efficiency %.1f %%",
                  global.sectors_per_request(), 100 * global.sector_efficiency());
    if (shared.wavefronts > shared.ideal_wavefronts) {
      const auto per_request = [&shared](std::int64_t wavefronts) {
        return static_cast<double>(wavefronts) / static_cast<double>(shared.requests);
      };
      std::printf("; bank conflicts: shared loads take %.1f wavefronts, %.1f without conflicts",
                  per_request(shared.wavefronts), per_request(shared.ideal_wavefronts));
    }
    std::printf("\n");
  }
  std::printf("\n");
}

bool print_outputs(const std::vector<const Trace*>& traces) {
  bool wrong = false;
  for (const Trace* trace : traces) {
    for (const TracedOutput& output : trace->outputs) {
      if (!output.sentence.empty())
        std::printf("%s: %s\n", output.wrong ? "wrong" : "correct",
                    visible_name(output.sentence).c_str());
      if (!output.printed.empty()) std::printf("%s\n", visible_name(output.printed).c_str());
      wrong = wrong || output.wrong;
    }
  }
  return wrong;
}

}  // namespace warpscope
