// workbench/client/captures/watched_program.cpp: a program of the person's own, run with our
// library in it.
#include "workbench/client/captures/watched_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "workbench/client/end_signals.h"

extern char** environ;

namespace warpscope {
// Types of a class that other files see have a name: its parts must too.
namespace watched {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr const char* kLibrary = "libwarpscope-capture.so";
constexpr const char* kInjection = "CUDA_INJECTION64_PATH";
constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kRangeInjection = "NVTX_INJECTION64_PATH";
// What processes still say after the program itself has ended.
constexpr std::chrono::seconds kAfterwards{2};
constexpr std::size_t kMostLineBytes = 64 << 20;

// A folder that is there as long as the object is.
class OwnFolder {
 public:
  OwnFolder() {
    std::string path = (fs::temp_directory_path() / "warpscope-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  OwnFolder(OwnFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  OwnFolder& operator=(OwnFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The processes that report, each by its connection.
class ReportServer {
 public:
  explicit ReportServer(const std::string& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ < 0 || socket.size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, socket.data(), socket.size());
    constexpr int kWaiting = 128;
    good_ = ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
            ::listen(listener_, kWaiting) == 0;
  }
  ReportServer(const ReportServer&) = delete;
  ReportServer& operator=(const ReportServer&) = delete;
  ~ReportServer() {
    for (const Connection& c : connections_) ::close(c.descriptor);
    if (listener_ >= 0) ::close(listener_);
  }
  bool good() const { return good_; }
  bool is_busy() const { return !connections_.empty(); }

  // What does not go out at once is lost: a request has some hundred bytes.
  void ask(const CaptureRequest& request) {
    const std::string line = request_line(request);
    for (const Connection& c : connections_)
      [[maybe_unused]] const ssize_t sent =
          ::send(c.descriptor, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void serve(int wait_ms, const WatchedProgram::Seen& seen, ProgramEnd& end) {
    std::vector<pollfd> ready = {{listener_, POLLIN, 0}};
    for (const Connection& c : connections_) ready.push_back({c.descriptor, POLLIN, 0});
    if (::poll(ready.data(), ready.size(), wait_ms) <= 0) return;
    for (std::size_t i = 1; i < ready.size(); ++i) {
      if (ready[i].revents != 0) read(connections_[i - 1], seen, end);
    }
    std::erase_if(connections_, [](const Connection& c) { return c.descriptor < 0; });
    if (ready.front().revents == 0) return;
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor >= 0) connections_.push_back({descriptor, {}, false});
  }

 private:
  struct Connection {
    int descriptor = -1;
    std::string pending;
    bool ended = false;
  };

  static void read(Connection& from, const WatchedProgram::Seen& seen, ProgramEnd& end) {
    char bytes[65536];
    const ssize_t count = ::read(from.descriptor, bytes, sizeof bytes);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) from.pending.append(bytes, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t at = from.pending.find('\n'); at != std::string::npos;
         at = from.pending.find('\n', begin)) {
      const std::optional<CaptureReport> report = report_of(from.pending.substr(begin, at - begin));
      begin = at + 1;
      if (!report) continue;
      from.ended |= std::holds_alternative<EndReport>(*report);
      end.processes += std::holds_alternative<StartReport>(*report) ? 1 : 0;
      seen(*report);
    }
    from.pending.erase(0, begin);
    if (count > 0 && from.pending.size() < kMostLineBytes) return;
    end.cut += from.ended ? 0 : 1;
    ::close(from.descriptor);
    from.descriptor = -1;
  }

  int listener_ = -1;
  bool good_ = false;
  std::vector<Connection> connections_;
};

std::string path_with(const char* variable, const std::string& path) {
  return std::string(variable) + "=" + path;
}

std::vector<std::string> environment_of(const ProgramRequest& request, const std::string& library,
                                        const std::string& socket) {
  std::vector<std::string> all;
  std::string preloaded;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (name == kPreload) preloaded = text.substr(std::min(name.size() + 1, text.size()));
    if (name != kInjection && name != kRangeInjection && name != kSettingsVariable &&
        name != kPreload)
      all.emplace_back(text);
  }
  all.push_back(path_with(kPreload, library + (preloaded.empty() ? "" : ":" + preloaded)));
  CaptureSettings settings = request.settings;
  settings.socket = socket;
  all.push_back(path_with(kInjection, library));
  all.push_back(path_with(kRangeInjection, library));
  all.push_back(path_with(kSettingsVariable, settings_text(settings)));
  return all;
}

// The process of the program; the pipe says why it could not be started.
Result<pid_t> launch(const ProgramRequest& request, std::vector<std::string> environment) {
  std::vector<std::string> words = request.words;
  std::vector<char*> arguments, variables;
  for (std::string& word : words) arguments.push_back(word.data());
  for (std::string& entry : environment) variables.push_back(entry.data());
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  int trouble[2];
  if (::pipe2(trouble, O_CLOEXEC) != 0)
    return failure(ErrorKind::resource, std::strerror(errno), request.words.front());
  const bool silent = request.no_input || !request.output.empty();
  const int input = silent ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
  const int output = request.output.empty()
                         ? -1
                         : ::open(request.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                                  S_IRUSR | S_IWUSR);
  const pid_t child = ::fork();
  if (child == 0) {
    if (input >= 0) ::dup2(input, STDIN_FILENO);
    if (output >= 0) {
      ::setpgid(0, 0);
      ::dup2(output, STDOUT_FILENO);
      ::dup2(output, STDERR_FILENO);
    }
    if (request.output_to_errors) ::dup2(STDERR_FILENO, STDOUT_FILENO);
    if (!request.folder.empty() && ::chdir(request.folder.c_str()) != 0) {
      const int why = errno;
      [[maybe_unused]] const ssize_t told = ::write(trouble[1], &why, sizeof why);
      ::_exit(127);
    }
    ::execvpe(arguments.front(), arguments.data(), variables.data());
    const int why = errno;
    [[maybe_unused]] const ssize_t told = ::write(trouble[1], &why, sizeof why);
    ::_exit(127);
  }
  ::close(trouble[1]);
  for (const int descriptor : {input, output}) {
    if (descriptor >= 0) ::close(descriptor);
  }
  int why = child < 0 ? errno : 0;
  if (child > 0 && ::read(trouble[0], &why, sizeof why) != sizeof why) why = 0;
  ::close(trouble[0]);
  if (why == 0) return child;
  if (child > 0) ::waitpid(child, nullptr, 0);
  return failure(ErrorKind::usage,
                 std::string("the program cannot be started: ") + std::strerror(why),
                 request.words.front(), "check its name and that it may be executed");
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           ::strsignal(WTERMSIG(status)) + ")";
  return WEXITSTATUS(status) == 0 ? "" : "ended with status " + std::to_string(WEXITSTATUS(status));
}

// Passes on signals and ends the program where its time is over.
class Ending {
 public:
  explicit Ending(double limit_s) : limit_s_(limit_s) {}
  void look(WatchedProgram& program, ProgramEnd& end) {
    const int count = signals_.count();
    if (count > seen_) {
      end.interrupted = true;
      // The terminal sends Ctrl-C to the program as well.
      const bool has_it = signals_.last() == SIGINT && ::isatty(STDIN_FILENO) == 1;
      if (count > 1) {
        program.signal(SIGKILL);
      } else if (!has_it) {
        program.signal(signals_.last());
      }
      seen_ = count;
    }
    constexpr double kGraceS = 5;
    if (limit_s_ > 0 && seconds_since(start_) > limit_s_) {
      const bool again = end.timed_out && seconds_since(start_) > limit_s_ + kGraceS;
      if (!end.timed_out || again) program.signal(again ? SIGKILL : SIGTERM);
      end.timed_out = true;
    }
  }

