// profiling/access/counterpart.h: what stands in one trace where something stands in another one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "profiling/access/trace.h"

namespace warpscope {

// The request of `to` that is the counterpart of one of `from`: of the same warp, memory (global or
// shared) and array, after as many such requests. Where its warp does not touch that array: after
// as many requests to that memory.
struct Counterpart {
  std::optional<std::size_t> request;  // index into to.requests
  std::string missing;                 // why there is none, a sentence
  std::string note;                    // what is not the same, a sentence; empty: nothing
};
Counterpart counterpart(const Trace& from, std::size_t request, const Trace& to);
// That `to` is of another block or step than `from`, in a sentence each; empty: of the same.
std::string apart_text(const Trace& from, const Trace& to);
// Scene, variant, key and step.
std::string name_of(const Trace& trace);

}  // namespace warpscope
