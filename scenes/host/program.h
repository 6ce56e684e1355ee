// scenes/host/program.h: how both programs begin and end: descriptors, streams, last words, exit
// status.
#pragma once

#include <functional>
#include <string>
#include <string_view>

// A name, a path or a session may contain text that was made to take over a terminal. Standard
// output and standard error of a program that runs under `run_program` show control characters
// instead of obeying them, however they are printed:
//
//   int main(int count, char** arguments) {
//     return run_program("warpscope", [&] { return run(count, arguments); });
//   }

namespace warpscope {

// `text` with control characters made visible: "\x1b" for those below 0x20 but newline and tab,
// "\u009b" for DEL, for those from U+0080 and for marks that turn the direction of writing (an
// escape of JSON too, so that JSON stays JSON), "\x9b" for bytes that are not UTF-8.
std::string visible(std::string_view text);
// The same for a name in a table: newline and tab are made visible too.
std::string visible_name(std::string_view text);

// What a print on standard error may begin with on a terminal, to write over its last line;
// anywhere else it is shown.
inline constexpr std::string_view kBeginLineAnew = "\r\x1b[K";

// Writes all of `text`, however many calls that takes. Returns 0 or errno.
int write_all(int descriptor, std::string_view text);

// From now on standard output has what write_file writes to "-", and nothing that is printed.
void keep_output_for_data();

// Runs `body` and gives the status that main returns.
//   - Descriptors 0 to 2 that are closed are reserved first, so that no file is opened in their
//     place and written into; what is printed then fails as it should.
//   - An exception, also one of another thread, is one sentence on standard error and status 3.
//   - What could not be printed is one sentence and status 3; where the reader of a pipe went away
//     the program ends as SIGPIPE ends others.
int run_program(const char* name, const std::function<int()>& body);

}  // namespace warpscope
