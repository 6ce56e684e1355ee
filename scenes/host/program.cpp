// scenes/host/program.cpp: how both programs begin and end: descriptors, streams, last words, exit
// status.
#include "scenes/host/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

namespace warpscope {
namespace {

constexpr int kLacking = 3;  // exit status: the environment lacks something

// The character at the beginning of `text`: its length in bytes and its code point, −1 if it is not
// UTF-8. The length is 0 if more bytes are needed to know. source: RFC 3629, section 3.
struct CodePoint {
  std::size_t bytes = 1;
  std::int32_t value = -1;
};

CodePoint first_code_point(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0) return {};
  std::int32_t value = lead & (0x7f >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {0, -1};
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr std::int32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kLeast[length] || value > 0x10ffff || surrogate) return {};
  return {length, value};
}

// Marks that turn the direction of writing, so that text reads as something else.
// source: Unicode Standard Annex #9, table 4.
bool turns_direction(std::int32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// Appends what is to be seen of `text`; an unfinished code point at its end is left out. Returns
// how many bytes were used.
std::size_t append_visible(std::string_view text, bool keep_lines, std::string& shown) {
  const std::size_t whole = text.size();
  while (!text.empty()) {
    const CodePoint first = first_code_point(text);
    if (first.bytes == 0) break;
    const std::int32_t code = first.value;
    char escape[16];
    if (code < 0) {
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[0]));
      shown += escape;
    } else if (code < 0x20 && !(keep_lines && (code == '\n' || code == '\t'))) {
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(code));
      shown += escape;
    } else if ((code >= 0x7f && code < 0xa0) || turns_direction(code)) {
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code));
      shown += escape;
    } else {
      shown += text.substr(0, first.bytes);
    }
    text.remove_prefix(first.bytes);
  }
  return whole - text.size();
}

std::string all_visible(std::string_view text, bool keep_lines) {
  std::string shown;
  text.remove_prefix(append_visible(text, keep_lines, shown));
  for (const char c : text) {
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(c));
    shown += escape;
  }
  return shown;
}

// A standard stream that shows control characters. They live as long as the process: what is
// printed while it ends still needs them.
struct Shown {
  int descriptor = -1;
  int failure = 0;         // errno of the first write that failed
  std::string unfinished;  // the beginning of a code point
};
Shown shown_output{STDOUT_FILENO, 0, {}}, shown_error{STDERR_FILENO, 0, {}};

ssize_t write_shown(void* cookie, const char* text, std::size_t count) {
  Shown& stream = *static_cast<Shown*>(cookie);
  const std::string all = stream.unfinished + std::string(text, count);
  std::string shown;
  std::string_view rest = all;
  if (stream.descriptor == STDERR_FILENO && rest.starts_with(kBeginLineAnew)) {
    shown = kBeginLineAnew;
    rest.remove_prefix(kBeginLineAnew.size());
  }
  rest.remove_prefix(append_visible(rest, true, shown));
  stream.unfinished = rest;
  const int code = write_all(stream.descriptor, shown);
  if (code != 0 && stream.failure == 0) stream.failure = code;
  return code == 0 ? static_cast<ssize_t>(count) : 0;
}

// Sentences appear at once and whole, lines on a terminal at their end, tables in pieces.
FILE* open_shown(Shown& stream) {
  FILE* file = ::fopencookie(&stream, "w", {nullptr, write_shown, nullptr, nullptr});
  const int buffering = stream.descriptor == STDERR_FILENO ? _IONBF
                        : ::isatty(stream.descriptor) != 0 ? _IOLBF
                                                           : _IOFBF;
  if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

// Open the wrong way round, so that reading and writing fail as they do where nothing is open.
void reserve_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free one is this: those below are open by now.
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

const char* program_name = "warpscope";

std::string words_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return "there is not enough memory; close other programs, or choose a smaller input";
  } catch (const std::exception& error) {
    return std::string("a bug in Warpscope ended it (") + error.what() +
           "); please report it with the command line";
  } catch (...) {
    return "a bug in Warpscope ended it; please report it with the command line";
  }
}

int say(const std::exception_ptr& thrown) {
  std::fprintf(stderr, "%s: %s\n", program_name, words_of(thrown).c_str());
  return kLacking;
}

[[noreturn]] void end_with_a_sentence() {
  const std::exception_ptr thrown = std::current_exception();
  if (thrown != nullptr) {
    say(thrown);
  } else {
    std::fprintf(stderr, "%s: a bug in Warpscope ended it; please report it\n", program_name);
  }
  std::fflush(stdout);
  ::_exit(kLacking);
}

int finish_output(int status, bool pipe_ends) {
  std::fflush(stdout);
  if (!shown_output.unfinished.empty() && shown_output.failure == 0)
    shown_output.failure = write_all(STDOUT_FILENO, all_visible(shown_output.unfinished, true));
  const int code = shown_output.failure;
  if (code == 0) return status;
  if (code == EPIPE && pipe_ends) {
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  std::fprintf(stderr, "%s: standard output cannot be written: %s; %s\n", program_name,
               std::strerror(code),
               code == ENOSPC  ? "free some space"
               : code == EBADF ? "it is closed: open it, or send it to a file"
                               : "the output is incomplete");
  return status < 2 ? kLacking : status;
}

}  // namespace

std::string visible(std::string_view text) { return all_visible(text, true); }
std::string visible_name(std::string_view text) { return all_visible(text, false); }

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t step = ::write(descriptor, text.data(), text.size());
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return step == 0 ? ENOSPC : errno;
    text.remove_prefix(static_cast<std::size_t>(step));
  }
  return 0;
}

void keep_output_for_data() {
  std::fflush(stdout);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) shown_output.descriptor = nowhere;
}

int run_program(const char* name, const std::function<int()>& body) {
  reserve_descriptors();
  program_name = name;
  // A client of an engine ignores it later; the parent process decided how the program ends.
  struct sigaction at_start {};
  ::sigaction(SIGPIPE, nullptr, &at_start);
  if (FILE* file = open_shown(shown_output)) stdout = file;
  if (FILE* file = open_shown(shown_error)) stderr = file;
  std::set_terminate(end_with_a_sentence);
  int status = 0;
  try {
    status = body();
  } catch (...) {
    status = say(std::current_exception());
  }
  return finish_output(status, at_start.sa_handler != SIG_IGN);
}

}  // namespace warpscope
