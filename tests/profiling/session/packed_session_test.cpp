// tests/profiling/session/packed_session_test.cpp: sessions in gzip files: whole, torn, damaged,
// too long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "profiling/messages/packed_text.h"
#include "profiling/session/session.h"
#include "tests/profiling/session/synthetic.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kHeaderBytes = 10, kTrailerBytes = 8;

std::string packed(const std::string& text) { return pack(text).value_or(""); }

// `count` lines of a session, each of another variant.
std::string lines_of(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += to_line(synthetic("v" + std::to_string(i), 100 + i)) + "\n";
  return text;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

Result<SessionReading> read(const std::string& bytes, std::int64_t maximum_bytes = 1 << 30) {
  const TemporaryFile file(bytes);
  return read_session(file.path(), maximum_bytes);
}

// Everything that can be read off a session.
std::string all_of(const Session& session) {
  std::ostringstream all;
  all << session.revision() << "\n";
  for (const Measurement* point : session.all_points()) all << to_line(*point) << "\n";
  for (const Timeline* timeline : session.timelines()) all << to_line(*timeline) << "\n";
  for (const Trace* trace : session.traces()) all << to_line(*trace) << "\n";
  for (const LogLine& line : session.log()) all << to_line(line) << "\n";
  for (const auto& [number, job] : session.jobs()) {
    all << to_line(job) << "\n";
    if (const auto done = session.done(number)) all << to_line(*done) << "\n";
  }
  if (session.roofs() != nullptr) all << to_line(*session.roofs()) << "\n";
  if (session.engine() != nullptr) all << to_line(*session.engine()) << "\n";
  return all.str();
}

// A gzip file by hand, with blocks that are stored as they are. source: RFC 1951, section 3.2.4.
std::string stored_block(const std::string& text) {
  std::string block(1, '\0');
  for (const auto length :
       {static_cast<unsigned>(text.size()), ~static_cast<unsigned>(text.size())}) {
    block += static_cast<char>(length & 0xFFU);
    block += static_cast<char>(length >> 8 & 0xFFU);
  }
  return block + text;
}
const std::string kHeader("\x1f\x8b\x08\0\0\0\0\0\0\x03", kHeaderBytes);
const std::string kBlockOfNoKind = "\x06";

TEST(PackedSession, IsReadAsTheSameUnpacked) {
  for (const char* scene : {"csrmm", "led", "patterns"}) {
    const Result<std::string> text = session_text(recorded_session(scene));
    ASSERT_TRUE(text) << sentence(text.error());
    const Result<SessionReading> plain = read(*text), unpacked = read(packed(*text));
    ASSERT_TRUE(plain) << sentence(plain.error());
    ASSERT_TRUE(unpacked) << sentence(unpacked.error());
    EXPECT_GT(plain->lines, 10);
    EXPECT_EQ(unpacked->lines, plain->lines);
    EXPECT_EQ(unpacked->warnings, plain->warnings);
    EXPECT_TRUE(all_of(unpacked->session) == all_of(plain->session)) << scene;
  }
}

TEST(PackedSession, HasTheSameBytesEveryTimeAndNeitherTimeNorName) {
  const std::string text = lines_of(40), first = packed(text);
  EXPECT_EQ(first, packed(text));
  EXPECT_LT(first.size(), text.size() / 3);
  EXPECT_TRUE(begins_packed(first));
  EXPECT_EQ(first[3], 0) << "flags: a name, a comment or more";
  EXPECT_EQ(first.substr(4, 4), std::string(4, '\0')) << "a time";
  const TemporaryFile file(first);
  EXPECT_EQ(session_text(file.path()).value_or(""), text);
}

TEST(PackedSession, KeepsLinesOfNewerVersionsByteForByte) {
  const std::string text = to_line(Hello{}) + "\n\n{ \"type\" : \"hologram\",\"depth\":3.00 }\r\n" +
                           "{\"type\":\"progress\",\"job\":1,\"shade\":[1, 2]}\nno message\n";
  for (const std::string& bytes : {text, packed(text)}) {
    const TemporaryFile file(bytes);
    EXPECT_EQ(session_text(file.path()).value_or(""), text);
  }
  // What is torn goes; a message that lacks its newline alone gets one.
  const TemporaryFile torn(text + "{\"type\":\"prog"), complete(text + to_line(Hello{}));
  EXPECT_EQ(session_text(torn.path()).value_or(""), text);
  EXPECT_EQ(session_text(complete.path()).value_or(""), text + to_line(Hello{}) + "\n");
}

TEST(PackedSession, GoesOnInTheMembersThatFollow) {
  const std::string text = lines_of(4);
  const std::size_t inside_a_line = text.find('\n') + 100;
  const std::string members =
      packed(text.substr(0, inside_a_line)) + packed("") + packed(text.substr(inside_a_line));
  const Result<SessionReading> reading = read(members);
  ASSERT_TRUE(reading) << sentence(reading.error());
  EXPECT_EQ(reading->lines, 4);
  EXPECT_THAT(reading->warnings, IsEmpty());
  EXPECT_EQ(all_of(reading->session), all_of(read(text)->session));
  // Zeros after the last member are padding; anything else is reported.
  EXPECT_THAT(read(members + std::string(600'000, '\0'))->warnings, IsEmpty());
  for (const std::string& more : {std::string("more"), std::string("\x1f"), std::string("\0a", 2),
                                  std::string(600'000, '\0') + packed(text)}) {
    const Result<SessionReading> followed = read(members + more);
    ASSERT_TRUE(followed) << sentence(followed.error());
    EXPECT_EQ(followed->lines, 4);
    EXPECT_THAT(followed->warnings,
                ElementsAre("what follows line 4 is not packed and was left out"));
  }
}

TEST(PackedSession, FindsTheNextMemberWhereverAChunkOfTheFileEnds) {
  // A member as long as a chunk, so that the next begins at its end, or one byte before or after
  // it.
  constexpr std::size_t kChunkBytes = 256 << 10;
  for (std::size_t size = kChunkBytes - 3; size <= kChunkBytes + 3; ++size) {
    std::string first = packed(lines_of(1));
    first[3] = 8;  // a name follows the header
    first.insert(kHeaderBytes, std::string(size - first.size() - 1, 'n') + '\0');
    ASSERT_EQ(first.size(), size);
    const Result<SessionReading> reading = read(first + packed(lines_of(2)));
    ASSERT_TRUE(reading) << size << ": " << sentence(reading.error());
    EXPECT_EQ(reading->lines, 3) << size;
    EXPECT_THAT(reading->warnings, IsEmpty()) << size;
  }
}

TEST(PackedSession, ThatIsTornGivesWhatCameBefore) {
  const std::string text = lines_of(3), whole = packed(text);
  std::int64_t most = 0;
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const Result<SessionReading> reading = read(whole.substr(0, size));
    if (!reading) {
      EXPECT_EQ(most, 0) << size << ": fewer lines of more bytes";
      EXPECT_EQ(reading.error().kind, ErrorKind::input);
      EXPECT_EQ(reading.error().what, "the packed file ends before its first line does");
      EXPECT_FALSE(reading.error().remedy.empty());
      continue;
    }
    EXPECT_GE(reading->lines, most) << size;
    most = reading->lines;
    ASSERT_EQ(reading->warnings.size(), 1u) << size;
    EXPECT_THAT(reading->warnings[0], HasSubstr("the packed file ends early")) << size;
    const TemporaryFile file(whole.substr(0, size));
    EXPECT_TRUE(text.starts_with(session_text(file.path()).value_or("x"))) << size;
  }
  EXPECT_EQ(most, 3) << "without its checksum alone";
  EXPECT_THAT(read(whole.substr(0, whole.size() - 1))->warnings,
              ElementsAre("the packed file ends early after line 3: what followed is lost"));
  const std::string line = to_line(synthetic("a", 1)) + "\n";
  EXPECT_THAT(read(kHeader + stored_block(line + line.substr(0, 50)))->warnings,
              ElementsAre("line 2 is torn and was skipped: the packed file ends early"));
}

TEST(PackedSession, ThatIsDamagedGivesWhatCameBeforeAndSaysSo) {
  const std::string text = lines_of(3);
  const auto said = [](const Result<SessionReading>& reading, const char* why) {
    ASSERT_TRUE(reading) << sentence(reading.error());
    EXPECT_EQ(reading->lines, 3);
    ASSERT_EQ(reading->warnings.size(), 1u);
    EXPECT_THAT(reading->warnings[0], AllOf(HasSubstr("is damaged in or before line 3"),
                                            HasSubstr(why), HasSubstr("may be wrong")));
  };
  for (const std::size_t from_end : {kTrailerBytes, std::size_t{4}}) {
    std::string checksum = packed(text);
    checksum[checksum.size() - from_end] ^= 1;  // of the bytes, then their number
    said(read(checksum), from_end == kTrailerBytes ? "its checksum does not match its text"
                                                   : "not as long as it states");
  }
  said(read(kHeader + stored_block(text) + kBlockOfNoKind + std::string(20, 'x')),
       "its packed bytes cannot be unpacked");
  // Before the first line nothing is left to show.
  const std::string half = text.substr(0, text.find('\n') / 2);
  for (const std::string& bytes :
       {kHeader + kBlockOfNoKind, kHeader + stored_block(half) + kBlockOfNoKind,
        std::string("\x1f\x8b\x07\0\0\0\0\0\0\x03", kHeaderBytes) + stored_block(text)}) {
    const Result<SessionReading> nothing = read(bytes);
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().kind, ErrorKind::input);
    EXPECT_THAT(nothing.error().what, HasSubstr("the packed file is damaged ("));
    EXPECT_THAT(nothing.error().remedy, HasSubstr("copy it again"));
  }
}

TEST(PackedSession, NeverHidesAChangedBit) {
  const std::string text = lines_of(3), whole = packed(text);
  for (std::size_t at = kHeaderBytes; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1 << at % 8);
    const TemporaryFile file(changed);
    const Result<SessionReading> reading = read_session(file.path());
    EXPECT_TRUE(reading || reading.error().kind == ErrorKind::input) << at;
    // Bits that only fill the last byte before the checksum change nothing.
    const bool silent = reading && reading->warnings.empty();
    EXPECT_TRUE(!silent || session_text(file.path()).value_or("") == text) << at;
  }
}

TEST(PackedSession, IsRefusedInTheWordsOfAnUnpackedOneWhereItIsNone) {
  for (const std::string& text :
       {std::string(), std::string("\x89PNG\r\n\x1a\n data\nmore\nand more\n"),
        std::string("[1,2,3]\n"), std::string("no session, and no newline")}) {
    const TemporaryFile plain(text), gzip(packed(text));
    const Result<SessionReading> one = read_session(plain.path()),
                                 other = read_session(gzip.path());
    ASSERT_FALSE(one);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().what, one.error().what);
    EXPECT_EQ(other.error().remedy, one.error().remedy);
    EXPECT_EQ(other.error().kind, ErrorKind::input);
  }
}

TEST(PackedSession, HoldsTheLimitForTheUnpackedText) {
  const std::string text = lines_of(5);
  const auto size = static_cast<std::int64_t>(text.size());
  const std::string whole = packed(text);
  ASSERT_LT(whole.size(), text.size());
  EXPECT_EQ(read(whole, size)->lines, 5);
  EXPECT_EQ(read(whole + packed(""), size)->lines, 5);
  for (const auto& [bytes, limit] :
       {std::pair(whole, size - 1), std::pair(whole + packed("\n"), size),
        std::pair(whole, std::int64_t{0}), std::pair(text, size - 1)}) {
    const Result<SessionReading> refused = read(bytes, limit);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::input);
    EXPECT_THAT(refused.error().what, HasSubstr("limit of " + format_value(limit, "B")));
    EXPECT_FALSE(refused.error().remedy.empty());
  }
}

// The most memory that this process has held, in bytes.
std::int64_t peak_bytes() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return std::int64_t{1024} * used.ru_maxrss;
}

