// profiling/engine/compile/disassembly.cpp: a kernel as PTX and as machine code, to be read beside
// its text.
#include "profiling/engine/compile/disassembly.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "profiling/binaries/declarations.h"
#include "profiling/binaries/elf.h"
#include "profiling/binaries/library_code.h"
#include "profiling/capture/machine_code_text.h"
#include "profiling/emulator/sass/live/live_registers.h"
#include "profiling/emulator/sass/read/machine_image.h"
#include "profiling/engine/compile/toolkit_program.h"
#include "profiling/listings/kernel_name.h"
#include "profiling/listings/kernel_text.h"
#include "scenes/host/cache.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// A file in memory that another program opens by its path. No folder has it, so nothing is left of
// it however this process ends.
class NamelessFile {
 public:
  NamelessFile()
      : file_(::memfd_create("warpscope-cubin", MFD_CLOEXEC)),
        path_("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_)) {}
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() {
    if (file_ >= 0) ::close(file_);
  }
  bool write(std::string_view bytes) const {
    while (!bytes.empty() && file_ >= 0) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return file_ >= 0;
  }
  const std::string& path() const { return path_; }

 private:
  int file_ = -1;
  std::string path_;
};

// What a program printed and how it ended.
struct Printed {
  std::string text;
  int status = -1;
  bool late = false;         // it was ended …
  bool interrupted = false;  // … since nobody wants it any more
};

constexpr std::size_t kMostBytes = 64U << 20;
// nvdisasm takes 0.3 s per MB of machine code; damaged files have made it run without end. On a
// busy machine it gets little of a processor, so its own time counts; if it only waits, the clock.
constexpr double kMostProcessorSeconds = 30, kMostSeconds = 300;

// What a program has used of processors so far. unit: s; 0: it is not known.
double processor_seconds(pid_t program) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(program, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Reads until the end, for kMostBytes and the times above at most.
void read_all(int end, pid_t program, const Interrupted& interrupted, Printed& printed) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::array<char, 1 << 16> part{};
  while (printed.text.size() < kMostBytes) {
    const double left =
        std::min(kMostSeconds - std::chrono::duration<double>(Clock::now() - begin).count(),
                 kMostProcessorSeconds - processor_seconds(program));
    pollfd ready{end, POLLIN, 0};
    constexpr int kLookMs = 50;
    const int polled = left <= 0 ? 0 : ::poll(&ready, 1, kLookMs);
    printed.interrupted = interrupted && interrupted();
    if (left <= 0 || printed.interrupted || (polled < 0 && errno != EINTR)) {
      printed.late = true;
      return;
    }
    if (polled <= 0) continue;
    const ssize_t got = ::read(end, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    printed.text.append(part.data(), static_cast<std::size_t>(got));
  }
  printed.late = true;
}

Result<Printed> output_of(const std::vector<std::string>& command, const Interrupted& interrupted) {
  const auto failed = [&](const char* what) {
    return failure(ErrorKind::environment, what, command.front(),
                   "run it by hand to see what is missing");
  };
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("no pipe could be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = -1;
  const int spawned =
      ::posix_spawn(&child, command.front().c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Printed printed;
  if (spawned == 0) read_all(ends[0], child, interrupted, printed);
  ::close(ends[0]);
  if (spawned != 0) return failed("the disassembler does not start");
  if (printed.late) ::kill(child, SIGKILL);
  while (::waitpid(child, &printed.status, 0) < 0 && errno == EINTR) {
  }
  return printed;
}

}  // namespace

Result<std::string> find_disassembler() {
  std::vector<fs::path> folders = folders_of_path();
  const std::vector<fs::path> toolkit = toolkit_program_folders();
  folders.insert(folders.end(), toolkit.begin(), toolkit.end());
  if (std::optional<std::string> path = find_program("nvdisasm", folders)) return std::move(*path);
  return failure(ErrorKind::environment,
                 "there is no nvdisasm here, which is needed to disassemble machine code",
                 "machine code",
                 "run `warpscope doctor --fetch`, which installs it for you, or install "
                 "cuda-nvdisasm-13-0 from NVIDIA's repository and add its folder to PATH");
}

namespace {

// What nvdisasm prints of a cubin with these options.
Result<std::string> printed_of(const std::string& cubin, const std::vector<std::string>& options,
                               const Interrupted& interrupted) {
  const Result<std::string> program = find_disassembler();
  if (!program) return program;
  const NamelessFile file;
  if (!file.write(cubin)) {
    return failure(ErrorKind::environment, "there is no room in memory for the machine code",
                   *program, "close other programs");
  }
  std::vector<std::string> command = {*program};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(file.path());
  Result<Printed> printed = output_of(command, interrupted);
  if (!printed) return tl::unexpected(printed.error());
  if (printed->interrupted) return failure(ErrorKind::usage, "cancelled", "machine code");
  if (printed->late) {
    return failure(ErrorKind::input,
                   "nvdisasm did not end within 30 s of processor time, 300 s and 64 MiB of text, "
                   "and was stopped",
                   "machine code", "see whether the file is damaged");
  }
  if (!WIFEXITED(printed->status) || WEXITSTATUS(printed->status) != 0) {
    return failure(ErrorKind::environment,
                   "nvdisasm says: " + printed->text.substr(0, printed->text.find('\n')), *program,
                   "install the nvdisasm of the toolkit that compiles, CUDA 13");
  }
  return std::move(printed->text);
}

// How nvdisasm names a function: by its place among the symbols.
Result<std::string> symbol_index(const std::string& cubin, const std::string& function) {
  const Result<ElfFile> elf = read_elf(cubin, function);
  if (!elf) return tl::unexpected(elf.error());
  for (std::size_t k = 0; k < elf->symbols.size(); ++k) {
    if (elf->symbols[k].name == function && elf->symbols[k].kind == kElfFunction)
      return std::to_string(k);
  }
  return failure(ErrorKind::input, "the machine code has no kernel " + function, function,
                 "choose a kernel of the file");
}

}  // namespace

Result<std::string> disassemble_function(const std::string& cubin, const std::string& function,
                                         Disassembly what, const Interrupted& interrupted) {
  if (const auto library = closed_library_of_kernel(function)) {
    return failure(ErrorKind::usage,
                   "it is code of " + *library + ", which NVIDIA's terms forbid to disassemble",
                   function, "measure it: times, counters and occupancy are allowed");
  }
  const Result<std::string> program = find_disassembler();
  if (!program) return program;
  const Result<std::string> index = symbol_index(cubin, function);
  if (!index) return index;
  const bool code = what == Disassembly::code, listing = what == Disassembly::listing;
  const std::string name =
      hash_of(*program + "\n" + function + "\n" + cubin).substr(0, 32) + (code      ? ".sass"
                                                                          : listing ? ".lines"
                                                                                    : ".live");
  const Result<Cache> cache = Cache::open();
  if (cache) {
    if (auto kept = cache->read("sass", name, kMostBytes)) return std::move(*kept);
  }
  std::vector<std::string> options = {"-c", "-fun", *index};
  if (code) {
    options.insert(options.end(), {"-gi", "-hex"});
  } else if (listing) {
    options.insert(options.end(), {"-gi", "-gp"});
  } else {
    options.insert(options.end(), {"-plr", "-lrm", "count"});
  }
  Result<std::string> text = printed_of(cubin, options, interrupted);
  if (text && cache) cache->write("sass", name, *text);
  return text;
}

namespace {

// Whether the lines of PTX that the cubin names are those of this text: comments are left out
// there, and the architecture may be another one.
bool is_of_ptx(const ElfFile& elf, std::string_view ptx) {
  const ElfSection* kept = elf.section(".nv_debug_ptx_txt");
  if (kept == nullptr) return false;
  const std::vector<std::string> lines = lines_of(ptx);
  std::size_t same = 0, other = 0, number = 0;
  std::string_view rest = kept->bytes;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    std::string_view whole = number < lines.size() ? std::string_view(lines[number]) : "";
    ++number;
    if (line.empty()) continue;
    whole.remove_prefix(std::min(whole.find_first_not_of(" \t"), whole.size()));
    ++(whole.starts_with(line) ? same : other);
  }
  return same > 0 && other * 50 <= same;
}

std::vector<std::string> function_names(const ElfFile& elf) {
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.kind == kElfFunction) names.emplace_back(symbol.name);
  }
  return names;
}

}  // namespace

