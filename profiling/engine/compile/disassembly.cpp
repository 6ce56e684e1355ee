// profiling/engine/compile/disassembly.cpp: a kernel as PTX and as machine code, to be read beside
// its text.
#include "profiling/engine/compile/disassembly.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "profiling/binaries/elf.h"
#include "profiling/binaries/library_code.h"
#include "profiling/capture/machine_code_text.h"
#include "profiling/emulator/sass/read/machine_image.h"
#include "profiling/engine/compile/toolkit_program.h"
#include "scenes/host/cache.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// A file of its own in the temporary folder that goes with this object.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code ignored;
    path_ = (fs::temp_directory_path(ignored) / "warpscope-cubin-XXXXXX").string();
    file_ = ::mkostemp(path_.data(), O_CLOEXEC);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(path_.c_str());
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
  std::string path_;
  int file_ = -1;
};

// What a program printed and how it ended.
struct Printed {
  std::string text;
  int status = -1;
  bool late = false;  // it was ended
};

constexpr std::size_t kMostBytes = 64U << 20;
// nvdisasm takes 0.3 s per MB of machine code; damaged files have made it run without end.
constexpr double kMostSeconds = 30;

// Reads until the end, for kMostBytes and kMostSeconds at most.
void read_all(int end, Printed& printed) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::array<char, 1 << 16> part{};
  while (printed.text.size() < kMostBytes) {
    const double left = kMostSeconds - std::chrono::duration<double>(Clock::now() - begin).count();
    pollfd ready{end, POLLIN, 0};
    const int polled = left <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left * 1000) + 1);
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) {
      printed.late = true;
      return;
    }
    const ssize_t got = ::read(end, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    printed.text.append(part.data(), static_cast<std::size_t>(got));
  }
  printed.late = true;
}

Result<Printed> output_of(const std::vector<std::string>& command) {
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
  if (spawned == 0) read_all(ends[0], printed);
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
#ifdef WARPSCOPE_DISASSEMBLER_FOLDER
  folders.emplace_back(WARPSCOPE_DISASSEMBLER_FOLDER);  // where ./start brings it
#endif
  if (std::optional<std::string> path = find_program("nvdisasm", folders)) return std::move(*path);
  return failure(ErrorKind::environment,
                 "there is no nvdisasm here, which is needed to disassemble machine code",
                 "machine code",
                 "install nvidia-cuda-nvdisasm with pip or cuda-nvdisasm-13-0 from NVIDIA's "
                 "repository, and add its folder to PATH");
}

namespace {

// What nvdisasm prints of a cubin with these options.
Result<std::string> printed_of(const std::string& cubin, const std::vector<std::string>& options) {
  const Result<std::string> program = find_disassembler();
  if (!program) return program;
  const TemporaryFile file;
  if (!file.write(cubin)) {
    return failure(ErrorKind::environment, "the machine code cannot be written to a file",
                   file.path(), "make room in the temporary folder");
  }
  std::vector<std::string> command = {*program};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(file.path());
  Result<Printed> printed = output_of(command);
  if (!printed) return tl::unexpected(printed.error());
  if (printed->late) {
    return failure(ErrorKind::input,
                   "nvdisasm did not end within 30 s and 64 MiB of text, and was stopped",
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

Result<std::string> disassemble(const std::string& cubin) {
  return printed_of(cubin, {"-gi", "-c"});
}

Result<std::string> disassemble_function(const std::string& cubin, const std::string& function,
                                         Disassembly what) {
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
                                                                          : listing ? ".list"
                                                                                    : ".live");
  const Result<Cache> cache = Cache::open();
  if (cache) {
    if (auto kept = cache->read("sass", name, kMostBytes)) return std::move(*kept);
  }
  std::vector<std::string> options = {"-c", "-fun", *index};
  if (code) {
    options.insert(options.end(), {"-gi", "-hex"});
  } else if (listing) {
    options.push_back("-gi");
  } else {
    options.insert(options.end(), {"-plr", "-lrm", "count"});
  }
  Result<std::string> text = printed_of(cubin, options);
  if (text && cache) cache->write("sass", name, *text);
  return text;
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
                                  const SourceLookup& sources) {
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
  Result<std::string> machine_code = compile(request, *texts).and_then([](const Compiled& code) {
    return disassemble(code.cubin);
  });
  if (machine_code) {
    listing.machine_code = std::move(*machine_code);
  } else {
    listing.no_machine_code = sentence(machine_code.error());
  }
  return listing;
}

}  // namespace warpscope
