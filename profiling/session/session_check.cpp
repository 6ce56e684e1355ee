// profiling/session/session_check.cpp: whether a session's file is whole, torn or altered.
#include "profiling/session/session_check.h"

#include <algorithm>
#include <utility>

#include "profiling/messages/packed_text.h"
#include "profiling/messages/protocol.h"
#include "profiling/session/seal.h"
#include "profiling/text/json_text.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostSessionBytes = 1LL << 30;
constexpr std::size_t kMostSentences = 20;
// Hashes of lines wait for their seal: so many take 400 MB. Recordings are far shorter.
constexpr std::size_t kMostWaiting = 4'000'000;

std::string number(std::int64_t line) { return "line " + std::to_string(line); }
std::string span(std::int64_t from, std::int64_t to) {
  return from == to ? number(from) : "lines " + std::to_string(from) + " to " + std::to_string(to);
}

// What is found, line by line.
class Checking {
 public:
  void take(std::string_view line, bool complete) {
    ++found_.lines;
    if (line.empty()) return;
    if (const auto claim = seal_in(line)) {
      check_seal(*claim);
      return;
    }
    if (hashes_.size() == kMostWaiting) {
      hashes_.clear();
      places_.clear();
      too_many_ = true;
    }
    hashes_.push_back(line_hash(line));
    places_.push_back(found_.lines);
    if (const Result<Message> message = parse_line(line)) {
      ++found_.messages;
      return;
    }
    if (!complete) {
      say(FileState::torn, number(found_.lines) + ", the last one, is torn");
      only_begun_ = found_.messages == 0 && found_.lines == 1 && begins_message(line);
    } else if (line.front() == '{' && !parse_json(line, "")) {
      say(FileState::torn, number(found_.lines) +
                               " is torn: the program that wrote it was stopped, or a part of the "
                               "line was lost");
    } else {
      say(FileState::altered, number(found_.lines) + " is not a message");
    }
  }

  void end_of_text(const TextLines& text) {
    const std::string after = number(found_.lines);
    if (text.end() == TextEnd::torn)
      say(FileState::torn, "the packed file ends early, after " + after);
    if (text.end() == TextEnd::damaged)
      say(FileState::altered,
          "the packed file is damaged in or before " + after + " (" + text.why() + ")");
    if (text.end() == TextEnd::followed)
      say(FileState::altered, "what follows " + after + " is not packed");
    if (!places_.empty())
      remark(span(places_.front(), found_.lines) +
             " have no seal: a change that left a message there would not be seen");
  }

  // All there is, is the beginning of a first line: the disk was full, or the program was stopped.
  bool only_begun() const { return only_begun_; }

  FileCheck result() && {
    if (left_out_ > 0) found_.sentences.push_back(std::to_string(left_out_) + " more like these");
    if (found_.state == FileState::whole || found_.sentences.empty())
      found_.sentences.insert(found_.sentences.end(), remarks_.begin(), remarks_.end());
    return std::move(found_);
  }

 private:
  void say(FileState state, std::string sentence) {
    found_.state = std::max(found_.state, state);
    if (found_.sentences.size() < kMostSentences) {
      found_.sentences.push_back(std::move(sentence));
    } else {
      ++left_out_;
    }
  }
  void remark(std::string sentence) { remarks_.push_back(std::move(sentence)); }

  void check_seal(const SealClaim& claim) {
    const auto there = static_cast<std::int64_t>(hashes_.size());
    if (claim.lines > there && too_many_) {
      remark(number(found_.lines) + " seals more than the " + std::to_string(kMostWaiting) +
             " lines that are compared with a seal");
    } else if (claim.lines > there) {
      say(FileState::altered, number(found_.lines) + " seals " + std::to_string(claim.lines) +
                                  " lines, of which " + std::to_string(there) + " are there");
    } else if (claim.lines > 0) {
      const auto from = static_cast<std::size_t>(there - claim.lines);
      if (from > 0)
        remark(span(places_.front(), places_[from - 1]) +
               " have no seal: a change that left a message there would not be seen");
      if (sealed_hash(hashes_, from) == claim.hash) {
        found_.sealed += claim.lines;
      } else {
        say(FileState::altered, span(places_[from], places_.back()) + " are not what " +
                                    number(found_.lines) + " sealed");
      }
    }
    hashes_.clear();
    places_.clear();
    too_many_ = false;
  }

  FileCheck found_;
  std::vector<std::string> remarks_;
  std::size_t left_out_ = 0;
  std::vector<std::string> hashes_;   // of the lines since the last seal
  std::vector<std::int64_t> places_;  // and their numbers
  bool only_begun_ = false;
  bool too_many_ = false;  // lines of which the hashes were let go
};

tl::unexpected<Error> not_read(const TextLines& text, const std::filesystem::path& path) {
  const std::string why =
      text.end() == TextEnd::over_limit  ? "the file is over the limit of 1 GiB of text"
      : text.end() == TextEnd::long_line ? "a line is longer than the limit of 128 MiB"
      : text.end() == TextEnd::no_memory ? "there is not enough memory to unpack it"
                                         : "the file cannot be read: " + text.why();
  return failure(text.end() == TextEnd::no_memory ? ErrorKind::resource : ErrorKind::input, why,
                 path.string(), "choose a .wsj file that Warpscope wrote");
}

}  // namespace

Result<FileCheck> check_session(const std::filesystem::path& path) {
  Result<TextLines> text = TextLines::open(path, kMostSessionBytes);
  if (!text) return tl::unexpected(text.error());
  Checking checking;
  while (const auto line = text->next()) checking.take(*line, text->complete());
  switch (text->end()) {
    case TextEnd::over_limit:
    case TextEnd::long_line:
    case TextEnd::unreadable:
    case TextEnd::no_memory:
      return not_read(*text, path);
    default:
      break;
  }
  checking.end_of_text(*text);
  const bool only_begun = checking.only_begun();
  FileCheck found = std::move(checking).result();
  if (found.messages == 0 && !only_begun)
    return failure(ErrorKind::input,
                   text->text_bytes() == 0 ? "the file is empty" : "the file is not a session",
                   path.string(), "choose a .wsj or .wcap file that Warpscope wrote");
  return found;
}

}  // namespace warpscope
