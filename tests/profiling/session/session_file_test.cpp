// tests/profiling/session/session_file_test.cpp: a session is appended to, and nothing else ever
// is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "profiling/session/session.h"
#include "tests/profiling/session/synthetic.h"

namespace warpscope {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

// A kernel, a picture or notes named by mistake must not be spoilt.
TEST(SessionFile, AppendsToNothingThatIsNoSession) {
  for (const std::string& text :
       {std::string("extern \"C\" __global__ void k() {}\n"), std::string("\x89PNG\r\n\x1a\n"),
        std::string("notes\n"), std::string("notes"), std::string("\n"), std::string("{}\n"),
        std::string("[1, 2]\n"), std::string("{\"type\": \"module\"}\n"),
        std::string("{\n  \"title\": \"A lesson\"\n}\n"), std::string(1 << 20, '{'),
        "notes\n" + to_line(synthetic("a", 100)) + "\n"}) {
    const TemporaryFile file(text);
    const Result<SessionFile> refused = SessionFile::open(file.path());
    ASSERT_FALSE(refused) << text.substr(0, 80);
    EXPECT_EQ(refused.error().kind, ErrorKind::input);
    EXPECT_NE(refused.error().what.find("not a session"), std::string::npos);
    EXPECT_FALSE(refused.error().remedy.empty());
    EXPECT_EQ(bytes_of(file.path()), text) << "the file was touched";
  }
}

TEST(SessionFile, AppendsToWhatIsASession) {
  const std::string line = to_line(synthetic("a", 100));
  for (const std::string& before :
       {std::string(), line + "\n", line, line + "\nnotes\n", line.substr(0, 1), line.substr(0, 40),
        line.substr(0, line.size() - 1), line + "\n" + line.substr(0, 40)}) {
    const TemporaryFile file(before);
    Result<SessionFile> session = SessionFile::open(file.path());
    ASSERT_TRUE(session) << before << "\n" << sentence(session.error());
    EXPECT_EQ(bytes_of(file.path()), before) << "opening changes nothing";
    ASSERT_TRUE(session->append(synthetic("b", 200)));
    const bool ended = before.empty() || before.back() == '\n';
    EXPECT_EQ(bytes_of(file.path()),
              before + (ended ? "" : "\n") + to_line(synthetic("b", 200)) + "\n");
  }
}

// A program that was killed while it began another one: that one holds the file for a moment.
TEST(SessionFile, WaitsForAChildOfAProgramThatIsGone) {
  const TemporaryFile file(to_line(synthetic("a", 100)) + "\n");
  constexpr useconds_t kMoment = 400'000;
  const pid_t program = ::fork();
  ASSERT_GE(program, 0);
  if (program == 0) {
    const int descriptor = ::open(file.path().c_str(), O_RDWR);
    if (::flock(descriptor, LOCK_EX) == 0 && ::fork() == 0) ::usleep(kMoment);
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(program, &status, 0), program);
  const int descriptor = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_NE(::flock(descriptor, LOCK_EX | LOCK_NB), 0) << "the child does not hold the file";
  ::close(descriptor);
  Result<SessionFile> session = SessionFile::open(file.path());
  ASSERT_TRUE(session);
  const Result<void> claimed = session->claim();
  EXPECT_TRUE(claimed) << sentence(claimed.error());
}

// As when another process dies in the middle of a line.
TEST(SessionFile, GluesNoLineToOneThatWasTornMeanwhile) {
  const TemporaryFile file("");
  Result<SessionFile> session = SessionFile::open(file.path());
  ASSERT_TRUE(session && session->append(synthetic("a", 100)));
  std::ofstream(file.path(), std::ios::app) << "{\"type\":\"mea";
  ASSERT_TRUE(session->append(synthetic("b", 200)));
  const Result<SessionReading> reading = read_session(file.path());
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->lines, 2);
  EXPECT_EQ(reading->warnings.size(), 1u);
}

TEST(SessionFile, IsARegularFile) {
  const std::filesystem::path folder = testing::TempDir();
  const std::filesystem::path pipe = folder / "warpscope_session_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& [path, kind] : {std::pair<std::filesystem::path, std::string>(folder, "folder"),
                                   {pipe, "pipe"},
                                   {"/dev/null", "device"},
                                   {"/dev/full", "device"}}) {
    const Result<SessionFile> refused = SessionFile::open(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().kind, ErrorKind::input);
    EXPECT_NE(refused.error().what.find("this is a " + kind), std::string::npos)
        << refused.error().what;
  }
  std::filesystem::remove(pipe);
}

}  // namespace
}  // namespace warpscope
