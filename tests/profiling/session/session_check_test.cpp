// tests/profiling/session/session_check_test.cpp: a file is whole, torn or altered, and one program
// at a time records into it.
#include "profiling/session/session_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "profiling/messages/packed_text.h"
#include "profiling/session/seal.h"
#include "profiling/session/session.h"
#include "tests/profiling/session/synthetic.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

// A file that was recorded: three points, then its seal.
std::string recorded() {
  const TemporaryFile file("");
  {
    Result<SessionFile> session = SessionFile::open(file.path());
    EXPECT_TRUE(session && session->claim());
    for (const char* variant : {"a", "b", "c"})
      EXPECT_TRUE(session->append(synthetic(variant, 100)));
  }
  return bytes_of(file.path());
}

FileCheck checked(const std::string& text) {
  const TemporaryFile file(text);
  const Result<FileCheck> found = check_session(file.path());
  EXPECT_TRUE(found) << sentence(found.error());
  return found.value_or(FileCheck{});
}

std::string words(const FileCheck& found) {
  std::string all;
  for (const std::string& sentence : found.sentences) all += sentence + "\n";
  return all;
}

TEST(SessionCheck, ARecordingIsSealedAndWhole) {
  const std::string text = recorded();
  const FileCheck found = checked(text);
  EXPECT_EQ(found.state, FileState::whole);
  EXPECT_EQ(found.lines, 4);
  EXPECT_EQ(found.messages, 3);
  EXPECT_EQ(found.sealed, 3);
  EXPECT_TRUE(found.sentences.empty()) << words(found);
  const FileCheck twice = checked(text + text);
  EXPECT_EQ(twice.state, FileState::whole) << words(twice);
  EXPECT_EQ(twice.sealed, 6);
  const Result<std::string> packed = pack(text);
  ASSERT_TRUE(packed);
  EXPECT_EQ(checked(*packed).sealed, 3);
}

// Every byte of what was sealed counts, also where the line stays a message.
TEST(SessionCheck, AChangedSealedLineIsFound) {
  const std::string text = recorded();
  const std::size_t sealed = text.rfind("{\"hash\"");
  ASSERT_NE(sealed, std::string::npos);
  for (std::size_t at = 0; at < sealed; at += 7) {
    std::string changed = text;
    if (changed[at] == '\n') continue;
    changed[at] = changed[at] == '1' ? '2' : '1';
    const TemporaryFile file(changed);
    const Result<FileCheck> found = check_session(file.path());
    ASSERT_TRUE(found) << at;
    EXPECT_EQ(found->state, FileState::altered) << at << changed.substr(at, 20);
    EXPECT_THAT(words(*found), HasSubstr("lines 1 to 3 are not what line 4 sealed")) << at;
  }
}

TEST(SessionCheck, ALineThatIsGoneIsFound) {
  const std::string text = recorded();
  const FileCheck first = checked(text.substr(text.find('\n') + 1));
  EXPECT_EQ(first.state, FileState::altered);
  EXPECT_THAT(words(first), HasSubstr("line 3 seals 3 lines, of which 2 are there"));
}

TEST(SessionCheck, WhatIsTornIsNotCalledAltered) {
  const std::string text = recorded();
  const std::string line = to_line(synthetic("d", 100));
  const FileCheck last = checked(text + line.substr(0, 40));
  EXPECT_EQ(last.state, FileState::torn);
  EXPECT_THAT(words(last), HasSubstr("line 5, the last one, is torn"));
  EXPECT_EQ(last.sealed, 3);
  const FileCheck middle = checked(text + line.substr(0, 40) + "\n" + line + "\n");
  EXPECT_EQ(middle.state, FileState::torn);
  EXPECT_THAT(words(middle), HasSubstr("line 5 is torn"));
  const Result<std::string> packed = pack(text + text);
  ASSERT_TRUE(packed);
  EXPECT_EQ(checked(packed->substr(0, packed->size() - 12)).state, FileState::torn);
  EXPECT_EQ(checked(text + "notes\n").state, FileState::altered);
}

// As a disk leaves it that is full from the beginning.
TEST(SessionCheck, ATornFirstLineAloneIsTornAndIsAppendedTo) {
  const std::string line = to_line(synthetic("a", 100));
  for (const std::size_t length : {std::size_t{1}, std::size_t{40}, line.size() - 1}) {
    const FileCheck found = checked(line.substr(0, length));
    EXPECT_EQ(found.state, FileState::torn) << length;
    EXPECT_EQ(found.messages, 0);
    EXPECT_THAT(words(found), HasSubstr("line 1, the last one, is torn"));
    const TemporaryFile file(line.substr(0, length));
    const Result<SessionReading> reading = read_session(file.path());
    ASSERT_FALSE(reading);
    EXPECT_THAT(sentence(reading.error()), HasSubstr("the file ends before its first line does"));
    Result<SessionFile> session = SessionFile::open(file.path());
    ASSERT_TRUE(session && session->append(synthetic("b", 200)));
    const Result<FileCheck> again = check_session(file.path());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->state, FileState::torn);
    EXPECT_EQ(again->messages, 1);
  }
  const TemporaryFile other("{\"title\": nothing");
  EXPECT_FALSE(check_session(other.path())) << "it is not cut off, it is something else";
}

TEST(SessionCheck, WhatHasNoSealIsSaid) {
  const std::string line = to_line(synthetic("a", 100)) + "\n";
  const FileCheck found = checked(line + line);
  EXPECT_EQ(found.state, FileState::whole);
  EXPECT_EQ(found.sealed, 0);
  EXPECT_THAT(words(found), HasSubstr("lines 1 to 2 have no seal"));
  EXPECT_THAT(words(checked(line + recorded())), HasSubstr("line 1 have no seal"));
}

TEST(SessionCheck, AnotherFileIsRefused) {
  for (const std::string& text : {std::string(), std::string("notes\n"), std::string("{}\n")}) {
    const TemporaryFile file(text);
    const Result<FileCheck> found = check_session(file.path());
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().kind, ErrorKind::input);
  }
}

TEST(SessionCheck, ASealIsNoMessageAndReadersPassIt) {
  const TemporaryFile file(recorded());
  const Result<SessionReading> reading = read_session(file.path());
  ASSERT_TRUE(reading);
  EXPECT_TRUE(reading->warnings.empty());
  EXPECT_EQ(reading->session.all_points().size(), 3u);
}

TEST(SessionCheck, JoinedSessionsAreSealedAnew) {
  const TemporaryFile one(recorded()), other(recorded());
  std::string joined;
  ASSERT_TRUE(write_joined({one.path(), other.path()},
                           [&joined](std::string_view part) { joined += part; }));
  const FileCheck found = checked(joined);
  EXPECT_EQ(found.state, FileState::whole) << words(found);
  EXPECT_EQ(found.sealed, 6);
}

TEST(SessionCheck, ASecondProgramIsToldWhoRecords) {
  const TemporaryFile file("");
  Result<SessionFile> session = SessionFile::open(file.path());
  ASSERT_TRUE(session && session->claim());
  const auto exit_status = [&file] {
    const pid_t child = ::fork();
    if (child == 0) {
      Result<SessionFile> second = SessionFile::open(file.path());
      const Result<void> claimed = second->claim();
      ::_exit(claimed ? 0
              : claimed.error().what.find("pid " + std::to_string(::getppid())) == std::string::npos
                  ? 2
                  : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(exit_status(), 1) << "the second one must be refused, and told the process";
  *session = *SessionFile::open(file.path());
  EXPECT_EQ(exit_status(), 0) << "the lock ends with the file that has it";
}

}  // namespace
}  // namespace warpscope