Result<void> list_machine_code(const std::string& cubin, const std::string& entry,
                               int compute_capability, const Interrupted& interrupted,
                               Listing& listing) {
  const Result<ElfFile> elf = read_elf(cubin, listing.source);
  if (!elf) return tl::unexpected(elf.error());
  const std::string symbol = symbol_of(function_names(*elf), entry);
  Result<std::string> text = disassemble_function(cubin, symbol, Disassembly::listing, interrupted);
  if (!text) return tl::unexpected(text.error());
  // A text that cannot be read is shown all the same, without registers in use.
  LiveAnalysis live;
  if (const auto function = read_machine_text(*text, symbol)) live = live_registers(*function);
  listing.entry = symbol;
  listing.compute_capability = compute_capability;
  listing.machine_code = std::move(*text);
  listing.ptx_lines = is_of_ptx(*elf, listing.ptx);
  listing.live = std::move(live.rows);
  listing.guessed = std::move(live.guessed);
  return {};
}

Result<CompiledPtx> declared_ptx(const KernelSource& source, const std::string& expression) {
  const Result<MachineCode> code = machine_code_of(source.text, source.path);
  if (!code) return tl::unexpected(code.error());
  Result<std::string> ptx = declarations_of(code->cubin, source.path);
  if (!ptx) return tl::unexpected(ptx.error());
  CompiledPtx made;
  made.ptx = std::move(*ptx);
  made.hash = source.hash;
  made.entry = expression;
  return made;
}

Result<Listing> listing_of_kernel(const KernelLaunch& kernel, int compute_capability,
                                  const SourceLookup& sources, const Interrupted& interrupted) {
  const Result<std::vector<KernelSource>> texts = sources(kernel.source);
  if (!texts) return tl::unexpected(texts.error());
  Listing listing;
  listing.source = kernel.source;
  listing.entry = kernel.entry;
  listing.text_hash = text_hash_of(*texts);
  listing.defines = kernel.defines;
  listing.toolkit = nvrtc_version().value_or("");
  for (const KernelSource& text : *texts) listing.files.push_back(text.path);
  CompileRequest request = request_for(kernel, CompileRequest{}.compute_capability);
  if (Result<CompiledPtx> code = compile_to_ptx(request, *texts)) {
    listing.ptx = std::move(code->ptx);
    if (request.any_text) listing.toolkit = std::move(code->compiler);
  } else {
    listing.no_ptx = sentence(code.error());
  }
  if (compute_capability == 0) return listing;
  listing.compute_capability = compute_capability;
  request.compute_capability = compute_capability;
  const Result<Compiled> code = compile(request, *texts);
  const Result<void> listed =
      code ? list_machine_code(code->cubin, kernel.entry, compute_capability, interrupted, listing)
           : Result<void>(tl::unexpected(code.error()));
  if (interrupted && interrupted()) return failure(ErrorKind::usage, "cancelled", "machine code");
  if (!listed) listing.no_machine_code = sentence(listed.error());
  return listing;
}

}  // namespace warpscope
