// profiling/engine/compile/disassembly.cpp: a kernel as PTX and as machine code, to be read beside
// its text.
#include "profiling/engine/compile/disassembly.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/toolkit_program.h"

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
};

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
  std::array<char, 1 << 16> part{};
  constexpr std::size_t kMostBytes = 64U << 20;
  while (spawned == 0 && printed.text.size() < kMostBytes) {
    const ssize_t got = ::read(ends[0], part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    printed.text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (spawned != 0) return failed("the disassembler does not start");
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

Result<std::string> disassemble(const std::string& cubin) {
  const Result<std::string> program = find_disassembler();
  if (!program) return program;
  const TemporaryFile file;
  if (!file.write(cubin)) {
    return failure(ErrorKind::environment, "the machine code cannot be written to a file",
                   file.path(), "make room in the temporary folder");
  }
  Result<Printed> printed = output_of({*program, "-gi", "-c", file.path()});
  if (!printed) return tl::unexpected(printed.error());
  if (!WIFEXITED(printed->status) || WEXITSTATUS(printed->status) != 0) {
    return failure(ErrorKind::environment,
                   "nvdisasm says: " + printed->text.substr(0, printed->text.find('\n')), *program,
                   "install the nvdisasm of the toolkit that compiles, CUDA 13");
  }
  return std::move(printed->text);
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
