// scenes/host/result.h: expected failures as values: what happened, where, and what to do about it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

// Every function that can fail for a reason outside the program returns Result<T>. An Error is one
// sentence for a person: `sentence(error)` joins its parts. It is handled once: shown or returned.
//
//   Result<Matrix> matrix = load_matrix_market(path);
//   if (!matrix) return tl::unexpected(matrix.error());

namespace warpscope {

enum class ErrorKind {
  usage,        // the caller asked for something that does not exist or is out of range
  input,        // a file or a value that cannot be used
  environment,  // a library, a device or a permission is missing
  resource,     // not enough memory, disk or time
  fault,        // a kernel faulted, hung or gave a wrong result
  internal,     // a defect of ours
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string what;    // "row 7 has column index 12 but the matrix has 10 columns"
  std::string where;   // file:line, axis, variant or step; may be empty
  std::string remedy;  // "check the size line of the file"; may be empty
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ErrorKind kind, std::string what, std::string where = {},
                                     std::string remedy = {}) {
  return tl::unexpected(Error{kind, std::move(what), std::move(where), std::move(remedy)});
}

// "where: what; remedy" with the empty parts left out.
std::string sentence(const Error& error);

// The process exit status (workbench/commands/README.md): 1 a finding (fault), 2 usage or bad
// input, 3 the environment or a resource lacks something (also for internal errors).
int exit_status(ErrorKind kind);

// The name used in sessions, "input"; and back (unknown text gives internal).
const char* to_text(ErrorKind kind);
ErrorKind error_kind_from_text(const std::string& text);

}  // namespace warpscope
