// tests/workbench/client/kill_fixture.cpp: the real warpscope, started, killed, and what must be
// left of it.
#include "tests/workbench/client/kill_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/folders.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// When a process was started, in ticks; empty for one that is gone or only not waited for.
std::string start_time_of(pid_t process) {
  const std::string text = bytes_of("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string word;
  constexpr int kStateField = 3, kStartField = 22;  // proc(5)
  for (int field = kStateField; field <= kStartField; ++field) {
    fields >> word;
    if (field == kStateField && (word == "Z" || word == "X")) return {};
  }
  return word;
}

}  // namespace

int kill_rounds() {
  const char* wanted = std::getenv("WARPSCOPE_KILL_ROUNDS");
  constexpr int kUsual = 20;
  return wanted != nullptr && std::atoi(wanted) > 0 ? std::atoi(wanted) : kUsual;
}

void KillTest::SetUp() {
  std::string name = (fs::temp_directory_path() / "warpscope-kill-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  folder_ = name;
}

void KillTest::TearDown() {
  for (const pid_t process : living()) ::kill(process, SIGKILL);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

pid_t KillTest::start(const std::vector<std::string>& arguments, const std::string& mode,
                      const std::vector<std::string>& environment) {
  std::vector<std::string> words = {built_program("warpscope")};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::setpgid(0, 0);
  // Whoever runs the tests may ignore some of them (nohup), and so would what is started here.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::setenv("WARPSCOPE_ENGINE", built_program("fake_engine").c_str(), 1);
  ::setenv("FAKE_ENGINE_MODE", mode.c_str(), 1);
  ::setenv("FAKE_ENGINE_LOG", path("engine.log").c_str(), 1);
  ::setenv("WARPSCOPE_KILL_TEST", folder_.c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  ::setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  for (const std::string& word : environment) {
    const std::size_t equals = word.find('=');
    ::setenv(word.substr(0, equals).c_str(), word.substr(equals + 1).c_str(), 1);
  }
  const int input = ::open(input_.c_str(), O_RDONLY);
  const int errors = ::open(path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(input, STDIN_FILENO);
  ::dup2(::open(path("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

int KillTest::wait_for(pid_t process, double seconds) const {
  const auto start = Clock::now();
  int status = 0;
  while (::waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) {
      kill_hard(process);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void KillTest::kill_hard(pid_t process) const {
  static_cast<void>(living());  // from now on they are known
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
}

std::vector<pid_t> KillTest::living(const std::set<pid_t>& besides) const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 0 || process == ::getpid() || besides.count(process) != 0) continue;
    const std::string started = start_time_of(process);
    if (started.empty()) continue;
    bool ours = seen_.count(process) != 0 && seen_.at(process) == started;
    for (const char* name : {"cmdline", "environ"})
      ours = ours || bytes_of(entry.path() / name).find(folder_.string()) != std::string::npos;
    if (!ours) continue;
    seen_[process] = started;
    found.push_back(process);
  }
  return found;
}

testing::AssertionResult KillTest::all_gone(const std::set<pid_t>& besides) const {
  constexpr double kLimitS = 2;
  if (wait_until([&] { return living(besides).empty(); }, kLimitS))
    return testing::AssertionSuccess();
  testing::AssertionResult failed = testing::AssertionFailure();
  for (const pid_t process : living(besides)) {
    std::string words = bytes_of("/proc/" + std::to_string(process) + "/cmdline");
    for (char& c : words) c = c == '\0' ? ' ' : c;
    failed << "pid " << process << " runs on: " << words << "\n";
  }
  return failed;
}

std::string KillTest::text(const std::string& name) const { return bytes_of(folder_ / name); }

std::vector<std::string> KillTest::logged(const std::string& word) const {
  std::vector<std::string> found;
  std::istringstream log(text("engine.log"));
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with(word + " ")) found.push_back(line.substr(word.size() + 1));
  }
  return found;
}

bool KillTest::wait_until(const std::function<bool()>& happened, double seconds) const {
  const auto start = Clock::now();
  while (!happened()) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

void KillTest::pause_up_to(int milliseconds) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::uniform_int_distribution<int>(0, milliseconds)(random_)));
}

KillTest::Kept KillTest::kept_in(const std::string& name, std::size_t begin) const {
  Kept kept;
  const std::string all = text(name).substr(std::min(begin, text(name).size()));
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const Result<Message> message = parse_line(line);
    if (!message) {
      ++kept.torn;
      // Two lines in one would have two beginnings.
      const std::size_t again = line.find("\"type\":", line.find("\"type\":") + 1);
      EXPECT_EQ(again, std::string::npos) << "two lines are one: " << line;
      continue;
    }
    if (const auto* job = std::get_if<Job>(&*message); job && job->is<RoofsJob>())
      kept.roofs.insert(std::to_string(job->job));
    const auto* measurement = std::get_if<Measurement>(&*message);
    if (measurement == nullptr || measurement->partial) continue;
    if (measurement->verdict.outcome == Outcome::engine_died) {
      ++kept.verdicts_of_death[measurement->job];
    } else {
      kept.answered.push_back(measurement->job);
    }
  }
  return kept;
}

testing::AssertionResult KillTest::is_beginning(const std::vector<std::int64_t>& kept,
                                                const std::vector<std::string>& sent) {
  // The last answer may be in the pipe, and in the file, before the log says that it was sent.
  if (kept.size() > sent.size() + 1)
    return testing::AssertionFailure() << kept.size() << " answers of " << sent.size();
  for (std::size_t i = 0; i < kept.size() && i < sent.size(); ++i) {
    if (std::to_string(kept[i]) != sent[i])
      return testing::AssertionFailure() << "answer " << i << " is of job " << kept[i]
                                         << ", the engine's was of job " << sent[i];
  }
  return testing::AssertionSuccess();
}

std::vector<std::string> sweep_words(const std::string& variant, int points) {
  std::string values = "n=1";
  for (int n = 2; n <= points; ++n) values += "," + std::to_string(n);
  return {"sweep", "csrmm/" + variant, values};
}

}  // namespace warpscope
