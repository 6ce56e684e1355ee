// profiling/engine/compile/steps/kept_code.h: what a compiler made, kept on disk.
#pragma once

#include <functional>
#include <string>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/nvrtc.h"

// Kept under the hash of all that it was made of. A thread or process that wants what another one
// is making waits for it.
//
//   return cached(hash, Target::ptx, [&] { return compile_text(request, sources, Target::ptx); });

namespace warpscope {

// What the hash stands for, from the cache if it was compiled before, else from `make`.
Result<Compiled> cached(const std::string& hash, Target target,
                        const std::function<Result<Compiled>()>& make);
// Keeps what was made together with something else, for a later `cached`.
void keep(const std::string& hash, Target target, const Compiled& code);

}  // namespace warpscope