TEST(PackedSession, ThatUnpacksWithoutEndIsRefusedInBoundedMemory) {
  constexpr std::int64_t kMember = 1 << 20, kMembers = 300;
  const auto bomb = [](char letter) {
    const std::string member = packed(std::string(kMember, letter));
    std::string all = packed(to_line(Hello{}) + "\n");
    for (std::int64_t i = 0; i < kMembers; ++i) all += member;
    return all;
  };
  const std::string newlines = bomb('\n'), letters = bomb('a');
  ASSERT_LT(newlines.size(), 4u << 20);
  std::int64_t before = peak_bytes();
  const Result<SessionReading> many = read(newlines);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().what, HasSubstr("unpacks to more than the limit of 33.55 MB"));
  EXPECT_LT(peak_bytes() - before, 16 << 20);
  std::string line = to_line(Hello{}) + "\n";
  line.append(kLongestLineBytes + 1, 'a');
  before = peak_bytes();
  const Result<SessionReading> packed_line = read(letters);
  ASSERT_FALSE(packed_line);
  EXPECT_THAT(packed_line.error().what, HasSubstr("unpacks to more than the limit of 33.55 MB"));
  const Result<SessionReading> one = read(line);
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().what, HasSubstr("line 2 is longer than the limit of 134.2 MB"));
  EXPECT_LT(peak_bytes() - before, 4 * kLongestLineBytes);
}

TEST(PackedSession, IsNotAppendedTo) {
  const std::string whole = packed(lines_of(2));
  for (const std::string& bytes : {whole, whole + "\n", whole + "torn"}) {
    const TemporaryFile file(bytes);
    const Result<SessionFile> refused = SessionFile::open(file.path());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::input);
    EXPECT_EQ(refused.error().what, "nothing can be appended to a packed session");
    EXPECT_THAT(refused.error().remedy, AllOf(HasSubstr("gunzip"), HasSubstr("another file")));
    EXPECT_TRUE(bytes_of(file.path()) == bytes) << "the file was touched";
  }
  // Nor is a file begun that would be packed by its name alone.
  const TemporaryFile folder_of("");
  const std::filesystem::path named = folder_of.path().string() + ".gz";
  const Result<SessionFile> refused = SessionFile::open(named);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_THAT(refused.error().remedy, HasSubstr(".wsj"));
  EXPECT_FALSE(std::filesystem::exists(named));
}

}  // namespace
}  // namespace warpscope
