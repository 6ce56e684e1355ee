// profiling/emulator/probes/ptx_body.h: the statements of a PTX entry, and where they stand in the
// text.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// The emulator's parser keeps what instructions mean; this reading keeps where each stands, so that
// text can be put between them:
//
//   Result<PtxBody> body = read_ptx_body(ptx, "warp_row");
//   for (const BodyStatement& s : body->statements) show(s.name, ptx.substr(s.begin, …));

namespace warpscope {

struct BodyPosition {
  int file = 0, line = 0;  // 0: not said
  bool operator==(const BodyPosition&) const = default;
};

struct BodyStatement {
  enum class Kind { instruction, label, open, close, targets };
  Kind kind = Kind::instruction;
  std::size_t begin = 0, end = 0;  // of the text, with the guard and the semicolon or colon
  std::string_view name;           // the opcode, or the label
  std::string_view guard;          // the %p1 of @%p1; empty: none
  std::size_t guard_begin = 0;     // where its @ stands
  bool guard_negated = false;
  // Words among the operands in their order, with where they stand: "%r1", "$L__BB0_2".
  std::vector<std::string_view> words;
  BodyPosition position;  // in the kernel's own file: inlined code has that of the call
};

struct PtxBody {
  std::string_view entry;
  std::size_t variables = 0;  // where variables of the module may be put in
  std::size_t begin = 0;      // after the opening brace
  std::size_t end = 0;        // before the closing one
  std::vector<BodyStatement> statements;
  std::map<int, std::string> files;
  bool calls = false;  // it calls functions that were not inlined
};

// All string_views point into the text. error: input, there is no such entry, or its braces do not
// match.
Result<PtxBody> read_ptx_body(std::string_view text, std::string_view entry);

}  // namespace warpscope