 private:
  EndSignals signals_;
  double limit_s_;
  Clock::time_point start_ = Clock::now();
  int seen_ = 0;
};

}  // namespace watched

Result<std::string> capture_library() {
  namespace fs = std::filesystem;
  const char* named = std::getenv("WARPSCOPE_CAPTURE_LIBRARY");
  std::error_code failed;
  const fs::path beside = fs::read_symlink("/proc/self/exe", failed).parent_path();
  // An installed program has it in lib/, as it is not a program.
  const fs::path installed = beside.parent_path() / "lib" / product_name() / watched::kLibrary;
  const fs::path path = named != nullptr && *named != '\0'       ? fs::absolute(named, failed)
                        : fs::is_regular_file(installed, failed) ? installed
                                                                 : beside / watched::kLibrary;
  if (std::filesystem::is_regular_file(path, failed)) return path.string();
  return failure(ErrorKind::environment, "there is no such library", path.string(),
                 std::string("build ") + watched::kLibrary +
                     " with the engine, or name it with WARPSCOPE_CAPTURE_LIBRARY");
}

struct WatchedProgram::State {
  explicit State(const std::string& socket) : server(socket) {}
  watched::ReportServer server;
  watched::OwnFolder folder;
  pid_t child = -1;
  bool has_group = false, has_ended = false;
  std::chrono::steady_clock::time_point ended_at{};
  ProgramEnd end;
};

WatchedProgram::WatchedProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
WatchedProgram::WatchedProgram(WatchedProgram&&) noexcept = default;
WatchedProgram& WatchedProgram::operator=(WatchedProgram&&) noexcept = default;
WatchedProgram::~WatchedProgram() = default;

Result<WatchedProgram> WatchedProgram::start(const ProgramRequest& request) {
  const Result<std::string> library = capture_library();
  if (!library) return tl::unexpected(library.error());
  watched::OwnFolder folder;
  const std::string socket = folder.path() + "/reports";
  auto state = std::make_unique<State>(socket);
  state->folder = std::move(folder);
  if (state->folder.path().empty() || !state->server.good())
    return failure(ErrorKind::environment, "no socket can be made for the program's reports",
                   std::filesystem::temp_directory_path().string(),
                   "set TMPDIR to a folder that is writable");
  const Result<pid_t> child =
      watched::launch(request, watched::environment_of(request, *library, socket));
  if (!child) return tl::unexpected(child.error());
  state->child = *child;
  state->has_group = !request.output.empty();
  return WatchedProgram(std::move(state));
}

void WatchedProgram::serve(int wait_ms, const Seen& seen) {
  state_->server.serve(wait_ms, seen, state_->end);
  if (state_->has_ended) return;
  const pid_t ended = ::waitpid(state_->child, &state_->end.status, WNOHANG);
  if (ended != state_->child && (ended >= 0 || errno == EINTR)) return;
  state_->end.how = watched::how_it_ended(state_->end.status);
  state_->has_ended = true;
  state_->ended_at = std::chrono::steady_clock::now();
  state_->server.serve(0, seen, state_->end);
}

bool WatchedProgram::runs() const {
  return !state_->has_ended ||
         (state_->server.is_busy() &&
          std::chrono::steady_clock::now() - state_->ended_at < watched::kAfterwards);
}

bool WatchedProgram::has_ended() const { return state_->has_ended; }
const ProgramEnd& WatchedProgram::ended() const { return state_->end; }
void WatchedProgram::ask(const CaptureRequest& request) { state_->server.ask(request); }

void WatchedProgram::signal(int number) {
  if (!state_->has_ended) ::kill(state_->has_group ? -state_->child : state_->child, number);
}

Result<ProgramEnd> run_watched(const ProgramRequest& request, const WatchedProgram::Seen& seen,
                               const std::function<void(WatchedProgram&)>& between) {
  Result<WatchedProgram> program = WatchedProgram::start(request);
  if (!program) return tl::unexpected(program.error());
  ProgramEnd asked;
  watched::Ending ending(request.time_limit_s);
  constexpr int kWaitMs = 50;
  while (program->runs()) {
    program->serve(kWaitMs, seen);
    if (!program->has_ended()) ending.look(*program, asked);
    if (between) between(*program);
  }
  ProgramEnd end = program->ended();
  end.interrupted = asked.interrupted;
  end.timed_out = asked.timed_out;
  return end;
}

}  // namespace warpscope
