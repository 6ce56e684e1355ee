// scenes/host/result.cpp: expected failures as values: what happened, where, and what to do about
// it.
#include "scenes/host/result.h"

#include <array>

#include "scenes/host/enumerators.h"
#include "scenes/host/program.h"

namespace warpscope {

std::string sentence(const Error& error) {
  // A name or a path keeps to its line; what a compiler says may have several.
  std::string text =
      (error.where.empty() ? "" : visible_name(error.where) + ": ") + visible(error.what);
  if (!error.remedy.empty()) text += "; " + visible_name(error.remedy);
  return text;
}

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::fault:
      return 1;
    case ErrorKind::usage:
    case ErrorKind::input:
      return 2;
    case ErrorKind::environment:
    case ErrorKind::resource:
    case ErrorKind::internal:
      break;
  }
  return 3;
}

const char* to_text(ErrorKind kind) {
  return named(kind, {"usage", "input", "environment", "resource", "fault", "internal"});
}

ErrorKind error_kind_from_text(const std::string& text) {
  return enumerator_of(text, ErrorKind::internal, to_text);
}

}  // namespace warpscope
